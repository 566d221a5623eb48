/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A boot sector that tells what INT 15h says of memory.
 *
 * Owns: the calls, with poisoned registers, and what is printed on port E9h: a
 * line `call` per call with EDI ESI EBP ESP EBX EDX ECX EAX and ES:FLAGS after
 * it, and a line `entry` per E820h entry, with its five words.
 * Not here: what is right (`probe.py`).
 * Runs: in real mode, twice: after the first time it resets the machine, since a
 * ROM has to do its work on every boot. A byte in CMOS tells the passes apart.
 * Fails: a BIOS that never returns hangs it; the runner has a time limit.
 */
#define DEBUG_PORT	0xe9
#define CMOS_PASS	0x70		/* neither BIOS nor emulator uses it */
#define SMAP		0x534d4150
#define BUFFER		0x1000		/* segment */
#define ENTRIES_MAX	64
#define FLAGS_IF_CF	0x0203
#define FLAGS_ZF	0x0042

	.code16
	.globl	_start
_start:
	ljmp	$0, $1f
1:	xor	%ax, %ax
	mov	%ax, %ds
	mov	%ax, %ss
	mov	$0x7c00, %sp
	cld
	mov	$text_pass, %si
	call	print
	mov	$table, %si
1:	call	one_call
	cmp	$table_end, %si
	jb	1b

	/* E820h to its end, IF = 1 as loaders have it */
	xor	%ebx, %ebx
	mov	$ENTRIES_MAX, %cx
2:	push	%cx
	mov	$0xa5a5e820, %eax
	mov	$SMAP, %edx
	mov	$24, %ecx
	mov	$0x123, %edi
	sti
	call	call_and_dump
	push	%ebx
	pushfw
	mov	$text_entry, %si
	call	print
	mov	$5, %cx
3:	mov	%es:(%di), %eax
	add	$4, %di
	call	print_hex
	loop	3b
	popfw
	pop	%ebx
	pop	%cx
	jc	4f
	test	%ebx, %ebx
	loopnz	2b

4:	mov	$text_end, %si
	call	print
	mov	$CMOS_PASS, %al
	outb	%al, $0x70
	inb	$0x71, %al
	cmp	$0xa5, %al
	je	5f
	mov	$0xa5, %al
	outb	%al, $0x71
	mov	$0xcf9, %dx		/* reset of all devices */
	mov	$0x02, %al
	outb	%al, %dx
	mov	$0x06, %al
	outb	%al, %dx
	jmp	6f
5:	mov	$0x10, %al		/* QEMU: isa-debug-exit */
	outb	%al, $0xf4
	mov	$0x8900, %dx		/* Bochs */
	mov	$text_shutdown, %si
	mov	$8, %cx
	rep outsb
6:	cli
	hlt
	jmp	6b

/* One entry of the table at SI, which is advanced. */
one_call:
	lodsl
	mov	%eax, %ebx
	lodsw
	push	%ax
	popfw
	push	%si
	mov	%ebx, %eax
	mov	$0x1234b00b, %ebx
	mov	$0x5678cccc, %ecx
	mov	$0x9abcdddd, %edx
	mov	$0xdef00456, %edi
	call	call_and_dump
	pop	%si
	ret

/* Keeps all that the call returns but ESI and EBP. */
call_and_dump:
	pushfw
	pushw	$BUFFER
	pop	%es
	popfw
	mov	$0x13575555, %esi
	mov	$0x24686666, %ebp
	int	$0x15
	pushfw
	pushal
	mov	$text_call, %si
	call	print
	mov	%sp, %bp
	mov	$8, %cx
1:	mov	(%bp), %eax
	add	$4, %bp
	call	print_hex
	loop	1b
	mov	%es, %ax
	shl	$16, %eax
	mov	(%bp), %ax
	call	print_hex
	popal
	popfw
	ret

print_hex:
	push	%cx
	mov	$' ', %cl
	xchg	%al, %cl
	outb	%al, $DEBUG_PORT
	mov	%cl, %al
	mov	$8, %cx
1:	rol	$4, %eax
	push	%ax
	and	$0x0f, %al
	cmp	$10, %al
	sbb	$0x69, %al
	das
	outb	%al, $DEBUG_PORT
	pop	%ax
	loop	1b
	pop	%cx
	ret

print:
	lodsb
	test	%al, %al
	jz	1f
	outb	%al, $DEBUG_PORT
	jmp	print
1:	ret

/* EAX and FLAGS */
table:
	.long	0x7002e801
	.word	FLAGS_IF_CF
	.long	0xe801
	.word	FLAGS_ZF
	.long	0xbeef88a5
	.word	FLAGS_IF_CF
	.long	0x8800
	.word	FLAGS_ZF
	.long	0x0000c000		/* others pass: system configuration, */
	.word	FLAGS_ZF
	.long	0x00007f00		/* no such function, */
	.word	FLAGS_ZF
	.long	0x0001e820		/* no signature */
	.word	FLAGS_IF_CF
table_end:
text_pass:
	.asciz	"\npass"
text_call:
	.asciz	"\ncall"
text_entry:
	.asciz	"\nentry"
text_end:
	.asciz	"\nend\n"
text_shutdown:
	.ascii	"Shutdown"
	.org	510
	.word	0xaa55
