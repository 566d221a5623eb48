// SPDX-License-Identifier: GPL-2.0-only
/*
 * Alarms and clocks: the monitor's side of the code that all ROMs share.
 *
 * Owns: the variables of `common/alarm.c`.
 * Not here: the alarms themselves.
 * Runs: calls 68 to 71, and on every interrupt.
 * Fails: -
 */
#include "../common/rom.h"
#include "layout.h"
#include "time.h"

REGPARM void rom_set_alarm(u32 flags, u32 expiry_low, u32 expiry_high,
			   u32 period_low, u32 period_high);
REGPARM u32 rom_cancel_alarm(u32 flags);
int rom_alarm_fire(u32 wiring);
REGPARM u64 rom_wallclock(void);

struct rom_vars mon_vars;
struct rom_timers mon_timers[ROM_CPUS];

u32 lapic_find(void)
{
	return MON_LAPIC;
}

/**
 * time_init() - measure the time stamp counter, once
 * Return: 0 if there is none.
 */
u32 time_init(void)
{
	mon_vars.tsc_khz = tsc_measure_khz();
	return mon_vars.tsc_khz;
}

/* Whose the timers are: ours from an alarm on, until the guest sets one up. */
static u32 pit_ours, lvtt_ours;

static u32 cpu_bit(void)
{
	return 1u << (cpu_id() & 31);
}

void alarm_set(u32 flags, u64 expiry, u64 period)
{
	if ((flags & VMI_ALARM_COUNTER_MASK) >= ROM_ALARMS)
		return;
	if (flags & VMI_ALARM_WIRED_LVTT)
		lvtt_ours |= cpu_bit();
	else
		pit_ours = 1;
	rom_set_alarm(flags, (u32)expiry, (u32)(expiry >> 32), (u32)period,
		      (u32)(period >> 32));
}

u32 alarm_cancel(u32 flags)
{
	return rom_cancel_alarm(flags);
}

/**
 * alarm_reset() - this CPU has no alarms any more
 */
void alarm_reset(void)
{
	rom_cancel_alarm(VMI_CYCLES_REAL);
	rom_cancel_alarm(VMI_CYCLES_AVAILABLE);
}

u64 wallclock(void)
{
	return rom_wallclock();
}

#define LVTT_MODE_MASK	0x60000u
#define LVTT_PERIODIC	0x20000u

/**
 * alarm_lvtt() - LVTT as the hardware has to have it
 * @value: the guest's
 *
 * While an alarm runs on the timer, its mode is ours.
 */
u32 alarm_lvtt(u32 value)
{
	int periodic = alarm_lvtt_periodic();

	if (periodic < 0)
		return value;
	value &= ~LVTT_MODE_MASK;
	return periodic ? value | LVTT_PERIODIC : value;
}

/**
 * alarm_unmasked() - LVTT was masked and is no more
 *
 * What ran out meanwhile is lost, but a series goes on.
 */
void alarm_unmasked(void)
{
	if (lvtt_ours & cpu_bit())
		rom_alarm_fire(ALARM_LVTT);
}

/**
 * alarm_in_use() - may an interrupt be that of an alarm?
 */
u32 alarm_in_use(void)
{
	return pit_ours | lvtt_ours;
}

/**
 * alarm_interrupt() - the timer of a wiring has sent an interrupt
 * @wiring: ALARM_*
 *
 * Return: 1 if it is not for the guest: too early, or of an alarm that is no more.
 */
int alarm_interrupt(u32 wiring)
{
	if (!(wiring == ALARM_LVTT ? lvtt_ours & cpu_bit() : pit_ours))
		return 0;
	return !rom_alarm_fire(wiring);
}

/**
 * alarm_timer_written() - the guest starts the local APIC's timer itself
 */
void alarm_timer_written(void)
{
	if (alarm_lvtt_periodic() < 0)
		lvtt_ours &= ~cpu_bit();
}

/**
 * alarm_owns_pit() - a write to the PIT by the guest
 *
 * Return: 1 if an alarm runs on channel 0, which the guest then leaves alone.
 */
int alarm_owns_pit(u32 port, u32 value)
{
	if (alarm_on_irq0())
		return port == VMI_PIT_CH0_PORT ||
		       (port == VMI_PIT_MODE_PORT && value < 0x40);
	if (port == VMI_PIT_MODE_PORT && value < 0x40 && value != VMI_PIT_SILENCE)
		pit_ours = 0;
	return 0;
}
