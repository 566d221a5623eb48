// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's random pool.
 *
 * Owns: `random_ready()`, for all guests that measure.
 */
#include "random.h"
#include <linux/random.h>
#include <sys/ioctl.h>

int random_ready(int fd)
{
	static const struct {
		struct rand_pool_info info;
		unsigned int words[16];
	} seed = { .info = { .entropy_count = 512, .buf_size = sizeof(seed.words) } };

	return ioctl(fd, RNDADDENTROPY, &seed);
}
