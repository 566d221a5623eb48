// SPDX-License-Identifier: GPL-2.0-only
/* x87 and SSE state: kept over switches, signals and fork, fresh on exec. */
#include "pvtest.h"
#include <sched.h>

#define FPU_PROCESSES	5
#define FPU_ROUNDS	60

/* No library call between fill and look: it could use the registers. */
static void fpu_loop(void *arg)
{
	unsigned int seed = (unsigned int)(uintptr_t)arg, i, j;

	pin_to_cpu(0);
	for (i = 0; i < FPU_ROUNDS; i++) {
		fpu_fill(seed + i);
		for (j = 0; j < 3; j++)
			int80(SYS_sched_yield, 0, 0, 0);
		CHECK(fpu_holds(seed + i));
	}
}

void test_fpu_switch(void)
{
	pid_t pids[FPU_PROCESSES];
	uintptr_t i;

	for (i = 0; i < FPU_PROCESSES; i++)
		pids[i] = child_start(fpu_loop, (void *)(100 + i * 1000));
	for (i = 0; i < FPU_PROCESSES; i++)
		child_join(pids[i]);
}

static volatile sig_atomic_t handler_ran;

static void spoil_fpu(int sig)
{
	(void)sig;
	fpu_fill(4711);
	handler_ran++;
}

void test_fpu_signal(void)
{
	long pid = getpid();
	int i;

	signal(SIGUSR1, spoil_fpu);
	for (i = 0; i < 20; i++) {
		fpu_fill(50 + i);
		int80(SYS_kill, pid, SIGUSR1, 0);
		CHECK(fpu_holds(50 + i));
	}
	CHECK_EQ(handler_ran, 20);
}

void test_fpu_fork(void)
{
	long pid;
	bool kept;

	fpu_fill(77);
	pid = int80(SYS_fork, 0, 0, 0);
	kept = fpu_holds(77);
	if (!pid) {
		CHECK(kept);
		_exit(0);
	}
	CHECK(kept);
	child_join(pid);
}

/* The state goes along when the process changes its CPU. */
void test_fpu_migrate(void)
{
	unsigned int cpus[32], n = cpus_online(cpus, 32), i;
	unsigned long mask[32];

	if (n < 2)
		skip("one CPU only");
	for (i = 0; i < 40; i++) {
		memset(mask, 0, sizeof(mask));
		mask[0] = 1ul << cpus[i % n];
		fpu_fill(900 + i);
		int80(SYS_sched_setaffinity, 0, sizeof(mask), (long)mask);
		CHECK(fpu_holds(900 + i));
	}
}
