/* SPDX-License-Identifier: GPL-2.0-only */
/* The runner's interface to `main.c`; tests do not include this. */
#ifndef RUNNER_H
#define RUNNER_H

#include "pvtest.h"

extern const struct test tests[];
extern const unsigned int tests_count;

/* Rows to run: with all of these flags, named in @only if given, not in @without. */
struct choice {
	unsigned int need_flags;
	const char *only, *without;
};

void line_out(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool run_tests(const struct choice *which, bool mutate);

/* soak.c */
bool run_soak(void);

/* stats.c */
void stats_begin(void);
void stats_end(void);

/* setup.c */
void setup_guest(void);
void end_guest(bool passed) __attribute__((noreturn));

#endif
