// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moments, and the instructions executed between two of them.
 *
 * Owns: reading TSC, clock and idle time together; the soaker.
 * Runs: on one CPU; as root, for /proc/timer_list.
 * Fails: through `die()`, if the kernel does not account its idle time.
 */
#include "devices.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SOAK_FILE	"/tmp/soak"
#define CLOCK_TENTHS	50

static uint64_t tsc_now(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static uint64_t field_ns(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	at = at ? strchr(at, ':') : NULL;
	if (!at)
		die_plainly("/proc/timer_list has no idle time: the kernel needs CONFIG_NO_HZ_IDLE");
	return strtoull(at + 1, NULL, 10);
}

static uint64_t idle_ns(void)
{
	static char text[1 << 16];
	size_t len = 0;
	ssize_t got;
	int fd = open("/proc/timer_list", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("/proc/timer_list");
	while ((got = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += got;
	close(fd);
	text[len] = 0;
	return field_ns(text, ".idle_sleeptime") + field_ns(text, ".iowait_sleeptime");
}

/* The soaker's turns, low and high word; NULL if there is no soaker. */
static volatile uint32_t *soaked(int flags)
{
	static volatile uint32_t *at;
	int fd = at ? -1 : open(SOAK_FILE, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return at;
	at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		die(SOAK_FILE);
	close(fd);
	return at;
}

/**
 * moment_now() - what has been executed and idled until now
 * @m: the moment
 *
 * The CPU does not idle while this runs, so the counters belong together.
 */
void moment_now(struct moment *m)
{
	volatile uint32_t *soak = soaked(O_RDWR);
	struct timespec mono;

	m->idle_ns = idle_ns();
	clock_gettime(CLOCK_MONOTONIC, &mono);
	m->soak = soak ? (uint64_t)soak[1] << 32 | soak[0] : 0;
	m->tsc = tsc_now();
	m->mono_ns = mono.tv_sec * 1000000000ull + mono.tv_nsec;
}

/* Instructions of one turn in soaker_loop(). */
#define SOAK_TURN	4

/**
 * moment_busy() - instructions executed between two moments
 *
 * Idle time is in ns of the kernel's clock, whose rate was found by calibration;
 * what it is in ticks follows from the moments themselves.
 */
uint64_t moment_busy(const struct moment *from, const struct moment *to)
{
	uint64_t ticks = to->tsc - from->tsc;
	double rate = (double)ticks / (double)(to->mono_ns - from->mono_ns);

	return ticks - (uint64_t)((double)(to->idle_ns - from->idle_ns) * rate)
		- SOAK_TURN * (to->soak - from->soak);
}

/**
 * moment_await_clock() - wait until the kernel has found its clock
 *
 * That takes about a second if it is the TSC. Idle time is in units of that clock.
 */
void moment_await_clock(void)
{
	const char *path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	unsigned int tenths;
	char name[32] = "";
	FILE *f;

	for (tenths = 0; tenths < CLOCK_TENTHS; tenths++) {
		f = fopen(path, "re");
		if (!f || !fgets(name, sizeof(name), f))
			die(path);
		fclose(f);
		if (strcmp(name, "tsc-early\n") && !strstr(name, "jiffies"))
			return;
		usleep(100000);
	}
	die_plainly("the kernel has found no clock but jiffies");
}

static void soaker_loop(volatile uint32_t *count)
{
	/* QEMU leaves its loop at each PAUSE: few instructions, few ticks of the kernel. */
	asm volatile("1:	addl	$1, (%0)\n"
		     "	adcl	$0, 4(%0)\n"
		     "	pause\n"
		     "	jmp	1b\n" : : "r" (count) : "memory", "cc");
}

/**
 * soaker_start() - start a process that takes all time that is left; it is stopped
 *
 * While it runs the CPU never idles: no timer goes off because the host was slow,
 * and nothing hides behind idle time. Return: its number, for SIGCONT and SIGSTOP.
 */
pid_t soaker_start(void)
{
	const struct sched_param none = { 0 };
	volatile uint32_t *soak = soaked(O_RDWR | O_CREAT);
	pid_t pid;
	int status;

	if (!soak || truncate(SOAK_FILE, 4096))
		die(SOAK_FILE);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		if (sched_setscheduler(0, SCHED_IDLE, &none))
			die("SCHED_IDLE");
		raise(SIGSTOP);
		soaker_loop(soak);
	}
	if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
		die_plainly("the soaker did not start");
	return pid;
}
