// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the mmu ops that flush the TLB.
 *
 * A page of the vmalloc area is read, its entry changed to another page, the op called,
 * and the address read again: it must show the other page. Without the flush the old
 * translation is still there.
 */
#include <linux/cpumask.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/smp.h>
#include <linux/vmalloc.h>
#include <asm/pgtable.h>
#include <asm/tlbflush.h>
#include "probe.h"

#define OLD_PAGE	0x01dda6e5u
#define NEW_PAGE	0x2eeda6e5u

/**
 * struct window - an address that is about to change its page
 * @first: what it maps
 * @second: what it will map
 * @va: the address
 * @entry: its page-table entry
 */
struct window {
	u32 *first;
	u32 *second;
	u32 *va;
	pte_t *entry;
};

static void window_open(struct pv_probe *p, struct window *w, pgprot_t prot)
{
	struct page *page;
	unsigned int level;

	w->first = pv_page_get(p, PV_LEVEL_NONE);
	w->second = pv_page_get(p, PV_LEVEL_NONE);
	*w->first = OLD_PAGE;
	*w->second = NEW_PAGE;
	page = virt_to_page(w->first);
	w->va = vmap(&page, 1, VM_MAP, prot);
	KUNIT_ASSERT_NOT_NULL(p->test, w->va);
	w->entry = lookup_address((unsigned long)w->va, &level);
	KUNIT_ASSERT_NOT_NULL(p->test, w->entry);
	KUNIT_ASSERT_EQ(p->test, level, (unsigned int)PG_LEVEL_4K);
}

/* Returns what was there; the TLB holds it now. IRQs are off until the op was called. */
static u32 window_turn(struct window *w)
{
	u32 seen = READ_ONCE(*w->va);

	set_pte(w->entry, pfn_pte(__pa(w->second) >> PAGE_SHIFT, pte_pgprot(*w->entry)));
	return seen;
}

static void window_close(struct window *w)
{
	vunmap(w->va);
	pv_page_put(w->first, PV_LEVEL_NONE);
	pv_page_put(w->second, PV_LEVEL_NONE);
}

static pgprot_t not_global(void)
{
	return __pgprot(pgprot_val(PAGE_KERNEL) & ~_PAGE_GLOBAL);
}

enum flush { FLUSH_USER, FLUSH_KERNEL, FLUSH_ONE, FLUSH_CR3 };

static void call_flush(struct pv_probe *p, enum flush how, const struct window *w)
{
	switch (how) {
	case FLUSH_ONE:
		pv_call(p, (u32)w->va);
		break;
	case FLUSH_CR3:
		pv_call(p, pv_mmu_read_cr3());
		break;
	default:
		pv_call(p);
		break;
	}
}

static void flush(struct pv_probe *p, enum flush how, pgprot_t prot)
{
	u32 before, after;
	struct window w;

	window_open(p, &w, prot);
	local_irq_disable();
	before = window_turn(&w);
	call_flush(p, how, &w);
	after = READ_ONCE(*w.va);
	local_irq_enable();
	window_close(&w);

	KUNIT_EXPECT_EQ(p->test, before, OLD_PAGE);
	KUNIT_EXPECT_EQ(p->test, after, NEW_PAGE);
}

void pv_test_mmu_flush_tlb_user(struct pv_probe *p)
{
	flush(p, FLUSH_USER, not_global());
}

void pv_test_mmu_flush_tlb_kernel(struct pv_probe *p)
{
	flush(p, FLUSH_KERNEL, PAGE_KERNEL);
	flush(p, FLUSH_KERNEL, not_global());
}

void pv_test_mmu_flush_tlb_one_user(struct pv_probe *p)
{
	flush(p, FLUSH_ONE, not_global());
}

void pv_test_mmu_write_cr3(struct pv_probe *p)
{
	u32 before, after;

	local_irq_disable();
	before = pv_mmu_read_cr3();
	pv_call(p, before);
	after = pv_mmu_read_cr3();
	local_irq_enable();
	KUNIT_EXPECT_EQ(p->test, after, before);

	flush(p, FLUSH_CR3, not_global());
}

/* Another CPU counts the request; with no other CPU there is nobody to ask. */
void pv_test_mmu_flush_tlb_multi(struct pv_probe *p)
{
	struct flush_tlb_info info = { .end = TLB_FLUSH_ALL, .freed_tables = true };
	unsigned int other, before = 0, after = 1;

	preempt_disable();
	info.initiating_cpu = smp_processor_id();
	other = cpumask_any_but(cpu_online_mask, info.initiating_cpu);
	if (other < nr_cpu_ids) {
		before = per_cpu(irq_stat, other).irq_tlb_count;
		pv_call(p, (u32)cpumask_of(other), (u32)&info);
		after = per_cpu(irq_stat, other).irq_tlb_count;
	} else {
		pv_call(p, (u32)cpu_none_mask, (u32)&info);
	}
	preempt_enable();

	if (pv_is_native(p))
		KUNIT_EXPECT_NE(p->test, after, before);
}
