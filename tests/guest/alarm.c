// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 68 and 69.
 *
 * Owns: alarms by IRQ0, and what the rows of both wirings share.
 * Not here: LVTT (`lvtt.c`), counters and waiting (`time.c`).
 * Runs: opens IF while it waits.
 * Fails: a text per row. A row that wants silence accepts what a late host may
 * merge or delay. In ring 0 a ROM does not see interrupts: there a one-shot
 * beyond the range of its timer comes as early ones, and a period begins with
 * the call.
 */
#include "clock.h"

const char *set_alarm(u32 flags, u64 expiry, u64 period)
{
	args(flags, (u32)expiry, (u32)(expiry >> 32));
	in.arg4 = (u32)period;
	in.arg5 = (u32)(period >> 32);
	return rom_call_once(VMI_CALL_SetAlarm, R_NONE);
}

/* 0, 1, or 2 if the call itself was wrong. */
u32 cancel(u32 flags)
{
	args(flags, 0, 0);
	return rom_call_once(VMI_CALL_CancelAlarm, R_EAX) ? 2 : out.eax;
}

const char *set_lvtt(u32 value)
{
	args(LVTT, value, 0);
	return rom_call_once(VMI_CALL_APICWrite, R_NONE);
}

const char *oneshot(u32 flags, volatile u32 *count, volatile u64 *tsc)
{
	u64 expiry = now() + ms(5);
	const char *why = set_alarm(flags, expiry, 0);

	CHECK(!why, why);
	CHECK(wait_for(count, 1), "did not fire");
	CHECK(stamp(*tsc) >= expiry, "fired early");
	CHECK(quiet(count, QUIET_MS) == 0, "fired again");
	CHECK(cancel(flags) == 0, "cancel after it fired is not 0");
	return NULL;
}

const char *periodic(u32 flags, volatile u32 *count)
{
	u64 period = ms(4), first, stop;
	u32 before;
	const char *why;

	flags |= VMI_ALARM_PERIODIC;
	first = now() + period;
	why = set_alarm(flags, first, period);
	CHECK(!why, why);
	CHECK(wait_for(count, 6), "fewer than 6 in 5 s");
	CHECK(now() - first >= 4 * period, "periods are too short");
	stop = rdtsc();
	CHECK(cancel(flags) == 1, "cancel of a periodic alarm is not 1");
	CHECK(cancel(flags) == 0, "second cancel is not 0");
	quiet(count, 1);		/* one may be pending */
	before = *count;
	quiet(count, QUIET_MS);
	if (count == &irq0_count)
		CHECK(!pit_goes_on(before, stop), "goes on after cancel");
	else
		CHECK(*count == before, "goes on after cancel");
	return NULL;
}

#define UNIT_MS		10
#define FIRST		3
#define PERIOD		2
#define EXAMPLE		4

/*
 * The example e0 = 3, p = 2: interrupts at 3, 5, 7, 9; in ring 0, where a period
 * begins with the call, at 2, 4, 6, 8 by a timer of its own. A host that is late
 * may delay or lose some, which is told apart by trying again, slower.
 */
static const char *series(u32 flags, u32 unit_ms, volatile u32 *count,
			  volatile u64 *log, int *exact)
{
	u64 unit = ms(unit_ms), e0 = now() + FIRST * unit, p = PERIOD * unit, at;
	u32 start = *count, i;
	const char *why = set_alarm(flags | VMI_ALARM_PERIODIC, e0, p);

	CHECK(!why, why);
	if (!ring)
		e0 -= (FIRST - PERIOD) * unit + unit / 8;
	CHECK(wait_for(count, EXAMPLE), "fewer than 4");
	cancel(flags);
	*exact = 1;
	for (i = 0; i < EXAMPLE; i++) {
		at = stamp(log[(start + i) & (IRQ_LOG - 1)]);
		CHECK(at >= e0 + i * p, "before its member of the series");
		if (at >= e0 + (i + 1) * p)
			*exact = 0;
	}
	quiet(count, 1);
	drain();
	return NULL;
}

const char *t_series(u32 flags, volatile u32 *count, volatile u64 *log)
{
	const char *why;
	u32 unit_ms = UNIT_MS;
	int exact = 0, i;

	for (i = 0; i < TRIES && !exact; i++) {
		why = series(flags, unit_ms, count, log, &exact);
		CHECK(!why, why);
		if (ring)		/* else the PIT's range ends it */
			unit_ms += unit_ms / 2;
	}
	CHECK(exact || !ring, "never 3, 5, 7, 9");
	return NULL;
}

static const char *t_series_irq0(void)
{
	return t_series(VMI_CYCLES_REAL, &irq0_count, irq0_log);
}

/* On available time, too, with e0 by that counter. */
static const char *t_series_available(void)
{
	u64 unit = ms(UNIT_MS), e0 = cycles(VMI_CYCLES_AVAILABLE) + unit;
	u32 flags = VMI_CYCLES_AVAILABLE | VMI_ALARM_PERIODIC, i;
	const char *why = set_alarm(flags, e0, unit);

	CHECK(!why, why);
	for (i = 0; i < EXAMPLE; i++) {
		CHECK(wait_for(&irq0_count, 1), "did not fire");
		CHECK(!ring || cycles(VMI_CYCLES_AVAILABLE) >= e0 + i * unit, "fired early");
	}
	CHECK(cancel(VMI_CYCLES_REAL) == 0, "armed the other counter's alarm");
	CHECK(cancel(flags) == 1, "cancel is not 1");
	quiet(&irq0_count, 1);
	drain();
	return NULL;
}

/*
 * Periods that pass with IF=0 are one interrupt, and the series goes on: the next
 * member may be near. In an outer ring the ROM has taken the first, so that one
 * more may wait in the interrupt controller for its end.
 */
static const char *t_missed(void)
{
	u64 p = ms(5), e0 = now() + p, open;
	u32 start = irq0_count, came, most;
	const char *why = set_alarm(VMI_ALARM_PERIODIC, e0, p);

	CHECK(!why, why);
	spin_until(rdtsc() + 8 * p);
	CHECK(irq0_count == start, "an interrupt though IF is 0");
	open = rdtsc();
	CHECK(wait_for(&irq0_count, 1), "none when IF is 1 again");
	quiet(&irq0_count, 1);
	came = irq0_count - start;
	for (most = ring ? 3 : 2; open + p <= rdtsc(); open += p)
		most++;
	CHECK(came <= most, "missed periods are not one interrupt");
	CHECK(wait_for(&irq0_count, 2), "does not go on");
	cancel(VMI_CYCLES_REAL);
	drain();
	return NULL;
}

static const char *t_oneshot_irq0(void)
{
	return oneshot(VMI_CYCLES_REAL, &irq0_count, &irq0_tsc);
}

static const char *t_oneshot_available(void)
{
	u64 expiry = cycles(VMI_CYCLES_AVAILABLE) + ms(5);
	const char *why = set_alarm(VMI_CYCLES_AVAILABLE, expiry, 0);

	CHECK(!why, why);
	CHECK(wait_for(&irq0_count, 1), "did not fire");
	CHECK(cycles(VMI_CYCLES_AVAILABLE) >= expiry, "fired early");
	CHECK(quiet(&irq0_count, QUIET_MS) == 0, "fired again");
	CHECK(cancel(VMI_CYCLES_AVAILABLE) == 0, "cancel after it fired is not 0");
	return NULL;
}

/*
 * Arms and disarms an alarm that a host which stands still for its whole time
 * lets fire in between: then once more. 0 or 1 of both cancels, or 2.
 */
u64 cancelled;

u32 set_and_cancel(u32 flags, u32 time_ms, u32 cancel_flags)
{
	u32 first, second, tries;
	u64 expiry;

	for (tries = 0; tries < TRIES; tries++) {
		expiry = now() + ms(time_ms);
		if (set_alarm(flags, expiry, 0))
			return 2;
		cancelled = rdtsc();
		first = cancel(cancel_flags);
		second = cancel(flags);
		if (now() < expiry)
			return second ? 2 : first;
		quiet(&irq0_count, 1);
		drain();
	}
	return 2;
}

static const char *t_cancel(void)
{
	u32 before;

	CHECK(cancel(VMI_CYCLES_REAL) == 0, "never set, but not 0");
	CHECK(set_and_cancel(VMI_CYCLES_REAL, PIT_NEAR_MS,
			     VMI_CYCLES_REAL | VMI_ALARM_PERIODIC) == 1,
	      "armed is not 1, or the second time not 0");
	before = irq0_count;
	quiet(&irq0_count, PIT_NEAR_MS + 5);
	CHECK(!pit_goes_on(before, cancelled), "fired after cancel");
	drain();
	return NULL;
}

static const char *t_past(void)
{
	const char *why = set_alarm(VMI_CYCLES_REAL, now() - 1000, 0);

	CHECK(!why, why);
	CHECK(wait_for(&irq0_count, 1), "did not fire at once");
	return NULL;
}

static const char *t_periodic_irq0(void)
{
	const char *why = periodic(VMI_CYCLES_REAL, &irq0_count);

	drain();
	return why;
}

static const char *t_period_zero(void)
{
	u32 flags = VMI_CYCLES_REAL | VMI_ALARM_PERIODIC;

	return oneshot(flags, &irq0_count, &irq0_tsc);
}

/* Beyond 54.9 ms: in ring 0 by early interrupts, else one that is in time. */
static const char *t_far(void)
{
	u64 expiry = now() + ms(130), end = expiry + ms(TIMEOUT_MS);
	u32 start = irq0_count;
	const char *why = set_alarm(VMI_CYCLES_REAL, expiry, 0);

	CHECK(!why, why);
	while (stamp(irq0_tsc) < expiry && now() < end) {
		wait_for(&irq0_count, 1);
		cycles(VMI_CYCLES_REAL);	/* as a guest's handler does */
	}
	CHECK(stamp(irq0_tsc) >= expiry, "did not fire");
	CHECK(!ring || irq0_count - start == 1, "early interrupts");
	cycles(VMI_CYCLES_REAL);
	CHECK(quiet(&irq0_count, QUIET_MS) == 0, "fired again");
	return NULL;
}

/* One alarm for each counter; what is stolen meanwhile delays only the second. */
static const char *t_two(void)
{
	u64 far = now() + ms(60), near = cycles(VMI_CYCLES_AVAILABLE) + ms(8);
	const char *why = set_alarm(VMI_CYCLES_REAL, far, 0);

	CHECK(!why, why);
	why = set_alarm(VMI_CYCLES_AVAILABLE, near, 0);
	CHECK(!why, why);
	CHECK(wait_for(&irq0_count, 1), "the first did not fire");
	CHECK(cycles(VMI_CYCLES_AVAILABLE) >= near || now() >= far, "fired early");
	/* a first one that is late enough stands for both */
	while ((cycles(VMI_CYCLES_AVAILABLE) < near || cycles(VMI_CYCLES_REAL) < far) &&
	       wait_for(&irq0_count, 1))
		;
	CHECK(cycles(VMI_CYCLES_AVAILABLE) >= near, "that of available time did not fire");
	CHECK(cycles(VMI_CYCLES_REAL) >= far, "that of real time did not fire");
	CHECK(cancel(VMI_CYCLES_REAL) == 0 && cancel(VMI_CYCLES_AVAILABLE) == 0,
	      "still armed");
	drain();
	return NULL;
}

static const char *t_ignored(void)
{
	const char *why = set_alarm(VMI_CYCLES_STOLEN, now() + ms(2), 0);

	CHECK(!why, why);
	CHECK(quiet(&irq0_count, QUIET_MS) == 0, "stolen time fired");
	CHECK(cancel(VMI_CYCLES_STOLEN) == 0, "cancel is not 0");
	return NULL;
}

static const struct test tests[] = {
	{ "68 SetAlarm: one-shot on IRQ0", t_oneshot_irq0 },
	{ "68 SetAlarm: available time", t_oneshot_available },
	{ "69 CancelAlarm", t_cancel },
	{ "68 SetAlarm: expiry in the past", t_past },
	{ "68 SetAlarm: periodic on IRQ0", t_periodic_irq0 },
	{ "68 SetAlarm: 3, 5, 7, 9 on IRQ0", t_series_irq0 },
	{ "68 SetAlarm: periodic by available time", t_series_available },
	{ "68 SetAlarm: missed periods", t_missed },
	{ "68 SetAlarm: period 0 is a one-shot", t_period_zero },
	{ "68 SetAlarm: beyond the range of the PIT", t_far },
	{ "68 SetAlarm: both counters at once", t_two },
	{ "68 SetAlarm: unknown counter", t_ignored },
};

void alarm_again(void)
{
	cancel(VMI_CYCLES_REAL);
	cancel(VMI_CYCLES_AVAILABLE);
	quiet(&lvtt_count, 1);
	drain();
}

const struct test_group alarm_tests = { tests, ARRAY_SIZE(tests), alarm_again,
	VMI_CALL_GetCycleFrequency };
