// SPDX-License-Identifier: GPL-2.0-only
/* Threads, futexes, and remote TLB flushes between them. */
#include "pvtest.h"
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>

#define THREADS		6
#define TURNS		200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_came = PTHREAD_COND_INITIALIZER;
static unsigned int turn, sum;

static void *take_turns(void *arg)
{
	unsigned int me = (unsigned int)(uintptr_t)arg, i;

	for (i = 0; i < TURNS / THREADS; i++) {
		pthread_mutex_lock(&lock);
		while (turn % THREADS != me)
			pthread_cond_wait(&turn_came, &lock);
		turn++;
		sum += me;
		pthread_cond_broadcast(&turn_came);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

void test_threads(void)
{
	pthread_t t[THREADS];
	void *ret;
	uintptr_t i;

	for (i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, take_turns, (void *)i), 0);
	for (i = 0; i < THREADS; i++) {
		CHECK_EQ(pthread_join(t[i], &ret), 0);
		CHECK_EQ((uintptr_t)ret, i);
	}
	CHECK_EQ(turn, TURNS / THREADS * THREADS);
	CHECK_EQ(sum, TURNS / THREADS * (THREADS * (THREADS - 1) / 2));
}

static void *count_locked(void *arg)
{
	unsigned int i;

	for (i = 0; i < 3000; i++) {
		pthread_mutex_lock(&lock);
		++*(volatile unsigned int *)arg;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

void test_thread_mutex(void)
{
	unsigned int count = 0, i;
	pthread_t t[4];

	for (i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, count_locked, &count), 0);
	for (i = 0; i < 4; i++)
		CHECK_EQ(pthread_join(t[i], NULL), 0);
	CHECK_EQ(count, 4 * 3000);
}

static long futex(int *word, int op, int value, const struct timespec *ts)
{
	return syscall(SYS_futex, word, op, value, ts, NULL, 0);
}

static void wake_parent(void *arg)
{
	int *word = arg;

	usleep(3000);
	__atomic_store_n(word, 1, __ATOMIC_SEQ_CST);
	futex(word, FUTEX_WAKE, 1, NULL);
}

void test_futex(void)
{
	struct timespec short_time = { .tv_nsec = 3000000 };
	int *word = shared_alloc(PAGE_BYTES);
	pid_t pid;

	CHECK_EQ(futex(word, FUTEX_WAIT, 5, NULL), -1);
	CHECK_EQ(errno, EAGAIN);
	CHECK_EQ(futex(word, FUTEX_WAIT, 0, &short_time), -1);
	CHECK_EQ(errno, ETIMEDOUT);
	pid = child_start(wake_parent, word);
	while (!__atomic_load_n(word, __ATOMIC_SEQ_CST))
		futex(word, FUTEX_WAIT, 0, NULL);
	child_join(pid);
	CHECK_EQ(*word, 1);
}

static volatile unsigned int *shot_page;
static volatile unsigned int writer_state;

static void writer_stops(int sig)
{
	(void)sig;
	writer_state = 2;
	pthread_exit(NULL);
}

static void *write_on(void *arg)
{
	pin_to_cpu((unsigned int)(uintptr_t)arg);
	for (;;) {
		++*shot_page;
		writer_state = 1;
	}
	return NULL;
}

/* After mprotect() returns, no other CPU may still write through an old entry. */
void test_tlb_shootdown(void)
{
	unsigned int cpus[32], n = cpus_online(cpus, 32), value, i;
	pthread_t t;

	if (n < 2)
		skip("one CPU only");
	pin_to_cpu(cpus[0]);
	signal(SIGSEGV, writer_stops);
	for (i = 0; i < 8; i++) {
		shot_page = shared_alloc(PAGE_BYTES);
		writer_state = 0;
		CHECK_EQ(pthread_create(&t, NULL, write_on,
					(void *)(uintptr_t)cpus[1]), 0);
		while (writer_state != 1)
			sched_yield();
		SYS(mprotect((void *)shot_page, PAGE_BYTES, PROT_READ));
		value = *shot_page;
		CHECK_EQ(pthread_join(t, NULL), 0);
		CHECK_EQ(writer_state, 2);
		CHECK_EQ(*shot_page, value);
		SYS(munmap((void *)shot_page, PAGE_BYTES));
	}
}
