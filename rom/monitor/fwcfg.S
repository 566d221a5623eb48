/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What QEMU says of itself on two ports: CPUs, and where the initrd comes.
 *
 * Owns: fw_cfg by port, for the BIOS part.
 * Not here: what follows from it (`reserve.S`).
 * Runs: in real mode, at BIOS time.
 * Fails: without QEMU there is no answer, and the caller's default stands.
 *
 * Source: QEMU, docs/specs/fw_cfg.rst; Linux, Documentation/x86/boot.rst
 * (`initrd_addr_max`).
 */
#include "data.h"

#define FW_CFG_SELECT		0x510
#define FW_CFG_DATA		0x511
#define FW_CFG_SIGNATURE	0x00
#define FW_CFG_CPUS		0x05
#define FW_CFG_INITRD_ADDR	0x0a
#define FW_CFG_INITRD_SIZE	0x0b
#define FW_CFG_SETUP_DATA	0x18
#define SETUP_INITRD_ADDR_MAX	0x22c

	.section .text16, "ax"
	.code16

/* ZF = 1 if there is such a thing. Loses EAX, CX, DX. */
fw_cfg_present:
	mov	$FW_CFG_SIGNATURE, %ax
	call	fw_cfg_value
	cmp	$0x554d4551, %eax	/* "QEMU" */
	ret

/* EAX = first four bytes of entry AX, 0 behind its end. Loses CX, DX. */
fw_cfg_value:
	mov	$FW_CFG_SELECT, %dx
	outw	%ax, %dx
	inc	%dx
fw_cfg_next:
	mov	$4, %cx
1:	inb	%dx, %al
	ror	$8, %eax
	loop	1b
	ret

/* EAX = number of CPUs, or 0 if it is not known. Loses CX, DX. */
	.globl	fw_cfg_cpus
fw_cfg_cpus:
	call	fw_cfg_present
	jne	fw_cfg_unknown
	mov	$FW_CFG_CPUS, %ax
	jmp	fw_cfg_value
fw_cfg_unknown:
	xor	%eax, %eax
	ret

/*
 * QEMU chooses a place for the initrd without asking the BIOS. Its loader moves
 * the initrd below the end of memory that E801h tells, except when it ends
 * where the kernel's header says it must.
 *
 * EAX = start and EBX = end of an initrd that will not be moved, or EAX = 0.
 * Loses CX, DX.
 */
	.globl	fw_cfg_fixed_initrd
fw_cfg_fixed_initrd:
	call	fw_cfg_present
	jne	fw_cfg_unknown
	mov	$FW_CFG_INITRD_SIZE, %ax
	call	fw_cfg_value
	test	%eax, %eax
	jz	fw_cfg_unknown
	mov	%eax, %ebx
	mov	$FW_CFG_INITRD_ADDR, %ax
	call	fw_cfg_value
	push	%eax
	add	%eax, %ebx
	mov	$FW_CFG_SETUP_DATA, %ax
	mov	$FW_CFG_SELECT, %dx
	outw	%ax, %dx
	inc	%dx
	mov	$SETUP_INITRD_ADDR_MAX, %cx
1:	inb	%dx, %al
	loop	1b
	call	fw_cfg_next
	xor	%ebx, %eax
	test	$~4095, %eax		/* same page? */
	pop	%eax
	jnz	fw_cfg_unknown
	ret
