// SPDX-License-Identifier: GPL-2.0-only
/* Virtual-8086 mode: real-mode code runs, its int and hlt come back to us. */
#include "pvtest.h"
#include <sys/vm86.h>

#define CODE_SEG	0x2000

static int enter(struct vm86plus_struct *v, const unsigned char *code, size_t len)
{
	void *at = mmap((void *)(CODE_SEG << 4), 16 * PAGE_BYTES,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	long ret;

	if (at == MAP_FAILED)
		fail("mapping below 1 MiB: %s", strerror(errno));
	memcpy(at, code, len);
	memset(v, 0, sizeof(*v));
	memset(&v->int_revectored, 0xff, sizeof(v->int_revectored));
	v->regs.cs = CODE_SEG;
	v->regs.ss = CODE_SEG;
	v->regs.ds = CODE_SEG;
	v->regs.esp = 0xf000;
	ret = syscall(SYS_vm86, VM86_ENTER, v);
	if (ret == -1 && errno == ENOSYS)
		skip("no vm86 (CONFIG_VM86)");
	SYS(ret);
	return ret;
}

void test_vm86(void)
{
	/* mov $0x1234,%ax; mov %ax,0x100; int $0x21 */
	static const unsigned char with_int[] = {
		0xb8, 0x34, 0x12, 0xa3, 0x00, 0x01, 0xcd, 0x21 };
	static const unsigned char with_sti[] = { 0xfa, 0x9c, 0x58, 0xfb, 0xf4 };
	struct vm86plus_struct v;
	int ret = enter(&v, with_int, sizeof(with_int));

	CHECK_EQ(VM86_TYPE(ret), VM86_INTx);
	CHECK_EQ(VM86_ARG(ret), 0x21);
	CHECK_EQ(v.regs.eax & 0xffff, 0x1234);
	CHECK_EQ(*(unsigned short *)((CODE_SEG << 4) + 0x100), 0x1234);
	/* cli; pushf; pop %ax; sti; hlt */
	ret = enter(&v, with_sti, sizeof(with_sti));
	CHECK_EQ(VM86_TYPE(ret), VM86_UNKNOWN);
	CHECK_EQ(v.regs.eip, 4);
	CHECK_EQ(v.regs.eax & 0x200, 0);
}
