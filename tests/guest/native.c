// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a kernel in ring 0 executes where a ROM answers NONE.
 *
 * Owns: the instructions in place of calls that tests make for their effect.
 * Not here: rows of such calls, which are skipped (`call.c`).
 * Runs: in ring 0 only; an outer ring cannot do without.
 * Fails: a call that has no instruction does nothing.
 */
#include "guest.h"

static void store(u32 at, u32 low, u32 high)
{
	((volatile u32 *)at)[0] = low;
	((volatile u32 *)at)[1] = high;
}

static void flush(void)
{
	u32 cr4 = READ_REG(cr4);

	WRITE_REG(cr4, cr4 & ~0x80u);
	WRITE_REG(cr4, cr4);
	WRITE_REG(cr3, READ_REG(cr3));
}

static u64 debug_register(u32 nr, u32 value, int write)
{
	switch (nr) {
	case 0:
		if (write)
			WRITE_REG(db0, value);
		return READ_REG(db0);
	case 6:
		if (write)
			WRITE_REG(db6, value);
		return READ_REG(db6);
	case 7:
		if (write)
			WRITE_REG(db7, value);
		return READ_REG(db7);
	default:
		return 0;
	}
}

static u64 system_register(enum vmi_call nr, u32 eax, u32 edx, u32 ecx)
{
	u32 value = 0;

	switch (nr) {
	case VMI_CALL_WRMSR:
		asm volatile("wrmsr" : : "a" (eax), "d" (edx), "c" (ecx));
		return 0;
	case VMI_CALL_RDMSR:
		asm volatile("rdmsr" : "=a" (eax), "=d" (edx) : "c" (ecx));
		return (u64)edx << 32 | eax;
	case VMI_CALL_SetLDT:
		asm volatile("lldt %w0" : : "r" (eax));
		return 0;
	case VMI_CALL_GetLDT:
		asm volatile("sldt %w0" : "+r" (value));
		return value;
	case VMI_CALL_GetTR:
		asm volatile("str %w0" : "+r" (value));
		return value;
	case VMI_CALL_GetGDT:
		asm volatile("sgdt (%0)" : : "r" (eax) : "memory");
		return 0;
	case VMI_CALL_GetIDT:
		asm volatile("sidt (%0)" : : "r" (eax) : "memory");
		return 0;
	case VMI_CALL_SetDR:
	case VMI_CALL_GetDR:
		return debug_register(eax, edx, nr == VMI_CALL_SetDR);
	default:
		return 0;
	}
}

static u64 control_register(enum vmi_call nr, u32 value)
{
	switch (nr) {
	case VMI_CALL_SetCR0:
		WRITE_REG(cr0, value);
		return 0;
	case VMI_CALL_SetCR2:
		WRITE_REG(cr2, value);
		return 0;
	case VMI_CALL_SetCR3:
		WRITE_REG(cr3, value);
		return 0;
	case VMI_CALL_GetCR0:
		return cr_read(0);
	case VMI_CALL_CLTS:
		asm volatile("clts");
		return 0;
	default:
		return cr_read(nr - VMI_CALL_GetCR2 + 2);
	}
}

static u64 other_call(enum vmi_call nr, u32 eax, u32 edx, u32 ecx)
{
	switch (nr) {
	case VMI_CALL_GetInterruptMask:
		asm volatile("pushf; pop %0" : "=r" (eax));
		return eax & EFLAGS_IF;
	case VMI_CALL_INL:
		return inl((u16)edx);
	case VMI_CALL_APICWrite:
		*(volatile u32 *)(WINDOW_LAPIC + (eax & 0xfff)) = edx;
		return 0;
	case VMI_CALL_APICRead:
		return *(volatile u32 *)(WINDOW_LAPIC + (eax & 0xfff));
	default:
		return system_register(nr, eax, edx, ecx);
	}
}

/* As vmi5(). */
u64 native_call(enum vmi_call nr, u32 eax, u32 edx, u32 ecx, u32 arg4)
{
	if ((nr >= VMI_CALL_SetCR0 && nr <= VMI_CALL_GetCR4 && nr != VMI_CALL_SetCR4) ||
	    nr == VMI_CALL_CLTS)
		return control_register(nr, eax);
	switch (nr) {
	case VMI_CALL_WriteGDTEntry:
	case VMI_CALL_WriteLDTEntry:
	case VMI_CALL_WriteIDTEntry:
		store(eax + edx * 8, ecx, arg4);
		return 0;
	case VMI_CALL_SetPxE:
		*(volatile u32 *)edx = eax;
		return 0;
	case VMI_CALL_SetPxELong:
		store(ecx, eax, edx);
		return 0;
	case VMI_CALL_InvalPage:
		asm volatile("invlpg (%0)" : : "r" (eax) : "memory");
		return 0;
	case VMI_CALL_FlushTLB:
		flush();
		return 0;
	default:
		return other_call(nr, eax, edx, ecx);
	}
}
