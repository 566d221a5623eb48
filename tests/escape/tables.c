// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's page tables.
 *
 * Owns: storing entries of both formats, the window.
 * Not here: the first tables (`start.S`).
 * Runs: ring 1, by VMI calls.
 * Fails: -
 */
#include "escape.h"

u8 big_area[64 * 4096] __attribute__((aligned(4096)));

u32 phys(const void *p)
{
	return (u32)p - KERNEL;
}

/* Size of what a directory's entry maps. */
u32 large_size(void)
{
	return pae ? 0x200000 : 0x400000;
}

u64 entry_get(const void *table, u32 index)
{
	return pae ? ((const u64 *)table)[index] : ((const u32 *)table)[index];
}

/**
 * entry_set() - store an entry, as a VMI guest does
 * @table: its linear address
 */
void entry_set(void *table, u32 index, u64 entry)
{
	if (pae)
		vmi5(VMI_CALL_SetPxELong, (u32)entry, (u32)(entry >> 32),
		     (u32)table + index * 8, VMI_PAGE_PT, 0);
	else
		vmi(VMI_CALL_SetPxE, (u32)entry, (u32)table + index * 4, VMI_PAGE_PT);
}

/**
 * map() - map a page in the window
 * @slot: which; 0 to 511
 * Return: where.
 */
void *map(u32 slot, u64 frame_address, u32 flags)
{
	u32 address = WINDOW + slot * 4096;

	entry_set(window_table, slot, frame_address | flags);
	vmi(VMI_CALL_InvalPage, address, 0, 0);
	return (void *)address;
}

/**
 * map_directory() - store the directory's entry for an address in the last GiB
 */
void map_directory(u32 address, u64 entry)
{
	entry_set(page_dir, pae ? address >> 21 & 511 : address >> 22, entry);
	vmi(VMI_CALL_FlushTLB, VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL, 0, 0);
}
