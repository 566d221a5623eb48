/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls 29 to 37 and 61: interrupts, leaving the kernel, halt and reset.
 *
 * Owns: IF, IRET, SYSEXIT, HLT, reset ports.
 * Not here: alarms (`common/alarm.c`).
 * Runs: 29 to 34 with DS and ES of the user, so they use the stack only.
 * Fails: a faulting IRET leaves ESP at the frame and all registers as they were.
 *
 * Source: VMI specification 2.0, interrupt calls; SDM volume 2 (STI shadow).
 */
#include "entry.inc"

	.section .text, "ax"
	.code32

VMI_ENTRY EnableInterrupts ANSWER_CALL
	sti
	RET_FLAGS

VMI_ENTRY DisableInterrupts ANSWER_CALL
	cli
	RET_FLAGS

VMI_ENTRY GetInterruptMask ANSWER_CALL	/* -> EAX */
	pushf
	pop	%eax
	and	$VMI_INTERRUPT_MASK_IF, %eax
	RET_FLAGS

VMI_ENTRY SetInterruptMask ANSWER_CALL	/* EAX, bit 9 */
	test	$VMI_INTERRUPT_MASK_IF >> 8, %ah
	jz	1f
	sti
	RET_FLAGS
1:	cli
	RET_FLAGS

/* JUMP, so that the frame is on top and this is the kernel's own IRET. */
VMI_ENTRY IRET ANSWER_JUMP
	iret

VMI_ENTRY SYSEXIT ANSWER_JUMP		/* EDX = EIP, ECX = ESP */
	sti				/* takes effect after SYSEXIT */
	sysexit

VMI_ENTRY Halt ANSWER_CALL
	sti
	hlt
	RET_STD

#define EFLAGS_IOPL	0x3000

VMI_ENTRY SetIOPLMask ANSWER_CALL	/* EAX = IOPL << 12 */
	and	$EFLAGS_IOPL, %eax
	pushf
	andl	$~EFLAGS_IOPL, (%esp)
	or	%eax, (%esp)
	popf
	RET_STD

#define RESET_PORT	0xcf9		/* chipset reset control */
#define RESET_HARD	0x02
#define RESET_GO	0x04
#define KBC_PORT	0x64
#define KBC_RESET	0xfe

VMI_ENTRY Reboot ANSWER_CALL		/* EAX: VMI_REBOOT_* */
	cli
#ifdef ROM_DEBUG			/* last chance to print the counters */
	push	%eax
	call	rom_count_print
	pop	%eax
#endif
	and	$VMI_REBOOT_HARD, %eax
	lea	(, %eax, RESET_HARD), %eax
	mov	$RESET_PORT, %edx
	out	%al, %dx
	or	$RESET_GO, %al
	out	%al, %dx
	mov	$KBC_RESET, %al		/* a chipset without that port */
	out	%al, $KBC_PORT
	push	$0			/* no interrupt table: triple fault */
	push	$0
	lidtl	(%esp)
	int3

VMI_ENTRY Shutdown ANSWER_CALL
	cli
#ifdef ROM_DEBUG
	call	rom_count_print
#endif
1:	hlt
	jmp	1b
