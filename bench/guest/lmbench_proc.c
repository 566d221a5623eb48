// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes: forked, made another program, started through a shell.
 *
 * Owns: the two programs that rows start, which travel inside this one
 *	(`programs.S`) so that the guest needs no other file.
 * Fails: through `bench_die()`.
 */
#include "lmbench.h"
#include <sys/stat.h>
#include <sys/wait.h>

#define HELLO	"/bench.hello"
#define SHELL	"/bin/sh"

extern const char hello_start[], hello_end[], shell_start[], shell_end[];

void lm_put_programs(void)
{
	mkdir("/bin", 0755);
	bench_put(HELLO, hello_start, hello_end - hello_start);
	bench_put(SHELL, shell_start, shell_end - shell_start);
}

/* The C library's fork, as a program would. */
LM_ROW(lm_forkproc)
{
	BENCH_EACH(samples, count, ({
		pid_t pid = bench_fork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}));
	return count;
}

BENCH_SHARED void start(const char *path, char *const *argv)
{
	static char *const envp[] = { NULL };
	pid_t pid = bench_fork();
	int status;

	if (!pid) {
		sys(SYS_execve, (long)path, (long)argv, (long)envp);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	if (status)
		bench_die(path);
}

LM_ROW(lm_execproc)
{
	static char *const argv[] = { HELLO, NULL };

	BENCH_EACH(samples, count, start(HELLO, argv));
	return count;
}

/* The shell looks the program up, forks unless it knows better, and waits. */
LM_ROW(lm_shproc)
{
	static char *const argv[] = { "sh", "-c", HELLO, NULL };

	BENCH_EACH(samples, count, start(SHELL, argv));
	return count;
}
