/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot code, attempts, and interrupt entries of the escape guest.
 *
 * Owns: everything that cannot be C.
 * Not here: the machine's tables (`machine.c`).
 * Runs: entered by a multiboot loader; ring 1 after Init, so that a selector that
 * reaches SS carries the ring of CS.
 * Fails: a fault outside of an attempt ends in fault_unexpected().
 *
 * Source: Multiboot Specification 0.6.96; SDM volume 3, chapters 4 and 6.
 */
#include "escape.h"

#define PHYS(x)		((x) - KERNEL)
#define MB_MAGIC	0x1badb002
#define MB_FLAGS	3
#define MSR_EFER	0xc0000080
#define WORD_PAE	0x65617020	/* " pae" */

	.section .multiboot, "a"
	.balign	4
	.long	MB_MAGIC, MB_FLAGS, -(MB_MAGIC + MB_FLAGS)

	.section .text
	.code32
	.globl	_start
_start:
	cli
	cld
	mov	$PHYS(stack_top), %esp
	xor	%edi, %edi
	testl	$4, (%ebx)
	jz	2f
	mov	16(%ebx), %esi
	lea	KERNEL(%esi), %eax
	mov	%eax, PHYS(command_line)
1:	cmpb	$0, (%esi)
	je	2f
	cmpl	$WORD_PAE, (%esi)
	lea	1(%esi), %esi
	jne	1b
	inc	%edi
2:	mov	%edi, PHYS(pae)
	test	%edi, %edi
	jnz	3f

	/* 32-bit: the first 4 MiB at 0 for now, KERNEL_SIZE at KERNEL, the window */
	mov	$PHYS(page_dir), %ecx
	mov	$0x87, %eax
	mov	%eax, (%ecx)
	lea	(KERNEL >> 22) * 4(%ecx), %esi
1:	mov	%eax, (%esi)
	add	$0x400000, %eax
	add	$4, %esi
	cmp	$KERNEL_SIZE, %eax
	jb	1b
	movl	$PHYS(window_table) + 7, (WINDOW >> 22) * 4(%ecx)
	mov	$0x90, %edx		/* PSE, PGE */
	jmp	4f

	/* PAE: one directory for the last GiB, at first also for the first */
3:	mov	$PHYS(pdpt), %ecx
	movl	$PHYS(page_dir) + 1, (%ecx)
	movl	$PHYS(page_dir) + 1, 24(%ecx)
	mov	$0x87, %eax
	mov	$PHYS(page_dir), %esi
1:	mov	%eax, (%esi)
	movl	$0, 4(%esi)
	add	$0x200000, %eax
	add	$8, %esi
	cmp	$KERNEL_SIZE, %eax
	jb	1b
	movl	$PHYS(window_table) + 7, PHYS(page_dir) + ((WINDOW >> 21) & 511) * 8
	call	no_execute
	mov	$0xb0, %edx		/* PSE, PGE, PAE */
4:	mov	%edx, %cr4
	mov	%ecx, %cr3
	mov	%cr0, %eax
	or	$0x80010000, %eax	/* PG, WP */
	mov	%eax, %cr0
	mov	$high, %eax
	jmp	*%eax

/* EFER.NXE, where there is one. Keeps ECX. */
no_execute:
	push	%ecx
	mov	$0x80000000, %eax
	cpuid
	cmp	$0x80000001, %eax
	jb	1f
	mov	$0x80000001, %eax
	cpuid
	bt	$20, %edx
	jnc	1f
	mov	$MSR_EFER, %ecx
	rdmsr
	bts	$11, %eax
	wrmsr
1:	pop	%ecx
	ret

high:	/* no identity map from here on */
	mov	$stack_top, %esp
	movl	$0, pdpt
	cmpl	$0, pae
	jne	1f
	movl	$0, page_dir
1:	mov	%cr3, %eax
	mov	%eax, %cr3
	lgdtl	gdt_ptr
	ljmp	$SEL_CODE, $2f
2:	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %fs
	mov	%eax, %gs
	mov	%eax, %ss
	call	main
1:	cli
	hlt
	jmp	1b

/* EAX = struct invoke: one call with all its registers. */
	.globl	invoke
invoke:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	mov	%eax, %ebp
	pushl	32(%ebp)		/* 5th argument */
	pushl	28(%ebp)		/* 4th */
	mov	4(%ebp), %eax
	mov	8(%ebp), %edx
	mov	12(%ebp), %ecx
	mov	16(%ebp), %ebx
	mov	20(%ebp), %esi
	mov	24(%ebp), %edi
	call	*0(%ebp)
	mov	%eax, 4(%ebp)
	mov	%edx, 8(%ebp)
	mov	%ecx, 12(%ebp)
	mov	%ebx, 16(%ebp)
	mov	%esi, 20(%ebp)
	mov	%edi, 24(%ebp)
	add	$8, %esp
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* EAX = function: run it; 0, or the vector of its fault + 1. */
	.globl	attempt
attempt:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	mov	%esp, attempt_esp
	call	*%eax
	xor	%eax, %eax
attempt_out:
	movl	$0, attempt_esp
	cld
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* The same in ring 3, on a stack of its own; DS and ES stay flat. */
	.globl	attempt_user
attempt_user:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	mov	%esp, attempt_esp
	mov	$user_stack_top - 4, %ecx
	movl	$user_back, (%ecx)
	pushl	$SEL_UDATA
	push	%ecx
	pushl	$2
	pushl	$SEL_UCODE
	push	%eax
	mov	$SEL_UDATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	xor	%eax, %eax
	mov	%eax, %fs
	mov	%eax, %gs
	iret

	.globl	user_back, int_back
user_back:
	int	$VECTOR_BACK
int_back:
	xor	%eax, %eax
	jmp	recover

/* EAX = result, stack and segments are anything: back to attempt()'s caller. */
recover:
	mov	%cs, %ecx
	and	$3, %ecx
	or	$SEL_DATA, %ecx
	mov	%ecx, %ss
	mov	%ss:attempt_esp, %esp
	mov	%ecx, %ds
	mov	%ecx, %es
	mov	%ecx, %fs
	mov	%ecx, %gs
	pushl	$2
	popf
	jmp	attempt_out

/* Exceptions, 16 bytes apart: all have an error code afterwards. */
	.globl	exception_stubs
	.balign	16
exception_stubs:
	.set	vector, 0
	.rept	32
	.balign	16
	.if	vector != 8 && vector != 10 && vector != 11 && vector != 12 && vector != 13 && vector != 14 && vector != 17
	push	$0
	.endif
	push	$vector
	jmp	exception
	.set	vector, vector + 1
	.endr

exception:
	push	%eax
	mov	%cs, %eax
	and	$3, %eax
	or	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	4(%esp), %eax
	mov	%eax, fault
	mov	8(%esp), %eax
	mov	%eax, fault + 4
	mov	12(%esp), %eax
	mov	%eax, fault + 8
	mov	16(%esp), %eax
	mov	%eax, fault + 12
	mov	20(%esp), %eax
	mov	%eax, fault + 16
	mov	%cr2, %eax
	mov	%eax, fault + 20
	cmpl	$0, attempt_esp
	je	fault_unexpected
	mov	fault, %eax
	inc	%eax
	jmp	recover

/* Where the other CPU begins, on a stack of its own. */
	.globl	race_begin
race_begin:
	mov	$other_stack_top, %esp
	call	race_other
1:	jmp	1b

/* Interrupts: count, tell the controller, return by call 33. */
	.globl	int_irq0, int_irq_other, int_apic
int_irq0:
	push	%eax
	incl	%ss:ticks
	mov	$0x20, %al
	out	%al, $0x20
	pop	%eax
	call	*%ss:iret_target

int_irq_other:
	push	%eax
	mov	$0x20, %al
	out	%al, $0xa0
	out	%al, $0x20
	pop	%eax
	call	*%ss:iret_target

int_apic:
	incl	%ss:apic_ticks
	pusha
	mov	$0xb0, %eax		/* EOI */
	xor	%edx, %edx
	call	*%ss:apic_write_target
	popa
	call	*%ss:iret_target

/* What do_jump() and frames of a case lead to: a mark, then back. */
	.globl	land, land_user, land_cs, land_cli
land_cli:
	cli
	int	$VECTOR_BACK
land_cs:
	mov	%cs, %eax
	mov	%eax, %ss:landed_cs
	call	1f			/* some stack there has to be */
1:	xor	%eax, %eax
	jmp	recover
land:
	incl	%ss:landed
	xor	%eax, %eax
	jmp	recover
land_user:
	incl	%ss:landed
	int	$VECTOR_BACK

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
	.fill	GDT_ENTRIES - 5, 8, 0

	.section .bss
	.globl	command_line, pae, fault, page_dir, pdpt, window_table, idt, tss, ldt
	.globl	ticks, apic_ticks, apic_write_target, iret_target, landed, landed_cs, stack_top, attempt_esp
	.globl	kernel_stack_top, user_stack_top, table_page, user_page, big_area
	.balign	4096
page_dir: .skip	4096
pdpt:	.skip	4096
window_table: .skip 4096
table_page: .skip 4096
user_page: .skip 4096
ldt:	.skip	8192
idt:	.skip	256 * 8
tss:	.skip	104
fault:	.skip	24
ticks:	.skip	4
apic_ticks: .skip 4
apic_write_target: .skip	4
iret_target: .skip 4
landed:	.skip	4
attempt_esp: .skip 4
command_line: .skip 4
landed_cs: .skip 4
pae:	.skip	4
	.balign	4096
	.skip	4096
kernel_stack_top:
	.skip	4096
user_stack_top:
	.skip	4096
other_stack_top:
	.skip	16384
stack_top:
	.section .note.GNU-stack, "", @progbits
