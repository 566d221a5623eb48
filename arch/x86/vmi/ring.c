// SPDX-License-Identifier: GPL-2.0-only
/*
 * Switches off what cannot run when the ring was lowered.
 *
 * Owns: the list of such CPU features and of firmware that the kernel calls.
 * Not here: page-table isolation (`mm/pti.c` asks vmi_lowered_ring()), what the ROM
 *           hides by itself (`features.c`).
 * Runs: at activation; suspend is refused from an initcall on. At ring 0 does nothing.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/apm_bios.h>
#include <linux/efi.h>
#include <linux/init.h>
#include <linux/kexec.h>
#include <linux/notifier.h>
#include <linux/printk.h>
#include <linux/suspend.h>
#include <asm/cpufeature.h>
#include <asm/pci_x86.h>
#include <asm/setup.h>
#include <asm/x86_init.h>

#include "driver.h"

/*
 * Instructions that fault at ring 1 whatever CR4 says, control registers and MSRs that
 * only the ROM may write, and workarounds that load ring-0 selectors. The kernel's
 * view of dependent features follows by itself.
 */
static const u16 features[] __initconst = {
	/* entry and exit */
	X86_FEATURE_SEP, X86_FEATURE_PTI, X86_FEATURE_SMAP, X86_FEATURE_SMEP,
	X86_FEATURE_UMIP, X86_FEATURE_PKU, X86_FEATURE_FSGSBASE, X86_BUG_ESPFIX,
	/* address spaces */
	X86_FEATURE_PCID, X86_FEATURE_INVPCID, X86_FEATURE_INVPCID_SINGLE,
	/* XSETBV, XSAVES */
	X86_FEATURE_XSAVE, X86_FEATURE_XSAVEOPT, X86_FEATURE_XSAVEC, X86_FEATURE_XSAVES,
	/* idle */
	X86_FEATURE_MWAIT, X86_FEATURE_MWAITX, X86_FEATURE_WAITPKG,
	/* machine control */
	X86_FEATURE_MCE, X86_FEATURE_MCA, X86_FEATURE_MTRR, X86_FEATURE_K6_MTRR,
	X86_FEATURE_CYRIX_ARR, X86_FEATURE_CENTAUR_MCR, X86_FEATURE_ACC,
	X86_FEATURE_TM2, X86_FEATURE_DS, X86_FEATURE_ARCH_PERFMON, X86_FEATURE_HWP,
	X86_FEATURE_HW_PSTATE, X86_FEATURE_EPB, X86_FEATURE_CQM,
	X86_FEATURE_TSC_DEADLINE_TIMER, X86_FEATURE_X2APIC,
	X86_FEATURE_VMX, X86_FEATURE_SVM, X86_FEATURE_SMX, X86_FEATURE_SGX,
	X86_FEATURE_SPLIT_LOCK_DETECT, X86_FEATURE_BUS_LOCK_DETECT,
	/* speculation control */
	X86_FEATURE_IBRS, X86_FEATURE_IBPB, X86_FEATURE_STIBP, X86_FEATURE_SSBD,
	X86_FEATURE_SPEC_CTRL, X86_FEATURE_INTEL_STIBP, X86_FEATURE_SPEC_CTRL_SSBD,
	X86_FEATURE_AMD_IBPB, X86_FEATURE_AMD_IBRS, X86_FEATURE_AMD_STIBP,
	X86_FEATURE_AMD_SSBD, X86_FEATURE_VIRT_SSBD, X86_FEATURE_MSR_SPEC_CTRL,
	X86_FEATURE_FLUSH_L1D, X86_FEATURE_ARCH_CAPABILITIES,
};

/* Firmware that runs CLI, POPF and far calls as if it were in ring 0. */
static void __init no_firmware_calls(void)
{
#ifdef CONFIG_PCI
	pci_probe &= ~PCI_PROBE_BIOS;
#endif
	x86_platform.legacy.devices.pnpbios = 0;
	x86_platform.legacy.warm_reset = 0;
	apm_info.bios.version = 0;
#ifdef CONFIG_EFI
	clear_bit(EFI_BOOT, &efi.flags);
	clear_bit(EFI_RUNTIME_SERVICES, &efi.flags);
#endif
}

/**
 * vmi_ring_apply() - at ring > 0, switch off what needs ring 0
 */
void __init vmi_ring_apply(void)
{
	unsigned int i;

	if (!vmi_lowered_ring())
		return;
	for (i = 0; i < ARRAY_SIZE(features); i++)
		setup_clear_cpu_cap(features[i]);
	no_firmware_calls();
#ifdef CONFIG_KEXEC_CORE
	kexec_load_disabled = 1;
#endif
}

#ifdef CONFIG_PM_SLEEP
/* The way back starts in real mode, or with the registers of ring 0. */
static int refuse(struct notifier_block *nb, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		pr_warn("suspend and hibernation need ring 0, this is ring %u, refused\n",
			vmi.ring);
		return NOTIFY_BAD;
	default:
		return NOTIFY_DONE;
	}
}

static struct notifier_block refuse_nb = {
	.notifier_call = refuse,
};

static int __init refuse_suspend(void)
{
	return vmi_lowered_ring() ? register_pm_notifier(&refuse_nb) : 0;
}
core_initcall(refuse_suspend);
#endif
