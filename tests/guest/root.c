// SPDX-License-Identifier: GPL-2.0-only
/*
 * Habit: address spaces that come and go without a word.
 *
 * Owns: roots that are not announced, not released, reused, or taken apart.
 * Not here: what is announced wrongly (`lie.c`).
 * Runs: IF=0; comes back to the boot directory after each row.
 * Fails: a text per row.
 */
#include "habit.h"

static u32 *table(u32 n)
{
	return scratch(16 + n);
}

/* A root with a table of its own at BIG, whose first page is marked[n]. */
static struct root space(u32 n, u32 *t)
{
	struct root r = root_make(n * 2);

	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(n));
	entry_write(root_entry_of(&r, BIG), pa(t) | TABLE);
	return r;
}

static const char *t_unannounced(void)
{
	struct root a = space(0, table(0)), b = space(1, table(1));
	int good[4], home;

	root_load(&a);
	good[0] = cr_read(3) == pa(a.top) && reads(BIG, 0);
	root_load(&b);
	good[1] = cr_read(3) == pa(b.top) && reads(BIG, 1);
	root_load(&a);
	good[2] = reads(BIG, 0);
	root_home();
	home = touch(BIG);
	CHECK(good[0], "the first");
	CHECK(good[1], "the second");
	CHECK(good[2], "the first again");
	CHECK(home, "the boot directory has what only the others have");
	return NULL;
}

/* As Linux makes them: kernel part copied, then announced as a clone. */
static const char *t_clone(void)
{
	struct root a = space(2, table(2));
	u32 first = pae ? 3 : GUEST_OFFSET >> 22, count = pae ? 1 : 1024 - first;
	int good;

	vmi5(VMI_CALL_AllocatePage, pa(a.top) >> 12,
	     VMI_PAGE_PD | VMI_PAGE_CLONE | VMI_PAGE_ZEROED | PAE_FLAG,
	     (pae ? pa(pdpt) : pa(page_dir)) >> 12, first, count);
	root_load(&a);
	good = reads(BIG, 2);
	root_home();
	CHECK(good, "an entry that was there when it was announced");
	page_release(a.top, VMI_PAGE_PD | PAE_FLAG);
	root_load(&a);		/* released, and loaded once more */
	good = reads(BIG, 2);
	root_home();
	CHECK(good, "after its release");
	return NULL;
}

/* Never released, its page becomes a table, data, and a root again. */
static const char *t_reuse(void)
{
	struct root a = space(3, table(3));
	u32 *page = a.dir;
	int good;

	page_announce(a.top, VMI_PAGE_PD | PAE_FLAG);
	root_load(&a);
	good = reads(BIG, 3);
	root_home();
	CHECK(good, "as a root");
	clear_page(page);
	entry_write(entry_at(page, 7), leaf_of(4));
	page_announce(page, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	dir_set(BIG, pa(page) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG + 0x7000, 4), "as a table that is announced");
	CHECK(touch(BIG + (BIG >> 22 & 0x3f) * 4096), "an entry of its time as a root");
	entry_set(entry_at(page, 8), leaf_of(5), VMI_PAGE_PT);
	CHECK(reads(BIG + 0x8000, 5), "a new entry there");
	dir_set(BIG, 0, VMI_PAGE_PD);
	page[0] = 0x12345;		/* data */
	a = space(3, table(1));		/* with another table */
	entry_write(entry_at(table(1), 0), leaf_of(6));
	page_announce(a.top, VMI_PAGE_PD | PAE_FLAG);
	if (pae)
		page_announce(a.dir, VMI_PAGE_PD | PAE_FLAG);
	root_load(&a);
	good = reads(BIG, 6);
	root_home();
	CHECK(good, "as a root again");
	return NULL;
}

/* A table that is neither announced nor released, and is another one later. */
static const char *t_silent_table(void)
{
	u32 *t = table(4);

	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(0));
	dir_set(BIG, pa(t) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG, 0), "never announced");
	entry_set(entry_at(t, 1), leaf_of(1), VMI_PAGE_PT);
	CHECK(reads(BIG + 0x1000, 1), "a new entry");
	dir_set(BIG, 0, VMI_PAGE_PD);
	page_release(t, VMI_PAGE_PT | PAE_FLAG);
	clear_page(t);
	entry_write(entry_at(t, 2), leaf_of(2));
	page_announce(t, VMI_PAGE_PT | PAE_FLAG);
	dir_set(BIG, pa(t) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG + 0x2000, 2), "what it holds now is not there");
	CHECK(touch(BIG) && touch(BIG + 0x1000), "what it held before is still there");
	dir_set(BIG, 0, VMI_PAGE_PD);
	page_release(t, VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

#define USER_AT	0x40000000

/*
 * Teardown: with PAE the root's words are zeroed in memory, then the directories
 * are released and become something else. Without PAE the same with tables.
 */
static const char *t_teardown(void)
{
	struct root a = root_make(8);
	u32 *low = table(5), *t = table(6), i;
	int before, after;

	clear_page(low);
	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(6));
	if (pae) {
		entry_write(entry_at(low, 0), pa(t) | TABLE);
		entry_write(entry_at(a.top, 1), pa(low) | PTE_P);
	} else {
		low = t;
		entry_write(entry_at(a.top, USER_AT >> 22), pa(t) | TABLE);
	}
	page_announce(low, (pae ? VMI_PAGE_PD : VMI_PAGE_PT) | PAE_FLAG);
	page_announce(a.top, VMI_PAGE_PD | PAE_FLAG);
	root_load(&a);
	before = reads(USER_AT, 6);
	root_home();
	entry_write(entry_at(a.top, pae ? 1 : USER_AT >> 22), 0);
	page_release(low, (pae ? VMI_PAGE_PD : VMI_PAGE_PT) | PAE_FLAG);
	for (i = 0; i < 1024; i++)
		low[i] = ~0u;
	root_load(&a);
	after = touch(USER_AT);
	root_home();
	page_release(a.top, VMI_PAGE_PD | PAE_FLAG);
	CHECK(before, "not mapped before");
	CHECK(after && fault.vector == 14 && fault.error == 0, "still mapped");
	return NULL;
}

/* The same on the root that is loaded. */
static const char *t_teardown_live(void)
{
	struct root a = root_make(10);
	u32 *low = table(7), *t = table(8);
	int before, after, again;

	clear_page(low);
	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(7));
	if (pae)
		entry_write(entry_at(low, 0), pa(t) | TABLE);
	else
		low = t;
	root_load(&a);
	entry_write(entry_at(a.top, pae ? 1 : USER_AT >> 22), pa(low) | (pae ? PTE_P : TABLE));
	if (!pae)
		entry_update(entry_at(a.top, USER_AT >> 22), VMI_PAGE_PD);
	root_load(&a);
	before = reads(USER_AT, 7);
	entry_write(entry_at(a.top, pae ? 1 : USER_AT >> 22), 0);
	page_release(low, (pae ? VMI_PAGE_PD : VMI_PAGE_PT) | PAE_FLAG);
	flush(VMI_FLUSH_TLB);
	after = touch(USER_AT);
	entry_write(entry_at(a.top, pae ? 1 : USER_AT >> 22), pa(low) | (pae ? PTE_P : TABLE));
	if (!pae)
		entry_update(entry_at(a.top, USER_AT >> 22), VMI_PAGE_PD);
	root_load(&a);
	again = reads(USER_AT, 7);
	root_home();
	CHECK(before, "a new word is not seen after SetCR3");
	CHECK(after, "a zeroed word still maps after a flush");
	CHECK(again, "written again, it is not seen");
	return NULL;
}

#define SPACES	1200
#define FIRST	64

/* More address spaces than a ROM has memory for: it may forget, not fail. */
static const char *t_many(void)
{
	struct root r;
	u32 i, round, bad = 0;
	u32 *t;

	for (round = 0; round < 2; round++)
		for (i = 0; i < SPACES; i++) {
			r.dir = scratch(FIRST + i * 3);
			t = scratch(FIRST + i * 3 + 2);
			if (!round) {
				r = root_make(FIRST + i * 3);
				clear_page(t);
				entry_write(entry_at(t, i & 63), leaf_of(i & 7));
				entry_write(root_entry_of(&r, BIG), pa(t) | TABLE);
			} else {
				r.top = pae ? (u32 *)scratch(FIRST + i * 3 + 1) + 24 : r.dir;
			}
			root_load(&r);
			bad += !reads(BIG + (i & 63) * 4096, i & 7);
			bad += !touch(BIG + (~i & 63) * 4096);
		}
	root_home();
	CHECK(!bad, "an address space has another's pages");
	return NULL;
}

static const struct test tests[] = {
	{ "17: roots that are not announced", t_unannounced },
	{ "44: a root that is a clone, released and used", t_clone },
	{ "44: a root that is not released and reused", t_reuse },
	{ "44: a table that is not announced, and reused", t_silent_table },
	{ "45: words zeroed, then released", t_teardown },
	{ "45: words zeroed in the loaded root", t_teardown_live },
	{ "17: 1200 roots", t_many },
};

const struct test_group root_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
