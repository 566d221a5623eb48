/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the sites do: two ops of the list as they are, and CLC where the kernel has
 * CLI, which is one byte as well.
 *
 * Owns: the instructions; RET behind each, so that it can be called, too; the
 *	retpoline.
 * Not here: sites (`forms.c`).
 */
	.macro BEGIN op
	.balign	16
	.globl	\op, \op\()_end
\op:
	.endm

	.macro END op
\op\()_end:
	ret
	.endm

	.text
	BEGIN op_clc
	clc
	END op_clc

	BEGIN op_save_fl
	pushf
	pop	%eax
	END op_save_fl

	BEGIN op_set_pte
	mov	%edx,(%eax)
	END op_set_pte

/* ECX: where to. The return goes there; one that is speculated loops here. */
	.balign	16
	.globl	retpoline_ecx
retpoline_ecx:
	call	2f
1:	pause
	lfence
	jmp	1b
2:	mov	%ecx,(%esp)
	ret

	.section .note.GNU-stack, "", @progbits
