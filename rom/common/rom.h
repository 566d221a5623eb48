/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the C parts of the ROMs share: instructions, and the way to the data.
 *
 * Owns: inline assembly for flags, identity and long division.
 * Not here: the layout of the data (`data.h`), single instructions (`insn.h`).
 * Runs: in the guest's kernel, flat segments, any linear address.
 * Fails: -
 *
 * C code in a ROM has no static data and no string literals: it is not
 * relocated. The build refuses absolute relocations.
 */
#ifndef _ROM_ROM_H
#define _ROM_ROM_H

#include <linux/types.h>
#include "data.h"
#include "insn.h"

/* Linear address of the ROM's symbol @sym, which may be `rom_start`. */
#define rom_address(sym)					\
({								\
	u32 __at;						\
	asm("call 1f\n"						\
	    "1: pop %0\n\t"					\
	    "lea " #sym " - 1b(%0), %0" : "=r" (__at));		\
	__at;							\
})

#ifdef ROM_MONITOR_IMAGE

/* The monitor is linked for its address and has variables. */
extern struct rom_vars mon_vars;
extern struct rom_timers mon_timers[ROM_CPUS];
#define rom_vars()	(&mon_vars)
#define rom_timers(id)	(&mon_timers[id])

#define ALARM_TIMER_PERIODIC	0
#define ALARM_PATIENCE		(rom_vars()->tsc_khz >> 3)	/* 125 us */
u64 alarm_stolen(void);

#else

#define ALARM_TIMER_PERIODIC	1
#define ALARM_PATIENCE		0u
#define alarm_stolen()		0ull

/* Linear address of the data pages, or 0 when the BIOS part got none. */
u32 rom_data(void) __attribute__((__const__));

static inline struct rom_vars *rom_vars(void)
{
	return (struct rom_vars *)(rom_data() + DATA_VARS);
}

static inline struct rom_ap *rom_ap(u32 apic_id)
{
	return (struct rom_ap *)(rom_data() + DATA_APS) + apic_id;
}

static inline struct rom_timers *rom_timers(u32 apic_id)
{
	return (struct rom_timers *)(rom_data() + DATA_TIMERS) + apic_id;
}

#endif /* !ROM_MONITOR_IMAGE */

static inline u32 lapic_read(u32 lapic, u32 reg)
{
	return *(volatile u32 *)(lapic + reg);
}

static inline void lapic_write(u32 lapic, u32 reg, u32 value)
{
	*(volatile u32 *)(lapic + reg) = value;
}

static inline u32 irq_save(void)
{
	u32 flags;

	asm volatile("pushf; pop %0; cli" : "=r" (flags) : : "memory");
	return flags;
}

static inline void irq_restore(u32 flags)
{
	asm volatile("push %0; popf" : : "r" (flags) : "memory", "cc");
}

static inline void cpuid1(u32 *ebx, u32 *edx)
{
	u32 eax = 1, ecx;

	asm volatile("cpuid" : "+a" (eax), "=b" (*ebx), "=c" (ecx), "=d" (*edx));
}

/* Local APIC id of this CPU; the index of rom_ap() and rom_timers(). */
static inline u32 cpu_id(void)
{
	u32 ebx, edx;

	cpuid1(&ebx, &edx);
	return ebx >> 24;
}

/**
 * mul_div() - a * mul / div without a 64-bit division
 * @a: any
 * @mul: any
 * @div: not 0
 *
 * Return: the quotient, rounded down, or all ones if it exceeds 64 bits.
 */
static inline u64 mul_div(u64 a, u32 mul, u32 div)
{
	u64 low = (u64)(u32)a * mul;
	u64 high = (a >> 32) * mul + (low >> 32);
	u32 q_high, q_low, rest;

	if (high >> 32 >= div)
		return ~0ull;
	/* high:low is 96 bits; its top part is below @div, so two steps do. */
	asm("divl %4" : "=a" (q_high), "=d" (rest)
	    : "0" ((u32)high), "1" ((u32)(high >> 32)), "r" (div));
	asm("divl %4" : "=a" (q_low), "=d" (rest)
	    : "0" ((u32)low), "1" (rest), "r" (div));
	return (u64)q_high << 32 | q_low;
}

u32 lapic_find(void);
int alarm_lvtt_periodic(void);
int alarm_armed(u32 wiring);
void alarm_fired(u32 wiring);
int alarm_early(u32 wiring);
void lapic_timer_start(u32 lapic, u64 cycles, u32 periodic);
void lapic_timer_stop(u32 lapic);
void pit_start(u64 cycles, u32 periodic);
void pit_stop(void);
u32 tsc_measure_khz(void);

#endif /* _ROM_ROM_H */
