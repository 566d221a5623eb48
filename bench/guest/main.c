// SPDX-License-Identifier: GPL-2.0-only
/*
 * The in-guest micro-benchmarks: PID 1 of its own initramfs, or started by the
 * test program for pvtest=bench.
 *
 * Owns: running the rows, one line each:
 *	bench: <row> min=<ticks> med=<ticks> n=<iterations>
 *	`bench_row=<row>` in the environment, where the kernel puts words of its
 *	command line that it does not know, runs that row alone.
 * Not here: the rows (`rows.c`).
 * Fails: one line, and QEMU ends with status 35 instead of 33.
 */
#include "bench.h"
#include <errno.h>
#include <string.h>
#include <sys/io.h>
#include <sys/reboot.h>
#include <sys/wait.h>

/* The isa-debug-exit device: QEMU ends with 2 * value + 1. */
#define DEBUG_EXIT_PORT	0xf4
#define EXIT_PASSED	0x10
#define EXIT_FAILED	0x11

#define COUNT_PORT	0xe8
#define COUNT_PRINT	1
#define COUNT_RESET	2

static uint32_t samples[BENCH_MOST];

static void end_guest(int failed)
{
	if (!ioperm(DEBUG_EXIT_PORT, 4, 1))
		outb(failed ? EXIT_FAILED : EXIT_PASSED, DEBUG_EXIT_PORT);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

void bench_die(const char *what)
{
	printf("bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Ask a hypervisor that counts to begin anew (2) or to print what it counted (1).
 * The port is given back at once: it would cost time in each context switch.
 */
static void count_request(unsigned char what)
{
	if (!getenv("bench_stats") || ioperm(COUNT_PORT, 1, 1))
		return;
	outb(what, COUNT_PORT);
	ioperm(COUNT_PORT, 1, 0);
}

static int run_rows(void)
{
	const char *only = getenv("bench_row");
	unsigned int i, n, ran = 0;

	memset(samples, 0, sizeof(samples));
	for (i = 0; i < bench_rows_count; i++) {
		const struct bench_row *r = &bench_rows[i];

		if (only && strcmp(only, r->name))
			continue;
		count_request(COUNT_RESET);
		n = r->run(samples, r->count);
		count_request(COUNT_PRINT);
		if (!n) {
			printf("bench: %s: no iteration counts\n", r->name);
			return 1;
		}
		qsort(samples, n, sizeof(samples[0]), by_value);
		printf("bench: %s min=%u med=%u n=%u\n", r->name, samples[0],
		       samples[n / 2], n);
		fflush(stdout);
		ran++;
	}
	if (!ran)
		printf("bench: bench_row=%s: no such row\n", only);
	return !ran;
}

/* The kernel logs every fault of PID 1, so PID 1 only waits. */
int main(int argc, char **argv)
{
	int status = 1;
	pid_t pid;

	if (argc > 1 && !strcmp(argv[1], BENCH_END_AT_ONCE))
		return 0;
	if (getpid() != 1)
		return run_rows();
	pid = fork();
	if (!pid)
		exit(run_rows());
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		printf("bench: rows ended with wait status %#x\n", status);
	fflush(stdout);
	end_guest(status);
	return 1;
}
