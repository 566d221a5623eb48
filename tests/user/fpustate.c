// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recognisable state of all x87, SSE and AVX registers.
 *
 * Owns: loading it and comparing it.
 * Not here: what must keep it (`t_fpu.c`).
 * Runs: anywhere; uses SSE and AVX only where CPU and kernel have them.
 * Fails: not at all.
 */
#include "pvtest.h"
#include <cpuid.h>

struct vec {
	unsigned int word[8];	/* the first four without AVX */
};

enum vec_kind { VEC_NONE, VEC_SSE, VEC_AVX };

/* AVX counts only when the kernel has switched it on (OSXSAVE). */
static enum vec_kind vec_kind(void)
{
	const unsigned int avx = 1u << 28 | 1u << 27;
	unsigned int a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(d & 1u << 25))
		return VEC_NONE;
	return (c & avx) == avx ? VEC_AVX : VEC_SSE;
}

static unsigned int mxcsr_for(unsigned int seed)
{
	return 0x1f80 | (seed & 3) << 13;	/* rounding mode */
}

static struct vec vec_for(unsigned int seed, unsigned int reg)
{
	return (struct vec){ { seed, reg, seed ^ 0x5555, ~seed,
			       seed + reg, seed * 3, ~reg, seed ^ reg } };
}

/* All eight registers from or to memory at %0, 32 bytes apart. */
#define VEC_LOAD(insn, r)					\
	insn " (%0), %%" r "0\n\t" insn " 32(%0), %%" r "1\n\t"	\
	insn " 64(%0), %%" r "2\n\t" insn " 96(%0), %%" r "3\n\t"	\
	insn " 128(%0), %%" r "4\n\t" insn " 160(%0), %%" r "5\n\t"	\
	insn " 192(%0), %%" r "6\n\t" insn " 224(%0), %%" r "7"
#define VEC_STORE(insn, r)					\
	insn " %%" r "0, (%0)\n\t" insn " %%" r "1, 32(%0)\n\t"	\
	insn " %%" r "2, 64(%0)\n\t" insn " %%" r "3, 96(%0)\n\t"	\
	insn " %%" r "4, 128(%0)\n\t" insn " %%" r "5, 160(%0)\n\t"	\
	insn " %%" r "6, 192(%0)\n\t" insn " %%" r "7, 224(%0)"

static void vec_fill(unsigned int seed, enum vec_kind kind)
{
	unsigned int mxcsr = mxcsr_for(seed), i;
	struct vec v[8];

	for (i = 0; i < 8; i++)
		v[i] = vec_for(seed, i);
	asm volatile("ldmxcsr %0" : : "m" (mxcsr));
	if (kind == VEC_AVX)
		asm volatile(VEC_LOAD("vmovups", "ymm") : : "r" (v) : "memory");
	else
		asm volatile(VEC_LOAD("movups", "xmm") : : "r" (v) : "memory");
}

static bool vec_holds(unsigned int seed, enum vec_kind kind)
{
	unsigned int mxcsr, i;
	struct vec v[8], want;

	if (kind == VEC_AVX)
		asm volatile(VEC_STORE("vmovups", "ymm") : : "r" (v) : "memory");
	else
		asm volatile(VEC_STORE("movups", "xmm") : : "r" (v) : "memory");
	asm volatile("stmxcsr %0" : "=m" (mxcsr));
	for (i = 0; i < 8; i++) {
		want = vec_for(seed, i);
		if (memcmp(&v[i], &want, kind == VEC_AVX ? 32 : 16))
			return false;
	}
	return (mxcsr & 0x6000) == (mxcsr_for(seed) & 0x6000);
}

/**
 * fpu_fill() - load every register with values that @seed makes
 * @seed: any number
 *
 * Clobbers: the whole x87, SSE and AVX state.
 */
void fpu_fill(unsigned int seed)
{
	enum vec_kind kind = vec_kind();
	int i, n;

	asm volatile("fninit");
	for (i = 0; i < 8; i++) {
		n = (int)(seed * 8 + i);
		asm volatile("fildl %0" : : "m" (n));
	}
	if (kind != VEC_NONE)
		vec_fill(seed, kind);
}

/**
 * fpu_holds() - is the state still the one of `fpu_fill()`?
 * @seed: the same number
 *
 * Empties the x87 stack: fill again before the next look.
 */
bool fpu_holds(unsigned int seed)
{
	enum vec_kind kind = vec_kind();
	bool ok = kind == VEC_NONE || vec_holds(seed, kind);
	int i, n;

	for (i = 7; i >= 0; i--) {
		asm volatile("fistpl %0" : "=m" (n));
		ok = ok && n == (int)(seed * 8 + i);
	}
	return ok;
}
