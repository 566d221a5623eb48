/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A patchable call site.
 *
 * Owns: the bytes of an unpatched site and its record; the thunks that let a C
 *       function stand in a SAVE slot.
 * Not here: what a site becomes (`arch/x86/paravirt/encode.c`).
 *
 * An unpatched site calls (iret: jumps) through the table, so it is right at any
 * time. ASM_CALL_CONSTRAINT is left out on purpose: there is no red zone on i386,
 * objtool does not run there, and the constraint would cost leaf functions a frame.
 */
#ifndef _ASM_X86_PV_SITE_H
#define _ASM_X86_PV_SITE_H

/* Bytes of `call *mem32`: the least room of a site. */
#define PV_SITE_MIN	6
/* The number of `irq.iret`: the first slot of the list. */
#define PV_IRET_NR	0

#ifdef __ASSEMBLY__

/*
 * The iret site. It may run on the user page tables and with user segments in DS
 * and ES: hence the slot in `.entry.text`, read through CS.
 */
.macro PV_IRET_SITE
771:	jmp	*%cs:pv_iret_slot
772:
	.pushsection .parainstructions, "a"
	.balign	4
	.long	771b
	.byte	PV_IRET_NR, 772b - 771b
	.balign	4
	.popsection
.endm

#else

#include <linux/stringify.h>

/*
 * PV_SITE_ASM - the unpatched bytes and the record
 * @native: the native form, "" for an op that is a C function
 *
 * The native form is assembled once more into a section that the linker drops, so
 * that the assembler can give the site the room it needs.
 */
#define PV_SITE_ASM(native)						\
	"771:	call	*%c[pv_slot]\n"					\
	"	.skip	-((774f - 773f - 6) > 0) * (774f - 773f - 6), 0x90\n" \
	"772:\n"							\
	"	.pushsection .discard.pv_native, \"ax\"\n"		\
	"773:	" native "\n"						\
	"774:	.popsection\n"						\
	"	.pushsection .parainstructions, \"a\"\n"		\
	"	.balign	4\n"						\
	"	.long	771b\n"						\
	"	.byte	%c[pv_nr], 772b - 771b\n"			\
	"	.balign	4\n"						\
	"	.popsection\n"

/* How the list's native column enters a site. */
#define PV_SITE_INLINE(native)	PV_SITE_ASM(native)
#define PV_SITE_CALL(native)	PV_SITE_ASM("")

#define PV_SITE_OPERANDS(group, slot)					\
	[pv_slot] "i" (&pv_ops.group.slot),				\
	[pv_nr] "i" (PARAVIRT_PATCH(group.slot))

/*
 * PV_SAVE_THUNK - let a C function stand in a SAVE slot
 * @thunk:  name of the entry to define
 * @target: operand of the call: a function's name, or *pointer
 * @save, @restore: what the result leaves to save
 *
 * Arguments are in EAX, EDX, ECX already, as regparm(3) wants them.
 */
#define PV_SAVE_THUNK(thunk, target, section, save, restore)		\
	asm(".pushsection " section ", \"ax\"\n"			\
	    "	.globl	" thunk "\n"					\
	    "	.type	" thunk ", @function\n"				\
	    thunk ":\n"							\
	    save							\
	    "	call	" target "\n"					\
	    restore							\
	    "	" ASM_RET						\
	    "	.size	" thunk ", . - " thunk "\n"			\
	    "	.popsection\n")

#define PV_THUNK_PUSH_void	"	push	%eax; push %ecx; push %edx\n"
#define PV_THUNK_POP_void	"	pop	%edx; pop %ecx; pop %eax\n"
#define PV_THUNK_PUSH_word	"	push	%ecx; push %edx\n"
#define PV_THUNK_POP_word	"	pop	%edx; pop %ecx\n"
#define PV_THUNK_PUSH_u64	"	push	%ecx\n"
#define PV_THUNK_POP_u64	"	pop	%ecx\n"
#define PV_THUNK_PUSH_regs	PV_THUNK_PUSH_word
#define PV_THUNK_POP_regs	PV_THUNK_POP_word

#endif /* __ASSEMBLY__ */
#endif /* _ASM_X86_PV_SITE_H */
