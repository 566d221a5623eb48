// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recognisable state of all x87 and SSE registers.
 *
 * Owns: loading it and comparing it.
 * Not here: what must keep it (`t_fpu.c`).
 * Runs: anywhere; uses SSE only where the CPU has it.
 * Fails: not at all.
 */
#include "pvtest.h"
#include <cpuid.h>

struct vec {
	unsigned int word[4];
};

static bool have_sse(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && (d & (1u << 25));
}

static unsigned int mxcsr_for(unsigned int seed)
{
	return 0x1f80 | (seed & 3) << 13;	/* rounding mode */
}

/**
 * fpu_fill() - load every register with values that @seed makes
 * @seed: any number
 *
 * Clobbers: the whole x87 and SSE state.
 */
void fpu_fill(unsigned int seed)
{
	unsigned int mxcsr = mxcsr_for(seed);
	struct vec v[8];
	int i, n;

	asm volatile("fninit");
	for (i = 0; i < 8; i++) {
		n = (int)(seed * 8 + i);
		asm volatile("fildl %0" : : "m" (n));
	}
	if (!have_sse())
		return;
	for (i = 0; i < 8; i++)
		v[i] = (struct vec){ { seed, i, seed ^ 0x5555, ~seed } };
	asm volatile("ldmxcsr %0" : : "m" (mxcsr));
	asm volatile("movups (%0), %%xmm0\n\tmovups 16(%0), %%xmm1\n\t"
		     "movups 32(%0), %%xmm2\n\tmovups 48(%0), %%xmm3\n\t"
		     "movups 64(%0), %%xmm4\n\tmovups 80(%0), %%xmm5\n\t"
		     "movups 96(%0), %%xmm6\n\tmovups 112(%0), %%xmm7"
		     : : "r" (v) : "memory");
}

static bool sse_holds(unsigned int seed)
{
	unsigned int mxcsr;
	struct vec v[8];
	unsigned int i;

	asm volatile("movups %%xmm0, (%0)\n\tmovups %%xmm1, 16(%0)\n\t"
		     "movups %%xmm2, 32(%0)\n\tmovups %%xmm3, 48(%0)\n\t"
		     "movups %%xmm4, 64(%0)\n\tmovups %%xmm5, 80(%0)\n\t"
		     "movups %%xmm6, 96(%0)\n\tmovups %%xmm7, 112(%0)"
		     : : "r" (v) : "memory");
	asm volatile("stmxcsr %0" : "=m" (mxcsr));
	for (i = 0; i < 8; i++)
		if (v[i].word[0] != seed || v[i].word[1] != i ||
		    v[i].word[2] != (seed ^ 0x5555) || v[i].word[3] != ~seed)
			return false;
	return (mxcsr & 0x6000) == (mxcsr_for(seed) & 0x6000);
}

/**
 * fpu_holds() - is the state still the one of `fpu_fill()`?
 * @seed: the same number
 *
 * Empties the x87 stack: fill again before the next look.
 */
bool fpu_holds(unsigned int seed)
{
	bool ok = !have_sse() || sse_holds(seed);
	int i, n;

	for (i = 7; i >= 0; i--) {
		asm volatile("fistpl %0" : "=m" (n));
		ok = ok && n == (int)(seed * 8 + i);
	}
	return ok;
}
