// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page-table entries of 64 bits through the ROM.
 *
 * Owns: the mmu ops on entries in PAE kernels.
 * Not here: set_pte (`stubs.S`), 32-bit entries (`pxe32.c`).
 * Runs: on any CPU, in any context.
 *
 * Splitting a large page sets a directory entry through set_pte_atomic(): ROMs know
 * that the level may be wrong there.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <asm/pgtable.h>
#include <asm/vmi.h>

#include "call.h"
#include "ops.h"

void vmi_mmu_set_pte_atomic(pte_t *ptep, u32 low, u32 high)
{
	vmi_entry_SetPxELong(low, high, ptep, VMI_PAGE_PT);
}

void vmi_mmu_pte_clear(pte_t *ptep)
{
	vmi_entry_SetPxELong(0, 0, ptep, VMI_PAGE_PT);
}

void vmi_mmu_set_pmd(pmd_t *pmdp, u32 low, u32 high)
{
	vmi_entry_SetPxELong(low, high, pmdp, VMI_PAGE_PD);
}

void vmi_mmu_pmd_clear(pmd_t *pmdp)
{
	vmi_entry_SetPxELong(0, 0, pmdp, VMI_PAGE_PD);
}

/*
 * With page-table isolation, which a kernel at ring 0 may use, the user's root has the
 * entry, too.
 */
void vmi_mmu_set_pud(pud_t *pudp, u32 low, u32 high)
{
	pgd_t pgd = native_make_pgd((u64)high << 32 | low);

#ifdef CONFIG_PAGE_TABLE_ISOLATION
	pgd = pti_set_user_pgtbl(&pudp->p4d.pgd, pgd);
#endif
	vmi_entry_SetPxELong(pgd.pgd, pgd.pgd >> 32, pudp, VMI_PAGE_PDP);
}

/* Read and change in place, then tell: there is no call that does both. */

/* The exchange of the half with the present bit orders the other one behind it. */
static u64 clear(void *entry, u32 level)
{
	u32 *half = entry;
	u32 low = xchg(&half[0], 0), high = half[1];

	half[1] = 0;
	vmi_entry_UpdatePxELong(entry, level);
	return (u64)high << 32 | low;
}

u64 vmi_mmu_ptep_get_and_clear(pte_t *ptep)
{
	return clear(ptep, VMI_PAGE_PT);
}

u64 vmi_mmu_pmdp_get_and_clear(pmd_t *pmdp)
{
	return clear(pmdp, VMI_PAGE_PD);
}

u64 vmi_mmu_pmdp_establish(pmd_t *pmdp, u32 low, u32 high)
{
	u64 old = arch_atomic64_xchg((atomic64_t *)pmdp, (u64)high << 32 | low);

	vmi_entry_UpdatePxELong(pmdp, VMI_PAGE_PD);
	return old;
}

void vmi_mmu_ptep_set_wrprotect(pte_t *ptep)
{
	clear_bit(_PAGE_BIT_RW, (unsigned long *)ptep);
	vmi_entry_UpdatePxELong(ptep, VMI_PAGE_PT);
}

void vmi_mmu_pmdp_set_wrprotect(pmd_t *pmdp)
{
	clear_bit(_PAGE_BIT_RW, (unsigned long *)pmdp);
	vmi_entry_UpdatePxELong(pmdp, VMI_PAGE_PD);
}

unsigned long vmi_mmu_ptep_test_and_clear_young(pte_t *ptep)
{
	bool young = test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)ptep);

	vmi_entry_UpdatePxELong(ptep, VMI_PAGE_PT);
	return young;
}

unsigned long vmi_mmu_pmdp_test_and_clear_young(pmd_t *pmdp)
{
	bool young = test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmdp);

	vmi_entry_UpdatePxELong(pmdp, VMI_PAGE_PD);
	return young;
}
