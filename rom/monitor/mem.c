// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reserved memory, and windows on guest memory.
 *
 * Owns: which frames are the monitor's, the tables that map the hole.
 * Not here: the tables that the guest runs on (`shadow.c`).
 * Runs: at Init and when a vCPU is made; windows at any time.
 * Fails: mem_take() stops the machine, but only while it starts.
 */
#include "monitor.h"

u32 low_pa;
u32 memory_base, memory_size, memory_frames, memory_low_frames;
u32 pae, has_nx, has_pge;

static u32 taken;			/* bytes from the start, in use */
static u32 memory_tables;		/* physical, one after the other */
static u32 memory_table_count;

u32 pa_of(const void *p)
{
	return (u32)p - MON_MEMORY + memory_base;
}

void *va_of(u32 pa)
{
	return (void *)(pa - memory_base + MON_MEMORY);
}

/**
 * mem_take() - pages of the reserved memory, for good
 * @pages: one after the other
 *
 * Return: their address; they are clear.
 */
void *mem_take(u32 pages)
{
	void *p = (void *)(MON_MEMORY + taken);

	if (taken + pages * PAGE_SIZE > memory_size)
		stop("monitor memory", memory_size, "is too small");
	taken += pages * PAGE_SIZE;
	return memset(p, 0, pages * PAGE_SIZE);
}

u32 mem_left(void)
{
	return (memory_size - taken) / PAGE_SIZE;
}

static void set_entry(void *table, u32 index, u64 entry)
{
	if (pae)
		((u64 *)table)[index] = entry;
	else
		((u32 *)table)[index] = (u32)entry;
}

/**
 * hole_fill() - put the hole into a directory of a vCPU
 * @v: whose private part
 * @directory: of the whole address space, or with PAE of its last GiB
 */
void hole_fill(struct vcpu *v, void *directory)
{
	u32 shift = pae ? 21 : 22, mask = pae ? 511 : 1023;
	u32 i;

	set_entry(directory, HOLE >> shift & mask, v->pa_private | PTE_P | PTE_RW | PTE_A);
	for (i = 0; i < memory_table_count; i++)
		set_entry(directory, (MON_MEMORY >> shift & mask) + i,
			  (memory_tables + i * PAGE_SIZE) | PTE_P | PTE_RW | PTE_A);
}

/**
 * map_private() - map a page of a vCPU's private 2 MiB
 */
void map_private(struct vcpu *v, u32 address, u32 pa, u32 flags)
{
	set_entry(va_of(v->pa_private), (address - HOLE) >> 12,
		  pa | PTE_P | PTE_A | PTE_D | flags);
}

/**
 * memory_init() - make the tables that map the reserved memory
 *
 * Only the first 2 MiB are mapped now.
 */
void memory_init(void)
{
	u32 per_table = pae ? 512 : 1024, pages = memory_size >> 12;
	u8 *tables;
	u32 i;

	taken = (u32)mon_image_end - MON_MEMORY;
	memory_table_count = (pages + per_table - 1) / per_table;
	tables = mem_take(memory_table_count);
	memory_tables = pa_of(tables);
	for (i = 0; i < pages; i++)
		set_entry(tables, i, (memory_base + (i << 12)) |
			  PTE_P | PTE_RW | PTE_A | PTE_D);
}

/**
 * window_move() - let a window show another frame
 * @slot: of the window
 * @gfn: of the guest
 */
void *window_move(u32 slot, u32 gfn)
{
	u32 address = MON_WINDOW + slot * PAGE_SIZE;

	me->window[slot] = gfn + 1;
	set_entry(va_of(me->pa_private), (address - HOLE) >> 12,
		  (u64)gfn << 12 | PTE_P | PTE_RW | PTE_A | PTE_D);
	invlpg(address);
	return (void *)address;
}
