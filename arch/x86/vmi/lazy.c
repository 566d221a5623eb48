// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lazy modes through SetLazyMode, and the ROM's view of lowmem.
 *
 * Owns: when this CPU changes its lazy mode, and nesting; SetLinearMapping.
 * Not here: the mode itself and who asks for it (`arch/x86/paravirt/lazy.c`).
 * Runs: on any CPU. Enter and leave inside an interrupt are ignored: the mode belongs
 *       to the task that was interrupted. A flush there is honoured.
 *
 * The ABI's modes do not nest, so nesting is counted here. A context switch takes the
 * CPU out of mode 1 and remembers that in a flag of the task; the count is not kept,
 * and a leave too many does nothing. To leave early is always right.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <asm/pgtable.h>
#include <asm/pgtable_areas.h>
#include <asm/pv_backend.h>
#include <asm/setup.h>

#include "call.h"
#include "driver.h"
#include "ops.h"

/* How often mode 1 was entered. */
static DEFINE_PER_CPU(unsigned int, mmu_depth);

static_assert((int)PARAVIRT_LAZY_NONE == VMI_LAZY_OFF);
static_assert((int)PARAVIRT_LAZY_MMU == VMI_LAZY_MMU);
static_assert((int)PARAVIRT_LAZY_CPU == VMI_LAZY_CPU);

/* In this order: see vmi_mmu_lazy_flush(). */
static void set_mode(enum paravirt_lazy_mode mode)
{
	this_cpu_write(pv_lazy_mode, mode);
	vmi_entry_SetLazyMode(mode);
}

static void start_mmu(void)
{
	this_cpu_write(mmu_depth, 1);
	set_mode(PARAVIRT_LAZY_MMU);
}

void vmi_mmu_lazy_enter(void)
{
	if (in_interrupt())
		return;

	preempt_disable();
	if (this_cpu_read(pv_lazy_mode) == PARAVIRT_LAZY_MMU)
		this_cpu_inc(mmu_depth);
	else
		start_mmu();
	preempt_enable();
}

void vmi_mmu_lazy_leave(void)
{
	if (in_interrupt())
		return;

	preempt_disable();
	if (this_cpu_read(pv_lazy_mode) == PARAVIRT_LAZY_MMU && !this_cpu_dec_return(mmu_depth))
		set_mode(PARAVIRT_LAZY_NONE);
	preempt_enable();
}

/*
 * Going through mode 0 is what flushes. An interrupt may come between the two steps of
 * set_mode(), so that there the ROM may still be in a mode that was left.
 */
void vmi_mmu_lazy_flush(void)
{
	enum paravirt_lazy_mode mode;

	preempt_disable();
	mode = this_cpu_read(pv_lazy_mode);
	if (mode == PARAVIRT_LAZY_MMU || in_interrupt()) {
		vmi_entry_SetLazyMode(VMI_LAZY_OFF);
		if (mode != PARAVIRT_LAZY_NONE)
			vmi_entry_SetLazyMode(mode);
	}
	preempt_enable();
}

void vmi_cpu_start_context_switch(struct task_struct *prev)
{
	if (this_cpu_read(pv_lazy_mode) == PARAVIRT_LAZY_MMU) {
		set_mode(PARAVIRT_LAZY_NONE);
		set_ti_thread_flag(task_thread_info(prev), TIF_LAZY_MMU_UPDATES);
	}
	set_mode(PARAVIRT_LAZY_CPU);
}

void vmi_cpu_end_context_switch(struct task_struct *next)
{
	set_mode(PARAVIRT_LAZY_NONE);
	if (test_and_clear_ti_thread_flag(task_thread_info(next), TIF_LAZY_MMU_UPDATES))
		start_mmu();
}

/**
 * vmi_map_lowmem() - tell the ROM how entry addresses translate
 *
 * Covers as much as lowmem can be, since its end is not known at activation.
 *
 * Context: once per CPU, before its first page-table call.
 */
void notrace vmi_map_lowmem(void)
{
	if (vmi_has(VMI_CALL_SetLinearMapping))
		vmi_entry_SetLinearMapping(VMI_LINEAR_MAP_LOWMEM, PAGE_OFFSET, MAXMEM_PFN, 0);
}

void notrace vmi_cpu_ap_init(void)
{
	vmi_map_lowmem();
}
