// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a test says what it found.
 *
 * Owns: the report page that all processes of a test share.
 * Not here: printing it (`runner.c`).
 * Runs: in any process or thread of a test.
 * Fails: never; a second failure of the same test is dropped.
 */
#include "pvtest.h"
#include <stdarg.h>

struct report *report;

static void settle(enum verdict v, const char *fmt, va_list ap)
{
	unsigned int none = V_NONE;

	if (__atomic_compare_exchange_n(&report->verdict, &none, v, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		vsnprintf(report->why, sizeof(report->why), fmt, ap);
}

/**
 * fail() - end this process, and with it the test, as failed
 * @fmt: the reason, one line
 */
void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	settle(V_FAIL, fmt, ap);
	va_end(ap);
	_exit(1);
}

/**
 * skip() - end this process; the test could not be made here
 * @fmt: what is missing
 */
void skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	settle(V_SKIP, fmt, ap);
	va_end(ap);
	_exit(0);
}

/**
 * check_passes() - count a check and give its verdict
 * @ok: what the test found
 *
 * The check numbered @report->flip_at is inverted, which is how pvtest=mutate
 * shows that a failing check in any process reaches the printed result.
 *
 * Return: whether the check counts as passed.
 */
bool check_passes(bool ok)
{
	unsigned int n = __atomic_add_fetch(&report->checks, 1, __ATOMIC_SEQ_CST);

	return n == report->flip_at ? !ok : ok;
}

/**
 * sys_ok() - insist that a system call succeeded
 * @ret: its result, -1 for a failure with errno set
 * @what: the call's text
 * Return: @ret.
 */
long sys_ok(long ret, const char *what)
{
	int err = errno;

	if (!check_passes(ret != -1))
		fail("%s: %s", what, ret == -1 ? strerror(err) : "inverted");
	return ret;
}
