/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assembler macros with which the ROMs write a VMI entry.
 *
 * Owns: entry labels and answers, position-independent addressing, the return
 * of each convention class (in the wreck build it also spoils what it may).
 * Not here: the entries (`native/`), the answer table (`reloc.S`).
 * Runs: nowhere; included by `.S` files.
 * Fails: an entry without one of the two symbols does not link.
 */
#ifndef _ROM_ENTRY_H
#define _ROM_ENTRY_H

#include <asm/vmi.h>
#include "data.h"

/*
 * An empty call may be answered NOP. The debug build must count it and the
 * wreck build must spoil registers in it, so both answer CALL.
 */
#if defined(ROM_DEBUG) || defined(ROM_WRECK)
#define ANSWER_EMPTY	VMI_RELOC_CALL_REL
#else
#define ANSWER_EMPTY	VMI_RELOC_NOP
#endif
#define ANSWER_CALL	VMI_RELOC_CALL_REL
#define ANSWER_JUMP	VMI_RELOC_JUMP_REL
#define ANSWER_NONE	VMI_RELOC_NONE

/* Begins the code of one call and states what GetRelocationInfo says of it. */
.macro VMI_ENTRY name:req answer:req
	.globl	call_\name, answer_\name
	.set	answer_\name, \answer
call_\name:
.endm

/* \reg = linear address of the ROM's first byte; uses one stack word. */
.macro ROM_BASE reg:req
	call	.Lbase\@
.Lbase\@:
	pop	\reg
	lea	rom_start - .Lbase\@(\reg), \reg
.endm

/* \reg = linear address of the ROM's data; \scratch is lost. */
.macro ROM_DATA reg:req scratch:req
	ROM_BASE \reg
	mov	%ss:ROM_DATA_DELTA(\reg), \scratch
	add	\scratch, \reg
.endm

#ifdef ROM_WRECK

#define WRECK_EAX	0xdeadea00
#define WRECK_ECX	0xdeadec80
#define WRECK_EDX	0xdeaded00

/* CF, PF, ZF and OF become 1, SF and AF 0; IF and DF stay. Loses ECX. */
.macro SPOIL_FLAGS_ECX
	mov	$WRECK_ECX, %ecx
	add	%cl, %cl
	mov	$WRECK_ECX, %ecx
.endm

.macro RET_STD			/* no result */
	SPOIL_FLAGS_ECX
	mov	$WRECK_EAX, %eax
	mov	$WRECK_EDX, %edx
	ret
.endm

.macro RET_STD_EAX		/* result in EAX */
	SPOIL_FLAGS_ECX
	mov	$WRECK_EDX, %edx
	ret
.endm

.macro RET_STD_EDX_EAX		/* result in EDX:EAX */
	SPOIL_FLAGS_ECX
	ret
.endm

.macro RET_FLAGS		/* all registers are kept or results */
	push	%ecx
	SPOIL_FLAGS_ECX
	pop	%ecx
	ret
.endm

#else /* !ROM_WRECK */

.macro RET_STD
	ret
.endm

.macro RET_STD_EAX
	ret
.endm

.macro RET_STD_EDX_EAX
	ret
.endm

.macro RET_FLAGS
	ret
.endm

#endif /* ROM_WRECK */
#endif /* _ROM_ENTRY_H */
