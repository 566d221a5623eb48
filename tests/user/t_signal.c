// SPDX-License-Identifier: GPL-2.0-only
/* Signals: nesting, alternate stack, registers kept, queues, masks. */
#include "pvtest.h"

static volatile unsigned int order[8], order_count;

static void note(unsigned int what)
{
	if (order_count < ARRAY_SIZE(order))
		order[order_count] = what;
	order_count++;
}

static void inner(int sig)
{
	(void)sig;
	note(2);
}

static void outer(int sig)
{
	(void)sig;
	note(1);
	raise(SIGUSR2);
	note(3);
}

void test_signal_nested(void)
{
	signal(SIGUSR1, outer);
	signal(SIGUSR2, inner);
	raise(SIGUSR1);
	note(4);
	CHECK_EQ(order_count, 4);
	CHECK_EQ(order[0], 1);
	CHECK_EQ(order[1], 2);
	CHECK_EQ(order[2], 3);
	CHECK_EQ(order[3], 4);
}

static char alt_stack[32768];
static volatile bool on_alt;

static void where(int sig)
{
	char here;

	(void)sig;
	on_alt = &here >= alt_stack && &here < alt_stack + sizeof(alt_stack);
}

void test_signal_altstack(void)
{
	struct sigaction sa = { .sa_handler = where, .sa_flags = SA_ONSTACK };
	stack_t ss = { .ss_sp = alt_stack, .ss_size = sizeof(alt_stack) };

	SYS(sigaltstack(&ss, NULL));
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	CHECK(on_alt);
	sa.sa_flags = 0;
	sigaction(SIGUSR1, &sa, NULL);
	raise(SIGUSR1);
	CHECK(!on_alt);
}

static void spoil(int sig)
{
	(void)sig;
	asm volatile("mov $-1, %%eax\n\tmov %%eax, %%ecx\n\tmov %%eax, %%edx\n\tstd\n\tcld"
		     : : : "eax", "ecx", "edx", "cc");
	note(9);
}

/* Everything a handler spoils is back afterwards, the flags included. */
void test_signal_registers(void)
{
	unsigned int out[5], flags, pid = getpid();

	signal(SIGUSR1, spoil);
	asm volatile("mov $0x0d0d0d0d, %%edx\n\tmov $0x05050505, %%esi\n\t"
		     "stc\n\tmov %3, %%eax\n\tint $0x80\n\t"
		     "pushf\n\tpop 16(%%edi)\n\t"
		     "mov %%ebx, (%%edi)\n\tmov %%ecx, 4(%%edi)\n\t"
		     "mov %%edx, 8(%%edi)\n\tmov %%esi, 12(%%edi)"
		     : "=m" (out) : "b" (pid), "c" (SIGUSR1), "i" (SYS_kill), "D" (out)
		     : "eax", "edx", "esi", "cc", "memory");
	flags = out[4];
	CHECK_EQ(order_count, 1);
	CHECK_EQ(out[0], pid);
	CHECK_EQ(out[1], SIGUSR1);
	CHECK_EQ(out[2], 0x0d0d0d0d);
	CHECK_EQ(out[3], 0x05050505);
	CHECK_EQ(flags & 1, 1);
}

static void on_queue(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)context;
	note(si->si_value.sival_int);
}

void test_signal_queue(void)
{
	struct sigaction sa = { .sa_sigaction = on_queue, .sa_flags = SA_SIGINFO };
	sigset_t set;
	int i;

	sigaction(SIGRTMIN, &sa, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (i = 0; i < 5; i++)
		SYS(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = i * 7 }));
	CHECK_EQ(order_count, 0);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	CHECK_EQ(order_count, 5);
	for (i = 0; i < 5; i++)
		CHECK_EQ(order[i], i * 7);
}

static void flood(void *target)
{
	int i;

	for (i = 0; i < 200; i++)
		kill((pid_t)(intptr_t)target, SIGUSR1);
	kill((pid_t)(intptr_t)target, SIGUSR2);
}

static volatile sig_atomic_t flood_ended;

static void end_flood(int sig)
{
	(void)sig;
	flood_ended = 1;
}

/* Signals that arrive anywhere in user code leave its arithmetic alone. */
void test_signal_flood(void)
{
	unsigned int x = 1, y = 1, i;
	pid_t pid;

	signal(SIGUSR1, spoil);
	signal(SIGUSR2, end_flood);
	pid = child_start(flood, (void *)(intptr_t)getpid());
	for (i = 0; !flood_ended || i < 1000; i++) {
		x = x * 1664525 + 1013904223;
		asm volatile("imul $1664525, %0\n\tadd $1013904223, %0" : "+r" (y));
		if (x != y)
			break;
	}
	CHECK_EQ(x, y);
	child_join(pid);
	CHECK(order_count > 0);
}
