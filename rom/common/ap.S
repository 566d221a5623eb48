/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The way of an application processor from STARTUP into the guest.
 *
 * Owns: the code from real mode at the data page to the guest's first
 * instruction.
 * Not here: storing the state and building the page directory (`apstate.c`).
 * Runs: on an AP, IF=0 all along; on several APs at once.
 * Fails: a CPU without a stored state halts, as the ABI says.
 *
 * Paging must be switched on while EIP is a physical address, and the guest's
 * tables map the ROM at its linear address only. So a page directory in our
 * data maps the first megabytes at both; we go over to the linear address on it
 * and only then load the guest's CR3.
 *
 * Source: VMI specification 2.0, SetInitialAPState; SDM volume 3, sections 8.4
 * (MP initialization), 9.9 (mode switching), 4.4 (PAE paging).
 */
#include "data.h"

#define CR0_PE		0x00000001
#define CR0_PG		0x80000000
#define CR4_PSE		0x00000010
#define CR4_PAE		0x00000020
#define MSR_EFER	0xc0000080
#define EFER_LONG	0x00000500	/* LME, LMA: not for a 32-bit guest */
#define EFLAGS_FIXED	0x00000002

#define SEL_CODE	0x08
#define SEL_DATA	0x10

/* Offsets in struct vmi_ap_state. */
#define ST_CR0		0
#define ST_CR2		4
#define ST_CR3		8
#define ST_CR4		12
#define ST_EFER		16
#define ST_EIP		24
#define ST_EFLAGS	28
#define ST_EAX		32
#define ST_EBX		36
#define ST_ECX		40
#define ST_EDX		44
#define ST_ESP		48
#define ST_EBP		52
#define ST_ESI		56
#define ST_EDI		60
#define ST_CS		64
#define ST_SS		66
#define ST_DS		68
#define ST_ES		70
#define ST_FS		72
#define ST_GS		74
#define ST_LDTR		76
#define ST_GDTR		78

/* Copied to offset 0 of the data page, where CS:0 is. */
	.section .text16, "ax"
	.code16
	.globl	ap_stub, ap_stub_size, ap_stub_gdtr_base, ap_stub_entry
ap_stub:
	cli
	cld
	mov	%cs, %ax
	mov	%ax, %ds
	lgdtl	stub_gdtr - ap_stub
	mov	%cr0, %eax
	or	$CR0_PE, %al
	mov	%cs, %bp
	movzwl	%bp, %ebp
	shl	$4, %ebp
	mov	stub_entry - ap_stub, %esi
	mov	%eax, %cr0
	ljmpl	*(stub_entry - ap_stub)
	.balign	4
stub_entry:
	.long	ap_start		/* offset; + the image's address */
	.word	SEL_CODE
stub_gdtr:
	.word	stub_gdt_end - stub_gdt - 1
stub_gdtr_base:
	.long	stub_gdt - ap_stub	/* + the page's address */
	.balign	8
stub_gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* flat, accessed already */
	.quad	0x00cf93000000ffff
stub_gdt_end:
	.set	ap_stub_size, . - ap_stub
	.set	ap_stub_entry, stub_entry - ap_stub
	.set	ap_stub_gdtr_base, stub_gdtr_base - ap_stub

	.section .text, "ax"
	.code32
/* Physical addresses, no stack. ESI = this address, EBP = the data's. */
ap_start:
	mov	$SEL_DATA, %ax
	mov	%ax, %ds
	mov	%ax, %es
	mov	%ax, %ss
	mov	$1, %eax
	cpuid
	shr	$24, %ebx		/* initial local APIC id */
	cmp	$ROM_CPUS, %ebx
	jae	ap_halt
	imul	$AP_SIZE, %ebx
	lea	DATA_APS(%ebp, %ebx), %ebx
	xor	%eax, %eax
	xchg	%ax, AP_READY(%ebx)
	test	%ax, %ax
	jz	ap_halt

	/* The temporary tables, of the kind that the guest uses. */
	lea	DATA_TABLE(%ebp), %ecx
	mov	ST_CR4(%ebx), %eax
	and	$CR4_PAE, %eax
	jz	1f
	lea	DATA_PDPT(%ebp), %ecx
1:	or	$CR4_PSE, %eax
	mov	%eax, %cr4
	mov	%ecx, %cr3
	mov	ST_EFER(%ebx), %eax
	mov	ST_EFER + 4(%ebx), %edx
	and	$~EFER_LONG, %eax
	mov	%eax, %ecx
	or	%edx, %ecx
	jz	2f			/* the register need not exist */
	mov	$MSR_EFER, %ecx
	wrmsr
2:	mov	%cr0, %eax
	or	$CR0_PG, %eax
	mov	%eax, %cr0
	mov	VARS_LINEAR_OFFSET(%ebp), %edi
	lea	ap_linear - ap_start(%esi, %edi), %ecx
	jmp	*%ecx

ap_halt:
	cli
	hlt
	jmp	ap_halt

/* Linear addresses. EBX becomes the state's; then the guest's tables. */
ap_linear:
	add	%edi, %ebx
	mov	ST_CR3(%ebx), %eax
	mov	%eax, %cr3
	mov	ST_CR4(%ebx), %eax
	mov	%eax, %cr4
	mov	ST_CR0(%ebx), %eax
	mov	%eax, %cr0
	mov	ST_CR2(%ebx), %eax
	mov	%eax, %cr2
	lgdtl	ST_GDTR(%ebx)
	lidtl	AP_IDTR(%ebx)
	lldt	ST_LDTR(%ebx)
	mov	ST_ES(%ebx), %es
	mov	ST_FS(%ebx), %fs
	mov	ST_GS(%ebx), %gs
	mov	ST_SS(%ebx), %ss
	mov	ST_ESP(%ebx), %esp

	mov	ST_EFLAGS(%ebx), %eax
	or	$EFLAGS_FIXED, %eax
	push	%eax
	movzwl	ST_CS(%ebx), %eax
	push	%eax
	pushl	ST_EIP(%ebx)
	mov	ST_EAX(%ebx), %eax
	mov	ST_ECX(%ebx), %ecx
	mov	ST_EDX(%ebx), %edx
	mov	ST_EBP(%ebx), %ebp
	mov	ST_ESI(%ebx), %esi
	mov	ST_EDI(%ebx), %edi
	mov	ST_DS(%ebx), %ds
	mov	%ss:ST_EBX(%ebx), %ebx
	iret
