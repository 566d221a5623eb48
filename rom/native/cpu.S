/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls 0 to 10 and 14 to 28: CPU state, each the bare instruction.
 *
 * Owns: CPUID, MSRs, table registers, control and debug registers, TSC.
 * Not here: entries of tables (`mmu.S`), interrupts (`irq.S`).
 * Runs: at the guest's ring, which is 0, with flat segments.
 * Fails: as the instruction does; the fault's EIP is in the ROM.
 *
 * Registers: the convention class in `asm/vmi.h`, arguments beside each entry.
 * Source: VMI specification 2.0, processor state calls; SDM volume 2.
 */
#include "entry.inc"

	.section .text, "ax"
	.code32

VMI_ENTRY CPUID ANSWER_CALL		/* EAX, ECX -> EAX EBX ECX EDX */
	cpuid
	RET_FLAGS

VMI_ENTRY WRMSR ANSWER_CALL		/* ECX, EDX:EAX */
	wrmsr
	RET_STD

VMI_ENTRY RDMSR ANSWER_CALL		/* ECX -> EDX:EAX */
	rdmsr
	RET_STD_EDX_EAX

/*
 * The table calls reload the segment registers, as a hypervisor has to. A
 * selector that the new table does not know keeps its value and its cache:
 * guests exchange the LDT while GS still is that of the task before.
 */
.macro RELOAD_DATA sreg:req
	mov	\sreg, %ecx
	verr	%cx
	jnz	.Lskip\@
	mov	%ecx, \sreg
.Lskip\@:
.endm

reload_data:
	RELOAD_DATA %ds
	RELOAD_DATA %es
	RELOAD_DATA %fs
	RELOAD_DATA %gs
	mov	%ss, %ecx
	verw	%cx
	jnz	1f
	mov	%ecx, %ss
1:	ret

#define AR_TYPE_MASK	0x9800		/* present, not system, code */

VMI_ENTRY SetGDT ANSWER_CALL		/* EAX -> limit, base */
	lgdtl	(%eax)
	call	reload_data
	mov	%cs, %ecx
	lar	%ecx, %edx
	jnz	1f
	and	$AR_TYPE_MASK, %edx
	cmp	$AR_TYPE_MASK, %edx
	jne	1f
	push	%ecx
	call	2f			/* a far return to label 1 */
1:	RET_STD
2:	lret

VMI_ENTRY SetLDT ANSWER_CALL		/* EAX = selector */
	lldt	%ax
	call	reload_data
	RET_STD

VMI_ENTRY SetIDT ANSWER_CALL		/* EAX -> limit, base */
	lidtl	(%eax)
	RET_STD

VMI_ENTRY SetTR ANSWER_CALL		/* EAX = selector */
	ltr	%ax
	RET_STD

VMI_ENTRY GetGDT ANSWER_CALL		/* EAX -> buffer */
	sgdtl	(%eax)
	RET_STD

VMI_ENTRY GetLDT ANSWER_CALL		/* -> EAX */
	xor	%eax, %eax
	sldt	%ax
	RET_STD_EAX

VMI_ENTRY GetIDT ANSWER_CALL		/* EAX -> buffer */
	sidtl	(%eax)
	RET_STD

VMI_ENTRY GetTR ANSWER_CALL		/* -> EAX */
	xor	%eax, %eax
	str	%ax
	RET_STD_EAX

#define TSS_ESP0	4

VMI_ENTRY UpdateKernelStack ANSWER_CALL	/* EAX = selector or TSS, EDX = esp0 */
	cmp	$VMI_STACK_SELECTOR_MAX, %eax
	jbe	1f			/* the guest has written its TSS */
	mov	%edx, TSS_ESP0(%eax)
1:	RET_STD

VMI_ENTRY SetCR0 ANSWER_CALL		/* EAX */
	mov	%eax, %cr0
	RET_STD

VMI_ENTRY SetCR2 ANSWER_CALL
	mov	%eax, %cr2
	RET_STD

VMI_ENTRY SetCR3 ANSWER_CALL
	mov	%eax, %cr3
	RET_STD

VMI_ENTRY SetCR4 ANSWER_CALL
	mov	%eax, %cr4
	RET_STD

VMI_ENTRY GetCR0 ANSWER_CALL		/* -> EAX */
	mov	%cr0, %eax
	RET_STD_EAX

VMI_ENTRY GetCR2 ANSWER_CALL
	mov	%cr2, %eax
	RET_STD_EAX

VMI_ENTRY GetCR3 ANSWER_CALL
	mov	%cr3, %eax
	RET_STD_EAX

VMI_ENTRY GetCR4 ANSWER_CALL
	mov	%cr4, %eax
	RET_STD_EAX

VMI_ENTRY WBINVD ANSWER_CALL
	wbinvd
	RET_STD

/* The number is part of the instruction: one of eight, four bytes each. */
#define DR_NUMBERS	8

VMI_ENTRY SetDR ANSWER_CALL		/* EAX = number, EDX = value */
	cmp	$DR_NUMBERS, %eax
	jae	1f
	ROM_BASE %ecx
	lea	set_dr(%ecx, %eax, 4), %ecx
	call	*%ecx
1:	RET_STD

VMI_ENTRY GetDR ANSWER_CALL		/* EAX = number -> EAX */
	cmp	$DR_NUMBERS, %eax
	jae	1f
	ROM_BASE %ecx
	lea	get_dr(%ecx, %eax, 4), %ecx
	call	*%ecx
	RET_STD_EAX
1:	xor	%eax, %eax
	RET_STD_EAX

.macro SET_DR nr
	mov	%edx, %db\nr
	ret
.endm
.macro GET_DR nr
	mov	%db\nr, %eax
	ret
.endm

set_dr:
	.irp	nr, 0, 1, 2, 3, 4, 5, 6, 7
	SET_DR	\nr
	.endr
get_dr:
	.irp	nr, 0, 1, 2, 3, 4, 5, 6, 7
	GET_DR	\nr
	.endr
	.if	. - get_dr != 4 * DR_NUMBERS
	.error	"a debug register access is not 4 bytes"
	.endif

VMI_ENTRY RDPMC ANSWER_CALL		/* ECX -> EDX:EAX */
	rdpmc
	RET_STD_EDX_EAX

VMI_ENTRY RDTSC ANSWER_CALL		/* -> EDX:EAX */
	rdtsc
	RET_STD_EDX_EAX

VMI_ENTRY CLTS ANSWER_CALL
	clts
	RET_STD
