// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures programs of the root image: PID 1 of its own initramfs, or on any
 * machine with the file of a table as its argument.
 *
 * Owns: running the rows of the table, one line each:
 *	bench: <row> min=<ticks> med=<ticks> n=<runs>
 *	Ticks are those of RDTSC around fork, exec and wait. One run before them
 *	fills the page cache and does not count. `bench_row=<row>` in the
 *	environment runs that row alone.
 * Not here: mounting and ending (`guest.c`), the table (`table.c`).
 * Fails: one line that names row, command and the last line that it wrote to
 *	standard error; in the guest QEMU ends with status 35 instead of 33.
 */
#include "guest.h"
#include "table.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ERRORS	"/tmp/bench.errors"
#define OUTPUT	"/tmp/bench.output"	/* where a row with `rate` must write to */

extern char embedded_table[];

static char *const environment[] = {
	"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C",
	"PERL_HASH_SEED=0", "PERL_PERTURB_KEYS=0", "TERM=dumb", "OMP_NUM_THREADS=1", NULL
};

static inline uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static void redirect(int fd, const char *file, int flags)
{
	int from = open(file, flags, 0644);

	if (from < 0 || dup2(from, fd) != fd)
		_exit(126);
	close(from);
}

static void become(char **words, const char *in, const char *out)
{
	redirect(2, ERRORS, O_WRONLY | O_CREAT | O_TRUNC);
	redirect(0, in, O_RDONLY);
	redirect(1, out, O_WRONLY | O_CREAT | O_TRUNC);
	if (chdir("/tmp"))
		_exit(126);
	execvpe(words[0], words, environment);
	_exit(127);
}

static void complain(const char *row, const char *word, int status)
{
	char text[512] = "";
	FILE *f = fopen(ERRORS, "r");

	while (f && fgets(text, sizeof(text), f))
		;
	if (f)
		fclose(f);
	text[strcspn(text, "\n")] = 0;
	if (WIFSIGNALED(status))
		printf("bench: %s: %s ended by signal %d: %s\n", row, word,
		       WTERMSIG(status), text);
	else
		printf("bench: %s: %s ended with status %d: %s\n", row, word,
		       WEXITSTATUS(status),
		       WEXITSTATUS(status) == 127 ? "no such program" : text);
}

/* Ticks of one run of a command; 0 if it failed. */
static uint64_t once(const char *row, const char *command)
{
	const char *in = "/dev/null", *out = "/dev/null";
	char copy[4096], *words[TABLE_WORDS];
	uint64_t start;
	int status = 0;
	pid_t pid;

	if (strlen(command) >= sizeof(copy) ||
	    !table_words(strcpy(copy, command), words, &in, &out)) {
		printf("bench: %s: a command without words, or with too many\n", row);
		return 0;
	}
	start = ticks();
	pid = fork();
	if (!pid)
		become(words, in, out);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status) {
		if (pid < 0)
			printf("bench: %s: fork: %s\n", row, strerror(errno));
		else
			complain(row, words[0], status);
		return 0;
	}
	return ticks() - start;
}

/* Ticks for each of what a command says it did in a second, which has 10^9 ticks. */
static uint64_t inverse(const char *row, const char *word)
{
	FILE *f = fopen(OUTPUT, "r");
	char text[512], *at;
	double rate = 0;

	while (f && fgets(text, sizeof(text), f)) {
		at = strstr(text, word);
		if (at)
			rate = strtod(at + strlen(word), NULL);
	}
	if (f)
		fclose(f);
	if (rate > 0)
		return 1e9 / rate;
	printf("bench: %s: no number after %s in its output\n", row, word);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int measure(const struct table_row *r)
{
	uint64_t samples[TABLE_RUNS + 1];
	unsigned int i;

	for (i = 0; i < r->befores; i++)
		if (!once(r->name, r->before[i]))
			return 1;
	for (i = 0; i <= r->runs; i++) {
		if (r->prepare && !once(r->name, r->prepare))
			return 1;
		samples[i] = once(r->name, r->run);
		if (samples[i] && r->rate)
			samples[i] = inverse(r->name, r->rate);
		if (!samples[i])
			return 1;
	}
	if (getenv("bench_runs"))
		for (i = 0; i <= r->runs; i++)
			printf("# %s run %u: %llu\n", r->name, i, (unsigned long long)samples[i]);
	qsort(samples + 1, r->runs, sizeof(samples[0]), by_value);
	printf("bench: %s min=%llu med=%llu n=%u\n", r->name, (unsigned long long)samples[1],
	       (unsigned long long)samples[1 + r->runs / 2], r->runs);
	fflush(stdout);
	return 0;
}

static int run_table(char *text)
{
	const char *wrong, *only = getenv("bench_row");
	struct table_row rows[TABLE_ROWS];
	unsigned int i, n = table_read(text, rows, &wrong), ran = 0;

	if (!n)
		printf("bench: table: %s\n", wrong);
	for (i = 0; i < n; i++) {
		if (only && strcmp(only, rows[i].name))
			continue;
		if (measure(&rows[i]))
			return 1;
		ran++;
	}
	if (n && !ran)
		printf("bench: bench_row=%s: no such row\n", only);
	return !ran;
}

static int run_file(const char *path)
{
	static char text[1 << 16];
	FILE *f = fopen(path, "r");

	if (!f || !fread(text, 1, sizeof(text) - 1, f)) {
		printf("bench: %s: %s\n", path, f ? "empty" : strerror(errno));
		return 1;
	}
	fclose(f);
	return run_table(text);
}

/* The kernel logs every fault of PID 1, so PID 1 only waits. */
int main(int argc, char **argv)
{
	int status = 1;
	pid_t pid;

	if (getpid() != 1)
		return run_file(argc > 1 ? argv[1] : "");
	pid = guest_prepare() ? -1 : fork();
	if (!pid)
		exit(run_table(embedded_table));
	if (pid > 0 && waitpid(pid, &status, 0) != pid)
		status = 1;
	fflush(stdout);
	guest_end(status);
	return 1;
}
