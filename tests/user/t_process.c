// SPDX-License-Identifier: GPL-2.0-only
/* Processes: fork, vfork, clone, exec, wait, and what they share. */
#include "pvtest.h"
#include <sched.h>

static void count_up(void *arg)
{
	__atomic_add_fetch((int *)arg, 1, __ATOMIC_SEQ_CST);
}

void test_fork_many(void)
{
	int *count = shared_alloc(PAGE_BYTES);
	pid_t pids[40];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pids); i++)
		pids[i] = child_start(count_up, count);
	for (i = 0; i < ARRAY_SIZE(pids); i++)
		child_join(pids[i]);
	CHECK_EQ(*count, ARRAY_SIZE(pids));
}

void test_exec(void)
{
	char *argv[] = { "init", "--exec-echo", "carried over", NULL };
	char *envp[] = { "PVTEST=carried over", NULL };
	int i, status;

	for (i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			execve("/proc/self/exe", argv, envp);
			_exit(127);
		}
		status = child_status(pid);
		CHECK(WIFEXITED(status));
		CHECK_EQ(WEXITSTATUS(status), 42);
	}
}

void test_exec_refused(void)
{
	char *argv[] = { "x", NULL };

	CHECK_EQ(execve("/proc/self/nothing", argv, argv), -1);
	CHECK_EQ(errno, ENOENT);
	CHECK_EQ(execve("/proc/self/status", argv, argv), -1);
	CHECK_EQ(errno, EACCES);
}

void test_vfork(void)
{
	volatile int seen = 0;
	pid_t pid = vfork();

	if (!pid) {
		seen = 1;
		_exit(7);
	}
	CHECK_EQ(seen, 1);
	CHECK_EQ(WEXITSTATUS(child_status(pid)), 7);
}

static int clone_body(void *arg)
{
	*(int *)arg = 77;
	return 5;
}

static int run_clone(int flags, int *value)
{
	static char stack[65536] __attribute__((aligned(16)));
	pid_t pid = clone(clone_body, stack + sizeof(stack), flags | SIGCHLD, value);

	SYS(pid);
	return WEXITSTATUS(child_status(pid));
}

void test_clone(void)
{
	int value = 1;

	CHECK_EQ(run_clone(0, &value), 5);
	CHECK_EQ(value, 1);
	CHECK_EQ(run_clone(CLONE_VM, &value), 5);
	CHECK_EQ(value, 77);
	value = 1;
	CHECK_EQ(run_clone(CLONE_VM | CLONE_VFORK | CLONE_FILES, &value), 5);
	CHECK_EQ(value, 77);
}

static void die_of(void *arg)
{
	signal((int)(intptr_t)arg, SIG_DFL);
	kill(getpid(), (int)(intptr_t)arg);
	pause();
}

void test_wait_status(void)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGUSR1 };
	siginfo_t info;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		pid_t pid = child_start(die_of, (void *)(intptr_t)signals[i]);

		SYS(waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
		CHECK_EQ(info.si_code, CLD_KILLED);
		CHECK_EQ(info.si_status, signals[i]);
		CHECK_EQ(WTERMSIG(child_status(pid)), signals[i]);
	}
}

#define COW_PAGES	256

struct cow {
	unsigned int *mem;
	int step[2];
};

static bool cow_holds(const unsigned int *mem, unsigned int value)
{
	unsigned int i;

	for (i = 0; i < COW_PAGES; i++)
		if (mem[i * PAGE_BYTES / 4 + i] != value + i)
			return false;
	return true;
}

static void cow_write(unsigned int *mem, unsigned int value)
{
	unsigned int i;

	for (i = 0; i < COW_PAGES; i++)
		mem[i * PAGE_BYTES / 4 + i] = value + i;
}

static void cow_child(void *arg)
{
	struct cow *c = arg;
	char go;

	SYS(read(c->step[0], &go, 1));
	CHECK(cow_holds(c->mem, 1000));
	cow_write(c->mem, 3000);
	CHECK(cow_holds(c->mem, 3000));
}

/* Parent writes first, the child still reads the old; then the reverse. */
void test_cow(void)
{
	struct cow c;
	pid_t pid;

	c.mem = mmap(NULL, COW_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(c.mem != MAP_FAILED);
	SYS(pipe(c.step));
	cow_write(c.mem, 1000);
	pid = child_start(cow_child, &c);
	cow_write(c.mem, 2000);
	SYS(write(c.step[1], "g", 1));
	child_join(pid);
	CHECK(cow_holds(c.mem, 2000));
}

/* The kernel's write into a read-only shared page must break it too. */
static void cow_kernel_child(void *arg)
{
	struct cow *c = arg;

	SYS(read(c->step[0], c->mem, 4));
	CHECK_EQ(c->mem[0], 0x44434241);
}

void test_cow_by_kernel(void)
{
	static unsigned int page[1024] __attribute__((aligned(PAGE_BYTES)));
	struct cow c = { .mem = page };
	pid_t pid;

	page[0] = 5;
	SYS(pipe(c.step));
	pid = child_start(cow_kernel_child, &c);
	SYS(write(c.step[1], "ABCD", 4));
	child_join(pid);
	CHECK_EQ(page[0], 5);
}
