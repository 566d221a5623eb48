/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time, as the rest of the monitor calls it.
 *
 * Owns: prototypes of `time.c`, which does not know the rest: it is built on
 * the code that all ROMs share.
 */
#ifndef _MONITOR_TIME_H
#define _MONITOR_TIME_H

#include <linux/types.h>

u64 alarm_stolen(void);
u32 time_init(void);
void alarm_set(u32 flags, u64 expiry, u64 period);
u32 alarm_cancel(u32 flags);
void alarm_reset(void);
u64 wallclock(void);
u32 alarm_lvtt(u32 value);
int alarm_interrupt(u32 vector);
void alarm_unmasked(void);
int timer_is_lvtt(u32 vector);
int timer_is_irq0(u32 vector);
void timer_eoi_lapic(void);
void timer_eoi_irq0(u32 vector);
int alarm_owns_pit(u32 port, u32 value);

#endif /* _MONITOR_TIME_H */
