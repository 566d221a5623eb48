// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time: clocks that never go back, timers that fire when they should.
 *
 * Owns: monotonicity on one CPU, between CPUs, between vDSO and system call;
 *	lower bounds of sleeps; upper bounds wide enough for a busy host.
 * Not here: how the kernel gets its time.
 */
#include "pvtest.h"
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

#define MS		1000000ull
#define TOO_LONG	(5000 * MS)

/* A clock that counts ticks stands still for thousands of reads. */
static void never_back(int clock)
{
	uint64_t last = now_ns(clock), now, first = last;
	unsigned int i;

	for (i = 0; i < 3000 || (last == first && i < 1000000); i++) {
		now = now_ns(clock);
		CHECK(now >= last);
		last = now;
	}
	CHECK(last > first);
	CHECK(last - first < TOO_LONG);
}

void test_clock_monotonic(void)
{
	never_back(CLOCK_MONOTONIC);
	never_back(CLOCK_MONOTONIC_RAW);
	never_back(CLOCK_BOOTTIME);
}

/* Real time minus monotonic time, read so close together that it counts. */
static long long realtime_offset_ns(void)
{
	uint64_t before, real, after;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		before = now_ns(CLOCK_MONOTONIC);
		real = now_ns(CLOCK_REALTIME);
		after = now_ns(CLOCK_MONOTONIC);
		if (after - before < 2 * MS)
			return real - before;
	}
	fail("two clocks cannot be read within 2 ms");
}

void test_clock_realtime(void)
{
	long long offset = realtime_offset_ns(), drift;

	never_back(CLOCK_REALTIME);
	usleep(20000);
	drift = realtime_offset_ns() - offset;
	CHECK(drift < (long long)(5 * MS) && drift > -(long long)(5 * MS));
}

static uint64_t vdso_ns(clock_fn clock)
{
	struct timespec ts;

	CHECK_EQ(clock(CLOCK_MONOTONIC, &ts), 0);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void test_clock_vdso(void)
{
	clock_fn clock = vdso_clock_gettime();
	uint64_t a, b, c;
	unsigned int i;

	if (!clock)
		skip("no clock_gettime in the vDSO");
	for (i = 0; i < 2000; i++) {
		a = now_ns(CLOCK_MONOTONIC);
		b = vdso_ns(clock);
		c = now_ns(CLOCK_MONOTONIC);
		CHECK(a <= b);
		CHECK(b <= c);
	}
}

void test_clock_across_cpus(void)
{
	unsigned int cpus[32], n = cpus_online(cpus, 32), i;
	uint64_t last = 0, now;

	if (n < 2)
		skip("one CPU only");
	for (i = 0; i < 100; i++) {
		pin_to_cpu(cpus[i % n]);
		now = now_ns(CLOCK_MONOTONIC);
		CHECK(now >= last);
		last = now;
	}
}

void test_nanosleep(void)
{
	static const unsigned int sleeps_ms[] = { 1, 5, 20, 60 };
	struct timespec ts;
	uint64_t start, took;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sleeps_ms); i++) {
		ts = (struct timespec){ .tv_nsec = sleeps_ms[i] * MS };
		start = now_ns(CLOCK_MONOTONIC);
		SYS(syscall(SYS_nanosleep, &ts, NULL));
		took = now_ns(CLOCK_MONOTONIC) - start;
		CHECK(took >= sleeps_ms[i] * MS);
		CHECK(took < TOO_LONG);
	}
}

static volatile sig_atomic_t ticks;

static void tick(int sig)
{
	(void)sig;
	ticks++;
}

void test_setitimer(void)
{
	struct itimerval it = { .it_interval = { .tv_usec = 10000 },
				.it_value = { .tv_usec = 10000 } };
	uint64_t start = now_ns(CLOCK_MONOTONIC), took;

	signal(SIGALRM, tick);
	SYS(setitimer(ITIMER_REAL, &it, NULL));
	while (ticks < 5)
		pause();
	took = now_ns(CLOCK_MONOTONIC) - start;
	CHECK(took >= 50 * MS);
	CHECK(took < TOO_LONG);
}

/* Only ticks account this one: it fires while user code runs. */
void test_setitimer_virtual(void)
{
	struct itimerval it = { .it_value = { .tv_usec = 10000 } };
	uint64_t start = now_ns(CLOCK_MONOTONIC);

	signal(SIGVTALRM, tick);
	SYS(setitimer(ITIMER_VIRTUAL, &it, NULL));
	while (!ticks)
		;
	CHECK_EQ(ticks, 1);
	CHECK(now_ns(CLOCK_MONOTONIC) - start >= 5 * MS);
}

void test_timerfd(void)
{
	struct itimerspec it = { .it_interval = { .tv_nsec = 5 * MS },
				 .it_value = { .tv_nsec = 5 * MS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t start = now_ns(CLOCK_MONOTONIC), count, sum = 0, took;

	if (fd < 0 && errno == ENOSYS)
		skip("no timerfd (CONFIG_TIMERFD)");
	SYS(fd);
	SYS(timerfd_settime(fd, 0, &it, NULL));
	while (sum < 6) {
		CHECK_EQ(read(fd, &count, sizeof(count)), sizeof(count));
		sum += count;
	}
	took = now_ns(CLOCK_MONOTONIC) - start;
	CHECK(took >= sum * 5 * MS);
	CHECK(took < TOO_LONG);
}

static void burn(void *unused)
{
	uint64_t start = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	(void)unused;
	while (now_ns(CLOCK_PROCESS_CPUTIME_ID) - start < 30 * MS)
		;
}

/* Time that a child used is accounted, by the scheduler's clock. */
void test_cpu_time(void)
{
	uint64_t start = now_ns(CLOCK_MONOTONIC);

	child_join(child_start(burn, NULL));
	CHECK(now_ns(CLOCK_MONOTONIC) - start >= 25 * MS);
}

void test_proc_stat_steal(void)
{
	char text[4096];
	unsigned long long v[8];

	CHECK(file_read("/proc/stat", text, sizeof(text)) > 0);
	CHECK_EQ(sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu",
			&v[0], &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]), 8);
	CHECK(v[7] < 1000000);	/* steal: hundredths of a second */
	CHECK(v[0] + v[2] + v[3] > 0);
}
