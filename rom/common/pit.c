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
#define GATE_OUT		0x20	/* channel 2's output: count is over */
#define GATE_KEEP		0x0c	/* the other writable bits, speaker off */

#define MEASURE_TICKS		23864u	/* 20 ms */
#define MEASURE_TRIES		50
#define SAMPLE_TRIES		4
#define WIDTH_SHIFT		10	/* readings good to 1/1024 */
#define GIVE_UP_CYCLES		(1ull << 33)

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

/* A reading of channel 2: the TSC is known to @width cycles. */
struct sample {
	u64	tsc;
	u64	width;
	u32	count;
};

/* The tightest of some readings: an SMI or a hypervisor may get in between. */
static void sample(struct sample *best)
{
	u64 before, after;
	u32 count;
	int i;

	best->width = ~0ull;
	for (i = 0; i < SAMPLE_TRIES; i++) {
		before = rdtsc();
		outb(VMI_PIT_MODE_PORT, PIT_CH2_LATCH);
		after = rdtsc();
		count = inb(PIT_CH2_PORT);
		count |= (u32)inb(PIT_CH2_PORT) << 8;
		if (after - before >= best->width)
			continue;
		best->width = after - before;
		best->tsc = before + (best->width >> 1);
		best->count = count;
	}
}

/*
 * One measurement. Returns kHz, or 0 when the count ran through 0 before it was
 * read, or was read too late to be of use.
 */
static u32 measure(u8 gate)
{
	struct sample start, end;
	u64 give_up, cycles;

	outb(GATE_PORT, gate & ~GATE_CH2);
	outb(VMI_PIT_MODE_PORT, PIT_CH2_ONESHOT);
	outb(PIT_CH2_PORT, 0xff);
	outb(PIT_CH2_PORT, 0xff);
	outb(GATE_PORT, gate | GATE_CH2);
	sample(&start);
	give_up = start.tsc + GIVE_UP_CYCLES;
	do {
		sample(&end);
	} while (start.count - end.count < MEASURE_TICKS && end.tsc < give_up);
	if (inb(GATE_PORT) & GATE_OUT || start.count <= end.count)
		return 0;
	cycles = end.tsc - start.tsc;
	if ((start.width + end.width) << WIDTH_SHIFT > cycles)
		return 0;
	return (u32)mul_div(cycles, PIT_HZ, (start.count - end.count) * 1000);
}

/**
 * tsc_measure_khz() - frequency of the time stamp counter
 *
 * Takes 20 ms when nothing disturbs it, and is repeated otherwise. Channel 2
 * and the speaker are left off.
 *
 * Return: kHz, 0 if the PIT cannot be measured with.
 */
u32 tsc_measure_khz(void)
{
	u8 gate = inb(GATE_PORT) & GATE_KEEP;
	u32 khz = 0;
	int i;

	for (i = 0; i < MEASURE_TRIES && !khz; i++)
		khz = measure(gate);
	outb(GATE_PORT, gate);
	return khz;
}
