// SPDX-License-Identifier: GPL-2.0-only
/* CPUs: work on each, all at once, and one taken off and brought back. */
#include "pvtest.h"
#include <sched.h>

#define CPU1_ONLINE	"/sys/devices/system/cpu/cpu1/online"

static unsigned int here(void)
{
	unsigned int cpu;

	SYS(syscall(SYS_getcpu, &cpu, NULL, NULL));
	return cpu;
}

/* Some work of every kind: arithmetic, page faults, a sleep, a process. */
static void work_on(void *cpu)
{
	unsigned int me = (unsigned int)(uintptr_t)cpu, i;
	char *p = mmap(NULL, 32 * PAGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	pin_to_cpu(me);
	for (i = 0; i < 32; i++) {
		p[i * PAGE_BYTES] = (char)i;
		CHECK_EQ(here(), me);
	}
	usleep(1000);
	pid = SYS(fork());
	if (!pid)
		_exit(here() == me ? 3 : 4);
	CHECK_EQ(WEXITSTATUS(child_status(pid)), 3);
	CHECK_EQ(here(), me);
}

void test_cpu_each(void)
{
	unsigned int cpus[32], n = cpus_online(cpus, 32), i;

	for (i = 0; i < n; i++)
		child_join(child_start(work_on, (void *)(uintptr_t)cpus[i]));
	CHECK(n >= 1);
}

void test_cpu_all_at_once(void)
{
	unsigned int cpus[32], n = cpus_online(cpus, 32), i;
	pid_t pids[64];

	for (i = 0; i < 2 * n; i++)
		pids[i] = child_start(work_on, (void *)(uintptr_t)cpus[i % n]);
	for (i = 0; i < 2 * n; i++)
		child_join(pids[i]);
}

static bool cpu1_allowed(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(1, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

void test_cpu_off_on(void)
{
	int i;

	if (access(CPU1_ONLINE, W_OK))
		skip("no CPU 1 that can go off (one CPU, or no CONFIG_HOTPLUG_CPU)");
	for (i = 0; i < 2; i++) {
		child_join(child_start(work_on, (void *)1));
		if (!file_write(CPU1_ONLINE, "0"))
			fail("taking CPU 1 off: %s", strerror(errno));
		CHECK(!cpu1_allowed());
		child_join(child_start(work_on, (void *)0));
		if (!file_write(CPU1_ONLINE, "1"))
			fail("bringing CPU 1 back: %s", strerror(errno));
		child_join(child_start(work_on, (void *)1));
	}
}
