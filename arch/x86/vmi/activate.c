// SPDX-License-Identifier: GPL-2.0-only
/*
 * Enters the paravirtual mode.
 *
 * Owns: Init, the ring, the one round of questions for relocations.
 * Not here: what the answers lead to (`reloc.c`, `bind.c` and the other parts).
 * Runs: in setup_arch(), after early parameters, on the boot CPU.
 * Fails: before Init stays native; after Init at ring > 0 panics, since native code
 *        cannot run any more.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/kernel.h>
#include <linux/printk.h>
#include <asm/desc.h>
#include <asm/processor-flags.h>
#include <asm/segment.h>

#include "call.h"
#include "driver.h"

typedef VMI_ENTRY u32 (*init_fn)(void);
typedef VMI_ENTRY u64 (*reloc_fn)(u32 call);

/* Kept for the log: nothing can be printed before the irq ops are bound. */
static u8 faults[VMI_CALL_NR] __initdata;
static u8 types[VMI_CALL_NR] __initdata;

static void __init ask_all(void)
{
	reloc_fn reloc = (reloc_fn)(vmi.rom.start + VMI_ENTRY_RELOC);
	unsigned int i;

	for (i = 0; i < VMI_CALL_NR; i++) {
		u64 answer = reloc(i);

		types[i] = answer >> 32;
		faults[i] = vmi_reloc_check(&vmi.range, i, answer, &vmi.reloc[i]);
	}
}

static void __init print_fault(unsigned int call)
{
	const char *name = vmi_call_name(call);
	u32 eip = vmi.reloc[call].eip;

	switch (faults[call]) {
	case VMI_RELOC_UNKNOWN_TYPE:
		pr_warn("ROM at 0x%x: call %u %s: relocation type %u above 3, stays native\n",
			vmi.rom.phys, call, name, types[call]);
		break;
	case VMI_RELOC_OUTSIDE:
		pr_warn("ROM at 0x%x: call %u %s: target 0x%x outside ROM 0x%x-0x%x and hole, stays native\n",
			vmi.rom.phys, call, name, eip, vmi.range.start, vmi.range.end - 1);
		break;
	case VMI_RELOC_NO_FUNCTION:
		pr_warn("ROM at 0x%x: call %u %s: relocation type %u, but it has to return, stays native\n",
			vmi.rom.phys, call, name, types[call]);
		break;
	}
}

static unsigned int __init print_answers(void)
{
	unsigned int i, provided = 0;

	for (i = 0; i < VMI_CALL_NR; i++) {
		print_fault(i);
		if (vmi.reloc[i].type != VMI_RELOC_NONE)
			provided++;
	}
	return provided;
}

/* Native code does not work at this ring: there is no way back. */
static void __init require_calls(void)
{
	int missing = vmi_reloc_missing(vmi.reloc, IS_ENABLED(CONFIG_X86_PAE));

	if (!vmi.ring || missing < 0)
		return;
	if (!vmi_has(VMI_CALL_GetInterruptMask) || !vmi_has(VMI_CALL_DisableInterrupts) ||
	    !vmi_has(VMI_CALL_EnableInterrupts))
		vmi_mute_irq_ops();
	print_answers();
	panic("vmi: ROM at 0x%x: call %d %s not provided, but ring %u needs it",
	      vmi.rom.phys, missing, vmi_call_name(missing), vmi.ring);
}

static void __init print_bound(unsigned int provided)
{
	char hole[24] = "none";

	if (vmi.rom.virtual_top)
		snprintf(hole, sizeof(hole), "above 0x%x", vmi.rom.virtual_top);
	pr_info("bound ROM at 0x%x: ring %u, %u calls, hole %s\n",
		vmi.rom.phys, vmi.ring, provided, hole);
}

/*
 * From Init to the last slot: native and bound code must not mix. IRQs are off.
 * Returns what Init did.
 */
static u32 __init enter(void)
{
	init_fn init = (init_fn)(vmi.rom.start + VMI_ENTRY_INIT);
	struct desc_ptr idt;
	u32 error;
	u16 cs;

	store_idt(&idt);
	error = init();
	if (error)
		return error;

	savesegment(cs, cs);
	vmi.ring = cs & SEGMENT_RPL_MASK;
	vmi.idt = idt.address;
	vmi.bound = true;
	ask_all();
	vmi_bind_stubs();
	vmi_bind_ops();
	require_calls();
	vmi_bind_iret();
	vmi_map_lowmem();
	return 0;
}

/**
 * vmi_activate() - hand this CPU to the ROM and bind the ops
 *
 * Sites call through the table until the patch pass, so that setting slots is all
 * there is to do. IRQs are restored through whatever serves the ops afterwards.
 *
 * Context: boot CPU, once, after early parameters and before page tables are built.
 */
void __init vmi_activate(void)
{
	unsigned long flags;
	u32 error;

	if (!vmi.found)
		return;

	flags = native_save_fl();
	native_irq_disable();
	error = enter();
	if (flags & X86_EFLAGS_IF)
		arch_local_irq_enable();

	if (error) {
		vmi_historical(KERN_ERR "VMI ROM failed to initialize!\n");
		pr_err("ROM at 0x%x: Init returned 0x%x, not 0, booting natively\n",
		       vmi.rom.phys, error);
		return;
	}
	pv_info.name = "vmi";
	print_bound(print_answers());
	vmi_print_iret();
	vmi_options_apply();
	vmi_features_apply();
	vmi_ring_apply();
	vmi_mmu_apply();
	vmi_time_apply();
	vmi_apic_apply();
	vmi_smp_apply();
	vmi_reboot_apply();
}
