// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks the monitor ROM to count the tests only.
 *
 * Owns: `pvtest_stats=1` on the command line, the requests on port 0xE8.
 * Not here: the counts, which the monitor writes to port 0xE9.
 * Runs: before the first and after the last test, in the first process.
 * Fails: one line; where no monitor listens, nothing happens.
 */
#include "runner.h"
#include <sys/io.h>

#define STATS_PORT	0xe8
#define STATS_PRINT	1
#define STATS_RESET	2

/* Access is given back: the tests of ioperm() begin without any. */
static void stats_request(unsigned char what)
{
	if (!cmdline_has("pvtest_stats=1"))
		return;
	if (ioperm(STATS_PORT, 1, 1)) {
		line_out("# no access to port %#x: %s", STATS_PORT,
			 strerror(errno));
		return;
	}
	outb(what, STATS_PORT);
	ioperm(STATS_PORT, 1, 0);
}

/**
 * stats_begin() - let the monitor forget what it counted during boot
 */
void stats_begin(void)
{
	stats_request(STATS_RESET);
}

/**
 * stats_end() - let the monitor print what it counted since stats_begin()
 */
void stats_end(void)
{
	stats_request(STATS_PRINT);
}
