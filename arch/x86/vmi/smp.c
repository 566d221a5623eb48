// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts and ends APs.
 *
 * Owns: the way an AP enters the kernel (call 62) and, at a lowered ring, leaves it.
 * Not here: what the state block holds (`apstate.c`), an AP's first action (`lazy.c`).
 * Runs: set up at activation; on the boot CPU, one AP at a time.
 * Fails: without call 62 APs start through the real-mode trampoline, which only ring 0
 *        allows.
 */
#include <linux/delay.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/desc.h>
#include <asm/msr.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/processor-flags.h>
#include <asm/realmode.h>
#include <asm/smp.h>
#include <asm/tlbflush.h>

#include "apstate.h"
#include "call.h"
#include "driver.h"

/* Waits that old CPUs need around INIT and STARTUP. Source: MP specification 1.4. */
#define INIT_WAIT_MS	10
#define STARTUP_WAIT_US	300
#define STARTUP_TRIES	2

static u64 efer(void)
{
	u64 val = 0;

	if (boot_cpu_has(X86_FEATURE_NX))
		rdmsrl(MSR_EFER, val);
	return val;
}

/*
 * do_boot_cpu() has left for the trampoline what the AP needs: its stack, its GDT and
 * the function to run, which takes one argument in EAX and must not return: the stack
 * begins with a return address of 0.
 */
static void fill(struct vmi_ap_state *ap)
{
	struct vmi_ap_boot boot = {
		.cr0 = CR0_STATE,
		.cr3 = __pa(swapper_pg_dir),
		.cr4 = mmu_cr4_features,
		.efer = efer(),
		.eip = initial_code,
		.esp = initial_stack - sizeof(u32),
		.gdt = early_gdt_descr.address,
		.gdt_limit = GDT_SIZE - 1,
		.idt = vmi.idt,
		.idt_limit = IDT_ENTRIES * sizeof(gate_desc) - 1,
		.cs = __KERNEL_CS,
		.ds_kernel = __KERNEL_DS,
		.ds_user = __USER_DS,
		.percpu = __KERNEL_PERCPU,
	};

	*(u32 *)(unsigned long)boot.esp = 0;
	vmi_ap_state_fill(ap, &boot);
}

static bool waits_needed(void)
{
	return boot_cpu_data.x86 < 6;
}

static void send_init(int apicid)
{
	apic_icr_write(APIC_INT_LEVELTRIG | APIC_INT_ASSERT | APIC_DM_INIT, apicid);
	safe_apic_wait_icr_idle();
	if (waits_needed())
		mdelay(INIT_WAIT_MS);
	apic_icr_write(APIC_INT_LEVELTRIG | APIC_DM_INIT, apicid);
	safe_apic_wait_icr_idle();
}

/* The ROM ignores the vector; a CPU that it lets start natively does not. */
static int send_startup(int apicid, unsigned long start_eip)
{
	u32 unsent = 0;
	int i;

	for (i = 0; i < STARTUP_TRIES && !unsent; i++) {
		apic_icr_write(APIC_DM_STARTUP | start_eip >> PAGE_SHIFT, apicid);
		udelay(waits_needed() ? STARTUP_WAIT_US : 10);
		unsent = safe_apic_wait_icr_idle();
	}
	return unsent ? -EIO : 0;
}

/**
 * wakeup_cpu() - start an AP
 * @apicid: its local APIC id
 * @start_eip: physical address of the real-mode trampoline
 *
 * Context: boot CPU, process context; one AP at a time.
 * Return: 0, or -EIO if the APIC did not deliver.
 */
static int wakeup_cpu(int apicid, unsigned long start_eip)
{
	struct vmi_ap_state ap;

	fill(&ap);
	preempt_disable();
	send_init(apicid);
	vmi_entry_SetInitialAPState(&ap, apicid);
	preempt_enable();
	return send_startup(apicid, start_eip);
}

#ifdef CONFIG_HOTPLUG_CPU
/* Native code would use MWAIT or HLT. */
static void vmi_play_dead(void)
{
	play_dead_common();
	for (;;)
		halt();
}
#endif

/**
 * vmi_smp_apply() - let the ROM start APs
 */
void __init vmi_smp_apply(void)
{
	struct apic **drv;

	if (vmi_has(VMI_CALL_SetInitialAPState))
		for (drv = __apicdrivers; drv < __apicdrivers_end; drv++)
			(*drv)->wakeup_secondary_cpu = wakeup_cpu;
#ifdef CONFIG_HOTPLUG_CPU
	if (vmi_lowered_ring())
		smp_ops.play_dead = vmi_play_dead;
#endif
}
