// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages, tables and address spaces for the tests of old guests' habits.
 *
 * Owns: what `habit.h` declares.
 * Not here: tests.
 * Runs: after `bind.c`.
 * Fails: -
 */
#include "habit.h"

u32 marked[8][1024] WHOLE_PAGE;

u32 mark_of(u32 n)
{
	return 0xa0000000 | n;
}

u64 leaf_of(u32 n)
{
	marked[n][0] = mark_of(n);
	return pa(marked[n]) | LEAF;
}

int reads(u32 address, u32 n)
{
	return !touch(address) && touched == mark_of(n);
}

void dir_set(u32 address, u64 entry, u32 level)
{
	entry_set(dir_entry(address), entry, level | VMI_PTE_CURRENT_AS | address);
	flush(VMI_FLUSH_TLB);
}

void *scratch(u32 n)
{
	return va(SCRATCH + n * 4096);
}

void clear_page(void *page)
{
	u32 i, *word = page;

	for (i = 0; i < 1024; i++)
		word[i] = 0;
}

void copy_page(void *to, const void *from)
{
	const u32 *source = from;
	u32 i, *word = to;

	for (i = 0; i < 1024; i++)
		word[i] = source[i];
}

void flush(u32 flags)
{
	vmi(VMI_CALL_FlushTLB, flags, 0, 0);
}

/* By plain copies: nobody is told. */
struct root root_make(u32 n)
{
	struct root r = { .dir = scratch(n), .top = scratch(n + 1) };
	u32 i;

	copy_page(r.dir, page_dir);
	if (!pae) {
		r.top = r.dir;
		return r;
	}
	r.top += 3 * 8;		/* 32-byte aligned, but not to a page */
	for (i = 0; i < 8; i++)
		r.top[i] = 0;
	r.top[6] = pa(r.dir) | PTE_P;
	return r;
}

u32 *root_entry_of(const struct root *r, u32 address)
{
	return entry_at(r->dir, pae ? address >> 21 & 511 : address >> 22);
}

void root_load(const struct root *r)
{
	vmi(VMI_CALL_SetCR3, pa(r->top), 0, 0);
}

void root_home(void)
{
	vmi(VMI_CALL_SetCR3, pae ? pa(pdpt) : pa(page_dir), 0, 0);
}
