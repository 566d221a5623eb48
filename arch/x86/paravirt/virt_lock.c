// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fair or unfair spinlocks.
 *
 * Owns: the key that lets guests without lock ops fall back to test-and-set locks,
 *       since a fair lock waits for whoever is next even if that CPU does not run.
 */
#include <linux/init.h>
#include <linux/jump_label.h>
#include <asm/cpufeature.h>
#include <asm/qspinlock.h>

DEFINE_STATIC_KEY_TRUE(virt_spin_lock_key);

/**
 * native_pv_lock_init() - take fair locks where nobody takes CPUs away
 * Context: boot CPU, before others run.
 */
void __init native_pv_lock_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_HYPERVISOR))
		static_branch_disable(&virt_spin_lock_key);
}
