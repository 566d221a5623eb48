/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Init, as far as it runs in the ROM: from the guest's address space into ours.
 *
 * Owns: the checks that may still refuse, the temporary tables, the copy of the
 * monitor into its memory.
 * Not here: all that follows (`enter.S`).
 * Runs: once, at the guest's linear address, ring 0; the guest's IF is 0 or soon.
 * Fails: returns 1 with nothing changed.
 *
 * The temporary tables lie in the low data pages, which the guest maps beside the
 * ROM. They map the first megabytes where the guest has them, so that we go on
 * in place, and 2 MiB of the reserved memory.
 */
#include "../common/data.h"
#include "../common/entry.inc"
#include "monitor.h"

#define DR7_OFF		0x400
#define CPUID_NEEDED	0x00000018	/* PSE, TSC */

	.section .text, "ax"
	.code32
	.globl	rom_init_entry, rom_reloc_entry
rom_init_entry:
	pushf
	pusha
	cli
	cld
	ROM_BASE %ebp
	mov	ROM_DATA_DELTA(%ebp), %ebx
	test	%ebx, %ebx
	jz	refuse
	add	%ebp, %ebx		/* EBX = data */
	cmpl	$0, MON_BASE(%ebp)
	je	refuse
	mov	%ebp, %edi
	sub	ROM_PHYS(%ebp), %edi	/* EDI = linear minus physical */
	mov	$0x3fffff, %eax
	mov	%cr4, %edx
	test	$CR4_PAE, %dl
	jz	1f
	shr	$1, %eax
1:	test	%eax, %edi
	jnz	refuse
	push	%ebx
	mov	$1, %eax
	cpuid
	shr	$24, %ebx		/* local APIC id */
	mov	%ebx, %ecx
	pop	%ebx
	cmp	$MAX_VCPUS, %ecx
	jae	refuse
	and	$CPUID_NEEDED, %edx
	cmp	$CPUID_NEEDED, %edx
	jne	refuse
	mov	%cs, %eax
	test	$3, %al
	jz	tables
refuse:
	popa
	popf
	mov	$1, %eax
	ret

	/* A directory, a table; with PAE all four slots lead to the directory. */
tables:
	push	%edi
	lea	LOW_DIR(%ebx), %edi
	xor	%eax, %eax
	mov	$2048, %ecx
	rep stosl
	pop	%edi
	mov	MON_BASE(%ebp), %eax
	or	$PTE_P | PTE_RW, %eax
	mov	%ebx, %esi
	sub	%edi, %esi		/* ESI = physical address of the data */
	mov	%cr4, %edx
	test	$CR4_PAE, %dl
	jnz	2f

	lea	LOW_TABLE(%ebx), %edx
	mov	$1024, %ecx
1:	mov	%eax, (%edx)
	add	$4096, %eax
	add	$4, %edx
	dec	%ecx
	jnz	1b
	mov	$PTE_P | PTE_RW | PTE_PS, %eax
	mov	%eax, LOW_DIR(%ebx)
	mov	%edi, %ecx
	shr	$22, %ecx
	mov	%eax, LOW_DIR(%ebx, %ecx, 4)
	lea	LOW_TABLE + PTE_P + PTE_RW(%esi), %eax
	mov	%eax, LOW_DIR + (MON_MEMORY >> 22) * 4(%ebx)
	lea	LOW_DIR(%esi), %ecx
	jmp	3f

2:	lea	LOW_TABLE(%ebx), %edx
	mov	$512, %ecx
1:	mov	%eax, (%edx)
	movl	$0, 4(%edx)
	add	$4096, %eax
	add	$8, %edx
	dec	%ecx
	jnz	1b
	mov	$PTE_P | PTE_RW | PTE_PS, %eax
	mov	%eax, LOW_DIR(%ebx)
	mov	%edi, %ecx
	shr	$21, %ecx
	and	$511, %ecx
	mov	%eax, LOW_DIR(%ebx, %ecx, 8)
	lea	LOW_TABLE + PTE_P + PTE_RW(%esi), %eax
	mov	%eax, LOW_DIR + ((MON_MEMORY >> 21) & 511) * 8(%ebx)
	lea	LOW_DIR + PTE_P(%esi), %eax
	xor	%ecx, %ecx
1:	mov	%eax, LOW_PDPT(%ebx, %ecx, 8)
	movl	$0, LOW_PDPT + 4(%ebx, %ecx, 8)
	inc	%ecx
	cmp	$4, %ecx
	jne	1b
	lea	LOW_PDPT(%esi), %ecx

3:	mov	%esp, %ebx		/* no stack from here on */
	mov	%cr3, %esi
	mov	%cr4, %edx
	mov	$DR7_OFF, %eax		/* no breakpoint of the guest's in our code */
	mov	%eax, %db7
	mov	%edx, %eax
	and	$~CR4_PGE, %eax
	or	$CR4_PSE, %al
	mov	%eax, %cr4
	mov	%ecx, %cr3
	mov	%esi, %eax		/* EAX = the guest's CR3, EDX its CR4 */
	mov	%edi, %esp		/* ESP = offset, for a while */
	lea	mon_image(%ebp), %esi	/* the image is linked for 0 */
	mov	$MON_MEMORY, %edi
	mov	$mon_image_words, %ecx
	rep movsl
	mov	%esp, %edi
	mov	MON_SIZE(%ebp), %ecx
	mov	MON_FRAMES(%ebp), %esi
	mov	$MON_MEMORY, %esp	/* the image begins with its entry */
	jmp	*%esp

/* Before Init there is no answer; after it ring 1 has them. */
rom_reloc_entry:
	push	$RING1_CODE
	ret

	.section .rodata, "a"
	.balign	4
mon_image:
	.incbin	MON_IMAGE
	.balign	4
	.set	mon_image_words, (. - mon_image) / 4
