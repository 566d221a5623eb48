/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two kinds of rows that talk to another process.
 *
 * Inline: each row has its own two RDTSC, by which its instructions are found.
 */
#ifndef BENCH_LMBENCH_IPC_H
#define BENCH_LMBENCH_IPC_H

#include "lmbench.h"

#define LM_BLOCK_BYTES		(64u << 10)
#define LM_TRANSFER_BYTES	(4 * LM_BLOCK_BYTES)

/* A byte to @to, a byte from @from. */
BENCH_SHARED void lm_exchange(uint32_t *samples, unsigned int count, int to, int from)
{
	char c = 0;

	BENCH_EACH(samples, count, ({
		sys(SYS_write, to, (long)&c, 1);
		sys(SYS_read, from, (long)&c, 1);
	}));
}

/* Four blocks to @to, then the byte from @from that says they have come. */
BENCH_SHARED void lm_transfer(uint32_t *samples, unsigned int count, int to, int from)
{
	static char block[LM_BLOCK_BYTES];
	char c = 0;

	BENCH_EACH(samples, count, ({
		unsigned int sent = 0;

		while (sent < LM_TRANSFER_BYTES)
			sent += sys(SYS_write, to, (long)block, LM_BLOCK_BYTES);
		sys(SYS_read, from, (long)&c, 1);
	}));
}

/* Descriptors of the row and of its partner: one pair of a socket, or of two pipes. */
struct lm_ends {
	int to, from;
	int partner_from, partner_to;
};

BENCH_SHARED unsigned int lm_latency(uint32_t *samples, unsigned int count, struct lm_ends e)
{
	pid_t pid;

	bench_batch();
	pid = bench_fork();
	if (!pid)
		bench_echo(e.partner_from, e.partner_to);
	lm_exchange(samples, count, e.to, e.from);
	bench_end(pid);
	return count;
}

BENCH_SHARED unsigned int lm_bandwidth(uint32_t *samples, unsigned int count, struct lm_ends e)
{
	pid_t pid;

	bench_batch();
	pid = bench_fork();
	if (!pid)
		bench_sink(e.partner_from, e.partner_to, LM_TRANSFER_BYTES);
	lm_transfer(samples, count, e.to, e.from);
	bench_end(pid);
	return count;
}

/* Two connected sockets. */
static inline struct lm_ends lm_sockets(const int ends[2])
{
	return (struct lm_ends){ ends[0], ends[0], ends[1], ends[1] };
}

#endif
