// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the cpu ops on MSRs and performance counters.
 *
 * Known registers: the APIC's base, to read, and SYSENTER_EIP, to write, which nothing
 * uses while IRQs are off.
 */
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <asm/apicdef.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/msr-index.h>
#include "probe.h"

/* Neither Intel nor AMD ever defined it. */
#define MSR_NOWHERE	0x4acedead
/* Bits 63:32 are reserved, so that writing them faults with and without the feature. */
#define MSR_PKRS	0x6e1

static bool has_apic(struct pv_probe *p)
{
	if (boot_cpu_has(X86_FEATURE_MSR) && boot_cpu_has(X86_FEATURE_APIC))
		return true;
	kunit_mark_skipped(p->test, "the processor has no APIC whose base is in an MSR");
	return false;
}

/* Below ring 0 the kernel does not use SYSENTER, and a backend may hide it. */
static bool has_sysenter(struct pv_probe *p)
{
	if (boot_cpu_has(X86_FEATURE_MSR) && boot_cpu_has(X86_FEATURE_SEP) && pv_at_ring0())
		return true;
	kunit_mark_skipped(p->test, "no SYSENTER_EIP that a test may write");
	return false;
}

static void expect_apic_base(struct pv_probe *p, u64 seen)
{
	KUNIT_EXPECT_EQ(p->test, (u32)seen & MSR_IA32_APICBASE_BASE, APIC_DEFAULT_PHYS_BASE);
	KUNIT_EXPECT_EQ(p->test, (u32)(seen >> 32), 0u);
	if (pv_at_ring0())
		KUNIT_EXPECT_EQ(p->test, seen, __rdmsr(MSR_IA32_APICBASE));
}

void pv_test_cpu_read_msr(struct pv_probe *p)
{
	u32 changes = BIT(PV_REG_EAX) | BIT(PV_REG_EDX);

	if (has_apic(p))
		expect_apic_base(p, pv_call_regs(p, 0x1111, 0x2222, MSR_IA32_APICBASE, changes));
}

void pv_test_cpu_write_msr(struct pv_probe *p)
{
	u64 old, seen;
	u32 other;

	if (!has_sysenter(p))
		return;
	local_irq_disable();
	old = pv_cpu_read_msr(MSR_IA32_SYSENTER_EIP);
	other = (u32)old ^ 0xff0;
	pv_call_regs(p, other, 0, MSR_IA32_SYSENTER_EIP, 0);
	seen = pv_cpu_read_msr(MSR_IA32_SYSENTER_EIP);
	pv_cpu_write_msr(MSR_IA32_SYSENTER_EIP, (u32)old, (u32)(old >> 32));
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, (u32)seen, other);
}

/* An emulator may ignore unknown registers: what the instruction does is right. */
static int read_error(u32 msr)
{
	int err = 1;

	native_read_msr_safe(msr, &err);
	return err;
}

void pv_test_cpu_read_msr_safe(struct pv_probe *p)
{
	int good = 1, bad = 1, expected;

	if (!has_apic(p))
		return;
	expect_apic_base(p, pv_call(p, MSR_IA32_APICBASE, (u32)&good));
	pv_call(p, MSR_NOWHERE, (u32)&bad);
	expected = read_error(MSR_NOWHERE);
	if (!expected)
		kunit_info(p->test, "this processor reads MSR 0x%x without a fault\n", MSR_NOWHERE);

	KUNIT_EXPECT_EQ(p->test, good, 0);
	KUNIT_EXPECT_EQ(p->test, bad, expected);
}

void pv_test_cpu_write_msr_safe(struct pv_probe *p)
{
	u64 old, seen;
	u32 other;
	int good, bad, expected;

	if (!has_sysenter(p))
		return;
	local_irq_disable();
	old = pv_cpu_read_msr(MSR_IA32_SYSENTER_EIP);
	other = (u32)old ^ 0xff0;
	good = pv_call(p, MSR_IA32_SYSENTER_EIP, other, 0);
	seen = pv_cpu_read_msr(MSR_IA32_SYSENTER_EIP);
	pv_cpu_write_msr(MSR_IA32_SYSENTER_EIP, (u32)old, (u32)(old >> 32));
	bad = pv_call(p, MSR_PKRS, 0, 1);
	expected = native_write_msr_safe(MSR_PKRS, 0, 1);
	local_irq_enable();
	if (!expected)
		kunit_info(p->test, "this processor writes MSR 0x%x without a fault\n", MSR_PKRS);

	KUNIT_EXPECT_EQ(p->test, good, 0);
	KUNIT_EXPECT_EQ(p->test, (u32)seen, other);
	KUNIT_EXPECT_EQ(p->test, bad, expected);
}

void pv_test_cpu_read_pmc(struct pv_probe *p)
{
	u64 hardware, seen;

	if (!boot_cpu_has(X86_FEATURE_ARCH_PERFMON) || !pv_at_ring0()) {
		kunit_mark_skipped(p->test, "the processor has no architectural counters");
		return;
	}
	local_irq_disable();
	seen = pv_call_regs(p, 0x1111, 0x2222, 0, BIT(PV_REG_EAX) | BIT(PV_REG_EDX));
	hardware = native_read_pmc(0);
	local_irq_enable();

	KUNIT_EXPECT_LE(p->test, seen, hardware);
}
