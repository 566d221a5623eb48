/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of the op table.
 *
 * Owns: the table `pv_ops`, the numbers of its slots, the description of an op.
 * Not here: call sites (`pv_site.h`), wrappers (`pv_ops.h`), the list (`pv_list.h`).
 * Included by: stock `paravirt_types.h` on 32 bits; keeps the names that stock
 *              guests (KVM, Xen HVM, Hyper-V, VMware) set and call.
 */
#ifndef _ASM_X86_PV_TYPES_H
#define _ASM_X86_PV_TYPES_H

/* Results of an op; `regs` results are pinned by hand in the wrapper. */
#define PV_RESULT_void	0
#define PV_RESULT_word	1
#define PV_RESULT_u64	2
#define PV_RESULT_regs	3

#ifndef __ASSEMBLY__

#include <linux/types.h>
#include <asm/desc_defs.h>
#include <asm/pgtable_types.h>
#include <asm/nospec-branch.h>

struct cpumask;
struct flush_tlb_info;
struct mm_struct;
struct mmu_gather;
struct qspinlock;
struct task_struct;
struct thread_struct;

/* A slot whose code may change only its result register and flags. */
struct paravirt_callee_save {
	void *func;
};

/**
 * struct pv_info - who runs below this kernel
 * @name: for the banner and the log; "bare hardware" natively
 */
struct pv_info {
	const char *name;
};

extern struct pv_info pv_info;

/* The C types behind the result column of the op list. */
#define PV_CTYPE_void	void
#define PV_CTYPE_word	unsigned long
#define PV_CTYPE_u64	u64
#define PV_CTYPE_regs	void

/* "(2, pte_t *, ptep, u32, val)" -> "pte_t * ptep, u32 val" */
#define PV_DECL(n, ...)			PV_DECL_##n(__VA_ARGS__)
#define PV_DECL_0(...)			void
#define PV_DECL_1(t1, a1)		t1 a1
#define PV_DECL_2(t1, a1, t2, a2)	t1 a1, t2 a2
#define PV_DECL_3(t1, a1, t2, a2, t3, a3) t1 a1, t2 a2, t3 a3

#define PV_SLOT_STD(slot, result, params)	PV_CTYPE_##result (*slot)(PV_DECL params);
#define PV_SLOT_SAVE(slot, result, params)	struct paravirt_callee_save slot;

/* One pointer per op, in list order: a site's number is its slot's index. */
struct paravirt_patch_template {
#define PV_GROUP(group)		struct {
#define PV_GROUP_END(group)	} group;
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	PV_SLOT_##conv(slot, result, params)
#include <asm/pv_list.h>
};

extern struct paravirt_patch_template pv_ops;

#define PV_NR_OPS	(sizeof(struct paravirt_patch_template) / sizeof(void *))
#define PARAVIRT_PATCH(op) \
	(offsetof(struct paravirt_patch_template, op) / sizeof(void *))

/* The record of one site, as the stock linker script and module loader gather it. */
struct paravirt_patch_site {
	u8 *instr;
	u8 type;	/* index of the slot */
	u8 len;		/* bytes of the site */
};

extern struct paravirt_patch_site __parainstructions[], __parainstructions_end[];

unsigned int paravirt_patch(u8 type, void *insn_buff, unsigned long addr, unsigned int len);

/* Lazy modes, as tracing and backends name them. */
enum paravirt_lazy_mode {
	PARAVIRT_LAZY_NONE,
	PARAVIRT_LAZY_MMU,
	PARAVIRT_LAZY_CPU,
};

enum paravirt_lazy_mode paravirt_get_lazy_mode(void);

int paravirt_disable_iospace(void);

/* What stock guests store in a slot that has nothing to do. */
void _paravirt_nop(void);
#define paravirt_nop	((void *)_paravirt_nop)

#endif /* __ASSEMBLY__ */
#endif /* _ASM_X86_PV_TYPES_H */
