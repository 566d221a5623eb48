/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the monitor's own image begins.
 *
 * Owns: saving what `start.S` knows, our first stack, the change to our tables.
 * Not here: C (`init.c`).
 * Runs: on the temporary tables: once for Init, and once on each AP.
 * Fails: -
 *
 * In: EAX = guest's CR3, EDX = CR4, EBX = ESP, EBP = linear address of the ROM,
 * EDI = linear minus physical address there, ECX = size, ESI = frames.
 */
#include "../common/data.h"
#include "monitor.h"

#define BOOT_ESP	(boot + 0)
#define BOOT_CR3	(boot + 4)
#define BOOT_CR4	(boot + 8)
#define BOOT_ROM	(boot + 12)
#define BOOT_OFFSET	(boot + 16)
#define BOOT_BASE	(boot + 20)
#define BOOT_SIZE	(boot + 24)
#define BOOT_FRAMES	(boot + 28)
#define BOOT_LOW	(boot + 32)
#define BOOT_CPUS	(boot + 36)
#define BOOT_LOW_TOP	(boot + 40)
#define BOOT_GDT	(boot + 44)
#define BOOT_IDT	(boot + 50)
#define BOOT_LDT	(boot + 56)

	.section .entry, "ax"
	.code32
	.globl	mon_entry
mon_entry:
	jmp	enter
	.balign	AP_ENTRY
	jmp	ap_enter

	.text
enter:
	mov	$first_stack_top, %esp
	push	%edi
	push	%ecx
	push	%eax
	mov	$bss_start, %edi
	mov	$bss_words, %ecx
	xor	%eax, %eax
	rep stosl
	pop	%eax
	pop	%ecx
	pop	%edi
	mov	%ebx, BOOT_ESP
	mov	%eax, BOOT_CR3
	mov	%edx, BOOT_CR4
	mov	%ebp, BOOT_ROM
	mov	%edi, BOOT_OFFSET
	mov	%ecx, BOOT_SIZE
	mov	%esi, BOOT_FRAMES
	mov	%ss:MON_BASE(%ebp), %eax
	mov	%eax, BOOT_BASE
	mov	%ss:ROM_PHYS(%ebp), %eax
	add	%ss:ROM_DATA_DELTA(%ebp), %eax
	mov	%eax, BOOT_LOW
	mov	%ss:MON_CPUS(%ebp), %eax
	mov	%eax, BOOT_CPUS
	mov	%ss:MON_LOW_TOP(%ebp), %eax
	mov	%eax, BOOT_LOW_TOP
	sgdtl	BOOT_GDT
	sidtl	BOOT_IDT
	sldt	BOOT_LDT
	str	BOOT_LDT + 2
	mov	%cs, BOOT_LDT + 4
	mov	%ss, BOOT_LDT + 6
	mov	%ds, BOOT_LDT + 8
	mov	%es, BOOT_LDT + 10
	call	init_memory
	mov	%eax, %cr3
	mov	$GUEST_REGS, %esp
	call	init_guest
	mov	$GUEST_REGS, %esp
	jmp	resume_guest

/* An AP, on the same temporary tables; its own are in `ap_root`. */
ap_enter:
	mov	ap_root, %eax
	mov	%eax, %cr3
	mov	$GUEST_REGS, %esp
	call	ap_main
	mov	$GUEST_REGS, %esp
	jmp	resume_guest

	.section .data
	.balign	4
	.globl	boot
boot:	.skip	80
	.skip	2048
first_stack_top:
