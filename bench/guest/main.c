// SPDX-License-Identifier: GPL-2.0-only
/*
 * The in-guest benchmarks: PID 1 of its own initramfs, or started by the test
 * program for pvtest=bench.
 *
 * Owns: running the rows, one line each:
 *	bench: <row> min=<ticks> med=<ticks> n=<iterations>
 *	Words of the kernel's command line that it does not know become environment:
 *	`bench_unit=<unit>` selects the rows (default: micro), `bench_row=<row>` one
 *	of them, `bench_samples=1` also prints every iteration.
 * Not here: the rows (`micro.c`, `lmbench.c`).
 * Fails: one line, and QEMU ends with status 35 instead of 33.
 */
#include "bench.h"
#include <errno.h>
#include <signal.h>
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

/* One row, in this process. */
static int run_row(const struct bench_row *r)
{
	unsigned int n, i;
	uint32_t *kept = samples + r->warm_up;

	memset(samples, 0, sizeof(samples));
	count_request(COUNT_RESET);
	n = r->run(samples, r->warm_up + r->count);
	count_request(COUNT_PRINT);
	if (n <= r->warm_up) {
		printf("bench: %s: no iteration counts\n", r->name);
		return 1;
	}
	n -= r->warm_up;
	for (i = 0; getenv("bench_samples") && i < n; i++)
		printf("sample: %s %u\n", r->name, kept[i]);
	qsort(kept, n, sizeof(kept[0]), by_value);
	printf("bench: %s min=%u med=%u n=%u\n", r->name, kept[0], kept[n / 2], n);
	return 0;
}

/* Nothing that a row started outlives it. */
static int run_apart(const struct bench_row *r)
{
	int status = 1;
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		exit(run_row(r));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		printf("bench: %s ended with wait status %#x\n", r->name, status);
	kill(-pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	fflush(stdout);
	return status;
}

static int run_rows(const struct bench_unit *u)
{
	const char *only = getenv("bench_row");
	unsigned int i, ran = 0;

	bench_random_ready();
	if (u->set_up)
		u->set_up();
	for (i = 0; i < u->count; i++) {
		if (only && strcmp(only, u->rows[i].name))
			continue;
		if (run_apart(&u->rows[i]))
			return 1;
		ran++;
	}
	if (!ran)
		printf("bench: bench_row=%s: no such row in unit %s\n", only, u->name);
	return !ran;
}

static int run_unit(void)
{
	static const struct bench_unit *const units[] = { &unit_micro, &unit_lmbench };
	const char *name = getenv("bench_unit");
	unsigned int i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(name ? name : "micro", units[i]->name))
			return run_rows(units[i]);
	printf("bench: bench_unit=%s: use micro or lmbench\n", name);
	return 1;
}

int main(int argc, char **argv)
{
	int failed;

	if (argc > 1 && !strcmp(argv[1], BENCH_END_AT_ONCE))
		return 0;
	/* Firmware may have left the cursor behind control characters. */
	printf("\n");
	failed = run_unit();
	fflush(stdout);
	if (getpid() == 1)
		end_guest(failed);
	return failed;
}
