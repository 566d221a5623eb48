// SPDX-License-Identifier: GPL-2.0-only
/*
 * The native backend.
 *
 * Owns: entries made of the native forms in the list; native forms that are C.
 * Not here: the table (`table.c`), what a site becomes (`encode.c`).
 * Runs: at any time, also before anything is patched and on the entry path.
 */
#include <linux/mm.h>
#include <asm/debugreg.h>
#include <asm/desc.h>
#include <asm/io_bitmap.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/tlb.h>
#include "ops.h"

/*
 * One entry per op that is assembly. Kept out of reach of probes, since the entry
 * code calls some before it may be traced. Emitted from a function because only
 * extended assembly spells registers as sites do; it is never called.
 */
#define PV_EMIT(section, name, native, ret)				\
	asm volatile(".pushsection " section ", \"ax\"\n"		\
		     "	.globl	" name ", " name "_end\n"		\
		     "	.type	" name ", @function\n"			\
		     name ":\n"						\
		     "	" native "\n"					\
		     name "_end:\n"					\
		     "	" ret						\
		     "	.size	" name ", . - " name "\n"		\
		     "	.popsection\n" : : );
#define PV_EMIT_INLINE(group, slot, native)				\
	PV_EMIT(".noinstr.text", "pv_native_" #group "_" #slot, native, ASM_RET)
#define PV_EMIT_JUMP(group, slot, native)				\
	PV_EMIT(".entry.text", "pv_native_" #group "_" #slot, native, "int3\n")
#define PV_EMIT_CALL(group, slot, native)
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	PV_EMIT_##form(group, slot, native)

static void __used pv_emit_native_entries(void)
{
#include <asm/pv_list.h>
}

/* Forms that may fault resume at their return, as the site's own entry does. */
asm(_ASM_EXTABLE(pv_native_cpu_read_cr4, pv_native_cpu_read_cr4_end));
asm(_ASM_EXTABLE_TYPE(pv_native_cpu_read_msr, pv_native_cpu_read_msr_end, EX_TYPE_RDMSR));
asm(_ASM_EXTABLE_TYPE(pv_native_cpu_write_msr, pv_native_cpu_write_msr_end, EX_TYPE_WRMSR));
asm(_ASM_EXTABLE(pv_native_irq_iret, pv_iret_fault));

/* Read by the unpatched iret site: on the user page tables only this section is mapped. */
asm(".pushsection .entry.text, \"ax\"\n"
    "	.balign	4\n"
    "	.globl	pv_iret_slot\n"
    "	.type	pv_iret_slot, @object\n"
    "	.size	pv_iret_slot, 4\n"
    "pv_iret_slot:\n"
    "	.long	pv_native_irq_iret\n"
    "	.popsection\n");

/* What stock guests know as the function that does nothing. */
asm(".pushsection .noinstr.text, \"ax\"\n"
    "	.globl	_paravirt_nop\n"
    "	.type	_paravirt_nop, @function\n"
    "_paravirt_nop:\n"
    "	" ASM_RET
    "	.size	_paravirt_nop, . - _paravirt_nop\n"
    "	.popsection\n");

noinstr unsigned long pv_native_get_debugreg(int regno)
{
	return native_get_debugreg(regno);
}

noinstr void pv_native_set_debugreg(int regno, unsigned long val)
{
	native_set_debugreg(regno, val);
}

void pv_native_load_tr_desc(void)
{
	native_load_tr_desc();
}

void pv_native_set_ldt(const void *addr, unsigned int entries)
{
	native_set_ldt(addr, entries);
}

/* `load_tls.S` copies from the start of the thread. */
static_assert(offsetof(struct thread_struct, tls_array) == 0);

/* All descriptors of i386 are eight bytes, in the GDT, an LDT and the IDT alike. */
void pv_native_write_desc(void *table, int entry, const void *desc)
{
	memcpy((struct desc_struct *)table + entry, desc, sizeof(struct desc_struct));
}

void pv_native_load_sp0(unsigned long sp0)
{
	native_load_sp0(sp0);
}

#ifdef CONFIG_X86_IOPL_IOPERM
void pv_native_invalidate_io_bitmap(void)
{
	native_tss_invalidate_io_bitmap();
}
#endif

u64 pv_native_read_msr_safe(unsigned int msr, int *err)
{
	return native_read_msr_safe(msr, err);
}

unsigned long pv_native_write_msr_safe(unsigned int msr, u32 low, u32 high)
{
	return native_write_msr_safe(msr, low, high);
}

void pv_native_tlb_remove_table(struct mmu_gather *tlb, void *table)
{
	tlb_remove_page(tlb, table);
}

#ifdef CONFIG_X86_PAE
static u64 pv_join(u32 low, u32 high)
{
	return (u64)high << 32 | low;
}

void pv_native_set_pte_atomic(pte_t *ptep, u32 low, u32 high)
{
	native_set_pte_atomic(ptep, native_make_pte(pv_join(low, high)));
}

void pv_native_set_pmd(pmd_t *pmdp, u32 low, u32 high)
{
	native_set_pmd(pmdp, native_make_pmd(pv_join(low, high)));
}

void pv_native_set_pud(pud_t *pudp, u32 low, u32 high)
{
	native_set_pud(pudp, (pud_t){ .p4d.pgd = native_make_pgd(pv_join(low, high)) });
}

u64 pv_native_pmdp_get_and_clear(pmd_t *pmdp)
{
	return native_pmd_val(native_pmdp_get_and_clear(pmdp));
}

/*
 * Hardware sets A and D only in a present entry. Two halves may be written one after
 * the other while the entry is not present; else both change at once.
 */
u64 pv_native_pmdp_establish(pmd_t *pmdp, u32 low, u32 high)
{
	u32 *half = (u32 *)pmdp;
	u64 *entry = (u64 *)pmdp;
	u64 old;

	if (!(low & _PAGE_PRESENT)) {
		u32 old_low = xchg(&half[0], low);	/* orders the halves, too */
		u32 old_high = half[1];

		WRITE_ONCE(half[1], high);
		return pv_join(old_low, old_high);
	}
	old = READ_ONCE(*entry);
	while (!try_cmpxchg64(entry, &old, pv_join(low, high)))
		;
	return old;
}
#endif
