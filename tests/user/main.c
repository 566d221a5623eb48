// SPDX-License-Identifier: GPL-2.0-only
/*
 * The in-guest test program, PID 1 of the initramfs.
 *
 * Owns: the modes: pvtest=all|quick|mutate|bench|soak|shell, pvtest_only=<names>,
 *	pvtest_not=<names>;
 *	`--host [names]` on a development machine; `--exec-echo`, the program
 *	that the exec test starts.
 * Not here: running tests (`runner.c`), the guest around them (`setup.c`).
 * Fails: an unknown mode or a missing program is one line and a failed run.
 */
#include "runner.h"

/* The exec test's other half: tell by the exit status what arrived. */
static int exec_echo(int argc, char **argv)
{
	const char *env = getenv("PVTEST");

	return argc == 3 && env && !strcmp(env, argv[2]) ? 42 : 1;
}

/* Run another program of the initramfs; false when it cannot be started. */
static bool run_program(const char *path, char *const argv[])
{
	pid_t pid;
	int status;

	if (access(path, X_OK)) {
		line_out("not ok - %s: %s; put it into the initramfs", path,
			 strerror(errno));
		return false;
	}
	pid = fork();
	if (!pid) {
		setsid();
		execv(path, argv);
		line_out("not ok - %s: %s; it must be a static i386 program", path,
			 strerror(errno));
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* pvtest_only= and pvtest_not= of the command line: comma-separated names. */
static void choose(struct choice *which)
{
	static char only[1024], without[1024];

	if (cmdline_value("pvtest_only", only, sizeof(only)))
		which->only = only;
	if (cmdline_value("pvtest_not", without, sizeof(without)))
		which->without = without;
}

static bool run_mode(const char *mode)
{
	struct choice which = { 0 };
	char *const bench[] = { "/bench", NULL };
	char *const shell[] = { "/bin/busybox", "sh", NULL };

	choose(&which);
	if (!strcmp(mode, "all"))
		return run_tests(&which, false);
	if (!strcmp(mode, "mutate"))
		return run_tests(&which, true);
	if (!strcmp(mode, "quick")) {
		which.need_flags = QUICK;
		return run_tests(&which, false);
	}
	if (!strcmp(mode, "bench"))
		return run_program(bench[0], bench);
	if (!strcmp(mode, "shell"))
		return run_program(shell[0], shell);
	if (!strcmp(mode, "soak"))
		return run_soak();
	line_out("not ok - pvtest=%s: use all, quick, mutate, bench, soak or shell", mode);
	return false;
}

int main(int argc, char **argv)
{
	struct choice host = { .need_flags = HOST };
	char mode[16] = "all";
	bool passed;

	if (argc == 3 && !strcmp(argv[1], "--exec-echo"))
		return exec_echo(argc, argv);
	host.only = argv[1] ? argv[2] : NULL;
	if (argc >= 2 && !strcmp(argv[1], "--host"))
		return !run_tests(&host, false);
	if (argc >= 2 && !strcmp(argv[1], "--host-mutate"))
		return !run_tests(&host, true);
	if (getpid() != 1) {
		line_out("init: not PID 1: use `init --host [names]` here");
		return 2;
	}
	setup_guest();
	cmdline_value("pvtest", mode, sizeof(mode));
	stats_begin();
	passed = run_mode(mode);
	stats_end();
	end_guest(passed);
}
