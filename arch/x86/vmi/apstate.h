/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers with which an AP enters the kernel.
 *
 * Owns: their values, from what the boot CPU knows.
 * Not here: starting it (`smp.c`).
 * Compiles in the kernel and on the host.
 */
#ifndef _VMI_APSTATE_H
#define _VMI_APSTATE_H

#include <asm/vmi.h>

/**
 * struct vmi_ap_boot - what differs from kernel to kernel and AP to AP
 * @gdt: linear address of the AP's own GDT
 * @idt: linear address of the shared IDT
 * @esp: top of the idle task's stack
 * @eip: C function that never returns
 */
struct vmi_ap_boot {
	u32 cr0, cr3, cr4;
	u64 efer;
	u32 eip, esp;
	u32 gdt, idt;
	u16 gdt_limit, idt_limit;
	u16 cs, ds_kernel, ds_user, percpu;
};

void vmi_ap_state_fill(struct vmi_ap_state *ap, const struct vmi_ap_boot *boot);

#endif /* _VMI_APSTATE_H */
