// SPDX-License-Identifier: GPL-2.0-only
/*
 * Init: what has to be known before the first call.
 *
 * Owns: the linear offset and the cycle frequency.
 * Not here: memory (`bios.S`); a change of privilege: the ring stays.
 * Runs: once, on the boot CPU, IF=0, paging on; takes 20 ms.
 * Fails: without the BIOS part's data pages the guest has to stay native.
 */
#include "rom.h"

#define CPUID_TSC	0x10u

u32 rom_data(void)
{
	u32 rom = rom_address(rom_start);
	u32 delta = *(const u32 *)(rom + ROM_DATA_DELTA);

	return delta ? rom + delta : 0;
}

/**
 * rom_init() - the Init entry
 *
 * Return: 0, or 1 if the ROM has no memory to work with.
 */
REGPARM u32 rom_init(void)
{
	u32 rom = rom_address(rom_start);
	struct rom_vars *vars;
	u32 ebx, edx;

	if (!rom_data())
		return 1;
	vars = rom_vars();
	vars->linear_offset = rom - *(const u32 *)(rom + ROM_PHYS);
	cpuid1(&ebx, &edx);
	vars->tsc_khz = edx & CPUID_TSC ? tsc_measure_khz() : 0;
	return 0;
}

/**
 * rom_set_linear_mapping() - call 48
 * @slot: 0..3, others are ignored
 * @start: linear address
 * @pages: their number, 0 empties the slot
 * @pfn: of the first
 *
 * Only the search for the guest's APIC mapping needs to know (`lapic.c`).
 */
REGPARM void rom_set_linear_mapping(u32 slot, u32 start, u32 pages, u32 pfn)
{
	struct rom_linear *linear;

	if (slot >= VMI_LINEAR_MAP_SLOTS)
		return;
	linear = &rom_vars()->linear[slot];
	linear->start = start;
	linear->pages = pages;
	linear->pfn = pfn;
}
