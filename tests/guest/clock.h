/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time for the tests of alarms.
 *
 * Owns: declarations of `time.c`.
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

#endif /* _CLOCK_H */
