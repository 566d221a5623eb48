// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IOMeter rows: fio with O_DIRECT on a whole virtio disk.
 *
 * Owns: the rows, fio's words, the marks around each job.
 * Not here: the disk; the bench's words for QEMU decide what it is.
 * Runs: this program as MARK too: fio starts it before and after each job.
 * Fails: through `die()`.
 */
#include "devices.h"
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIO		"/usr/bin/fio"
#define DISK		"/dev/vdb"
#define MARK		"/tmp/mark"
#define MARKS		"/tmp/marks"
#define FIRST		"bench_fio"
#define SOAKER		"bench_soaker"
#define FEW		"1"
#define FEW_JOBS	2
#define MANY		"301"
#define MANY_JOBS	3
#define WORDS_MAX	500

static const struct io_row {
	const char *name, *block, *way;
} rows[] = {
	{ "read_seq_4k", "4k", "read" },
	{ "read_seq_16k", "16k", "read" },
	{ "read_seq_32k", "32k", "read" },
	{ "write_seq_4k", "4k", "write" },
	{ "write_seq_16k", "16k", "write" },
	{ "write_seq_32k", "32k", "write" },
	{ "read_rand_4k", "4k", "randread" },
	{ "read_rand_16k", "16k", "randread" },
	{ "read_rand_32k", "32k", "randread" },
	{ "write_rand_4k", "4k", "randwrite" },
	{ "write_rand_16k", "16k", "randwrite" },
	{ "write_rand_32k", "32k", "randwrite" },
};

static char *words[WORDS_MAX];
static unsigned int words_count;

static void tell(const char *variable, int signal)
{
	const char *pid = getenv(variable);

	if (!pid || kill(atoi(pid), signal))
		die(variable);
}

/**
 * io_mark() - append the present moment to the marks, at the begin or end of a job
 *
 * Between the two fio's first process is stopped: all that it does is to look every
 * 10 ms whether the job has ended. The soaker runs instead of idling.
 */
void io_mark(void)
{
	int fd = open(MARKS, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	const bool end = lseek(fd, 0, SEEK_END) / sizeof(struct moment) % 2;
	struct moment m;

	if (!end)
		tell(FIRST, SIGSTOP);
	tell(SOAKER, end ? SIGSTOP : SIGCONT);
	moment_now(&m);
	if (write(fd, &m, sizeof(m)) != sizeof(m))
		die(MARKS);
	if (end)
		tell(FIRST, SIGCONT);
}

/* What marks find in their environment. */
static void set_pid(const char *variable, pid_t pid)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	if (setenv(variable, number, 1))
		die(variable);
}

static void word(const char *format, const char *value)
{
	if (words_count == WORDS_MAX - 1)
		die_plainly("fio: too many words");
	if (asprintf(&words[words_count++], format, value) < 0)
		die("asprintf");
}

static void job(const struct io_row *row, const char *ios)
{
	word("--name=%s", row->name);
	word("--bs=%s", row->block);
	word("--rw=%s", row->way);
	word("--number_ios=%s", ios);
}

/* All jobs in one fio, one after the other, so that it starts once. */
static void fio_words(void)
{
	static const char *const all[] = {
		"--filename=" DISK, "--direct=1", "--ioengine=psync", "--size=256m",
		"--randrepeat=1", "--gtod_reduce=1", "--disk_util=0", "--eta=never",
		"--stonewall", "--output=/tmp/fio.log", "--exec_prerun=" MARK,
		"--exec_postrun=" MARK,
	};
	unsigned int i, k;

	word("%s", FIO);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		word("%s", all[i]);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (k = 0; k < FEW_JOBS + MANY_JOBS; k++)
			job(&rows[i], k < FEW_JOBS ? FEW : MANY);
}

/* The root image is read-only: the command that fio starts is a copy of ours. */
static void install_mark(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(MARK, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	struct stat st;

	if (from < 0 || to < 0 || fstat(from, &st) ||
	    sendfile(to, from, NULL, st.st_size) != st.st_size)
		die(MARK);
	close(from);
	close(to);
}

static void run_fio(void)
{
	pid_t soaker = soaker_start(), pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		set_pid(FIRST, getpid());
		set_pid(SOAKER, soaker);
		if (chdir("/tmp"))
			die("/tmp");
		execv(FIO, words);
		die(FIO);
	}
	finish(FIO, pid);
	kill(soaker, SIGKILL);
}

/* The instructions of the next job. */
static uint64_t next_busy(int fd)
{
	struct moment marks[2];

	if (read(fd, marks, sizeof(marks)) != sizeof(marks))
		die_plainly("fio: a job without its marks");
	return moment_busy(&marks[0], &marks[1]);
}

/* The instructions of the next jobs, and the fewest of them. */
static uint64_t next_jobs(int fd, uint64_t *busy, unsigned int count)
{
	uint64_t least = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < count; i++) {
		busy[i] = next_busy(fd);
		if (busy[i] < least)
			least = busy[i];
	}
	return least;
}

/**
 * unit_io() - measure the rows: instructions of one I/O
 *
 * Starting and ending a job costs what a job of a single I/O costs. When the host
 * holds QEMU up, the disk may answer before the guest has gone to sleep, which is
 * a shorter path: the median of the jobs counts, not the least.
 */
void unit_io(void)
{
	uint64_t few[FEW_JOBS], many[MANY_JOBS], least;
	unsigned int i, k;
	int fd;

	install_mark();
	fio_words();
	run_fio();
	fd = open(MARKS, O_RDONLY | O_CLOEXEC);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		least = next_jobs(fd, few, FEW_JOBS);
		next_jobs(fd, many, MANY_JOBS);
		for (k = 0; k < MANY_JOBS; k++)
			many[k] = (many[k] - least) / (atoi(MANY) - atoi(FEW));
		report(rows[i].name, many, MANY_JOBS);
	}
	close(fd);
}
