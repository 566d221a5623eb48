// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the ops that allow a backend to queue: lazy MMU mode and context switch.
 *
 * The mode is what paravirt_get_lazy_mode() says. Natively it stays NONE; a backend
 * that took the op must be in the mode that the op names. Preemption is off from the
 * first step to the last.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <asm/pgtable.h>
#include "probe.h"

static void expect_mode(struct pv_probe *p, u32 seen, enum paravirt_lazy_mode mode)
{
	KUNIT_EXPECT_EQ(p->test, seen, pv_is_native(p) ? PARAVIRT_LAZY_NONE : (u32)mode);
}

/* Sections nest: the inner leave keeps the mode. */
void pv_test_mmu_lazy_enter(struct pv_probe *p)
{
	u32 once, twice, left_once, left;

	preempt_disable();
	pv_call(p);
	once = paravirt_get_lazy_mode();
	pv_call(p);
	twice = paravirt_get_lazy_mode();
	arch_leave_lazy_mmu_mode();
	left_once = paravirt_get_lazy_mode();
	arch_leave_lazy_mmu_mode();
	left = paravirt_get_lazy_mode();
	preempt_enable();

	expect_mode(p, once, PARAVIRT_LAZY_MMU);
	expect_mode(p, twice, PARAVIRT_LAZY_MMU);
	expect_mode(p, left_once, PARAVIRT_LAZY_MMU);
	expect_mode(p, left, PARAVIRT_LAZY_NONE);
}

/* What was queued must be in memory after a leave or a flush. */
static u32 write_lazily(struct pv_probe *p, pte_t *entry)
{
	arch_enter_lazy_mmu_mode();
	set_pte(entry, native_make_pte(0x1230));
	pv_call(p);
	return native_pte_val(*entry);
}

void pv_test_mmu_lazy_leave(struct pv_probe *p)
{
	pte_t *table = pv_page_get(p, PV_LEVEL_PTE);
	u32 entry, left, again;

	preempt_disable();
	entry = write_lazily(p, table);
	left = paravirt_get_lazy_mode();
	pv_call(p);	/* one too many does nothing */
	again = paravirt_get_lazy_mode();
	preempt_enable();
	pv_page_put(table, PV_LEVEL_PTE);

	KUNIT_EXPECT_EQ(p->test, entry, 0x1230u);
	expect_mode(p, left, PARAVIRT_LAZY_NONE);
	expect_mode(p, again, PARAVIRT_LAZY_NONE);
}

void pv_test_mmu_lazy_flush(struct pv_probe *p)
{
	pte_t *table = pv_page_get(p, PV_LEVEL_PTE);
	u32 entry, flushed;

	preempt_disable();
	entry = write_lazily(p, table);
	flushed = paravirt_get_lazy_mode();
	arch_leave_lazy_mmu_mode();
	preempt_enable();
	pv_page_put(table, PV_LEVEL_PTE);

	KUNIT_EXPECT_EQ(p->test, entry, 0x1230u);
	expect_mode(p, flushed, PARAVIRT_LAZY_MMU);
}

/* From this task to itself, out of lazy MMU mode and back into it. */
void pv_test_cpu_start_context_switch(struct pv_probe *p)
{
	u32 between, after;

	preempt_disable();
	arch_enter_lazy_mmu_mode();
	pv_call(p, (u32)current);
	between = paravirt_get_lazy_mode();
	arch_end_context_switch(current);
	after = paravirt_get_lazy_mode();
	arch_leave_lazy_mmu_mode();
	preempt_enable();

	expect_mode(p, between, PARAVIRT_LAZY_CPU);
	expect_mode(p, after, PARAVIRT_LAZY_MMU);
}

void pv_test_cpu_end_context_switch(struct pv_probe *p)
{
	u32 after;

	preempt_disable();
	arch_start_context_switch(current);
	pv_call(p, (u32)current);
	after = paravirt_get_lazy_mode();
	preempt_enable();

	expect_mode(p, after, PARAVIRT_LAZY_NONE);
}
