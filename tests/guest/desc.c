// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 3 to 13: GDT, LDT, IDT, TR.
 *
 * Owns: what a table or an entry does once it is set.
 * Not here: raw LGDT and the like (`raw.c`).
 * Runs: IF=0. The image of a table in memory may be rewritten by the ROM, so
 * that only effects are compared: a load, an interrupt, a limit.
 * Fails: a text per row.
 */
#include "guest.h"

const u32 fs_word[2] = { 0xf5f5f5f5, 0xf6f6f6f6 };
u32 ldt[4];

static u32 fs_read(void)
{
	u32 v;

	asm volatile("movl %%fs:0, %0" : "=r" (v));
	return v;
}

/* What GS reads through a selector; a fault gives 0. */
static u32 gs_selector, gs_value;

static void do_gs(void)
{
	asm volatile("mov %1, %%gs\n\tmovl %%gs:0, %0" : "=r" (gs_value) : "r" (gs_selector));
}

static u32 gs_read(u32 selector)
{
	gs_selector = selector;
	gs_value = 0;
	if (fault_try(do_gs))
		gs_value = 0;
	asm volatile("mov %0, %%gs" : : "r" (0));
	return gs_value;
}

static void data_descriptor(u32 *d, const u32 *base)
{
	d[0] = (u32)base << 16 | 0xffff;
	d[1] = ((u32)base & 0xff000000) | ((u32)base >> 16 & 0xff) | 0x40f200;
}

static const char *t_gdt(void)
{
	static u32 copy[GDT_ENTRIES][2];
	struct desc_ptr p, seen, back;
	u32 i, moved;

	for (i = 0; i < GDT_ENTRIES; i++) {
		copy[i][0] = gdt[i][0];
		copy[i][1] = gdt[i][1];
	}
	copy[SEL_FS / 8][0] = (u32)&fs_word[1] << 16 | 0xffff;
	p = (struct desc_ptr){ sizeof(copy) - 1, (u32)copy };
	back = (struct desc_ptr){ GDT_ENTRIES * 8 - 1, (u32)gdt };
	args((u32)&p, 0, 0);
	CALL_ONCE(VMI_CALL_SetGDT, R_NONE);	/* a second would load FS first */
	moved = fs_read();
	if (!ring) {
		asm volatile("sgdt %0" : "=m" (seen));
		CHECK(seen.base == p.base && seen.limit == p.limit, "not loaded");
	}
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
	u32 seen = SEL_LDT;

	data_descriptor(&ldt[2], fs_word);
	args(SEL_LDT, 0, 0);
	CALL(VMI_CALL_SetLDT, R_NONE);
	if (!ring)
		asm volatile("sldt %w0" : "+r" (seen));
	CHECK(seen == SEL_LDT, "not loaded");
	CHECK(gs_read(8 | 7) == fs_word[0], "an entry does not work");
	CHECK(gs_read(16 | 7) == 0 && fault.vector == 13, "beyond the limit");
	args(0xffffffff, 0, 0);
	CALL(VMI_CALL_GetLDT, R_EAX);
	CHECK((out.eax & 0xffff) == SEL_LDT, "GetLDT differs");
	args(0, 0, 0);
	CALL(VMI_CALL_SetLDT, R_NONE);
	args(0, 0, 0);
	CALL(VMI_CALL_GetLDT, R_EAX);
	CHECK((out.eax & 0xffff) == 0, "null selector not loaded");
	CHECK(gs_read(8 | 7) == 0 && fault.vector == 13, "works without an LDT");
	return NULL;
}

extern volatile u32 test_hits, other_hits;
extern const char int_test[], int_other[];

static void gate(u32 *d, const void *code, u32 dpl)
{
	d[0] = SEL_CODE << 16 | ((u32)code & 0xffff);
	d[1] = ((u32)code & 0xffff0000) | 0x8e00 | dpl << 13;
}

static void do_int(void)
{
	asm volatile("int %0" : : "i" (VECTOR_TEST) : "memory");
}

/* Which handler an INT reaches: 1, 2, or 0 for a fault. */
static u32 int_reaches(void)
{
	u32 test = test_hits, other = other_hits;

	if (fault_try(do_int))
		return 0;
	return test_hits == test + 1 ? 1 : other_hits == other + 1 ? 2 : 0;
}

static const char *t_idt(void)
{
	static u32 copy[256][2];
	struct desc_ptr p = { 255 * 8 - 1, (u32)copy }, seen = { 0, 0 };
	struct desc_ptr back = { 256 * 8 - 1, (u32)idt };
	u32 i, reached;

	for (i = 0; i < 256; i++) {
		copy[i][0] = idt[i][0];
		copy[i][1] = idt[i][1];
	}
	gate(copy[VECTOR_TEST], int_other, 3);
	args((u32)&p, 0, 0);
	CALL(VMI_CALL_SetIDT, R_NONE);
	reached = int_reaches();
	args((u32)&seen, 0, 0);
	CALL(VMI_CALL_GetIDT, R_NONE);
	CHECK(seen.base == p.base && seen.limit == p.limit, "GetIDT differs");
	if (!ring) {
		asm volatile("sidt %0" : "=m" (seen));
		CHECK(seen.base == p.base && seen.limit == p.limit, "not loaded");
	}
	args((u32)&back, 0, 0);
	CALL(VMI_CALL_SetIDT, R_NONE);
	CHECK(reached == 2, "a gate of it does not work");
	CHECK(int_reaches() == 0 && fault.vector == 13 &&
	      fault.error == VECTOR_TEST * 8 + 2, "the old table still works");
	return NULL;
}

static const char *t_tr(void)
{
	u32 seen = SEL_TSS;

	if (rom_calls[VMI_CALL_SetTR].reloc.type == VMI_RELOC_NONE)
		asm volatile("ltr %w0" : : "r" (SEL_TSS));	/* for the others */
	args(SEL_TSS, 0, 0);
	CALL_ONCE(VMI_CALL_SetTR, R_NONE);	/* busy afterwards */
	if (!ring)
		asm volatile("str %w0" : "+r" (seen));
	CHECK(seen == SEL_TSS, "not loaded");
	args(0xffffffff, 0, 0);
	CALL(VMI_CALL_GetTR, R_EAX);
	CHECK((out.eax & 0xffff) == SEL_TSS, "GetTR differs");
	return NULL;
}

/* A table that is not loaded: stored, and no more. */
static const char *write_entry(enum vmi_call nr)
{
	u32 table[8] = { 0 }, i;

	args((u32)table, 2, 0x11223344);
	in.arg4 = 0x55667788;
	CALL(nr, R_NONE);
	CHECK(table[4] == 0x11223344, "low half");
	CHECK(table[5] == 0x55667788, "high half");
	for (i = 0; i < 8; i++)
		CHECK(table[i] == 0 || i == 4 || i == 5, "wrote beside it");
	return NULL;
}

static const char *t_write_gdt(void)
{
	const char *why = write_entry(VMI_CALL_WriteGDTEntry);
	u32 d[2];

	CHECK(!why, why);
	data_descriptor(d, fs_word);
	args((u32)gdt, SEL_TEST / 8, d[0]);
	in.arg4 = d[1];
	CALL(VMI_CALL_WriteGDTEntry, R_NONE);
	CHECK(gs_read(SEL_TEST) == fs_word[0], "the new entry does not work");
	data_descriptor(d, &fs_word[1]);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, d[0], d[1], 0);
	CHECK(gs_read(SEL_TEST) == fs_word[1], "the changed entry does not work");
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, 0, 0, 0);
	CHECK(gs_read(SEL_TEST) == 0 && fault.vector == 13 &&
	      (fault.error & ~7u) == SEL_TEST, "the cleared entry still works");
	return NULL;
}

static const char *t_write_ldt(void)
{
	const char *why = write_entry(VMI_CALL_WriteLDTEntry);
	u32 d[2];

	CHECK(!why, why);
	vmi(VMI_CALL_SetLDT, SEL_LDT, 0, 0);
	data_descriptor(d, &fs_word[1]);
	args((u32)ldt, 1, d[0]);
	in.arg4 = d[1];
	CALL(VMI_CALL_WriteLDTEntry, R_NONE);
	CHECK(gs_read(8 | 7) == fs_word[1], "the changed entry does not work");
	vmi5(VMI_CALL_WriteLDTEntry, (u32)ldt, 1, 0, 0, 0);
	CHECK(gs_read(8 | 7) == 0 && fault.vector == 13 && (fault.error & ~3u) == 12,
	      "the cleared entry still works");
	vmi(VMI_CALL_SetLDT, 0, 0, 0);
	return NULL;
}

static const char *t_write_idt(void)
{
	const char *why = write_entry(VMI_CALL_WriteIDTEntry);
	u32 d[2];

	CHECK(!why, why);
	gate(d, int_test, 3);
	args((u32)idt, VECTOR_TEST, d[0]);
	in.arg4 = d[1];
	CALL(VMI_CALL_WriteIDTEntry, R_NONE);
	CHECK(int_reaches() == 1, "the new gate does not work");
	gate(d, int_other, 3);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_TEST, d[0], d[1], 0);
	CHECK(int_reaches() == 2, "the changed gate does not work");
	gate(d, int_test, 0);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_TEST, d[0], d[1], 0);
	CHECK(int_reaches() == 1, "a gate that is the kernel's does not serve the kernel");
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_TEST, 0, 0, 0);
	CHECK(int_reaches() == 0, "the cleared gate still works");
	return NULL;
}

/* A guest may write its ring, or none, where the ROM has to have another. */
static const char *t_rings(void)
{
	u32 d[2];

	gate(d, int_test, 3);
	d[0] |= ring << 16;
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_TEST, d[0], d[1], 0);
	CHECK(int_reaches() == 1, "a gate with the kernel's ring in its selector");
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_TEST, 0, 0, 0);
	data_descriptor(d, fs_word);
	d[1] &= ~0x6000u;
	d[1] |= ring << 13;
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, d[0], d[1], 0);
	CHECK(gs_read(SEL_TEST) == fs_word[0], "a segment of the kernel's ring");
	CHECK(gs_read(SEL_TEST | ring) == fs_word[0], "the same, selector with ring");
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, 0, 0, 0);
	return NULL;
}

static const struct test tests[] = {
	{ "3 SetGDT, 7 GetGDT", t_gdt },
	{ "4 SetLDT, 8 GetLDT", t_ldt },
	{ "5 SetIDT, 9 GetIDT", t_idt },
	{ "6 SetTR, 10 GetTR", t_tr },
	{ "11 WriteGDTEntry", t_write_gdt },
	{ "12 WriteLDTEntry", t_write_ldt },
	{ "13 WriteIDTEntry", t_write_idt },
	{ "11, 13: with the kernel's ring in them", t_rings },
};

const struct test_group desc_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
