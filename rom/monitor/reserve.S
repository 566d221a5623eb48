/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Takes the monitor's memory away from everyone else, at BIOS time.
 *
 * Owns: size and place of the block, the words from MON_BASE on in the header.
 * Not here: what loaders get to know (`int15.S`); the first use of the block. The
 * BIOS may still run in it.
 * Runs: once per boot from `bios_init`, in real mode, DS = image; needs about
 * 150 bytes of stack.
 * Fails: one line, MON_BASE and ROM_DATA_DELTA stay 0, and Init refuses.
 *
 * Source: ACPI Specification 6.4, section 15.1 (INT 15h, E820h); POST Memory
 * Manager Specification 1.01, section 3.2.
 */
#include "data.h"

#define MIB			0x100000
#define RAM_MIN_MIB		64
#define SIZE_MIN		(4 * MIB)
#define SIZE_CPU		0x10000
#define CPUS_UNKNOWN		8

#define PMM_ALLOC_HIGH_PERMANENT	0x0a

#define SMAP			0x534d4150
#define E820_ENTRY_SIZE		20
#define E820_CALLS_MAX		128
#define E820_START		0
#define E820_LENGTH		8
#define E820_TYPE		16
#define E820_RAM		1

/* A PMM block comes from the end of RAM, or at most so far below. */
#define PMM_SLACK		(16 * MIB)

	.section .text16, "ax"
	.code16

/* EAX = the data pages, or 0; becomes 0 if the monitor cannot run. */
	.globl	mon_reserve
mon_reserve:
	push	%eax
	push	%ds
	pop	%es
	xor	%eax, %eax
	mov	$ROM_DATA_DELTA, %di
	mov	$(ROM_WORDS_END - ROM_DATA_DELTA) / 4, %cx
	rep stosl
	pop	%eax
	mov	$text_data, %si
	test	%eax, %eax
	jz	mon_say
	push	%eax
	call	ram_scan
	mov	MON_LOW_TOP, %eax
	shr	$20, %eax
	mov	$text_ram, %si
	mov	$MON_LOW_TOP, %di
	cmp	$RAM_MIN_MIB, %eax
	jb	1f
	call	cpus_count
	call	block_size
	call	block_place
	mov	$text_block, %si
	mov	$MON_SIZE, %di
	mov	%eax, MON_BASE
	test	%eax, %eax
	jz	1f
	call	mon_int15_install
	mov	$text_done, %si
	mov	$MON_BASE, %di
	call	mon_log
	pop	%eax
	ret
1:	call	mon_say
	pop	%eax
	xor	%eax, %eax
	ret

/* Asks for all of E820h. Loses all registers but EBP. */
ram_scan:
	push	%ebp
	push	%ss
	pop	%es
	sub	$E820_ENTRY_SIZE, %sp
	mov	%sp, %bp
	xor	%ebx, %ebx
	mov	$E820_CALLS_MAX, %si
1:	mov	$0xe820, %eax
	mov	$SMAP, %edx
	mov	$E820_ENTRY_SIZE, %ecx
	mov	%bp, %di
	int	$0x15
	jc	2f
	cmp	$SMAP, %eax
	jne	2f
	call	ram_entry
	test	%ebx, %ebx
	jz	2f
	dec	%si
	jnz	1b
2:	add	$E820_ENTRY_SIZE, %sp
	pop	%ebp
	mov	MON_LOW_TOP, %eax
	shr	$12, %eax
	jmp	frames_at_least

/*
 * Takes the entry at SS:BP into account. What follows RAM without a gap is RAM,
 * too: the BIOS lists its own part at the end as reserved.
 */
ram_entry:
	mov	E820_START(%bp), %ecx
	mov	%ecx, %eax
	mov	E820_START + 4(%bp), %edx
	add	E820_LENGTH(%bp), %eax
	adc	E820_LENGTH + 4(%bp), %edx	/* EDX:EAX = end */
	cmpl	$E820_RAM, E820_TYPE(%bp)
	jne	1f
	test	%edx, %edx
	jnz	2f
	cmp	MON_LOW_TOP, %eax
	jbe	3f
	mov	%ecx, MON_RAM_START
	mov	%eax, MON_RAM_END
	mov	%eax, MON_LOW_TOP
	ret
1:	test	%edx, %edx
	jnz	3f
	cmp	MON_LOW_TOP, %ecx
	jne	3f
	mov	%eax, MON_LOW_TOP
	ret
2:	shrd	$12, %edx, %eax
frames_at_least:
	cmp	MON_FRAMES, %eax
	jbe	3f
	mov	%eax, MON_FRAMES
3:	ret

cpus_count:
	call	fw_cfg_cpus
	test	%eax, %eax
	jnz	1f
	mov	$CPUS_UNKNOWN, %ax
1:	cmp	$ROM_CPUS, %eax
	jbe	2f
	mov	$ROM_CPUS, %eax
2:	mov	%eax, MON_CPUS
	ret

block_size:
	mov	MON_LOW_TOP, %eax
	xor	%edx, %edx
	mov	$100, %ecx
	div	%ecx
	mov	MON_CPUS, %ecx
	dec	%ecx
	imul	$SIZE_CPU, %ecx
	lea	SIZE_MIN + MIB - 1(%eax, %ecx), %eax
	and	$~(MIB - 1), %eax
	mov	%eax, MON_SIZE
	ret

/*
 * EAX = address of the block, or 0. The BIOS gives it, or we take the end of RAM.
 * Should an initrd come to lie there, we take what is below the initrd: the
 * BIOS cannot be asked for that.
 */
block_place:
	call	fw_cfg_fixed_initrd
	test	%eax, %eax
	jz	1f
	mov	MON_RAM_END, %edx
	sub	MON_SIZE, %edx
	sub	$PMM_SLACK, %edx
	cmp	%edx, %ebx
	ja	2f			/* EAX = start of the initrd */
1:	call	block_alloc
	jnz	5f
	mov	MON_RAM_END, %eax
2:	cmp	MON_RAM_END, %eax
	jbe	3f
	mov	MON_RAM_END, %eax
3:	and	$~4095, %eax
	sub	MON_SIZE, %eax
	jbe	4f
	cmp	MON_RAM_START, %eax
	ja	5f
4:	xor	%eax, %eax
5:	ret

/* ZF = 0 and EAX = a block from the BIOS, or ZF = 1. */
block_alloc:
	call	pmm_find
	jne	1f
	mov	MON_SIZE, %ebx
	add	$4096, %ebx		/* to align it */
	shr	$4, %ebx
	mov	$PMM_ALLOC_HIGH_PERMANENT, %cx
	call	pmm_alloc
	add	$4095, %eax		/* errors, 0 and -1, become 0 */
	and	$~4095, %eax
	ret
1:	xor	%eax, %eax
	ret

text_done:
	.asciz	"vmi-reserve: base 0x# size 0x# frames 0x# top 0x# cpus 0x#\n"
text_data:
	.asciz	"vmi monitor: no room for data below 1 MiB: booting natively\r\n"
text_ram:
	.asciz	"vmi monitor: % MiB of memory, at least 64 MiB needed: booting natively\r\n"
text_block:
	.asciz	"vmi monitor: no free block of % MiB of memory: booting natively\r\n"
