// SPDX-License-Identifier: GPL-2.0-only
/*
 * What several rows need and none times: processes, devices, files, handlers.
 *
 * Owns: the partners at the other end of a pipe or socket, the file of the rows
 *	that map one.
 * Not here: `bench_die()` (`main.c`).
 * Fails: through `bench_die()`.
 */
#include "bench.h"
#include "random.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <ucontext.h>

#define FILE_PATH	"/bench.file"
#define SINK_BYTES	65536u

#ifdef __i386__
#define REG_IP	REG_EIP
#else
#define REG_IP	REG_RIP
#endif

pid_t bench_fork(void)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_die("fork");
	return pid;
}

void bench_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * From here on, who is woken does not push aside who woke it. Whether it would
 * depends on how long each has run, so that iterations take one of two paths by
 * chance; like this, all switch when the sender waits for the answer.
 */
void bench_batch(void)
{
	struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_BATCH, &none))
		bench_die("SCHED_BATCH");
}

void bench_random_ready(void)
{
	int fd = bench_device("/bench.random", 8);

	if (random_ready(fd))
		bench_die("RNDADDENTROPY");
	close(fd);
}

/* A memory device (major 1), without asking for a device file system. */
int bench_device(const char *path, unsigned int minor)
{
	int fd;

	if (mknod(path, S_IFCHR | 0600, makedev(1, minor)))
		bench_die(path);
	fd = open(path, O_RDWR);
	if (fd < 0 || unlink(path))
		bench_die(path);
	return fd;
}

/* The instructions that the rows let fault are all two bytes long. */
static void skip_insn(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)si;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_IP] += 2;
}

/* Let @sig skip the instruction that raised it. */
void bench_handle(int sig)
{
	struct sigaction sa = { .sa_sigaction = skip_insn, .sa_flags = SA_SIGINFO };

	if (sigaction(sig, &sa, NULL))
		bench_die("sigaction");
}

/* A file of @bytes in the page cache, without a name. */
int bench_file(unsigned int bytes)
{
	static char page[PAGE_BYTES];
	int fd = open(FILE_PATH, O_RDWR | O_CREAT | O_TRUNC, 0600);
	unsigned int at;

	if (fd < 0 || unlink(FILE_PATH))
		bench_die(FILE_PATH);
	for (at = 0; at < bytes; at += PAGE_BYTES)
		if (write(fd, page, PAGE_BYTES) != PAGE_BYTES)
			bench_die(FILE_PATH);
	return fd;
}

/* A program at @path; its directory exists. */
void bench_put(const char *path, const void *data, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || close(fd))
		bench_die(path);
}

/* Give each byte back, until there is nobody to give it to. */
void bench_echo(int from, int to)
{
	char c;

	while (sys(SYS_read, from, (long)&c, 1) == 1)
		sys(SYS_write, to, (long)&c, 1);
	_exit(0);
}

/* Take @bytes, answer with one, again and again. */
void bench_sink(int from, int to, unsigned int bytes)
{
	static char buffer[SINK_BYTES];
	char c = 0;

	for (;;) {
		unsigned int left = bytes;

		while (left) {
			long got = sys(SYS_read, from, (long)buffer,
				       left < SINK_BYTES ? left : SINK_BYTES);

			if (got <= 0)
				_exit(0);
			left -= got;
		}
		sys(SYS_write, to, (long)&c, 1);
	}
}
