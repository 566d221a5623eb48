/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls by one fixed door, whatever faster one the C library knows:
 * int 0x80 on i386, `syscall` on x86-64.
 *
 * Owns: the two doors, the numbers that differ in name.
 * Runs: inline, so that a call adds no more than the instructions it needs.
 * Source: the system call conventions of Linux, syscall(2).
 */
#ifndef BENCH_SYS_H
#define BENCH_SYS_H

#include <sys/syscall.h>

#ifdef __i386__
#define DOOR		"int $0x80"
#define ARGS(a, b, c)	"b" (a), "c" (b), "d" (c)
#define DOOR_CLOBBERS	"memory", "cc"
#define BENCH_SELECT	SYS__newselect
#define BENCH_STAT	SYS_stat64
#else
#define DOOR		"syscall"
#define ARGS(a, b, c)	"D" (a), "S" (b), "d" (c)
#define DOOR_CLOBBERS	"memory", "cc", "rcx", "r11"
#define BENCH_SELECT	SYS_select
#define BENCH_STAT	SYS_stat
#endif

/* Return what the kernel returns: a small negative number is an error. */
static inline long sys(long nr, long a, long b, long c)
{
	long ret;

	asm volatile(DOOR : "=a" (ret) : "0" (nr), ARGS(a, b, c) : DOOR_CLOBBERS);
	return ret;
}

static inline long sys5(long nr, long a, long b, long c, long d, long e)
{
	long ret;

#ifdef __i386__
	asm volatile(DOOR : "=a" (ret)
		     : "0" (nr), ARGS(a, b, c), "S" (d), "D" (e)
		     : DOOR_CLOBBERS);
#else
	register long r10 asm("r10") = d;
	register long r8 asm("r8") = e;

	asm volatile(DOOR : "=a" (ret)
		     : "0" (nr), ARGS(a, b, c), "r" (r10), "r" (r8)
		     : DOOR_CLOBBERS);
#endif
	return ret;
}

/* Map the first @length bytes of @fd (-1: no file); an error is a bad address. */
static inline char *sys_map(unsigned long length, long prot, long flags, long fd)
{
#ifdef __i386__
	/* The old call takes its six arguments from memory. */
	unsigned long args[6] = { 0, length, prot, flags, fd, 0 };

	return (char *)sys(SYS_mmap, (long)args, 0, 0);
#else
	register long r10 asm("r10") = flags;
	register long r8 asm("r8") = fd;
	register long r9 asm("r9") = 0;
	long ret;

	asm volatile(DOOR : "=a" (ret)
		     : "0" (SYS_mmap), ARGS(0, length, prot),
		       "r" (r10), "r" (r8), "r" (r9) : DOOR_CLOBBERS);
	return (char *)ret;
#endif
}

static inline void sys_wait(long pid)
{
#ifdef __i386__
	sys(SYS_waitpid, pid, 0, 0);
#else
	sys5(SYS_wait4, pid, 0, 0, 0, 0);
#endif
}

#endif
