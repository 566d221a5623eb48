/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The register harness: into the ROM with chosen registers, and back.
 *
 * Owns: loading `in`, storing `out`, the sites that are patched.
 * Not here: judgement of what came out (`call.c`).
 * Runs: at whatever ring Init left. Data through SS where DS may be poison.
 * Fails: -
 *
 * In an outer ring EFLAGS.IF is not the guest's: there it is set and read by the
 * ROM's calls, which `bind.c` puts into the pointers below.
 */
#include "guest.h"

/* regs: offsets */
#define EAX	0
#define EBX	4
#define ECX	8
#define EDX	12
#define ESI	16
#define EDI	20
#define EBP	24
#define EFL	28
#define ARG4	32
#define ARG5	36
#define DS	40
#define ES	44
#define FS	48
#define GS	52
#define ESP	56

.macro SAVE_CALLEE
	push	%ebx
	push	%esi
	push	%edi
	push	%ebp
	pushf
	call	*vif_get
	push	%eax
	mov	%esp, saved_esp
.endm

.macro RESTORE_CALLEE
	mov	saved_esp, %esp
	pop	%eax
	popf
	call	*vif_set
	cld
	pop	%ebp
	pop	%edi
	pop	%esi
	pop	%ebx
	ret
.endm

/* Segments last: nothing below them uses DS. */
.macro LOAD_IN
	mov	in + EFL, %eax
	call	*vif_set
	mov	in + FS, %fs
	mov	in + GS, %gs
	mov	in + ES, %es
	mov	in + DS, %ds
	mov	%ss:in + EBX, %ebx
	mov	%ss:in + ECX, %ecx
	mov	%ss:in + EDX, %edx
	mov	%ss:in + ESI, %esi
	mov	%ss:in + EDI, %edi
	mov	%ss:in + EBP, %ebp
	mov	%ss:in + EAX, %eax
	pushl	%ss:in + EFL
	popf
.endm

.macro STORE_OUT
	mov	%eax, %ss:out + EAX
	mov	%ebx, %ss:out + EBX
	mov	%ecx, %ss:out + ECX
	mov	%edx, %ss:out + EDX
	mov	%esi, %ss:out + ESI
	mov	%edi, %ss:out + EDI
	mov	%ebp, %ss:out + EBP
.endm

.macro STORE_SEGMENTS
	mov	%ds, %eax
	mov	%eax, %ss:out + DS
	mov	%es, %eax
	mov	%eax, %ss:out + ES
	mov	%fs, %eax
	mov	%eax, %ss:out + FS
	mov	%gs, %eax
	mov	%eax, %ss:out + GS
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
.endm

/* Loads `in`, calls `invoke_target`, stores `out`. */
	.globl	guest_invoke
guest_invoke:
	SAVE_CALLEE
	pushl	in + ARG5
	pushl	in + ARG4
	mov	%esp, expected_esp
	LOAD_IN
	call	*%ss:invoke_target
	STORE_OUT
	pushf
	popl	%ss:out + EFL
	mov	%esp, %eax
	sub	%ss:expected_esp, %eax
	mov	%eax, %ss:out + ESP
	STORE_SEGMENTS
	call	*vif_get
	andl	$~EFLAGS_IF, out + EFL
	or	%eax, out + EFL
	RESTORE_CALLEE

/* EAX = frame. As above, but by a jump with ESP = frame; ends in `int_back`. */
	.globl	guest_jump
guest_jump:
	mov	%eax, %edx
	SAVE_CALLEE
	mov	%edx, %esp
	LOAD_IN
	jmp	*%ss:invoke_target

/* What the frames above lead to, in the kernel's ring and in ring 3. */
	.globl	land_here, land_here_end
land_here:
	int	$VECTOR_BACK
land_here_end:

	.globl	int_back
int_back:
	STORE_OUT
	mov	%ds, %eax
	mov	%eax, %ss:out + DS
	mov	%es, %eax
	mov	%eax, %ss:out + ES
	mov	$SEL_DATA, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%esp, back_frame
	popl	back_eip
	popl	back_cs
	popl	back_eflags
	mov	%esp, back_esp
	mov	back_cs, %eax
	and	$3, %al
	cmp	$3, %al
	jne	1f
	popl	back_esp
	popl	back_ss
1:	call	*vif_get
	mov	%eax, back_vif
	RESTORE_CALLEE

/* Where a kernel leaves: jumped to, and patched as a guest patches its own. */
	.globl	site_iret, site_sysexit
site_iret:
	IRET_SITE
site_sysexit:
	sti
	sysexit
	nop
	nop
	.pushsection .sites, "a"
	.long	site_sysexit, 34
	.popsection

/* EAX: bit 9 to EFLAGS.IF, all registers kept; and back in EAX. As 32 and 31. */
	.globl	native_vif_set, native_vif_get, native_cr2, native_eoi
native_vif_set:
	test	$EFLAGS_IF >> 8, %ah
	jz	1f
	sti
	ret
1:	cli
	ret
native_vif_get:
	pushf
	pop	%eax
	and	$EFLAGS_IF, %eax
	ret
native_cr2:
	mov	%cr2, %eax
	ret
native_eoi:				/* as 63: EAX = register, EDX = value */
	mov	%edx, WINDOW_LAPIC(%eax)
	ret

	.section .data
	.globl	vif_set, vif_get, cr2_get, apic_write
vif_set: .long	native_vif_set
vif_get: .long	native_vif_get
cr2_get: .long	native_cr2
apic_write: .long native_eoi

	.section .bss
	.globl	in, out, invoke_target
	.globl	back_eip, back_cs, back_eflags, back_esp, back_ss, back_frame, back_vif
	.balign	4
in:	.skip	64
out:	.skip	64
invoke_target: .skip 4
saved_esp: .skip 4
expected_esp: .skip 4
back_eip: .skip	4
back_cs: .skip	4
back_eflags: .skip 4
back_esp: .skip	4
back_ss: .skip	4
back_frame: .skip 4
back_vif: .skip	4
	.section .note.GNU-stack, "", @progbits
