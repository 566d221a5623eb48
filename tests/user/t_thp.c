// SPDX-License-Identifier: GPL-2.0-only
/* Transparent huge pages: made, split by mprotect, shared by fork, moved. */
#include "pvtest.h"

#define HUGE_ALIGN	(4u << 20)	/* covers 2 and 4 MiB pages */
#define REGION		(2 * HUGE_ALIGN)
#define THP_ENABLED	"/sys/kernel/mm/transparent_hugepage/enabled"

/* AnonHugePages of all mappings of this process, in KiB. */
static unsigned long huge_kib(void)
{
	static char text[65536];
	unsigned long sum = 0;
	char *at = text;

	file_read("/proc/self/smaps", text, sizeof(text));
	while ((at = strstr(at, "AnonHugePages:"))) {
		at += strlen("AnonHugePages:");
		sum += strtoul(at, NULL, 10);
	}
	return sum;
}

static bool holds(const unsigned int *p)
{
	unsigned int i;

	for (i = 0; i < REGION / 4; i += 1024)
		if (p[i] != i + 3)
			return false;
	return true;
}

static unsigned int *huge_region(void)
{
	char *raw = mmap(NULL, REGION + HUGE_ALIGN, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int *p, i;

	CHECK(raw != MAP_FAILED);
	/* Off by itself below 512 MiB of memory. */
	if (!file_write(THP_ENABLED, "madvise"))
		skip("no transparent huge pages (%s: %s)", THP_ENABLED,
		     strerror(errno));
	p = (unsigned int *)(((uintptr_t)raw + HUGE_ALIGN - 1) & -HUGE_ALIGN);
	if (madvise(p, REGION, MADV_HUGEPAGE))
		fail("madvise: %s", strerror(errno));
	for (i = 0; i < REGION / 4; i += 1024)
		p[i] = i + 3;
	CHECK(huge_kib() > 0);
	return p;
}

static void child_splits(void *arg)
{
	unsigned int *p = arg;

	CHECK(holds(p));
	p[5] = 99;
	SYS(munmap((char *)p + 16 * PAGE_BYTES, PAGE_BYTES));
	CHECK_EQ(p[5], 99);
}

void test_thp_split(void)
{
	unsigned int *p = huge_region();
	unsigned long before = huge_kib();
	struct trap t;

	CHECK(holds(p));
	SYS(mprotect((char *)p + 8 * PAGE_BYTES, PAGE_BYTES, PROT_READ));
	CHECK(touch_faults((char *)p + 8 * PAGE_BYTES, true, &t));
	CHECK(!touch_faults((char *)p + 7 * PAGE_BYTES + 64, true, &t));
	CHECK(huge_kib() < before);
	CHECK(holds(p));
}

void test_thp_fork(void)
{
	unsigned int *p = huge_region();

	child_join(child_start(child_splits, p));
	CHECK(holds(p));
	CHECK_EQ(p[5], 0);
	SYS(madvise((char *)p + PAGE_BYTES, 3 * PAGE_BYTES, MADV_DONTNEED));
	CHECK_EQ(p[1024], 0);
	CHECK_EQ(p[4 * 1024], 4 * 1024 + 3);
}
