/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways into ring 0 and back.
 *
 * Owns: the entry of each vector, the call entry, the return, and the few
 * instructions that may fault in ring 0.
 * Not here: what happens in between.
 * Runs: ring 0, IF=0, on this vCPU's stack: an entry from an outer ring begins
 * at its top, so that the registers lie at a fixed address.
 * Fails: see `trap.c` for faults in ring 0.
 */
#include "monitor.h"

	.section .text, "ax"
	.code32

/* EIP - address of site + 2 is a multiple of 4: the number of the call, times 4. */
#define CALL_SITE	(ring1_sites + 2)

	.globl	entry_call
entry_call:
	sub	$8, %esp
	pusha
	push	%ds
	push	%es
	mov	$SEL_DATA0, %ebx
	mov	%ebx, %ds
	mov	%ebx, %es
	cld
	mov	REGS_EIP(%esp), %ebx
	sub	$CALL_SITE, %ebx
	cmp	$4 * VMI_CALL_NR, %ebx
	jae	entry_odd
	and	$~3, %ebx
	incl	MON_VCPU(%ebx)		/* `calls` is first in struct vcpu */
#ifdef MON_COUNT
	rdtsc
	mov	%eax, %ebp
	mov	REGS_EAX(%esp), %eax
	mov	REGS_EDX(%esp), %edx
#endif
	call	*call_table(%ebx)
	mov	%eax, REGS_EAX(%esp)
	mov	%edx, REGS_EDX(%esp)
#ifdef MON_COUNT
	rdtsc
	sub	%ebp, %eax
	add	%eax, MON_VCPU + VCPU_CALL_COST(%ebx)
#endif
	.globl	resume_guest, pop_es, pop_ds, last_iret
resume_guest:
	testb	$4, REGS_SS(%esp)	/* a stack in an LDT? */
	jnz	resume_ldt_stack
pop_es:	pop	%es
pop_ds:	pop	%ds
	popa
	add	$8, %esp
last_iret:
	iret

/*
 * IRET to a stack of 16 bits loads only half of ESP, and the other half would
 * stay ours. So it is done on a segment where ESP has the user's upper half.
 * EAX = 0 or the address of a far pointer to the frame there.
 */
resume_ldt_stack:
	mov	%esp, %eax
	call	stack16_prepare
	test	%eax, %eax
	jz	pop_es
	pop	%es
	pop	%ds
	popa
	lss	%ss:MON_VCPU + VCPU_STACK16, %esp
	iret

/* The instruction was not ours, or an interrupt came by this vector. */
entry_odd:
	movl	$VECTOR_CALL, 10 * 4(%esp)
	movl	$0, 11 * 4(%esp)
	jmp	entry_c

	.globl	entry_common
entry_common:
	pusha
	push	%ds
	push	%es
	mov	$SEL_DATA0, %eax
	mov	%eax, %ds
	mov	%eax, %es
	cld
entry_c:
	mov	%esp, %eax
	call	trap_handler
	jmp	resume_guest

/* EAX = registers to resume with, on whatever stack */
	.globl	resume_at
resume_at:
	mov	%eax, %esp
	jmp	resume_guest

/* 16 bytes for each vector: an error code, the vector, and on. */
	.balign	16
	.globl	entry_stubs
entry_stubs:
	.set	vector, 0
	.rept	VECTORS
	.balign	16
	.if	vector != VEC_DF && vector != VEC_TS && vector != VEC_NP && vector != VEC_SS && vector != VEC_GP && vector != VEC_PF && vector != VEC_AC
	push	$0
	.endif
	pushl	$vector
	jmp	entry_common
	.set	vector, vector + 1
	.endr

/*
 * The same for vectors 8 to 15 while an 8259 may have them, too: an interrupt
 * has no error code. It comes from an outer ring, whose frame has its place, or
 * while we wait for it.
 */
#define FRAME_TOP	(MON_STACK_TOP - 16)	/* esp0 */

	.balign	16
	.globl	doubt_stubs
doubt_stubs:
	.set	vector, 8
	.rept	8
	.balign	16
	pushl	$vector
	jmp	doubt
	.set	vector, vector + 1
	.endr
doubt:
	cmp	$FRAME_TOP - 5 * 4 - 4, %esp
	je	1f
	cmp	$FRAME_TOP - 9 * 4 - 4, %esp	/* virtual-8086 mode */
	je	1f
	cmpl	$wait_return, 4(%esp)
	jne	entry_common
1:	push	(%esp)
	movl	$0, 4(%esp)
	orl	$INTERRUPT_BY_EXCEPTION, (%esp)
	jmp	entry_common

/* Waits for an interrupt; another one may have come before. */
	.globl	wait_for_interrupt, wait_return
wait_for_interrupt:
	sti
	hlt
wait_return:
	cli
	ret

/*
 * int copy_guest(to EAX, from EDX, bytes ECX) -> EAX = bytes left. One side is
 * the guest's; a fault that `trap.c` cannot mend ends it.
 */
	.globl	copy_guest, guest_copy, guest_copy_end, guest_copy_fault
copy_guest:
	push	%esi
	push	%edi
	mov	%eax, %edi
	mov	%edx, %esi
	mov	%ecx, %edx
	shr	$2, %ecx
	and	$3, %edx
guest_copy:
	rep movsl
	mov	%edx, %ecx
	rep movsb
guest_copy_end:
	xor	%eax, %eax
1:	pop	%edi
	pop	%esi
	ret
guest_copy_fault:
	mov	$1, %eax
	jmp	1b

/* int rdmsr_safe(msr EAX, u64 * EDX), int wrmsr_safe(msr, low, high) -> EAX */
	.globl	rdmsr_safe, wrmsr_safe, rdmsr_insn, wrmsr_insn, msr_access_fault
rdmsr_safe:
	push	%ebx
	mov	%edx, %ebx
	mov	%eax, %ecx
rdmsr_insn:
	rdmsr
	mov	%eax, (%ebx)
	mov	%edx, 4(%ebx)
	xor	%eax, %eax
	pop	%ebx
	ret
wrmsr_safe:
	push	%ebx
	xchg	%eax, %ecx
	xchg	%eax, %edx		/* ECX = msr, EDX = high, EAX = low */
wrmsr_insn:
	wrmsr
	xor	%eax, %eax
	pop	%ebx
	ret
msr_access_fault:
	mov	$1, %eax
	pop	%ebx
	ret
