// SPDX-License-Identifier: GPL-2.0-only
/* Mapped files: shared and private, past the end, by several processes. */
#include "pvtest.h"

#define FILE_PAGES	24u

static int file_make(void)
{
	char name[] = "/tmp/pvtest.XXXXXX", page[PAGE_BYTES];
	int fd = SYS(mkstemp(name));
	unsigned int i;

	unlink(name);
	for (i = 0; i < FILE_PAGES; i++) {
		memset(page, 'a' + i, sizeof(page));
		CHECK_EQ(write(fd, page, sizeof(page)), sizeof(page));
	}
	return fd;
}

static char *file_map(int fd, int prot, int flags)
{
	char *p = mmap(NULL, FILE_PAGES * PAGE_BYTES, prot, flags, fd, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void write_shared(void *p)
{
	((char *)p)[2 * PAGE_BYTES] = 'C';
}

void test_file_shared(void)
{
	int fd = file_make();
	char *p = file_map(fd, PROT_READ | PROT_WRITE, MAP_SHARED), c;
	unsigned int i;

	for (i = 0; i < FILE_PAGES; i++)
		CHECK_EQ(p[i * PAGE_BYTES + 5], 'a' + (int)i);
	p[PAGE_BYTES] = 'X';
	child_join(child_start(write_shared, p));
	SYS(msync(p, FILE_PAGES * PAGE_BYTES, MS_SYNC));
	CHECK_EQ(pread(fd, &c, 1, PAGE_BYTES), 1);
	CHECK_EQ(c, 'X');
	CHECK_EQ(pread(fd, &c, 1, 2 * PAGE_BYTES), 1);
	CHECK_EQ(c, 'C');
	CHECK_EQ(pwrite(fd, "Y", 1, 3 * PAGE_BYTES), 1);
	CHECK_EQ(p[3 * PAGE_BYTES], 'Y');
}

void test_file_private(void)
{
	int fd = file_make();
	char *p = file_map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE), c;

	p[0] = 'P';
	CHECK_EQ(pread(fd, &c, 1, 0), 1);
	CHECK_EQ(c, 'a');
	CHECK_EQ(pwrite(fd, "Q", 1, PAGE_BYTES), 1);
	CHECK_EQ(p[PAGE_BYTES], 'Q');
	SYS(madvise(p, PAGE_BYTES, MADV_DONTNEED));
	CHECK_EQ(p[0], 'a');
}

void test_file_truncated(void)
{
	int fd = file_make();
	char *p = file_map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	struct trap t;

	p[5 * PAGE_BYTES] = 'T';
	SYS(ftruncate(fd, 4 * PAGE_BYTES));
	CHECK(!touch_faults(p + 3 * PAGE_BYTES, true, &t));
	CHECK(touch_faults(p + 5 * PAGE_BYTES, false, &t));
	CHECK_EQ(t.sig, SIGBUS);
	CHECK_EQ(t.code, BUS_ADRERR);
	SYS(ftruncate(fd, FILE_PAGES * PAGE_BYTES));
	CHECK_EQ(p[5 * PAGE_BYTES], 0);
}

void test_file_readonly(void)
{
	int fd = file_make();
	char *p = file_map(fd, PROT_READ, MAP_SHARED);
	struct trap t;

	CHECK_EQ(p[0], 'a');
	CHECK(touch_faults(p, true, &t));
	CHECK_EQ(t.code, SEGV_ACCERR);
	CHECK_EQ(t.error, 7);
	SYS(mprotect(p, PAGE_BYTES, PROT_READ | PROT_WRITE));
	p[0] = 'W';
	CHECK_EQ(p[0], 'W');
}
