// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports from user mode.
 *
 * Owns: ioperm and iopl, and that a grant stays with its process.
 * Not here: refused instructions in general (`t_trap.c`).
 * Uses: port 0x61 (PIT and speaker gate), reading only.
 */
#include "pvtest.h"
#include <sched.h>
#include <sys/io.h>

#define PORT		0x61
#define PORT_HIGH	0xcf8

static void port_read(void *port)
{
	inb((unsigned short)(uintptr_t)port);
}

static bool port_open(unsigned int port)
{
	struct trap t;

	if (!trap_catch(port_read, (void *)(uintptr_t)port, &t))
		return true;
	CHECK_EQ(t.sig, SIGSEGV);
	CHECK_EQ(t.vector, 13);
	return false;
}

static void grant(unsigned int port)
{
	if (ioperm(port, 1, 1))
		skip("ioperm: %s (CONFIG_X86_IOPL_IOPERM)", strerror(errno));
}

void test_ioperm(void)
{
	CHECK(!port_open(PORT));
	grant(PORT);
	CHECK(port_open(PORT));
	CHECK(!port_open(PORT + 1));
	CHECK(!port_open(PORT_HIGH));
	grant(PORT_HIGH);
	CHECK(port_open(PORT_HIGH));
	SYS(ioperm(PORT, 1, 0));
	CHECK(!port_open(PORT));
	CHECK(port_open(PORT_HIGH));
}

static void port_loop(void *granted)
{
	unsigned int i;

	pin_to_cpu(0);
	if (granted)
		grant(PORT);
	for (i = 0; i < 60; i++) {
		CHECK_EQ(port_open(PORT), granted != NULL);
		sched_yield();
	}
}

/* Processes with and without a grant take turns on one CPU. */
void test_ioperm_switch(void)
{
	pid_t pids[4];
	uintptr_t i;

	for (i = 0; i < 4; i++)
		pids[i] = child_start(port_loop, (void *)(i & 1));
	for (i = 0; i < 4; i++)
		child_join(pids[i]);
}

static void inherits(void *unused)
{
	(void)unused;
	CHECK(port_open(PORT));
	SYS(ioperm(PORT, 1, 0));
	CHECK(!port_open(PORT));
}

void test_ioperm_fork(void)
{
	grant(PORT);
	child_join(child_start(inherits, NULL));
	CHECK(port_open(PORT));
}

void test_iopl(void)
{
	if (iopl(3))
		skip("iopl: %s (CONFIG_X86_IOPL_IOPERM)", strerror(errno));
	CHECK(port_open(PORT));
	CHECK(port_open(PORT_HIGH));
	SYS(iopl(0));
	CHECK(!port_open(PORT));
	CHECK_EQ(iopl(4), -1);
	CHECK_EQ(errno, EINVAL);
}
