// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: more tables than the monitor has shadows for, and CPUs without sense.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1.
 * Fails: with a text.
 */
#include "escape.h"

#define POOL		(KERNEL + 0x800000)	/* free memory of the guest's */
#define POOL_END	(KERNEL + KERNEL_SIZE)
#define POOL_PAGES	((POOL_END - POOL) / 4096)

static u32 pool_page(u32 i)
{
	return POOL + i % POOL_PAGES * 4096;
}

static void clear(u32 address)
{
	u32 i;

	for (i = 0; i < 4096; i += 4)
		store(address + i, 0);
}

static void copy(u32 to, const void *from)
{
	u32 i;

	for (i = 0; i < 4096; i += 4)
		store(to + i, load((u32)from + i));
}

/* Page tables, each in use for a moment, none ever released. */
const char *case_exhaust_tables(void)
{
	u32 i, p;

	*(volatile u32 *)big_area = 0x600dcafe;
	for (i = 0; i < POOL_PAGES; i++) {
		p = pool_page(i);
		clear(p);
		entry_set((void *)p, i & 511, phys(big_area) | PTE_ALL);
		map_directory(SPARE, phys((void *)p) | PTE_ALL);
		EXPECT(load(SPARE + (i & 511) * 4096) == 0x600dcafe, "a table shows another frame");
	}
	map_directory(SPARE, 0);
	return NULL;
}

static u32 new_root(u32 i)
{
	u32 root, p = pool_page(2 * i);

	copy(p, page_dir);
	if (!pae)
		return phys((void *)p);
	root = pool_page(2 * i + 1);
	clear(root);
	store(root + 24, phys((void *)p) | PTE_P);
	return phys((void *)root);
}

/* Roots, each loaded once. */
const char *case_exhaust_roots(void)
{
	u32 i, n = POOL_PAGES / 2;

	map(1, phys(big_area), PTE_ALL);
	*(volatile u32 *)big_area = 0x600dcafe;
	for (i = 0; i < n; i++) {
		vmi(VMI_CALL_SetCR3, new_root(i), 0, 0);
		EXPECT(load(WINDOW + 4096) == 0x600dcafe, "a root shows another frame");
	}
	return NULL;
}

/* Roots and tables in turn, and back to the first ones. */
const char *case_exhaust_both(void)
{
	u32 i, k, roots[64], n = ARRAY_SIZE(roots), first = POOL_PAGES - 2 * n, table, offset;

	for (i = 0; i < n; i++)
		roots[i] = new_root(first / 2 + i);
	for (i = 0; i < 64 * n; i++) {
		vmi(VMI_CALL_SetCR3, roots[i % n], 0, 0);
		table = pool_page(i % first);
		clear(table);
		entry_set((void *)table, 1, phys(big_area) + (i & 63) * 4096);
		for (k = 0; k < 8; k++)
			entry_set((void *)table, k, (phys(big_area) + (i & 63) * 4096) | PTE_ALL);
		offset = (SPARE >> (pae ? 21 : 22) & (pae ? 511 : 1023)) + i / n % 8;
		k = pae ? load(KERNEL + roots[i % n] + 24) & ~4095u : roots[i % n];
		entry_set((void *)(KERNEL + k), offset, phys((void *)table) | PTE_ALL);
		store((u32)big_area + (i & 63) * 4096, i);
		k = SPARE + i / n % 8 * large_size() + (i & 7) * 4096;
		EXPECT(load(k) == i, "a table shows another frame");
	}
	return NULL;
}

static struct vmi_ap_state state;

const char *case_ap_state_unmapped(void)
{
	vmi(VMI_CALL_SetInitialAPState, SPARE, 1, 0);
	return "a state that is not mapped was taken";
}

const char *case_ap_state_in_hole(void)
{
	vmi(VMI_CALL_SetInitialAPState, MON_VCPU, 1, 0);
	return "a state in the hole was taken";
}

static void init_ap(u32 id)
{
	vmi(VMI_CALL_APICWrite, 0x310, id << 24, 0);
	vmi(VMI_CALL_APICWrite, 0x300, 0x4500, 0);
}

static void start(u32 id)
{
	vmi(VMI_CALL_APICWrite, 0x310, id << 24, 0);
	vmi(VMI_CALL_APICWrite, 0x300, 0x4608, 0);
	vmi(VMI_CALL_APICWrite, 0x300, 0x4608, 0);
}

/* CPUs that are not there, and itself; states without paging. */
const char *case_ap_nobody(void)
{
	static const u32 ids[] = { 0, 1, 2, 7, 8, 0x7fffffff, 0xffffffff };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		init_ap(ids[i]);
		state.cr0 = i & 1;
		vmi(VMI_CALL_SetInitialAPState, (u32)&state, ids[i], 0);
		start(ids[i]);
		state.cr0 = 0x80010031;
		vmi(VMI_CALL_SetInitialAPState, (u32)&state, i ? ids[i] : 1, 0);
		start(ids[i] + 1);
	}
	return NULL;
}

static void ap_state(void)
{
	state = (struct vmi_ap_state) {
		.cr0 = 0x80010031, .cr3 = phys(pae ? pdpt : page_dir), .cr4 = pae ? 0xb0 : 0x90,
		.esp = KERNEL + 0x9000, .cs = SEL_CODE, .ss = SEL_DATA,
		.ds = SEL_DATA, .es = SEL_DATA, .gdtr_limit = 0x7f, .gdtr_base = (u32)gdt,
		.idtr_base = (u32)idt, .idtr_limit = 0x7ff,
		.eip = (u32)machine_setup,
	};
}

static const char *start_bad(void)
{
	u32 i;

	init_ap(1);
	vmi(VMI_CALL_SetInitialAPState, (u32)&state, 1, 0);
	start(1);
	for (i = 0; i < 100000000; i++)
		barrier();
	return "it runs on";
}

/* What STARTUP without a state begins: nothing. */
const char *case_ap_no_state(void)
{
	init_ap(1);
	start(1);
	init_ap(0);
	start(0);
	return NULL;
}

const char *case_ap_cr3(void)
{
	ap_state();
	state.cr3 = mon_base;
	return start_bad();
}

const char *case_ap_gdt(void)
{
	ap_state();
	state.gdtr_base = MON_GDT;
	return start_bad();
}

const char *case_ap_esp(void)
{
	ap_state();
	state.esp = MON_VCPU + 0x2000;
	return start_bad();
}

const char *case_ap_cs(void)
{
	ap_state();
	state.cs = SEL_CODE0;
	return start_bad();
}

/*
 * Two CPUs at the same page tables: one changes entries, to the monitor's frames
 * and back, the other one uses them. Its own faults are mended by nobody, so it
 * touches only what is mapped at all times, through tables that come and go.
 */
#define RACE_ROUNDS	20000
extern void race_begin(void);
volatile u32 race_on, race_count, race_wrong;

void race_other(void);
void race_other(void)
{
	u32 i = 0, seen;

	while (race_on) {
		seen = load(SPARE + (i & 7) * 4096);
		if (seen != 0x600dcafe && seen != 0x600df00d)
			race_wrong = seen;
		vmi(VMI_CALL_InvalPage, SPARE + (i & 7) * 4096, 0, 0);
		if (!(i & 63))
			vmi(VMI_CALL_FlushTLB, 3, 0, 0);
		i++;
		race_count++;
	}
	vmi(VMI_CALL_Shutdown, 0, 0, 0);
}

static void race_table(u32 table, u32 frame_address)
{
	u32 k;

	for (k = 0; k < 8; k++)
		entry_set((void *)table, k, frame_address | PTE_ALL);
}

const char *case_race_tables(void)
{
	u32 i, tables[2] = { pool_page(0), pool_page(1) };

	clear(tables[0]);
	clear(tables[1]);
	*(volatile u32 *)big_area = 0x600dcafe;
	*(volatile u32 *)(big_area + 4096) = 0x600df00d;
	race_table(tables[0], phys(big_area));
	race_table(tables[1], phys(big_area) + 4096);
	map_directory(SPARE, phys((void *)tables[0]) | PTE_ALL);
	ap_state();
	state.eip = (u32)race_begin;
	state.gdtr_limit = 0xfff;
	race_on = 1;
	init_ap(1);
	vmi(VMI_CALL_SetInitialAPState, (u32)&state, 1, 0);
	start(1);
	for (i = 0; i < 1000000000 && !race_count; i++)
		barrier();
	EXPECT(race_count, "the other CPU does not run");
	for (i = 0; i < RACE_ROUNDS; i++) {
		race_table(tables[i & 1], phys(big_area) + (i / 2 & 1) * 4096);
		map_directory(SPARE, phys((void *)tables[i & 1]) | PTE_ALL);
		vmi(VMI_CALL_ReleasePage, tables[!(i & 1)] - KERNEL, VMI_PAGE_PT, 0);
		if (!(i & 15))
			vmi(VMI_CALL_ReleasePage, (tables[i & 1] - KERNEL) >> 12, VMI_PAGE_PT, 0);
		entry_set(window_table, i & 511, mon_base | PTE_ALL | PTE_A | PTE_D);
	}
	race_on = 0;
	for (i = 0; i < 100000000; i++)
		barrier();
	EXPECT(!race_wrong, "the other CPU saw another frame");
	return NULL;
}

const char *case_ap_eip(void)
{
	ap_state();
	state.eip = SPARE;
	state.esp = SPARE;
	return start_bad();
}
