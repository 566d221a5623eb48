/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of old guests' habits share.
 *
 * Owns: addresses and pages to build tables with.
 * Runs: after `bind.c`.
 */
#ifndef _HABIT_H
#define _HABIT_H

#include "guest.h"

#define BIG		0xe0000000	/* a directory entry of its own */
#define BIG2		0xe0800000
#define KMAP1		(WINDOW + 0x10000)	/* windows for tables in highmem */
#define KMAP2		(WINDOW + 0x11000)
#define SCRATCH		0x01000000	/* physical: nothing is there */
#define SCRATCH_END	0x03f00000
#define HIGHMEM		0x04800000	/* physical, above the linear map */

#define PAE_FLAG	(pae ? VMI_PAGE_PAE : 0)
#define LEAF		(PTE_P | PTE_RW | PTE_US)
#define TABLE		(PTE_P | PTE_RW | PTE_US | PTE_A)

/* habit.c: pages with a number in their first word */
extern u32 marked[8][1024];
u64 leaf_of(u32 n);			/* an entry for marked[n] */
u32 mark_of(u32 n);
int reads(u32 address, u32 n);		/* the address is marked[n] */
void dir_set(u32 address, u64 entry, u32 level);
void *scratch(u32 n);			/* page @n of SCRATCH, as it is */
void clear_page(void *page);
void copy_page(void *to, const void *from);
void flush(u32 flags);

/* A second address space: kernel shared with the boot directory. */
struct root {
	u32 *top;		/* what CR3 is to have */
	u32 *dir;		/* directory of the last GiB; the top, if not PAE */
};

struct root root_make(u32 n);		/* from scratch pages n and n + 1 */
u32 *root_entry_of(const struct root *r, u32 address);
void root_load(const struct root *r);
void root_home(void);

#endif /* _HABIT_H */
