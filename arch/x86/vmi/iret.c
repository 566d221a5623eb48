// SPDX-License-Identifier: GPL-2.0-only
/*
 * The iret op, and faults of a return that happen inside the ROM.
 *
 * Owns: whether and how call 33 is bound; where such a fault is sent.
 * Not here: the site and the handler at `pv_iret_fault` (entry code).
 * Runs: binding once at activation; the fixup on any CPU, in fault context.
 * Fails: iret stays native.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/cpu.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <asm/cmdline.h>
#include <asm/cpufeature.h>
#include <asm/ptrace.h>
#include <asm/pv_backend.h>
#include <asm/setup.h>
#include <asm/trapnr.h>

#include "driver.h"
#include "ops.h"
#include "stub.h"

#define IRET_INSN	0xcf

/*
 * Will pti_check_boottime_disable() turn page-table isolation on? It runs later, in
 * init_mem_mapping(), on what is known by now: keep the two alike. A lowered ring
 * has no isolation.
 */
static bool __init pti_expected(void)
{
	char arg[5];
	int len;

	if (!IS_ENABLED(CONFIG_PAGE_TABLE_ISOLATION) || vmi.ring)
		return false;

	len = cmdline_find_option(boot_command_line, "pti", arg, sizeof(arg));
	if (len == 3 && !strncmp(arg, "off", 3))
		return false;
	if (len == 2 && !strncmp(arg, "on", 2))
		return true;
	if (!(len == 4 && !strncmp(arg, "auto", 4)) &&
	    (cmdline_find_option_bool(boot_command_line, "nopti") || cpu_mitigations_off()))
		return false;
	return boot_cpu_has_bug(X86_BUG_CPU_MELTDOWN);
}

static void __init write_call(u32 target)
{
	u8 *site = (u8 *)vmi_irq_iret;
	s32 rel = target - ((unsigned long)site + VMI_IRET_CALL);

	memcpy(site + 1, &rel, sizeof(rel));
}

/**
 * vmi_bind_iret() - bind call 33
 *
 * With page-table isolation the site runs on the user's page tables, which map
 * neither the ROM nor its data: then iret stays native.
 *
 * Context: activation, text still writable.
 */
void __init vmi_bind_iret(void)
{
	const struct vmi_reloc *reloc = &vmi.reloc[VMI_CALL_IRET];

	if (pti_expected())
		return;
	switch (reloc->type) {
	case VMI_RELOC_JUMP_REL:
		paravirt_set_iret((void *)(unsigned long)reloc->eip);
		break;
	case VMI_RELOC_CALL_REL:
		write_call(reloc->eip);
		paravirt_set_iret(vmi_irq_iret);
		break;
	default:
		return;
	}
	vmi.iret_bound = true;
}

/**
 * vmi_print_iret() - say why iret is native, if it is
 */
void __init vmi_print_iret(void)
{
	if (vmi.iret_bound)
		return;
	if (pti_expected())
		pr_info("page-table isolation is on, iret stays native\n");
	else
		pr_info("ROM at 0x%x: call %u IRET: relocation type %u, not 1 or 2, iret stays native\n",
			vmi.rom.phys, VMI_CALL_IRET, vmi.reloc[VMI_CALL_IRET].type);
}

/*
 * Is the ROM returning, and not busy with some other call? At ring 0 only an IRET
 * can return; what a lowered ring uses is the ROM's own affair.
 */
static bool in_return(unsigned long ip)
{
	return vmi_range_has(&vmi.range, ip) &&
	       (vmi.ring || *(const u8 *)ip == IRET_INSN);
}

/**
 * vmi_fixup_iret() - send a fault of the ROM's IRET where that of an iret goes
 * @regs: of the fault; EIP is changed when the answer is true
 * @trapnr: vector
 *
 * A ROM leaves ESP at the frame and all registers as they were at its entry when its
 * return faults.
 *
 * Context: fault entry, any CPU.
 * Return: whether the fault was one of these.
 */
bool vmi_fixup_iret(struct pt_regs *regs, int trapnr)
{
	if (!vmi.iret_bound || user_mode(regs) || !in_return(regs->ip))
		return false;

	switch (trapnr) {
	case X86_TRAP_NP:
	case X86_TRAP_SS:
	case X86_TRAP_GP:
	case X86_TRAP_PF:
		regs->ip = (unsigned long)pv_iret_fault;
		return true;
	default:
		return false;
	}
}
