// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables through the ROM.
 *
 * Owns: announcing pages as tables, writing entries, telling about entries that were
 *       changed in place, TLB flushes.
 * Not here: lazy mode (`lazy.c`), the order of events in a page table's life (mm/).
 * Runs: on any CPU, in any context.
 *
 * The address that an entry maps is not known here, so the flags are the level alone:
 * no hint is given and none may be queued beyond lazy mode.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <asm/cpufeature.h>
#include <asm/pgalloc.h>
#include <asm/pgtable.h>

#include "call.h"
#include "driver.h"
#include "ops.h"

#ifdef CONFIG_X86_PAE
#define PAE_FLAG	VMI_PAGE_PAE
#else
#define PAE_FLAG	0
#endif

#define TABLE_PT	(VMI_PAGE_PT | PAE_FLAG)
#define TABLE_PD	(VMI_PAGE_PD | PAE_FLAG)
/* What historical guests passed; ROMs know that ZEROED may be untrue. */
#define NEW_PT		(TABLE_PT | VMI_PAGE_ZEROED)
#define NEW_PD		(TABLE_PD | VMI_PAGE_ZEROED)
#define NEW_ROOT	(NEW_PD | VMI_PAGE_CLONE)

static u32 pfn_of(const void *table)
{
	return __pa(table) >> PAGE_SHIFT;
}

/* Pages */

void vmi_mmu_alloc_pte(struct mm_struct *mm, unsigned long pfn)
{
	vmi_entry_AllocatePage(pfn, NEW_PT, 0, 0, 0);
}

void vmi_mmu_alloc_pmd(struct mm_struct *mm, unsigned long pfn)
{
	vmi_entry_AllocatePage(pfn, NEW_PD, 0, 0, 0);
}

void vmi_mmu_release_pte(unsigned long pfn)
{
	vmi_entry_ReleasePage(pfn, TABLE_PT);
}

void vmi_mmu_release_pmd(unsigned long pfn)
{
	vmi_entry_ReleasePage(pfn, TABLE_PD);
}

/* With page-table isolation (ring 0 only) the user's root is the following page. */
void vmi_mmu_pgd_ready(struct mm_struct *mm)
{
	u32 pfn = pfn_of(mm->pgd);

	vmi_entry_AllocatePage(pfn, NEW_ROOT, pfn_of(swapper_pg_dir),
			       KERNEL_PGD_BOUNDARY, KERNEL_PGD_PTRS);
	if (boot_cpu_has(X86_FEATURE_PTI))
		vmi_entry_AllocatePage(pfn + 1, NEW_PD, 0, 0, 0);
}

void vmi_mmu_pgd_free(struct mm_struct *mm, pgd_t *pgd)
{
	vmi_entry_ReleasePage(pfn_of(pgd), TABLE_PD);
	if (boot_cpu_has(X86_FEATURE_PTI))
		vmi_entry_ReleasePage(pfn_of(pgd) + 1, TABLE_PD);
}

/**
 * vmi_pgd_size() - size and alignment of a PAE root
 * @size: what the hardware needs, in bytes
 *
 * Roots are announced by frame, so that two of them cannot share one.
 * Return: @size, or a page where roots are announced.
 */
size_t vmi_pgd_size(size_t size)
{
	bool announced = vmi_has(VMI_CALL_AllocatePage) || vmi_has(VMI_CALL_ReleasePage);

	return announced ? PAGE_SIZE : size;
}

/**
 * vmi_mmu_apply() - keep page tables where the ROM finds them
 *
 * It turns the address of an entry into a frame by the mapping of lowmem alone.
 */
void __init vmi_mmu_apply(void)
{
#ifdef CONFIG_HIGHPTE
	extern gfp_t __userpte_alloc_gfp;	/* mm/pgtable.c has no header for it */

	__userpte_alloc_gfp &= ~__GFP_HIGHMEM;
#endif
}

/* TLB */

void vmi_mmu_flush_tlb_user(void)
{
	vmi_entry_FlushTLB(VMI_FLUSH_TLB);
}

void vmi_mmu_flush_tlb_kernel(void)
{
	vmi_entry_FlushTLB(VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL);
}
