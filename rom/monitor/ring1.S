/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the guest calls: the code that runs in ring 1.
 *
 * Owns: the entry of every call, the answers of GetRelocationInfo, and all that
 * needs no ring 0: the interrupt flag, IRET, reading registers and counters,
 * page-table entries that nobody shadows, lazy modes.
 * Not here: the other side of `int` (`entry.S`, `calls.c`).
 * Runs: ring 1, at fixed addresses, DS and ES possibly the user's: data through
 * SS. May be interrupted anywhere; `deliver.c` knows what that means here.
 * Fails: nothing here is trusted: what a guest spoils is its own.
 */
#include "monitor.h"

#define ANSWER_NONE	VMI_RELOC_NONE
#define ANSWER_CALL	VMI_RELOC_CALL_REL
#define ANSWER_JUMP	VMI_RELOC_JUMP_REL
#define ANSWER_NOP	VMI_RELOC_NOP

	VMI_CALL_SYMBOLS

	.section .ring1, "ax"
	.code32
	.globl	ring1_start, ring1_end, ring1_sites, ring1_reloc
ring1_start:
	jmp	ring1_reloc		/* found by its address, RING1_CODE */

/*
 * One way into ring 0 for each call, found by the EIP of what follows INT. All
 * registers and the stack are as at the call.
 */
	.balign	8
#define SITE(nr, name, class)	site_##name: int $VECTOR_CALL; ret; nop;
ring1_sites:
	VMI_CALLS(SITE)

.macro RING1 name answer=ANSWER_CALL
	.set	target_\name, call_\name
	.set	answer_\name, \answer
call_\name:
#ifdef MON_COUNT
	incl	%ss:R1_COUNTS + 4 * VMI_CALL_\name
#endif
.endm

.macro RING0 name answer=ANSWER_CALL
	.set	target_\name, site_\name
	.set	answer_\name, \answer
.endm

/* 29 to 32: the interrupt flag. */

RING1 EnableInterrupts
	orb	$EV_IF, %ss:R1_EV
	js	site_EnableInterrupts	/* one is pending */
	ret

RING1 DisableInterrupts
	andb	$~EV_IF, %ss:R1_EV
	ret

RING1 GetInterruptMask
	mov	%ss:R1_FLAGS, %eax
	and	$EFLAGS_IF, %eax
	ret

RING1 SetInterruptMask
	test	$EV_IF, %ah
	jnz	call_EnableInterrupts
	andb	$~EV_IF, %ss:R1_EV
	ret

/*
 * 33: the return address, then the frame. When IRET faults, the return address
 * still lies below the stack pointer and tells the guest's site. Ring 0 is
 * needed for what waits, for virtual-8086 mode, and for stacks in an LDT, which
 * may have 16 bits.
 */
	.globl	ring1_iret_flag, ring1_iret_insn, ring1_iret_off
	.globl	ring1_iret_peek, ring1_iret_peeked
RING1 IRET
	add	$4, %esp
	testb	$EFLAGS_VM >> 16, 10(%esp)
	jnz	site_IRET
	testb	$EFLAGS_IF >> 8, 9(%esp)
	jz	1f
ring1_iret_peek:
	testb	$4, 16(%esp)		/* beyond a frame for ring 1 */
	jnz	site_IRET
ring1_iret_peeked:
	orb	$EV_IF, %ss:R1_EV
ring1_iret_flag:
	js	site_IRET
ring1_iret_insn:
	iret
1:	andb	$~EV_IF, %ss:R1_EV	/* the frame of a handler that had it set */
ring1_iret_off:
	iret

RING0 SYSEXIT ANSWER_JUMP

/* Copies of registers. */

RING1 SetCR2
	mov	%eax, %ss:R1_CR2
	ret
RING1 GetCR0
	mov	%ss:R1_CR0, %eax
	ret
RING1 GetCR2
	mov	%ss:R1_CR2, %eax
	ret
RING1 GetCR3
	mov	%ss:R1_CR3, %eax
	ret
RING1 GetCR4
	mov	%ss:R1_CR4, %eax
	ret

/* In a context switch the new root may wait for the end of it. */
RING1 SetCR3
	cmpb	$VMI_LAZY_CPU, %ss:R1_LAZY
	jne	site_SetCR3
	mov	%eax, %ss:R1_CR3
	movl	$1, %ss:R1_CHANGE
	ret

RING1 SetLazyMode
	mov	%al, %ss:R1_LAZY
	mov	%ss:R1_QUEUED, %ecx
	or	%ss:R1_CHANGE, %ecx
	jnz	site_SetLazyMode
	ret

/* Mostly it is there already: a task's TLS entries are its neighbour's. */
RING1 WriteGDTEntry
	cmp	%ecx, (%eax, %edx, 8)
	jne	site_WriteGDTEntry
	mov	4(%esp), %ecx
	cmp	%ecx, 4(%eax, %edx, 8)
	mov	(%eax, %edx, 8), %ecx
	jne	site_WriteGDTEntry
	ret

/* Page tables: store, then tell ring 0 unless nobody shadows that page. */

/*
 * The store has to be seen before the filter is read: a CPU that begins to
 * shadow the page does it the other way round. XCHG is both store and fence.
 */
RING1 SetPxE
	xchg	%eax, (%edx)
	mov	%edx, %eax
	jmp	entry_changed

RING1 SetPxELong
	testb	$PTE_P, (%ecx)
	jnz	1f
	mov	%edx, 4(%ecx)
	xchg	%eax, (%ecx)
	mov	%ecx, %eax
	jmp	entry_changed
1:	test	$PTE_P, %al
	jnz	2f
	xchg	%eax, (%ecx)
	mov	%edx, 4(%ecx)
	mov	%ecx, %eax
	jmp	entry_changed
	/* Both present: no CPU may see half of each. */
2:	push	%ebx
	push	%esi
	mov	%ecx, %esi
	mov	%eax, %ebx
	mov	%edx, %ecx
	mov	(%esi), %eax
	mov	4(%esi), %edx
3:	lock cmpxchg8b (%esi)
	jnz	3b
	mov	%esi, %eax
	pop	%esi
	pop	%ebx
	jmp	entry_changed

RING1 UpdatePxELong
	jmp	entry_changed
RING1 UpdatePxE
/* EAX = address of the entry. Clobbers ECX. */
entry_changed:
	mov	%eax, %ecx
	sub	%ss:R1_LINEAR, %ecx
	cmp	%ss:R1_LINEAR_SIZE, %ecx
	jae	1f
	shr	$12, %ecx
	add	%ss:R1_LINEAR_PFN, %ecx
	and	$0x7fff, %ecx
	bt	%ecx, %ss:RING1_FILTER
	jnc	2f
1:	cmpb	$VMI_LAZY_MMU, %ss:R1_LAZY
	jne	site_UpdatePxE
	.globl	ring1_push, ring1_pushed
ring1_push:				/* begun anew when interrupted */
	mov	%ss:R1_QUEUED, %ecx
	mov	%eax, %ss:R1_QUEUE(, %ecx, 4)
	incl	%ss:R1_QUEUED
ring1_pushed:
	cmp	$R1_QUEUE_MAX - 1, %ecx
	jae	site_UpdatePxE
2:	ret

RING1 MachineToPhysical
	ret
RING1 PhysicalToMachine
	ret
RING0 IODelay ANSWER_NOP

/* Time. */

RING1 RDTSC
	rdtsc
	ret

RING1 GetCycleFrequency
	mov	%ss:R1_HZ, %eax
	mov	%ss:R1_HZ + 4, %edx
	ret

RING1 GetCycleCounter
	cmp	$VMI_CYCLES_AVAILABLE, %eax
	je	2f
	ja	1f
	rdtsc
	ret
1:	cmp	$VMI_CYCLES_STOLEN, %eax
	jne	3f
4:	mov	%ss:R1_STOLEN + 4, %edx
	mov	%ss:R1_STOLEN, %eax
	cmp	%ss:R1_STOLEN + 4, %edx
	jne	4b
	ret
2:	push	%ebx			/* again if some was stolen meanwhile */
	push	%esi
5:	mov	%ss:R1_STOLEN, %ebx
	mov	%ss:R1_STOLEN + 4, %esi
	rdtsc
	cmp	%ss:R1_STOLEN, %ebx
	jne	5b
	sub	%ebx, %eax
	sbb	%esi, %edx
	pop	%esi
	pop	%ebx
	ret
3:	xor	%eax, %eax
	xor	%edx, %edx
	ret

RING0 CPUID
RING0 WRMSR
RING0 RDMSR
RING0 SetGDT
RING0 SetLDT
RING0 SetIDT
RING0 SetTR
RING0 GetGDT
RING0 GetLDT
RING0 GetIDT
RING0 GetTR
RING0 WriteLDTEntry
RING0 WriteIDTEntry
RING0 UpdateKernelStack
RING0 SetCR0
RING0 SetCR4
RING0 WBINVD
RING0 SetDR
RING0 GetDR
RING0 RDPMC
RING0 CLTS
RING0 Halt
RING0 Reboot
RING0 Shutdown
RING0 AllocatePage
RING0 ReleasePage
RING0 InvalPage
RING0 FlushTLB
RING0 SetLinearMapping
RING0 INL
RING0 INB
RING0 INW
RING0 INSL
RING0 INSB
RING0 INSW
RING0 OUTL
RING0 OUTB
RING0 OUTW
RING0 OUTSL
RING0 OUTSB
RING0 OUTSW
RING0 SetIOPLMask
RING0 SetInitialAPState
RING0 APICWrite
RING0 APICRead
RING0 SetAlarm
RING0 CancelAlarm
RING0 GetWallclockTime
RING0 WallclockUpdated
RING0 SetCallbacks ANSWER_NONE

/* GetRelocationInfo: EAX = call -> EAX = address, EDX = type. Clobbers ECX. */
ring1_reloc:
	mov	%eax, %ecx
	xor	%eax, %eax
	xor	%edx, %edx
	cmp	$VMI_CALL_NR, %ecx
	jae	1f
	movzwl	%cs:ring1_target(, %ecx, 2), %eax
	movzbl	%cs:ring1_answer(%ecx), %edx
	add	$RING1_CODE, %eax
1:	ret

#define ANSWER(nr, name, class)	.byte answer_##name;
ring1_answer:
	VMI_CALLS(ANSWER)
	.balign	2
#define TARGET(nr, name, class)	.word target_##name - ring1_start;
ring1_target:
	VMI_CALLS(TARGET)
ring1_end:
