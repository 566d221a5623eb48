// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pipes and Unix sockets: a byte there and back, and a block with an answer.
 *
 * Owns: making both.
 * Not here: what a row does with them (`lmbench_ipc.h`).
 * Fails: through `bench_die()`.
 */
#include "lmbench_ipc.h"
#include <sys/socket.h>

static struct lm_ends two_pipes(void)
{
	int there[2], back[2];

	if (pipe(there) || pipe(back))
		bench_die("pipe");
	return (struct lm_ends){ there[1], back[0], there[0], back[1] };
}

static struct lm_ends unix_sockets(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		bench_die("socketpair");
	return lm_sockets(ends);
}

LM_ROW(lm_lat_pipe)
{
	return lm_latency(samples, count, two_pipes());
}

LM_ROW(lm_bw_pipe)
{
	return lm_bandwidth(samples, count, two_pipes());
}

LM_ROW(lm_lat_unix)
{
	return lm_latency(samples, count, unix_sockets());
}

LM_ROW(lm_bw_unix)
{
	return lm_bandwidth(samples, count, unix_sockets());
}
