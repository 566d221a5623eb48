// SPDX-License-Identifier: GPL-2.0-only
/*
 * Clocks that are read from the ROM.
 *
 * Owns: the clock source, sched_clock(), stolen time, the wall clock, the TSC's
 *       frequency.
 * Not here: alarms (`time.c`).
 * Runs: set up at activation; read on any CPU, in any context.
 *
 * The scheduler's clock is real time, which all CPUs share, and stolen time is
 * reported beside it. Historical guests scheduled by available time, which is real
 * time without what was stolen: with both, stolen time would count twice.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/clocksource.h>
#include <linux/jump_label.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/static_call.h>
#include <linux/time64.h>
#include <asm/cpufeature.h>
#include <asm/x86_init.h>

#include "call.h"
#include "clock.h"
#include "driver.h"

static u32 khz __ro_after_init;
static u32 to_ns_mult __ro_after_init, to_ns_shift __ro_after_init;
static u64 boot_cycles __ro_after_init;

/* What a CPU was robbed of when it last looked: only it can look. */
static DEFINE_PER_CPU(u64, stolen_ns);

/**
 * vmi_khz() - rate of the ROM's counters
 * Return: cycles per ms; 0 before vmi_clock_init().
 */
u32 vmi_khz(void)
{
	return khz;
}

/**
 * vmi_real_cycles() - the counter that alarms refer to
 */
u64 notrace vmi_real_cycles(void)
{
	return vmi_entry_GetCycleCounter(VMI_CYCLES_REAL);
}

static u64 notrace to_ns(u64 cycles)
{
	return mul_u64_u32_shr(cycles, to_ns_mult, to_ns_shift);
}

static u64 notrace vmi_sched_clock(void)
{
	return to_ns(vmi_real_cycles() - boot_cycles);
}

static u64 vmi_steal_clock(int cpu)
{
	if (cpu == raw_smp_processor_id())
		this_cpu_write(stolen_ns, to_ns(vmi_entry_GetCycleCounter(VMI_CYCLES_STOLEN)));
	return per_cpu(stolen_ns, cpu);
}

static u64 read_clocksource(struct clocksource *cs)
{
	return vmi_real_cycles();
}

static struct clocksource clocksource = {
	.name	= "vmi-timer",
	.rating	= 450,
	.read	= read_clocksource,
	.mask	= CLOCKSOURCE_MASK(64),
	.flags	= CLOCK_SOURCE_IS_CONTINUOUS,
};

static unsigned long vmi_tsc_khz(void)
{
	return khz;
}

static void get_wallclock(struct timespec64 *now)
{
	*now = ns_to_timespec64(vmi_entry_GetWallclockTime());
}

/* The ROM's clock cannot be set; the kernel then stops trying. */
static int set_wallclock(const struct timespec64 *now)
{
	return -ENODEV;
}

/**
 * vmi_clock_init() - learn the rate of the ROM's counters
 *
 * Context: activation; calls 66 to 70 are there.
 * Return: false, with one line, if it is none that the kernel can work with.
 */
bool __init vmi_clock_init(void)
{
	u64 hz = vmi_entry_GetCycleFrequency();

	if (hz < HZ * 1000ull || hz / 1000 > U32_MAX) {
		pr_warn("ROM at 0x%x: cycle frequency %llu not in %llu..%llu, so no VMI timer\n",
			vmi.rom.phys, hz, HZ * 1000ull, U32_MAX * 1000ull);
		return false;
	}
	khz = div_u64(hz, 1000);
	clocks_calc_mult_shift(&to_ns_mult, &to_ns_shift, khz, NSEC_PER_MSEC, 0);
	return true;
}

/**
 * vmi_clock_apply() - let the kernel read the ROM's clocks
 */
void __init vmi_clock_apply(void)
{
	boot_cycles = vmi_real_cycles();
	paravirt_set_sched_clock(vmi_sched_clock);
	x86_platform.calibrate_tsc = vmi_tsc_khz;
	x86_platform.calibrate_cpu = vmi_tsc_khz;
	x86_platform.get_wallclock = get_wallclock;
	x86_platform.set_wallclock = set_wallclock;
	setup_force_cpu_cap(X86_FEATURE_TSC_KNOWN_FREQ);
}

/* Static calls and keys want locks, so not at activation. */
static int __init register_clocks(void)
{
	if (!khz)
		return 0;
	static_call_update(pv_steal_clock, vmi_steal_clock);
	static_key_slow_inc(&paravirt_steal_enabled);
	static_key_slow_inc(&paravirt_steal_rq_enabled);
	pr_info("registering clock source khz=%u\n", khz);
	return clocksource_register_khz(&clocksource, khz);
}
arch_initcall(register_clocks);
