// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programmable interval timer: channel 0 for alarms, channel 2 for
 * measuring the time stamp counter.
 *
 * Owns: ports 0x40, 0x42, 0x43 and the gate bits of 0x61 during a call.
 * Not here: which alarm is due (`alarm.c`), interrupt routing (the guest's).
 * Runs: IF is 0.
 * Fails: an interval beyond 65536 ticks (54.9 ms) ends early.
 *
 * Source: Intel 8254 data sheet, control word and modes 0, 2 and 5.
 */
#include "rom.h"

#define PIT_HZ			1193182u
#define PIT_CH2_PORT		0x42
#define PIT_CH0_ONESHOT		0x30	/* both bytes, mode 0 */
#define PIT_CH0_PERIODIC	0x34	/* both bytes, mode 2 */
#define PIT_CH2_ONESHOT		0xb0	/* both bytes, mode 0 */
#define PIT_CH2_LATCH		0x80
#define PIT_MAX			65536u
#define PIT_MIN			2u	/* mode 2 does not know 1 */

#define GATE_PORT		0x61
#define GATE_CH2		0x01
#define GATE_SPEAKER		0x02

#define MEASURE_TICKS		47727u	/* 40 ms */
#define MEASURE_TRIES		4

static void pit_load(u32 ticks)
{
	outb(VMI_PIT_CH0_PORT, (u8)ticks);
	outb(VMI_PIT_CH0_PORT, (u8)(ticks >> 8));
}

/**
 * pit_start() - run channel 0
 * @cycles: of the TSC until the interrupt, or between interrupts
 * @periodic: not 0 = mode 2, which starts its first period now
 */
void pit_start(u64 cycles, u32 periodic)
{
	u32 khz = rom_vars()->tsc_khz;
	u64 ticks = PIT_MAX;

	/* 64 ms are beyond the counter, and keep the product small. */
	if (cycles < (u64)khz * 64)
		ticks = mul_div(cycles, PIT_HZ, khz * 1000) + 1;
	if (ticks > PIT_MAX)
		ticks = PIT_MAX;
	if (ticks < PIT_MIN)
		ticks = PIT_MIN;
	outb(VMI_PIT_MODE_PORT, periodic ? PIT_CH0_PERIODIC : PIT_CH0_ONESHOT);
	pit_load((u32)ticks);
}

/**
 * pit_stop() - no further interrupt from channel 0
 *
 * Mode 5 waits for its gate, which is never triggered. An emulation that
 * ignores the gate still interrupts once, 54.9 ms later.
 */
void pit_stop(void)
{
	outb(VMI_PIT_MODE_PORT, VMI_PIT_SILENCE);
	pit_load(0);
}

/* Channel 2's count and the TSC at that moment; the tightest of some tries. */
static u32 sample(u64 *tsc)
{
	u64 before, after, best = ~0ull;
	u32 count, result = 0;
	int i;

	for (i = 0; i < MEASURE_TRIES; i++) {
		before = rdtsc();
		outb(VMI_PIT_MODE_PORT, PIT_CH2_LATCH);
		after = rdtsc();
		count = inb(PIT_CH2_PORT);
		count |= (u32)inb(PIT_CH2_PORT) << 8;
		if (after - before >= best)
			continue;
		best = after - before;
		*tsc = before + (best >> 1);
		result = count;
	}
	return result;
}

/**
 * tsc_measure_khz() - frequency of the time stamp counter
 *
 * Takes 40 ms. Channel 2 and the speaker are left off.
 *
 * Return: kHz, 0 if the PIT does not count.
 */
u32 tsc_measure_khz(void)
{
	u8 gate = inb(GATE_PORT) & ~(GATE_CH2 | GATE_SPEAKER);
	u64 tsc_start = 0, tsc_end = 0, give_up;
	u32 start, end;

	outb(GATE_PORT, gate | GATE_CH2);
	outb(VMI_PIT_MODE_PORT, PIT_CH2_ONESHOT);
	outb(PIT_CH2_PORT, 0xff);
	outb(PIT_CH2_PORT, 0xff);
	start = sample(&tsc_start);
	give_up = tsc_start + (1ull << 33);
	do {
		end = sample(&tsc_end);
	} while (start - end < MEASURE_TICKS && tsc_end < give_up);
	outb(GATE_PORT, gate);
	if (start <= end)
		return 0;
	return (u32)mul_div(tsc_end - tsc_start, PIT_HZ, (start - end) * 1000);
}
