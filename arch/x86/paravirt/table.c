// SPDX-License-Identifier: GPL-2.0-only
/*
 * The op table.
 *
 * Owns: `pv_ops`, which starts as the native table, the description of every op,
 *       `pv_info`, the banner.
 * Not here: what stands in the slots (`native.c`, other backends).
 * Context: slots may be set until sites are patched; read-only after init.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/ioport.h>
#include <linux/printk.h>
#include <linux/spinlock.h>
#include <asm/desc.h>
#include <asm/io.h>
#include <asm/io_bitmap.h>
#include <asm/special_insns.h>
#include <asm/tlbflush.h>
#include "ops.h"

/* A forgotten native entry does not link, a wrong type does not compile. */
#define PV_NATIVE_INLINE(group, slot, native)	((void *)pv_native_##group##_##slot)
#define PV_NATIVE_JUMP(group, slot, native)	PV_NATIVE_INLINE(group, slot, native)
#define PV_NATIVE_CALL(group, slot, native)	native
#define PV_INIT_STD(entry)			entry
#define PV_INIT_SAVE(entry)			{ .func = entry }

struct paravirt_patch_template pv_ops __ro_after_init = {
#define PV_GROUP(group)		.group = {
#define PV_GROUP_END(group)	},
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	.slot = PV_INIT_##conv(PV_NATIVE_##form(group, slot, native)),
#include <asm/pv_list.h>
};
/* Modules of any licence turn interrupts off and on. */
EXPORT_SYMBOL(pv_ops);

#define PV_END_INLINE(group, slot)	pv_native_##group##_##slot##_end
#define PV_END_JUMP(group, slot)	PV_END_INLINE(group, slot)
#define PV_END_CALL(group, slot)	NULL

const struct pv_op_info pv_op_info[PV_NR_OPS] = {
#define PV_OP(group, slot, form_, conv_, result, params, native_, vmi, call) \
	[PARAVIRT_PATCH(group.slot)] = {				\
		.name = #group "." #slot,				\
		.form = PV_FORM_##form_,				\
		.conv = #conv_,						\
		.native = PV_NATIVE_##form_(group, slot, native_),	\
		.end = PV_END_##form_(group, slot),			\
	},
#include <asm/pv_list.h>
};

static_assert(PARAVIRT_PATCH(irq.iret) == PV_IRET_NR, "the entry code names iret by number");
static_assert(PV_NR_OPS < 256, "a site record holds the op in one byte");

struct pv_info pv_info = {
	.name = "bare hardware",
};
EXPORT_SYMBOL_GPL(pv_info);

void __init default_banner(void)
{
	pr_info("Booting paravirtualized kernel on %s\n", pv_info.name);
}

/**
 * paravirt_set_iret() - give the iret op another target
 * @target: entered by a jump; the frame is at ESP. Reachable on the page tables
 *	that the entry code returns on, with any DS and ES.
 *
 * Sets the table and the slot that the unpatched site reads.
 *
 * Context: early boot, before sites are patched and kernel text is read-only.
 */
void __init paravirt_set_iret(void *target)
{
	pv_ops.irq.iret.func = target;
	pv_iret_slot = target;
}

static struct resource all_ports = {
	.name	= "paravirt-ioport",
	.end	= IO_SPACE_LIMIT,
	.flags	= IORESOURCE_IO | IORESOURCE_BUSY,
};

/**
 * paravirt_disable_iospace() - keep drivers from probing legacy ports
 *
 * Context: before the first driver claims a port.
 * Return: 0, or -EBUSY if a port is claimed already.
 */
int paravirt_disable_iospace(void)
{
	return request_resource(&ioport_resource, &all_ports);
}
