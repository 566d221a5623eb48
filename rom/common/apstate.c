// SPDX-License-Identifier: GPL-2.0-only
/*
 * SetInitialAPState: keeps the registers an AP is going to start with.
 *
 * Owns: the start states and the page directory that `ap.S` crosses over on.
 * Not here: the start itself (`ap.S`), the STARTUP message (`lapic.c`).
 * Runs: on the CPU that starts others, one call at a time.
 * Fails: a state that cannot be used is not stored, and that AP stays halted.
 *
 * Source: VMI specification 2.0, SetInitialAPState; SDM volume 3, sections 4.3
 * and 4.4 (large pages of both kinds).
 */
#include "rom.h"

#define CR0_PE_PG	0x80000001u
#define CR4_PAE		0x20u
#define PTE_PRESENT	0x01u
#define PTE_RW		0x02u
#define PTE_LARGE	0x80u

/*
 * The first megabytes at their physical and at their linear address. With PAE
 * every slot of the PDPT leads to the one directory.
 */
static void build_table(u32 pae, u32 offset)
{
	u32 *table = (u32 *)(rom_data() + DATA_TABLE);
	u32 *pdpt = (u32 *)(rom_data() + DATA_PDPT);
	u32 low_page = PTE_PRESENT | PTE_RW | PTE_LARGE;
	int i;

	for (i = 0; i < 1024; i++)
		table[i] = 0;
	table[0] = low_page;
	if (!pae) {
		table[offset >> 22] = low_page;
		return;
	}
	table[(offset >> 21 & 511) * 2] = low_page;
	for (i = 0; i < 8; i += 2) {
		pdpt[i] = ((u32)table - offset) | PTE_PRESENT;
		pdpt[i + 1] = 0;
	}
}

/**
 * rom_set_ap_state() - call 62
 * @state: the guest's, read now and not later
 * @apic_id: of the CPU it is for
 *
 * APs that are waiting at the same time use one kind of paging: the directory
 * is shared. The linear map has to keep addresses modulo 4 MiB (2 with PAE).
 */
REGPARM void rom_set_ap_state(const struct vmi_ap_state *state, u32 apic_id)
{
	u32 offset = rom_vars()->linear_offset;
	u32 pae = state->cr4 & CR4_PAE;
	struct rom_ap *ap;

	if (apic_id >= ROM_CPUS || (state->cr0 & CR0_PE_PG) != CR0_PE_PG)
		return;
	if (offset & (pae ? 0x1fffff : 0x3fffff))
		return;
	ap = rom_ap(apic_id);
	ap->ready = 0;
	ap->state = *state;
	ap->idtr[0] = state->idtr_limit;
	ap->idtr[1] = (u16)state->idtr_base;
	ap->idtr[2] = (u16)(state->idtr_base >> 16);
	build_table(pae, offset);
	asm volatile("" : : : "memory");
	ap->ready = 1;
}
