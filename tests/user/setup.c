// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest around the tests.
 *
 * Owns: mounts, the console, quiet logs at the start; how the emulator ends.
 * Not here: tests and their choice.
 * Runs: as PID 1 only.
 * Fails: a mount that the kernel does not offer is left out; the tests that
 *	need it name it. An unknown `pvtest_end=` counts as a failure.
 */
#include "runner.h"
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>

/* The isa-debug-exit device: QEMU ends with 2 * value + 1. */
#define DEBUG_EXIT_PORT	0xf4
#define EXIT_PASSED	0x10
#define EXIT_FAILED	0x11
/* Bochs ends when a certain word is written here; its status is always 1. */
#define BOCHS_EXIT_PORT	0x8900

static void mount_at(const char *type, const char *dir)
{
	mkdir(dir, 0755);
	mount(type, dir, type, 0, NULL);
}

static void console_open(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		return;
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

/**
 * setup_guest() - mount what tests look at
 */
void setup_guest(void)
{
	mount_at("proc", "/proc");
	mount_at("sysfs", "/sys");
	mount_at("devtmpfs", "/dev");
	mount_at("debugfs", "/sys/kernel/debug");
	mkdir("/tmp", 01777);
	console_open();
	/* The tests fault on purpose, hundreds of times. */
	file_write("/proc/sys/debug/exception-trace", "0");
}

static void debug_exit(bool passed)
{
	if (ioperm(DEBUG_EXIT_PORT, 4, 1))
		line_out("# no access to port %#x: %s", DEBUG_EXIT_PORT,
			 strerror(errno));
	else
		outb(passed ? EXIT_PASSED : EXIT_FAILED, DEBUG_EXIT_PORT);
}

static void bochs_exit(void)
{
	static const char word[] = "Shutdown";
	const char *at;

	if (ioperm(BOCHS_EXIT_PORT, 1, 1)) {
		line_out("# no access to port %#x: %s", BOCHS_EXIT_PORT,
			 strerror(errno));
		return;
	}
	for (at = word; *at; at++)
		outb(*at, BOCHS_EXIT_PORT);
}

/**
 * end_guest() - end the emulator in the way the command line asks for
 * @passed: whether all tests passed
 *
 * Prints the verdict, for emulators that have no exit status.
 * `pvtest_end=exit` (default) writes it to port 0xF4, too; `reboot` and
 * `poweroff` call reboot(2), for whoever watches the machine go down.
 */
void end_guest(bool passed)
{
	char how[16] = "exit";

	cmdline_value("pvtest_end", how, sizeof(how));
	if (strcmp(how, "exit") && strcmp(how, "reboot") && strcmp(how, "poweroff")) {
		line_out("# pvtest_end=%s: use exit, reboot or poweroff", how);
		passed = false;
	}
	line_out("# verdict: %s", passed ? "passed" : "failed");
	sync();
	if (!strcmp(how, "reboot"))
		reboot(RB_AUTOBOOT);
	else if (!strcmp(how, "poweroff"))
		reboot(RB_POWER_OFF);
	debug_exit(passed);
	bochs_exit();
	/* Without an exit device the verdict is on the console only. */
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
