// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 0 to 10 and 14 to 28.
 *
 * Owns: effects on CPU state, compared with the instruction's.
 * Not here: clobbers (`call.c` judges them in every call).
 * Runs: IF=0.
 * Fails: a text per row.
 */
#include "guest.h"

#define MSR_SYSENTER_CS	0x174
#define CR0_TS		0x08
#define CR4_DE		0x08

static void cpuid(u32 leaf, u32 *r)
{
	asm volatile("cpuid" : "=a" (r[0]), "=b" (r[1]), "=c" (r[2]), "=d" (r[3])
		     : "0" (leaf), "2" (0));
}

static const char *t_cpuid(void)
{
	u32 leaf, r[4];

	for (leaf = 0; leaf < 2; leaf++) {
		cpuid(leaf, r);
		args(leaf, 0xffffffff, 0);
		CALL(VMI_CALL_CPUID, R_EAX | R_EBX | R_ECX | R_EDX);
		CHECK(out.eax == r[0] && out.ebx == r[1] && out.ecx == r[2] &&
		      out.edx == r[3], "differs from the instruction");
	}
	return NULL;
}

static const char *t_msr(void)
{
	u32 low, high;

	args(0x5a5a, 0, MSR_SYSENTER_CS);
	CALL(VMI_CALL_WRMSR, R_NONE);
	asm volatile("rdmsr" : "=a" (low), "=d" (high) : "c" (MSR_SYSENTER_CS));
	CHECK(low == 0x5a5a && high == 0, "WRMSR did not write");
	args(1, 2, MSR_SYSENTER_CS);
	CALL(VMI_CALL_RDMSR, R_EAX | R_EDX);
	CHECK(out.eax == 0x5a5a && out.edx == 0, "RDMSR did not read");
	return NULL;
}

extern u32 fs_word[2];
static u32 gdt_copy[9][2];

static u32 fs_read(void)
{
	u32 v;

	asm volatile("movl %%fs:0, %0" : "=r" (v));
	return v;
}

static const char *t_gdt(void)
{
	struct desc_ptr p, seen, back;
	u32 i, moved, base = (u32)&fs_word[1];

	for (i = 0; i < 9; i++) {
		gdt_copy[i][0] = gdt[i][0];
		gdt_copy[i][1] = gdt[i][1];
	}
	gdt_copy[SEL_FS / 8][0] = base << 16 | 0xffff;
	p = (struct desc_ptr){ sizeof(gdt_copy) - 1, (u32)gdt_copy };
	asm volatile("sgdt %0" : "=m" (back));
	args((u32)&p, 0, 0);
	CALL_ONCE(VMI_CALL_SetGDT, R_NONE);	/* a second would load FS first */
	moved = fs_read();
	asm volatile("sgdt %0" : "=m" (seen));
	CHECK(seen.base == p.base && seen.limit == p.limit, "not loaded");
	CHECK(moved == fs_word[1], "segment registers were not reloaded");
	seen.base = 0;
	args((u32)&seen, 0, 0);
	CALL(VMI_CALL_GetGDT, R_NONE);
	CHECK(seen.base == p.base && seen.limit == p.limit, "GetGDT differs");
	args((u32)&back, 0, 0);
	CALL_ONCE(VMI_CALL_SetGDT, R_NONE);
	CHECK(fs_read() == fs_word[0], "second load did not reload");
	return NULL;
}

static const char *t_ldt(void)
{
	u32 seen = 0;

	args(SEL_LDT, 0, 0);
	CALL(VMI_CALL_SetLDT, R_NONE);
	asm volatile("sldt %w0" : "+r" (seen));
	CHECK(seen == SEL_LDT, "not loaded");
	args(0xffffffff, 0, 0);
	CALL(VMI_CALL_GetLDT, R_EAX);
	CHECK(out.eax == SEL_LDT, "GetLDT differs");
	args(0, 0, 0);
	CALL(VMI_CALL_SetLDT, R_NONE);
	CALL(VMI_CALL_GetLDT, R_EAX);
	CHECK(out.eax == 0, "null selector not loaded");
	return NULL;
}

static const char *t_idt(void)
{
	struct desc_ptr p = { 255 * 8 - 1, (u32)idt }, seen = { 0, 0 };

	args((u32)&p, 0, 0);
	CALL(VMI_CALL_SetIDT, R_NONE);
	args((u32)&seen, 0, 0);
	CALL(VMI_CALL_GetIDT, R_NONE);
	CHECK(seen.base == p.base && seen.limit == p.limit, "GetIDT differs");
	asm volatile("sidt %0" : "=m" (seen));
	CHECK(seen.base == p.base && seen.limit == p.limit, "not loaded");
	return NULL;
}

static const char *t_tr(void)
{
	u32 seen = 0;

	args(SEL_TSS, 0, 0);
	CALL_ONCE(VMI_CALL_SetTR, R_NONE);	/* busy afterwards */
	asm volatile("str %w0" : "+r" (seen));
	CHECK(seen == SEL_TSS, "not loaded");
	args(0xffffffff, 0, 0);
	CALL(VMI_CALL_GetTR, R_EAX);
	CHECK(out.eax == SEL_TSS, "GetTR differs");
	return NULL;
}

static const char *t_kernel_stack(void)
{
	u32 fake[26] = { 0 }, before = tss[1];

	args((u32)fake, 0xc0ffee00, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	CHECK(fake[1] == 0xc0ffee00, "TSS form: esp0 not stored");
	args(SEL_DATA, 0xc0ffee00, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	CHECK(tss[1] == before, "selector form touched the TSS");
	return NULL;
}

static const char *t_cr0(void)
{
	u32 cr0 = READ_REG(cr0);

	args(cr0 | CR0_TS, 0, 0);
	CALL(VMI_CALL_SetCR0, R_NONE);
	CHECK(READ_REG(cr0) == (cr0 | CR0_TS), "SetCR0 did not write");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR0, R_EAX);
	CHECK(out.eax == (cr0 | CR0_TS), "GetCR0 differs");
	CALL(VMI_CALL_CLTS, R_NONE);
	CHECK(READ_REG(cr0) == (cr0 & ~CR0_TS), "CLTS did not clear TS");
	return NULL;
}

static const char *t_cr2(void)
{
	args(0xbadcafe, 0, 0);
	CALL(VMI_CALL_SetCR2, R_NONE);
	CHECK(READ_REG(cr2) == 0xbadcafe, "SetCR2 did not write");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR2, R_EAX);
	CHECK(out.eax == 0xbadcafe, "GetCR2 differs");
	return NULL;
}

static const char *t_cr4(void)
{
	u32 cr4 = READ_REG(cr4);

	args(cr4 ^ CR4_DE, 0, 0);
	CALL(VMI_CALL_SetCR4, R_NONE);
	CHECK(READ_REG(cr4) == (cr4 ^ CR4_DE), "SetCR4 did not write");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR4, R_EAX);
	CHECK(out.eax == (cr4 ^ CR4_DE), "GetCR4 differs");
	WRITE_REG(cr4, cr4);
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

static void native_rdpmc(void)
{
	asm volatile("rdpmc" : : "c" (0) : "eax", "edx");
}

static void call_rdpmc(void)
{
	guest_invoke();
}

/* Not every processor has the counter: then both must fault alike. */
static const char *t_rdpmc(void)
{
	int native = fault_try(native_rdpmc);
	u32 vector = fault.vector;

	args(0, 0, 0);
	if (!native) {
		CALL(VMI_CALL_RDPMC, R_EAX | R_EDX);
		return NULL;
	}
	CHECK(rom_calls[VMI_CALL_RDPMC].reloc.type == VMI_RELOC_CALL_REL,
	      "not answered CALL");
	invoke_target = rom_calls[VMI_CALL_RDPMC].reloc.eip;
	rom_calls[VMI_CALL_RDPMC].calls++;
	CHECK(fault_try(call_rdpmc), "no fault, but the instruction has one");
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
	{ "3 SetGDT, 7 GetGDT", t_gdt },
	{ "4 SetLDT, 8 GetLDT", t_ldt },
	{ "5 SetIDT, 9 GetIDT", t_idt },
	{ "6 SetTR, 10 GetTR", t_tr },
	{ "14 UpdateKernelStack", t_kernel_stack },
	{ "15 SetCR0, 19 GetCR0, 28 CLTS", t_cr0 },
	{ "16 SetCR2, 20 GetCR2", t_cr2 },
	{ "18 SetCR4, 22 GetCR4", t_cr4 },
	{ "23 WBINVD", t_wbinvd },
	{ "24 SetDR, 25 GetDR", t_dr },
	{ "26 RDPMC", t_rdpmc },
	{ "27 RDTSC", t_rdtsc },
};

const struct test_group cpu_tests = { tests, ARRAY_SIZE(tests) };
