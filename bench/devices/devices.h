/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest of the device rows: disk, network, PostMark.
 *
 * Owns: what a moment is. One tick of RDTSC is one executed guest instruction with
 *	-icount shift=0; ticks that pass while the CPU idles are not executed.
 */
#ifndef BENCH_DEVICES_H
#define BENCH_DEVICES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct moment {
	uint64_t tsc;		/* ticks */
	uint64_t mono_ns;	/* the clock that the kernel takes idle time from */
	uint64_t idle_ns;	/* since boot, waiting for devices included */
	uint64_t soak;		/* turns of the soaker, 0 without one */
};

/* moment.c */
void moment_now(struct moment *m);
uint64_t moment_busy(const struct moment *from, const struct moment *to);
void moment_await_clock(void);
pid_t soaker_start(void);

/* run.c */
void die(const char *what) __attribute__((noreturn));
void die_plainly(const char *what) __attribute__((noreturn));
pid_t start(char *const argv[], int in_fd, int *out_fd);
void finish(const char *name, pid_t pid);
void run(char *const argv[]);
uint64_t median(uint64_t *samples, unsigned int count);
void report(const char *row, uint64_t *samples, unsigned int count);

/* io.c, net.c, postmark.c */
void io_mark(void);
void unit_io(void);
void unit_net(void);
void unit_postmark(void);

#endif
