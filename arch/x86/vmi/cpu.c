// SPDX-License-Identifier: GPL-2.0-only
/*
 * Descriptor tables, task register, kernel stack and halt through the ROM.
 *
 * Owns: the driver's side of the cpu ops, and irq.halt.
 * Not here: CPUID (`stubs.S`), calls whose entry is the op itself.
 * Runs: on any CPU, in any context.
 *
 * The kernel loads its GDT and IDT through the read-only aliases in the CPU entry area
 * but writes descriptors through other addresses. A ROM may know a table by its
 * address, so below ring 0 it is told the one that writes go to. At ring 0 the hardware
 * uses what is loaded, also on the user's page tables, which map the aliases only.
 */
#include <linux/irqflags.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/cpu_entry_area.h>
#include <asm/desc.h>
#include <asm/processor.h>

#include "call.h"
#include "driver.h"
#include "ops.h"

#define SELECTOR(entry)	((entry) * 8)

/*
 * What load_tls wrote last on each CPU. Most switches change one descriptor of three or
 * none, and each is a call. Not read from the GDT: the ROM may store what it likes there.
 */
static DEFINE_PER_CPU(u32 [GDT_ENTRY_TLS_ENTRIES][2], tls_written);

void vmi_cpu_load_gdt(const struct desc_ptr *dtr)
{
	unsigned int cpu = raw_smp_processor_id();
	struct desc_ptr canonical = *dtr;

	if (vmi.ring && dtr->address == (unsigned long)get_cpu_gdt_ro(cpu))
		canonical.address = (unsigned long)get_cpu_gdt_rw(cpu);
	/* Unlike any TLS descriptor: these have bit L clear. */
	memset(per_cpu(tls_written, cpu), 0xff, sizeof(tls_written));
	vmi_entry_SetGDT(&canonical);
}

void vmi_cpu_load_idt(const struct desc_ptr *dtr)
{
	struct desc_ptr canonical = *dtr;

	if (vmi.ring && dtr->address == CPU_ENTRY_AREA_RO_IDT)
		canonical.address = vmi.idt;
	vmi_entry_SetIDT(&canonical);
}

void vmi_cpu_load_tr_desc(void)
{
	vmi_entry_SetTR(SELECTOR(GDT_ENTRY_TSS));
}

void vmi_cpu_set_ldt(const void *addr, unsigned int entries)
{
	unsigned int cpu = raw_smp_processor_id();
	ldt_desc ldt;

	if (!entries) {
		vmi_entry_SetLDT(0);
		return;
	}
	set_tssldt_descriptor(&ldt, (unsigned long)addr, DESC_LDT,
			      entries * LDT_ENTRY_SIZE - 1);
	write_gdt_entry(get_cpu_gdt_rw(cpu), GDT_ENTRY_LDT, &ldt, DESC_LDT);
	vmi_entry_SetLDT(SELECTOR(GDT_ENTRY_LDT));
}

void vmi_cpu_write_gdt_entry(void *table, int entry, const void *desc)
{
	const u32 *half = desc;

	vmi_entry_WriteGDTEntry(table, entry, half[0], half[1]);
}

void vmi_cpu_write_ldt_entry(void *table, int entry, const void *desc)
{
	const u32 *half = desc;

	vmi_entry_WriteLDTEntry(table, entry, half[0], half[1]);
}

void vmi_cpu_write_idt_entry(void *table, int entry, const void *desc)
{
	const u32 *half = desc;

	vmi_entry_WriteIDTEntry(table, entry, half[0], half[1]);
}

static noinline void write_tls(unsigned int i, const u32 *half)
{
	this_cpu_write(tls_written[i][0], half[0]);
	this_cpu_write(tls_written[i][1], half[1]);
	vmi_cpu_write_gdt_entry(get_cpu_gdt_rw(smp_processor_id()), GDT_ENTRY_TLS_MIN + i, half);
}

static __always_inline void update_tls(unsigned int i, const struct desc_struct *desc)
{
	const u32 *half = (const u32 *)desc;

	if (unlikely(half[0] != this_cpu_read(tls_written[i][0]) ||
		     half[1] != this_cpu_read(tls_written[i][1])))
		write_tls(i, half);
}

/* Every switch comes by here: written out, since the compiler would make it a loop. */
void vmi_cpu_load_tls(struct thread_struct *t, unsigned int cpu)
{
	static_assert(GDT_ENTRY_TLS_ENTRIES == 3);

	update_tls(0, &t->tls_array[0]);
	update_tls(1, &t->tls_array[1]);
	update_tls(2, &t->tls_array[2]);
}

/* The entry code reads sp0 from the TSS, too. */
void vmi_cpu_load_sp0(unsigned long sp0)
{
	this_cpu_write(cpu_tss_rw.x86_tss.sp0, sp0);
	vmi_entry_UpdateKernelStack(__KERNEL_DS, sp0);
}

/*
 * A halt that nothing can end is what Shutdown is for; with interrupts on, the caller
 * waits for one.
 */
void vmi_irq_halt(void)
{
	if (irqs_disabled())
		vmi_entry_Shutdown();
	else
		arch_safe_halt();
}
