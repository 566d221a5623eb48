// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test of the question whether a CPU runs, which UP guests ask, too.
 */
#include <linux/preempt.h>
#include <linux/smp.h>
#include "probe.h"

/* This CPU runs. Natively every number is answered so: take one that is not the answer. */
void pv_test_lock_vcpu_is_preempted(struct pv_probe *p)
{
	u8 preempted, any = 0;

	preempt_disable();
	preempted = pv_call(p, smp_processor_id());
	if (pv_is_native(p))
		any = pv_call(p, 0x7f);
	preempt_enable();
	KUNIT_EXPECT_EQ(p->test, preempted, (u8)0);
	KUNIT_EXPECT_EQ(p->test, any, (u8)0);
}
