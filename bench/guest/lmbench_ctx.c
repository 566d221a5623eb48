// SPDX-License-Identifier: GPL-2.0-only
/*
 * Context switches: processes in a ring of pipes pass a byte on.
 *
 * Owns: rings by number of processes and by the memory that each looks at
 *	between receiving and passing on.
 * Not here: the cost of caches and TLBs, which counting instructions hides.
 * Fails: through `bench_die()`.
 */
#include "lmbench.h"
#include <sys/wait.h>

#define MOST_PROCESSES	16
#define LINE_BYTES	64u

static char *memory;

/* One load per cache line. */
BENCH_SHARED void look_at(unsigned int bytes)
{
	unsigned int at;

	for (at = 0; at < bytes; at += LINE_BYTES)
		(void)*(volatile char *)(memory + at);
}

static void pass_on(int from, int to, unsigned int bytes)
{
	char c;

	while (sys(SYS_read, from, (long)&c, 1) == 1) {
		look_at(bytes);
		sys(SYS_write, to, (long)&c, 1);
	}
	_exit(0);
}

/* Memory of one's own, present. */
static void take_memory(unsigned int bytes)
{
	unsigned int at;

	memory = malloc(bytes + 1);
	if (!memory)
		bench_die("malloc");
	for (at = 0; at < bytes; at += PAGE_BYTES)
		*(volatile char *)(memory + at) = 1;
}

/* Process 0, which is this one, writes into pipe 0 and reads from the last. */
static void make_ring(unsigned int processes, unsigned int bytes, int ends[2])
{
	int pipes[MOST_PROCESSES][2];
	unsigned int i;

	for (i = 0; i < processes; i++)
		if (pipe(pipes[i]))
			bench_die("pipe");
	for (i = 1; i < processes; i++) {
		if (bench_fork())
			continue;
		take_memory(bytes);
		pass_on(pipes[i - 1][0], pipes[i][1], bytes);
	}
	take_memory(bytes);
	ends[0] = pipes[processes - 1][0];
	ends[1] = pipes[0][1];
}

/* A sample is one round: as many switches as processes. */
BENCH_SHARED unsigned int ring(uint32_t *samples, unsigned int count,
			       unsigned int processes, unsigned int bytes)
{
	int ends[2];
	char c = 0;

	bench_batch();
	make_ring(processes, bytes, ends);
	BENCH_EACH(samples, count, ({
		sys(SYS_write, ends[1], (long)&c, 1);
		sys(SYS_read, ends[0], (long)&c, 1);
		look_at(bytes);
	}));
	return count;
}

LM_ROW(lm_ctx_2p_0k)
{
	return ring(samples, count, 2, 0);
}

LM_ROW(lm_ctx_2p_16k)
{
	return ring(samples, count, 2, 16u << 10);
}

LM_ROW(lm_ctx_8p_0k)
{
	return ring(samples, count, 8, 0);
}

LM_ROW(lm_ctx_8p_16k)
{
	return ring(samples, count, 8, 16u << 10);
}

LM_ROW(lm_ctx_16p_64k)
{
	return ring(samples, count, 16, 64u << 10);
}
