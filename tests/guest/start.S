/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot code and tables of the conformance guest.
 *
 * Owns: the first page tables, the GDT, everything that has a fixed place.
 * Not here: the register harness (`invoke.S`), handlers (`trap.S`).
 * Runs: entered by a multiboot loader; paging on before any C.
 * Fails: without paging hardware a triple fault.
 *
 * Source: Multiboot Specification 0.6.96; SDM volume 3, chapter 4.
 */
#include "guest.h"

#define PHYS(x)		((x) - GUEST_OFFSET)
#define MB_MAGIC	0x1badb002
#define MB_FLAGS	0x00000003
#define PAGES_LARGE	16		/* 64 MiB in 4 MiB pages */

	.section .multiboot, "a"
	.balign	4
	.long	MB_MAGIC, MB_FLAGS, -(MB_MAGIC + MB_FLAGS)

	.section .text
	.code32
	.globl	_start
_start:
	cli
	cld
	mov	$PHYS(boot_stack_top), %esp
	testl	$1, (%ebx)
	jz	1f
	mov	8(%ebx), %eax
	mov	%eax, PHYS(memory_kib)
1:
	/* "pae" as the last word of the command line selects the page format */
	xor	%edi, %edi
	testl	$4, (%ebx)
	jz	2f
	mov	16(%ebx), %esi
	lea	GUEST_OFFSET(%esi), %eax
	mov	%eax, PHYS(command_line)
1:	mov	(%esi), %eax
	test	%al, %al
	jz	2f
	and	$0xffffff, %eax
	inc	%esi
	cmp	$0x656170, %eax		/* "pae" */
	jne	1b
	inc	%edi
2:	mov	%edi, PHYS(pae)
	mov	$1, %eax
	cpuid
	mov	%edx, %eax
	shr	$6, %eax
	and	$0x80, %eax		/* PGE is bit 13 here, bit 7 there */
	mov	%cr4, %edx
	or	%eax, %edx
	or	$0x10, %edx		/* PSE */
	test	%edi, %edi
	jnz	3f

	/* 32-bit: low 4 MiB at 0 for now, 64 MiB at GUEST_OFFSET, the window */
	mov	$PHYS(page_dir), %ecx
	movl	$0x087, (%ecx)
	mov	$0x087, %eax
	mov	$PAGES_LARGE, %ebx
	lea	(GUEST_OFFSET >> 22) * 4(%ecx), %esi
4:	mov	%eax, (%esi)
	add	$0x400000, %eax
	add	$4, %esi
	dec	%ebx
	jnz	4b
	movl	$PHYS(window) + 7, (WINDOW >> 22) * 4(%ecx)
	movl	$0xfee00000 + 0x1b, PHYS(window) + 4
	jmp	5f

	/* PAE: the same, directory for the last GiB only, shared with the first */
3:	mov	$PHYS(pdpt), %ecx
	movl	$PHYS(page_dir) + 1, (%ecx)
	movl	$PHYS(page_dir) + 1, 24(%ecx)
	mov	$0x087, %eax
	mov	$PAGES_LARGE * 2, %ebx
	mov	%eax, PHYS(page_dir)
	mov	$PHYS(page_dir) + ((GUEST_OFFSET >> 21) & 511) * 8, %esi
6:	mov	%eax, (%esi)
	movl	$0, 4(%esi)
	add	$0x200000, %eax
	add	$8, %esi
	dec	%ebx
	jnz	6b
	movl	$PHYS(window) + 7, PHYS(page_dir) + ((WINDOW >> 21) & 511) * 8
	movl	$0xfee00000 + 0x1b, PHYS(window) + 8
	or	$0x20, %edx
5:	mov	%edx, %cr4
	mov	%ecx, %cr3
	mov	%cr0, %eax
	or	$0x80010000, %eax	/* PG, WP */
	mov	%eax, %cr0
	mov	$high, %eax
	jmp	*%eax
high:
	/* no identity map from here on */
	movl	$0, page_dir
	movl	$0, pdpt
	mov	%cr3, %eax
	mov	%eax, %cr3
	mov	$boot_stack_top, %esp
	lgdtl	gdt_ptr
	ljmp	$SEL_CODE, $9f
9:	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	$SEL_FS, %eax
	mov	%eax, %fs
	xor	%eax, %eax
	mov	%eax, %gs
	call	main
1:	cli
	hlt
	jmp	1b

	.section .data
	.balign	8
gdt_ptr:
	.word	GDT_ENTRIES * 8 - 1
	.long	gdt
	.globl	gdt
	.balign	8
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff
	.quad	0x00cf93000000ffff
	.quad	0x00cffb000000ffff
	.quad	0x00cff3000000ffff
	.quad	0x00cf93000000ffff	/* FS: base filled in by C */
	.quad	0			/* LDT */
	.quad	0			/* TSS */
	.quad	0x40cf93000000ffff	/* poison: base 0x40000000, unmapped */
	.quad	0			/* for tests */
	.quad	0

	.section .bss
	.globl	command_line, pae, memory_kib, page_dir, window, pdpt, idt, tss
	.globl	boot_stack_top
	.balign	4096
page_dir: .skip 4096
window:	.skip	4096
pdpt:	.skip	32
idt:	.skip	256 * 8
tss:	.skip	TSS_SIZE
command_line: .skip 4
memory_kib: .skip 4			/* above 1 MiB */
pae:	.skip	4
	.balign	16
	.skip	16384
boot_stack_top:
	.section .note.GNU-stack, "", @progbits
