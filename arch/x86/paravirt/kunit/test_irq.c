// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the irq ops: the interrupt flag, halting, the kernel exit.
 *
 * Not here: a return to another ring, which every program on the machine tests.
 */
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <asm/processor-flags.h>
#include "probe.h"

#define ARITHMETIC	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | \
			 X86_EFLAGS_ZF | X86_EFLAGS_SF | X86_EFLAGS_OF)

static void return_with(struct pv_probe *p, u32 flags)
{
	bool on;

	local_irq_disable();
	pv_call_iret(p, X86_EFLAGS_FIXED | flags);
	on = pv_irqs_on();
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, on, !!(flags & X86_EFLAGS_IF));
	KUNIT_EXPECT_EQ(p->test, p->out[PV_REG_EFLAGS] & ARITHMETIC, flags & ARITHMETIC);
}

void pv_test_irq_iret(struct pv_probe *p)
{
	p->may_change_if = true;
	return_with(p, ARITHMETIC);
	return_with(p, X86_EFLAGS_IF);
	return_with(p, X86_EFLAGS_IF | X86_EFLAGS_CF | X86_EFLAGS_OF);
}

void pv_test_irq_save_fl(struct pv_probe *p)
{
	u32 on, off, hardware = 0;

	on = pv_call(p);
	local_irq_disable();
	off = pv_call(p);
	if (pv_at_ring0())
		hardware = native_save_fl();
	local_irq_enable();

	KUNIT_EXPECT_TRUE(p->test, on & X86_EFLAGS_IF);
	KUNIT_EXPECT_FALSE(p->test, off & X86_EFLAGS_IF);
	KUNIT_EXPECT_FALSE(p->test, hardware & X86_EFLAGS_IF);
}

/* From one state to the other, and once to the state that is already there. */
static void change_irqs(struct pv_probe *p, bool wanted)
{
	bool first, second;

	p->may_change_if = true;
	if (wanted)
		local_irq_disable();
	pv_call(p);
	first = pv_irqs_on();
	pv_call(p);
	second = pv_at_ring0() ? native_save_fl() & X86_EFLAGS_IF : pv_irqs_on();
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, first, wanted);
	KUNIT_EXPECT_EQ(p->test, second, wanted);
}

void pv_test_irq_irq_disable(struct pv_probe *p)
{
	change_irqs(p, false);
}

void pv_test_irq_irq_enable(struct pv_probe *p)
{
	change_irqs(p, true);
}

static bool fired;

static enum hrtimer_restart fire(struct hrtimer *timer)
{
	WRITE_ONCE(fired, true);
	return HRTIMER_NORESTART;
}

/* The halt may end by another interrupt, hence the loop; the tick always comes. */
void pv_test_irq_safe_halt(struct pv_probe *p)
{
	unsigned int halts = 0, woken_masked = 0;
	struct hrtimer timer;

	p->may_change_if = true;
	fired = false;
	hrtimer_init_on_stack(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = fire;
	preempt_disable();
	local_irq_disable();
	hrtimer_start(&timer, ms_to_ktime(1), HRTIMER_MODE_REL_PINNED_HARD);
	while (!READ_ONCE(fired) && halts++ < 1000) {
		pv_call(p);
		woken_masked += !pv_irqs_on();
		local_irq_disable();
	}
	local_irq_enable();
	preempt_enable();
	hrtimer_cancel(&timer);
	destroy_hrtimer_on_stack(&timer);

	KUNIT_EXPECT_TRUE(p->test, fired);
	KUNIT_EXPECT_EQ(p->test, woken_masked, 0u);
}

/* A backend may take it for the end of the machine, as VMI's Shutdown is. */
void pv_test_irq_halt(struct pv_probe *p)
{
	KUNIT_EXPECT_NOT_NULL(p->test, pv_ops.irq.halt);
	kunit_mark_skipped(p->test, "not called: it may stop this CPU or the machine");
}
