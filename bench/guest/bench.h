/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of the in-guest benchmarks, and what they share.
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
#include <sys/types.h>
#include <unistd.h>
#include "sys.h"

/* Most iterations of a row, warm-up included. */
#define BENCH_MOST	4000u

/* Argument with which the program only shows that it was started. */
#define BENCH_END_AT_ONCE	"end"

#define PAGE_BYTES	4096u

/*
 * Each row runs in a process of its own, so that one does not change another's
 * figures, and none depends on which were selected.
 */
struct bench_row {
	const char *name;
	/* Fill @samples with @count single iterations; return how many count. */
	unsigned int (*run)(uint32_t *samples, unsigned int count);
	unsigned int count;
	/* Iterations before these, which do not count. */
	unsigned int warm_up;
};

struct bench_unit {
	const char *name;
	const struct bench_row *rows;
	unsigned int count;
	/* Once, before the first row; may be NULL. */
	void (*set_up)(void);
};

extern const struct bench_unit unit_micro, unit_lmbench;

/* Low half of the time-stamp counter: no iteration takes 2^32 ticks. */
static inline uint32_t ticks(void)
{
	uint32_t low;

	asm volatile("rdtsc" : "=a" (low) : : "edx", "memory");
	return low;
}

/* Time @what @count times; each use gives a row its own two RDTSC. */
#define BENCH_EACH(samples, count, what)			\
	do {							\
		unsigned int each_;				\
								\
		for (each_ = 0; each_ < (count); each_++) {	\
			uint32_t start_ = ticks();		\
								\
			what;					\
			(samples)[each_] = ticks() - start_;	\
		}						\
	} while (0)

/* A row whose loop is shared with others but shall be found by its own name. */
#define BENCH_SHARED	static inline __attribute__((always_inline))

/* common.c; all end through bench_die() when the kernel refuses. */
void bench_die(const char *what) __attribute__((noreturn));
pid_t bench_fork(void);
void bench_end(pid_t pid);
void bench_batch(void);
void bench_random_ready(void);
int bench_device(const char *path, unsigned int minor);
void bench_handle(int sig);
int bench_file(unsigned int bytes);
void bench_put(const char *path, const void *data, size_t bytes);
void bench_echo(int from, int to) __attribute__((noreturn));
void bench_sink(int from, int to, unsigned int bytes) __attribute__((noreturn));

#endif
