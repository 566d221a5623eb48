// SPDX-License-Identifier: GPL-2.0-only
/* Mappings: protection, moving, removal, stack, heap, locking, huge pages. */
#include "pvtest.h"
#include <sys/resource.h>
#include <sys/uio.h>

/* Page-fault error code bits. */
#define PF_PRESENT	1u
#define PF_WRITE	2u
#define PF_USER		4u
#define PF_FETCH	16u

static char *anon(size_t len_bytes)
{
	void *p = mmap(NULL, len_bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void expect_fault(volatile char *p, bool write, unsigned int error)
{
	struct trap t;

	CHECK(touch_faults(p, write, &t));
	CHECK_EQ(t.sig, SIGSEGV);
	CHECK_EQ(t.vector, 14);
	CHECK_EQ(t.addr, (uintptr_t)p);
	CHECK_EQ(t.error, error);
}

void test_mprotect(void)
{
	char *p = anon(4 * PAGE_BYTES);
	struct trap t;

	memset(p, 0x5a, 4 * PAGE_BYTES);
	SYS(mprotect(p + PAGE_BYTES, PAGE_BYTES, PROT_READ));
	expect_fault(p + PAGE_BYTES, true, PF_PRESENT | PF_WRITE | PF_USER);
	CHECK_EQ(p[PAGE_BYTES], 0x5a);
	CHECK(!touch_faults(p, true, &t));
	CHECK(!touch_faults(p + 2 * PAGE_BYTES, true, &t));
	SYS(mprotect(p + PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE));
	CHECK(!touch_faults(p + PAGE_BYTES, true, &t));
}

void test_mprotect_none(void)
{
	char *p = anon(2 * PAGE_BYTES);
	struct trap t;

	p[0] = 0x33;
	SYS(mprotect(p, PAGE_BYTES, PROT_NONE));
	CHECK(touch_faults(p, false, &t));
	CHECK_EQ(t.sig, SIGSEGV);
	CHECK_EQ(t.code, SEGV_ACCERR);
	SYS(mprotect(p, PAGE_BYTES, PROT_READ));
	CHECK_EQ(p[0], 0x33);
}

static void call_it(void *p)
{
	((void (*)(void))p)();
}

void test_no_execute(void)
{
	char *p = anon(PAGE_BYTES);
	struct trap t;

	if (!kernel_log_has("NX (Execute Disable) protection: active"))
		skip("the kernel uses no NX (CPU without it, or no PAE)");
	p[0] = (char)0xc3;	/* ret */
	/* vm_get_page_prot() of Linux 6.1 keeps 32 of a PAE entry's 64 bits. */
	if (!trap_catch(call_it, p, &t))
		skip("the kernel loses NX for user pages (Linux 6.1 with PAE)");
	CHECK_EQ(t.vector, 14);
	CHECK_EQ(t.addr, (uintptr_t)p);
	CHECK_EQ(t.error, PF_PRESENT | PF_USER | PF_FETCH);
	SYS(mprotect(p, PAGE_BYTES, PROT_READ | PROT_EXEC));
	CHECK(!trap_catch(call_it, p, &t));
}

/* Self-made code that changes under the CPU's feet. */
void test_code_rewrite(void)
{
	unsigned char *p = mmap(NULL, PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;

	CHECK(p != MAP_FAILED);
	for (i = 0; i < 50; i++) {
		p[0] = 0xb8;	/* mov $imm32, %eax; ret */
		memcpy(p + 1, &i, 4);
		p[5] = 0xc3;
		asm volatile("" : : : "memory");
		CHECK_EQ(((unsigned int (*)(void))p)(), i);
	}
}

#define MOVE_PAGES	600u	/* crosses a 2 MiB page table */

static void stamp(char *p, unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < pages; i++)
		*(unsigned int *)(p + i * PAGE_BYTES) = 0xabc00000 + i;
}

static bool stamped(const char *p, unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < pages; i++)
		if (*(const unsigned int *)(p + i * PAGE_BYTES) != 0xabc00000 + i)
			return false;
	return true;
}

void test_mremap_move(void)
{
	size_t len = MOVE_PAGES * PAGE_BYTES;
	char *from = anon(len), *to = anon(len), *got;
	struct trap t;

	stamp(from, MOVE_PAGES);
	got = mremap(from, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	CHECK_EQ((uintptr_t)got, (uintptr_t)to);
	CHECK(stamped(to, MOVE_PAGES));
	CHECK(touch_faults(from, false, &t));
	CHECK(touch_faults(from + len - 1, false, &t));
}

/* Whole page tables move when both ends are aligned to one. */
void test_mremap_tables(void)
{
	size_t len = 8u << 20;
	char *from = (char *)0x60000000, *to = (char *)0x64000000;
	int prot = PROT_READ | PROT_WRITE;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
	struct trap t;

	CHECK_EQ((uintptr_t)mmap(from, len, prot, flags, -1, 0), (uintptr_t)from);
	stamp(from, len / PAGE_BYTES);
	CHECK_EQ((uintptr_t)mremap(from, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, to),
		 (uintptr_t)to);
	CHECK(stamped(to, len / PAGE_BYTES));
	CHECK(touch_faults(from, false, &t));
	SYS(munmap(to, len));
	CHECK(touch_faults(to, false, &t));
}

void test_mremap_resize(void)
{
	char *p = anon(16 * PAGE_BYTES);
	struct trap t;

	stamp(p, 16);
	p = mremap(p, 16 * PAGE_BYTES, 8 * PAGE_BYTES, 0);
	CHECK(p != MAP_FAILED);
	CHECK(touch_faults(p + 8 * PAGE_BYTES, false, &t));
	p = mremap(p, 8 * PAGE_BYTES, MOVE_PAGES * PAGE_BYTES, MREMAP_MAYMOVE);
	CHECK(p != MAP_FAILED);
	CHECK(stamped(p, 8));
	CHECK_EQ(p[(MOVE_PAGES - 1) * PAGE_BYTES], 0);
}

void test_munmap(void)
{
	char *p = anon(8 * PAGE_BYTES);
	struct trap t;

	stamp(p, 8);
	SYS(munmap(p + 2 * PAGE_BYTES, 3 * PAGE_BYTES));
	expect_fault(p + 2 * PAGE_BYTES, false, PF_USER);
	expect_fault(p + 4 * PAGE_BYTES, true, PF_USER | PF_WRITE);
	CHECK(stamped(p, 2));
	CHECK(!touch_faults(p + 5 * PAGE_BYTES, false, &t));
	/* New memory there must not show the old page. */
	CHECK(mmap(p + 2 * PAGE_BYTES, PAGE_BYTES, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED);
	CHECK_EQ(*(unsigned int *)(p + 2 * PAGE_BYTES), 0);
}

void test_madvise_dontneed(void)
{
	char *p = anon(64 * PAGE_BYTES);

	stamp(p, 64);
	SYS(madvise(p, 64 * PAGE_BYTES, MADV_DONTNEED));
	CHECK_EQ(*(unsigned int *)(p + 63 * PAGE_BYTES), 0);
	stamp(p, 64);
	CHECK(stamped(p, 64));
}

static __attribute__((noinline)) unsigned int dig(unsigned int levels)
{
	volatile char frame[PAGE_BYTES];

	frame[0] = (char)levels;
	return (levels ? dig(levels - 1) : 0) + (unsigned char)frame[0];
}

static void dig_forever(void *unused)
{
	(void)unused;
	dig(100000);
}

void test_stack_growth(void)
{
	struct rlimit lim;
	struct trap t;
	unsigned int sum = 0, i;

	SYS(getrlimit(RLIMIT_STACK, &lim));
	lim.rlim_cur = 4u << 20;
	SYS(setrlimit(RLIMIT_STACK, &lim));
	for (i = 0; i <= 500; i++)
		sum += i & 0xff;
	CHECK_EQ(dig(500), sum);
	CHECK(trap_catch(dig_forever, NULL, &t));
	CHECK_EQ(t.sig, SIGSEGV);
	CHECK_EQ(t.vector, 14);
}

void test_brk(void)
{
	char *start = (char *)int80(SYS_brk, 0, 0, 0);
	char *end = start + 64 * PAGE_BYTES;
	struct trap t;

	CHECK_EQ(int80(SYS_brk, (long)end, 0, 0), (long)end);
	end[-1] = 9;
	CHECK_EQ(end[-1], 9);
	CHECK_EQ(int80(SYS_brk, (long)start, 0, 0), (long)start);
	CHECK(touch_faults(end - 1, false, &t));
}

void test_mlock(void)
{
	char *p = anon(16 * PAGE_BYTES);
	unsigned char core[16] = { 0 };
	size_t i;

	SYS(mlock(p, 16 * PAGE_BYTES));
	SYS(mincore(p, 16 * PAGE_BYTES, core));
	for (i = 0; i < 16; i++)
		CHECK_EQ(core[i] & 1, 1);
	SYS(munlock(p, 16 * PAGE_BYTES));
}

void test_process_vm_readv(void)
{
	char *p = anon(16 * PAGE_BYTES), *q = anon(16 * PAGE_BYTES);
	struct iovec local = { .iov_base = q, .iov_len = 16 * PAGE_BYTES };
	struct iovec remote = { .iov_base = p, .iov_len = 16 * PAGE_BYTES };
	pid_t pid = getpid();

	stamp(p, 16);
	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 && errno == ENOSYS)
		skip("no process_vm_readv (CONFIG_CROSS_MEMORY_ATTACH)");
	CHECK(stamped(q, 16));
}

/* The kernel meets bad user pointers: EFAULT, and nothing worse. */
void test_efault(void)
{
	char *p = anon(2 * PAGE_BYTES);
	int fd[2];

	SYS(pipe(fd));
	SYS(munmap(p + PAGE_BYTES, PAGE_BYTES));
	CHECK_EQ(int80(SYS_write, fd[1], 0xc0100000, 16), -EFAULT);
	CHECK_EQ(int80(SYS_write, fd[1], 8, 16), -EFAULT);
	SYS(write(fd[1], p, 16));
	CHECK_EQ(read(fd[0], p + PAGE_BYTES - 8, 16), -1);
	CHECK_EQ(errno, EFAULT);
}
