// SPDX-License-Identifier: GPL-2.0-only
/*
 * The local APIC through the ROM.
 *
 * Owns: register access (calls 63, 64) and the ways to send IPIs, in every APIC driver.
 * Not here: starting APs (`smp.c`), the local timer (`time.c`).
 * Runs: set up at activation, before the kernel chooses a driver; used on any CPU.
 * Fails: unless the ROM has both calls, the APIC is accessed as memory.
 *
 * Registers are named by their linear address, as the specification has it. Historical
 * 3.0 guests passed the bare offset: a ROM that serves those looks at the low 12 bits.
 */
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/fixmap.h>
#include <asm/irq_vectors.h>
#include <asm/smp.h>

#include "call.h"
#include "driver.h"

static u32 read_register(u32 reg)
{
	return vmi_entry_APICRead(APIC_BASE + reg);
}

static void write_register(u32 reg, u32 val)
{
	vmi_entry_APICWrite(APIC_BASE + reg, val);
}

#ifdef CONFIG_SMP
/* The stock functions go to memory: a fault per access when the page is not mapped. */
static void wait_idle(void)
{
	while (read_register(APIC_ICR) & APIC_ICR_BUSY)
		cpu_relax();
}

static u32 command(u32 destination, int vector)
{
	if (vector == NMI_VECTOR)
		return destination | APIC_DM_NMI;
	return destination | APIC_DM_FIXED | vector;
}

static void send_to_all_of(u32 shorthand, int vector)
{
	wait_idle();
	write_register(APIC_ICR, command(shorthand, vector));
}

/* IRQs are off: ICR2 and ICR belong together. */
static void send_to_cpu(int cpu, int vector)
{
	wait_idle();
	write_register(APIC_ICR2, SET_XAPIC_DEST_FIELD(per_cpu(x86_cpu_to_apicid, cpu)));
	write_register(APIC_ICR, command(APIC_DEST_PHYSICAL, vector));
}

static void send_ipi(int cpu, int vector)
{
	unsigned long flags;

	local_irq_save(flags);
	send_to_cpu(cpu, vector);
	local_irq_restore(flags);
}

static void send_ipi_mask(const struct cpumask *mask, int vector)
{
	unsigned long flags;
	unsigned int cpu;

	local_irq_save(flags);
	for_each_cpu(cpu, mask)
		send_to_cpu(cpu, vector);
	local_irq_restore(flags);
}

static void send_ipi_mask_allbutself(const struct cpumask *mask, int vector)
{
	unsigned long flags;
	unsigned int cpu;

	local_irq_save(flags);
	for_each_cpu(cpu, mask)
		if (cpu != smp_processor_id())
			send_to_cpu(cpu, vector);
	local_irq_restore(flags);
}

static void send_ipi_allbutself(int vector)
{
	send_to_all_of(APIC_DEST_ALLBUT, vector);
}

static void send_ipi_all(int vector)
{
	send_to_all_of(APIC_DEST_ALLINC, vector);
}

static void send_ipi_self(int vector)
{
	send_to_all_of(APIC_DEST_SELF, vector);
}

static void __init take_over_ipis(struct apic *drv)
{
	drv->send_IPI = send_ipi;
	drv->send_IPI_mask = send_ipi_mask;
	drv->send_IPI_mask_allbutself = send_ipi_mask_allbutself;
	drv->send_IPI_allbutself = send_ipi_allbutself;
	drv->send_IPI_all = send_ipi_all;
	drv->send_IPI_self = send_ipi_self;
}
#else
static void __init take_over_ipis(struct apic *drv) { }
#endif

/**
 * vmi_apic_apply() - reach the local APIC through the ROM
 */
void __init vmi_apic_apply(void)
{
	struct apic **drv;

	if (!vmi_has(VMI_CALL_APICRead) || !vmi_has(VMI_CALL_APICWrite))
		return;
	for (drv = __apicdrivers; drv < __apicdrivers_end; drv++) {
		(*drv)->read = read_register;
		(*drv)->write = write_register;
		(*drv)->eoi_write = write_register;
		take_over_ipis(*drv);
	}
}
