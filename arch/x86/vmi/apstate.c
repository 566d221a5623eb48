// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fills the block for SetInitialAPState.
 *
 * Owns: see `apstate.h`.
 * Not here: the call (`smp.c`).
 * Runs: for each AP start, and on the host under test.
 */
#include <linux/string.h>

#include "apstate.h"

#define EFLAGS_FIXED	0x2	/* bit 1 is always set; IF stays clear */

/**
 * vmi_ap_state_fill() - the state in which an AP enters a C function
 * @ap: filled completely
 * @boot: values
 *
 * User segments in DS and ES, the per-CPU area in FS, nothing in GS, no LDT; general
 * registers, CR2 and EFLAGS.IF are 0. Selectors carry RPL 0: the ROM raises it.
 */
void vmi_ap_state_fill(struct vmi_ap_state *ap, const struct vmi_ap_boot *boot)
{
	memset(ap, 0, sizeof(*ap));
	ap->cr0 = boot->cr0;
	ap->cr3 = boot->cr3;
	ap->cr4 = boot->cr4;
	ap->efer = boot->efer;
	ap->eip = boot->eip;
	ap->eflags = EFLAGS_FIXED;
	ap->esp = boot->esp;
	ap->cs = boot->cs;
	ap->ss = boot->ds_kernel;
	ap->ds = boot->ds_user;
	ap->es = boot->ds_user;
	ap->fs = boot->percpu;
	ap->gdtr_limit = boot->gdt_limit;
	ap->gdtr_base = boot->gdt;
	ap->idtr_limit = boot->idt_limit;
	ap->idtr_base = boot->idt;
}
