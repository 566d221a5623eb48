// SPDX-License-Identifier: GPL-2.0-only
/*
 * GetWallclockTime: the CMOS real-time clock as nanoseconds.
 *
 * Owns: reading the clock, once per call.
 * Not here: cycles (`alarm.c`). WallclockUpdated is never true here.
 * Runs: rarely (boot, resume); waits up to 2 ms for an update to end. It uses
 * the index port 0x70, which the guest must not use at the same moment.
 * Fails: -
 *
 * The clock counts whole seconds of UTC in 2000 to 2099.
 *
 * Source: Motorola MC146818A data sheet, registers 0 to B.
 */
#include "rom.h"

#define RTC_INDEX	0x70
#define RTC_DATA	0x71
#define RTC_SECOND	0
#define RTC_MINUTE	2
#define RTC_HOUR	4
#define RTC_DAY		7
#define RTC_MONTH	8
#define RTC_YEAR	9
#define RTC_A		10
#define RTC_B		11
#define A_UPDATING	0x80
#define B_BINARY	0x04
#define B_24_HOURS	0x02
#define HOUR_PM		0x80

#define DAYS_TO_2000	10957u	/* from 1970-01-01 */
#define NS_PER_SECOND	1000000000u

static u8 rtc_read(u8 reg)
{
	outb(RTC_INDEX, reg);
	return inb(RTC_DATA);
}

static u32 rtc_number(u8 value, u8 b)
{
	return b & B_BINARY ? value : (value >> 4) * 10u + (value & 15);
}

static u32 rtc_hour(u8 value, u8 b)
{
	u32 hour = rtc_number(value & ~HOUR_PM, b);

	if (b & B_24_HOURS)
		return hour;
	return hour % 12 + (value & HOUR_PM ? 12 : 0);
}

/* Days from 2000-01-01; counts years from March, so that leap days come last. */
static u32 days_since_2000(u32 year, u32 month, u32 day)
{
	u32 y = year, m = month;

	if (m <= 2) {
		m += 12;
		y--;		/* year 0: wraps, and the sums below wrap back */
	}
	/* y + 4 keeps the quotient's argument positive. */
	return 365 * y + (y + 4) / 4 - 1 + (153 * (m - 3) + 2) / 5 + day - 1 + 60;
}

static u32 rtc_seconds(void)
{
	u8 b = rtc_read(RTC_B);
	u32 days, hours;

	days = days_since_2000(rtc_number(rtc_read(RTC_YEAR), b),
			       rtc_number(rtc_read(RTC_MONTH), b),
			       rtc_number(rtc_read(RTC_DAY), b));
	hours = days * 24 + rtc_hour(rtc_read(RTC_HOUR), b);
	return (hours * 60 + rtc_number(rtc_read(RTC_MINUTE), b)) * 60 +
	       rtc_number(rtc_read(RTC_SECOND), b);
}

/**
 * rom_wallclock() - call 70
 *
 * Return: nanoseconds since 1970-01-01 UTC.
 */
REGPARM u64 rom_wallclock(void)
{
	u32 flags = irq_save();
	u32 first, seconds;

	do {
		while (rtc_read(RTC_A) & A_UPDATING)
			;
		first = rtc_seconds();
		seconds = rtc_seconds();
	} while (first != seconds);
	irq_restore(flags);
	return ((u64)DAYS_TO_2000 * 86400 + seconds) * NS_PER_SECOND;
}
