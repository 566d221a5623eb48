// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the cpu ops on control and debug registers, CPUID and the I/O bitmap.
 *
 * Not here: descriptor tables (`test_desc.c`), MSRs (`test_msr.c`), context switch
 *           (`test_lazy.c`).
 * Each test puts back what it changed, with IRQs off in between.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <asm/cpufeature.h>
#include <asm/io_bitmap.h>
#include <asm/processor.h>
#include <asm/tlbflush.h>
#include "probe.h"

/* What it waits for cannot be seen. */
void pv_test_cpu_io_delay(struct pv_probe *p)
{
	pv_call(p);
}

void pv_test_cpu_wbinvd(struct pv_probe *p)
{
	pv_call(p);
}

/* Breakpoint addresses stay without effect while DR7 enables none. */
#define NR_BREAKPOINTS	4
#define BREAKPOINT(reg)	(0x12340000u + (reg) * 0x111)

void pv_test_cpu_get_debugreg(struct pv_probe *p)
{
	u32 seen[NR_BREAKPOINTS], old[NR_BREAKPOINTS];
	unsigned int i;

	local_irq_disable();
	for (i = 0; i < NR_BREAKPOINTS; i++) {
		old[i] = pv_cpu_get_debugreg(i);
		pv_cpu_set_debugreg(i, BREAKPOINT(i));
	}
	for (i = 0; i < NR_BREAKPOINTS; i++) {
		seen[i] = pv_call(p, i);
		pv_cpu_set_debugreg(i, old[i]);
	}
	local_irq_enable();

	for (i = 0; i < NR_BREAKPOINTS; i++)
		KUNIT_EXPECT_EQ(p->test, seen[i], BREAKPOINT(i));
}

void pv_test_cpu_set_debugreg(struct pv_probe *p)
{
	u32 seen[NR_BREAKPOINTS], old[NR_BREAKPOINTS];
	unsigned int i;

	local_irq_disable();
	for (i = 0; i < NR_BREAKPOINTS; i++) {
		old[i] = pv_cpu_get_debugreg(i);
		pv_call(p, i, BREAKPOINT(i));
	}
	for (i = 0; i < NR_BREAKPOINTS; i++) {
		seen[i] = pv_cpu_get_debugreg(i);
		pv_cpu_set_debugreg(i, old[i]);
	}
	local_irq_enable();

	for (i = 0; i < NR_BREAKPOINTS; i++)
		KUNIT_EXPECT_EQ(p->test, seen[i], BREAKPOINT(i));
}

void pv_test_cpu_read_cr0(struct pv_probe *p)
{
	u32 hardware, seen;

	local_irq_disable();
	seen = pv_call(p);
	hardware = pv_at_ring0() ? native_read_cr0() : seen;
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, seen, hardware);
	KUNIT_EXPECT_EQ(p->test, seen & (CR0_STATE & ~X86_CR0_TS), (u32)CR0_STATE);
}

void pv_test_cpu_write_cr0(struct pv_probe *p)
{
	u32 old, set, cleared;

	local_irq_disable();
	old = read_cr0();
	pv_call(p, old | X86_CR0_TS);
	set = read_cr0();
	pv_call(p, old & ~X86_CR0_TS);
	cleared = read_cr0();
	write_cr0(old);
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, set, old | (u32)X86_CR0_TS);
	KUNIT_EXPECT_EQ(p->test, cleared, old & ~(u32)X86_CR0_TS);
}

/* Bits that the processor does not know are in the shadow alone. */
void pv_test_cpu_read_cr4(struct pv_probe *p)
{
	u32 seen, want;

	local_irq_disable();
	seen = pv_call_regs(p, 0, 0x1111, 0x2222, BIT(PV_REG_EAX));
	want = pv_at_ring0() ? native_read_cr4() : cr4_read_shadow();
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, seen, want);
}

/* CR4.DE changes only how DR4, DR5 and I/O breakpoints work. */
void pv_test_cpu_write_cr4(struct pv_probe *p)
{
	u32 flip = boot_cpu_has(X86_FEATURE_DE) ? X86_CR4_DE : 0;
	u32 old, flipped, restored;

	if (!flip) {
		kunit_mark_skipped(p->test, "the processor has no CR4.DE");
		return;
	}
	local_irq_disable();
	old = __read_cr4();
	pv_call(p, old ^ flip);
	flipped = __read_cr4();
	pv_call(p, old);
	restored = __read_cr4();
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, flipped, old ^ flip);
	KUNIT_EXPECT_EQ(p->test, restored, old);
}

#define CPUID_CHANGES	(BIT(PV_REG_EAX) | BIT(PV_REG_EBX) | BIT(PV_REG_ECX) | BIT(PV_REG_EDX))

/* Leaf 0: what the kernel found at boot, and what the hardware says. */
void pv_test_cpu_cpuid(struct pv_probe *p)
{
	u32 eax = 0, ebx, ecx = 0, edx;
	char vendor[13] = "";

	pv_call_regs(p, 0, 0x1111, 0, CPUID_CHANGES);
	memcpy(vendor + 0, &p->out[PV_REG_EBX], 4);
	memcpy(vendor + 4, &p->out[PV_REG_EDX], 4);
	memcpy(vendor + 8, &p->out[PV_REG_ECX], 4);
	KUNIT_EXPECT_STREQ(p->test, vendor, boot_cpu_data.x86_vendor_id);
	if (!pv_at_ring0())
		return;

	native_cpuid(&eax, &ebx, &ecx, &edx);
	KUNIT_EXPECT_EQ(p->test, p->out[PV_REG_EAX], eax);
	KUNIT_EXPECT_EQ(p->test, p->out[PV_REG_EBX], ebx);
	KUNIT_EXPECT_EQ(p->test, p->out[PV_REG_ECX], ecx);
	KUNIT_EXPECT_EQ(p->test, p->out[PV_REG_EDX], edx);
}

#ifdef CONFIG_X86_IOPL_IOPERM
void pv_test_cpu_invalidate_io_bitmap(struct pv_probe *p)
{
	u16 old, seen;

	local_irq_disable();
	old = this_cpu_read(cpu_tss_rw.x86_tss.io_bitmap_base);
	this_cpu_write(cpu_tss_rw.x86_tss.io_bitmap_base, IO_BITMAP_OFFSET_VALID_MAP);
	pv_call(p);
	seen = this_cpu_read(cpu_tss_rw.x86_tss.io_bitmap_base);
	this_cpu_write(cpu_tss_rw.x86_tss.io_bitmap_base, old);
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, seen, (u16)IO_BITMAP_OFFSET_INVALID);
}

/* As for a task with iopl(3), then for one without permissions. */
void pv_test_cpu_update_io_bitmap(struct pv_probe *p)
{
	u16 with, without;

	local_irq_disable();
	current->thread.iopl_emul = 3;
	set_thread_flag(TIF_IO_BITMAP);
	pv_call(p);
	with = this_cpu_read(cpu_tss_rw.x86_tss.io_bitmap_base);

	clear_thread_flag(TIF_IO_BITMAP);
	current->thread.iopl_emul = 0;
	pv_call(p);
	without = this_cpu_read(cpu_tss_rw.x86_tss.io_bitmap_base);
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, with, (u16)IO_BITMAP_OFFSET_VALID_ALL);
	KUNIT_EXPECT_EQ(p->test, without, (u16)IO_BITMAP_OFFSET_INVALID);
}
#endif

void pv_test_cpu_load_sp0(struct pv_probe *p)
{
	u32 old, seen, other;

	local_irq_disable();
	old = this_cpu_read(cpu_tss_rw.x86_tss.sp0);
	other = old - 16;
	pv_call(p, other);
	seen = this_cpu_read(cpu_tss_rw.x86_tss.sp0);
	load_sp0(old);
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, seen, other);
}

/* Natively a CPU needs nothing; a backend may be told twice. */
void pv_test_cpu_ap_init(struct pv_probe *p)
{
	preempt_disable();
	pv_call(p);
	preempt_enable();
}
