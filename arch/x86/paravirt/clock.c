// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clock hooks. These are stock static calls, which the kernel patches to direct calls
 * by itself, so they are no ops of the table.
 */
#include <linux/export.h>
#include <linux/jump_label.h>
#include <linux/static_call.h>
#include <asm/paravirt.h>
#include <asm/timer.h>

struct static_key paravirt_steal_enabled;
struct static_key paravirt_steal_rq_enabled;

/* On hardware nobody takes time away. */
static u64 native_steal_clock(int cpu)
{
	return 0;
}

DEFINE_STATIC_CALL(pv_steal_clock, native_steal_clock);
DEFINE_STATIC_CALL(pv_sched_clock, native_sched_clock);

/* The scheduler's clock is the static call itself: no function in between. */
asm(".globl sched_clock\n"
    ".set sched_clock, " STATIC_CALL_TRAMP_STR(pv_sched_clock) "\n");

/**
 * paravirt_set_sched_clock() - replace the scheduler's clock
 * @func: returns ns since some fixed moment, never going back on one CPU
 *
 * Context: init, one CPU.
 */
void paravirt_set_sched_clock(u64 (*func)(void))
{
	static_call_update(pv_sched_clock, func);
}
