// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signals: installing a handler, being caught by it, and by way of a page that
 * may not be written.
 *
 * Fails: through `bench_die()`.
 */
#include "lmbench.h"
#include <signal.h>
#include <sys/mman.h>

/* What rt_sigaction takes: another layout than the C library's. */
struct kernel_action {
	void (*handler)(int sig);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static void nothing(int sig)
{
	(void)sig;
}

LM_ROW(lm_sig_install)
{
	struct kernel_action action;

	/* The C library's way back from a handler is one that the kernel takes. */
	signal(SIGUSR1, nothing);
	if (sys5(SYS_rt_sigaction, SIGUSR1, 0, (long)&action, sizeof(action.mask), 0))
		bench_die("rt_sigaction");
	BENCH_EACH(samples, count,
		   sys5(SYS_rt_sigaction, SIGUSR1, (long)&action, 0,
			sizeof(action.mask), 0));
	return count;
}

LM_ROW(lm_sig_catch)
{
	long self = getpid();

	signal(SIGUSR1, nothing);
	BENCH_EACH(samples, count, sys(SYS_kill, self, SIGUSR1, 0));
	return count;
}

LM_ROW(lm_protfault)
{
	char *page = sys_map(PAGE_BYTES, PROT_READ, MAP_SHARED, bench_file(PAGE_BYTES));

	bench_handle(SIGSEGV);
	/* The page is there: it is the write that faults. */
	(void)*(volatile char *)page;
	BENCH_EACH(samples, count,
		   asm volatile("mov %%eax, (%0)" : : "c" (page) : "memory"));
	return count;
}
