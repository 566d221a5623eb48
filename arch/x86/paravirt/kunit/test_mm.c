// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the mmu ops on CR2, CR3, address spaces and announcements of pages.
 *
 * Not here: entries (`test_pxe.c`), what the TLB holds (`test_tlb.c`).
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <asm/mmu_context.h>
#include <asm/pgtable.h>
#include <asm/tlb.h>
#include <asm/tlbflush.h>
#include "probe.h"

/* No pages of the kernel. */
#define ADDRESS		0x00765432u
#define OTHER_ADDRESS	0x00123450u

void pv_test_mmu_read_cr2(struct pv_probe *p)
{
	u32 seen;

	local_irq_disable();
	pv_mmu_write_cr2(ADDRESS);
	seen = pv_call(p);
	local_irq_enable();
	KUNIT_EXPECT_EQ(p->test, seen, ADDRESS);
}

void pv_test_mmu_write_cr2(struct pv_probe *p)
{
	u32 seen;

	local_irq_disable();
	pv_mmu_write_cr2(OTHER_ADDRESS);
	pv_call(p, ADDRESS);
	seen = pv_mmu_read_cr2();
	local_irq_enable();
	KUNIT_EXPECT_EQ(p->test, seen, ADDRESS);
}

/* The root that the kernel believes is loaded; a PAE root has 32 bytes. */
void pv_test_mmu_read_cr3(struct pv_probe *p)
{
	u32 seen, root, hardware;

	local_irq_disable();
	seen = pv_call(p);
	root = __pa(this_cpu_read(cpu_tlbstate.loaded_mm)->pgd);
	hardware = pv_at_ring0() ? __native_read_cr3() : seen;
	local_irq_enable();

	KUNIT_EXPECT_EQ(p->test, seen & ~31u, root);
	KUNIT_EXPECT_EQ(p->test, seen, hardware);
}

/* What hooks of other guests do with an address space cannot be seen from here. */

void pv_test_mmu_activate_mm(struct pv_probe *p)
{
	struct mm_struct *mm = pv_mm_get(p);

	pv_call(p, (u32)current->active_mm, (u32)mm);
	mmput(mm);
}

void pv_test_mmu_dup_mmap(struct pv_probe *p)
{
	struct mm_struct *mm = pv_mm_get(p);

	pv_call(p, (u32)mm, (u32)mm);
	mmput(mm);
}

void pv_test_mmu_exit_mmap(struct pv_probe *p)
{
	struct mm_struct *mm = pv_mm_get(p);

	pv_call(p, (u32)mm);
	mmput(mm);
}

void pv_test_mmu_notify_page_enc_status_changed(struct pv_probe *p)
{
	void *page = pv_page_get(p, PV_LEVEL_NONE);

	pv_call(p, __pa(page) >> PAGE_SHIFT, 1, false);
	KUNIT_EXPECT_TRUE(p->test, pv_zero_but(page, page, 0));
	pv_page_put(page, PV_LEVEL_NONE);
}

/* Roots: a new one was announced already, and its end withdraws it once more. */

static u32 root_sum(const struct mm_struct *mm)
{
	const u32 *word = (const u32 *)mm->pgd;
	u32 sum = 0;
	unsigned int i;

	for (i = 0; i < PTRS_PER_PGD * sizeof(pgd_t) / sizeof(u32); i++)
		sum = sum * 31 + word[i];
	return sum;
}

void pv_test_mmu_pgd_ready(struct pv_probe *p)
{
	struct mm_struct *mm = pv_mm_get(p);
	u32 before = root_sum(mm);

	pv_mmu_pgd_free(mm, mm->pgd);
	pv_call(p, (u32)mm);
	KUNIT_EXPECT_EQ(p->test, root_sum(mm), before);
	mmput(mm);
}

void pv_test_mmu_pgd_free(struct pv_probe *p)
{
	struct mm_struct *mm = pv_mm_get(p);
	u32 before = root_sum(mm);

	pv_call(p, (u32)mm, (u32)mm->pgd);
	KUNIT_EXPECT_EQ(p->test, root_sum(mm), before);
	pv_mmu_pgd_ready(mm);
	mmput(mm);
}

/* Tables: announced empty, withdrawn with what was set in them. */

static void announce(struct pv_probe *p, enum pv_level level)
{
	void *page = pv_page_get(p, PV_LEVEL_NONE);

	pv_call(p, (u32)&init_mm, __pa(page) >> PAGE_SHIFT);
	KUNIT_EXPECT_TRUE(p->test, pv_zero_but(page, page, 0));
	pv_page_put(page, level);
}

void pv_test_mmu_alloc_pte(struct pv_probe *p)
{
	announce(p, PV_LEVEL_PTE);
}

void pv_test_mmu_alloc_pmd(struct pv_probe *p)
{
	announce(p, PV_LEVEL_PMD);
}

static void withdraw(struct pv_probe *p, void *page)
{
	u8 first = *(u8 *)page;

	pv_call(p, __pa(page) >> PAGE_SHIFT);
	KUNIT_EXPECT_EQ(p->test, *(u8 *)page, first);
	memset(page, 0xff, PAGE_SIZE);	/* an ordinary page again */
	KUNIT_EXPECT_EQ(p->test, *(u8 *)page, (u8)0xff);
	pv_page_put(page, PV_LEVEL_NONE);
}

void pv_test_mmu_release_pte(struct pv_probe *p)
{
	pte_t *table = pv_page_get(p, PV_LEVEL_PTE);

	set_pte(table, pfn_pte(__pa(table) >> PAGE_SHIFT, PAGE_KERNEL_RO));
	withdraw(p, table);
}

void pv_test_mmu_release_pmd(struct pv_probe *p)
{
	pmd_t *table = pv_page_get(p, PV_LEVEL_PMD);

	set_pmd(table, pfn_pmd(__pa(table) >> PAGE_SHIFT, PAGE_KERNEL_RO));
	withdraw(p, table);
}

/* The page is freed when the gather ends, not before. */
void pv_test_mmu_tlb_remove_table(struct pv_probe *p)
{
	void *table = pv_page_get(p, PV_LEVEL_NONE);
	struct mm_struct *mm = pv_mm_get(p);
	struct page *page = virt_to_page(table);
	struct mmu_gather tlb;
	int gathered, freed;

	get_page(page);
	tlb_gather_mmu(&tlb, mm);
	pv_call(p, (u32)&tlb, (u32)page);
	gathered = page_count(page);
	tlb_finish_mmu(&tlb);
	freed = page_count(page);
	mmput(mm);

	KUNIT_EXPECT_EQ(p->test, gathered, 2);
	KUNIT_EXPECT_EQ(p->test, freed, 1);
	put_page(page);
}
