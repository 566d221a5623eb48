// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: page tables that name the monitor's frames.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1.
 * Fails: with a text.
 */
#include "escape.h"

#define REACHED	"the monitor's memory was reached"

static const char *touch(u32 address, void (*how)(void))
{
	at = address;
	value = 0xdeadbeef;
	return attempt(how) ? "a fault, but it is the monitor's to stop" : REACHED;
}

const char *case_map_read(void)
{
	return touch((u32)map(1, mon_base, PTE_ALL), do_read);
}

const char *case_map_write(void)
{
	return touch((u32)map(1, mon_base + 4096, PTE_ALL) + 8, do_write);
}

const char *case_map_execute(void)
{
	return touch((u32)map(1, mon_base, PTE_ALL), do_jump);
}

const char *case_map_user(void)
{
	at = (u32)map(1, mon_base, PTE_ALL);
	return attempt_user(do_read) ? "a fault" : REACHED;
}

const char *case_map_last(void)
{
	return touch((u32)map(1, mon_base + mon_size - 4096, PTE_ALL) + 4092, do_read);
}

/* A new entry needs no call. */
const char *case_map_by_store(void)
{
	u32 low = mon_base | PTE_ALL | PTE_A | PTE_D;

	if (pae)
		((volatile u64 *)window_table)[2] = low;
	else
		((volatile u32 *)window_table)[2] = low;
	return touch(WINDOW + 0x2000, do_write);
}

const char *case_map_lazily(void)
{
	vmi(VMI_CALL_SetLazyMode, VMI_LAZY_MMU, 0, 0);
	entry_set(window_table, 1, mon_base | PTE_ALL | PTE_A | PTE_D);
	vmi(VMI_CALL_SetLazyMode, VMI_LAZY_OFF, 0, 0);
	return touch(WINDOW + 0x1000, do_write);
}

/* An entry that is shadowed already. */
const char *case_map_remap(void)
{
	u32 a = (u32)map(1, phys(big_area), PTE_ALL);

	store(a, 1);
	map(1, mon_base, PTE_ALL | PTE_A | PTE_D);
	return touch(a, do_write);
}

/* The last frame before the monitor's is the guest's. */
const char *case_map_neighbour(void)
{
	u32 a = (u32)map(1, mon_base - 4096, PTE_ALL);

	at = a + 0xffc;
	value = 0x600d600d;
	EXPECT(!attempt(do_write), "the page below the monitor's cannot be written");
	value = 0;
	EXPECT(!attempt(do_read) && value == 0x600d600d, "what was written is not there");
	return NULL;
}

/* Neighbours of a page that is filled are filled with it. */
const char *case_map_ahead(void)
{
	map(0x41, mon_base, PTE_ALL | PTE_A | PTE_D);
	store((u32)map(0x40, phys(big_area), PTE_ALL), 1);
	return touch(WINDOW + 0x41000, do_write);
}

static u32 large_of(u32 address)
{
	return address & ~(large_size() - 1);
}

static u32 map_large(u32 address)
{
	map_directory(LARGE, large_of(address) | PTE_ALL | PTE_PS);
	return LARGE + (address - large_of(address));
}

const char *case_large_read(void)
{
	return touch(map_large(mon_base), do_read);
}

const char *case_large_write(void)
{
	return touch(map_large(mon_base + mon_size - 4096), do_write);
}

/* What the guest owns of a large page that is the monitor's in part. */
const char *case_large_rest(void)
{
	u32 below = mon_base - 4096;

	at = map_large(below);
	value = 0x600d600d;
	EXPECT(!attempt(do_write), "a frame of the guest in a large page cannot be written");
	value = 0;
	EXPECT(!attempt(do_read) && value == 0x600d600d, "what was written is not there");
	map_directory(LARGE, 0);
	return NULL;
}

/* From a large page to a table in the same place, of a frame of the monitor. */
const char *case_large_to_table(void)
{
	map_directory(LARGE, PTE_ALL | PTE_PS);
	at = LARGE;
	EXPECT(!attempt(do_read), "a large page cannot be read");
	entry_set(table_page, 0, mon_base | PTE_ALL | PTE_A | PTE_D);
	map_directory(LARGE, phys(table_page) | PTE_ALL);
	return touch(LARGE, do_write);
}

/* A call takes its argument from there. */
const char *case_call_reads(void)
{
	u32 a = (u32)map(1, mon_base, PTE_ALL);

	vmi(VMI_CALL_SetGDT, a, 0, 0);
	return REACHED;
}

const char *case_call_writes(void)
{
	u32 a = (u32)map(1, mon_base, PTE_ALL);

	vmi(VMI_CALL_GetGDT, a, 0, 0);
	return REACHED;
}

static const char *faults_not_present(u32 address)
{
	at = address;
	if (attempt(do_read) != FAULTED(VEC_PF) || fault.cr2 != at || fault.error)
		return "not a page fault of a missing page";
	at = address;
	if (attempt(do_write) != FAULTED(VEC_PF) || fault.cr2 != at || fault.error & 1)
		return "writing is not a page fault of a missing page";
	return NULL;
}

/* A page table among the monitor's frames: as if there were none. */
const char *case_table_in_monitor(void)
{
	const char *why = NULL;
	u32 page;

	for (page = 0; page < mon_size && !why; page += 0x10000) {
		map_directory(SPARE, (mon_base + page) | PTE_ALL);
		why = faults_not_present(SPARE);
		if (!why)
			why = faults_not_present(SPARE + 0x5000);
	}
	map_directory(SPARE, 0);
	return why;
}

const char *case_directory_in_monitor(void)
{
	const char *why;

	((volatile u64 *)pdpt)[1] = mon_base | PTE_P;
	vmi(VMI_CALL_SetCR3, phys(pdpt), 0, 0);
	why = faults_not_present(0x40000000);
	((volatile u64 *)pdpt)[1] = 0;
	vmi(VMI_CALL_SetCR3, phys(pdpt), 0, 0);
	return why;
}

/* The directory as a page table of itself shows guest frames only. */
const char *case_directory_as_table(void)
{
	u32 a = SPARE + (pae ? (SPARE >> 21 & 511) : SPARE >> 22) * 4096;

	map_directory(SPARE, phys(page_dir) | PTE_ALL);
	at = a;
	EXPECT(!attempt(do_read), "the directory cannot be read through itself");
	EXPECT(value == (u32)entry_get(page_dir, 0), "it shows what is not the directory");
	map_directory(SPARE, 0);
	return NULL;
}

const char *case_cr3_in_monitor(void)
{
	vmi(VMI_CALL_SetCR3, mon_base, 0, 0);
	return REACHED;
}

const char *case_cr3_beyond(void)
{
	vmi(VMI_CALL_SetCR3, 0xfffff000, 0, 0);
	return "it goes on without tables";
}

const char *case_cr3_empty(void)
{
	vmi(VMI_CALL_SetCR3, phys(table_page), 0, 0);
	return "it goes on without tables";
}

/* Neither RAM nor a device: whatever comes of it, it does not matter. */
const char *case_frame_beyond(void)
{
	static const u32 frames[] = { 0x40000, 0x80000, 0xbffff, 0xd0000, 0xffbff };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(frames); i++) {
		at = (u32)map(1, (u64)frames[i] << 12, PTE_ALL);
		attempt(do_read);
		attempt(do_write);
	}
	map(1, 0, 0);
	return NULL;
}

/* Physical addresses that only differ from the monitor's above bit 31. */
const char *case_frame_high(void)
{
	u32 bit, low;

	for (bit = 32; bit < 36; bit++) {
		at = (u32)map(1, 1ull << bit | mon_base, PTE_ALL);
		low = 0xdeadbeef;
		value = low;
		attempt(do_write);
		attempt(do_read);
	}
	map(1, 0, 0);
	return NULL;
}

/* Bits of a large page's entry that have to be 0: a fault, not the same again. */
#define PF_RSVD		0x08

const char *case_large_reserved(void)
{
	u32 bit;

	for (bit = 13; 1u << bit < large_size(); bit++) {
		map_directory(LARGE, PTE_ALL | PTE_PS | 1u << bit);
		at = LARGE;
		EXPECT(attempt(do_read) == FAULTED(VEC_PF) && fault.error & PF_RSVD,
		       "a reserved bit is not a page fault that says so");
		EXPECT(attempt_user(do_write) == FAULTED(VEC_PF) && fault.error & PF_RSVD,
		       "a reserved bit is not a page fault of ring 3 that says so");
	}
	map_directory(LARGE, 0);
	return NULL;
}

const char *case_large_reserved_call(void)
{
	map_directory(LARGE, PTE_ALL | PTE_PS | 1u << 14);
	vmi(VMI_CALL_SetGDT, LARGE, 0, 0);
	return "it was read";
}
