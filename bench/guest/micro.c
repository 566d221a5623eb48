// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of the published table of kernel micro-benchmarks, and two of ours.
 *
 * Owns: the unit `micro`: its loops and its table.
 * Not here: statistics and printing (`main.c`), comparing kernels.
 * Runs: on one CPU, in one process unless the row needs two.
 * Fails: through `bench_die()`.
 */
#include "bench.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define CPU_TURNS	10000000
#define FILE_BYTES	(1u << 20)
#define TOUCH_BYTES	(16u << 10)

static unsigned int run_getppid(uint32_t *samples, unsigned int count)
{
	BENCH_EACH(samples, count, sys(SYS_getppid, 0, 0, 0));
	return count;
}

static unsigned int run_divzero(uint32_t *samples, unsigned int count)
{
	bench_handle(SIGFPE);
	BENCH_EACH(samples, count, ({
		asm volatile("div %%ecx" : : "a" (1), "d" (0), "c" (0) : "cc");
	}));
	return count;
}

static unsigned int run_segv(uint32_t *samples, unsigned int count)
{
	bench_handle(SIGSEGV);
	BENCH_EACH(samples, count, ({
		asm volatile("mov (%0), %%eax" : : "c" (0L) : "eax", "memory");
	}));
	return count;
}

/* One byte there and back: four system calls, two switches. */
static unsigned int run_lat_pipe(uint32_t *samples, unsigned int count)
{
	int there[2], back[2];
	char c = 0;
	pid_t pid;

	if (pipe(there) || pipe(back))
		bench_die("pipe");
	pid = bench_fork();
	if (!pid) {
		close(there[1]);
		bench_echo(there[0], back[1]);
	}
	BENCH_EACH(samples, count, ({
		sys(SYS_write, there[1], (long)&c, 1);
		sys(SYS_read, back[0], (long)&c, 1);
	}));
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
	pid = bench_fork();
	while (!pid) {
		++*turns;
		sys(SYS_sched_yield, 0, 0, 0);
	}
	/*
	 * A new process starts a time slice behind, and its first turns take
	 * another path of the scheduler: let these pass.
	 */
	while (*turns < 100)
		sys(SYS_sched_yield, 0, 0, 0);
	for (i = 0; i < count; i++) {
		uint32_t before = *turns, start = ticks();

		sys(SYS_sched_yield, 0, 0, 0);
		samples[kept] = ticks() - start;
		kept += *turns == before + 1;
	}
	bench_end(pid);
	return kept;
}

static unsigned int run_nforkwait(uint32_t *samples, unsigned int count)
{
	BENCH_EACH(samples, count, ({
		long pid = sys(SYS_fork, 0, 0, 0);

		if (!pid)
			sys(SYS_exit, 0, 0, 0);
		sys_wait(pid);
	}));
	return count;
}

/* Map a cached file, write every 16 KiB, unmap. */
static unsigned int run_mmap(uint32_t *samples, unsigned int count)
{
	int fd = bench_file(FILE_BYTES);
	unsigned int at;

	BENCH_EACH(samples, count, ({
		volatile char *p = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE,
					MAP_SHARED, fd, 0);

		if (p == MAP_FAILED)
			bench_die("mmap");
		for (at = 0; at < FILE_BYTES; at += TOUCH_BYTES)
			p[at] = 1;
		munmap((void *)p, FILE_BYTES);
	}));
	close(fd);
	return count;
}

/* A process that becomes another program, which ends at once. */
static unsigned int run_exec(uint32_t *samples, unsigned int count)
{
	static char *argv[] = { "/init", BENCH_END_AT_ONCE, NULL };
	static char *envp[] = { NULL };

	BENCH_EACH(samples, count, ({
		long pid = sys(SYS_fork, 0, 0, 0);

		if (!pid) {
			sys(SYS_execve, (long)argv[0], (long)argv, (long)envp);
			_exit(1);
		}
		sys_wait(pid);
	}));
	return count;
}

/* No system call, long enough for several timer ticks. */
static unsigned int run_cpu(uint32_t *samples, unsigned int count)
{
	BENCH_EACH(samples, count, ({
		uint32_t turns = CPU_TURNS;

		asm volatile("1: dec %0\n\tjnz 1b" : "+r" (turns) : : "cc");
	}));
	return count;
}

static const struct bench_row rows[] = {
	{ "getppid",	run_getppid,	3000,	100 },
	{ "divzero",	run_divzero,	1500,	100 },
	{ "segv",	run_segv,	1500,	100 },
	{ "lat_pipe",	run_lat_pipe,	1500,	100 },
	{ "switch",	run_switch,	1500,	100 },
	{ "nforkwait",	run_nforkwait,	400,	50 },
	{ "mmap",	run_mmap,	400,	50 },
	{ "exec",	run_exec,	400,	50 },
	{ "cpu",	run_cpu,	20,	1 },
};

const struct bench_unit unit_micro = {
	.name = "micro",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
};
