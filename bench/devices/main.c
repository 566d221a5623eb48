// SPDX-License-Identifier: GPL-2.0-only
/*
 * PID 1 of the device rows' guest, and the command that fio starts around a job.
 *
 * Owns: choosing the unit (`bench_unit=` on the kernel's command line).
 * Not here: mounts and the end of the guest (`../programs/guest.c`), the units
 *	(`io.c`, `net.c`, `postmark.c`).
 * Fails: one line, and QEMU ends with status 35 instead of 33.
 */
#include "devices.h"
#include "../programs/guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct unit {
	const char *name;
	void (*run)(void);
} units[] = {
	{ "io", unit_io },
	{ "net", unit_net },
	{ "postmark", unit_postmark },
};

static int run_unit(void)
{
	const char *name = getenv("bench_unit");
	unsigned int i;

	moment_await_clock();
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (name && !strcmp(name, units[i].name)) {
			units[i].run();
			return 0;
		}
	printf("bench: bench_unit=%s: no such unit\n", name ? name : "");
	return 1;
}

int main(void)
{
	int status = 1;
	pid_t pid;

	if (getpid() != 1) {
		io_mark();
		return 0;
	}
	pid = guest_prepare() ? -1 : fork();
	if (!pid)
		exit(run_unit());
	if (pid > 0 && waitpid(pid, &status, 0) != pid)
		status = 1;
	fflush(stdout);
	guest_end(status);
	return 1;
}
