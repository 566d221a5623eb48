// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pipes and Unix sockets: a byte there and back, and a block with an answer.
 *
 * Owns: `lm_exchange()` and `lm_transfer()` on any two descriptors.
 * Fails: through `bench_die()`.
 */
#include "lmbench_ipc.h"
#include <sys/socket.h>

LM_ROW(lm_lat_pipe)
{
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) || pipe(back))
		bench_die("pipe");
	bench_batch();
	pid = bench_fork();
	if (!pid)
		bench_echo(there[0], back[1]);
	lm_exchange(samples, count, there[1], back[0]);
	bench_end(pid);
	return count;
}

LM_ROW(lm_bw_pipe)
{
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) || pipe(back))
		bench_die("pipe");
	bench_batch();
	pid = bench_fork();
	if (!pid)
		bench_sink(there[0], back[1], LM_TRANSFER_BYTES);
	lm_transfer(samples, count, there[1], back[0]);
	bench_end(pid);
	return count;
}

LM_ROW(lm_lat_unix)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		bench_die("socketpair");
	bench_batch();
	pid = bench_fork();
	if (!pid)
		bench_echo(ends[1], ends[1]);
	lm_exchange(samples, count, ends[0], ends[0]);
	bench_end(pid);
	return count;
}

LM_ROW(lm_bw_unix)
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		bench_die("socketpair");
	bench_batch();
	pid = bench_fork();
	if (!pid)
		bench_sink(ends[1], ends[1], LM_TRANSFER_BYTES);
	lm_transfer(samples, count, ends[0], ends[0]);
	bench_end(pid);
	return count;
}
