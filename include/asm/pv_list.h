/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The op list: one line per op, everything else is expanded from it.
 *
 * Owns: which ops exist, their calling convention, native form and VMI binding.
 * Not here: how a line becomes a slot (`pv_types.h`), a call site (`pv_ops.h`),
 *           a native entry (`arch/x86/paravirt/native.c`) or a VMI binding
 *           (`arch/x86/vmi/bind.c`).
 * No include guard: define the macros below that you need and include it again.
 *
 * PV_OP(group, slot, form, conv, result, params, native, vmi, call)
 *
 *   form    INLINE  `native` is assembly, at most five straight-line instructions
 *                   with operands in the argument registers; sites are patched
 *                   to exactly these bytes. "" costs one padding instruction. As
 *                   in extended asm, a register's % is doubled.
 *           CALL    `native` is a C function; sites become direct calls.
 *           JUMP    `native` is assembly that does not return.
 *   conv    STD     C call: EAX, ECX, EDX and flags may change
 *           SAVE    only the result register and flags may change
 *   result  void; word (EAX); u64 (EDX:EAX); regs (`pv_ops.h` pins registers by hand)
 *   params  (count, type, name, ...); they go in EAX, EDX, ECX
 *   vmi     SAME    the native form is right under VMI too
 *           ROM     the ROM's entry for `call` itself has these arguments
 *           FN      the driver has vmi_<group>_<slot>(), bound if the ROM has `call`
 *           ASM     the same in assembly: it keeps what conv says by itself
 *
 * `irq.iret` is first because its site in the entry code names it by number.
 */
#ifndef PV_GROUP
#define PV_GROUP(group)
#endif
#ifndef PV_GROUP_END
#define PV_GROUP_END(group)
#endif

PV_GROUP(irq)
PV_OP(irq, iret,        JUMP,   SAVE, regs, (0), "iret",             ASM, IRET)
PV_OP(irq, save_fl,     INLINE, SAVE, word, (0), "pushf; pop %%eax",  ROM, GetInterruptMask)
PV_OP(irq, irq_disable, INLINE, SAVE, void, (0), "cli",              ROM, DisableInterrupts)
PV_OP(irq, irq_enable,  INLINE, SAVE, void, (0), "sti",              ROM, EnableInterrupts)
PV_OP(irq, safe_halt,   CALL,   STD,  void, (0), native_safe_halt,   ROM, Halt)
PV_OP(irq, halt,        CALL,   STD,  void, (0), native_halt,        FN,  Shutdown)
PV_GROUP_END(irq)

PV_GROUP(cpu)
PV_OP(cpu, io_delay,     CALL,   STD,  void, (0), native_io_delay,             ROM, IODelay)
PV_OP(cpu, get_debugreg, CALL,   STD,  word, (1, int, regno), pv_native_get_debugreg, ROM, GetDR)
PV_OP(cpu, set_debugreg, CALL,   STD,  void, (2, int, regno, unsigned long, val), pv_native_set_debugreg, ROM, SetDR)
PV_OP(cpu, read_cr0,     INLINE, SAVE, word, (0), "mov %%cr0,%%eax",             ROM, GetCR0)
PV_OP(cpu, write_cr0,    CALL,   STD,  void, (1, unsigned long, val), native_write_cr0, ROM, SetCR0)
PV_OP(cpu, read_cr4,     INLINE, SAVE, regs, (0), "mov %%cr4,%%eax",            ROM, GetCR4)
PV_OP(cpu, write_cr4,    CALL,   STD,  void, (1, unsigned long, val), native_write_cr4, ROM, SetCR4)
PV_OP(cpu, load_tr_desc, CALL,   STD,  void, (0), pv_native_load_tr_desc,      FN,  SetTR)
PV_OP(cpu, load_gdt,     INLINE, SAVE, void, (1, const struct desc_ptr *, dtr), "lgdt (%%eax)", FN, SetGDT)
PV_OP(cpu, load_idt,     INLINE, SAVE, void, (1, const struct desc_ptr *, dtr), "lidt (%%eax)", FN, SetIDT)
PV_OP(cpu, store_gdt,    INLINE, SAVE, void, (1, struct desc_ptr *, dtr), "sgdt (%%eax)", ROM, GetGDT)
PV_OP(cpu, set_ldt,      CALL,   STD,  void, (2, const void *, addr, unsigned int, entries), pv_native_set_ldt, FN, SetLDT)
PV_OP(cpu, store_tr,     INLINE, SAVE, word, (0), "str %%eax",                  ROM, GetTR)
PV_OP(cpu, load_tls,     CALL,   STD,  void, (2, struct thread_struct *, t, unsigned int, cpu), pv_native_load_tls, FN, WriteGDTEntry)
PV_OP(cpu, write_ldt_entry, CALL, STD, void, (3, void *, table, int, entry, const void *, desc), pv_native_write_desc, FN, WriteLDTEntry)
PV_OP(cpu, write_gdt_entry, CALL, STD, void, (3, void *, table, int, entry, const void *, desc), pv_native_write_desc, FN, WriteGDTEntry)
PV_OP(cpu, write_idt_entry, CALL, STD, void, (3, void *, table, int, entry, const void *, desc), pv_native_write_desc, FN, WriteIDTEntry)
PV_OP(cpu, alloc_ldt,    INLINE, SAVE, void, (2, struct desc_struct *, ldt, unsigned int, entries), "", SAME, SetLDT)
PV_OP(cpu, free_ldt,     INLINE, SAVE, void, (2, struct desc_struct *, ldt, unsigned int, entries), "", SAME, SetLDT)
PV_OP(cpu, load_sp0,     CALL,   STD,  void, (1, unsigned long, sp0), pv_native_load_sp0, FN, UpdateKernelStack)
#ifdef CONFIG_X86_IOPL_IOPERM
PV_OP(cpu, invalidate_io_bitmap, CALL, STD, void, (0), pv_native_invalidate_io_bitmap, SAME, SetTR)
PV_OP(cpu, update_io_bitmap, CALL, STD, void, (0), native_tss_update_io_bitmap, SAME, SetTR)
#endif
PV_OP(cpu, wbinvd,       INLINE, SAVE, void, (0), "wbinvd",                    ROM, WBINVD)
PV_OP(cpu, cpuid,        INLINE, SAVE, regs, (0), "cpuid",                     ASM, CPUID)
PV_OP(cpu, read_msr,     INLINE, SAVE, regs, (0), "rdmsr",            SAME, RDMSR)
PV_OP(cpu, write_msr,    INLINE, SAVE, regs, (0), "wrmsr",           SAME, WRMSR)
PV_OP(cpu, read_msr_safe, CALL,  STD,  u64,  (2, unsigned int, msr, int *, err), pv_native_read_msr_safe, SAME, RDMSR)
PV_OP(cpu, write_msr_safe, CALL, STD,  word, (3, unsigned int, msr, u32, low, u32, high), pv_native_write_msr_safe, SAME, WRMSR)
PV_OP(cpu, read_pmc,     INLINE, SAVE, regs, (0), "rdpmc",                     SAME, RDPMC)
PV_OP(cpu, start_context_switch, INLINE, SAVE, void, (1, struct task_struct *, prev), "", FN, SetLazyMode)
PV_OP(cpu, end_context_switch, INLINE, SAVE, void, (1, struct task_struct *, next), "", FN, SetLazyMode)
PV_OP(cpu, ap_init,      INLINE, SAVE, void, (0), "",                          FN,  SetLinearMapping)
PV_GROUP_END(cpu)

PV_GROUP(mmu)
PV_OP(mmu, flush_tlb_user,     CALL, STD, void, (0), native_flush_tlb_local,  FN, FlushTLB)
PV_OP(mmu, flush_tlb_kernel,   CALL, STD, void, (0), native_flush_tlb_global, FN, FlushTLB)
PV_OP(mmu, flush_tlb_one_user, CALL, STD, void, (1, unsigned long, addr), native_flush_tlb_one_user, ROM, InvalPage)
PV_OP(mmu, flush_tlb_multi,    CALL, STD, void, (2, const struct cpumask *, cpus, const struct flush_tlb_info *, info), native_flush_tlb_multi, SAME, FlushTLB)
PV_OP(mmu, tlb_remove_table,   CALL, STD, void, (2, struct mmu_gather *, tlb, void *, table), pv_native_tlb_remove_table, SAME, ReleasePage)
PV_OP(mmu, exit_mmap,          INLINE, STD, void, (1, struct mm_struct *, mm), "", SAME, ReleasePage)
PV_OP(mmu, notify_page_enc_status_changed, INLINE, STD, void, (3, unsigned long, pfn, int, npages, bool, enc), "", SAME, SetPxE)
PV_OP(mmu, read_cr2,    INLINE, SAVE, word, (0), "mov %%cr2,%%eax", ROM, GetCR2)
PV_OP(mmu, write_cr2,   INLINE, SAVE, void, (1, unsigned long, val), "mov %%eax,%%cr2", ROM, SetCR2)
PV_OP(mmu, read_cr3,    INLINE, SAVE, word, (0), "mov %%cr3,%%eax", ROM, GetCR3)
PV_OP(mmu, write_cr3,   INLINE, SAVE, void, (1, unsigned long, val), "mov %%eax,%%cr3", ROM, SetCR3)
PV_OP(mmu, activate_mm, INLINE, SAVE, void, (2, struct mm_struct *, prev, struct mm_struct *, next), "", SAME, SetCR3)
PV_OP(mmu, dup_mmap,    INLINE, SAVE, void, (2, struct mm_struct *, oldmm, struct mm_struct *, mm), "", SAME, SetCR3)
PV_OP(mmu, pgd_ready,   INLINE, SAVE, void, (1, struct mm_struct *, mm), "", FN, AllocatePage)
PV_OP(mmu, pgd_free,    INLINE, SAVE, void, (2, struct mm_struct *, mm, pgd_t *, pgd), "", FN, ReleasePage)
PV_OP(mmu, alloc_pte,   INLINE, SAVE, void, (2, struct mm_struct *, mm, unsigned long, pfn), "", FN, AllocatePage)
PV_OP(mmu, alloc_pmd,   INLINE, SAVE, void, (2, struct mm_struct *, mm, unsigned long, pfn), "", FN, AllocatePage)
PV_OP(mmu, release_pte, INLINE, SAVE, void, (1, unsigned long, pfn), "", FN, ReleasePage)
PV_OP(mmu, release_pmd, INLINE, SAVE, void, (1, unsigned long, pfn), "", FN, ReleasePage)
#ifdef CONFIG_X86_PAE
PV_OP(mmu, set_pte,     INLINE, SAVE, void, (3, pte_t *, ptep, u32, low, u32, high), "mov %%ecx,4(%%eax); mov %%edx,(%%eax)", ASM, SetPxELong)
PV_OP(mmu, set_pte_atomic, CALL, STD, void, (3, pte_t *, ptep, u32, low, u32, high), pv_native_set_pte_atomic, FN, SetPxELong)
PV_OP(mmu, pte_clear,   INLINE, SAVE, void, (1, pte_t *, ptep), "movl $0,(%%eax); movl $0,4(%%eax)", FN, SetPxELong)
PV_OP(mmu, set_pmd,     CALL,   STD,  void, (3, pmd_t *, pmdp, u32, low, u32, high), pv_native_set_pmd, FN, SetPxELong)
PV_OP(mmu, pmd_clear,   INLINE, SAVE, void, (1, pmd_t *, pmdp), "movl $0,(%%eax); movl $0,4(%%eax)", FN, SetPxELong)
PV_OP(mmu, set_pud,     CALL,   STD,  void, (3, pud_t *, pudp, u32, low, u32, high), pv_native_set_pud, FN, SetPxELong)
PV_OP(mmu, ptep_get_and_clear, INLINE, STD, u64, (1, pte_t *, ptep), "mov %%eax,%%ecx; xor %%eax,%%eax; xchg %%eax,(%%ecx); mov 4(%%ecx),%%edx; movl $0,4(%%ecx)", FN, UpdatePxELong)
PV_OP(mmu, ptep_set_wrprotect, INLINE, SAVE, void, (1, pte_t *, ptep), "lock andb $0xfd,(%%eax)", FN, UpdatePxELong)
PV_OP(mmu, ptep_test_and_clear_young, INLINE, SAVE, word, (1, pte_t *, ptep), "lock btrl $5,(%%eax); sbb %%eax,%%eax", FN, UpdatePxELong)
PV_OP(mmu, pmdp_get_and_clear, CALL, STD, u64, (1, pmd_t *, pmdp), pv_native_pmdp_get_and_clear, FN, UpdatePxELong)
PV_OP(mmu, pmdp_establish, CALL, STD, u64, (3, pmd_t *, pmdp, u32, low, u32, high), pv_native_pmdp_establish, FN, UpdatePxELong)
PV_OP(mmu, pmdp_set_wrprotect, INLINE, SAVE, void, (1, pmd_t *, pmdp), "lock andb $0xfd,(%%eax)", FN, UpdatePxELong)
PV_OP(mmu, pmdp_test_and_clear_young, INLINE, SAVE, word, (1, pmd_t *, pmdp), "lock btrl $5,(%%eax); sbb %%eax,%%eax", FN, UpdatePxELong)
#else
PV_OP(mmu, set_pte,     INLINE, SAVE, void, (2, pte_t *, ptep, u32, val), "mov %%edx,(%%eax)", ASM, SetPxE)
PV_OP(mmu, set_pte_atomic, INLINE, SAVE, void, (2, pte_t *, ptep, u32, val), "mov %%edx,(%%eax)", FN, SetPxE)
PV_OP(mmu, pte_clear,   INLINE, SAVE, void, (1, pte_t *, ptep), "movl $0,(%%eax)", FN, SetPxE)
PV_OP(mmu, set_pmd,     INLINE, SAVE, void, (2, pmd_t *, pmdp, u32, val), "mov %%edx,(%%eax)", FN, SetPxE)
PV_OP(mmu, ptep_xchg,   INLINE, SAVE, word, (2, u32, val, pte_t *, ptep), "xchg %%eax,(%%edx)", FN, UpdatePxE)
PV_OP(mmu, ptep_set_wrprotect, INLINE, SAVE, void, (1, pte_t *, ptep), "lock andb $0xfd,(%%eax)", FN, UpdatePxE)
PV_OP(mmu, ptep_test_and_clear_young, INLINE, SAVE, word, (1, pte_t *, ptep), "lock btrl $5,(%%eax); sbb %%eax,%%eax", FN, UpdatePxE)
PV_OP(mmu, pmdp_xchg,   INLINE, SAVE, word, (2, u32, val, pmd_t *, pmdp), "xchg %%eax,(%%edx)", FN, UpdatePxE)
PV_OP(mmu, pmdp_set_wrprotect, INLINE, SAVE, void, (1, pmd_t *, pmdp), "lock andb $0xfd,(%%eax)", FN, UpdatePxE)
PV_OP(mmu, pmdp_test_and_clear_young, INLINE, SAVE, word, (1, pmd_t *, pmdp), "lock btrl $5,(%%eax); sbb %%eax,%%eax", FN, UpdatePxE)
#endif
PV_OP(mmu, lazy_enter,  INLINE, SAVE, void, (0), "", FN, SetLazyMode)
PV_OP(mmu, lazy_leave,  INLINE, SAVE, void, (0), "", FN, SetLazyMode)
PV_OP(mmu, lazy_flush,  INLINE, SAVE, void, (0), "", FN, SetLazyMode)
PV_GROUP_END(mmu)

PV_GROUP(lock)
PV_OP(lock, vcpu_is_preempted, INLINE, SAVE, word, (1, long, cpu), "xor %%eax,%%eax", SAME, 0)
#if defined(CONFIG_SMP) && defined(CONFIG_PARAVIRT_SPINLOCKS)
PV_OP(lock, queued_spin_lock_slowpath, CALL, STD, void, (2, struct qspinlock *, lock, u32, val), native_queued_spin_lock_slowpath, SAME, 0)
PV_OP(lock, queued_spin_unlock, INLINE, SAVE, word, (1, struct qspinlock *, lock), "movb $0,(%%eax)", SAME, 0)
PV_OP(lock, wait,       INLINE, STD,  void, (2, u8 *, ptr, u8, val), "", SAME, 0)
PV_OP(lock, kick,       INLINE, STD,  void, (1, int, cpu), "", SAME, 0)
#endif
PV_GROUP_END(lock)

#undef PV_OP
#undef PV_GROUP
#undef PV_GROUP_END
