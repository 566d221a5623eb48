/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls 62 to 64, 66 to 72 and the two fixed entries: the way into the C code.
 *
 * Owns: argument passing, and the counter that is read often.
 * Not here: what they do (`common/*.c`).
 * Runs: with flat segments.
 * Fails: see there.
 *
 * Source: VMI specification 2.0, timer, APIC and AP calls.
 */
#include "entry.inc"

	.section .text, "ax"
	.code32

	.globl	rom_init_entry
rom_init_entry:				/* -> EAX, 0 = good */
	call	rom_init
	RET_STD_EAX

VMI_ENTRY SetInitialAPState ANSWER_CALL	/* EAX = state, EDX = APIC id */
	call	rom_set_ap_state
	RET_STD

VMI_ENTRY APICWrite ANSWER_CALL		/* EAX = register, EDX = value */
	call	rom_apic_write
	RET_STD

VMI_ENTRY APICRead ANSWER_CALL		/* EAX = register -> EAX */
	call	rom_apic_read
	RET_STD_EAX

VMI_ENTRY GetCycleFrequency ANSWER_CALL	/* -> EDX:EAX */
	call	rom_frequency
	RET_STD_EDX_EAX

/* Real and available time are the TSC; nothing is stolen. */
VMI_ENTRY GetCycleCounter ANSWER_CALL	/* EAX = which -> EDX:EAX */
	cmp	$VMI_CYCLES_STOLEN, %eax
	jae	2f
	ROM_DATA %ecx, %edx
	cmpl	$0, VARS_SERVICE(%ecx)
	je	1f
	call	rom_alarm_service
1:	rdtsc
	RET_STD_EDX_EAX
2:	xor	%eax, %eax
	xor	%edx, %edx
	RET_STD_EDX_EAX

/* EAX flags, ECX:EDX expiry, 4(ESP) and 8(ESP) period. */
VMI_ENTRY SetAlarm ANSWER_CALL
	push	8(%esp)
	push	8(%esp)
	call	rom_set_alarm
	add	$8, %esp
	RET_STD

VMI_ENTRY CancelAlarm ANSWER_CALL	/* EAX flags -> EAX */
	call	rom_cancel_alarm
	RET_STD_EAX

VMI_ENTRY GetWallclockTime ANSWER_CALL	/* -> EDX:EAX */
	call	rom_wallclock
	RET_STD_EDX_EAX

VMI_ENTRY WallclockUpdated ANSWER_CALL	/* -> EAX; it never jumps */
	xor	%eax, %eax
	RET_STD_EAX

VMI_ENTRY SetCallbacks ANSWER_NONE	/* has no public definition */
