// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs code that is expected to fault and tells what came.
 *
 * Owns: the handlers of the fault signals, the jump out of them.
 * Not here: which fault is right (the `t_*.c` files).
 * Runs: in one single-threaded process at a time.
 * Fails: not at all; no signal is an answer too.
 */
#include "pvtest.h"
#include <setjmp.h>

#define EFLAGS_FIXED	2

static const int fault_signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
static sigjmp_buf leave;
static struct trap *result;
static unsigned int good_gs;
static char handler_stack[32768];
static void (*frame_edit)(greg_t *regs, void *arg);
static void *frame_arg;

/* What C code needs: the thread pointer in %gs, and no odd flag. */
static inline void sane_cpu(void)
{
	asm volatile("mov %0, %%gs\n\tpush %1\n\tpopf"
		     : : "r" (good_gs), "i" (EFLAGS_FIXED) : "memory", "cc");
}

static void on_fault(int sig, siginfo_t *si, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	sane_cpu();
	result->sig = sig;
	result->code = si->si_code;
	result->vector = regs[REG_TRAPNO];
	result->error = regs[REG_ERR];
	result->addr = (uintptr_t)si->si_addr;
	result->eip = regs[REG_EIP];
	result->efl = regs[REG_EFL];
	siglongjmp(leave, 1);
}

/**
 * trap_leave() - go back to the running `trap_catch()`, which returns false
 *
 * Context: anywhere below it, with DS, ES and SS usable.
 */
void trap_leave(void)
{
	sane_cpu();
	siglongjmp(leave, 2);
}

static void handlers_install(void)
{
	struct sigaction sa = { .sa_sigaction = on_fault,
				.sa_flags = SA_SIGINFO | SA_ONSTACK };
	stack_t ss = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };
	size_t i;

	asm("mov %%gs, %0" : "=r" (good_gs));
	sigaltstack(&ss, NULL);
	for (i = 0; i < ARRAY_SIZE(fault_signals); i++)
		sigaction(fault_signals[i], &sa, NULL);
}

static void handlers_remove(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fault_signals); i++)
		signal(fault_signals[i], SIG_DFL);
}

/**
 * trap_catch() - run @fn and catch the fault it runs into
 * @fn: may fault, return, or call `trap_leave()`
 * @arg: handed to @fn
 * @t: the fault
 *
 * Context: not reentrant; the handlers are gone afterwards.
 * Return: whether a fault came.
 */
bool trap_catch(void (*fn)(void *arg), void *arg, struct trap *t)
{
	volatile int how;

	memset(t, 0, sizeof(*t));
	result = t;
	handlers_install();
	how = sigsetjmp(leave, 1);
	if (!how)
		fn(arg);
	handlers_remove();
	return how == 1;
}

static void on_edit(int sig, siginfo_t *si, void *context)
{
	(void)sig;
	(void)si;
	frame_edit(((ucontext_t *)context)->uc_mcontext.gregs, frame_arg);
}

static void raise_edit(void *unused)
{
	struct sigaction sa = { .sa_sigaction = on_edit, .sa_flags = SA_SIGINFO };

	(void)unused;
	sigaction(SIGUSR1, &sa, NULL);
	int80(SYS_kill, getpid(), SIGUSR1, 0);
}

/**
 * sigreturn_catch() - return from a signal into an edited frame
 * @edit: changes the registers that sigreturn will load
 * @arg: handed to @edit
 * @t: the fault that follows
 * Return: whether a fault came.
 */
bool sigreturn_catch(void (*edit)(greg_t *regs, void *arg), void *arg,
		     struct trap *t)
{
	frame_edit = edit;
	frame_arg = arg;
	return trap_catch(raise_edit, NULL, t);
}

static void touch_read(void *p)
{
	(void)*(volatile char *)p;
}

static void touch_write(void *p)
{
	*(volatile char *)p = 1;
}

/**
 * touch_faults() - does one byte's access fault?
 * @p: the byte
 * @write: write it (with the value 1), or read it
 * @t: the fault
 */
bool touch_faults(volatile void *p, bool write, struct trap *t)
{
	return trap_catch(write ? touch_write : touch_read, (void *)p, t);
}
