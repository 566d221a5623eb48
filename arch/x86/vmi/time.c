// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clock events from the ROM's alarms.
 *
 * Owns: the clock event device of each CPU, on IRQ 0 first and, once the boot CPU's
 *       APIC works, on the local vector; whether the ROM's time is used at all.
 * Not here: clocks that are read (`clock.c`).
 * Runs: activation decides; devices from timer init on, on their own CPU.
 * Fails: without calls 66 to 70, or at frequency 0, the hardware's timers stay, with
 *        one line.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/clockchips.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <asm/apic.h>
#include <asm/io.h>
#include <asm/irq_vectors.h>
#include <asm/time.h>
#include <asm/x86_init.h>

#include "call.h"
#include "clock.h"
#include "driver.h"

/* What a 32-bit multiplier handles exactly enough; longer waits are split. */
#define MIN_DELTA_CYCLES	0x100
#define MAX_DELTA_CYCLES	0x7fffffff

static DEFINE_PER_CPU(struct clock_event_device, clockevent);

/* VMI_ALARM_WIRED_*; changes once, before there are other CPUs. */
static u32 wiring __ro_after_init = VMI_ALARM_WIRED_IRQ0;

static void set_alarm(u32 flags, u64 expiry, u64 period)
{
	vmi_entry_SetAlarm(flags | wiring, expiry, expiry >> 32, period, period >> 32);
}

static int cancel_alarm(struct clock_event_device *evt)
{
	vmi_entry_CancelAlarm(VMI_CYCLES_REAL | wiring);
	return 0;
}

static int set_periodic(struct clock_event_device *evt)
{
	u64 period = div_u64((u64)vmi_khz() * 1000, HZ);

	set_alarm(VMI_CYCLES_REAL | VMI_ALARM_PERIODIC, vmi_real_cycles() + period, period);
	return 0;
}

static int set_next_event(unsigned long delta, struct clock_event_device *evt)
{
	set_alarm(VMI_CYCLES_REAL | VMI_ALARM_ONESHOT, vmi_real_cycles() + delta, 0);
	return 0;
}

/* An interrupt from before this CPU's device was registered may be pending. */
static void tick(void)
{
	struct clock_event_device *evt = this_cpu_ptr(&clockevent);

	if (evt->event_handler)
		evt->event_handler(evt);
}

static irqreturn_t irq0_handler(int irq, void *data)
{
	tick();
	return IRQ_HANDLED;
}

static void register_device(void)
{
	struct clock_event_device *evt = this_cpu_ptr(&clockevent);

	memset(evt, 0, sizeof(*evt));
	evt->name = "vmi-timer";
	evt->features = CLOCK_EVT_FEAT_PERIODIC | CLOCK_EVT_FEAT_ONESHOT;
	evt->rating = 1000;
	evt->irq = -1;
	evt->cpumask = cpumask_of(smp_processor_id());
	evt->set_state_shutdown = cancel_alarm;
	evt->set_state_oneshot = cancel_alarm;
	evt->set_state_periodic = set_periodic;
	evt->tick_resume = cancel_alarm;
	evt->set_next_event = set_next_event;
	/* In units of kHz, so that more than 4.29 GHz fit. */
	clocks_calc_mult_shift(&evt->mult, &evt->shift, NSEC_PER_MSEC, vmi_khz(),
			       4 * MSEC_PER_SEC);
	evt->min_delta_ticks = MIN_DELTA_CYCLES;
	evt->min_delta_ns = clockevent_delta2ns(MIN_DELTA_CYCLES, evt);
	evt->max_delta_ticks = MAX_DELTA_CYCLES;
	evt->max_delta_ns = clockevent_delta2ns(MAX_DELTA_CYCLES, evt);
	if (smp_processor_id() == 0)
		pr_info("registering clock event vmi-timer. mult=%u shift=%u\n",
			evt->mult, evt->shift);
	clockevents_register_device(evt);
}

/* In place of the PIT's and HPET's. */
static void __init timer_init(void)
{
	unsigned long flags = IRQF_NOBALANCING | IRQF_IRQPOLL | IRQF_TIMER;

	outb(VMI_PIT_SILENCE, VMI_PIT_MODE_PORT);
	if (request_irq(VMI_PIT_IRQ, irq0_handler, flags, "vmi-timer", NULL))
		pr_err("IRQ %d is taken, no timer\n", VMI_PIT_IRQ);
	register_device();
	/* The I/O APIC leaves IRQ 0 alone unless somebody wants it. */
	global_clock_event = this_cpu_ptr(&clockevent);
}

#ifdef CONFIG_X86_LOCAL_APIC
/*
 * The local vector: one that the kernel dispatches to a callback without asking what
 * raised it.
 */
static void wire_this_cpu(void)
{
	apic_write(APIC_LVTT, X86_PLATFORM_IPI_VECTOR);
}

/* Moves the boot CPU's device over in whatever state it is. */
static void __init setup_boot_lvtt(void)
{
	struct clock_event_device *evt = this_cpu_ptr(&clockevent);
	unsigned long flags;

	local_irq_save(flags);
	cancel_alarm(evt);
	x86_platform_ipi_callback = tick;
	wire_this_cpu();
	wiring = VMI_ALARM_WIRED_LVTT;
	if (clockevent_state_periodic(evt))
		set_periodic(evt);
	else if (clockevent_state_oneshot(evt))
		set_next_event(MIN_DELTA_CYCLES, evt);
	local_irq_restore(flags);
}

static void setup_secondary_lvtt(void)
{
	wire_this_cpu();
	register_device();
}

static void __init hook_local_timer(void)
{
	x86_init.timers.setup_percpu_clockev = setup_boot_lvtt;
	x86_cpuinit.setup_percpu_clockev = setup_secondary_lvtt;
}
#else
static void __init hook_local_timer(void) { }
#endif

static bool __init usable(void)
{
	int missing = vmi_reloc_timer_missing(vmi.reloc);

	if (!vmi_option_timer()) {
		pr_info("timer off by command line\n");
		return false;
	}
	if (vmi.reloc[VMI_CALL_GetCycleFrequency].type == VMI_RELOC_NONE)
		return false;
	if (missing >= 0) {
		pr_warn("ROM at 0x%x: call %d %s not provided, so no VMI timer\n",
			vmi.rom.phys, missing, vmi_call_name(missing));
		return false;
	}
	return vmi_clock_init();
}

/**
 * vmi_time_apply() - let the ROM keep time, if it can
 */
void __init vmi_time_apply(void)
{
	if (!usable())
		return;
	x86_init.timers.timer_init = timer_init;
	hook_local_timer();
	vmi_clock_apply();
}
