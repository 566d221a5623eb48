/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Boot code, register harness and interrupt stubs of the conformance guest.
 *
 * Owns: everything that cannot be C.
 * Not here: judgement of what came out (`call.c`).
 * Runs: entered by a multiboot loader; paging on before any C.
 * Fails: without paging hardware a triple fault.
 *
 * Source: Multiboot Specification 0.6.96; SDM volume 3, chapter 4.
 */
#include "guest.h"

#define PHYS(x)		((x) - GUEST_OFFSET)
#define MB_MAGIC	0x1badb002
#define MB_FLAGS	0x00000003
#define PAGES_LARGE	16		/* 64 MiB in 4 MiB pages */

	.section .multiboot, "a"
	.balign	4
	.long	MB_MAGIC, MB_FLAGS, -(MB_MAGIC + MB_FLAGS)

	.section .text
	.code32
	.globl	_start
_start:
	cli
	cld
	mov	$PHYS(boot_stack_top), %esp
	/* "pae" as the last word of the command line selects the page format */
	xor	%edi, %edi
	testl	$4, (%ebx)
	jz	2f
	mov	16(%ebx), %esi
	lea	GUEST_OFFSET(%esi), %eax
	mov	%eax, PHYS(command_line)
1:	mov	(%esi), %eax
	test	%al, %al
	jz	2f
	and	$0xffffff, %eax
	inc	%esi
	cmp	$0x656170, %eax		/* "pae" */
	jne	1b
	inc	%edi
2:	mov	%edi, PHYS(pae)
	mov	%cr4, %edx
	or	$0x90, %edx		/* PSE, PGE */
	test	%edi, %edi
	jnz	3f

	/* 32-bit: low 4 MiB at 0 for now, 64 MiB at GUEST_OFFSET, the window */
	mov	$PHYS(page_dir), %ecx
	movl	$0x087, (%ecx)
	mov	$0x087, %eax
	mov	$PAGES_LARGE, %ebx
	lea	(GUEST_OFFSET >> 22) * 4(%ecx), %esi
4:	mov	%eax, (%esi)
	add	$0x400000, %eax
	add	$4, %esi
	dec	%ebx
	jnz	4b
	movl	$PHYS(window) + 7, (WINDOW >> 22) * 4(%ecx)
	movl	$0xfee00000 + 0x1b, PHYS(window) + 4
	jmp	5f

	/* PAE: the same, directory for the last GiB only, shared with the first */
3:	mov	$PHYS(pdpt), %ecx
	movl	$PHYS(page_dir) + 1, (%ecx)
	movl	$PHYS(page_dir) + 1, 24(%ecx)
	mov	$0x087, %eax
	mov	$PAGES_LARGE * 2, %ebx
	mov	%eax, PHYS(page_dir)
	mov	$PHYS(page_dir) + ((GUEST_OFFSET >> 21) & 511) * 8, %esi
6:	mov	%eax, (%esi)
	movl	$0, 4(%esi)
	add	$0x200000, %eax
	add	$8, %esi
	dec	%ebx
	jnz	6b
	movl	$PHYS(window) + 7, PHYS(page_dir) + ((WINDOW >> 21) & 511) * 8
	movl	$0xfee00000 + 0x1b, PHYS(window) + 8
	or	$0x20, %edx
5:	mov	%edx, %cr4
	mov	%ecx, %cr3
	mov	%cr0, %eax
	or	$0x80010000, %eax	/* PG, WP */
	mov	%eax, %cr0
	mov	$high, %eax
	jmp	*%eax
high:
	/* no identity map from here on */
	movl	$0, page_dir
	movl	$0, pdpt
	mov	%cr3, %eax
	mov	%eax, %cr3
	mov	$boot_stack_top, %esp
	lgdtl	gdt_ptr
	ljmp	$SEL_CODE, $9f
9:	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	$SEL_FS, %eax
	mov	%eax, %fs
	xor	%eax, %eax
	mov	%eax, %gs
	call	main
1:	cli
	hlt
	jmp	1b

/* Loads `in`, calls `invoke_target`, stores `out`. Data through SS. */
	.globl	guest_invoke
guest_invoke:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	pushf
	mov	%esp, saved_esp
	pushl	in + 36			/* 5th argument */
	pushl	in + 32			/* 4th */
	mov	%esp, expected_esp
	mov	in + 48, %fs
	mov	in + 52, %gs
	mov	in + 44, %es
	mov	in + 40, %ds
	mov	%ss:in + 4, %ebx
	mov	%ss:in + 8, %ecx
	mov	%ss:in + 12, %edx
	mov	%ss:in + 16, %esi
	mov	%ss:in + 20, %edi
	mov	%ss:in + 24, %ebp
	mov	%ss:in, %eax
	pushl	%ss:in + 28
	popf
	call	*%ss:invoke_target
	.globl	invoke_return
invoke_return:
	mov	%eax, %ss:out
	mov	%ebx, %ss:out + 4
	mov	%ecx, %ss:out + 8
	mov	%edx, %ss:out + 12
	mov	%esi, %ss:out + 16
	mov	%edi, %ss:out + 20
	mov	%ebp, %ss:out + 24
	pushf
	popl	%ss:out + 28
	mov	%esp, %eax
	sub	%ss:expected_esp, %eax
	mov	%eax, %ss:out + 56
	mov	%ds, %eax
	mov	%eax, %ss:out + 40
	mov	%es, %eax
	mov	%eax, %ss:out + 44
	mov	%fs, %eax
	mov	%eax, %ss:out + 48
	mov	%gs, %eax
	mov	%eax, %ss:out + 52
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	saved_esp, %esp
	popf
	cld
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* EAX = frame. As above, but by a jump with ESP = frame; ends in `int_back`. */
	.globl	guest_jump
guest_jump:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	pushf
	mov	%esp, saved_esp
	mov	%esp, tss + 4		/* esp0 */
	mov	%eax, %esp
	mov	in + 44, %es
	mov	in + 40, %ds
	mov	%ss:in + 4, %ebx
	mov	%ss:in + 8, %ecx
	mov	%ss:in + 12, %edx
	mov	%ss:in + 16, %esi
	mov	%ss:in + 20, %edi
	mov	%ss:in + 24, %ebp
	mov	%ss:in, %eax
	pushl	%ss:in + 28
	popf
	jmp	*%ss:invoke_target

/* What the frames above lead to, in ring 0 and in ring 3. */
	.globl	land_here
land_here:
	int	$VECTOR_BACK
	.globl	land_here_end
land_here_end:

	.globl	int_back
int_back:
	mov	%eax, %ss:out
	mov	%ebx, %ss:out + 4
	mov	%ecx, %ss:out + 8
	mov	%edx, %ss:out + 12
	mov	%esi, %ss:out + 16
	mov	%edi, %ss:out + 20
	mov	%ebp, %ss:out + 24
	mov	%ds, %eax
	mov	%eax, %ss:out + 40
	mov	%es, %eax
	mov	%eax, %ss:out + 44
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	popl	back_eip
	popl	back_cs
	popl	back_eflags
	mov	%esp, back_esp
	testl	$3, back_cs
	jz	1f
	popl	back_esp
1:	mov	saved_esp, %esp
	popf
	cld
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* EAX = function. Returns 0, or 1 after a fault in it. */
	.globl	fault_try
fault_try:
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	pushf
	mov	%esp, fault_esp
	call	*%eax
	xor	%eax, %eax
fault_out:
	movl	$0, fault_esp
	popf
	cld
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret

/* Exception stubs, 16 bytes apart: all have an error code afterwards. */
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
exception_end:

exception:
	push	%eax
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	4(%esp), %eax
	mov	%eax, fault
	mov	8(%esp), %eax
	mov	%eax, fault + 4
	mov	12(%esp), %eax
	mov	%eax, fault + 8
	lea	24(%esp), %eax		/* same ring: ESP at the fault */
	mov	%eax, fault + 12
	mov	%cr2, %eax
	mov	%eax, fault + 16
	mov	fault_esp, %eax
	test	%eax, %eax
	jz	exception_fatal
	mov	%eax, %esp
	mov	$1, %eax
	jmp	fault_out

	.globl	int_irq0, int_lvtt
int_irq0:
	push	%eax
	push	%edx
	rdtsc
	mov	%eax, %ss:irq0_tsc
	mov	%edx, %ss:irq0_tsc + 4
	incl	%ss:irq0_count
	mov	$0x20, %al
	out	%al, $0x20
	pop	%edx
	pop	%eax
	iret

int_lvtt:
	push	%eax
	push	%edx
	rdtsc
	mov	%eax, %ss:lvtt_tsc
	mov	%edx, %ss:lvtt_tsc + 4
	incl	%ss:lvtt_count
	movl	$0, %ss:WINDOW_LAPIC + 0xb0
	pop	%edx
	pop	%eax
	iret

/* Where an AP begins: registers first, then tell the boot CPU. */
	.globl	ap_entry
ap_entry:
	mov	%eax, %ss:ap_out
	mov	%ebx, %ss:ap_out + 4
	mov	%ecx, %ss:ap_out + 8
	mov	%edx, %ss:ap_out + 12
	mov	%esi, %ss:ap_out + 16
	mov	%edi, %ss:ap_out + 20
	mov	%ebp, %ss:ap_out + 24
	mov	%esp, %ss:ap_out + 56
	pushf
	popl	%ss:ap_out + 28
	mov	%ds, %eax
	mov	%eax, %ss:ap_out + 40
	mov	%es, %eax
	mov	%eax, %ss:ap_out + 44
	mov	%fs, %eax
	mov	%eax, %ss:ap_out + 48
	mov	%gs, %eax
	mov	%eax, %ss:ap_out + 52
	call	ap_main
1:	cli
	hlt
	jmp	1b

	.section .data
	.balign	8
gdt_ptr:
	.word	9 * 8 - 1
	.long	gdt
	.globl	gdt
	.balign	8
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff
	.quad	0x00cf93000000ffff
	.quad	0x00cffb000000ffff
	.quad	0x00cff3000000ffff
	.quad	0x00cf93000000ffff	/* FS: base filled in by C */
	.quad	0			/* LDT */
	.quad	0			/* TSS */
	.quad	0x40cf93000000ffff	/* poison: base 0x40000000, unmapped */

	.section .bss
	.globl	in, out, invoke_target, command_line, pae, fault, page_dir, pdpt
	.globl	back_eip, back_cs, back_eflags, back_esp, window, tss, idt, ap_out
	.globl	irq0_count, irq0_tsc, lvtt_count, lvtt_tsc, boot_stack_top
	.balign	4096
page_dir: .skip 4096
window:	.skip	4096
pdpt:	.skip	32
idt:	.skip	256 * 8
tss:	.skip	104
in:	.skip	64
out:	.skip	64
ap_out:	.skip	64
fault:	.skip	20
	.balign	8
irq0_tsc: .skip	8
lvtt_tsc: .skip	8
irq0_count: .skip 4
lvtt_count: .skip 4
invoke_target: .skip 4
saved_esp: .skip 4
expected_esp: .skip 4
fault_esp: .skip 4
command_line: .skip 4
pae:	.skip	4
back_eip: .skip	4
back_cs: .skip	4
back_eflags: .skip 4
back_esp: .skip	4
	.balign	16
	.skip	16384
boot_stack_top:
	.section .note.GNU-stack, "", @progbits
