// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 17, 21, 38 to 48 and 73.
 *
 * Owns: what lands in tables, and what a flush makes visible.
 * Not here: what historical guests do beyond that (`direct.c`, `root.c`, ...).
 * Runs: with 32-bit or PAE tables, by the command line.
 * Fails: a text per row.
 */
#include "guest.h"

#define LOWMEM_PAGES	(64 << 8)

static u32 page_a[1024] WHOLE_PAGE;
static u32 page_b[1024] WHOLE_PAGE;

static u64 entry_for(const u32 *page, u32 flags)
{
	return pa(page) | PTE_P | PTE_RW | flags;
}

#define TEST_FLAGS	(VMI_PAGE_PT | VMI_PTE_CURRENT_AS | WINDOW_TEST)

static u32 seen(void)
{
	return *(volatile u32 *)WINDOW_TEST;
}

/* Maps page A, reads through it, then changes the entry without a flush. */
static void stale(u32 flags)
{
	page_a[0] = 0xaaaa;
	page_b[0] = 0xbbbb;
	map(WINDOW_TEST, entry_for(page_a, flags));
	(void)seen();
	entry_set(window_entry(WINDOW_TEST), entry_for(page_b, flags),
		  TEST_FLAGS | VMI_PTE_DEFER);
}

static const char *t_cr3(void)
{
	u32 cr3 = cr_read(3);

	CHECK(cr3 == (pae ? pa(pdpt) : pa(page_dir)), "not what was loaded before Init");
	stale(0);
	args(cr3, 0, 0);
	CALL(VMI_CALL_SetCR3, R_NONE);
	CHECK(seen() == 0xbbbb, "SetCR3 did not flush");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCR3, R_EAX);
	CHECK(out.eax == cr3, "GetCR3 differs");
	return NULL;
}

static const char *t_set_pxe(void)
{
	u32 words[3] = { 1, 2, 3 };

	args(0x12345067, (u32)&words[1], VMI_PAGE_PT);
	CALL(VMI_CALL_SetPxE, R_NONE);
	CHECK(words[1] == 0x12345067, "not stored");
	CHECK(words[0] == 1 && words[2] == 3, "wrote beside it");
	return NULL;
}

/* Not present, to present, to another present one, and back. */
static const char *t_set_pxe_long(void)
{
	static const u32 values[][2] = {
		{ 0x12345067, 0x1 }, { 0x89abc063, 0x80000002 },
		{ 0x00000000, 0x0 }, { 0xfffff062, 0x3 }, { 0x1, 0x0 },
	};
	u32 words[4] __attribute__((aligned(8))) = { 1, 0, 0, 4 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		args(values[i][0], values[i][1], (u32)&words[1]);
		in.arg4 = VMI_PAGE_PT;
		CALL_ONCE(VMI_CALL_SetPxELong, R_NONE);
		CHECK(words[1] == values[i][0], "low half");
		CHECK(words[2] == values[i][1], "high half");
		CHECK(words[0] == 1 && words[3] == 4, "wrote beside it");
	}
	return NULL;
}

static const char *t_map(void)
{
	u64 e = entry_for(page_a, 0);

	page_a[0] = 0xaaaa;
	map(WINDOW_TEST, 0);
	CHECK(touch(WINDOW_TEST) && fault.vector == 14 && fault.error == 0 &&
	      fault.cr2 == WINDOW_TEST, "no fault where nothing is mapped");
	if (pae) {
		args((u32)e, 0, (u32)window_entry(WINDOW_TEST));
		in.arg4 = TEST_FLAGS;
		CALL(VMI_CALL_SetPxELong, R_NONE);
	} else {
		args((u32)e, (u32)window_entry(WINDOW_TEST), TEST_FLAGS);
		CALL(VMI_CALL_SetPxE, R_NONE);
	}
	CHECK(!touch(WINDOW_TEST) && touched == 0xaaaa, "the new mapping is not seen");
	map(WINDOW_TEST, 0);
	CHECK(touch(WINDOW_TEST), "the removed mapping is still seen");
	return NULL;
}

/* The processor's bits come back into the guest's table. */
static const char *t_accessed(void)
{
	volatile u32 *e = window_entry(WINDOW_TEST);

	map(WINDOW_TEST, entry_for(page_a, 0));
	CHECK(!(*e & (PTE_A | PTE_D)), "set without an access");
	(void)seen();
	CHECK((*e & (PTE_A | PTE_D)) == PTE_A, "after a read");
	touch_write(WINDOW_TEST, 1);
	CHECK((*e & (PTE_A | PTE_D)) == (PTE_A | PTE_D), "after a write");
	CHECK(*dir_entry(WINDOW_TEST) & PTE_A, "of the directory");
	map(WINDOW_TEST, entry_for(page_a, PTE_A));
	touch_write(WINDOW_TEST, 2);
	CHECK(*e & PTE_D, "cleared, and written again");
	CHECK(page_a[0] == 2, "the write did not arrive");
	return NULL;
}

static const char *t_read_only(void)
{
	page_a[0] = 0xaaaa;
	map(WINDOW_TEST, pa(page_a) | PTE_P);
	CHECK(!touch(WINDOW_TEST) && touched == 0xaaaa, "a read faults");
	CHECK(touch_write(WINDOW_TEST, 1), "a write does not fault");
	CHECK(fault.vector == 14 && fault.error == 3 && fault.cr2 == WINDOW_TEST,
	      "another fault");
	map(WINDOW_TEST, entry_for(page_a, 0));
	CHECK(!touch_write(WINDOW_TEST, 1) && page_a[0] == 1, "still read-only");
	map(WINDOW_TEST, pa(page_a) | PTE_P | PTE_A | PTE_D);
	CHECK(touch_write(WINDOW_TEST, 2) && page_a[0] == 1, "read-only again, but written");
	return NULL;
}

static const char *t_inval(void)
{
	stale(PTE_G);
	args(WINDOW_TEST, 0, 0);
	CALL(VMI_CALL_InvalPage, R_NONE);
	CHECK(seen() == 0xbbbb, "did not invalidate");
	return NULL;
}

static const char *t_flush(void)
{
	u32 cr4 = cr_read(4);

	stale(0);
	args(VMI_FLUSH_TLB, 0, 0);
	CALL(VMI_CALL_FlushTLB, R_NONE);
	CHECK(seen() == 0xbbbb, "did not flush");
	stale(PTE_G);
	args(VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL, 0, 0);
	in.eflags |= EFLAGS_IF;
	CALL(VMI_CALL_FlushTLB, R_NONE);
	CHECK(seen() == 0xbbbb, "did not flush a global entry");
	CHECK(cr_read(4) == cr4, "CR4 changed");
	return NULL;
}

static const char *t_update(void)
{
	enum vmi_call nr = pae ? VMI_CALL_UpdatePxELong : VMI_CALL_UpdatePxE;
	u32 *e = window_entry(WINDOW_TEST);
	u64 before;

	stale(0);
	entry_write(e, entry_for(page_a, 0));
	before = entry_get(e);
	page_a[0] = 0xacac;
	args((u32)e, TEST_FLAGS, 0);
	CALL(nr, R_NONE);
	CHECK(entry_get(e) == before, "changed the entry");
	args(WINDOW_TEST, 0, 0);
	CALL(VMI_CALL_InvalPage, R_NONE);
	CHECK(seen() == 0xacac, "the guest's own store is not seen");
	args((u32)e, VMI_PAGE_PT, 0);
	CALL(pae ? VMI_CALL_UpdatePxE : VMI_CALL_UpdatePxELong, R_NONE);
	return NULL;
}

static void run_window(void)
{
	((void (*)(void))WINDOW_TEST)();
}

#define RET		0xc3
#define PTE_NX		(1ull << 63)

/* Code in a page: with PAE and NX, if the processor has it, and without. */
static const char *t_execute(void)
{
	page_a[0] = RET;
	map(WINDOW_TEST, entry_for(page_a, 0));
	CHECK(!fault_try(run_window), "code faults");
	if (!has_nx())
		return NULL;
	map(WINDOW_TEST, entry_for(page_a, 0) | PTE_NX);
	CHECK(fault_try(run_window) && fault.vector == 14 && fault.error == 0x11,
	      "no #PF(11) with NX");
	CHECK(!touch(WINDOW_TEST), "a read faults with NX");
	CHECK(fault_try(run_window), "no fault after a read");
	map(WINDOW_TEST, entry_for(page_a, 0));
	CHECK(!fault_try(run_window), "faults without NX");
	return NULL;
}

static const char *t_translate(void)
{
	args(0x1234567, 0, 0);
	CALL(VMI_CALL_MachineToPhysical, R_EAX);
	CHECK(out.eax == 0x1234567, "42 is not the identity");
	CALL(VMI_CALL_PhysicalToMachine, R_EAX);
	CHECK(out.eax == 0x1234567, "43 is not the identity");
	return NULL;
}

static const char *t_pages(void)
{
	u32 pfn = pa(page_b) >> 12;

	page_b[7] = 0x777;
	args(pfn, VMI_PAGE_PD | VMI_PAGE_CLONE | VMI_PAGE_ZEROED, pfn);
	in.arg4 = 832;
	in.arg5 = 192;
	CALL(VMI_CALL_AllocatePage, R_NONE);
	args(pfn, VMI_PAGE_PD, 0);
	CALL(VMI_CALL_ReleasePage, R_NONE);
	CHECK(page_b[7] == 0x777, "the page's content changed");
	return NULL;
}

static const char *t_linear(void)
{
	args(9, 0, LOWMEM_PAGES);	/* no such slot */
	in.arg4 = 0;
	CALL(VMI_CALL_SetLinearMapping, R_NONE);
	args(VMI_LINEAR_MAP_LOWMEM, GUEST_OFFSET, LOWMEM_PAGES);
	in.arg4 = 0;
	CALL(VMI_CALL_SetLinearMapping, R_NONE);
	return NULL;
}

static const char *t_lazy(void)
{
	u32 mode;

	for (mode = VMI_LAZY_MMU; mode <= VMI_LAZY_CPU; mode++) {
		args(mode, 0, 0);
		CALL_ONCE(VMI_CALL_SetLazyMode, R_NONE);
		args(VMI_LAZY_OFF, 0, 0);
		CALL_ONCE(VMI_CALL_SetLazyMode, R_NONE);
	}
	return NULL;
}

static const struct test tests[] = {
	{ "17 SetCR3, 21 GetCR3", t_cr3 },
	{ "38 SetPxE", t_set_pxe },
	{ "39 SetPxELong", t_set_pxe_long },
	{ "38 or 39 into the live page table", t_map },
	{ "40 UpdatePxE, 41 UpdatePxELong", t_update },
	{ "accessed and dirty bits", t_accessed },
	{ "a page that is read-only for the kernel", t_read_only },
	{ "a page with code, and NX", t_execute },
	{ "42 MachineToPhysical, 43 PhysicalToMachine", t_translate },
	{ "44 AllocatePage, 45 ReleasePage", t_pages },
	{ "46 InvalPage", t_inval },
	{ "47 FlushTLB", t_flush },
	{ "48 SetLinearMapping", t_linear },
	{ "73 SetLazyMode", t_lazy },
};

const struct test_group mmu_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
