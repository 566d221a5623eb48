// SPDX-License-Identifier: GPL-2.0-only
/*
 * pvtest=soak: stress-ng's workloads side by side for a given time.
 *
 * Owns: the workloads, their time limit, a TAP result for each, progress lines.
 * Not here: what must not be in the log meanwhile (the judge of boots).
 * Runs: in the first process; needs /bin/stress-ng and its libraries.
 * Fails: a workload that ends with an error, early or not at all is `not ok`.
 */
#include "runner.h"
#include <sys/resource.h>
#include <time.h>

#define STRESS		"/bin/stress-ng"
#define PROGRESS_S	30
/* Workloads notice the end late when the machine is busy. */
#define GRACE_S		120
#define WORDS_MAX	24

/*
 * Two instances of most: there are two CPUs. Timer rates are what an emulated
 * CPU can follow; the defaults leave it no time for anything else.
 */
static const struct workload {
	const char *name;
	const char *words;
	rlim_t files;		/* not 0: how many it may open */
} workloads[] = {
	{ "fork", "--fork 2 --vfork 1 --exec 1", 0 },
	{ "vm", "--vm 2 --vm-bytes 48M --vm-populate --verify", 0 },
	{ "mmap", "--mmap 2 --mmap-bytes 24M --mremap 1 --mremap-bytes 8M --mprotect 1", 0 },
	{ "signals", "--sigq 1 --sigsegv 1 --sigfpe 1 --signest 1", 0 },
	{ "timers",
	  "--timer 1 --timer-freq 500 --timerfd 1 --timerfd-freq 500 --itimer 1 --itimer-freq 100", 0 },
	/* It opens pairs of sockets until it may not, and fills them. */
	{ "pipes", "--pipe 2 --sockpair 1 --switch 1 --verify", 256 },
};

struct running {
	pid_t pid;
	bool ended;
};

static struct running running[ARRAY_SIZE(workloads)];

static unsigned int seconds_since(uint64_t start_ns)
{
	return (now_ns(CLOCK_MONOTONIC) - start_ns) / 1000000000u;
}

static void workload_exec(const struct workload *w, const char *seconds)
{
	const struct rlimit files = { w->files, w->files };
	char words[200], *argv[WORDS_MAX], *save = NULL, *word;
	unsigned int n = 0;

	argv[n++] = STRESS;
	argv[n++] = "--quiet";
	argv[n++] = "--timeout";
	argv[n++] = strdup(seconds);
	argv[n++] = "--temp-path";
	argv[n++] = "/tmp";
	snprintf(words, sizeof(words), "%s", w->words);
	for (word = strtok_r(words, " ", &save); word && n < ARRAY_SIZE(argv) - 1;
	     word = strtok_r(NULL, " ", &save))
		argv[n++] = word;
	argv[n] = NULL;
	if (w->files)
		setrlimit(RLIMIT_NOFILE, &files);
	setsid();
	execv(STRESS, argv);
	_exit(127);
}

static void end_text(char *why, size_t len, int status, unsigned int after_s,
		     unsigned int total_s)
{
	if (WIFSIGNALED(status))
		snprintf(why, len, "died of signal %d after %u s", WTERMSIG(status), after_s);
	else if (WEXITSTATUS(status))
		snprintf(why, len, "exit status %d after %u s", WEXITSTATUS(status), after_s);
	else if (after_s + 1 < total_s)
		snprintf(why, len, "ended after %u s of %u", after_s, total_s);
	else
		why[0] = 0;
}

/* Print the result of the workload that @pid was; whether it is good. */
static bool workload_ended(unsigned int nr, pid_t pid, int status, uint64_t start_ns,
			   unsigned int total_s)
{
	char why[80];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(workloads); i++)
		if (running[i].pid == pid)
			break;
	running[i].ended = true;
	end_text(why, sizeof(why), status, seconds_since(start_ns), total_s);
	line_out("%sok %u - %s%s%s", why[0] ? "not " : "", nr, workloads[i].name,
		 why[0] ? " # " : "", why);
	return !why[0];
}

static bool is_workload(pid_t pid)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(workloads); i++)
		if (running[i].pid == pid && !running[i].ended)
			return true;
	return false;
}

/* Wait until all have ended or the time is up; how many ended well. */
static unsigned int soak_wait(unsigned int total_s, unsigned int *ended)
{
	struct timespec step = { .tv_sec = PROGRESS_S };
	uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
	unsigned int good = 0, said = 0;
	sigset_t chld;
	int status;
	pid_t pid;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (*ended < ARRAY_SIZE(workloads) &&
	       seconds_since(start_ns) < total_s + GRACE_S) {
		sigtimedwait(&chld, NULL, &step);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			if (is_workload(pid))
				good += workload_ended(++*ended, pid, status, start_ns,
						       total_s);
		if (seconds_since(start_ns) >= said + PROGRESS_S) {
			said = seconds_since(start_ns);
			line_out("# soak: %u of %u s, %zu workloads run", said, total_s,
				 ARRAY_SIZE(workloads) - *ended);
		}
	}
	return good;
}

/**
 * run_soak() - run all workloads for `pvtest_seconds=`, default 120
 * Return: whether each ran to the end of the time and found no error.
 */
bool run_soak(void)
{
	char seconds[16] = "120";
	unsigned int ended = 0, good;
	sigset_t chld;
	size_t i;

	cmdline_value("pvtest_seconds", seconds, sizeof(seconds));
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	line_out("1..%zu", ARRAY_SIZE(workloads));
	if (access(STRESS, X_OK)) {
		line_out("Bail out! %s: %s; scripts/soak.py puts it there", STRESS,
			 strerror(errno));
		return false;
	}
	for (i = 0; i < ARRAY_SIZE(workloads); i++) {
		running[i].pid = fork();
		if (!running[i].pid) {
			sigprocmask(SIG_UNBLOCK, &chld, NULL);
			workload_exec(&workloads[i], seconds);
		}
	}
	good = soak_wait(strtoul(seconds, NULL, 10), &ended);
	for (i = 0; i < ARRAY_SIZE(workloads); i++)
		if (!running[i].ended)
			line_out("not ok %u - %s # no end within %u s after the time",
				 ++ended, workloads[i].name, GRACE_S);
	return good == ARRAY_SIZE(workloads);
}
