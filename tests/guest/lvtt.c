// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 68 and 69 by the local APIC's timer.
 *
 * Owns: alarms that come by LVTT, and the way there from IRQ0.
 * Not here: IRQ0 (`alarm.c`), the local APIC's other registers (`ap.c`).
 * Runs: opens IF while it waits.
 * Fails: a text per row.
 */
#include "clock.h"

#define VECTOR_OTHER	0x41

static const char *t_series_lvtt(void)
{
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	return t_series(VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT, &lvtt_count, lvtt_log);
}

static const char *t_cancel_lvtt(void)
{
	u32 flags = VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT;
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	CHECK(set_and_cancel(flags, 200, flags) == 1,
	      "armed is not 1, or the second time not 0");
	CHECK(quiet(&lvtt_count, 220) == 0, "fired after cancel");
	return NULL;
}

static const char *t_replace(void)
{
	u32 flags = VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT;
	u64 expiry = now() + ms(300);
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	why = set_alarm(flags, now() + ms(200), 0);
	CHECK(!why, why);
	why = set_alarm(flags, expiry, 0);
	CHECK(!why, why);
	CHECK(wait_for(&lvtt_count, 1), "did not fire");
	CHECK(stamp(lvtt_tsc) >= expiry, "the replaced alarm fired");
	return NULL;
}

static const char *t_lvtt(void)
{
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	return oneshot(VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT, &lvtt_count,
		       &lvtt_tsc);
}

static const char *t_lvtt_periodic(void)
{
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	return periodic(VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT, &lvtt_count);
}

/* The guest writes LVTT while the alarm runs: it must stay periodic. */
static const char *t_lvtt_rewrite(void)
{
	u32 flags = VMI_ALARM_WIRED_LVTT | VMI_ALARM_PERIODIC;
	const char *why = set_lvtt(VECTOR_LVTT | LVTT_MASKED);

	CHECK(!why, why);
	why = set_alarm(flags, now() + ms(2), ms(2));
	CHECK(!why, why);
	CHECK(quiet(&lvtt_count, QUIET_MS) == 0, "fired though LVTT is masked");
	why = set_lvtt(VECTOR_LVTT);
	CHECK(!why, why);
	CHECK(wait_for(&lvtt_count, 4), "not periodic any more");
	CHECK(cancel(flags) == 1, "cancel is not 1");
	quiet(&lvtt_count, 1);
	return NULL;
}

/* Armed on one wiring, replaced on the other: only the second may fire. */
static const char *t_rewire(void)
{
	u64 stop, first;
	u32 before, tries;
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	for (tries = 0; tries < TRIES; tries++) {
		first = now() + ms(PIT_NEAR_MS);
		before = irq0_count;
		why = set_alarm(VMI_CYCLES_REAL, first, 0);
		CHECK(!why, why);
		stop = rdtsc();
		why = set_alarm(VMI_ALARM_WIRED_LVTT, first + ms(5), 0);
		CHECK(!why, why);
		if (now() < first)
			break;
		quiet(&irq0_count, 10);		/* a host that stood still */
	}
	CHECK(wait_for(&lvtt_count, 1), "did not fire");
	CHECK(!pit_goes_on(before, stop), "fired on the old wiring");
	drain();
	return NULL;
}

/* The vector is the guest's, and may change while the alarm is armed. */
static const char *t_vector(void)
{
	u32 start = lvtt_count, flags = VMI_ALARM_WIRED_LVTT;
	const char *why = set_lvtt(VECTOR_OTHER);
	u64 expiry = now() + ms(100);

	CHECK(!why, why);
	why = set_alarm(flags, expiry, 0);
	CHECK(!why, why);
	why = set_lvtt(VECTOR_LVTT);
	CHECK(!why, why);
	CHECK(wait_for(&lvtt_count, 1), "did not fire by the new vector");
	CHECK(stamp(lvtt_tsc) >= expiry, "fired early");
	CHECK(quiet(&lvtt_count, QUIET_MS) == 0 && lvtt_count == start + 1, "fired again");
	return NULL;
}

/* From IRQ0 to LVTT with a periodic alarm: as a guest that finds its APIC. */
static const char *t_rewire_periodic(void)
{
	u64 p = ms(5);
	u32 flags = VMI_CYCLES_REAL | VMI_ALARM_PERIODIC, before;
	const char *why = set_alarm(flags, now() + p, p);

	CHECK(!why, why);
	CHECK(wait_for(&irq0_count, 2), "not periodic on IRQ0");
	CHECK(cancel(flags) == 1, "cancel with all flags is not 1");
	why = set_lvtt(VECTOR_LVTT);
	CHECK(!why, why);
	why = set_alarm(flags | VMI_ALARM_WIRED_LVTT, now() + p, p);
	CHECK(!why, why);
	quiet(&irq0_count, 1);
	drain();
	before = irq0_count;
	CHECK(wait_for(&lvtt_count, 6), "not periodic on LVTT");
	/* and one that the stopped PIT of an emulator sends, late */
	CHECK(irq0_count - before <= (ring ? 0 : 1), "still on IRQ0");
	CHECK(cancel(flags | VMI_ALARM_WIRED_LVTT) == 1, "cancel is not 1");
	quiet(&lvtt_count, 1);
	return quiet(&lvtt_count, QUIET_MS) ? "goes on after cancel" : NULL;
}

static const struct test tests[] = {
	{ "69 CancelAlarm: on LVTT", t_cancel_lvtt },
	{ "68 SetAlarm: set again", t_replace },
	{ "68 SetAlarm: 3, 5, 7, 9 on LVTT", t_series_lvtt },
	{ "68 SetAlarm: one-shot on LVTT", t_lvtt },
	{ "68 SetAlarm: periodic on LVTT", t_lvtt_periodic },
	{ "68 SetAlarm: LVTT masked, written while armed", t_lvtt_rewrite },
	{ "68 SetAlarm: vector of LVTT changed while armed", t_vector },
	{ "68 SetAlarm: from IRQ0 to LVTT", t_rewire },
	{ "68 SetAlarm: periodic, from IRQ0 to LVTT", t_rewire_periodic },
};

const struct test_group lvtt_tests = { tests, ARRAY_SIZE(tests), alarm_again,
	VMI_CALL_GetCycleFrequency };
