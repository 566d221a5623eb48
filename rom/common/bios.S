/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the BIOS calls: finds writable memory for the ROM and writes down where.
 *
 * Owns: the allocation of the data pages, their first content, the words
 * at ROM_PHYS and ROM_DATA_DELTA, and that no word changes the checksum.
 * Not here: anything a guest calls; the monitor's memory (`monitor/reserve.S`).
 * Runs: once per boot, in real mode, called far at offset 3 by the BIOS.
 * Fails: ROM_DATA_DELTA stays 0, and Init refuses.
 *
 * Source: POST Memory Manager Specification 1.01, sections 2 and 3; Intel
 * 440FX data sheet, section 3.2.18 (PAM registers 59h-5Fh).
 */
#include "data.h"

#define PMM_ALLOC_LOW_PERMANENT_ALIGNED	0x0d
#define PMM_NO_HANDLE			0xffffffff
#define DATA_PARAGRAPHS			(DATA_PAGES * 4096 / 16)
#define BIOS_START			0xe0000	/* of one of 128 KiB */
#define PCI_CONFIG_PAM			0x80000058	/* 00:00.0, from 58h */

	.section .text16, "ax"
	.code16
	.globl	bios_init
bios_init:
	pushfl
	pushal
	push	%ds
	push	%es
	cld
	mov	%cs, %ax
	mov	%ax, %ds
	movzwl	%ax, %ebp
	shl	$4, %ebp		/* EBP = physical address of the image */
	call	image_writable
	jnz	9f
	call	words_sum
	add	%al, rom_checksum	/* the last byte keeps the sum as it is */
	mov	%ebp, ROM_PHYS
	call	data_alloc
#ifdef ROM_MONITOR
	call	mon_reserve
#endif
	test	%eax, %eax
	jz	8f
	call	data_fill
	sub	%ebp, %eax
	mov	%eax, ROM_DATA_DELTA
8:	call	words_sum
	sub	%al, rom_checksum
9:	pop	%es
	pop	%ds
	popal
	popfl
	lret

/* ZF = 1 if the image can be written, opening shadow memory where it cannot. */
image_writable:
	mov	%ebp, %eax
	call	try_write
	jz	1f
	call	pam_shadow
	mov	%ebp, %eax
	call	try_write
1:	ret

/* ZF = 1 if the word at ROM_PHYS of the paragraph of EAX takes what is written. */
try_write:
	push	%es
	shr	$4, %eax
	mov	%ax, %es
	mov	%es:ROM_PHYS, %eax
	notl	%es:ROM_PHYS
	not	%eax
	cmp	%eax, %es:ROM_PHYS
	jne	1f
	notl	%es:ROM_PHYS
	cmp	%eax, %eax
1:	pop	%es
	ret

/*
 * Makes each 16 KiB block of the image RAM with the same content. Writes go to
 * RAM and reads to ROM for the copy; then both go to RAM.
 */
pam_shadow:
	mov	%ebp, %ebx
1:	mov	$0x22, %cl
	call	pam_set
	call	block_copy
	mov	$0x33, %cl
	call	pam_set
	and	$~0x3fff, %ebx
	add	$0x4000, %ebx
	lea	rom_image_size + 4095 + DATA_PAGES * 4096(%ebp), %eax
	cmp	%eax, %ebx
	jb	1b
	ret

/* Sets the nibble of EBX's block to that of CL. */
pam_set:
	mov	%ebx, %edx
	sub	$0xc0000, %edx
	shr	$14, %edx		/* block */
	mov	%dl, %ch
	shr	$1, %dl
	add	$0x5a - 0x58, %dl	/* PAM register, from 58h */
	movzbl	%dl, %edx
	push	%dx
	mov	%edx, %eax
	and	$~3, %eax
	add	$PCI_CONFIG_PAM, %eax
	mov	$0xcf8, %dx
	outl	%eax, %dx
	pop	%dx
	and	$3, %dx
	add	$0xcfc, %dx
	inb	%dx, %al
	mov	$0xf0, %ah		/* what stays */
	test	$1, %ch
	jz	1f
	mov	$0x0f, %ah
1:	and	%ah, %al
	not	%ah
	and	%cl, %ah
	or	%ah, %al
	outb	%al, %dx
	ret

/* Copies EBX's block onto itself. */
block_copy:
	push	%ds
	push	%es
	mov	%ebx, %eax
	shr	$4, %eax
	and	$~0x3ff, %ax
	mov	%ax, %ds
	mov	%ax, %es
	xor	%si, %si
	xor	%di, %di
	mov	$0x1000, %cx
	rep movsl
	pop	%es
	pop	%ds
	ret

/* EAX = physical address of aligned, permanently reserved pages, or 0. */
data_alloc:
	call	pmm_find
	jne	tail_alloc
	mov	$PMM_ALLOC_LOW_PERMANENT_ALIGNED, %cx
	mov	$DATA_PARAGRAPHS, %ebx
	jmp	pmm_alloc

/* ZF = 1 if there is a POST Memory Manager, at ES:0. Loses AX. */
	.globl	pmm_find
pmm_find:
	mov	$0xe000, %ax
1:	mov	%ax, %es
	cmpl	$0x4d4d5024, %es:0	/* "$PMM" */
	je	2f
	inc	%ax
	jnz	1b
	inc	%ax			/* ZF = 0 */
2:	ret

/* EAX = address of EBX paragraphs from it, allocated with flags CX, or 0. */
	.globl	pmm_alloc
pmm_alloc:
	push	%cx
	pushl	$PMM_NO_HANDLE
	push	%ebx
	pushw	$0			/* function: allocate */
	lcall	*%es:7
	add	$12, %sp
	shl	$16, %edx
	movzwl	%ax, %eax
	or	%edx, %eax
	ret

/*
 * Without one: from behind the image, which has to be shadow memory. Such a
 * BIOS (Bochs) does not place ROMs; the user leaves room for the pages behind this one.
 */
tail_alloc:
	lea	rom_image_size + 4095(%ebp), %eax
	and	$~4095, %eax
	push	%eax
#ifdef ROM_MONITOR
	cmp	$BIOS_START - DATA_PAGES * 4096, %eax
	ja	2f
#endif
	call	try_write
2:	pop	%eax
	jz	1f
	xor	%eax, %eax
1:	ret

/* Clears the data pages at EAX and puts the STARTUP code into the first. */
data_fill:
	push	%eax
	mov	%eax, %ebx
	shr	$4, %eax
	mov	%ax, %es
	xor	%di, %di
	xor	%eax, %eax
	mov	$DATA_PAGES * 1024, %cx
	rep stosl
	mov	$ap_stub, %si
	mov	$DATA_STUB, %di
	mov	$ap_stub_size, %cx
	rep movsb
	add	%ebx, %es:ap_stub_gdtr_base
	add	%ebp, %es:ap_stub_entry
	pop	%eax
	ret

/* AL = sum of the words that are written here. */
words_sum:
	mov	$ROM_PHYS, %si
	mov	$ROM_WORDS_END - ROM_PHYS, %cx
	xor	%ah, %ah
1:	lodsb
	add	%al, %ah
	loop	1b
	mov	%ah, %al
	ret
