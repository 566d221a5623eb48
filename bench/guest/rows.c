// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is measured: one kernel path per row, each iteration by itself.
 *
 * Owns: the row table and the loops.
 * Not here: statistics and printing (`main.c`), comparing kernels (`quick.py`).
 * Runs: on one CPU, in one process unless the row needs two.
 * Fails: through `bench_die()`.
 */
#include "bench.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>

#define CPU_TURNS	10000000
#define PAGE_BYTES	4096u
#define FILE_BYTES	(1u << 20)
#define TOUCH_BYTES	(16u << 10)

static unsigned int run_getppid(uint32_t *samples, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t start = ticks();

		int80(SYS_getppid, 0, 0, 0);
		samples[i] = ticks() - start;
	}
	return count;
}

/* Both faulting instructions below are two bytes long. */
static void skip_insn(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)si;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EIP] += 2;
}

static void handle(int sig)
{
	struct sigaction sa = { .sa_sigaction = skip_insn, .sa_flags = SA_SIGINFO };

	if (sigaction(sig, &sa, NULL))
		bench_die("sigaction");
}

static unsigned int run_divzero(uint32_t *samples, unsigned int count)
{
	unsigned int i;

	handle(SIGFPE);
	for (i = 0; i < count; i++) {
		uint32_t start = ticks();

		asm volatile("div %%ecx" : : "a" (1), "d" (0), "c" (0) : "cc");
		samples[i] = ticks() - start;
	}
	return count;
}

static unsigned int run_segv(uint32_t *samples, unsigned int count)
{
	unsigned int i;

	handle(SIGSEGV);
	for (i = 0; i < count; i++) {
		uint32_t start = ticks();

		asm volatile("mov (%%ecx), %%eax" : : "c" (0) : "eax", "memory");
		samples[i] = ticks() - start;
	}
	return count;
}

static pid_t fork_or_die(void)
{
	pid_t pid = fork();

	if (pid < 0)
		bench_die("fork");
	return pid;
}

static void echo_bytes(int from, int to)
{
	char c;

	while (int80(SYS_read, from, (long)&c, 1) == 1)
		int80(SYS_write, to, (long)&c, 1);
	_exit(0);
}

/* One byte there and back: four system calls, two switches. */
static unsigned int run_lat_pipe(uint32_t *samples, unsigned int count)
{
	int there[2], back[2];
	unsigned int i;
	char c = 0;
	pid_t pid;

	if (pipe(there) || pipe(back))
		bench_die("pipe");
	pid = fork_or_die();
	if (!pid) {
		close(there[1]);
		echo_bytes(there[0], back[1]);
	}
	for (i = 0; i < count; i++) {
		uint32_t start = ticks();

		int80(SYS_write, there[1], (long)&c, 1);
		int80(SYS_read, back[0], (long)&c, 1);
		samples[i] = ticks() - start;
	}
	close(there[1]);
	waitpid(pid, NULL, 0);
	return count;
}

/* Yield to another process and be yielded back to; others do not count. */
static unsigned int run_switch(uint32_t *samples, unsigned int count)
{
	volatile uint32_t *turns = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE,
					MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int i, kept = 0;
	pid_t pid;

	if (turns == MAP_FAILED)
		bench_die("mmap");
	pid = fork_or_die();
	while (!pid) {
		++*turns;
		int80(SYS_sched_yield, 0, 0, 0);
	}
	/*
	 * A new process starts a time slice behind, and its first turns take
	 * another path of the scheduler: let these pass.
	 */
	while (*turns < 100)
		int80(SYS_sched_yield, 0, 0, 0);
	for (i = 0; i < count; i++) {
		uint32_t before = *turns, start = ticks();

		int80(SYS_sched_yield, 0, 0, 0);
		samples[kept] = ticks() - start;
		kept += *turns == before + 1;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return kept;
}

static unsigned int run_nforkwait(uint32_t *samples, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t start = ticks();
		long pid = int80(SYS_fork, 0, 0, 0);

		if (!pid)
			int80(SYS_exit, 0, 0, 0);
		int80(SYS_waitpid, pid, 0, 0);
		samples[i] = ticks() - start;
	}
	return count;
}

/* Map a cached file, write every 16 KiB, unmap. */
static unsigned int run_mmap(uint32_t *samples, unsigned int count)
{
	static char page[PAGE_BYTES];
	int fd = open("/bench.file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	unsigned int i, at;

	for (at = 0; at < FILE_BYTES; at += PAGE_BYTES)
		if (write(fd, page, PAGE_BYTES) != PAGE_BYTES)
			bench_die("/bench.file");
	for (i = 0; i < count; i++) {
		uint32_t start = ticks();
		volatile char *p = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					MAP_SHARED, fd, 0);

		if (p == MAP_FAILED)
			bench_die("mmap");
		for (at = 0; at < FILE_BYTES; at += TOUCH_BYTES)
			p[at] = 1;
		munmap((void *)p, FILE_BYTES);
		samples[i] = ticks() - start;
	}
	unlink("/bench.file");
	close(fd);
	return count;
}

/* A process that becomes another program, which ends at once. */
static unsigned int run_exec(uint32_t *samples, unsigned int count)
{
	static char *argv[] = { "/init", BENCH_END_AT_ONCE, NULL };
	static char *envp[] = { NULL };
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t start = ticks();
		long pid = int80(SYS_fork, 0, 0, 0);

		if (!pid) {
			int80(SYS_execve, (long)argv[0], (long)argv, (long)envp);
			_exit(1);
		}
		int80(SYS_waitpid, pid, 0, 0);
		samples[i] = ticks() - start;
	}
	return count;
}

/* No system call, long enough for several timer ticks. */
static unsigned int run_cpu(uint32_t *samples, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		uint32_t start = ticks(), turns = CPU_TURNS;

		asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
		samples[i] = ticks() - start;
	}
	return count;
}

const struct bench_row bench_rows[] = {
	{ "getppid",	run_getppid,	3000 },
	{ "divzero",	run_divzero,	1500 },
	{ "segv",	run_segv,	1500 },
	{ "lat_pipe",	run_lat_pipe,	1500 },
	{ "switch",	run_switch,	1500 },
	{ "nforkwait",	run_nforkwait,	400 },
	{ "mmap",	run_mmap,	400 },
	{ "exec",	run_exec,	200 },
	{ "cpu",	run_cpu,	20 },
};
const unsigned int bench_rows_count = sizeof(bench_rows) / sizeof(bench_rows[0]);
