// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes and CPUs for tests.
 *
 * Owns: starting and joining a test's own children, pinning, the CPU list.
 * Not here: the runner's child per test (`runner.c`).
 * Runs: in a test's process.
 * Fails: through `fail()`, naming the child's fate.
 */
#include "pvtest.h"
#include <sched.h>

/**
 * child_start() - fork a child that runs @fn and exits with 0
 * @fn: its work; ends the test through `fail()` when something is wrong
 * @arg: handed to @fn
 * Return: the child's pid.
 */
pid_t child_start(void (*fn)(void *arg), void *arg)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork: %s", strerror(errno));
	if (!pid) {
		fn(arg);
		_exit(0);
	}
	return pid;
}

/**
 * child_status() - wait for a child's end
 * @pid: the child
 * Return: its wait status.
 */
int child_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid(%d): %s", pid, strerror(errno));
	return status;
}

/**
 * child_join() - wait for a child and insist that it ended with 0
 * @pid: the child
 */
void child_join(pid_t pid)
{
	int status = child_status(pid);

	if (!check_passes(status == 0))
		fail("child ended with wait status %#x", status);
}

/**
 * shared_alloc() - zeroed memory that children share
 * @len_bytes: size, rounded up to pages
 * Return: its address; never NULL.
 */
void *shared_alloc(size_t len_bytes)
{
	void *p = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		fail("shared mapping of %zu bytes: %s", len_bytes, strerror(errno));
	return p;
}

/**
 * pin_to_cpu() - run the calling thread on one CPU from now on
 * @cpu: its number
 */
void pin_to_cpu(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("pinning to CPU %u: %s", cpu, strerror(errno));
}

/**
 * cpus_online() - the CPUs this process may use
 * @list: their numbers, ascending
 * @max: room in @list
 * Return: how many were stored.
 */
unsigned int cpus_online(unsigned int *list, unsigned int max)
{
	unsigned int cpu, n = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		fail("sched_getaffinity: %s", strerror(errno));
	for (cpu = 0; cpu < CPU_SETSIZE && n < max; cpu++)
		if (CPU_ISSET(cpu, &set))
			list[n++] = cpu;
	return n;
}
