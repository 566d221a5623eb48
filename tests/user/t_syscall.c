// SPDX-License-Identifier: GPL-2.0-only
/* System calls through both doors, with results, errors and restarts. */
#include "pvtest.h"
#include <sys/auxv.h>
#include <sys/time.h>

typedef long (*door_fn)(long nr, long a, long b, long c);

static void check_door(door_fn door)
{
	static const char text[] = "through the door";
	char back[sizeof(text)] = "";
	int p[2], i;

	SYS(pipe(p));
	CHECK_EQ(door(SYS_write, p[1], (long)text, sizeof(text)), sizeof(text));
	CHECK_EQ(door(SYS_read, p[0], (long)back, sizeof(back)), sizeof(back));
	CHECK(!memcmp(text, back, sizeof(text)));
	CHECK_EQ(door(SYS_close, 9999, 0, 0), -EBADF);
	CHECK_EQ(door(5000, 0, 0, 0), -ENOSYS);
	CHECK_EQ(door(-1, 0, 0, 0), -ENOSYS);
	for (i = 0; i < 1000; i++)
		CHECK_EQ(door(SYS_getppid, 0, 0, 0), getppid());
}

void test_syscall_int80(void)
{
	check_door(int80);
}

void test_syscall_sysinfo(void)
{
	check_door(sysinfo_call);
}

/* All registers but EAX come back, six arguments arrive. */
void test_syscall_registers(void)
{
	unsigned int out[6], mask = 0;
	void *p;

	asm volatile("push %%ebp\n\t"
		     "mov $0x1b1b1b1b, %%ebx\n\tmov $0x1c1c1c1c, %%ecx\n\t"
		     "mov $0x1d1d1d1d, %%edx\n\tmov $0x15151515, %%esi\n\t"
		     "mov $0x1e1e1e1e, %%ebp\n\t"
		     "mov %2, %%eax\n\tint $0x80\n\t"
		     "mov %%ebx, (%%edi)\n\tmov %%ecx, 4(%%edi)\n\t"
		     "mov %%edx, 8(%%edi)\n\tmov %%esi, 12(%%edi)\n\t"
		     "mov %%ebp, 16(%%edi)\n\tmov %%esp, 20(%%edi)\n\t"
		     "sub %%esp, 20(%%edi)\n\tpop %%ebp"
		     : "=m" (out), "+a" (mask) : "i" (SYS_getpid), "D" (out)
		     : "ebx", "ecx", "edx", "esi", "memory");
	CHECK_EQ(out[0], 0x1b1b1b1b);
	CHECK_EQ(out[1], 0x1c1c1c1c);
	CHECK_EQ(out[2], 0x1d1d1d1d);
	CHECK_EQ(out[3], 0x15151515);
	CHECK_EQ(out[4], 0x1e1e1e1e);
	CHECK_EQ(out[5], 0);

	p = mmap((void *)0x50000000, 3 * PAGE_BYTES, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	CHECK_EQ((uintptr_t)p, 0x50000000);
}

struct late_writer {
	int fd;
	pid_t reader;
	volatile unsigned int *handled;
};

static volatile unsigned int *handled;

static void count_signal(int sig)
{
	(void)sig;
	++*handled;
}

/* The reader blocks nowhere but in the call under test, and in wait. */
static void wait_until_asleep(pid_t pid)
{
	char path[40], text[400];
	const char *state;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	do {
		if (file_read(path, text, sizeof(text)) < 0)
			fail("%s: %s", path, strerror(errno));
		state = strrchr(text, ')');
	} while (!state || state[2] != 'S');
}

static void write_late(void *arg)
{
	struct late_writer *w = arg;

	wait_until_asleep(w->reader);
	SYS(kill(w->reader, SIGUSR1));
	while (!*w->handled)
		int80(SYS_sched_yield, 0, 0, 0);
	wait_until_asleep(w->reader);
	SYS(write(w->fd, "x", 1));
}

/* A read that a signal interrupts: goes on, or says so, as asked. */
static long interrupted_read(door_fn door, int sa_flags)
{
	struct sigaction sa = { .sa_handler = count_signal, .sa_flags = sa_flags };
	struct late_writer w = { .reader = getpid() };
	int p[2];
	long ret;
	pid_t pid;
	char c;

	sigaction(SIGUSR1, &sa, NULL);
	SYS(pipe(p));
	w.fd = p[1];
	handled = w.handled = shared_alloc(PAGE_BYTES);
	pid = child_start(write_late, &w);
	ret = door(SYS_read, p[0], (long)&c, 1);
	child_join(pid);
	return ret;
}

void test_syscall_restart(void)
{
	CHECK_EQ(interrupted_read(int80, SA_RESTART), 1);
	CHECK_EQ(interrupted_read(int80, 0), -EINTR);
	if (getauxval(AT_SYSINFO))
		CHECK_EQ(interrupted_read(sysinfo_call, SA_RESTART), 1);
}
