// SPDX-License-Identifier: GPL-2.0-only
/*
 * Habit: entries are changed in memory, and the ROM is told afterwards.
 *
 * Owns: every way in which such a change is made.
 * Not here: entries that are never told (`lie.c`, `root.c`).
 * Runs: with IF=0.
 * Fails: a text per row.
 */
#include "habit.h"

#define FLAGS	(VMI_PAGE_PT | VMI_PTE_CURRENT_AS | WINDOW_TEST)

static u32 *entry(void)
{
	return window_entry(WINDOW_TEST);
}

static void told(void)
{
	entry_update(entry(), FLAGS);
	inval(WINDOW_TEST);
}

static const char *t_clear_write(void)
{
	map(WINDOW_TEST, leaf_of(0));
	CHECK(!touch_write(WINDOW_TEST, mark_of(0)), "a write faults");
	asm volatile("lock btrl $1, %0" : "+m" (*entry()));
	told();
	CHECK(touch_write(WINDOW_TEST, 1) && fault.error == 3, "no #PF(3) when RW is clear");
	CHECK(reads(WINDOW_TEST, 0), "a read faults, too");
	asm volatile("lock btsl $1, %0" : "+m" (*entry()));
	told();
	CHECK(!touch_write(WINDOW_TEST, mark_of(0)), "faults when RW is set again");
	return NULL;
}

static const char *t_exchange(void)
{
	u32 low = 0;

	map(WINDOW_TEST, leaf_of(0));
	CHECK(reads(WINDOW_TEST, 0), "the first mapping");
	asm volatile("xchgl %0, %1" : "+r" (low), "+m" (*entry()) : : "memory");
	if (pae)
		entry()[1] = 0;
	told();
	CHECK((low & PTE_P) && touch(WINDOW_TEST) && fault.error == 0,
	      "no #PF(0) when it is not present");
	entry_write(entry(), leaf_of(1));
	entry_update(entry(), FLAGS);
	CHECK(reads(WINDOW_TEST, 1), "present again, told, but not seen");
	return NULL;
}

static const char *t_compare_exchange(void)
{
	u64 to = leaf_of(1), from;
	u32 old;

	map(WINDOW_TEST, leaf_of(0));
	CHECK(reads(WINDOW_TEST, 0), "the first mapping");
	from = entry_get(entry());
	if (pae) {
		asm volatile("lock cmpxchg8b %1" : "+A" (from), "+m" (*(u64 *)entry())
			     : "b" ((u32)to), "c" ((u32)(to >> 32)) : "memory", "cc");
	} else {
		old = (u32)from;
		asm volatile("lock cmpxchgl %2, %1" : "+a" (old), "+m" (*entry())
			     : "r" ((u32)to) : "memory", "cc");
	}
	told();
	CHECK(reads(WINDOW_TEST, 1), "the other page is not seen");
	return NULL;
}

static const char *t_clear_accessed(void)
{
	volatile u32 *e = entry();

	map(WINDOW_TEST, leaf_of(0));
	touch_write(WINDOW_TEST, mark_of(0));
	CHECK((*e & (PTE_A | PTE_D)) == (PTE_A | PTE_D), "A and D after a write");
	asm volatile("lock btrl $5, %0" : "+m" (*e));
	asm volatile("lock btrl $6, %0" : "+m" (*e));
	entry_update(entry(), FLAGS);
	flush(VMI_FLUSH_TLB);
	CHECK(!(*e & (PTE_A | PTE_D)), "came back by itself");
	CHECK(reads(WINDOW_TEST, 0) && (*e & (PTE_A | PTE_D)) == PTE_A, "A after a read");
	touch_write(WINDOW_TEST, mark_of(0));
	CHECK(*e & PTE_D, "D after a write");
	return NULL;
}

#define MANY	64
#define MANY_AT	(WINDOW + 0x40000)

/* Told with DEFER, one flush at the end. */
static const char *t_defer(void)
{
	u32 i, at;

	for (i = 0; i < MANY; i++) {
		map(MANY_AT + i * 4096, leaf_of(i & 3));
		CHECK(reads(MANY_AT + i * 4096, i & 3), "before");
	}
	for (i = 0; i < MANY; i++) {
		at = MANY_AT + i * 4096;
		entry_write(window_entry(at), i & 1 ? 0 : leaf_of(4 + (i & 3)));
		entry_update(window_entry(at), VMI_PAGE_PT | VMI_PTE_CURRENT_AS |
			     VMI_PTE_DEFER | at);
	}
	flush(VMI_FLUSH_TLB);
	for (i = 0; i < MANY; i++) {
		at = MANY_AT + i * 4096;
		if (i & 1)
			CHECK(touch(at), "one that was removed is still there");
		else
			CHECK(reads(at, 4 + (i & 3)), "one that was changed is not");
		map(at, 0);
	}
	return NULL;
}

static u32 table[1024] WHOLE_PAGE;

static const char *t_directory(void)
{
	clear_page(table);
	page_announce(table, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	entry_set(entry_at(table, 0), leaf_of(0), VMI_PAGE_PT);
	CHECK(touch(BIG), "mapped before");
	entry_write(dir_entry(BIG), pa(table) | TABLE);
	entry_update(dir_entry(BIG), VMI_PAGE_PD);
	CHECK(reads(BIG, 0), "the new table is not seen");
	CHECK(touch(BIG + 4096) && fault.error == 0, "an entry that is not there");
	entry_write(dir_entry(BIG), 0);
	entry_update(dir_entry(BIG), VMI_PAGE_PD);
	flush(VMI_FLUSH_TLB);
	CHECK(touch(BIG), "still seen when it is gone");
	page_release(table, VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

/* One table in two places: a change is seen in both. */
static const char *t_shared(void)
{
	clear_page(table);
	page_announce(table, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	entry_set(entry_at(table, 5), leaf_of(0), VMI_PAGE_PT);
	dir_set(BIG, pa(table) | TABLE, VMI_PAGE_PD);
	dir_set(BIG2, pa(table) | TABLE, VMI_PAGE_PD);
	CHECK(reads(BIG + 0x5000, 0) && reads(BIG2 + 0x5000, 0), "before");
	entry_write(entry_at(table, 5), leaf_of(1));
	entry_update(entry_at(table, 5), VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB);
	CHECK(reads(BIG + 0x5000, 1), "not seen at the first");
	CHECK(reads(BIG2 + 0x5000, 1), "not seen at the second");
	dir_set(BIG, 0, VMI_PAGE_PD);
	CHECK(touch(BIG + 0x5000) && reads(BIG2 + 0x5000, 1), "one place gone, not the other");
	dir_set(BIG2, 0, VMI_PAGE_PD);
	page_release(table, VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

/* A directory's rights hold for all of its table. */
static const char *t_directory_rights(void)
{
	clear_page(table);
	page_announce(table, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	entry_set(entry_at(table, 1), leaf_of(2), VMI_PAGE_PT);
	dir_set(BIG, pa(table) | TABLE, VMI_PAGE_PD);
	CHECK(!touch_write(BIG + 0x1000, mark_of(2)), "a write faults");
	dir_set(BIG, pa(table) | (TABLE & ~PTE_RW), VMI_PAGE_PD);
	CHECK(touch_write(BIG + 0x1000, 0) && fault.error == 3, "read-only directory entry");
	dir_set(BIG, pa(table) | (TABLE & ~PTE_US), VMI_PAGE_PD);
	args(0x11, 0x22, BIG + 0x1000);
	CHECK(user_run(user_read) && fault.vector == 14 && fault.error == 5,
	      "a user reads through a directory entry of the kernel");
	dir_set(BIG, pa(table) | TABLE, VMI_PAGE_PD);
	args(0x11, 0x22, BIG + 0x1000);
	CHECK(!user_run(user_read) && out.eax == mark_of(2), "a user's read faults");
	dir_set(BIG, 0, VMI_PAGE_PD);
	page_release(table, VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

static const struct test tests[] = {
	{ "40, 41: RW cleared and set by BTR and BTS", t_clear_write },
	{ "40, 41: removed by XCHG, then written", t_exchange },
	{ "40, 41: changed by CMPXCHG", t_compare_exchange },
	{ "40, 41: A and D cleared", t_clear_accessed },
	{ "40, 41: many with DEFER, one flush", t_defer },
	{ "40, 41: an entry of the directory", t_directory },
	{ "40, 41: a table in two places", t_shared },
	{ "38, 39: rights of a directory entry", t_directory_rights },
};

const struct test_group direct_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
