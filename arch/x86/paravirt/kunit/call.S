/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enters an op with every register loaded, and stores every register afterwards.
 *
 * Owns: the registers around one call. Not here: what they should be (`probe.c`).
 * Runs: in a test, IRQs on or off. All state is in memory at fixed addresses, since
 *       the op may leave no register, and no stack pointer, to find it by.
 * Clobbers: as any C function.
 */
#include <linux/linkage.h>
#include <asm/nospec-branch.h>

#include "probe.h"

#define IN(reg)		pv_call_in + 4 * PV_REG_##reg
#define OUT(reg)	pv_call_out + 4 * PV_REG_##reg

.macro LOAD_REGISTERS
	mov	%esp, IN(ESP)
	mov	IN(EAX), %eax
	mov	IN(EDX), %edx
	mov	IN(ECX), %ecx
	mov	IN(EBX), %ebx
	mov	IN(ESI), %esi
	mov	IN(EDI), %edi
	mov	IN(EBP), %ebp
.endm

.macro STORE_SEGMENT name, reg
	mov	\reg, %eax
	movzwl	%ax, %eax
	mov	%eax, pv_call_out + 4 * \name
.endm

	.text

/* void pv_call_return(void) - call pv_call_target, which returns */
SYM_FUNC_START(pv_call_return)
	push	%ebp
	push	%ebx
	push	%esi
	push	%edi
	LOAD_REGISTERS
	ANNOTATE_RETPOLINE_SAFE
	call	*pv_call_target
.Lback:
	mov	%eax, OUT(EAX)
	mov	%edx, OUT(EDX)
	mov	%ecx, OUT(ECX)
	mov	%ebx, OUT(EBX)
	mov	%esi, OUT(ESI)
	mov	%edi, OUT(EDI)
	mov	%ebp, OUT(EBP)
	mov	%esp, OUT(ESP)
	mov	IN(ESP), %esp
	pushf
	pop	OUT(EFLAGS)
	cld
	STORE_SEGMENT PV_REG_DS, %ds
	STORE_SEGMENT PV_REG_ES, %es
	STORE_SEGMENT PV_REG_FS, %fs
	STORE_SEGMENT PV_REG_GS, %gs
	STORE_SEGMENT PV_REG_SS, %ss
	pop	%edi
	pop	%esi
	pop	%ebx
	pop	%ebp
	RET
SYM_FUNC_END(pv_call_return)

/* void pv_call_frame(void) - jump to pv_call_target, which returns by a frame */
SYM_FUNC_START(pv_call_frame)
	push	%ebp
	push	%ebx
	push	%esi
	push	%edi
	LOAD_REGISTERS
	push	IN(EFLAGS)
	push	%cs
	push	$.Lback
	ANNOTATE_RETPOLINE_SAFE
	jmp	*pv_call_target
SYM_FUNC_END(pv_call_frame)
