/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of a unit as part of its program.
 *
 * Owns: embedded_table, which ends with 0. TABLE names the file.
 */
	.section .data
	.globl	embedded_table
embedded_table:
	.incbin	TABLE
	.byte	0
	.section .note.GNU-stack, "", @progbits
