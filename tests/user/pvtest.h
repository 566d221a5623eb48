/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test of the in-guest program may use.
 *
 * Owns: the verdict functions, the trap catcher and the small helpers.
 * Not here: the list of tests (`tests.def`), the runner (`runner.c`).
 * Runs: in a child process of its own per test; a test that returns has passed.
 * Fails: the first `fail()` of any process of a test is that test's verdict.
 */
#ifndef PVTEST_H
#define PVTEST_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define PAGE_BYTES	4096u

/* Row flags of `tests.def`. */
#define QUICK	1u	/* part of pvtest=quick */
#define HOST	2u	/* harmless, and true on any Linux that runs 32-bit programs */

/* Every row's function. */
#define TEST(name, flags)	void test_##name(void);
#include "tests.def"
#undef TEST

struct test {
	const char *name;
	void (*run)(void);
	unsigned int flags;
};

/* What one test left behind; shared by all of its processes. */
struct report {
	unsigned int verdict;	/* enum verdict; the first writer wins */
	unsigned int checks;	/* how many checks were made */
	unsigned int flip_at;	/* invert the check of this number; 0: none */
	char why[160];
};

enum verdict { V_NONE, V_FAIL, V_SKIP };

extern struct report *report;

/* verdict.c */
void fail(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
void skip(const char *fmt, ...)
	__attribute__((noreturn, format(printf, 1, 2)));
bool check_passes(bool ok);
long sys_ok(long ret, const char *what);

#define CHECK(cond)							\
	do {								\
		if (!check_passes(cond))				\
			fail("%s:%d: %s", __FILE__, __LINE__, #cond);	\
	} while (0)
#define CHECK_EQ(got, want)						\
	do {								\
		long long g_ = (long long)(got);			\
		long long w_ = (long long)(want);			\
		if (!check_passes(g_ == w_))				\
			fail("%s:%d: %s is %#llx, wanted %#llx",	\
			     __FILE__, __LINE__, #got, g_, w_);		\
	} while (0)
/* The result of a system call that must succeed. */
#define SYS(call)	sys_ok((long)(call), #call)

/* child.c */
pid_t child_start(void (*fn)(void *arg), void *arg);
void child_join(pid_t pid);
int child_status(pid_t pid);
void *shared_alloc(size_t len_bytes);
void pin_to_cpu(unsigned int cpu);
unsigned int cpus_online(unsigned int *list, unsigned int max);

/* text.c */
long file_read(const char *path, char *buf, size_t len_bytes);
bool file_write(const char *path, const char *text);
unsigned long meminfo_kib(const char *field);
bool cpu_has(const char *flag);
bool kernel_log_has(const char *text);
bool cmdline_has(const char *word);
bool cmdline_value(const char *key, char *buf, size_t len_bytes);

/* trap.c */
struct trap {
	int sig;
	int code;		/* si_code */
	int vector;		/* trapno of the frame; 32 is an iret fault */
	unsigned int error;
	uintptr_t addr;		/* si_addr */
	uintptr_t eip;
	unsigned int efl;
};

bool trap_catch(void (*fn)(void *arg), void *arg, struct trap *t);
bool sigreturn_catch(void (*edit)(greg_t *regs, void *arg), void *arg,
		     struct trap *t);
void trap_leave(void) __attribute__((noreturn));
bool touch_faults(volatile void *p, bool write, struct trap *t);

/* syscall.c */
long int80(long nr, long a, long b, long c);
long sysinfo_call(long nr, long a, long b, long c);

/* clock.c */
uint64_t now_ns(int clock);
typedef int (*clock_fn)(int clock, struct timespec *ts);
clock_fn vdso_clock_gettime(void);

/* fpustate.c */
void fpu_fill(unsigned int seed);
bool fpu_holds(unsigned int seed);

#endif
