/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * GetRelocationInfo: a table lookup.
 *
 * Owns: the answer table, expanded from the call list; the fixed entry at 0x88.
 * Not here: what the answers are (each entry states its own, VMI_ENTRY).
 * Runs: any time after Init, any CPU, any number of times; same answer always.
 * Fails: never; an unknown number is answered NONE.
 *
 * Source: VMI 3.0 relocation records, as in `asm/vmi.h`.
 */
#include "entry.inc"

/* The debug build puts a counting stub before each call. */
#ifdef ROM_DEBUG
#define TARGET(name)	count_##name
#else
#define TARGET(name)	call_##name
#endif

	.section .text, "ax"
	.code32
	.globl	rom_reloc_entry
/* EAX = call number -> EAX = linear address, EDX = type. Clobbers ECX. */
rom_reloc_entry:
	mov	%eax, %edx
	xor	%eax, %eax
	cmp	$VMI_CALL_NR, %edx
	jae	1f
	ROM_BASE %ecx
	movzwl	reloc_target(%ecx, %edx, 2), %eax
	movzbl	reloc_type(%ecx, %edx), %edx
	add	%ecx, %eax
	ret
1:	xor	%edx, %edx
	ret

	.section .rodata, "a"
	.globl	reloc_type, reloc_target
#define ROW(nr, name, class)	.byte answer_##name;
reloc_type:
	VMI_CALLS(ROW)
#undef ROW
#define ROW(nr, name, class)	.word TARGET(name);
reloc_target:
	VMI_CALLS(ROW)
#undef ROW
