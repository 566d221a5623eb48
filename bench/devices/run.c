// SPDX-License-Identifier: GPL-2.0-only
/*
 * Starts the measured programs, watches how they end, prints the rows.
 *
 * Owns: fork, exec, pipes, one line when something fails, the line of a row:
 *	bench: <row> min=<instructions> med=<instructions> n=<samples>
 */
#include "devices.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/** die_plainly() - end with one line that says what went wrong */
void die_plainly(const char *what)
{
	printf("bench: %s\n", what);
	fflush(stdout);
	_exit(1);
}

/** die() - end with one line that says what went wrong, and errno's text */
void die(const char *what)
{
	printf("bench: %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(1);
}

/**
 * start() - start a program
 * @argv: its words; the first is its path
 * @in_fd: what becomes its standard input; -1 for none
 * @out_fd: where to put the reading end of its standard output; NULL to share ours
 */
pid_t start(char *const argv[], int in_fd, int *out_fd)
{
	int ends[2] = { -1, -1 };
	pid_t pid;

	fflush(stdout);
	if (out_fd && pipe(ends))
		die("pipe");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (in_fd >= 0)
			dup2(in_fd, 0);
		if (out_fd) {
			dup2(ends[1], 1);
			close(ends[0]);
			close(ends[1]);
		}
		execv(argv[0], argv);
		die(argv[0]);
	}
	if (out_fd) {
		close(ends[1]);
		*out_fd = ends[0];
	}
	return pid;
}

/** finish() - wait until a program has ended well */
void finish(const char *name, pid_t pid)
{
	char text[200];
	int status;

	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	if (status) {
		snprintf(text, sizeof(text), "%s ended with wait status %#x", name, status);
		die_plainly(text);
	}
}

/** run() - run a program until it has ended well */
void run(char *const argv[])
{
	finish(argv[0], start(argv, -1, NULL));
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * median() - the one in the middle, the upper one of two
 * @samples: sorted on return
 * @count: how many, at least 1
 */
uint64_t median(uint64_t *samples, unsigned int count)
{
	qsort(samples, count, sizeof(*samples), by_value);
	return samples[count / 2];
}

/**
 * report() - print a row
 * @row: its name
 * @samples: instructions; sorted on return
 * @count: how many, at least 1
 */
void report(const char *row, uint64_t *samples, unsigned int count)
{
	uint64_t middle;
	unsigned int i;

	if (getenv("bench_runs"))
		for (i = 0; i < count; i++)
			printf("# %s run %u: %llu\n", row, i, (unsigned long long)samples[i]);
	middle = median(samples, count);
	printf("bench: %s min=%llu med=%llu n=%u\n", row, (unsigned long long)samples[0],
	       (unsigned long long)middle, count);
	fflush(stdout);
}
