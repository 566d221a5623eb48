/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names under which the kernel knows the ops.
 *
 * Owns: stock names -> ops; the page-table names that need no op on 32 bits, since
 *       neither native code nor VMI translates frame numbers.
 * Not here: sites (`pv_ops.h`).
 */
#ifndef _ASM_X86_PV_NAMES_H
#define _ASM_X86_PV_NAMES_H

/* Clocks: stock static calls, which are patched to direct calls already. */
u64 dummy_steal_clock(int cpu);
u64 dummy_sched_clock(void);

DECLARE_STATIC_CALL(pv_steal_clock, dummy_steal_clock);
DECLARE_STATIC_CALL(pv_sched_clock, dummy_sched_clock);

void paravirt_set_sched_clock(u64 (*func)(void));

static inline u64 paravirt_sched_clock(void)
{
	return static_call(pv_sched_clock)();
}

struct static_key;
struct vm_area_struct;
extern struct static_key paravirt_steal_enabled;
extern struct static_key paravirt_steal_rq_enabled;

static inline u64 paravirt_steal_clock(int cpu)
{
	return static_call(pv_steal_clock)(cpu);
}

#ifdef CONFIG_PARAVIRT_SPINLOCKS
void __init paravirt_set_cap(void);
#endif

void default_banner(void);

/* Interrupt flag */
static __always_inline unsigned long arch_local_save_flags(void)
{
	return pv_irq_save_fl();
}

static __always_inline void arch_local_irq_disable(void)
{
	pv_irq_irq_disable();
}

static __always_inline void arch_local_irq_enable(void)
{
	pv_irq_irq_enable();
}

static __always_inline unsigned long arch_local_irq_save(void)
{
	unsigned long flags = arch_local_save_flags();

	arch_local_irq_disable();
	return flags;
}

static __always_inline void arch_safe_halt(void)
{
	pv_irq_safe_halt();
}

static __always_inline void halt(void)
{
	pv_irq_halt();
}

/* CPU */
static inline void slow_down_io(void)
{
	pv_cpu_io_delay();
#ifdef REALLY_SLOW_IO
	pv_cpu_io_delay();
	pv_cpu_io_delay();
	pv_cpu_io_delay();
#endif
}

static inline void __cpuid(unsigned int *eax, unsigned int *ebx,
			   unsigned int *ecx, unsigned int *edx)
{
	pv_cpu_cpuid(eax, ebx, ecx, edx);
}

#define get_debugreg(var, reg)		((var) = pv_cpu_get_debugreg(reg))
static __always_inline void set_debugreg(unsigned long val, int reg)
{
	pv_cpu_set_debugreg(reg, val);
}

static inline unsigned long read_cr0(void)
{
	return pv_cpu_read_cr0();
}

static inline void write_cr0(unsigned long val)
{
	pv_cpu_write_cr0(val);
}

static inline unsigned long __read_cr4(void)
{
	return pv_cpu_read_cr4();
}

static inline void __write_cr4(unsigned long val)
{
	pv_cpu_write_cr4(val);
}

static inline void wbinvd(void)
{
	pv_cpu_wbinvd();
}

#define load_gs_index(selector)		loadsegment(gs, (selector))

/* MSRs and counters; a macro fills variables of whatever width the caller has. */
#define paravirt_read_msr(msr)			pv_cpu_read_msr(msr)
#define paravirt_write_msr(msr, low, high)	pv_cpu_write_msr(msr, low, high)

#define rdmsr(msr, low, high)						\
do {									\
	u64 _val = pv_cpu_read_msr(msr);				\
	(low) = (u32)_val;						\
	(high) = (u32)(_val >> 32);					\
} while (0)
#define rdmsrl(msr, val)		((val) = pv_cpu_read_msr(msr))
#define wrmsr(msr, low, high)		pv_cpu_write_msr(msr, low, high)

static inline void wrmsrl(unsigned int msr, u64 val)
{
	wrmsr(msr, (u32)val, (u32)(val >> 32));
}

#define rdmsr_safe(msr, low, high)					\
({									\
	int _err;							\
	u64 _val = pv_cpu_read_msr_safe((msr), &_err);			\
	(*low) = (u32)_val;						\
	(*high) = (u32)(_val >> 32);					\
	_err;								\
})

static inline int rdmsrl_safe(unsigned int msr, unsigned long long *val)
{
	int err;

	*val = pv_cpu_read_msr_safe(msr, &err);
	return err;
}

#define wrmsr_safe(msr, low, high)	((int)pv_cpu_write_msr_safe(msr, low, high))

#define rdpmcl(counter, val)		((val) = pv_cpu_read_pmc(counter))
#define rdpmc(counter, low, high)					\
do {									\
	u64 _val = pv_cpu_read_pmc(counter);				\
	(low) = (u32)_val;						\
	(high) = (u32)(_val >> 32);					\
} while (0)

/* Descriptor tables */
#define load_TR_desc()			pv_cpu_load_tr_desc()
#define load_gdt(dtr)			pv_cpu_load_gdt(dtr)
#define load_idt(dtr)			pv_cpu_load_idt(dtr)
#define store_gdt(dtr)			pv_cpu_store_gdt(dtr)
#define set_ldt(addr, entries)		pv_cpu_set_ldt(addr, entries)
#define store_tr(tr)			((tr) = pv_cpu_store_tr())
#define load_TLS(t, cpu)		pv_cpu_load_tls(t, cpu)
#define write_ldt_entry(dt, entry, desc)	pv_cpu_write_ldt_entry(dt, entry, desc)
#define write_gdt_entry(dt, entry, desc, type)	pv_cpu_write_gdt_entry(dt, entry, desc)
#define write_idt_entry(dt, entry, gate)	pv_cpu_write_idt_entry(dt, entry, gate)

static inline void paravirt_alloc_ldt(struct desc_struct *ldt, unsigned int entries)
{
	pv_cpu_alloc_ldt(ldt, entries);
}

static inline void paravirt_free_ldt(struct desc_struct *ldt, unsigned int entries)
{
	pv_cpu_free_ldt(ldt, entries);
}

static inline void load_sp0(unsigned long sp0)
{
	pv_cpu_load_sp0(sp0);
}

#ifdef CONFIG_X86_IOPL_IOPERM
#define tss_invalidate_io_bitmap()	pv_cpu_invalidate_io_bitmap()
#define tss_update_io_bitmap()		pv_cpu_update_io_bitmap()
#endif

/* The first thing that a secondary CPU does in C. */
#define paravirt_ap_init()		pv_cpu_ap_init()

#define __HAVE_ARCH_START_CONTEXT_SWITCH
#define arch_start_context_switch(prev)	pv_cpu_start_context_switch(prev)
#define arch_end_context_switch(next)	pv_cpu_end_context_switch(next)

/* TLB */
void native_flush_tlb_local(void);
void native_flush_tlb_global(void);
void native_flush_tlb_one_user(unsigned long addr);
void native_flush_tlb_multi(const struct cpumask *cpumask,
			    const struct flush_tlb_info *info);

#define __flush_tlb_local()		pv_mmu_flush_tlb_user()
#define __flush_tlb_global()		pv_mmu_flush_tlb_kernel()
#define __flush_tlb_one_user(addr)	pv_mmu_flush_tlb_one_user(addr)
#define __flush_tlb_multi(cpus, info)	pv_mmu_flush_tlb_multi(cpus, info)
#define paravirt_tlb_remove_table(tlb, table)	pv_mmu_tlb_remove_table(tlb, table)

static inline void notify_page_enc_status_changed(unsigned long pfn, int npages, bool enc)
{
	pv_mmu_notify_page_enc_status_changed(pfn, npages, enc);
}

/* Address spaces */
static __always_inline unsigned long read_cr2(void)
{
	return pv_mmu_read_cr2();
}

static __always_inline void write_cr2(unsigned long val)
{
	pv_mmu_write_cr2(val);
}

static inline unsigned long __read_cr3(void)
{
	return pv_mmu_read_cr3();
}

static inline void write_cr3(unsigned long val)
{
	pv_mmu_write_cr3(val);
}

#define paravirt_activate_mm(prev, next)	pv_mmu_activate_mm(prev, next)
#define paravirt_arch_dup_mmap(oldmm, mm)	pv_mmu_dup_mmap(oldmm, mm)
#define paravirt_arch_exit_mmap(mm)		pv_mmu_exit_mmap(mm)

/*
 * Page tables. A root is announced once it is filled (pgd_ready), so that there is
 * nothing to do, and to fail, when it is allocated. Levels that i386 folds have no op.
 */
#define paravirt_pgd_alloc(mm)			__paravirt_pgd_alloc(mm)
#define paravirt_pgd_ready(mm)			pv_mmu_pgd_ready(mm)
#define paravirt_pgd_free(mm, pgd)		pv_mmu_pgd_free(mm, pgd)
#define paravirt_alloc_pte(mm, pfn)		pv_mmu_alloc_pte(mm, pfn)
#define paravirt_alloc_pmd(mm, pfn)		pv_mmu_alloc_pmd(mm, pfn)
#define paravirt_alloc_pud(mm, pfn)		do { } while (0)
#define paravirt_alloc_p4d(mm, pfn)		do { } while (0)
#define paravirt_release_pte(pfn)		pv_mmu_release_pte(pfn)
#define paravirt_release_pmd(pfn)		pv_mmu_release_pmd(pfn)
#define paravirt_release_pud(pfn)		do { } while (0)
#define paravirt_release_p4d(pfn)		do { } while (0)

#define pte_val(x)				native_pte_val(x)
#define __pte(x)				native_make_pte(x)
#define pgd_val(x)				native_pgd_val(x)
#define __pgd(x)				native_make_pgd(x)
#ifdef CONFIG_X86_PAE
#define pmd_val(x)				native_pmd_val(x)
#define __pmd(x)				native_make_pmd(x)
#define PV_HALVES(val)				(u32)(val), (u32)((val) >> 32)
#else
#define PV_HALVES(val)				(val)
#endif

static inline void set_pte(pte_t *ptep, pte_t pte)
{
	pv_mmu_set_pte(ptep, PV_HALVES(pte_val(pte)));
}

static inline void set_pte_atomic(pte_t *ptep, pte_t pte)
{
	pv_mmu_set_pte_atomic(ptep, PV_HALVES(pte_val(pte)));
}

#define pte_clear(mm, addr, ptep)		pv_mmu_pte_clear(ptep)

static inline void set_pmd(pmd_t *pmdp, pmd_t pmd)
{
	pv_mmu_set_pmd(pmdp, PV_HALVES(native_pmd_val(pmd)));
}

#ifdef CONFIG_X86_PAE
#define pmd_clear(pmdp)				pv_mmu_pmd_clear(pmdp)

static inline void set_pud(pud_t *pudp, pud_t pud)
{
	pv_mmu_set_pud(pudp, PV_HALVES(native_pud_val(pud)));
}

static inline pte_t paravirt_ptep_get_and_clear(pte_t *ptep)
{
	return native_make_pte(pv_mmu_ptep_get_and_clear(ptep));
}

static inline pmd_t paravirt_pmdp_get_and_clear(pmd_t *pmdp)
{
	return native_make_pmd(pv_mmu_pmdp_get_and_clear(pmdp));
}

#define PV_PMDP_ESTABLISH(pmdp, val)		pv_mmu_pmdp_establish(pmdp, PV_HALVES(val))
#else
#define pmd_clear(pmdp)				set_pmd(pmdp, native_make_pmd(0))

static inline pte_t paravirt_ptep_get_and_clear(pte_t *ptep)
{
	return native_make_pte(pv_mmu_ptep_xchg(0, ptep));
}

static inline pmd_t paravirt_pmdp_get_and_clear(pmd_t *pmdp)
{
	return native_make_pmd(pv_mmu_pmdp_xchg(0, pmdp));
}

#define PV_PMDP_ESTABLISH(pmdp, val)		pv_mmu_pmdp_xchg(val, pmdp)
#endif

#define pmdp_establish pmdp_establish
static inline pmd_t pmdp_establish(struct vm_area_struct *vma, unsigned long addr,
				   pmd_t *pmdp, pmd_t pmd)
{
	return native_make_pmd(PV_PMDP_ESTABLISH(pmdp, native_pmd_val(pmd)));
}

/* `pgtable.h` has native versions of these where they are no ops. */
#define paravirt_ptep_get_and_clear		paravirt_ptep_get_and_clear
#define paravirt_ptep_set_wrprotect(ptep)	pv_mmu_ptep_set_wrprotect(ptep)
#define paravirt_pmdp_set_wrprotect(pmdp)	pv_mmu_pmdp_set_wrprotect(pmdp)
#define paravirt_ptep_test_and_clear_young(ptep) (!!pv_mmu_ptep_test_and_clear_young(ptep))
#define paravirt_pmdp_test_and_clear_young(pmdp) (!!pv_mmu_pmdp_test_and_clear_young(pmdp))

#define __HAVE_ARCH_ENTER_LAZY_MMU_MODE
#define arch_enter_lazy_mmu_mode()		pv_mmu_lazy_enter()
#define arch_leave_lazy_mmu_mode()		pv_mmu_lazy_leave()
#define arch_flush_lazy_mmu_mode()		pv_mmu_lazy_flush()

/* A fixmap entry is written through set_pte: no op of its own. */
#define __set_fixmap(idx, phys, flags)		native_set_fixmap(idx, phys, flags)

/* Locks */
#if defined(CONFIG_SMP) && defined(CONFIG_PARAVIRT_SPINLOCKS)
static __always_inline void pv_queued_spin_lock_slowpath(struct qspinlock *lock, u32 val)
{
	pv_lock_queued_spin_lock_slowpath(lock, val);
}

static __always_inline void pv_queued_spin_unlock(struct qspinlock *lock)
{
	(void)pv_lock_queued_spin_unlock(lock);
}

static __always_inline void pv_wait(u8 *ptr, u8 val)
{
	pv_lock_wait(ptr, val);
}

static __always_inline void pv_kick(int cpu)
{
	pv_lock_kick(cpu);
}

static __always_inline bool pv_vcpu_is_preempted(long cpu)
{
	return (u8)pv_lock_vcpu_is_preempted(cpu);	/* a C bool is AL */
}

bool pv_is_native_spin_unlock(void);
bool pv_is_native_vcpu_is_preempted(void);
#endif

#endif /* _ASM_X86_PV_NAMES_H */
