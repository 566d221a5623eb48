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

/*
 * SI = text, DI = its values. To debug port, serial port and screen, one after
 * the other: a BIOS may copy its screen to that serial port, with a delay.
 * Keeps all registers.
 */
	.globl	mon_say
mon_say:
	call	mon_log
	pushal
	mov	$say_serial, %bp
	call	say_text
	popal
	pushal
	mov	$say_screen, %bp
	call	say_text
	popal
	ret

/* The same, to the debug port only. */
	.globl	mon_log
mon_log:
	pushal
	mov	$say_debug, %bp
	call	say_text
	popal
	ret

/* BP = where a character goes. Loses all registers but BP. */
say_text:
	lodsb
	test	%al, %al
	jz	4f
	cmp	$'%', %al
	je	1f
	cmp	$'#', %al
	je	2f
	call	*%bp
	jmp	say_text
1:	mov	(%di), %eax
	shr	$20, %eax
	mov	$10, %ebx
	jmp	3f
2:	mov	(%di), %eax
	mov	$16, %ebx
3:	add	$4, %di
	call	say_number
	jmp	say_text
4:	ret

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

/* Each prints AL and keeps all registers. */
say_debug:
	outb	%al, $DEBUG_PORT
	ret

/* An old INT 10h loses BP when it scrolls. */
say_screen:
	pushaw
	mov	$0x0e, %ah
	mov	$0x0007, %bx
	int	$0x10
	popaw
	ret

say_serial:
	pushaw
	push	%ax
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
