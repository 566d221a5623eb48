/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Single instructions, for the C parts of all ROMs.
 *
 * Owns: ports, TSC, reading MSRs; the calling convention of the VMI calls.
 * Runs: ring 0.
 * Fails: as the instruction does.
 */
#ifndef _ROM_INSN_H
#define _ROM_INSN_H

#ifndef __ASSEMBLY__

#include <linux/types.h>

#define REGPARM __attribute__((regparm(3)))

static inline void outb(u16 port, u8 value)
{
	asm volatile("outb %0, %1" : : "a" (value), "Nd" (port));
}

static inline u8 inb(u16 port)
{
	u8 value;

	asm volatile("inb %1, %0" : "=a" (value) : "Nd" (port));
	return value;
}

static inline u64 rdtsc(void)
{
	u64 tsc;

	asm volatile("rdtsc" : "=A" (tsc));
	return tsc;
}

static inline u64 rdmsr(u32 msr)
{
	u64 value;

	asm volatile("rdmsr" : "=A" (value) : "c" (msr));
	return value;
}

#endif /* !__ASSEMBLY__ */
#endif /* _ROM_INSN_H */
