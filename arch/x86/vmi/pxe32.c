// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page-table entries of 32 bits through the ROM.
 *
 * Owns: the mmu ops on entries in kernels without PAE.
 * Not here: set_pte (`stubs.S`), 64-bit entries (`pxe64.c`).
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

void vmi_mmu_set_pte_atomic(pte_t *ptep, u32 val)
{
	vmi_entry_SetPxE(val, ptep, VMI_PAGE_PT);
}

void vmi_mmu_pte_clear(pte_t *ptep)
{
	vmi_entry_SetPxE(0, ptep, VMI_PAGE_PT);
}

void vmi_mmu_set_pmd(pmd_t *pmdp, u32 val)
{
	vmi_entry_SetPxE(val, pmdp, VMI_PAGE_PD);
}

/* Read and change in place, then tell: there is no call that does both. */

unsigned long vmi_mmu_ptep_xchg(u32 val, pte_t *ptep)
{
	u32 old = xchg(&ptep->pte_low, val);

	vmi_entry_UpdatePxE(ptep, VMI_PAGE_PT);
	return old;
}

unsigned long vmi_mmu_pmdp_xchg(u32 val, pmd_t *pmdp)
{
	u32 old = xchg((u32 *)pmdp, val);

	vmi_entry_UpdatePxE(pmdp, VMI_PAGE_PD);
	return old;
}

void vmi_mmu_ptep_set_wrprotect(pte_t *ptep)
{
	clear_bit(_PAGE_BIT_RW, (unsigned long *)ptep);
	vmi_entry_UpdatePxE(ptep, VMI_PAGE_PT);
}

void vmi_mmu_pmdp_set_wrprotect(pmd_t *pmdp)
{
	clear_bit(_PAGE_BIT_RW, (unsigned long *)pmdp);
	vmi_entry_UpdatePxE(pmdp, VMI_PAGE_PD);
}

unsigned long vmi_mmu_ptep_test_and_clear_young(pte_t *ptep)
{
	bool young = test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)ptep);

	vmi_entry_UpdatePxE(ptep, VMI_PAGE_PT);
	return young;
}

unsigned long vmi_mmu_pmdp_test_and_clear_young(pmd_t *pmdp)
{
	bool young = test_and_clear_bit(_PAGE_BIT_ACCESSED, (unsigned long *)pmdp);

	vmi_entry_UpdatePxE(pmdp, VMI_PAGE_PD);
	return young;
}
