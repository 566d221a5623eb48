/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of the in-guest micro-benchmarks.
 *
 * Owns: what a row is. One tick of RDTSC is one executed guest instruction when
 *	QEMU runs with -icount shift=0; without it the figures mean nothing.
 */
#ifndef BENCH_H
#define BENCH_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BENCH_MOST	4000u

/* Argument with which the program only shows that it was started. */
#define BENCH_END_AT_ONCE	"end"

struct bench_row {
	const char *name;
	/* Fill @samples with @count single iterations; return how many count. */
	unsigned int (*run)(uint32_t *samples, unsigned int count);
	unsigned int count;
};

extern const struct bench_row bench_rows[];
extern const unsigned int bench_rows_count;

/* Low half of the time-stamp counter: no iteration takes 2^32 ticks. */
static inline uint32_t ticks(void)
{
	uint32_t low;

	asm volatile("rdtsc" : "=a" (low) : : "edx", "memory");
	return low;
}

/* System call through int 0x80, whatever faster door the C library knows. */
static inline long int80(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a" (ret)
		     : "0" (nr), "b" (a), "c" (b), "d" (c) : "memory");
	return ret;
}

/* End with one line that says what went wrong. */
void bench_die(const char *what) __attribute__((noreturn));

#endif
