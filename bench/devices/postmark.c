// SPDX-License-Identifier: GPL-2.0-only
/*
 * PostMark on a new ext4 file system of a virtio disk.
 *
 * Owns: the parameters, a moment at each phase, the rows from PostMark's counts.
 *	PostMark tells whole seconds of a clock; the rows tell the instructions of
 *	the phase in which PostMark counts a rate, for one of what the rate counts.
 * Not here: the disk; the bench's words for QEMU decide what it is.
 * Fails: through `die()`.
 */
#include "devices.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define UUID		"8c1d6c1e-6f0b-4b5e-8d0e-3f6f5c6d2a10"
#define POSTMARK	"/usr/bin/postmark"
#define DISK		"/dev/vdb"
#define PLACE		"/mnt"
#define SAID_MAX	8192
/* The published run has 10000 files and 20000 transactions: DIVISOR 1. */
#define FILES		10000
#define TRANSACTIONS	20000
#define DIVISOR		4

/* What PostMark prints when a phase begins; the last one ends the run. */
enum phase { CREATION, TRANSACTION, DELETION, END, PHASES };
static const char *const begins[PHASES] = {
	"Creating files", "Performing transactions", "Deleting files", "Time:",
};

static const struct pm_row {
	const char *name;
	enum phase from, to;
	const char *section, *counted;	/* where PostMark's report has the count */
} rows[] = {
	{ "pm_total", CREATION, END, NULL, NULL },
	{ "pm_transactions_phase", TRANSACTION, DELETION, NULL, NULL },
	{ "pm_transaction", TRANSACTION, DELETION, "", NULL },
	{ "pm_created", CREATION, END, "Files:", "%lf created" },
	{ "pm_created_alone", CREATION, TRANSACTION, "created", "Creation alone: %lf" },
	{ "pm_created_mixed", TRANSACTION, DELETION, "alone:", "Mixed with transactions: %lf" },
	{ "pm_read", TRANSACTION, DELETION, "Mixed", "%lf read" },
	{ "pm_appended", TRANSACTION, DELETION, "Mixed", "%lf appended" },
	{ "pm_deleted", CREATION, END, "appended", "%lf deleted" },
	{ "pm_deleted_alone", DELETION, END, "deleted", "Deletion alone: %lf" },
	{ "pm_deleted_mixed", TRANSACTION, DELETION, "Deletion", "Mixed with transactions: %lf" },
	{ "pm_data_read", CREATION, END, "Data:", "%lf megabytes read" },
	{ "pm_data_written", CREATION, END, "Data:", "%lf megabytes written" },
};

static struct moment at[PHASES];
static char said[SAID_MAX];

/* Of files and transactions; `bench_postmark=full` on the command line takes all. */
static unsigned int divisor(void)
{
	const char *size = getenv("bench_postmark");

	return size && !strcmp(size, "full") ? 1 : DIVISOR;
}

static void make_file_system(void)
{
	/* Nothing is left to be initialised later, in the background. */
	char *argv[] = { "/sbin/mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-N", "16384",
			 "-U", UUID, "-E", "lazy_itable_init=0,lazy_journal_init=0,hash_seed=" UUID,
			 DISK, NULL };

	run(argv);
	if (mount(DISK, PLACE, "ext4", MS_NOATIME, NULL))
		die("mount " DISK);
}

/* Take a moment at each phase that the text has come to. */
static void look(enum phase *next)
{
	while (*next < PHASES && strstr(said, begins[*next]))
		moment_now(&at[(*next)++]);
}

static void run_postmark(void)
{
	char *argv[] = { POSTMARK, NULL }, commands[256];
	enum phase next = CREATION;
	int in[2], out, n;
	size_t len = 0;
	ssize_t got;
	pid_t pid;

	n = snprintf(commands, sizeof(commands), "set number %u\nset transactions %u\n"
		     "set subdirectories 5\nset size 500 100000\nset read 4096\n"
		     "set write 4096\nset location " PLACE "\nrun\nquit\n",
		     FILES / divisor(), TRANSACTIONS / divisor());
	if (pipe(in) || write(in[1], commands, n) != n)
		die("pipe");
	close(in[1]);
	pid = start(argv, in[0], &out);
	while ((got = read(out, said + len, sizeof(said) - 1 - len)) > 0) {
		len += got;
		look(&next);
	}
	close(out);
	finish(POSTMARK, pid);
	if (getenv("bench_show"))
		printf("%s\n", said);
	if (next != PHASES)
		die_plainly("PostMark: a phase did not begin");
}

/* The number that a row counts, from the first line that fits behind its section. */
static double count_of(const struct pm_row *row)
{
	const char *line = strstr(said, row->section);
	double number;

	if (!row->counted)
		return TRANSACTIONS / divisor();
	for (; line; line = strchr(line + 1, '\n')) {
		char format[64];
		int used = 0;

		snprintf(format, sizeof(format), " %s%%n", row->counted);
		if (sscanf(line, format, &number, &used) == 1 && used && number > 0)
			return number;
	}
	die_plainly("PostMark: its report lacks a number");
}

/** unit_postmark() - measure the rows: instructions of a phase for what it counts */
void unit_postmark(void)
{
	unsigned int i;

	make_file_system();
	run_postmark();
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct pm_row *row = &rows[i];
		uint64_t busy = moment_busy(&at[row->from], &at[row->to]);

		if (row->section)
			busy = (uint64_t)((double)busy / count_of(row));
		report(row->name, &busy, 1);
	}
}
