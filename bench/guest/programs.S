/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs that `lmbench_proc.c` puts into the guest's file system. */
	.section .rodata
	.globl	hello_start, hello_end, shell_start, shell_end
	.balign	4096
hello_start:
	.incbin	HELLO_FILE
hello_end:
	.balign	4096
shell_start:
	.incbin	SHELL_FILE
shell_end:
	.section .note.GNU-stack, "", @progbits
