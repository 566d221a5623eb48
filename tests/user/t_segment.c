// SPDX-License-Identifier: GPL-2.0-only
/*
 * Segments of user code: TLS entries of the GDT, and the LDT.
 *
 * Owns: set_thread_area, modify_ldt, what survives switches, fork and removal,
 *	16-bit stack segments.
 * Not here: bad selectors on return (`t_badret.c`).
 * Fails: skips when the kernel has no LDT or no 16-bit segments.
 */
#include "pvtest.h"
#include <asm/ldt.h>
#include <pthread.h>
#include <sched.h>

#define LDT_SEL(nr)	((nr) << 3 | 7)
#define GDT_SEL(nr)	((nr) << 3 | 3)

static unsigned int fs_read(unsigned int sel)
{
	unsigned int value, none = 0;

	asm volatile("mov %1, %%fs\n\tmov %%fs:0, %0\n\tmov %2, %%fs"
		     : "=&r" (value) : "r" (sel), "r" (none) : "memory");
	return value;
}

static void fs_load(void *sel)
{
	unsigned int none = 0;

	asm volatile("mov %0, %%fs\n\tmov %1, %%fs" : : "r" (sel), "r" (none));
}

static struct user_desc segment_at(unsigned int nr, const void *base, unsigned int limit)
{
	return (struct user_desc){ .entry_number = nr,
		.base_addr = (unsigned int)(uintptr_t)base, .limit = limit,
		.seg_32bit = 1, .useable = 1 };
}

static unsigned int tls_add(const void *base)
{
	struct user_desc d = segment_at(-1, base, 0xfff);

	SYS(syscall(SYS_set_thread_area, &d));
	return d.entry_number;
}

void test_tls_entry(void)
{
	unsigned int words[2] = { 0x11112222, 0x33334444 };
	unsigned int nr = tls_add(&words[0]);
	struct user_desc d = segment_at(nr, &words[1], 0xfff), got;

	CHECK_EQ(fs_read(GDT_SEL(nr)), words[0]);
	SYS(syscall(SYS_set_thread_area, &d));
	CHECK_EQ(fs_read(GDT_SEL(nr)), words[1]);
	got = (struct user_desc){ .entry_number = nr };
	SYS(syscall(SYS_get_thread_area, &got));
	CHECK_EQ(got.base_addr, (uintptr_t)&words[1]);
	CHECK_EQ(got.limit, 0xfff);
	d.entry_number = 1;	/* not a TLS entry */
	CHECK_EQ(syscall(SYS_set_thread_area, &d), -1);
	CHECK_EQ(errno, EINVAL);
}

static void tls_loop(void *arg)
{
	unsigned int word = (unsigned int)(uintptr_t)arg, i, got, none = 0;
	unsigned int nr = tls_add(&word);

	pin_to_cpu(0);
	asm volatile("mov %0, %%fs" : : "r" (GDT_SEL(nr)));
	for (i = 0; i < 100; i++) {
		int80(SYS_sched_yield, 0, 0, 0);
		asm volatile("mov %%fs:0, %0" : "=r" (got) : : "memory");
		CHECK_EQ(got, word);
		word++;
	}
	asm volatile("mov %0, %%fs" : : "r" (none));
}

/* The same GDT entry with another base in each process, loaded all the time. */
void test_tls_switch(void)
{
	pid_t pids[3];
	uintptr_t i;

	for (i = 0; i < 3; i++)
		pids[i] = child_start(tls_loop, (void *)(1000 * i + 7));
	for (i = 0; i < 3; i++)
		child_join(pids[i]);
}

static bool readable(unsigned int sel)
{
	unsigned char yes;

	asm volatile("verr %w1\n\tsete %0" : "=q" (yes) : "r" (sel) : "cc");
	return yes;
}

static void no_tls_loop(void *sel)
{
	unsigned int i;

	pin_to_cpu(0);
	for (i = 0; i < 100; i++) {
		int80(SYS_sched_yield, 0, 0, 0);
		CHECK(!readable((unsigned int)(uintptr_t)sel));
	}
}

/* A descriptor goes with its process: beside it runs one that never had it. */
void test_tls_absent(void)
{
	unsigned int word = 0, nr = tls_add(&word);
	struct user_desc none = { .entry_number = nr, .read_exec_only = 1, .seg_not_present = 1 };
	pid_t with, without;

	CHECK(readable(GDT_SEL(nr)));
	SYS(syscall(SYS_set_thread_area, &none));
	CHECK(!readable(GDT_SEL(nr)));
	without = child_start(no_tls_loop, (void *)(uintptr_t)GDT_SEL(nr));
	with = child_start(tls_loop, (void *)7);
	child_join(with);
	child_join(without);
}

static __thread unsigned int own = 0x77;

static void *own_value(void *arg)
{
	unsigned int i;

	own = (unsigned int)(uintptr_t)arg;
	for (i = 0; i < 50; i++) {
		sched_yield();
		CHECK_EQ(own, (uintptr_t)arg);
	}
	return NULL;
}

void test_tls_threads(void)
{
	pthread_t t[4];
	uintptr_t i;

	for (i = 0; i < 4; i++)
		CHECK_EQ(pthread_create(&t[i], NULL, own_value, (void *)(i + 1)), 0);
	for (i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK_EQ(own, 0x77);
}

/* Write one LDT entry; skips the test when there is no such call. */
static void ldt_write(const struct user_desc *d)
{
	int ret = syscall(SYS_modify_ldt, 0x11, d, sizeof(*d));

	if (ret && errno == ENOSYS)
		skip("no modify_ldt (CONFIG_MODIFY_LDT_SYSCALL)");
	if (ret && errno == EINVAL && !d->seg_32bit)
		skip("no 16-bit segments (CONFIG_X86_16BIT)");
	CHECK_EQ(ret, 0);
}

static void ldt_set(unsigned int nr, const void *base)
{
	struct user_desc d = segment_at(nr, base, 0xfff);

	ldt_write(&d);
}

static void ldt_clear(unsigned int nr)
{
	struct user_desc d = { .entry_number = nr, .read_exec_only = 1,
			       .seg_not_present = 1 };

	SYS(syscall(SYS_modify_ldt, 0x11, &d, sizeof(d)));
}

static void expect_no_segment(unsigned int nr)
{
	struct trap t;

	CHECK(trap_catch(fs_load, (void *)(uintptr_t)LDT_SEL(nr), &t));
	CHECK_EQ(t.sig, SIGSEGV);
	CHECK_EQ(t.vector, 13);
	CHECK_EQ(t.error, LDT_SEL(nr) & ~3u);
}

static unsigned int ldt_word = 0xabcd1234;

void test_ldt_entry(void)
{
	unsigned char table[8 * 700];
	static const unsigned int nrs[] = { 0, 5, 600 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(nrs); i++) {
		ldt_set(nrs[i], &ldt_word);
		CHECK_EQ(fs_read(LDT_SEL(nrs[i])), ldt_word);
	}
	CHECK(syscall(SYS_modify_ldt, 0, table, sizeof(table)) >= 601 * 8);
	CHECK_EQ(table[600 * 8 + 5] & 0x80, 0x80);
	ldt_clear(5);
	expect_no_segment(5);
	CHECK_EQ(fs_read(LDT_SEL(600)), ldt_word);
}

static void ldt_child(void *unused)
{
	(void)unused;
	CHECK_EQ(fs_read(LDT_SEL(3)), ldt_word);
	ldt_clear(3);
	expect_no_segment(3);
	ldt_set(9, &ldt_word);
}

/* A child starts with a copy; what it changes stays its own. */
void test_ldt_fork(void)
{
	ldt_set(3, &ldt_word);
	child_join(child_start(ldt_child, NULL));
	CHECK_EQ(fs_read(LDT_SEL(3)), ldt_word);
	expect_no_segment(9);
}

static void ldt_loop(void *arg)
{
	unsigned int word = (unsigned int)(uintptr_t)arg, i;

	pin_to_cpu(0);
	if (word & 1)
		ldt_set(2, &word);
	for (i = 0; i < 60; i++) {
		sched_yield();
		if (word & 1)
			CHECK_EQ(fs_read(LDT_SEL(2)), word);
		else
			expect_no_segment(2);
	}
}

/* Processes with different LDTs, and with none, on one CPU. */
void test_ldt_switch(void)
{
	pid_t pids[4];
	uintptr_t i;

	ldt_set(1, &ldt_word);
	ldt_clear(1);
	for (i = 0; i < 4; i++)
		pids[i] = child_start(ldt_loop, (void *)(i + 10));
	for (i = 0; i < 4; i++)
		child_join(pids[i]);
}

static void *ldt_thread(void *stage)
{
	unsigned int *s = stage;

	while (__atomic_load_n(s, __ATOMIC_SEQ_CST) != 1)
		sched_yield();
	CHECK_EQ(fs_read(LDT_SEL(4)), ldt_word);
	__atomic_store_n(s, 2, __ATOMIC_SEQ_CST);
	return NULL;
}

/* A new entry is there at once for a thread that runs on another CPU. */
void test_ldt_thread(void)
{
	unsigned int stage = 0;
	pthread_t t;

	ldt_set(0, &ldt_word);
	CHECK_EQ(pthread_create(&t, NULL, ldt_thread, &stage), 0);
	ldt_set(4, &ldt_word);
	__atomic_store_n(&stage, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&stage, __ATOMIC_SEQ_CST) != 2)
		sched_yield();
	CHECK_EQ(pthread_join(t, NULL), 0);
}

/*
 * A system call on a 16-bit stack. The return loads SP only, so the kernel must
 * care for the upper half of ESP (its "espfix").
 */
static unsigned int esp_after_call(unsigned int esp, long *ret)
{
	unsigned int after;

	asm volatile("mov %%ss, %%ecx\n\tmov %%esp, %%edx\n\t"
		     "mov %3, %%ss\n\tmov %2, %%esp\n\t"
		     "int $0x80\n\t"
		     "mov %%esp, %%ebx\n\t"
		     "mov %%ecx, %%ss\n\tmov %%edx, %%esp"
		     : "=&b" (after), "+a" (*ret)
		     : "S" (esp), "D" (LDT_SEL(7)) : "ecx", "edx", "memory");
	return after;
}

void test_stack_16bit(void)
{
	static char stack[65536] __attribute__((aligned(PAGE_BYTES)));
	struct user_desc d = segment_at(7, stack, 0xffff);
	unsigned int i, esp = 0x5678fff0;
	long ret;

	d.seg_32bit = 0;
	ldt_write(&d);
	for (i = 0; i < 50; i++) {
		ret = SYS_getppid;
		CHECK_EQ(esp_after_call(esp, &ret) & 0xffff, esp & 0xffff);
		CHECK_EQ(ret, getppid());
	}
}

void test_stack_16bit_high(void)
{
	static char stack[65536] __attribute__((aligned(PAGE_BYTES)));
	struct user_desc d = segment_at(7, stack, 0xffff);
	long ret = SYS_getppid;

	d.seg_32bit = 0;
	ldt_write(&d);
	CHECK_EQ(esp_after_call(0x5678fff0, &ret), 0x5678fff0);
}
