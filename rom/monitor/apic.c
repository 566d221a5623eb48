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
#define APIC_ICR	0x300
#define APIC_ICR2	0x310
#define APIC_LVTT	0x320
#define APIC_LVT_FIRST	0x320
#define APIC_LVT_LAST	0x370
#define APIC_TIMER_COUNT 0x380

#define MODE(v)		((v) >> 8 & 7)
#define MODE_SMI	2
#define MODE_NMI	4
#define MODE_INIT	5
#define MODE_STARTUP	6
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

static int is_lvt(u32 reg)
{
	return reg >= APIC_LVT_FIRST && reg <= APIC_LVT_LAST;
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
		if (MODE(value) == MODE_SMI || MODE(value) == MODE_NMI)
			return;
	}
	if (is_lvt(reg) && (MODE(value) == MODE_SMI || MODE(value) == MODE_INIT ||
			    MODE(value) == MODE_NMI))
		value |= 0x10000;		/* masked */
	if (reg == APIC_LVTT)
		value = alarm_lvtt(value);
	lapic_set(reg, value);
}

/**
 * apic_read() - a register of the guest's local APIC
 */
u32 apic_read(u32 reg)
{
	return lapic_get(reg & 0xff0);
}

/**
 * kick() - make another vCPU enter ring 0
 */
void kick(struct vcpu *v)
{
	u32 icr2 = lapic_get(APIC_ICR2);

	while (lapic_get(APIC_ICR) & 0x1000)
		cpu_relax();
	lapic_set(APIC_ICR2, v->number << 24);
	lapic_set(APIC_ICR, 0x4000 | VECTOR_KICK);
	while (lapic_get(APIC_ICR) & 0x1000)
		cpu_relax();
	lapic_set(APIC_ICR2, icr2);
}

/**
 * kicked() - another vCPU wants something
 */
void kicked(void)
{
	lapic_set(APIC_EOI, 0);
	if (me->idt_stale) {
		me->idt_stale = 0;
		idt_load(me->idt.base, me->idt.limit);
	}
}
