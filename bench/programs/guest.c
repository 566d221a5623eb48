// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mounts the root image and ends QEMU.
 *
 * Owns: the mounts, the random pool, the debug exit.
 * Not here: the interface (`guest.h`).
 * Fails: one line that names what could not be mounted.
 */
#include "guest.h"
#include "../guest/random.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/io.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

/* The isa-debug-exit device: QEMU ends with 2 * value + 1. */
#define DEBUG_EXIT_PORT	0xf4
#define EXIT_PASSED	0x10
#define EXIT_FAILED	0x11

static const struct {
	const char *from, *at, *type, *data;
	unsigned long flags;
} mounts[] = {
	{ "dev",	"/dev",		"devtmpfs",	NULL,		0 },
	{ "/dev/vda",	"/root",	"ext4",		NULL,		MS_RDONLY | MS_NOATIME },
	{ "dev",	"/root/dev",	"devtmpfs",	NULL,		0 },
	{ "shm",	"/root/dev/shm", "tmpfs",	NULL,		0 },
	{ "proc",	"/root/proc",	"proc",		NULL,		0 },
	{ "sys",	"/root/sys",	"sysfs",	NULL,		0 },
	{ "tmp",	"/root/tmp",	"tmpfs",	"size=600m",	0 },
};

static int fill_random_pool(void)
{
	int fd = open("/dev/random", O_WRONLY), failed = fd < 0 || random_ready(fd);

	if (failed)
		printf("bench: cannot fill the random pool: %s\n", strerror(errno));
	close(fd);
	return failed;
}

int guest_prepare(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		mkdir(mounts[i].at, 0755);
		/* The kernel may have mounted /dev by itself. */
		if (mount(mounts[i].from, mounts[i].at, mounts[i].type, mounts[i].flags,
			  mounts[i].data) && errno != EBUSY) {
			printf("bench: cannot mount %s at %s: %s\n", mounts[i].from,
			       mounts[i].at, strerror(errno));
			return 1;
		}
	}
	if (chroot("/root") || chdir("/")) {
		printf("bench: cannot enter the root image: %s\n", strerror(errno));
		return 1;
	}
	return fill_random_pool();
}

void guest_end(int failed)
{
	if (!ioperm(DEBUG_EXIT_PORT, 4, 1))
		outb(failed ? EXIT_FAILED : EXIT_PASSED, DEBUG_EXIT_PORT);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
