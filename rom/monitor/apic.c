// SPDX-License-Identifier: GPL-2.0-only
/*
 * The local APIC.
 *
 * Owns: the only mapping of it; which writes do not reach it.
 * Not here: starting a CPU (`smp.c`), alarms (`time.c`).
 * Runs: calls 63 and 64, and emulated accesses.
 * Fails: a message that would take a CPU from us is not sent.
 *
 * Source: SDM volume 3, sections 10.4 to 10.6.
 */
#include "monitor.h"

#define APIC_EOI	0x0b0
#define APIC_SVR	0x0f0
#define APIC_IRR	0x200		/* vectors 0 to 31 */
#define APIC_LVT_CMCI	0x2f0
#define APIC_ICR	0x300
#define APIC_ICR2	0x310
#define APIC_LVTT	0x320
#define APIC_INIT_OTHERS 0xc4500
#define APIC_LINT0	0x350
#define APIC_LINT1	0x360
#define APIC_LVT_FIRST	0x320
#define APIC_LVT_LAST	0x370
#define APIC_MASKED	0x10000

#define MODE(v)		((v) >> 8 & 7)
#define MODE_LOWEST	1
#define MODE_INIT	5
#define MODE_STARTUP	6
#define MODE_EXTINT	7
#define SHORTHAND(v)	((v) >> 18 & 3)
#define LEVEL_DEASSERT(v) (((v) & 0xc000) == 0x8000)

u32 lapic_get(u32 reg)
{
	return *(volatile u32 *)(MON_LAPIC + reg);
}

void lapic_set(u32 reg, u32 value)
{
	*(volatile u32 *)(MON_LAPIC + reg) = value;
}

/* INIT and STARTUP by the guest: only our own code may start a CPU. */
static void start_message(u32 value)
{
	u32 id, target = lapic_get(APIC_ICR2) >> 24;

	for (id = 0; id < MAX_VCPUS; id++) {
		if (id == me->number || (SHORTHAND(value) == 0 && id != target) ||
		    SHORTHAND(value) == 1)
			continue;
		if (MODE(value) == MODE_STARTUP)
			ap_start(id);
		else if (!LEVEL_DEASSERT(value))
			ap_init_ipi(id);
	}
}

/*
 * What may arrive at a CPU: fixed, lowest priority, or from the 8259; and not
 * where exceptions are.
 */
static int may_send(u32 value)
{
	if (MODE(value) == MODE_EXTINT)
		return 1;
	return MODE(value) <= MODE_LOWEST && (value & 0xff) >= 32;
}

static int is_lvt(u32 reg)
{
	return (reg >= APIC_LVT_FIRST && reg <= APIC_LVT_LAST) || reg == APIC_LVT_CMCI;
}

/* Only these have a mode for the 8259; for others the bits mean nothing. */
static int is_pin(u32 reg)
{
	return reg == APIC_LINT0 || reg == APIC_LINT1;
}

/**
 * apic_write() - a register of the guest's local APIC
 * @reg: offset
 * @value: for it
 */
void apic_write(u32 reg, u32 value)
{
	reg &= 0xff0;
	if (reg == APIC_ICR) {
		if (MODE(value) == MODE_INIT || MODE(value) == MODE_STARTUP) {
			start_message(value);
			return;
		}
		if (MODE(value) == MODE_EXTINT || !may_send(value))
			return;
	}
	if (is_lvt(reg) && !(MODE(value) == MODE_EXTINT ? is_pin(reg) : may_send(value)))
		value |= APIC_MASKED;
	if (reg == APIC_SVR && (value & 0xff) < 32)
		value |= 0xff;		/* a spurious interrupt's vector */
	if (reg == APIC_LVTT)
		value = alarm_lvtt(value);
	lapic_set(reg, value);
	if (reg == APIC_LVTT)
		alarm_unmasked();
}

/*
 * The I/O APIC: a register's number, then its content. Redirection entries
 * begin at 0x10, the lower halves are even.
 */
#define IOAPIC_SELECT	0x00
#define IOAPIC_WINDOW	0x10
#define IOAPIC_ENTRIES	0x10
#define IOAPIC_LINES	24

/**
 * ioapic_write() - a register of the I/O APIC
 */
void ioapic_write(u32 reg, u32 value)
{
	u32 number = *(volatile u32 *)(MON_IOAPIC + IOAPIC_SELECT) & 0xff;

	if (reg == IOAPIC_WINDOW && number >= IOAPIC_ENTRIES && !(number & 1) &&
	    !may_send(value))
		value |= APIC_MASKED;
	*(volatile u32 *)(MON_IOAPIC + (reg & 0xff0)) = value;
	alarm_unmasked();
}

u32 ioapic_read(u32 reg)
{
	return *(volatile u32 *)(MON_IOAPIC + (reg & 0xff0));
}

/* The redirection entry of the 8259's timer input; the guest's choice stays. */
#define IOAPIC_TIMER_PIN 2

static u32 ioapic_timer(void)
{
	volatile u32 *select = (u32 *)(MON_IOAPIC + IOAPIC_SELECT);
	u32 saved = *select, entry;

	*select = IOAPIC_ENTRIES + IOAPIC_TIMER_PIN * 2;
	entry = *(volatile u32 *)(MON_IOAPIC + IOAPIC_WINDOW);
	*select = saved;
	return entry;
}

/* Does the I/O APIC send the timer's interrupt as this vector? */
static int by_ioapic(u32 vector)
{
	u32 entry = has_apic ? ioapic_timer() : APIC_MASKED;

	return !(entry & APIC_MASKED) && MODE(entry) <= MODE_LOWEST && (entry & 0xff) == vector;
}

int timer_is_lvtt(u32 vector)
{
	return has_apic && (lapic_get(APIC_LVTT) & 0xff) == vector;
}

int timer_is_irq0(u32 vector)
{
	return pic_irq0_vector() == vector || by_ioapic(vector);
}

void timer_eoi_lapic(void)
{
	lapic_set(APIC_EOI, 0);
}

void timer_eoi_irq0(u32 vector)
{
	if (by_ioapic(vector))
		timer_eoi_lapic();
	else
		pic_eoi_irq0();
}

/* What the guest set up before Init is filtered as what comes later. */
static void filter_again(void)
{
	volatile u32 *select = (volatile u32 *)(MON_IOAPIC + IOAPIC_SELECT);
	u32 reg, before = *select;

	for (reg = APIC_LVT_FIRST; reg <= APIC_LVT_LAST; reg += 0x10)
		apic_write(reg, lapic_get(reg));
	apic_write(APIC_SVR, lapic_get(APIC_SVR));
	if (lapic_get(APIC_IRR))
		stop("interrupts", lapic_get(APIC_IRR), "wait with vectors of exceptions");
	for (reg = IOAPIC_ENTRIES; reg < IOAPIC_ENTRIES + 2 * IOAPIC_LINES; reg += 2) {
		*select = reg;
		ioapic_write(IOAPIC_WINDOW, ioapic_read(IOAPIC_WINDOW));
	}
	*select = before;
}

/**
 * apic_init() - put the APIC where we think it is, and the other CPUs to sleep
 */
void apic_init(void)
{
	u64 base = rdmsr(MSR_APIC_BASE);

	if (base >> 12 != FRAME_LAPIC)
		wrmsr(MSR_APIC_BASE, (base & 0xfff) | (u64)FRAME_LAPIC << 12);
	lapic_set(APIC_ICR, APIC_INIT_OTHERS);
	filter_again();
}

/**
 * apic_read() - a register of the guest's local APIC
 */
u32 apic_read(u32 reg)
{
	return lapic_get(reg & 0xff0);
}
