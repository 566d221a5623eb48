// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 35 and 66 to 71.
 *
 * Owns: counters, alarms on both wirings, the wall clock.
 * Not here: the local APIC's registers (`ap.c`).
 * Runs: opens IF while it waits; the PIT belongs to the ROM from the first row on.
 * Fails: a text per row. Nothing here depends on the host being fast: each wait
 * ends with the event, or after 5 s, and one that wants silence accepts what a
 * late host may merge or delay.
 */
#include "guest.h"

#define TIMEOUT_MS	5000
#define QUIET_MS	20
#define DRAIN_MS	300
#define PIT_FULL_MS	54		/* 65536 ticks */
#define PIT_NEAR_MS	40		/* less, and long for a busy host */
#define WALLCLOCK_SLACK	30		/* seconds since the host looked */

static u32 khz;

static u32 div64(u64 a, u32 b)
{
	u32 q, r;

	asm("divl %4" : "=a" (q), "=d" (r) : "0" ((u32)a), "1" ((u32)(a >> 32)),
	    "r" (b));
	return q;
}

static u64 ms(u32 n)
{
	return (u64)khz * n;
}

static u64 result64(void)
{
	return (u64)out.edx << 32 | out.eax;
}

static const char *set_alarm(u32 flags, u64 expiry, u64 period)
{
	args(flags, (u32)expiry, (u32)(expiry >> 32));
	in.arg4 = (u32)period;
	in.arg5 = (u32)(period >> 32);
	return rom_call_once(VMI_CALL_SetAlarm, R_NONE);
}

/* 0, 1, or 2 if the call itself was wrong. */
static u32 cancel(u32 flags)
{
	args(flags, 0, 0);
	return rom_call_once(VMI_CALL_CancelAlarm, R_EAX) ? 2 : out.eax;
}

static void counter(u32 which)
{
	args(which, 0, 0);
	rom_call_once(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
}

/* Interrupts open until @n more came or the time is over. */
static int wait_for(volatile u32 *count, u32 n)
{
	u64 end = rdtsc() + ms(TIMEOUT_MS);
	u32 start = *count;

	asm volatile("sti");
	while (*count - start < n && rdtsc() < end)
		asm volatile("pause");
	asm volatile("cli");
	return *count - start >= n;
}

static u32 quiet(volatile u32 *count, u32 time_ms)
{
	u32 start = *count;

	asm volatile("sti");
	spin_until(rdtsc() + ms(time_ms));
	asm volatile("cli");
	return *count - start;
}

/* What a stopped PIT of an emulator may still send; a late host sends it late. */
static void drain(void)
{
	u64 end = rdtsc() + ms(DRAIN_MS);
	u32 start = irq0_count;

	asm volatile("sti");
	while (irq0_count == start && rdtsc() < end)
		asm volatile("pause");
	asm volatile("cli");
}

/*
 * Not 0 if IRQ0 came after @stop, when it had been seen @before times. A PIT
 * whose gate is not emulated sends one more interrupt a full count later.
 */
static int pit_goes_on(u32 before, u64 stop)
{
	u32 came = irq0_count - before;

	return came > 1 || (came == 1 && irq0_tsc < stop + ms(PIT_FULL_MS));
}

#define LVTT		0x320
#define LVTT_MASKED	0x10000

static const char *set_lvtt(u32 value)
{
	args(LVTT, value, 0);
	return rom_call_once(VMI_CALL_APICWrite, R_NONE);
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

static const char *t_counter(void)
{
	u64 last = 0, before;
	u32 i;

	for (i = 0; i < 1000; i++) {
		before = rdtsc();
		counter(i & 1);
		CHECK(result64() > last, "went back");
		last = result64();
		CHECK(last > before && last < rdtsc(), "is not the TSC");
	}
	for (i = VMI_CYCLES_STOLEN; i < 5; i++) {
		args(i, ~0u, ~0u);
		CALL(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
		CHECK(result64() == 0, "stolen or unknown is not 0");
	}
	args(0, 0, 0);
	CALL(VMI_CALL_GetCycleCounter, R_EAX | R_EDX);
	return NULL;
}

static const char *oneshot(u32 flags, volatile u32 *count, volatile u64 *tsc)
{
	u64 expiry = rdtsc() + ms(5);
	const char *why = set_alarm(flags, expiry, 0);

	CHECK(!why, why);
	CHECK(wait_for(count, 1), "did not fire");
	CHECK(*tsc >= expiry, "fired early");
	CHECK(quiet(count, QUIET_MS) == 0, "fired again");
	CHECK(cancel(flags) == 0, "cancel after it fired is not 0");
	return NULL;
}

static const char *periodic(u32 flags, volatile u32 *count)
{
	u64 period = ms(4), first, stop;
	u32 before;
	const char *why;

	flags |= VMI_ALARM_PERIODIC;
	first = rdtsc() + period;
	why = set_alarm(flags, first, period);
	CHECK(!why, why);
	CHECK(wait_for(count, 6), "fewer than 6 in 5 s");
	CHECK(rdtsc() - first >= 4 * period, "periods are too short");
	CHECK(cancel(flags) == 1, "cancel of a periodic alarm is not 1");
	CHECK(cancel(flags) == 0, "second cancel is not 0");
	stop = rdtsc();
	quiet(count, 1);		/* one may be pending */
	before = *count;
	quiet(count, QUIET_MS);
	if (count == &irq0_count)
		CHECK(!pit_goes_on(before, stop), "goes on after cancel");
	else
		CHECK(*count == before, "goes on after cancel");
	return NULL;
}

static const char *t_oneshot_irq0(void)
{
	return oneshot(VMI_CYCLES_REAL, &irq0_count, &irq0_tsc);
}

static const char *t_oneshot_available(void)
{
	return oneshot(VMI_CYCLES_AVAILABLE, &irq0_count, &irq0_tsc);
}

static const char *t_cancel(void)
{
	u32 before = irq0_count;
	u64 stop;
	const char *why;

	CHECK(cancel(VMI_CYCLES_REAL) == 0, "never set, but not 0");
	why = set_alarm(VMI_CYCLES_REAL, rdtsc() + ms(PIT_NEAR_MS), 0);
	CHECK(!why, why);
	CHECK(cancel(VMI_CYCLES_REAL | VMI_ALARM_PERIODIC) == 1, "armed is not 1");
	CHECK(cancel(VMI_CYCLES_REAL) == 0, "second cancel is not 0");
	stop = rdtsc();
	quiet(&irq0_count, PIT_NEAR_MS + 5);
	CHECK(!pit_goes_on(before, stop), "fired after cancel");
	drain();
	return NULL;
}

static const char *t_cancel_lvtt(void)
{
	u32 flags = VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT;
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	why = set_alarm(flags, rdtsc() + ms(200), 0);
	CHECK(!why, why);
	CHECK(cancel(flags) == 1, "armed is not 1");
	CHECK(quiet(&lvtt_count, 220) == 0, "fired after cancel");
	return NULL;
}

static const char *t_past(void)
{
	const char *why = set_alarm(VMI_CYCLES_REAL, rdtsc() - 1000, 0);

	CHECK(!why, why);
	CHECK(wait_for(&irq0_count, 1), "did not fire at once");
	return NULL;
}

static const char *t_replace(void)
{
	u32 flags = VMI_CYCLES_REAL | VMI_ALARM_WIRED_LVTT;
	u64 expiry = rdtsc() + ms(300);
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	why = set_alarm(flags, rdtsc() + ms(200), 0);
	CHECK(!why, why);
	why = set_alarm(flags, expiry, 0);
	CHECK(!why, why);
	CHECK(wait_for(&lvtt_count, 1), "did not fire");
	CHECK(lvtt_tsc >= expiry, "the replaced alarm fired");
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

static const char *t_far(void)
{
	u64 expiry = rdtsc() + ms(130), end = expiry + ms(TIMEOUT_MS);
	u32 start = irq0_count;
	const char *why = set_alarm(VMI_CYCLES_REAL, expiry, 0);

	CHECK(!why, why);
	while (irq0_tsc < expiry && rdtsc() < end) {
		wait_for(&irq0_count, 1);
		counter(VMI_CYCLES_REAL);	/* as a guest's handler does */
	}
	CHECK(irq0_tsc >= expiry, "did not fire");
	CHECK(irq0_count - start >= 2, "the PIT reached beyond 54.9 ms");
	counter(VMI_CYCLES_REAL);
	CHECK(quiet(&irq0_count, QUIET_MS) == 0, "fired again");
	return NULL;
}

static const char *t_two(void)
{
	u64 near = rdtsc() + ms(8), far = near + ms(30);
	const char *why = set_alarm(VMI_CYCLES_REAL, far, 0);

	CHECK(!why, why);
	why = set_alarm(VMI_CYCLES_AVAILABLE, near, 0);
	CHECK(!why, why);
	CHECK(wait_for(&irq0_count, 1), "the first did not fire");
	CHECK(irq0_tsc >= near, "the first fired early");
	counter(VMI_CYCLES_REAL);
	/* a first one that is late enough stands for both */
	CHECK(result64() >= far || wait_for(&irq0_count, 1),
	      "the second did not fire");
	counter(VMI_CYCLES_REAL);
	CHECK(result64() >= far, "the second fired early");
	CHECK(cancel(VMI_CYCLES_REAL) == 0 && cancel(VMI_CYCLES_AVAILABLE) == 0,
	      "still armed");
	drain();
	return NULL;
}

static const char *t_ignored(void)
{
	const char *why = set_alarm(VMI_CYCLES_STOLEN, rdtsc() + ms(2), 0);

	CHECK(!why, why);
	CHECK(quiet(&irq0_count, QUIET_MS) == 0, "stolen time fired");
	CHECK(cancel(VMI_CYCLES_STOLEN) == 0, "cancel is not 0");
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
	why = set_alarm(flags, rdtsc() + ms(2), ms(2));
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
	u32 before = irq0_count;
	u64 stop;
	const char *why = set_lvtt(VECTOR_LVTT);

	CHECK(!why, why);
	why = set_alarm(VMI_CYCLES_REAL, rdtsc() + ms(PIT_NEAR_MS), 0);
	CHECK(!why, why);
	why = set_alarm(VMI_ALARM_WIRED_LVTT, rdtsc() + ms(PIT_NEAR_MS + 5), 0);
	CHECK(!why, why);
	stop = rdtsc();
	CHECK(wait_for(&lvtt_count, 1), "did not fire");
	CHECK(!pit_goes_on(before, stop), "fired on the old wiring");
	drain();
	return NULL;
}

static const char *t_halt(void)
{
	u32 start = irq0_count;
	const char *why = set_alarm(VMI_CYCLES_REAL, rdtsc() + ms(5), 0);

	CHECK(!why, why);
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
	{ "67 GetCycleCounter", t_counter },
	{ "68 SetAlarm: one-shot on IRQ0", t_oneshot_irq0 },
	{ "68 SetAlarm: available time", t_oneshot_available },
	{ "69 CancelAlarm", t_cancel },
	{ "69 CancelAlarm: on LVTT", t_cancel_lvtt },
	{ "68 SetAlarm: expiry in the past", t_past },
	{ "68 SetAlarm: set again", t_replace },
	{ "68 SetAlarm: periodic on IRQ0", t_periodic_irq0 },
	{ "68 SetAlarm: period 0 is a one-shot", t_period_zero },
	{ "68 SetAlarm: beyond the range of the PIT", t_far },
	{ "68 SetAlarm: both counters at once", t_two },
	{ "68 SetAlarm: unknown counter", t_ignored },
	{ "68 SetAlarm: one-shot on LVTT", t_lvtt },
	{ "68 SetAlarm: periodic on LVTT", t_lvtt_periodic },
	{ "68 SetAlarm: LVTT masked, written while armed", t_lvtt_rewrite },
	{ "68 SetAlarm: from IRQ0 to LVTT", t_rewire },
	{ "35 Halt", t_halt },
	{ "70 GetWallclockTime", t_wallclock },
	{ "71 WallclockUpdated", t_updated },
};

const struct test_group time_tests = { tests, ARRAY_SIZE(tests) };
