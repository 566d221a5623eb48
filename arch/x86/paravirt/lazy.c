// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lazy modes: which kind of update may be queued on this CPU.
 *
 * Owns: the mode, and how it survives a context switch.
 * Not here: what a backend does on a change of mode.
 * Natively all lazy ops are padding, so the mode stays PARAVIRT_LAZY_NONE.
 */
#include <linux/percpu.h>
#include <linux/preempt.h>
#include "ops.h"

DEFINE_PER_CPU(enum paravirt_lazy_mode, pv_lazy_mode);

/**
 * paravirt_get_lazy_mode() - what may be queued right now
 *
 * An interrupt handler must not rely on what it interrupted: there nothing is queued.
 *
 * Context: any, with preemption off or a result that may be stale.
 * Return: the mode of this CPU.
 */
enum paravirt_lazy_mode paravirt_get_lazy_mode(void)
{
	if (in_interrupt())
		return PARAVIRT_LAZY_NONE;
	return this_cpu_read(pv_lazy_mode);
}
