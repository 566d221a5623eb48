/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an application processor from STARTUP into the monitor.
 *
 * Owns: the code in the low data page, from real mode to our address space.
 * Not here: who sends STARTUP (`smp.c`), what follows (`enter.S`).
 * Runs: on an AP, IF=0. All of it lies in the data page, which a guest cannot
 * write, and nothing in the ROM, which it can if it opens the shadow memory.
 * Fails: -
 *
 * The tables that Init left there map this page where it is.
 *
 * Source: SDM volume 3, sections 8.4 (MP initialization), 9.9 (mode switching).
 */
#include "../common/data.h"
#include "monitor.h"

	.section .text16, "ax"
	.code16
	.globl	ap_stub, ap_stub_size, ap_stub_limit, ap_stub_gdtr_base, ap_stub_entry
ap_stub:
	cli
	cld
	mov	%cs, %ax
	mov	%ax, %ds
	movzwl	%ax, %ebp
	shl	$4, %ebp		/* EBP = this page */
	lea	ap_flat - ap_stub(%ebp), %eax
	mov	%eax, far_target - ap_stub
	lgdtl	stub_gdtr - ap_stub
	mov	%cr0, %eax
	or	$CR0_PE, %al
	mov	%eax, %cr0
	ljmpl	*(far_target - ap_stub)

	.code32
ap_flat:
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	$CR4_PSE, %eax
	lea	LOW_DIR(%ebp), %ecx
	testb	$PTE_P, LOW_PDPT(%ebp)
	jz	1f
	mov	$CR4_PSE | CR4_PAE, %eax
	lea	LOW_PDPT(%ebp), %ecx
1:	mov	%eax, %cr4
	mov	%ecx, %cr3
	mov	$CR0_PG | CR0_WP | CR0_NE | CR0_ET | CR0_PE, %eax
	mov	%eax, %cr0
	mov	$MON_MEMORY + AP_ENTRY, %eax
	jmp	*%eax

	.balign	4
far_target:
	.long	0			/* physical address of ap_flat */
	.word	0x08
	.balign	4
unused:	.long	0			/* bios.S adds the ROM's address */
stub_gdtr:
	.word	stub_gdt_end - stub_gdt - 1
stub_gdtr_base:
	.long	stub_gdt - ap_stub	/* + the page's address */
	.balign	8
stub_gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* flat, accessed already */
	.quad	0x00cf93000000ffff
stub_gdt_end:
	.set	ap_stub_size, . - ap_stub
	.set	ap_stub_limit, LOW_DIR
	.set	ap_stub_entry, unused - ap_stub
	.set	ap_stub_gdtr_base, stub_gdtr_base - ap_stub
