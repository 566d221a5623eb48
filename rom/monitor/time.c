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
REGPARM void rom_alarm_service(void);
REGPARM u64 rom_wallclock(void);

/* Wirings. */
#define IRQ0	0
#define LVTT	1

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

void alarm_set(u32 flags, u64 expiry, u64 period)
{
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
 * alarm_unmasked() - an interrupt controller may be open again
 *
 * What a timer sent meanwhile may be lost, but a series goes on.
 */
void alarm_unmasked(void)
{
	rom_alarm_service();
}

/**
 * alarm_interrupt() - an interrupt came: look after the timers
 * @vector: of it
 *
 * A timer whose range is too short, or that ran while time was stolen, comes
 * before its alarm is due: the guest does not see that.
 *
 * Return: 1 if it is not for the guest.
 */
int alarm_interrupt(u32 vector)
{
	int early;

	if (alarm_armed(LVTT) && timer_is_lvtt(vector)) {
		early = alarm_early(LVTT);
		if (early)
			timer_eoi_lapic();
		alarm_fired(LVTT);
	} else if (alarm_armed(IRQ0) && timer_is_irq0(vector)) {
		early = alarm_early(IRQ0);
		if (early)
			timer_eoi_irq0(vector);
		alarm_fired(IRQ0);
	} else {
		early = 0;
		rom_alarm_service();
	}
	return early;
}

/**
 * alarm_owns_pit() - a write to the PIT by the guest
 *
 * Return: 1 if an alarm runs on channel 0, which the guest then leaves alone.
 */
int alarm_owns_pit(u32 port, u32 value)
{
	if (!alarm_armed(IRQ0))
		return 0;
	return port == VMI_PIT_CH0_PORT || (port == VMI_PIT_MODE_PORT && value < 0x40);
}
