// SPDX-License-Identifier: GPL-2.0-only
/*
 * Habit: announcements that are not true.
 *
 * Owns: ZEROED on what is full, the wrong level, pages announced twice or never.
 * Not here: nothing said at all (`root.c`).
 * Runs: IF=0.
 * Fails: a text per row.
 */
#include "habit.h"

#define LARGE_AT	0xe1000000
#define LARGE_PA	0x02000000	/* physical, a multiple of 4 MiB */
#define LARGE		(PTE_P | PTE_RW | PTE_US | PTE_PS)

static u32 *table(void)
{
	return scratch(4);
}

static const char *t_zeroed_live(void)
{
	map(WINDOW_TEST, leaf_of(0));
	CHECK(reads(WINDOW_TEST, 0), "before");
	page_announce(page_dir, VMI_PAGE_PD | VMI_PAGE_ZEROED | PAE_FLAG);
	CHECK(reads(WINDOW_TEST, 0), "the live directory is empty");
	page_announce(window, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	CHECK(reads(WINDOW_TEST, 0), "the live table is empty");
	flush(VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL);
	CHECK(reads(WINDOW_TEST, 0), "empty after a flush");
	CHECK((entry_get(window_entry(WINDOW_TEST)) ^ leaf_of(0)) < PTE_A * 4,
	      "the guest's entry changed");
	return NULL;
}

static const char *t_zeroed_full(void)
{
	clear_page(table());
	entry_write(entry_at(table(), 9), leaf_of(1));
	page_announce(table(), VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	dir_set(BIG, pa(table()) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG + 0x9000, 1), "an entry of before it was announced");
	return NULL;
}

/* Linked as above; a directory's entry changes under the name of a table's. */
static const char *t_level(void)
{
	u32 *other = scratch(5);

	clear_page(other);
	entry_write(entry_at(other, 9), leaf_of(2));
	page_announce(other, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	entry_set(dir_entry(BIG), pa(other) | TABLE, VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB);
	CHECK(reads(BIG + 0x9000, 2), "the other table is not seen");
	entry_set(dir_entry(BIG), 0, VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB);
	CHECK(touch(BIG + 0x9000), "removed, but still seen");
	entry_set(dir_entry(BIG), pa(table()) | TABLE, VMI_PAGE_PDP);
	CHECK(reads(BIG + 0x9000, 1), "as an entry of a third level");
	entry_set(entry_at(table(), 10), leaf_of(3), VMI_PAGE_PD);
	CHECK(reads(BIG + 0xa000, 3), "a table's entry as a directory's");
	entry_set(entry_at(table(), 11), leaf_of(4), 0);
	CHECK(reads(BIG + 0xb000, 4), "without a level");
	dir_set(BIG, 0, VMI_PAGE_PD);
	page_release(other, VMI_PAGE_PT | PAE_FLAG);
	page_release(table(), VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

static u32 page_in_large(u32 n)
{
	return LARGE_PA + n * 4096;
}

/* A large page becomes a table and a large page again, with the level of a table. */
static const char *t_split(void)
{
	u32 i, count = pae ? 512 : 1024, *t = scratch(6);

	for (i = 0; i < 8; i++)
		*(u32 *)va(page_in_large(i)) = mark_of(0x100 + i);
	dir_set(LARGE_AT, LARGE_PA | LARGE, VMI_PAGE_PD);
	CHECK(reads(LARGE_AT + 0x3000, 0x103), "the large page");
	for (i = 0; i < count; i++)
		entry_write(entry_at(t, i), page_in_large(i) | LEAF);
	page_announce(t, VMI_PAGE_PT | PAE_FLAG);
	entry_set(dir_entry(LARGE_AT), pa(t) | TABLE, VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL);
	CHECK(reads(LARGE_AT + 0x3000, 0x103), "split");
	entry_set(entry_at(t, 3), page_in_large(3) | PTE_P, VMI_PAGE_PT);
	inval(LARGE_AT + 0x3000);
	CHECK(touch_write(LARGE_AT + 0x3000, 0) && fault.error == 3, "one page read-only");
	CHECK(!touch_write(LARGE_AT + 0x4000, mark_of(0x104)), "its neighbour");
	entry_set(dir_entry(LARGE_AT), LARGE_PA | LARGE, VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL);
	CHECK(!touch_write(LARGE_AT + 0x3000, mark_of(0x103)), "large again");
	CHECK(reads(LARGE_AT + 0x5000, 0x105), "a page that was not touched before");
	dir_set(LARGE_AT, 0, VMI_PAGE_PD);
	CHECK(touch(LARGE_AT), "removed, but still seen");
	page_release(t, VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

/* A and D of a large page, its rights, and its frame. */
static const char *t_large(void)
{
	volatile u32 *e = dir_entry(LARGE_AT);

	dir_set(LARGE_AT, LARGE_PA | LARGE, VMI_PAGE_PD);
	CHECK(reads(LARGE_AT + 0x2000, 0x102), "a read");
	CHECK((*e & (PTE_A | PTE_D)) == PTE_A, "A after a read");
	CHECK(!touch_write(LARGE_AT + 0x2000, mark_of(0x102)), "a write");
	CHECK(*e & PTE_D, "D after a write");
	dir_set(LARGE_AT, LARGE_PA | (LARGE & ~PTE_RW), VMI_PAGE_PD);
	CHECK(touch_write(LARGE_AT + 0x2000, 0) && fault.error == 3, "read-only");
	dir_set(LARGE_AT, (LARGE_PA + (pae ? 0x200000 : 0x400000)) | LARGE, VMI_PAGE_PD);
	CHECK(!touch(LARGE_AT + 0x2000) && touched != mark_of(0x102), "another frame");
	dir_set(LARGE_AT, 0, VMI_PAGE_PD);
	return NULL;
}

static const char *t_twice(void)
{
	u32 *t = scratch(7), i;

	clear_page(t);
	for (i = 0; i < 3; i++)
		page_announce(t, VMI_PAGE_PT | PAE_FLAG);
	entry_set(entry_at(t, 0), leaf_of(5), VMI_PAGE_PT);
	dir_set(BIG, pa(t) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG, 5), "announced three times");
	page_release(t, VMI_PAGE_PD | PAE_FLAG);	/* the wrong level, and linked */
	CHECK(reads(BIG, 5), "released under the wrong level while in use");
	page_release(t, VMI_PAGE_PT | PAE_FLAG);
	page_release(t, VMI_PAGE_PT | PAE_FLAG);
	CHECK(reads(BIG, 5), "released three times while in use");
	entry_set(entry_at(t, 0), leaf_of(6), VMI_PAGE_PT);
	inval(BIG);
	CHECK(reads(BIG, 6), "a change after that");
	dir_set(BIG, 0, VMI_PAGE_PD);
	CHECK(touch(BIG), "removed, but still seen");
	vmi(VMI_CALL_ReleasePage, 0xfffff, VMI_PAGE_PT, 0);	/* no such frame */
	vmi5(VMI_CALL_AllocatePage, 0xfffff, VMI_PAGE_PT, 0, 0, 0);
	page_announce(t, VMI_PAGE_NORMAL);
	return NULL;
}

#define SELF_AT		0xe4000000

/* A directory that is a table of itself: the guest reads its tables through it. */
static const char *t_recursive(void)
{
	u32 *self = dir_entry(SELF_AT), shift = pae ? 21 : 22, size = pae ? 8 : 4;
	u32 mask = pae ? 511 : 1023, at, *t = scratch(8);

	clear_page(t);
	vmi5(VMI_CALL_AllocatePage, pa(page_dir) >> 12, VMI_PAGE_PD | VMI_PAGE_PT | PAE_FLAG,
	     0, 0, 0);
	dir_set(SELF_AT, pa(page_dir) | TABLE, VMI_PAGE_PD);
	at = SELF_AT + (WINDOW >> shift & mask) * 4096 + table_index(WINDOW_TEST) * size;
	map(WINDOW_TEST, leaf_of(0));
	CHECK(!touch(at) && touched == *window_entry(WINDOW_TEST), "a table's entry is another");
	at = SELF_AT + (SELF_AT >> shift & mask) * 4096 + (SELF_AT >> shift & mask) * size;
	CHECK(!touch(at) && (touched & ~0x60u) == (*self & ~0x60u),
	      "the directory's entry is another");
	/* and changes by it */
	dir_set(BIG, pa(t) | TABLE, VMI_PAGE_PD);
	at = SELF_AT + (BIG >> shift & mask) * 4096;
	entry_set((u32 *)at, leaf_of(3), VMI_PAGE_PT);
	CHECK(reads(BIG, 3), "an entry that was set through it");
	entry_write((u32 *)at, leaf_of(4));
	entry_update((u32 *)at, VMI_PAGE_PT);
	inval(BIG);
	CHECK(reads(BIG, 4), "an entry that was written through it");
	dir_set(BIG, 0, VMI_PAGE_PD);
	dir_set(SELF_AT, 0, VMI_PAGE_PD);
	return NULL;
}

static const struct test tests[] = {
	{ "44: live tables announced as zeroed", t_zeroed_live },
	{ "44: a full table announced as zeroed", t_zeroed_full },
	{ "38, 39: the wrong level", t_level },
	{ "38, 39: large page split and merged as a table's", t_split },
	{ "38, 39: large page", t_large },
	{ "44, 45: more than once, of the wrong level, of nothing", t_twice },
	{ "44: a directory that is its own table", t_recursive },
};

const struct test_group lie_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
