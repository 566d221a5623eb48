// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the lock ops, on a lock that nobody else knows.
 */
#include <linux/preempt.h>
#include <linux/smp.h>
#include <asm/qspinlock.h>
#include "probe.h"

void pv_test_lock_queued_spin_lock_slowpath(struct pv_probe *p)
{
	struct qspinlock lock = __ARCH_SPIN_LOCK_UNLOCKED;
	u32 held;

	preempt_disable();
	pv_call(p, (u32)&lock, 0);
	held = atomic_read(&lock.val);
	pv_queued_spin_unlock(&lock);
	preempt_enable();

	KUNIT_EXPECT_EQ(p->test, held & _Q_LOCKED_MASK, (u32)_Q_LOCKED_VAL);
}

/* Who waits, as told by the other bytes, must not be forgotten. */
void pv_test_lock_queued_spin_unlock(struct pv_probe *p)
{
	struct qspinlock lock = { .val = ATOMIC_INIT(_Q_LOCKED_VAL) };
	struct qspinlock wanted = { .val = ATOMIC_INIT(_Q_LOCKED_VAL | _Q_PENDING_VAL) };

	preempt_disable();
	pv_call(p, (u32)&lock);
	if (pv_is_native(p))
		pv_call(p, (u32)&wanted);
	preempt_enable();

	KUNIT_EXPECT_EQ(p->test, atomic_read(&lock.val), 0);
	if (pv_is_native(p))
		KUNIT_EXPECT_EQ(p->test, atomic_read(&wanted.val), (int)_Q_PENDING_VAL);
}

/* Returns at once, since the byte is not the one to wait for. */
void pv_test_lock_wait(struct pv_probe *p)
{
	u8 byte = 1;

	preempt_disable();
	pv_call(p, (u32)&byte, 0);
	preempt_enable();
	KUNIT_EXPECT_EQ(p->test, byte, (u8)1);
}

void pv_test_lock_kick(struct pv_probe *p)
{
	preempt_disable();
	pv_call(p, smp_processor_id());
	preempt_enable();
}
