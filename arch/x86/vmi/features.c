// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes over the ROM's view of the CPU.
 *
 * Owns: clearing features that the CPU has and the ROM's CPUID hides.
 * Not here: features that a lowered ring cannot use (`ring.c`).
 * Runs: at activation. The kernel filled its view with native CPUID before.
 */
#include <linux/bitops.h>
#include <asm/cpufeature.h>
#include <asm/processor.h>

#include "driver.h"

enum { REG_A, REG_B, REG_C, REG_D };

/* Words of the kernel's view that are a register of CPUID. */
struct cpuid_word {
	u32 leaf, subleaf;
	u8 word, reg;
};

static const struct cpuid_word words[] __initconst = {
	{ 1, 0, CPUID_1_EDX, REG_D },
	{ 1, 0, CPUID_1_ECX, REG_C },
	{ 7, 0, CPUID_7_0_EBX, REG_B },
	{ 7, 0, CPUID_7_ECX, REG_C },
	{ 7, 0, CPUID_7_EDX, REG_D },
	{ 7, 1, CPUID_7_1_EAX, REG_A },
	{ 13, 1, CPUID_D_1_EAX, REG_A },
	{ 0x80000001, 0, CPUID_8000_0001_EDX, REG_D },
	{ 0x80000001, 0, CPUID_8000_0001_ECX, REG_C },
	{ 0x80000008, 0, CPUID_8000_0008_EBX, REG_B },
};

typedef void (*cpuid_fn)(u32 *eax, u32 *ebx, u32 *ecx, u32 *edx);

static void __init through_rom(u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	__cpuid(eax, ebx, ecx, edx);
}

static void __init query(cpuid_fn cpuid, u32 leaf, u32 subleaf, u32 regs[4])
{
	regs[REG_A] = leaf;
	regs[REG_C] = subleaf;
	cpuid(&regs[REG_A], &regs[REG_B], &regs[REG_C], &regs[REG_D]);
}

/* An absent leaf announces nothing; leaf 7 counts its subleaves in EAX. */
static u32 __init word(cpuid_fn cpuid, unsigned int i)
{
	u32 leaf = words[i].leaf, subleaf = words[i].subleaf;
	u32 regs[4];

	query(cpuid, leaf & 0x80000000, 0, regs);
	if (regs[REG_A] < leaf)
		return 0;
	if (leaf == 7 && subleaf) {
		query(cpuid, leaf, 0, regs);
		if (regs[REG_A] < subleaf)
			return 0;
	}
	query(cpuid, leaf, subleaf, regs);
	return regs[words[i].reg];
}

/**
 * vmi_features_apply() - clear what the ROM hides
 *
 * The kernel sets some bits of these words itself, for features that CPUID does not
 * announce, so that only what native CPUID announces is compared.
 */
void __init vmi_features_apply(void)
{
	unsigned int i;

	if (!vmi_has(VMI_CALL_CPUID))
		return;
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		unsigned long hidden = word(native_cpuid, i) & ~word(through_rom, i);
		unsigned int bit;

		for_each_set_bit(bit, &hidden, 32)
			setup_clear_cpu_cap(words[i].word * 32 + bit);
	}
}
