// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory for the tests.
 *
 * Owns: pages that a backend knows as page tables, address spaces without a task.
 * Fails: without memory the case fails at once.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/string.h>
#include "probe.h"

/**
 * pv_page_get() - a zeroed page of lowmem
 * @p: the probe
 * @level: what to announce it as
 */
void *pv_page_get(struct pv_probe *p, enum pv_level level)
{
	void *page = (void *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(p->test, page);
	if (level == PV_LEVEL_PTE)
		paravirt_alloc_pte(&init_mm, __pa(page) >> PAGE_SHIFT);
	if (level == PV_LEVEL_PMD)
		paravirt_alloc_pmd(&init_mm, __pa(page) >> PAGE_SHIFT);
	return page;
}

/**
 * pv_page_put() - withdraw and free a page
 * @page: of pv_page_get()
 * @level: as then
 */
void pv_page_put(void *page, enum pv_level level)
{
	if (level == PV_LEVEL_PTE)
		paravirt_release_pte(__pa(page) >> PAGE_SHIFT);
	if (level == PV_LEVEL_PMD)
		paravirt_release_pmd(__pa(page) >> PAGE_SHIFT);
	free_page((unsigned long)page);
}

/**
 * pv_zero_but() - is a page zero outside of some bytes?
 * @page: its first byte
 * @from: first byte that is not looked at
 * @len: how many are not
 */
bool pv_zero_but(const void *page, const void *from, size_t len)
{
	size_t before = from - page;

	return !memchr_inv(page, 0, before) &&
	       !memchr_inv(from + len, 0, PAGE_SIZE - before - len);
}

/**
 * pv_mm_get() - an address space that no CPU has loaded; end it with mmput()
 * @p: the probe
 */
struct mm_struct *pv_mm_get(struct pv_probe *p)
{
	struct mm_struct *mm = mm_alloc();

	KUNIT_ASSERT_NOT_NULL(p->test, mm);
	return mm;
}
