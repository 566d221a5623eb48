// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the tests and prints TAP.
 *
 * Owns: choosing rows, a process per test, its time limit, the printed lines.
 * Not here: mounting and ending the guest (`setup.c`), modes (`main.c`).
 * Runs: in the first process; single-threaded.
 * Fails: a test that crashes, hangs, or checks nothing is `not ok` with why.
 */
#include "runner.h"
#include <stdarg.h>
#include <sys/prctl.h>
#include <termios.h>
#include <time.h>

#define TEST_LIMIT_S	30

const struct test tests[] = {
#define TEST(n, f)	{ .name = #n, .run = test_##n, .flags = f },
#include "tests.def"
#undef TEST
};
const unsigned int tests_count = ARRAY_SIZE(tests);

/**
 * line_out() - print one line in one piece
 * @fmt: the line without its end
 *
 * Waits until the line has left the UART, so that kernel messages of the next
 * test do not land inside it.
 */
void line_out(const char *fmt, ...)
{
	char line[400];
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line) - 1, fmt, ap);
	va_end(ap);
	if (len > (int)sizeof(line) - 2)
		len = sizeof(line) - 2;
	line[len++] = '\n';
	if (write(1, line, len) != len)
		_exit(1);
	tcdrain(1);
}

/* Is @name one of the names in @list, which are separated by commas? */
static bool listed(const char *list, const char *name)
{
	const char *at = list;
	size_t len = strlen(name);

	while ((at = strstr(at, name))) {
		if ((at == list || at[-1] == ',') && (!at[len] || at[len] == ','))
			return true;
		at += len;
	}
	return false;
}

static bool row_wanted(const struct test *t, const struct choice *which)
{
	if ((t->flags & which->need_flags) != which->need_flags)
		return false;
	if (which->without && listed(which->without, t->name))
		return false;
	return !which->only || listed(which->only, t->name);
}

static void test_process(const struct test *t)
{
	sigset_t none;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	t->run();
	_exit(0);
}

/* Wait for @pid to end within the limit; false: it did not and was killed. */
static bool reap_in_time(pid_t pid, int *status)
{
	struct timespec left = { .tv_sec = TEST_LIMIT_S };
	sigset_t chld;
	pid_t got;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	for (;;) {
		while ((got = waitpid(-1, status, WNOHANG)) > 0)
			if (got == pid)
				return true;
		if (sigtimedwait(&chld, NULL, &left) < 0 && errno == EAGAIN)
			break;
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return false;
}

/* Nothing of a test may live on into the next one. */
static void kill_rest(pid_t group)
{
	kill(-group, SIGKILL);
	while (waitpid(-group, NULL, 0) > 0)
		;
}

static void judge(bool in_time, int status)
{
	if (report->verdict != V_NONE)
		return;
	if (!in_time)
		snprintf(report->why, sizeof(report->why),
			 "no end within %u s", TEST_LIMIT_S);
	else if (WIFSIGNALED(status))
		snprintf(report->why, sizeof(report->why),
			 "died of signal %d (%s)", WTERMSIG(status),
			 strsignal(WTERMSIG(status)));
	else if (status)
		snprintf(report->why, sizeof(report->why),
			 "exit status %d without a reason", WEXITSTATUS(status));
	else if (!report->checks)
		snprintf(report->why, sizeof(report->why), "checked nothing");
	else
		return;
	report->verdict = V_FAIL;
}

static void run_row(const struct test *t, unsigned int flip_at)
{
	bool in_time;
	int status = 0;
	pid_t pid;

	memset(report, 0, sizeof(*report));
	report->flip_at = flip_at;
	pid = fork();
	if (!pid)
		test_process(t);
	if (pid < 0) {
		snprintf(report->why, sizeof(report->why), "fork: %s",
			 strerror(errno));
		report->verdict = V_FAIL;
		return;
	}
	in_time = reap_in_time(pid, &status);
	kill_rest(pid);
	judge(in_time, status);
}

static bool print_row(unsigned int nr, const char *name)
{
	switch (report->verdict) {
	case V_FAIL:
		line_out("not ok %u - %s # %s", nr, name, report->why);
		return false;
	case V_SKIP:
		line_out("ok %u - %s # SKIP %s", nr, name, report->why);
		return true;
	default:
		line_out("ok %u - %s", nr, name);
		return true;
	}
}

/* A test passes here if inverting one of its checks makes it fail. */
static bool mutate_row(unsigned int nr, const struct test *t)
{
	unsigned int checks, i;

	run_row(t, 0);
	if (report->verdict != V_NONE)
		return print_row(nr, t->name);
	checks = report->checks;
	for (i = 0; i < 3; i++) {
		unsigned int at = i == 0 ? 1 : checks * i / 2;

		if (!at)
			continue;
		run_row(t, at);
		if (report->verdict != V_FAIL) {
			line_out("not ok %u - %s # passes with check %u of %u inverted",
				 nr, t->name, at, checks);
			return false;
		}
	}
	line_out("ok %u - %s", nr, t->name);
	return true;
}

/**
 * run_tests() - print the plan, run the chosen rows, print their results
 * @which: the rows
 * @mutate: check the tests themselves, by inverting their checks
 * Return: whether all passed. A skip counts as passed; no row at all does not.
 */
bool run_tests(const struct choice *which, bool mutate)
{
	unsigned int i, nr = 0, planned = 0, failed = 0;
	sigset_t chld;

	report = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);

	for (i = 0; i < tests_count; i++)
		planned += row_wanted(&tests[i], which);
	line_out("1..%u", planned);
	for (i = 0; i < tests_count; i++) {
		if (!row_wanted(&tests[i], which))
			continue;
		nr++;
		if (mutate) {
			failed += !mutate_row(nr, &tests[i]);
			continue;
		}
		run_row(&tests[i], 0);
		failed += !print_row(nr, tests[i].name);
	}
	line_out("# %u passed, %u failed", planned - failed, failed);
	return planned && !failed;
}
