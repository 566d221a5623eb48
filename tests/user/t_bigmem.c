// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory pressure: most of the free memory touched, highmem included.
 *
 * Owns: patterns in many pages, fork over them, shrinking kernel caches.
 * Not here: small mappings (`t_memory.c`).
 * Takes 60 % of the free memory, at most 400 MiB, so that a run stays short.
 */
#include "pvtest.h"
#include <ftw.h>
#include <sys/stat.h>

#define MOST_MIB	400u

static unsigned int word_for(unsigned int page)
{
	return page * 2654435761u ^ 0x600df00d;
}

static bool pages_hold(const unsigned int *p, unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < pages; i++)
		if (p[i * 1024] != word_for(i) || p[i * 1024 + 1023] != 0)
			return false;
	return true;
}

static unsigned long min_ul(unsigned long a, unsigned long b)
{
	return a < b ? a : b;
}

struct span {
	unsigned int *p;
	unsigned int pages;
};

static void child_rewrites(void *arg)
{
	struct span *s = arg;
	unsigned int i;

	for (i = 0; i < s->pages; i += 16)
		s->p[i * 1024] = i;
	for (i = 0; i < s->pages; i++)
		if (s->p[i * 1024] != (i % 16 ? word_for(i) : i))
			break;
	CHECK_EQ(i, s->pages);
}

void test_memory_pressure(void)
{
	unsigned long free_kib = meminfo_kib("MemFree");
	unsigned long high_before = meminfo_kib("HighFree"), high_used;
	unsigned long most = MOST_MIB << 10;
	struct span s;
	unsigned int i;

	s.pages = (free_kib * 6 / 10 < most ? free_kib * 6 / 10 : most) / 4;
	s.p = mmap(NULL, (size_t)s.pages * PAGE_BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(s.p != MAP_FAILED);
	for (i = 0; i < s.pages; i++)
		s.p[i * 1024] = word_for(i);
	CHECK(pages_hold(s.p, s.pages));
	high_used = high_before - meminfo_kib("HighFree");
	if (high_before > 16384)
		CHECK(high_used > min_ul(high_before, s.pages * 4) / 4);
	child_join(child_start(child_rewrites, &s));
	CHECK(pages_hold(s.p, s.pages));
	SYS(munmap(s.p, (size_t)s.pages * PAGE_BYTES));
	CHECK(meminfo_kib("MemFree") > free_kib * 8 / 10);
}

static unsigned long dentries(void)
{
	char text[200];

	CHECK(file_read("/proc/sys/fs/dentry-state", text, sizeof(text)) > 0);
	return strtoul(text, NULL, 10);
}

static unsigned int entries_seen;

static int count_entry(const char *path, const struct stat *st, int kind,
		       struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)kind;
	(void)ftw;
	entries_seen++;
	return 0;
}

static unsigned int walk(const char *dir)
{
	entries_seen = 0;
	SYS(nftw(dir, count_entry, 20, FTW_PHYS));
	return entries_seen;
}

/* Without swap and disks only kernel caches can be given back: do that. */
void test_reclaim_caches(void)
{
	unsigned int seen, i;
	unsigned long full;

	seen = walk("/sys/devices");
	full = dentries();
	/* The first pass only ages what was used lately. */
	for (i = 0; i < 5 && dentries() + 100 >= full; i++)
		if (!file_write("/proc/sys/vm/drop_caches", "2"))
			fail("drop_caches: %s", strerror(errno));
	CHECK(dentries() + 100 < full);
	CHECK_EQ(walk("/sys/devices"), seen);
}
