// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls that do next to nothing.
 *
 * Owns: one byte from the zero and to the null device, stat, open and close,
 *	select.
 * Fails: through `bench_die()`.
 */
#include "lmbench.h"
#include <fcntl.h>
#include <sys/select.h>

#define SELECT_FDS	100

LM_ROW(lm_read)
{
	int fd = bench_device("/bench.zero", 5);
	char c;

	BENCH_EACH(samples, count, sys(SYS_read, fd, (long)&c, 1));
	return count;
}

LM_ROW(lm_write)
{
	int fd = bench_device("/bench.null", 3);
	char c = 0;

	BENCH_EACH(samples, count, sys(SYS_write, fd, (long)&c, 1));
	return count;
}

LM_ROW(lm_stat)
{
	/* Larger than the kernel's structure in either door's form. */
	static char buffer[512];

	BENCH_EACH(samples, count, sys(BENCH_STAT, (long)"/init", (long)buffer, 0));
	return count;
}

LM_ROW(lm_open_close)
{
	BENCH_EACH(samples, count,
		   sys(SYS_close, sys(SYS_open, (long)"/init", O_RDONLY, 0), 0, 0));
	return count;
}

/* All are looked at, none is ready. */
LM_ROW(lm_select_100)
{
	struct timeval now = { 0 };
	fd_set set;
	int fds[2], fd, most;

	FD_ZERO(&set);
	if (pipe(fds))
		bench_die("pipe");
	for (fd = most = fds[0]; most < fds[0] + 2 * SELECT_FDS; ) {
		FD_SET(fd, &set);
		if (fd >= fds[0] + SELECT_FDS)
			break;
		fd = dup(fds[0]);
		if (fd < 0)
			bench_die("dup");
		most = fd;
	}
	BENCH_EACH(samples, count, ({
		fd_set asked = set;

		sys5(BENCH_SELECT, most + 1, (long)&asked, 0, 0, (long)&now);
	}));
	return count;
}
