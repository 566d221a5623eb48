/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debug build: counts each call before it is carried out.
 *
 * Owns: one stub per call, and the calls' names for `print.c`.
 * Not here: the calls.
 * Runs: in front of a call, in its convention: nothing but stack words below
 * ESP changes, and data is reached through SS.
 * Fails: -
 */
#include "entry.inc"

	.section .text, "ax"
	.code32

#define STUB(nr, name, class)	\
	.globl count_##name;	\
count_##name:			\
	pushl	$nr;		\
	jmp	count_and_go;

	VMI_CALLS(STUB)

#define ORIG_NR		12(%esp)	/* becomes the target's address */

count_and_go:
	pushf
	push	%eax
	push	%ecx
	ROM_DATA %ecx, %eax
	mov	ORIG_NR, %eax
	lock incl %ss:DATA_COUNTS(%ecx, %eax, 4)
	ROM_BASE %ecx
	movzwl	%ss:count_target(%ecx, %eax, 2), %eax
	add	%ecx, %eax
	mov	%eax, ORIG_NR
	pop	%ecx
	pop	%eax
	popf
	ret

	.section .rodata, "a"
#define ROW(nr, name, class)	.word call_##name;
count_target:
	VMI_CALLS(ROW)
#undef ROW
#define ROW(nr, name, class)	.asciz #name;
	.globl	count_names
count_names:
	VMI_CALLS(ROW)
	.globl	count_title
count_title:
	.asciz	"vmi-calls: "
