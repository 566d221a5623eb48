/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the gates of the conformance guest lead to.
 *
 * Owns: exception and interrupt entries, the way out of an expected fault, the
 * entry of an AP.
 * Not here: the gates (`main.c`), vector VECTOR_BACK (`invoke.S`).
 * Runs: at the kernel's ring, IF=0, DS and ES of whoever was interrupted.
 * Fails: an unexpected exception ends the run.
 */
#include "guest.h"

	.text
	.code32

/* EAX = function. Returns 0, or 1 after a fault in it. IF is 0 afterwards. */
	.globl	fault_try
fault_try:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	pushf
	mov	%esp, fault_esp
	call	*%eax
	xor	%eax, %eax
fault_out:
	movl	$0, fault_esp
	popf
	cld
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* Exception stubs, 16 bytes apart: all have an error code afterwards. */
	.globl	exception_stubs
	.balign	16
exception_stubs:
	.set	vector, 0
	.rept	32
	.balign	16
	.if	vector != 8 && vector != 10 && vector != 11 && vector != 12 && vector != 13 && vector != 14 && vector != 17
	push	$0
	.endif
	push	$vector
	jmp	exception
	.set	vector, vector + 1
	.endr

exception:
	push	%eax
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	pop	fault + FAULT_EAX
	pop	fault + FAULT_VECTOR
	pop	fault + FAULT_ERROR
	pop	fault + FAULT_EIP
	pop	fault + FAULT_CS
	pop	fault + FAULT_EFLAGS
	mov	%esp, fault + FAULT_ESP	/* same ring: ESP at the fault */
	mov	%ecx, fault + FAULT_ECX
	mov	%edx, fault + FAULT_EDX
	call	*cr2_get
	mov	%eax, fault + FAULT_CR2
	incl	fault + FAULT_COUNT
	call	exception_resume
	test	%eax, %eax
	jnz	1f
	mov	fault_esp, %eax
	test	%eax, %eax
	jz	exception_fatal
	mov	%eax, %esp
	mov	$1, %eax
	jmp	fault_out
	/* A handler mended it: on where it faulted. */
1:	mov	fault + FAULT_ESP, %esp
	pushl	fault + FAULT_EFLAGS
	pushl	fault + FAULT_CS
	pushl	fault + FAULT_EIP
	mov	fault + FAULT_EAX, %eax
	mov	fault + FAULT_ECX, %ecx
	mov	fault + FAULT_EDX, %edx
	IRET_SITE

/* Interrupts: count, note the time, tell the controller. */
.macro NOTE count tsc log
	push	%eax
	push	%ecx
	push	%edx
	rdtsc
	mov	%eax, %ss:\tsc
	mov	%edx, %ss:\tsc + 4
	mov	%ss:\count, %ecx
	and	$IRQ_LOG - 1, %ecx
	mov	%eax, %ss:\log(, %ecx, 8)
	mov	%edx, %ss:\log + 4(, %ecx, 8)
	incl	%ss:\count
.endm

.macro LEAVE
	pop	%edx
	pop	%ecx
	pop	%eax
	IRET_SITE
.endm

	.globl	int_irq0, int_lvtt
int_irq0:
	NOTE	irq0_count irq0_tsc irq0_log
	mov	$0x20, %al
	out	%al, $0x20
	LEAVE

	.globl	int_ipi
int_ipi:
	push	%eax
	push	%ecx
	push	%edx
	lock incl %ss:ipi_count
	jmp	end_lapic

int_lvtt:
	NOTE	lvtt_count lvtt_tsc lvtt_log
end_lapic:
	push	%ds
	push	%es
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	$LAPIC_EOI, %eax
	xor	%edx, %edx
	call	*apic_write
	pop	%es
	pop	%ds
	LEAVE

/* For an INT. */
	.globl	int_test, int_other, test_hits, other_hits
int_test:
	incl	%ss:test_hits
	IRET_SITE
int_other:
	incl	%ss:other_hits
	IRET_SITE

/* Where an AP begins: registers first, then C. */
	.globl	ap_entry
ap_entry:
	mov	%eax, %ss:ap_out
	mov	%ebx, %ss:ap_out + 4
	mov	%ecx, %ss:ap_out + 8
	mov	%edx, %ss:ap_out + 12
	mov	%esi, %ss:ap_out + 16
	mov	%edi, %ss:ap_out + 20
	mov	%ebp, %ss:ap_out + 24
	mov	%esp, %ss:ap_out + 56
	pushf
	popl	%ss:ap_out + 28
	mov	%ds, %eax
	mov	%eax, %ss:ap_out + 40
	mov	%es, %eax
	mov	%eax, %ss:ap_out + 44
	mov	%fs, %eax
	mov	%eax, %ss:ap_out + 48
	mov	%gs, %eax
	mov	%eax, %ss:ap_out + 52
	call	ap_main			/* does not return */

	.section .bss
	.globl	fault, fault_esp, ap_out
	.globl	ipi_count, irq0_count, irq0_tsc, irq0_log, lvtt_count, lvtt_tsc, lvtt_log
	.balign	8
irq0_tsc: .skip	8
lvtt_tsc: .skip	8
irq0_log: .skip	8 * IRQ_LOG
lvtt_log: .skip	8 * IRQ_LOG
irq0_count: .skip 4
test_hits: .skip 4
ipi_count: .skip 4
other_hits: .skip 4
lvtt_count: .skip 4
fault:	.skip	FAULT_SIZE
fault_esp: .skip 4
ap_out:	.skip	64
	.section .note.GNU-stack, "", @progbits
