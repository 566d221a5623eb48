/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time for the tests of alarms.
 *
 * Owns: declarations of `time.c` and `alarm.c`.
 * Runs: after the row of call 66, which sets @khz.
 */
#ifndef _CLOCK_H
#define _CLOCK_H

#include "guest.h"

#define TIMEOUT_MS	5000
#define QUIET_MS	20

#define LVTT		0x320
#define LVTT_MASKED	0x10000

extern u32 khz;
u64 ms(u32 n);
u64 now(void);				/* real cycles */
u64 stamp(u64 tsc);			/* the same, of a time that RDTSC gave */
u64 cycles(u32 counter);
u64 result64(void);
int wait_for(volatile u32 *count, u32 n);
u32 quiet(volatile u32 *count, u32 time_ms);
void drain(void);
int pit_goes_on(u32 before, u64 stop);

/* alarm.c */
#define PIT_NEAR_MS	40		/* less than its range, and long for a busy host */
#define TRIES		8

const char *set_alarm(u32 flags, u64 expiry, u64 period);
u32 cancel(u32 flags);
const char *set_lvtt(u32 value);
const char *oneshot(u32 flags, volatile u32 *count, volatile u64 *tsc);
const char *periodic(u32 flags, volatile u32 *count);
const char *t_series(u32 flags, volatile u32 *count, volatile u64 *log);
u32 set_and_cancel(u32 flags, u32 time_ms, u32 cancel_flags);
extern u64 cancelled;			/* TSC before the last cancel of that */
void alarm_again(void);

#endif /* _CLOCK_H */
