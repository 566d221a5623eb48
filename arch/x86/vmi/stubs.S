/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries through which everything reaches the ROM.
 *
 * Owns: one stub per call; the ops in assembly: IRET, CPUID with bits hidden, set_pte.
 * Not here: writing the jumps (`bind.c`, `iret.c`).
 * Runs: from the binding on. `bind.c` writes a near jump to the ROM over each stub
 *       while the kernel's text is still writable.
 * Fails: a stub without a target is a UD2.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/vmi.h>

#include "stub.h"

	.section .noinstr.text, "ax"

	.balign	VMI_STUB_SIZE
	.globl	vmi_stubs
vmi_stubs:
#define VMI_STUB(nr, name, class)		\
	.globl	vmi_entry_##name;		\
	.type	vmi_entry_##name, @function;	\
	.org	vmi_stubs + nr * VMI_STUB_SIZE;	\
vmi_entry_##name:				\
	ud2;					\
	.skip	VMI_STUB_SIZE - 2, 0xcc;	\
	.size	vmi_entry_##name, VMI_STUB_SIZE;
VMI_CALLS(VMI_STUB)

/*
 * vmi_cpu_cpuid - op cpu.cpuid
 * In: EAX leaf, ECX subleaf. Out: EAX to EDX. Clobbers: flags.
 * Hides what `vmi=disable_*` names from leaf 1.
 */
SYM_FUNC_START(vmi_cpu_cpuid)
	push	%eax
	call	vmi_entry_CPUID
	cmpl	$1, (%esp)
	jne	1f
	push	%eax
	mov	vmi_cpuid_hide_edx, %eax
	not	%eax
	and	%eax, %edx
	pop	%eax
1:	lea	4(%esp), %esp
	RET
SYM_FUNC_END(vmi_cpu_cpuid)

/*
 * vmi_mmu_set_pte - op mmu.set_pte
 * In: EAX entry; EDX its value, with PAE the low half, and ECX the high half.
 * Clobbers: flags.
 * No op that makes a call runs as often: a C function behind a thunk takes twice as
 * many instructions.
 */
SYM_FUNC_START(vmi_mmu_set_pte)
	push	%eax
	push	%ecx
	push	%edx
#ifdef CONFIG_X86_PAE
	push	$VMI_PAGE_PT
	xchg	%eax, %ecx
	xchg	%eax, %edx
	call	vmi_entry_SetPxELong
	pop	%edx
#else
	xchg	%eax, %edx
	mov	$VMI_PAGE_PT, %ecx
	call	vmi_entry_SetPxE
#endif
	pop	%edx
	pop	%ecx
	pop	%eax
	RET
SYM_FUNC_END(vmi_mmu_set_pte)

/*
 * vmi_no_flags - op irq.save_fl of a kernel that is about to panic
 * Out: EAX 0. Clobbers: flags.
 */
SYM_FUNC_START(vmi_no_flags)
	xor	%eax, %eax
	RET
SYM_FUNC_END(vmi_no_flags)

	.section .entry.text, "ax"

/*
 * vmi_irq_iret - op irq.iret for a ROM that wants to be called
 *
 * The ROM finds the return address below the frame, and by it the site: when the
 * return faults, the fault is reported at this call with ESP at the frame.
 */
SYM_CODE_START(vmi_irq_iret)
	.byte	0xe8
	.long	-VMI_IRET_CALL		/* itself, until `iret.c` writes the target */
	ud2				/* the ROM does not come back */
SYM_CODE_END(vmi_irq_iret)

	_ASM_EXTABLE(vmi_irq_iret, pv_iret_fault)
