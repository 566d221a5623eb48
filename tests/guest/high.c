// SPDX-License-Identifier: GPL-2.0-only
/*
 * Habit: page tables in highmem, reached through windows that SetLinearMapping
 * slots 1 and 2 describe.
 *
 * Owns: a table that has no address in the linear map.
 * Not here: -
 * Runs: needs memory above the linear map.
 * Fails: a text per row.
 */
#include "habit.h"

#define NEED_KIB	((HIGHMEM + 0x10000 - 0x100000) / 1024)
#define NO_HIGHMEM	"# SKIP needs memory above the linear map (-m 128)"

static u32 frame(u32 n)
{
	return HIGHMEM + n * 4096;
}

/* As an atomic kmap of 2.6: map, invalidate, tell. */
static void *window_to(u32 slot, u32 n)
{
	u32 at = slot == 1 ? KMAP1 : KMAP2;

	map(at, frame(n) | PTE_P | PTE_RW);
	vmi5(VMI_CALL_SetLinearMapping, slot, at, 1, frame(n) >> 12, 0);
	return (void *)at;
}

static void announce_frame(u32 n)
{
	vmi5(VMI_CALL_AllocatePage, frame(n) >> 12,
	     VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG, 0, 0, 0);
}

static void release_frame(u32 n)
{
	vmi(VMI_CALL_ReleasePage, frame(n) >> 12, VMI_PAGE_PT | PAE_FLAG, 0);
}

static int have(void)
{
	return memory_kib >= NEED_KIB;
}

static const char *one_slot(u32 slot)
{
	void *table;

	if (!have())
		return NO_HIGHMEM;
	table = window_to(slot, 0);
	clear_page(table);
	announce_frame(0);
	entry_set(entry_at(table, 3), leaf_of(0), VMI_PAGE_PT);
	dir_set(BIG, frame(0) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG + 0x3000, 0), "an entry of before it was linked");
	entry_set(entry_at(table, 4), leaf_of(1), VMI_PAGE_PT);
	CHECK(reads(BIG + 0x4000, 1), "a new entry of the live table");
	entry_set(entry_at(table, 3), leaf_of(2), VMI_PAGE_PT | VMI_PTE_CURRENT_AS |
		  (BIG + 0x3000));
	inval(BIG + 0x3000);
	CHECK(reads(BIG + 0x3000, 2), "a changed entry");
	entry_write(entry_at(table, 4), 0);
	entry_update(entry_at(table, 4), VMI_PAGE_PT);
	inval(BIG + 0x4000);
	CHECK(touch(BIG + 0x4000), "a removed entry is still there");
	dir_set(BIG, 0, VMI_PAGE_PD);
	release_frame(0);
	return NULL;
}

static const char *t_slot1(void)
{
	return one_slot(1);
}

static const char *t_slot2(void)
{
	return one_slot(2);
}

/* The same window for one table after another; both stay live. */
static const char *t_moves(void)
{
	void *table;
	u32 n;

	if (!have())
		return NO_HIGHMEM;
	for (n = 0; n < 2; n++) {
		table = window_to(1, n);
		clear_page(table);
		announce_frame(n);
		dir_set(n ? BIG2 : BIG, frame(n) | TABLE, VMI_PAGE_PD);
		entry_set(entry_at(table, 1), leaf_of(n), VMI_PAGE_PT);
	}
	CHECK(reads(BIG + 0x1000, 0) && reads(BIG2 + 0x1000, 1), "two tables by one window");
	for (n = 0; n < 2; n++) {
		table = window_to(1, n);
		entry_set(entry_at(table, 1), leaf_of(4 + n), VMI_PAGE_PT);
	}
	flush(VMI_FLUSH_TLB);
	CHECK(reads(BIG + 0x1000, 4) && reads(BIG2 + 0x1000, 5), "the window moved back");
	return NULL;
}

/* Both windows at once, as a copy of one table into another does it. */
static const char *t_both(void)
{
	u32 *from, *to, i;

	if (!have())
		return NO_HIGHMEM;
	from = window_to(1, 0);
	to = window_to(2, 1);
	for (i = 0; i < 16; i++)
		entry_set(entry_at(from, i), leaf_of(i & 7), VMI_PAGE_PT);
	for (i = 0; i < 16; i++)
		entry_set(entry_at(to, i), entry_get(entry_at(from, i)), VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB);
	for (i = 0; i < 16; i++)
		CHECK(reads(BIG + i * 4096, i & 7) && reads(BIG2 + i * 4096, i & 7),
		      "an entry of either is another");
	return NULL;
}

/* In lazy mode the window moves while changes by it are queued. */
static const char *t_lazy(void)
{
	void *table;
	u32 n;

	if (!have())
		return NO_HIGHMEM;
	vmi(VMI_CALL_SetLazyMode, VMI_LAZY_MMU, 0, 0);
	for (n = 0; n < 2; n++) {
		table = window_to(1, n);
		entry_set(entry_at(table, 2), leaf_of(6 + n), VMI_PAGE_PT);
	}
	vmi(VMI_CALL_SetLazyMode, VMI_LAZY_OFF, 0, 0);
	flush(VMI_FLUSH_TLB);
	CHECK(reads(BIG + 0x2000, 6) && reads(BIG2 + 0x2000, 7), "went to the wrong table");
	dir_set(BIG, 0, VMI_PAGE_PD);
	dir_set(BIG2, 0, VMI_PAGE_PD);
	release_frame(0);
	release_frame(1);
	for (n = 1; n < 3; n++)
		vmi5(VMI_CALL_SetLinearMapping, n, 0, 0, 0, 0);
	map(KMAP1, 0);
	map(KMAP2, 0);
	return NULL;
}

static const struct test tests[] = {
	{ "48: a table in highmem by slot 1", t_slot1 },
	{ "48: a table in highmem by slot 2", t_slot2 },
	{ "48: a window that moves", t_moves },
	{ "48: both windows", t_both },
	{ "48, 73: a window that moves in lazy mode", t_lazy },
};

const struct test_group high_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
