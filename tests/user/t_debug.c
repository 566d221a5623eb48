// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debugging: single step, breakpoints and watchpoints, ptrace.
 *
 * Owns: TF, DR0-DR3 through ptrace, reading and changing a stopped child.
 * Not here: bad registers given by a tracer (`t_badret.c`).
 * Watches plain variables only: a watch on a stack stops QEMU.
 */
#include "pvtest.h"
#include <sys/ptrace.h>
#include <sys/user.h>

/* The instruction behind a system call shares the call's trap. */
#define STEPPED_INSNS	6

static volatile unsigned int steps;
static uintptr_t step_eip[16];

static void on_step(int sig, siginfo_t *si, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	(void)si;
	if (steps < ARRAY_SIZE(step_eip))
		step_eip[steps] = regs[REG_EIP];
	steps++;
}

void debug_stepped(void);
extern const char debug_step_first[], debug_step_last[];
asm(".pushsection .text\n"
    ".globl debug_stepped\n"
    "debug_stepped:\n\t"
    "push %ebx\n\tpushf\n\torl $0x100, (%esp)\n\tpopf\n\t"
    "nop\n"
    "debug_step_first:\n\t"
    "mov $20, %eax\n\t"	/* getpid */
    "int $0x80\n\t"
    "nop\n\t"
    "pushf\n\tandl $~0x100, (%esp)\n"
    "debug_step_last:\n\t"
    "popf\n\t"
    "nop\n\tpop %ebx\n\tret\n"
    ".popsection");

/* One trap per instruction, none lost or added around a system call. */
void test_step_flag(void)
{
	struct sigaction sa = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &sa, NULL);
	debug_stepped();
	CHECK_EQ(steps, STEPPED_INSNS);
	CHECK_EQ(step_eip[0], (uintptr_t)debug_step_first);
	CHECK_EQ(step_eip[4], (uintptr_t)debug_step_last);
}

static unsigned int watched = 1, unwatched = 1;

void debug_breakhere(void);
asm(".pushsection .text\n.globl debug_breakhere\ndebug_breakhere:\n\tnop\n\tret\n.popsection");

static void tracee(void *arg)
{
	unsigned int rounds = arg ? *(unsigned int *)arg : 1;

	SYS(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	raise(SIGSTOP);
	while (rounds--) {
		*(volatile unsigned int *)&unwatched = 5;
		*(volatile unsigned int *)&watched = 6;
		debug_breakhere();
		int80(SYS_getpid, 0, 0, 0);
	}
}

static pid_t tracee_start(unsigned int *rounds)
{
	pid_t pid = child_start(tracee, rounds);
	int status = child_status(pid);

	CHECK(WIFSTOPPED(status));
	CHECK_EQ(WSTOPSIG(status), SIGSTOP);
	return pid;
}

static void tracee_end(pid_t pid)
{
	int status;

	SYS(ptrace(PTRACE_CONT, pid, NULL, NULL));
	status = child_status(pid);
	CHECK_EQ(status, 0);
}

static void stops_with(pid_t pid, int request, int sig)
{
	int status;

	SYS(ptrace(request, pid, NULL, NULL));
	status = child_status(pid);
	CHECK(WIFSTOPPED(status));
	CHECK_EQ(WSTOPSIG(status), sig);
}

static long debugreg_offset(unsigned int nr)
{
	return offsetof(struct user, u_debugreg) + 4 * nr;
}

static void debugreg_set(pid_t pid, unsigned int nr, unsigned long value)
{
	SYS(ptrace(PTRACE_POKEUSER, pid, debugreg_offset(nr), value));
}

static unsigned long debugreg(pid_t pid, unsigned int nr)
{
	errno = 0;
	return ptrace(PTRACE_PEEKUSER, pid, debugreg_offset(nr), NULL);
}

static unsigned long peek_eip(pid_t pid)
{
	return ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user_regs_struct, eip), NULL);
}

void test_watchpoint(void)
{
	unsigned int rounds = 5, i;
	pid_t pid = tracee_start(&rounds);

	debugreg_set(pid, 0, (unsigned long)&watched);
	debugreg_set(pid, 7, 0xd0001);	/* DR0: local, 4 bytes, write */
	for (i = 0; i < rounds; i++) {
		debugreg_set(pid, 6, 0);
		stops_with(pid, PTRACE_CONT, SIGTRAP);
		CHECK_EQ(debugreg(pid, 6) & 0xf, 1);
		CHECK_EQ(ptrace(PTRACE_PEEKDATA, pid, &watched, NULL), 6);
		CHECK_EQ(ptrace(PTRACE_PEEKDATA, pid, &unwatched, NULL), 5);
	}
	debugreg_set(pid, 7, 0);
	tracee_end(pid);
}

void test_hw_breakpoint(void)
{
	unsigned int rounds = 3, i;
	pid_t pid = tracee_start(&rounds);

	debugreg_set(pid, 1, (unsigned long)debug_breakhere);
	debugreg_set(pid, 7, 0x4);	/* DR1: local, execute */
	for (i = 0; i < rounds; i++) {
		stops_with(pid, PTRACE_CONT, SIGTRAP);
		CHECK_EQ(peek_eip(pid), (unsigned long)debug_breakhere);
	}
	debugreg_set(pid, 7, 0);
	tracee_end(pid);
}

/* A debug register may not point into the kernel. */
void test_watchpoint_refused(void)
{
	pid_t pid = tracee_start(NULL);

	CHECK_EQ(ptrace(PTRACE_POKEUSER, pid, debugreg_offset(0), 0xc1000000), -1);
	CHECK_EQ(errno, EINVAL);
	tracee_end(pid);
}

void test_ptrace_step(void)
{
	pid_t pid = tracee_start(NULL);
	unsigned int i, moved = 0;

	for (i = 0; i < 60; i++) {
		unsigned long before = peek_eip(pid);

		stops_with(pid, PTRACE_SINGLESTEP, SIGTRAP);
		moved += peek_eip(pid) != before;
	}
	CHECK(moved >= 59);	/* a step may end where it began: a rep prefix */
	tracee_end(pid);
}

void test_ptrace_memory(void)
{
	pid_t pid = tracee_start(NULL);
	long old = ptrace(PTRACE_PEEKDATA, pid, &watched, NULL);
	unsigned long code = ptrace(PTRACE_PEEKTEXT, pid, debug_breakhere, NULL);

	CHECK_EQ(old, 1);
	SYS(ptrace(PTRACE_POKEDATA, pid, &watched, 1234));
	CHECK_EQ(ptrace(PTRACE_PEEKDATA, pid, &watched, NULL), 1234);
	CHECK_EQ(watched, 1);
	SYS(ptrace(PTRACE_POKETEXT, pid, debug_breakhere, (code & ~0xfful) | 0xcc));
	stops_with(pid, PTRACE_CONT, SIGTRAP);
	CHECK_EQ(peek_eip(pid), (unsigned long)debug_breakhere + 1);
	SYS(ptrace(PTRACE_POKETEXT, pid, debug_breakhere, code));
	debug_breakhere();	/* ours is as it was */
	tracee_end(pid);
}

void test_ptrace_syscall(void)
{
	unsigned int rounds = 3, i;
	pid_t pid = tracee_start(&rounds);
	struct user_regs_struct regs;

	for (i = 0; i < rounds; i++) {
		stops_with(pid, PTRACE_SYSCALL, SIGTRAP);
		SYS(ptrace(PTRACE_GETREGS, pid, NULL, &regs));
		CHECK_EQ(regs.orig_eax, SYS_getpid);
		CHECK_EQ(regs.eax, -ENOSYS);
		stops_with(pid, PTRACE_SYSCALL, SIGTRAP);
		SYS(ptrace(PTRACE_GETREGS, pid, NULL, &regs));
		CHECK_EQ(regs.eax, pid);
	}
	tracee_end(pid);
}
