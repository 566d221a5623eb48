/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two loops of the rows that talk to another process.
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

#endif
