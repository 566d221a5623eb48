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

u32 time_init(void);
void alarm_set(u32 flags, u64 expiry, u64 period);
u32 alarm_cancel(u32 flags);
void alarm_reset(void);
u64 wallclock(void);
u32 alarm_lvtt(u32 value);
#define ALARM_IRQ0	0
#define ALARM_LVTT	1

int alarm_interrupt(u32 wiring);
u32 alarm_in_use(void);
void alarm_unmasked(void);
void alarm_timer_written(void);
int alarm_owns_pit(u32 port, u32 value);

#endif /* _MONITOR_TIME_H */
