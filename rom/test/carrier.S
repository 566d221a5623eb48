/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A valid option ROM that puts other images where no BIOS would.
 *
 * Owns: copying payloads to 2 KiB steps of option-ROM space, and calling the
 * BIOS part of each.
 * Not here: the payloads and the table (`mkbad.py` appends them).
 * Runs: once per boot, in real mode, from the BIOS; shadow memory is writable.
 * Fails: a payload that does not read back is named on port 0xE9.
 *
 * Table: u16 count, then per payload u16 segment to copy to, u16 own offset in
 * paragraphs, u16 length in bytes, u16 not 0 = call it at offset 3.
 */
#define ENTRY_SIZE	8
#define ENTRY_SEGMENT	0
#define ENTRY_SOURCE	2
#define ENTRY_LENGTH	4
#define ENTRY_CALL	6
#define DEBUG_PORT	0xe9

	.section .header, "ax"
	.code16
	.globl	rom_start, carrier_table
rom_start:
	.word	0xaa55
length:	.byte	0			/* mkbad.py */
	jmp	carrier_init
	.org	0x18
	.word	0, pnp
pnp:
	.ascii	"$PnP"
	.byte	1, 2
	.word	0
	.byte	0, 0			/* checksum: mkbad.py */
	.long	0
	.word	0, name
	.byte	0x00, 0x80, 0x05, 0
	.word	0, 0, 0, 0, 0
fix:	.byte	0
name:
	.asciz	"carrier"

carrier_init:
	pushfl
	pushal
	push	%ds
	push	%es
	cld
	push	%cs
	pop	%ds
	mov	$carrier_table, %bx
	mov	(%bx), %bp
	add	$2, %bx
1:	test	%bp, %bp
	jz	4f
	call	copy
	jne	3f
	cmpw	$0, ENTRY_CALL(%bx)
	je	2f
	pushw	$3
	pop	%ax
	pushal
	push	%ds
	push	%cs			/* far return to label 5 */
	push	$5f
	push	ENTRY_SEGMENT(%bx)
	push	%ax
	lret
5:	pop	%ds
	popal
2:	add	$ENTRY_SIZE, %bx
	dec	%bp
	jmp	1b
3:	call	complain
	jmp	2b
4:	call	claim
	pop	%es
	pop	%ds
	popal
	popfl
	lret

/* Copies the payload of entry BX; ZF = 1 if it reads back. */
copy:
	push	%ds
	mov	ENTRY_SEGMENT(%bx), %es
	mov	ENTRY_LENGTH(%bx), %dx
	mov	%cs, %ax
	add	ENTRY_SOURCE(%bx), %ax
	mov	%ax, %ds
	xor	%si, %si
	xor	%di, %di
	mov	%dx, %cx
	rep movsb
	xor	%si, %si
	xor	%di, %di
	mov	%dx, %cx
	repe cmpsb
	pop	%ds
	ret

/*
 * SeaBIOS clears what no ROM owns before it boots, but reads the length again
 * first: the carrier grows over all payloads. The byte at `fix` keeps its sum 0.
 */
claim:
	mov	$carrier_table, %bx
	mov	(%bx), %bp
	add	$2, %bx
	movzbw	length, %dx
1:	test	%bp, %bp
	jz	2f
	mov	%cs, %ax
	neg	%ax
	add	ENTRY_SEGMENT(%bx), %ax
	mov	ENTRY_LENGTH(%bx), %cx
	shr	$4, %cx
	add	%cx, %ax
	add	$31, %ax
	shr	$5, %ax			/* units of 512 bytes */
	add	$ENTRY_SIZE, %bx
	dec	%bp
	cmp	%dx, %ax
	jbe	1b
	mov	%ax, %dx
	jmp	1b
2:	mov	%dl, length
	xor	%ah, %ah		/* sum, one unit at a time */
	push	%ds
3:	xor	%si, %si
	mov	$512, %cx
4:	lodsb
	add	%al, %ah
	loop	4b
	mov	%ds, %cx
	add	$512 / 16, %cx
	mov	%cx, %ds
	dec	%dx
	jnz	3b
	pop	%ds
	sub	%ah, fix
	ret

complain:
	mov	$message, %si
1:	lodsb
	test	%al, %al
	jz	2f
	out	%al, $DEBUG_PORT
	jmp	1b
2:	ret

message:
	.asciz	"carrier: cannot write option-ROM space, payload left out\n"
	.balign	2
carrier_table:
	.word	0			/* mkbad.py makes room for entries */
