// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mappings of a cached file, and the faults that fill them.
 *
 * Owns: the three sizes of mapping, the three kinds of fault.
 * Fails: through `bench_die()`.
 */
#include "lmbench.h"
#include <sys/mman.h>

#define STRIDE_BYTES	(16u << 10)
#define FAULT_BYTES	(4u << 20)
/* A read fault on a file maps all cached pages of its aligned 64 KiB. */
#define AROUND_BYTES	(64u << 10)

BENCH_SHARED void map_touch_unmap(int fd, unsigned int bytes)
{
	volatile char *p = sys_map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	unsigned int at;

	for (at = 0; at < bytes; at += STRIDE_BYTES)
		p[at] = 1;
	sys(SYS_munmap, (long)p, bytes, 0);
}

LM_ROW(lm_mmap_64k)
{
	int fd = bench_file(64u << 10);

	BENCH_EACH(samples, count, map_touch_unmap(fd, 64u << 10));
	return count;
}

LM_ROW(lm_mmap_1m)
{
	int fd = bench_file(1u << 20);

	BENCH_EACH(samples, count, map_touch_unmap(fd, 1u << 20));
	return count;
}

LM_ROW(lm_mmap_4m)
{
	int fd = bench_file(4u << 20);

	BENCH_EACH(samples, count, map_touch_unmap(fd, 4u << 20));
	return count;
}

/*
 * One page after the other, @step apart; the mapping is renewed, untimed, when
 * all have been touched.
 */
BENCH_SHARED unsigned int touch(uint32_t *samples, unsigned int count, int fd,
				unsigned int step, int write)
{
	long flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	unsigned int i, at = FAULT_BYTES;
	volatile char *p = NULL;

	for (i = 0; i < count; i++, at += step) {
		uint32_t start;

		if (at >= FAULT_BYTES) {
			if (p)
				sys(SYS_munmap, (long)p, FAULT_BYTES, 0);
			p = sys_map(FAULT_BYTES, PROT_READ | PROT_WRITE, flags, fd);
			/* Huge pages would take all faults but one in 512. */
			sys(SYS_madvise, (long)p, FAULT_BYTES, MADV_NOHUGEPAGE);
			at = 0;
		}
		start = ticks();
		if (write)
			p[at] = 1;
		else
			(void)p[at];
		samples[i] = ticks() - start;
	}
	return count;
}

LM_ROW(lm_pagefault)
{
	return touch(samples, count, bench_file(FAULT_BYTES), AROUND_BYTES, 0);
}

LM_ROW(lm_pagefault_write)
{
	return touch(samples, count, bench_file(FAULT_BYTES), PAGE_BYTES, 1);
}

LM_ROW(lm_pagefault_anon)
{
	return touch(samples, count, -1, PAGE_BYTES, 1);
}
