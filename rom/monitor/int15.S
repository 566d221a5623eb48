/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The monitor's INT 15h: what loaders and kernels get to know of memory.
 *
 * Owns: the answers to E820h, E801h and 88h, and the vector.
 * Not here: where the block is (`reserve.S`).
 * Runs: in real mode until the guest leaves it, on any stack; the image is
 * read-only by then, so all constants are in its header, behind CS.
 * Fails: as the BIOS behind it does.
 *
 * A block that the BIOS itself lists as reserved lies in no RAM entry, so the
 * answers to E820h then pass unchanged. Otherwise the entry around it is told in
 * up to three pieces. The block is told as reserved, not left out: kernels give
 * addresses that nobody lists to devices.
 *
 * Source: ACPI Specification 6.4, section 15.1 (INT 15h, E820h); Ralf Brown's
 * Interrupt List, INT 15/AX=E801h and INT 15/AH=88h.
 */
#include "data.h"

#define E820_START		0
#define E820_LENGTH		8
#define E820_TYPE		16
#define E820_RAM		1
#define E820_RESERVED		2

#define IVT_INT15		(0x15 * 4)
#define MIB			0x100000

	.section .text16, "ax"
	.code16

/* Puts ourselves into the vector. DS = image. Loses EAX, EBX. */
	.globl	mon_int15_install
mon_int15_install:
	mov	MON_BASE, %ebx
	mov	%ebx, %eax
	sub	$16 * MIB, %eax
	shr	$16, %eax
	mov	%ax, MON_E801_MAX
	mov	%ebx, %eax
	sub	$MIB, %eax
	shr	$10, %eax
	cmp	$0xffff, %eax
	jbe	1f
	mov	$0xffff, %ax
1:	mov	%ax, MON_88_MAX
	push	%es
	pushw	$0
	pop	%es
	mov	%es:IVT_INT15, %eax
	mov	%eax, MON_INT15_NEXT
	mov	%cs, %ax
	shl	$16, %eax
	mov	$mon_int15, %ax
	mov	%eax, %es:IVT_INT15
	pop	%es
	ret

/*
 * Callers leave anything in the upper half of EAX. The BIOS gets its caller's
 * flags, and what it makes of them is returned.
 */
mon_int15:
	cmp	$0xe820, %ax
	je	int15_e820
	cmp	$0xe801, %ax
	je	int15_e801
	cmp	$0x88, %ah
	je	int15_88
	ljmp	*%cs:MON_INT15_NEXT

#define FRAME_FLAGS		6(%bp)	/* BP, IP, CS, FLAGS */

.macro CALL_NEXT
	pushw	FRAME_FLAGS
	lcall	*%cs:MON_INT15_NEXT
	pushfw
	popw	FRAME_FLAGS
.endm

/* BX and DX = 64 KiB units above 16 MiB. */
int15_e801:
	push	%bp
	mov	%sp, %bp
	CALL_NEXT
	jc	int15_return
	cmp	%cs:MON_E801_MAX, %bx
	jbe	1f
	mov	%cs:MON_E801_MAX, %bx
1:	cmp	%cs:MON_E801_MAX, %dx
	jbe	int15_return
	mov	%cs:MON_E801_MAX, %dx
int15_return:
	pop	%bp
	iretw

/* AX = KiB above 1 MiB. */
int15_88:
	push	%bp
	mov	%sp, %bp
	CALL_NEXT
	jc	int15_return
	cmp	%cs:MON_88_MAX, %ax
	jbe	int15_return
	mov	%cs:MON_88_MAX, %ax
	jmp	int15_return

#define ASKED			-4(%bp)	/* EBX of the caller */
#define ASKED_PIECE		-2(%bp)	/* its upper half: ours, 0 to 2 */

/* ES:DI = entry, EBX = which; the BIOS counts in BX, we in the upper half. */
int15_e820:
	push	%bp
	mov	%sp, %bp
	push	%ebx
	movzwl	%bx, %ebx
	CALL_NEXT
	jc	3f
	push	%eax
	push	%ecx
	push	%edx
	call	entry_around_block
	jc	1f
	call	entry_cut
1:	pop	%edx
	pop	%ecx
	pop	%eax
2:	mov	%bp, %sp
	jmp	int15_return
3:	pop	%ebx			/* a failing call changes nothing */
	jmp	int15_return

/*
 * CF = 0 if the block is in the RAM entry at ES:DI; then ECX to EDX is the
 * block, EAX the end of the entry.
 */
entry_around_block:
	cmpl	$E820_RAM, %es:E820_TYPE(%di)
	jne	1f
	mov	%es:E820_START + 4(%di), %eax
	or	%es:E820_LENGTH + 4(%di), %eax
	jnz	1f
	mov	%cs:MON_BASE, %ecx
	mov	%ecx, %edx
	add	%cs:MON_SIZE, %edx
	mov	%es:E820_START(%di), %eax
	cmp	%eax, %ecx
	jb	2f			/* CF = 1 */
	add	%es:E820_LENGTH(%di), %eax
	jc	2f
	cmp	%edx, %eax
	ret
1:	stc
2:	ret

/* Makes the entry the piece that was asked for, and EBX that of the next one. */
entry_cut:
	cmpw	$1, ASKED_PIECE
	ja	3f
	je	2f
	mov	%ecx, %edx		/* below: ends where the block starts */
	mov	%es:E820_START(%di), %ecx
	jmp	4f
2:	movl	$E820_RESERVED, %es:E820_TYPE(%di)
	cmp	%edx, %eax
	jne	4f
	jmp	5f			/* nothing above: the BIOS's next */
3:	mov	%edx, %ecx		/* above */
	mov	%eax, %edx
	jmp	5f
4:	mov	ASKED, %ebx
	add	$0x10000, %ebx
5:	mov	%ecx, %es:E820_START(%di)
	sub	%ecx, %edx
	mov	%edx, %es:E820_LENGTH(%di)
	ret
