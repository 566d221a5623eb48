// SPDX-License-Identifier: GPL-2.0-only
/*
 * Questions about the lock ops that stock code asks.
 *
 * Owns: whether spinlocks are native, and the CPU feature bits that say so.
 */
#include <linux/export.h>
#include <linux/init.h>
#include <linux/spinlock.h>
#include <asm/cpufeature.h>
#include "ops.h"

/**
 * pv_is_native_spin_unlock() - does a spinlock end by a plain store?
 * Context: any.
 * Return: true unless a backend took the slot.
 */
bool pv_is_native_spin_unlock(void)
{
	return pv_ops.lock.queued_spin_unlock.func == pv_native_lock_queued_spin_unlock;
}

/**
 * pv_is_native_vcpu_is_preempted() - does a CPU run whenever it is online?
 * Context: any.
 * Return: true unless a backend took the slot.
 */
bool pv_is_native_vcpu_is_preempted(void)
{
	return pv_ops.lock.vcpu_is_preempted.func == pv_native_lock_vcpu_is_preempted;
}

/**
 * paravirt_set_cap() - publish what a backend took
 * Context: boot CPU, before sites and alternatives are patched.
 */
void __init paravirt_set_cap(void)
{
	if (!pv_is_native_spin_unlock())
		setup_force_cpu_cap(X86_FEATURE_PVUNLOCK);
	if (!pv_is_native_vcpu_is_preempted())
		setup_force_cpu_cap(X86_FEATURE_VCPUPREEMPT);
}
