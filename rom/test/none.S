/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ROM that has no answer: Init succeeds, every call is NONE.
 *
 * Owns: the code of `none.rom`, which fits one 2 KiB step.
 * Not here: header (`common/header.S`).
 * Runs: at ring 0, where the guest can do everything itself.
 * Fails: never.
 */
#include "entry.inc"

	.section .text16, "ax"
	.code16
	.globl	bios_init
bios_init:
	lret

	.section .text, "ax"
	.code32
	.globl	rom_init_entry, rom_reloc_entry
rom_init_entry:
	xor	%eax, %eax
	ret
rom_reloc_entry:
	xor	%eax, %eax
	xor	%edx, %edx
	ret
