/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls 49 to 60 and 65: port I/O.
 *
 * Owns: IN, OUT, REP INS, REP OUTS.
 * Not here: -
 * Runs: as the instructions; only what they change is changed, flags included.
 * Fails: as the instructions.
 *
 * Source: VMI specification 2.0, I/O calls (binary compatible with IN and OUT).
 */
#include "entry.inc"

	.section .text, "ax"
	.code32

VMI_ENTRY INL ANSWER_CALL		/* EDX = port -> EAX */
	in	%dx, %eax
	ret

VMI_ENTRY INB ANSWER_CALL
	in	%dx, %al
	ret

VMI_ENTRY INW ANSWER_CALL
	in	%dx, %ax
	ret

VMI_ENTRY INSL ANSWER_CALL		/* EDI, EDX = port, ECX = count */
	rep insl
	ret

VMI_ENTRY INSB ANSWER_CALL
	rep insb
	ret

VMI_ENTRY INSW ANSWER_CALL
	rep insw
	ret

VMI_ENTRY OUTL ANSWER_CALL		/* EAX, EDX = port */
	out	%eax, %dx
	ret

VMI_ENTRY OUTB ANSWER_CALL
	out	%al, %dx
	ret

VMI_ENTRY OUTW ANSWER_CALL
	out	%ax, %dx
	ret

VMI_ENTRY OUTSL ANSWER_CALL		/* ESI, EDX = port, ECX = count */
	rep outsl
	ret

VMI_ENTRY OUTSB ANSWER_CALL
	rep outsb
	ret

VMI_ENTRY OUTSW ANSWER_CALL
	rep outsw
	ret

VMI_ENTRY IODelay ANSWER_EMPTY		/* nothing that needs one is slow here */
	RET_STD
