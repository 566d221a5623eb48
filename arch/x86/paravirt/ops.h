/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of this directory share: descriptions of the ops, native entries
 * and the patcher's books.
 */
#ifndef _X86_PARAVIRT_OPS_H
#define _X86_PARAVIRT_OPS_H

#include <asm/pv_backend.h>
#include "encode.h"

/**
 * struct pv_op_info - what the list says of one op
 * @name: "group.slot"
 * @form: INLINE, CALL or JUMP
 * @conv: "STD" or "SAVE"
 * @native: entry that the table starts with
 * @end: behind the last byte of the native form, NULL for CALL
 */
struct pv_op_info {
	const char *name;
	enum pv_form form;
	const char *conv;
	const void *native;
	const void *end;
};

extern const struct pv_op_info pv_op_info[PV_NR_OPS];

/* Sites by op and by how they were patched: built-in and modules. */
extern unsigned int pv_site_count[PV_NR_OPS][PV_NR_PATCH];

/* Where the unpatched iret site jumps. */
extern void *pv_iret_slot;

/*
 * pv_native_<group>_<slot>: the native form followed by a return, so that the table
 * can point to it before sites are patched.
 */
#define PV_ENTRY_INLINE(group, slot, native)				\
	extern const u8 pv_native_##group##_##slot[], pv_native_##group##_##slot##_end[];
#define PV_ENTRY_JUMP(group, slot, native)	PV_ENTRY_INLINE(group, slot, native)
#define PV_ENTRY_CALL(group, slot, native)
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	PV_ENTRY_##form(group, slot, native)
#include <asm/pv_list.h>

/* Native forms that are C functions. */
unsigned long pv_native_get_debugreg(int regno);
void pv_native_set_debugreg(int regno, unsigned long val);
void pv_native_load_tr_desc(void);
void pv_native_set_ldt(const void *addr, unsigned int entries);
void pv_native_load_tls(struct thread_struct *t, unsigned int cpu);
void pv_native_write_desc(void *table, int entry, const void *desc);
void pv_native_load_sp0(unsigned long sp0);
void pv_native_invalidate_io_bitmap(void);
u64 pv_native_read_msr_safe(unsigned int msr, int *err);
unsigned long pv_native_write_msr_safe(unsigned int msr, u32 low, u32 high);
void pv_native_tlb_remove_table(struct mmu_gather *tlb, void *table);
#ifdef CONFIG_X86_PAE
void pv_native_set_pte_atomic(pte_t *ptep, u32 low, u32 high);
void pv_native_set_pmd(pmd_t *pmdp, u32 low, u32 high);
void pv_native_set_pud(pud_t *pudp, u32 low, u32 high);
u64 pv_native_pmdp_get_and_clear(pmd_t *pmdp);
u64 pv_native_pmdp_establish(pmd_t *pmdp, u32 low, u32 high);
#endif

#endif /* _X86_PARAVIRT_OPS_H */
