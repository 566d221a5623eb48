// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 35, 66, 67, 70 and 71, and waiting.
 *
 * Owns: counters, the wall clock, helpers for whoever waits for an interrupt.
 * Not here: alarms (`alarm.c`).
 * Runs: opens IF while it waits; the PIT belongs to the ROM from the first row on.
 * Fails: a text per row. Nothing here depends on the host being fast: each wait
 * ends with the event, or after 5 s.
 */
#include "clock.h"

#define DRAIN_MS	300
#define PIT_FULL_MS	54		/* 65536 ticks */
#define WALLCLOCK_SLACK	30		/* seconds since the host looked */

u32 khz;
static u64 real_minus_tsc;

static u32 div64(u64 a, u32 b)
{
	u32 q, r;

	asm("divl %4" : "=a" (q), "=d" (r) : "0" ((u32)a), "1" ((u32)(a >> 32)),
	    "r" (b));
	return q;
}

u64 ms(u32 n)
{
	return (u64)khz * n;
}

u64 stamp(u64 tsc)
{
	return tsc + real_minus_tsc;
}

u64 now(void)
{
	return stamp(rdtsc());
}

u64 cycles(u32 counter)
{
	return vmi(VMI_CALL_GetCycleCounter, counter, 0, 0);
}

u64 result64(void)
{
	return (u64)out.edx << 32 | out.eax;
}

/* Interrupts open until @n more came or the time is over. */
int wait_for(volatile u32 *count, u32 n)
{
	u64 end = rdtsc() + ms(TIMEOUT_MS);
	u32 start = *count;

	irq_on();
	while (*count - start < n && rdtsc() < end)
		asm volatile("pause");
	irq_off();
	return *count - start >= n;
}

u32 quiet(volatile u32 *count, u32 time_ms)
{
	u32 start = *count;

	irq_on();
	spin_until(rdtsc() + ms(time_ms));
	irq_off();
	return *count - start;
}

/* What a stopped PIT of an emulator may still send; a late host sends it late. */
void drain(void)
{
	u64 end = rdtsc() + ms(DRAIN_MS);
	u32 start = irq0_count;

	irq_on();
	while (irq0_count == start && rdtsc() < end)
		asm volatile("pause");
	irq_off();
}

/*
 * Not 0 if IRQ0 came after @stop, when it had been seen @before times. A PIT
 * whose gate is not emulated sends one more interrupt a full count later.
 */
int pit_goes_on(u32 before, u64 stop)
{
	u32 came = irq0_count - before;

	return came > 1 || (came == 1 && irq0_tsc < stop + ms(PIT_FULL_MS));
}

#define PIT_HZ		1193182
#define WINDOW_TICKS	59659		/* 50 ms */
#define WINDOW_MS	50

/*
 * Our own measurement, by the level of channel 2's output. A busy host makes it
 * longer, never shorter: the best of up to 40, the first that is near @khz.
 */
static u32 measure_khz(void)
{
	u32 best = ~0u, cycles;
	u64 start;
	int i;

	for (i = 0; i < 40; i++) {
		outb(0x61, (inb(0x61) & ~3) | 1);
		outb(0x43, 0xb0);
		outb(0x42, WINDOW_TICKS & 0xff);
		start = rdtsc();	/* before the count begins */
		outb(0x42, WINDOW_TICKS >> 8);
		while (!(inb(0x61) & 0x20))
			;
		cycles = (u32)(rdtsc() - start);
		if (cycles < best)
			best = cycles;
		if (best < khz * WINDOW_MS + khz / 2)
			break;
	}
	return div64((u64)best * (PIT_HZ / 1000), WINDOW_TICKS);
}

static const char *t_frequency(void)
{
	u32 own, diff;

	outb(VMI_PIT_MODE_PORT, VMI_PIT_SILENCE);
	args(0, 0, 0);
	CALL(VMI_CALL_GetCycleFrequency, R_EAX | R_EDX);
	CHECK(result64() != 0, "0: no timer");
	khz = div64(result64(), 1000);
	drain();
	own = measure_khz();
	diff = khz > own ? khz - own : own - khz;
	print("# kHz by the ROM ");
	print_dec(khz);
	print(", measured ");
	print_dec(own);
	print("\n");
	CHECK(diff < own / 32, "not the frequency of the TSC");
	return NULL;
}

/* Runs as the TSC does, and never back. */
static const char *t_real(void)
{
	u64 t0, t1, t2, t3, c0, c1, last = 0;
	u32 i;

	t0 = rdtsc();
	c0 = cycles(VMI_CYCLES_REAL);
	t1 = rdtsc();
	real_minus_tsc = c0 >= t0 && c0 <= t1 ? 0 : c0 - t1;
	for (i = 0; i < 1000; i++) {
		c1 = cycles(VMI_CYCLES_REAL);
		CHECK(c1 > last, "went back");
		last = c1;
	}
	t2 = rdtsc();
	c1 = cycles(VMI_CYCLES_REAL);
	t3 = rdtsc();
	CHECK(c1 - c0 >= t2 - t1 && c1 - c0 <= t3 - t0, "another rate than the TSC");
	args(0, 0, 0);
	CALL(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
	CHECK(result64() > c1, "went back");
	return NULL;
}

/*
 * available = real - stolen, whatever order they are read in; both run forward.
 */
static const char *t_identity(void)
{
	u64 real0, real1, stolen0, stolen1, available, last = 0;
	u32 i;

	for (i = 0; i < 1000; i++) {
		stolen0 = cycles(VMI_CYCLES_STOLEN);
		real0 = cycles(VMI_CYCLES_REAL);
		available = cycles(VMI_CYCLES_AVAILABLE);
		real1 = cycles(VMI_CYCLES_REAL);
		stolen1 = cycles(VMI_CYCLES_STOLEN);
		CHECK(available > last, "available time went back");
		last = available;
		CHECK(stolen1 >= stolen0, "stolen time went back");
		CHECK(available >= real0 - stolen1, "less available than not stolen");
		CHECK(available <= real1 - stolen0, "more available than not stolen");
		CHECK(ring || stolen1 == 0, "stolen, but nobody is there to steal");
		vmi(VMI_CALL_GetTR, 0, 0, 0);	/* something to take time */
	}
	CHECK(stolen1 < real1 && stolen1 < available, "more stolen than left");
	args(VMI_CYCLES_AVAILABLE, 0, 0);
	CALL(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
	args(VMI_CYCLES_STOLEN, 0, 0);
	CALL(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
	for (i = 3; i < 6; i++) {
		args(i, ~0u, ~0u);
		CALL(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
		CHECK(result64() == 0, "an unknown counter is not 0");
	}
	return NULL;
}

/* Time in which a vCPU sleeps because it wants to is not stolen. */
static const char *t_halted(void)
{
	u64 stolen = cycles(VMI_CYCLES_STOLEN), real = now();

	vmi5(VMI_CALL_SetAlarm, VMI_CYCLES_REAL, (u32)(real + ms(30)),
	     (u32)((real + ms(30)) >> 32), 0, 0);
	vmi(VMI_CALL_Halt, 0, 0, 0);
	irq_off();
	stolen = cycles(VMI_CYCLES_STOLEN) - stolen;
	CHECK(now() - real >= ms(30), "Halt ended before the alarm");
	CHECK(stolen < ms(25), "the halted time counts as stolen");
	return NULL;
}

static const char *t_halt(void)
{
	u32 start = irq0_count;
	u64 expiry = now() + ms(5);

	vmi5(VMI_CALL_SetAlarm, VMI_CYCLES_REAL, (u32)expiry, (u32)(expiry >> 32), 0, 0);
	args(0, 0, 0);
	CALL_ONCE(VMI_CALL_Halt, R_FLAGS);
	CHECK(irq0_count == start + 1, "returned without an interrupt");
	CHECK(out.eflags & EFLAGS_IF, "IF is not set afterwards");
	return NULL;
}

static const char *t_wallclock(void)
{
	u64 epoch, seconds;
	int found;

	args(0, 0, 0);
	CALL_ONCE(VMI_CALL_GetWallclockTime, R_EAX | R_EDX);
	epoch = option("epoch=", &found);
	if (!found)
		return "# SKIP no epoch= on the command line";
	seconds = div64(result64(), 1000000000);
	CHECK(seconds + 2 >= epoch, "behind the host");
	CHECK(seconds <= epoch + WALLCLOCK_SLACK, "ahead of the host");
	return NULL;
}

static const char *t_updated(void)
{
	args(~0u, 0, 0);
	CALL(VMI_CALL_WallclockUpdated, R_EAX);
	CHECK(out.eax == 0, "says that it jumped");
	return NULL;
}

static const struct test tests[] = {
	{ "66 GetCycleFrequency", t_frequency },
	{ "67 GetCycleCounter: real", t_real },
	{ "67 GetCycleCounter: available = real - stolen", t_identity },
	{ "67 GetCycleCounter: halted is available", t_halted },
	{ "35 Halt", t_halt },
	{ "70 GetWallclockTime", t_wallclock },
	{ "71 WallclockUpdated", t_updated },
};

const struct test_group time_tests = { tests, ARRAY_SIZE(tests), drain,
	VMI_CALL_GetCycleFrequency };
