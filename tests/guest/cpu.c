// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 0 to 2 and 15 to 28.
 *
 * Owns: effects on control, debug and model-specific registers and the FPU.
 * Not here: clobbers (`call.c` judges them in every call); tables (`desc.c`).
 * Runs: IF=0. In ring 0 the register itself tells, in an outer ring the other
 * call and what the processor does.
 * Fails: a text per row.
 */
#include "guest.h"

#define MSR_SYSENTER_CS	0x174
#define CR0_TS		0x08
#define CR0_EM		0x04
#define CR4_DE		0x08
#define HYPERVISOR	(1u << 31)	/* leaf 1, ECX */

static void cpuid(u32 leaf, u32 *r)
{
	asm volatile("cpuid" : "=a" (r[0]), "=b" (r[1]), "=c" (r[2]), "=d" (r[3])
		     : "0" (leaf), "2" (0));
}

/* An outer ring loses features, and only those. */
static const char *t_cpuid(void)
{
	u32 leaf, r[4], all = R_EAX | R_EBX | R_ECX | R_EDX;

	for (leaf = 0; leaf < 2; leaf++) {
		cpuid(leaf, r);
		args(leaf, 0xffffffff, 0);
		CALL(VMI_CALL_CPUID, all);
		CHECK(out.eax == r[0] && out.ebx == r[1], "EAX or EBX differ");
		if (!ring || leaf == 0)
			CHECK(out.ecx == r[2] && out.edx == r[3], "ECX or EDX differ");
		else
			CHECK(!(out.ecx & ~(r[2] | HYPERVISOR)) && !(out.edx & ~r[3]),
			      "a feature that the processor does not have");
	}
	return NULL;
}

static const char *t_msr(void)
{
	u32 low = 0x5a5a, high = 0;

	args(0x5a5a, 0, MSR_SYSENTER_CS);
	CALL(VMI_CALL_WRMSR, R_NONE);
	if (!ring)
		asm volatile("rdmsr" : "=a" (low), "=d" (high) : "c" (MSR_SYSENTER_CS));
	CHECK(low == 0x5a5a && high == 0, "WRMSR did not write");
	args(1, 2, MSR_SYSENTER_CS);
	CALL(VMI_CALL_RDMSR, R_EAX | R_EDX);
	CHECK(out.eax == 0x5a5a && out.edx == 0, "RDMSR did not read");
	return NULL;
}

#define MSR_NONE	0x7fff0000

static void call_rdmsr(void)
{
	vmi(VMI_CALL_RDMSR, 0, 0, MSR_NONE);
}

static void native_rdmsr(void)
{
	asm volatile("rdmsr" : : "c" (MSR_NONE) : "eax", "edx");
}

/* Emulators answer unknown numbers with 0: then an outer ring may do so. */
static const char *t_msr_bad(void)
{
	int native;

	if (ring) {
		if (fault_try(call_rdmsr))
			CHECK(fault.vector == 13 && fault.error == 0, "another fault");
		return NULL;
	}
	native = fault_try(native_rdmsr);
	CHECK(fault_try(call_rdmsr) == native, "a fault of one, not of the other");
	if (native)
		CHECK(fault.vector == 13 && in_rom(fault.eip), "another fault");
	return NULL;
}

static void use_fpu(void)
{
	asm volatile("fnop");
}

static const char *t_cr0(void)
{
	u32 cr0 = cr_read(0);

	CHECK(!(cr0 & (CR0_TS | CR0_EM)), "TS or EM is set");
	CHECK(!fault_try(use_fpu), "the FPU faults");
	args(cr0 | CR0_TS, 0, 0);
	CALL(VMI_CALL_SetCR0, R_NONE);
	CHECK(cr_read(0) == (cr0 | CR0_TS), "SetCR0 did not write");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR0, R_EAX);
	CHECK(out.eax == (cr0 | CR0_TS), "GetCR0 differs");
	CHECK(fault_try(use_fpu) && fault.vector == 7, "no #NM though TS is set");
	args(0, 0, 0);
	CALL(VMI_CALL_CLTS, R_NONE);
	CHECK(cr_read(0) == (cr0 & ~CR0_TS), "CLTS did not clear TS");
	CHECK(!fault_try(use_fpu), "the FPU faults after CLTS");
	return NULL;
}

static const char *t_cr2(void)
{
	args(0xbadcafe, 0, 0);
	CALL(VMI_CALL_SetCR2, R_NONE);
	CHECK(cr_read(2) == 0xbadcafe, "SetCR2 did not write");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR2, R_EAX);
	CHECK(out.eax == 0xbadcafe, "GetCR2 differs");
	CHECK(touch(0x40001234) && fault.vector == 14, "no page fault");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR2, R_EAX);
	CHECK(out.eax == 0x40001234 && fault.cr2 == 0x40001234, "CR2 of a page fault");
	return NULL;
}

static const char *t_cr4(void)
{
	u32 cr4 = cr_read(4);

	args(cr4 ^ CR4_DE, 0, 0);
	CALL(VMI_CALL_SetCR4, R_NONE);
	CHECK(cr_read(4) == (cr4 ^ CR4_DE), "SetCR4 did not write");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR4, R_EAX);
	CHECK(out.eax == (cr4 ^ CR4_DE), "GetCR4 differs");
	args(cr4, 0, 0);
	CALL(VMI_CALL_SetCR4, R_NONE);
	CHECK(cr_read(4) == cr4, "SetCR4 did not restore");
	return NULL;
}

static const char *t_wbinvd(void)
{
	args(0, 0, 0);
	CALL(VMI_CALL_WBINVD, R_NONE);
	return NULL;
}

static u32 dr_read(u32 nr)
{
	if (ring)
		return (u32)vmi(VMI_CALL_GetDR, nr, 0, 0);
	switch (nr) {
	case 0: return READ_REG(db0);
	case 1: return READ_REG(db1);
	case 2: return READ_REG(db2);
	case 3: return READ_REG(db3);
	case 6: return READ_REG(db6);
	default: return READ_REG(db7);
	}
}

static const char *t_dr(void)
{
	static const u32 numbers[] = { 0, 1, 2, 3, 6, 7 };
	u32 i, nr, value;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		nr = numbers[i];
		value = nr < 4 ? 0xd0100000 + nr * 64 : nr == 6 ? 0xffff0ff0 : 0x400;
		args(nr, value, 0);
		CALL(VMI_CALL_SetDR, R_NONE);
		CHECK(dr_read(nr) == value, "SetDR did not write");
		args(nr, 0, 0);
		CALL(VMI_CALL_GetDR, R_EAX);
		CHECK(out.eax == value, "GetDR differs");
	}
	args(8, 1, 0);
	CALL(VMI_CALL_SetDR, R_NONE);
	args(8, 0, 0);
	CALL(VMI_CALL_GetDR, R_EAX);
	CHECK(out.eax == 0, "a register that does not exist");
	return NULL;
}

static u32 watched;

static void write_watched(void)
{
	*(volatile u32 *)&watched = 1;
}

/* A watch on 4 bytes, written by the kernel: DR7 L0, RW0 = 1, LEN0 = 3. */
static const char *t_watch(void)
{
	int hit;

	vmi(VMI_CALL_SetDR, 6, 0xffff0ff0, 0);
	vmi(VMI_CALL_SetDR, 0, (u32)&watched, 0);
	vmi(VMI_CALL_SetDR, 7, 0xd0401, 0);
	hit = fault_try(write_watched);
	vmi(VMI_CALL_SetDR, 7, 0x400, 0);
	CHECK(hit && fault.vector == 1, "no #DB");
	CHECK((u32)vmi(VMI_CALL_GetDR, 6, 0, 0) & 1, "DR6 does not say which");
	CHECK(!fault_try(write_watched), "#DB though DR7 is clear");
	vmi(VMI_CALL_SetDR, 6, 0xffff0ff0, 0);
	return NULL;
}

static void native_rdpmc(void)
{
	asm volatile("rdpmc" : : "c" (0) : "eax", "edx");
}

/* Not every processor has the counter: then both must fault alike. */
static const char *t_rdpmc(void)
{
	int native = fault_try(native_rdpmc);
	u32 vector = fault.vector;

	args(0, 0, 0);
	if (rom_calls[VMI_CALL_RDPMC].reloc.type == VMI_RELOC_NONE)
		return "# SKIP not answered";
	if (ring || !native) {		/* an outer ring has no counter of its own */
		CALL(VMI_CALL_RDPMC, R_EAX | R_EDX);
		return NULL;
	}
	CHECK(rom_calls[VMI_CALL_RDPMC].reloc.type == VMI_RELOC_CALL_REL,
	      "not answered CALL");
	invoke_target = rom_calls[VMI_CALL_RDPMC].reloc.eip;
	rom_calls[VMI_CALL_RDPMC].calls++;
	CHECK(fault_try(guest_invoke), "no fault, but the instruction has one");
	CHECK(fault.vector == vector && in_rom(fault.eip), "a different fault");
	return NULL;
}

static const char *t_rdtsc(void)
{
	u64 before = rdtsc(), value;

	args(0, 0, 0);
	CALL(VMI_CALL_RDTSC, R_EAX | R_EDX);
	value = (u64)out.edx << 32 | out.eax;
	CHECK(value > before && value < rdtsc(), "not between two readings");
	return NULL;
}

static const struct test tests[] = {
	{ "0 CPUID", t_cpuid },
	{ "1 WRMSR, 2 RDMSR", t_msr },
	{ "2 RDMSR of what there is not", t_msr_bad },
	{ "15 SetCR0, 19 GetCR0, 28 CLTS", t_cr0 },
	{ "16 SetCR2, 20 GetCR2", t_cr2 },
	{ "18 SetCR4, 22 GetCR4", t_cr4 },
	{ "23 WBINVD", t_wbinvd },
	{ "24 SetDR, 25 GetDR", t_dr },
	{ "24 SetDR: a watch on memory", t_watch },
	{ "26 RDPMC", t_rdpmc },
	{ "27 RDTSC", t_rdtsc },
};

const struct test_group cpu_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
