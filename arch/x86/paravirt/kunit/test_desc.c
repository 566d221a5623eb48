// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the cpu ops on descriptor tables and the task register.
 *
 * Descriptors are judged by memory and by loading GS with them, which works at any ring.
 * GS is free in a kernel thread; IRQs are off while it is not null.
 */
#include <linux/irqflags.h>
#include <linux/string.h>
#include <asm/cpu_entry_area.h>
#include <asm/desc.h>
#include <asm/mmu_context.h>
#include <asm/segment.h>
#include <asm/trapnr.h>
#include "probe.h"

#define MARK		0x5e67a5e7u
#define USER_DATA(base)	GDT_ENTRY_INIT(0x40f2, (unsigned long)(base), 0xffff)
#define TLS_SELECTOR	(GDT_ENTRY_TLS_MIN * 8 + USER_RPL)
#define LDT_SELECTOR(n)	((n) * LDT_ENTRY_SIZE + SEGMENT_LDT + USER_RPL)

/* The first word of the segment, 0 if the selector cannot be loaded. */
static u32 read_through(u16 selector)
{
	u32 word = 0;
	u16 loaded;

	loadsegment(gs, selector);
	savesegment(gs, loaded);
	if (loaded == selector)
		asm volatile("movl %%gs:0, %0" : "=r" (word) : : "memory");
	loadsegment(gs, 0);
	return word;
}

void pv_test_cpu_store_tr(struct pv_probe *p)
{
	u32 tr;

	preempt_disable();
	tr = pv_call(p);
	preempt_enable();
	KUNIT_EXPECT_EQ(p->test, tr & 0xffff & ~SEGMENT_RPL_MASK, GDT_ENTRY_TSS * 8u);
	if (pv_at_ring0())
		KUNIT_EXPECT_EQ(p->test, tr, (u32)native_store_tr());
}

/* A TSS that is in use cannot be loaded: mark it free first. */
static void free_tss(void)
{
	struct desc_struct *gdt = get_cpu_gdt_rw(smp_processor_id());
	tss_desc tss;

	memcpy(&tss, &gdt[GDT_ENTRY_TSS], sizeof(tss));
	tss.type = DESC_TSS;
	write_gdt_entry(gdt, GDT_ENTRY_TSS, &tss, DESC_TSS);
}

#define TSS_BUSY_TYPE	0xb

void pv_test_cpu_load_tr_desc(struct pv_probe *p)
{
	u32 type, tr;

	local_irq_disable();
	free_tss();
	pv_call(p);
	type = get_cpu_gdt_rw(smp_processor_id())[GDT_ENTRY_TSS].type;
	tr = pv_cpu_store_tr();
	local_irq_enable();

	if (pv_at_ring0())
		KUNIT_EXPECT_EQ(p->test, type, (u32)TSS_BUSY_TYPE);
	KUNIT_EXPECT_EQ(p->test, tr & 0xffff & ~SEGMENT_RPL_MASK, GDT_ENTRY_TSS * 8u);
}

static struct desc_ptr gdt_at(const void *gdt)
{
	return (struct desc_ptr){ .size = GDT_SIZE - 1, .address = (unsigned long)gdt };
}

/* Both addresses of the GDT name the same memory; a backend may use either. */
static bool is_gdt(const struct desc_ptr *dtr)
{
	unsigned int cpu = smp_processor_id();

	return dtr->size == GDT_SIZE - 1 &&
	       (dtr->address == (unsigned long)get_cpu_gdt_ro(cpu) ||
		dtr->address == (unsigned long)get_cpu_gdt_rw(cpu));
}

void pv_test_cpu_store_gdt(struct pv_probe *p)
{
	struct desc_ptr dtr = { 0 }, hardware = { 0 };
	bool good;

	local_irq_disable();
	pv_call(p, (u32)&dtr);
	good = is_gdt(&dtr);
	if (pv_at_ring0())
		native_store_gdt(&hardware);
	local_irq_enable();

	KUNIT_EXPECT_TRUE(p->test, good);
	if (pv_at_ring0())
		KUNIT_EXPECT_EQ(p->test, memcmp(&dtr, &hardware, sizeof(dtr)), 0);
}

void pv_test_cpu_load_gdt(struct pv_probe *p)
{
	struct desc_ptr direct, alias, seen, after;
	bool restored;

	local_irq_disable();
	direct = gdt_at(get_cpu_gdt_rw(smp_processor_id()));
	alias = gdt_at(get_cpu_gdt_ro(smp_processor_id()));
	pv_call(p, (u32)&direct);
	store_gdt(&seen);
	loadsegment(es, __USER_DS);
	pv_call(p, (u32)&alias);
	store_gdt(&after);
	restored = is_gdt(&after);
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, seen.address, direct.address);
	KUNIT_EXPECT_EQ(p->test, seen.size, direct.size);
	KUNIT_EXPECT_TRUE(p->test, restored);
}

/* A selector past the end of the GDT: GS becomes null by way of a fault. */
static bool faults_are_handled(void)
{
	u16 gs;

	loadsegment(gs, 0xfff8);
	savesegment(gs, gs);
	return !gs;
}

#define IDT_LIMIT	(IDT_ENTRIES * sizeof(gate_desc) - 1)

void pv_test_cpu_load_idt(struct pv_probe *p)
{
	struct desc_ptr full = { .size = IDT_LIMIT, .address = CPU_ENTRY_AREA_RO_IDT };
	struct desc_ptr less = { .size = IDT_LIMIT - 8, .address = CPU_ENTRY_AREA_RO_IDT };
	struct desc_ptr first = less, second = full;
	bool handled;

	local_irq_disable();
	pv_call(p, (u32)&less);
	if (pv_at_ring0())
		store_idt(&first);
	handled = faults_are_handled();
	pv_call(p, (u32)&full);
	if (pv_at_ring0())
		store_idt(&second);
	local_irq_enable();

	KUNIT_EXPECT_TRUE(p->test, handled);
	KUNIT_EXPECT_EQ(p->test, first.size, less.size);
	KUNIT_EXPECT_EQ(p->test, second.size, full.size);
}

void pv_test_cpu_load_tls(struct pv_probe *p)
{
	struct thread_struct *t = kunit_kzalloc(p->test, sizeof(*t), GFP_KERNEL);
	struct desc_struct data;
	u32 mark = MARK, seen, none;
	bool in_gdt;

	KUNIT_ASSERT_NOT_NULL(p->test, t);
	data = (struct desc_struct)USER_DATA(&mark);
	t->tls_array[0] = data;
	local_irq_disable();
	pv_call(p, (u32)t, smp_processor_id());
	in_gdt = !memcmp(get_cpu_gdt_rw(smp_processor_id()) + GDT_ENTRY_TLS_MIN,
			 t->tls_array, sizeof(t->tls_array));
	seen = read_through(TLS_SELECTOR);
	load_TLS(&current->thread, smp_processor_id());
	none = read_through(TLS_SELECTOR);
	local_irq_enable();

	KUNIT_EXPECT_TRUE(p->test, in_gdt);
	KUNIT_EXPECT_EQ(p->test, seen, MARK);
	KUNIT_EXPECT_EQ(p->test, none, 0u);
}

/* An LDT whose entry 1 is a segment at @mark. */
static struct desc_struct *new_ldt(struct pv_probe *p, u32 *mark)
{
	struct desc_struct *ldt = pv_page_get(p, PV_LEVEL_NONE);

	ldt[1] = (struct desc_struct)USER_DATA(mark);
	return ldt;
}

void pv_test_cpu_set_ldt(struct pv_probe *p)
{
	u32 mark = MARK, seen, none;
	struct desc_struct *ldt = new_ldt(p, &mark);

	paravirt_alloc_ldt(ldt, LDT_ENTRIES / 16);
	local_irq_disable();
	pv_call(p, (u32)ldt, 2);
	seen = read_through(LDT_SELECTOR(1));
	pv_call(p, 0, 0);
	none = read_through(LDT_SELECTOR(1));
	load_mm_ldt(current->active_mm);
	local_irq_enable();
	paravirt_free_ldt(ldt, LDT_ENTRIES / 16);
	pv_page_put(ldt, PV_LEVEL_NONE);

	KUNIT_EXPECT_EQ(p->test, seen, MARK);
	KUNIT_EXPECT_EQ(p->test, none, 0u);
}

/* Writes one entry of a table that no CPU uses. */
static void write_entry(struct pv_probe *p, const struct desc_struct *desc)
{
	struct desc_struct *table = pv_page_get(p, PV_LEVEL_NONE);
	const int entry = 3;

	pv_call(p, (u32)table, entry, (u32)desc);
	KUNIT_EXPECT_EQ(p->test, memcmp(&table[entry], desc, sizeof(*desc)), 0);
	KUNIT_EXPECT_TRUE(p->test, pv_zero_but(table, &table[entry], sizeof(*desc)));
	pv_page_put(table, PV_LEVEL_NONE);
}

void pv_test_cpu_write_gdt_entry(struct pv_probe *p)
{
	struct desc_struct data = USER_DATA(p);	/* any base will do */

	write_entry(p, &data);
}

void pv_test_cpu_write_ldt_entry(struct pv_probe *p)
{
	pv_test_cpu_write_gdt_entry(p);
}

void pv_test_cpu_write_idt_entry(struct pv_probe *p)
{
	struct desc_struct gate = ((struct desc_struct *)CPU_ENTRY_AREA_RO_IDT)[X86_TRAP_BP];

	write_entry(p, &gate);
}

/* Natively nothing: an announced table stays ordinary memory. */
static void announce_ldt(struct pv_probe *p, bool alloc)
{
	u32 mark = MARK;
	struct desc_struct *ldt = new_ldt(p, &mark);
	struct desc_struct before = ldt[1];

	if (!alloc)
		paravirt_alloc_ldt(ldt, LDT_ENTRIES / 16);
	pv_call(p, (u32)ldt, LDT_ENTRIES / 16);
	if (alloc)
		paravirt_free_ldt(ldt, LDT_ENTRIES / 16);
	KUNIT_EXPECT_EQ(p->test, memcmp(&ldt[1], &before, sizeof(before)), 0);
	KUNIT_EXPECT_TRUE(p->test, pv_zero_but(ldt, &ldt[1], sizeof(before)));
	ldt[1].base0++;	/* it can still be written */
	pv_page_put(ldt, PV_LEVEL_NONE);
}

void pv_test_cpu_alloc_ldt(struct pv_probe *p)
{
	announce_ldt(p, true);
}

void pv_test_cpu_free_ldt(struct pv_probe *p)
{
	announce_ldt(p, false);
}
