/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GetRelocationInfo of a faulty ROM: right the first time, NONE afterwards.
 *
 * Owns: the answer table and fixed entry of `reloc-changes.rom`.
 * Not here: the calls, which are those of the pass-through ROM.
 * Runs: as `common/reloc.S`, in whose place it is linked.
 * Fails: on purpose: a guest that asks twice gets two answers.
 */
#define rom_reloc_entry	reloc_first
#include "../common/reloc.S"
#undef rom_reloc_entry

	.section .text, "ax"
	.globl	rom_reloc_entry
rom_reloc_entry:
	cmp	$VMI_CALL_NR, %eax
	jae	reloc_first
	ROM_DATA %ecx, %edx
	lea	DATA_ASKED(%ecx, %eax), %ecx
	cmpb	$0, (%ecx)
	movb	$1, (%ecx)
	je	reloc_first
	xor	%eax, %eax
	xor	%edx, %edx
	ret
