/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the VMI driver share.
 *
 * Owns: the state of the bound ROM, the parts' entry points.
 * Not here: calls into the ROM (`call.h`), the hooks of the kernel
 *           (`asm/vmi_hooks.h`).
 */
#ifndef _VMI_DRIVER_H
#define _VMI_DRIVER_H

#include <linux/init.h>
#include <linux/types.h>
#include <asm/paravirt.h>
#include <asm/vmi.h>
#include <asm/vmi_hooks.h>

#include "reloc.h"
#include "rom.h"

/**
 * struct vmi - the ROM this kernel runs on
 * @found: @rom is usable
 * @bound: Init succeeded and ops are bound
 * @iret_bound: call 33 is, too
 * @ring: of the kernel, from CS after Init
 * @rom: what the probe found
 * @range: where its code may be
 * @reloc: its answers, checked; all NONE until bound
 * @idt: linear address at which the kernel writes its IDT
 */
struct vmi {
	bool		found;
	bool		bound;
	bool		iret_bound;
	u8		ring;
	struct vmi_rom	rom;
	struct vmi_range range;
	struct vmi_reloc reloc[VMI_CALL_NR];
	unsigned long	idt;
};

extern struct vmi vmi;

/* May the driver call this entry? */
static inline bool vmi_has(enum vmi_call call)
{
	return vmi.reloc[call].type == VMI_RELOC_CALL_REL;
}

/* Lines whose wording users of the historical driver know: without our prefix. */
#define vmi_historical	printk

const char *vmi_call_name(unsigned int call);

/* bind.c */
void vmi_bind_stubs(void);
void vmi_bind_ops(void);
void vmi_mute_irq_ops(void);

/* iret.c */
void vmi_bind_iret(void);
void vmi_print_iret(void);

/* the parts that hook into the kernel elsewhere, in the order of activation */
void vmi_options_apply(void);
void vmi_features_apply(void);
void vmi_ring_apply(void);
void vmi_mmu_apply(void);
void vmi_time_apply(void);
#ifdef CONFIG_X86_LOCAL_APIC
void vmi_apic_apply(void);
#else
static inline void vmi_apic_apply(void) { }
#endif
#ifdef CONFIG_SMP
void vmi_smp_apply(void);
#else
static inline void vmi_smp_apply(void) { }
#endif
void vmi_reboot_apply(void);

/* options.c */
bool vmi_option_off(const char *cmdline);
bool vmi_option_timer(void);

/* cpuid.S: bits of leaf 1 to hide, in EDX */
extern u32 vmi_cpuid_hide_edx;

/* lazy.c */
void vmi_map_lowmem(void);

#endif /* _VMI_DRIVER_H */
