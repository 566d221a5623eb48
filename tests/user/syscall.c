// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two ways into the kernel.
 *
 * Owns: a system call through int 0x80, and through the vDSO entry that the
 *	kernel names in AT_SYSINFO (sysenter where the CPU has it).
 * Not here: what is called (`t_syscall.c`).
 * Runs: anywhere; keeps no state.
 * Fails: as the system call does, with the negated errno.
 */
#include "pvtest.h"
#include <sys/auxv.h>

/**
 * int80() - system call through int 0x80
 * @nr: its number; @a, @b, @c: EBX, ECX, EDX
 * Return: EAX; a negated errno on failure.
 */
long int80(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "0" (nr), "b" (a), "c" (b), "d" (c) : "memory");
	return ret;
}

/**
 * sysinfo_call() - system call through the entry of AT_SYSINFO
 * @nr: its number; @a, @b, @c: EBX, ECX, EDX
 * Return: EAX; a negated errno on failure. Skips the test without AT_SYSINFO.
 */
long sysinfo_call(long nr, long a, long b, long c)
{
	unsigned long entry = getauxval(AT_SYSINFO);
	long ret;

	if (!entry)
		skip("no AT_SYSINFO in the auxiliary vector");
	asm volatile("call *%1" : "=a" (ret)
		     : "S" (entry), "0" (nr), "b" (a), "c" (b), "d" (c)
		     : "memory");
	return ret;
}
