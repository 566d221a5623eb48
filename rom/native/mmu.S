/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls 11 to 13, 38 to 48, 73: descriptors, page tables, TLB, lazy mode.
 *
 * Owns: stores to table entries, and flushes.
 * Not here: table registers (`cpu.S`).
 * Runs: at ring 0 with flat segments; nothing is ever queued.
 * Fails: a store faults as the guest's own would.
 *
 * Page tables are the guest's own and hold machine frames, so translating has
 * nothing to do. Notices - pages announced, entries updated, lazy modes - are
 * answered NOP: the guest need not make these calls.
 *
 * Source: VMI specification 2.0, memory management; SDM volume 3, sections
 * 4.10.4 (invalidation) and 8.1.1 (atomic accesses).
 */
#include "entry.inc"

	.section .text, "ax"
	.code32

.macro WRITE_DESCRIPTOR name:req
VMI_ENTRY \name ANSWER_CALL	/* EAX = table, EDX = index, ECX low, 4(ESP) high */
	lea	(%eax, %edx, 8), %eax
	mov	4(%esp), %edx
	mov	%ecx, (%eax)
	mov	%edx, 4(%eax)
	RET_STD
.endm

	WRITE_DESCRIPTOR WriteGDTEntry
	WRITE_DESCRIPTOR WriteLDTEntry
	WRITE_DESCRIPTOR WriteIDTEntry

VMI_ENTRY SetPxE ANSWER_CALL		/* EAX = entry, EDX = address, ECX flags */
	mov	%eax, (%edx)
	RET_STD

#define PTE_PRESENT	1

/*
 * EDX:EAX = entry, ECX = address, 4(ESP) flags. The CPU may walk the entry at
 * any moment: it must never see half of each of two present ones.
 */
VMI_ENTRY SetPxELong ANSWER_CALL
	test	$PTE_PRESENT, %al
	jz	1f
	testb	$PTE_PRESENT, (%ecx)
	jnz	2f
	mov	%edx, 4(%ecx)
	mov	%eax, (%ecx)
	RET_STD
1:	mov	%eax, (%ecx)
	mov	%edx, 4(%ecx)
	RET_STD
2:	push	%ebx
	push	%esi
	mov	%ecx, %esi
	mov	%eax, %ebx
	mov	%edx, %ecx
	mov	(%esi), %eax
	mov	4(%esi), %edx
3:	lock cmpxchg8b (%esi)
	jnz	3b
	pop	%esi
	pop	%ebx
	RET_STD

VMI_ENTRY UpdatePxE ANSWER_EMPTY		/* EAX = address, EDX flags */
	RET_STD

VMI_ENTRY UpdatePxELong ANSWER_EMPTY
	RET_STD

VMI_ENTRY MachineToPhysical ANSWER_CALL	/* EAX -> EAX */
	RET_STD_EAX

VMI_ENTRY PhysicalToMachine ANSWER_CALL
	RET_STD_EAX

VMI_ENTRY AllocatePage ANSWER_EMPTY
	RET_STD

VMI_ENTRY ReleasePage ANSWER_EMPTY
	RET_STD

VMI_ENTRY InvalPage ANSWER_CALL		/* EAX = address */
	invlpg	(%eax)
	RET_STD

#define CR4_PGE		0x80

VMI_ENTRY FlushTLB ANSWER_CALL		/* EAX: VMI_FLUSH_* */
	test	$VMI_FLUSH_GLOBAL, %al
	jz	1f
	mov	%cr4, %eax
	test	$CR4_PGE, %al
	jz	1f
	pushf				/* no one may see CR4 without PGE */
	cli
	mov	%eax, %edx
	and	$~CR4_PGE, %eax
	mov	%eax, %cr4
	mov	%edx, %cr4
	popf
	RET_STD
1:	mov	%cr3, %eax
	mov	%eax, %cr3
	RET_STD

VMI_ENTRY SetLinearMapping ANSWER_CALL	/* EAX slot, EDX start, ECX pages, 4(ESP) pfn */
	push	4(%esp)
	call	rom_set_linear_mapping
	add	$4, %esp
	RET_STD

VMI_ENTRY SetLazyMode ANSWER_EMPTY	/* EAX: VMI_LAZY_* */
	RET_STD
