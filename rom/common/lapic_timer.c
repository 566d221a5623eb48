// SPDX-License-Identifier: GPL-2.0-only
/*
 * The local APIC's timer.
 *
 * Owns: its rate, starting and stopping it for an alarm.
 * Not here: which alarm is due (`alarm.c`), where the APIC is (`lapic.c`).
 * Runs: IF is 0.
 * Fails: an interval longer than the counter's ends early.
 *
 * Source: SDM volume 3, section 10.5.4.
 */
#include "rom.h"

#define LAPIC_LVTT	0x320
#define LAPIC_INITIAL	0x380
#define LAPIC_CURRENT	0x390
#define LAPIC_DIVIDE	0x3e0

#define LVTT_MODE_MASK	0x60000u	/* one-shot, periodic, TSC deadline */
#define LVTT_PERIODIC	0x20000u
#define LVTT_MASKED	0x10000u
#define DIVIDE_BY_16	0x3u
#define MEASURE_MS	20
#define SAMPLE_TRIES	100
#define WIDTH_SHIFT	12		/* readings good to 1/4096 */

/*
 * The timer's count, and the TSC at that moment to within @width cycles, unless
 * something gets in between every time.
 */
static u32 timer_sample(u32 lapic, u64 width, u64 *tsc)
{
	u64 before, after;
	u32 count;
	int i = SAMPLE_TRIES;

	do {
		before = rdtsc();
		count = lapic_read(lapic, LAPIC_CURRENT);
		after = rdtsc();
	} while (after - before > width && --i);
	*tsc = before + ((after - before) >> 1);
	return count;
}

/* Frequency after the divider, by the time stamp counter. IF is 0. */
static u32 measure_khz(u32 lapic, u32 tsc_khz)
{
	u32 lvtt = lapic_read(lapic, LAPIC_LVTT);
	u64 wanted = (u64)tsc_khz * MEASURE_MS;
	u64 width = wanted >> WIDTH_SHIFT;
	u64 start, end;
	u32 ticks;

	lapic_write(lapic, LAPIC_LVTT, (lvtt & ~LVTT_MODE_MASK) | LVTT_MASKED);
	do {
		lapic_write(lapic, LAPIC_INITIAL, 0xffffffff);
		ticks = timer_sample(lapic, width, &start);
		do {
			end = rdtsc();
		} while (end - start < wanted);
		ticks -= timer_sample(lapic, width, &end);
		end -= start;
	} while (end >> 32);		/* stopped for seconds: once more */
	lapic_write(lapic, LAPIC_INITIAL, 0);
	lapic_write(lapic, LAPIC_LVTT, lvtt);
	/* A counter that stands still fires never, at whatever rate. */
	return ticks ? (u32)mul_div(ticks, tsc_khz, (u32)end) : 1;
}

/**
 * lapic_timer_start() - run the timer
 * @lapic: linear address
 * @cycles: until the interrupt, or between interrupts
 * @periodic: not 0 = periodic
 *
 * Vector and mask of LVTT stay. Longer than the counter: comes early.
 * Context: IF is 0.
 */
void lapic_timer_start(u32 lapic, u64 cycles, u32 periodic)
{
	struct rom_vars *vars = rom_vars();
	u32 lvtt = lapic_read(lapic, LAPIC_LVTT) & ~LVTT_MODE_MASK;
	u64 ticks;

	lapic_write(lapic, LAPIC_DIVIDE, DIVIDE_BY_16);
	if (!vars->lapic_khz)
		vars->lapic_khz = measure_khz(lapic, vars->tsc_khz);
	ticks = mul_div(cycles, vars->lapic_khz, vars->tsc_khz) + 1;
	if (ticks >> 32)
		ticks = 0xffffffff;
	lapic_write(lapic, LAPIC_LVTT, periodic ? lvtt | LVTT_PERIODIC : lvtt);
	lapic_write(lapic, LAPIC_INITIAL, (u32)ticks);
}

/**
 * lapic_timer_stop() - no further interrupt from the timer
 * @lapic: linear address
 */
void lapic_timer_stop(u32 lapic)
{
	lapic_write(lapic, LAPIC_INITIAL, 0);
}
