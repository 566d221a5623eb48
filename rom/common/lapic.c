// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 63 and 64.
 *
 * Owns: access to the local APIC where the guest mapped it.
 * Not here: the timer (`lapic_timer.c`); what happens after STARTUP (`ap.S`).
 * Runs: on any CPU, any IF.
 * Fails: with no mapping found a write is dropped and a read gives 0.
 *
 * The specification passes the mapped linear address, guests of 2007 and later
 * a bare offset. A ring-0 ROM cannot reach the APIC without a mapping, so for
 * the second form it looks for the guest's own in the page tables.
 *
 * Source: VMI specification 2.0, APICWrite; SDM volume 3, sections 10.4 to
 * 10.6 (registers, ICR).
 */
#include "rom.h"

#define MSR_APIC_BASE	0x1b
#define APIC_BASE_MASK	0xfffff000u
#define LAPIC_ICR_LOW	0x300
#define LAPIC_LVTT	0x320

#define ICR_MODE_MASK	0x700u
#define ICR_STARTUP	0x600u
#define ICR_VECTOR_MASK	0xffu

#define LVTT_MODE_MASK	0x60000u	/* one-shot, periodic, TSC deadline */
#define LVTT_PERIODIC	0x20000u

#define CR4_PAE		0x20u
#define PTE_PRESENT	0x01u
#define PTE_LARGE	0x80u

/* Linear address of a frame by what SetLinearMapping said, or 0. */
static u32 frame_linear(u32 frame)
{
	struct rom_linear *l = rom_vars()->linear;
	u32 pfn = frame >> 12;
	int i;

	for (i = 0; i < VMI_LINEAR_MAP_SLOTS; i++)
		if (pfn - l[i].pfn < l[i].pages)
			return l[i].start + ((pfn - l[i].pfn) << 12);
	return 0;
}

/*
 * Looks through one table for @frame, last entry first. Entries are @words
 * wide. Returns the entry's index, or -1.
 */
static int table_search(u32 table, u32 words, u32 frame)
{
	const u32 *entry = (const u32 *)table;
	int i;

	for (i = 1024 / words - 1; i >= 0; i--) {
		if (!(entry[i * words] & PTE_PRESENT))
			continue;
		if ((entry[i * words] & APIC_BASE_MASK) == frame)
			return i;
	}
	return -1;
}

/* The same below one directory, which covers memory from @start on. */
static u32 directory_search(u32 dir, u32 words, u32 start, u32 frame)
{
	const u32 *entry = (const u32 *)dir;
	u32 shift = words == 1 ? 22 : 21;
	u32 table;
	int i, k;

	for (i = 1024 / words - 1; i >= 0; i--) {
		if ((entry[i * words] & (PTE_PRESENT | PTE_LARGE)) != PTE_PRESENT)
			continue;
		table = frame_linear(entry[i * words] & APIC_BASE_MASK);
		if (!table)
			continue;
		k = table_search(table, words, frame);
		if (k >= 0)
			return start + ((u32)i << shift) + ((u32)k << 12);
	}
	return 0;
}

static u32 pae_search(u32 cr3, u32 frame)
{
	u32 page = frame_linear(cr3 & APIC_BASE_MASK);
	const u32 *pdpt = (const u32 *)(page + (cr3 & 0xfe0));
	u32 dir, lapic;
	int i;

	if (!page)
		return 0;
	for (i = 3; i >= 0; i--) {
		if (!(pdpt[i * 2] & PTE_PRESENT))
			continue;
		dir = frame_linear(pdpt[i * 2] & APIC_BASE_MASK);
		lapic = dir ? directory_search(dir, 2, (u32)i << 30, frame) : 0;
		if (lapic)
			return lapic;
	}
	return 0;
}

/**
 * lapic_find() - where the guest mapped the local APIC
 *
 * Searched once; the mapping of a kernel that uses its APIC does not go away.
 * Only page tables that SetLinearMapping covers are looked at.
 *
 * Return: a linear address, or 0.
 */
u32 lapic_find(void)
{
	struct rom_vars *vars = rom_vars();
	u32 cr3, cr4, dir, frame, lapic = vars->lapic;

	if (lapic)
		return lapic;
	frame = (u32)rdmsr(MSR_APIC_BASE) & APIC_BASE_MASK;
	asm volatile("mov %%cr3, %0" : "=r" (cr3));
	asm volatile("mov %%cr4, %0" : "=r" (cr4));
	if (cr4 & CR4_PAE) {
		lapic = pae_search(cr3, frame);
	} else {
		dir = frame_linear(cr3 & APIC_BASE_MASK);
		lapic = dir ? directory_search(dir, 1, 0, frame) : 0;
	}
	vars->lapic = lapic;
	return lapic;
}

/* The APIC of a call's register argument, remembered where it is an address. */
static u32 lapic_of(u32 reg)
{
	if (reg > VMI_APIC_OFFSET_MASK)
		return rom_vars()->lapic = reg & ~VMI_APIC_OFFSET_MASK;
	return lapic_find();
}

/* LVTT belongs to the guest, but for the mode of an alarm that is running. */
static u32 lvtt_mode(u32 value)
{
	int periodic = alarm_lvtt_periodic();

	if (periodic < 0)
		return value;
	value &= ~LVTT_MODE_MASK;
	return periodic ? value | LVTT_PERIODIC : value;
}

/**
 * rom_apic_write() - call 63
 * @reg: offset or mapped linear address of the register
 * @value: for it
 *
 * A STARTUP goes to the ROM's own page, whatever page the guest names.
 */
REGPARM void rom_apic_write(u32 reg, u32 value)
{
	u32 lapic = lapic_of(reg);

	if (!lapic)
		return;
	reg &= VMI_APIC_OFFSET_MASK;
	if (reg == LAPIC_ICR_LOW && (value & ICR_MODE_MASK) == ICR_STARTUP) {
		value &= ~ICR_VECTOR_MASK;
		value |= (rom_data() - rom_vars()->linear_offset) >> 12;
	} else if (reg == LAPIC_LVTT) {
		value = lvtt_mode(value);
	}
	lapic_write(lapic, reg, value);
}

/**
 * rom_apic_read() - call 64
 * @reg: offset or mapped linear address of the register
 *
 * Return: its value; 0 if the APIC is not mapped.
 */
REGPARM u32 rom_apic_read(u32 reg)
{
	u32 lapic = lapic_of(reg);

	return lapic ? lapic_read(lapic, reg & VMI_APIC_OFFSET_MASK) : 0;
}
