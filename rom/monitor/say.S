/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One line at BIOS time: to the user, or to the debug port only.
 *
 * Owns: texts with numbers in them; INT 10h, COM1, port E9h.
 * Not here: the texts.
 * Runs: in real mode, DS = image.
 * Fails: a port that takes no character within a bounded time goes without.
 *
 * In a text, '%' is the next word of the values in MiB, '#' in hexadecimal.
 *
 * Source: National Semiconductor PC16550D data sheet, section 8.4 (LSR).
 */
	.section .text16, "ax"
	.code16

#define DEBUG_PORT		0xe9
#define COM1_DATA		0x3f8
#define COM1_LSR		0x3fd
#define LSR_THR_EMPTY		0x20

/* SI = text, DI = its values. To screen, serial and debug port; loses nothing. */
	.globl	mon_say
mon_say:
	pushal
	mov	$say_user, %bp
	jmp	say_text

/* The same, to the debug port only. */
	.globl	mon_log
mon_log:
	pushal
	mov	$say_debug, %bp
say_text:
	lodsb
	test	%al, %al
	jz	3f
	mov	$10, %ebx
	cmp	$'%', %al
	je	1f
	mov	$16, %bx
	cmp	$'#', %al
	je	1f
	call	*%bp
	jmp	say_text
1:	mov	(%di), %eax
	add	$4, %di
	cmp	$10, %bx
	jne	2f
	shr	$20, %eax
2:	call	say_number
	jmp	say_text
3:	popal
	ret

/* EAX to the base EBX. Loses EAX, CX, EDX. */
say_number:
	xor	%cx, %cx
1:	xor	%edx, %edx
	div	%ebx
	push	%dx
	inc	%cx
	test	%eax, %eax
	jnz	1b
2:	pop	%ax
	cmp	$10, %al
	jb	3f
	add	$'a' - 10 - '0', %al
3:	add	$'0', %al
	call	*%bp
	loop	2b
	ret

say_debug:
	outb	%al, $DEBUG_PORT
	ret

/* AL. Keeps all registers: an old INT 10h loses BP when it scrolls. */
say_user:
	outb	%al, $DEBUG_PORT
	pushaw
	push	%ax
	mov	$0x0e, %ah
	mov	$0x0007, %bx
	int	$0x10
	mov	$COM1_LSR, %dx
	mov	$0xffff, %cx
1:	inb	%dx, %al
	test	$LSR_THR_EMPTY, %al
	loopz	1b
	pop	%ax
	jz	2f
	mov	$COM1_DATA, %dx
	outb	%al, %dx
2:	popaw
	ret
