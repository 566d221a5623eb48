// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 66 to 69: cycle counters and alarms, on the TSC.
 *
 * Owns: the alarms of each CPU and the choice of what its timer runs for.
 * Not here: the timers (`pit.c`, `lapic.c`), wall-clock time (`rtc.c`).
 * Runs: on any CPU; alarms are per CPU, but there is one PIT for all.
 * Fails: an alarm on an unknown counter, or wired to an APIC that is not
 * mapped, is ignored.
 *
 * In a pass-through ROM nothing is ever stolen: real and available time are both
 * the TSC. Under the monitor what was stolen so far puts an alarm on available
 * time off by as much.
 *
 * A pass-through ROM has no interrupt handler. It sets the hardware for the alarm that is
 * due first, and again whenever the guest asks for time and that interval is
 * over. So:
 *  - a one-shot beyond the range of its timer (PIT: 54.9 ms) comes as early
 *    interrupts, one for each time that the guest reads a counter afterwards;
 *  - a periodic alarm that is the CPU's only one is the timer's periodic mode;
 *    its periods begin with the call, and late ones collapse in the interrupt
 *    controller. A period beyond the range comes as early interrupts.
 * The monitor sees each interrupt first, so that it needs neither: see
 * alarm_early().
 *
 * Source: VMI specification 2.0, timer interface.
 */
#include "rom.h"

#define PIT_RANGE_MS	54
#define LAPIC_RANGE_MS	16000	/* 2^32 ticks after the divider, up to 4 GHz */

/* The wiring as an index: 0 = IRQ0, 1 = LVTT. */
static u32 wiring_of(u32 flags)
{
	return flags & VMI_ALARM_WIRED_LVTT ? 1 : 0;
}

static int is_on(const struct rom_alarm *alarm, u32 wiring)
{
	return (alarm->flags & ROM_ALARM_ARMED) &&
	       wiring_of(alarm->flags) == wiring;
}

/*
 * Starts the timer of a wiring, or stops it if @cycles is 0. The frequencies
 * are measured, so a 1/4096 is added: late is allowed, before the expiry is not.
 * Returns how long it will run.
 */
static u64 timer_run(u32 wiring, u64 cycles, u64 period)
{
	u64 range = (u64)rom_vars()->tsc_khz *
		    (wiring ? LAPIC_RANGE_MS : PIT_RANGE_MS);
	u32 lapic = wiring ? lapic_find() : 0;

	if (cycles > range)
		cycles = range;
	if (!period)
		cycles += cycles >> 12;
	if (wiring && lapic)
		lapic_timer_start(lapic, period ? period : cycles, period != 0);
	else if (!wiring)
		pit_start(period ? period : cycles, period != 0);
	return cycles;
}

static void timer_stop(u32 wiring)
{
	u32 lapic = wiring ? lapic_find() : 0;

	if (lapic)
		lapic_timer_stop(lapic);
	else if (!wiring)
		pit_stop();
}

/* When an alarm is due, by the TSC. */
static u64 due(const struct rom_timers *timers, const struct rom_alarm *alarm)
{
	return alarm == &timers->alarm[VMI_CYCLES_AVAILABLE] ?
	       alarm->expiry + alarm_stolen() : alarm->expiry;
}

/* The first expiry after one that is @late; those between collapse. */
static void skip_periods(struct rom_alarm *alarm, u64 late)
{
	u64 step = alarm->period;

	while (step <= late && step << 1 > step)
		step <<= 1;
	for (; step >= alarm->period; step >>= 1) {
		if (late < step)
			continue;
		late -= step;
		alarm->expiry += step;
	}
	alarm->expiry += alarm->period;
}

/*
 * Has the timer of a wiring run out, and its interrupt come? Where the interrupt
 * tells, time alone does so only after a while, when it must have been lost.
 */
static int is_over(const struct rom_timers *timers, u32 wiring, u64 now)
{
	u64 end = timers->end[wiring];

	return end != ~0ull && now >= end + ALARM_PATIENCE;
}

/* One-shots whose interrupt came are over, periodic alarms are due again. */
static void retire(struct rom_timers *timers, u32 wiring, u64 now)
{
	struct rom_alarm *alarm;
	int i;

	if (!is_over(timers, wiring, now))
		return;
	for (i = 0; i < ROM_ALARMS; i++) {
		alarm = &timers->alarm[i];
		if (!is_on(alarm, wiring) || due(timers, alarm) > now)
			continue;
		if (!(alarm->flags & VMI_ALARM_PERIODIC))
			alarm->flags = 0;
		else
			skip_periods(alarm, now - due(timers, alarm));
	}
}

/* The alarm of a wiring that is due first; *count = how many there are. */
static struct rom_alarm *first_due(struct rom_timers *timers, u32 wiring,
				   u32 *count)
{
	struct rom_alarm *alarm, *first = (struct rom_alarm *)0;
	int i;

	*count = 0;
	for (i = 0; i < ROM_ALARMS; i++) {
		alarm = &timers->alarm[i];
		if (!is_on(alarm, wiring))
			continue;
		++*count;
		if (!first || due(timers, alarm) < due(timers, first))
			first = alarm;
	}
	return first;
}

/*
 * Sets one timer for what is due first. Returns not 0 if it has to be set again
 * when it has run out.
 */
static int reprogram(struct rom_timers *timers, u32 wiring, u64 now)
{
	struct rom_alarm *alarm;
	u64 cycles = 0, run;
	u32 count;

	alarm = first_due(timers, wiring, &count);
	if (!alarm) {
		timer_stop(wiring);
		return 0;
	}
	if (due(timers, alarm) > now)
		cycles = due(timers, alarm) - now;
	if (ALARM_TIMER_PERIODIC && count == 1 && (alarm->flags & VMI_ALARM_PERIODIC)) {
		timer_run(wiring, cycles, alarm->period);
		timers->end[wiring] = ~0ull;
		return 0;
	}
	run = timer_run(wiring, cycles, 0);
	timers->end[wiring] = now + run;
	return !ALARM_TIMER_PERIODIC || count > 1 || run < cycles;
}

/* Cares for both timers of a CPU; @changed has a bit per wiring to set anew. */
static void service(u32 id, u32 changed)
{
	struct rom_timers *timers = rom_timers(id);
	u32 *need = &rom_vars()->service;
	u64 now = rdtsc();
	u32 wiring, count, again = 0;

	for (wiring = 0; wiring < ROM_WIRINGS; wiring++) {
		retire(timers, wiring, now);
		if (changed & 1u << wiring) {
			again |= reprogram(timers, wiring, now);
			continue;
		}
		if (!first_due(timers, wiring, &count))
			continue;
		if (is_over(timers, wiring, now))
			again |= reprogram(timers, wiring, now);
		else if (timers->end[wiring] != ~0ull)
			again = 1;
	}
	if (again)
		asm volatile("lock btsl %1, %0" : "+m" (*need) : "r" (id));
	else
		asm volatile("lock btrl %1, %0" : "+m" (*need) : "r" (id));
}

/**
 * rom_alarm_service() - look after this CPU's timers
 *
 * Called from GetCycleCounter while a timer has more to do than its hardware.
 */
REGPARM void rom_alarm_service(void)
{
	u32 flags = irq_save();
	u32 id = cpu_id();

	if (id < ROM_CPUS && rom_vars()->service & 1u << id)
		service(id, 0);
	irq_restore(flags);
}

/**
 * alarm_lvtt_periodic() - how the timer behind LVTT runs
 *
 * Return: 1 periodic, 0 one-shot, -1 without an alarm on this CPU.
 */
int alarm_lvtt_periodic(void)
{
	struct rom_timers *timers;
	struct rom_alarm *alarm;
	u32 id = cpu_id(), count;

	if (id >= ROM_CPUS)
		return -1;
	timers = rom_timers(id);
	alarm = first_due(timers, 1, &count);
	if (!alarm)
		return -1;
	return timers->end[1] == ~0ull;
}

/**
 * alarm_early() - has a timer interrupted before an alarm of its wiring is due?
 * @wiring: 0 = IRQ0, 1 = LVTT
 *
 * Context: the interrupt's, IF=0, before alarm_fired().
 * Return: 1 if so: it only ran as far as it could.
 */
int alarm_early(u32 wiring)
{
	u32 id = cpu_id(), count;
	struct rom_timers *timers = rom_timers(id);
	struct rom_alarm *alarm = id < ROM_CPUS ? first_due(timers, wiring, &count) :
				  (struct rom_alarm *)0;

	return alarm && timers->end[wiring] != ~0ull && due(timers, alarm) > rdtsc();
}

/**
 * alarm_armed() - does this CPU have an alarm?
 * @wiring: 0 = IRQ0, 1 = LVTT
 */
int alarm_armed(u32 wiring)
{
	u32 id = cpu_id(), count;

	return id < ROM_CPUS && first_due(rom_timers(id), wiring, &count);
}

/**
 * alarm_fired() - the interrupt of a timer has come
 * @wiring: 0 = IRQ0, 1 = LVTT; an alarm is armed there
 */
void alarm_fired(u32 wiring)
{
	struct rom_timers *timers = rom_timers(cpu_id());

	if (timers->end[wiring] != ~0ull)
		timers->end[wiring] = 0;
	service(cpu_id(), 0);
}

/**
 * rom_frequency() - call 66
 *
 * Return: cycles per second, 0 = no timer.
 */
REGPARM u64 rom_frequency(void)
{
	return (u64)rom_vars()->tsc_khz * 1000;
}

/**
 * rom_set_alarm() - call 68
 * @flags: VMI_ALARM_*
 * @expiry_low: cycles, absolute
 * @expiry_high: of the same
 * @period_low: cycles; 0 with @period_high 0 = one-shot
 * @period_high: of the same
 */
REGPARM void rom_set_alarm(u32 flags, u32 expiry_low, u32 expiry_high,
			   u32 period_low, u32 period_high)
{
	u32 counter = flags & VMI_ALARM_COUNTER_MASK;
	u32 id = cpu_id(), saved, changed;
	struct rom_alarm *alarm;

	if (counter >= ROM_ALARMS || id >= ROM_CPUS || !rom_vars()->tsc_khz)
		return;
	saved = irq_save();
	alarm = &rom_timers(id)->alarm[counter];
	changed = 1u << wiring_of(flags);
	if (alarm->flags & ROM_ALARM_ARMED)
		changed |= 1u << wiring_of(alarm->flags);
	alarm->flags = 0;
	service(id, 0);
	alarm->expiry = (u64)expiry_high << 32 | expiry_low;
	alarm->period = (u64)period_high << 32 | period_low;
	if (!alarm->period)
		flags &= ~VMI_ALARM_PERIODIC;
	rom_timers(id)->end[wiring_of(flags)] = ~0ull;
	alarm->flags = flags | ROM_ALARM_ARMED;
	service(id, changed);
	irq_restore(saved);
}

/**
 * rom_cancel_alarm() - call 69
 * @flags: VMI_ALARM_*; only the counter counts, guests pass more
 *
 * Return: 1 if it was armed and had not fired, else 0.
 */
REGPARM u32 rom_cancel_alarm(u32 flags)
{
	u32 counter = flags & VMI_ALARM_COUNTER_MASK;
	u32 id = cpu_id(), saved, armed;
	struct rom_alarm *alarm;

	if (counter >= ROM_ALARMS || id >= ROM_CPUS)
		return 0;
	saved = irq_save();
	alarm = &rom_timers(id)->alarm[counter];
	flags = alarm->flags;
	armed = (flags & ROM_ALARM_ARMED) &&
		(flags & VMI_ALARM_PERIODIC || due(rom_timers(id), alarm) > rdtsc());
	alarm->flags = 0;
	if (flags & ROM_ALARM_ARMED)
		service(id, 1u << wiring_of(flags));
	irq_restore(saved);
	return armed;
}
