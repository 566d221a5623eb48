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

/*
 * A guest may leave through call 33 on a stack segment with a base (what Linux
 * calls espfix), against the ABI. Constants are read through CS for that reason,
 * and such a call is carried out, but not counted: data is out of reach.
 */
#define DESC_BASE_HIGH	0xff0000ff	/* in the descriptor's second word */

count_and_go:
	pushf
	push	%eax
	push	%ecx
	sub	$8, %esp
	sgdtl	(%esp)
	mov	2(%esp), %eax
	add	$8, %esp
	mov	%ss, %ecx
	and	$~7, %ecx
	add	%ecx, %eax		/* descriptor of SS */
	mov	%cs:4(%eax), %ecx
	movzwl	%cs:2(%eax), %eax
	and	$DESC_BASE_HIGH, %ecx
	or	%eax, %ecx		/* 0 = flat */
	ROM_BASE %ecx			/* leaves the flags */
	jnz	1f
	mov	%cs:ROM_DATA_DELTA(%ecx), %eax
	add	%ecx, %eax
	mov	ORIG_NR, %ecx
	lock incl %ss:DATA_COUNTS(%eax, %ecx, 4)
	ROM_BASE %ecx
1:	mov	ORIG_NR, %eax
	movzwl	%cs:count_target(%ecx, %eax, 2), %eax
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
