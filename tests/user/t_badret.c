// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns to user mode that cannot work: the kernel's own iret, or its reloads
 * of segment registers, fault.
 *
 * Owns: frames made by sigreturn and by ptrace with bad selectors, bad EIP and
 *	odd flags.
 * Not here: faults of user instructions (`t_trap.c`).
 * Fails: a kernel that dies here says so on the console itself.
 * Source: Linux reports an iret fault as SIGILL, ILL_BADSTK, vector 32.
 */
#include "pvtest.h"
#include <sys/ptrace.h>
#include <sys/user.h>

#define IRET_FAULT	32
#define SEL_LDT		0x27	/* entry 4 of an LDT that does not exist */
#define SEL_KERNEL	0x63	/* the kernel's code segment, RPL 3 */
#define SEL_TSS		0x83	/* a system descriptor of the GDT */
#define SEL_BEYOND	0xfff3	/* beyond the GDT's limit */
#define EFL_TF		0x100
#define EFL_NT		0x4000

struct reg_edit {
	int reg;
	greg_t value;
};

static void set_reg(greg_t *regs, void *arg)
{
	struct reg_edit *e = arg;

	regs[e->reg] = e->value;
}

static void expect_iret_fault(int reg, greg_t value)
{
	struct reg_edit e = { reg, value };
	struct trap t;

	CHECK(sigreturn_catch(set_reg, &e, &t));
	CHECK_EQ(t.sig, SIGILL);
	CHECK_EQ(t.vector, IRET_FAULT);
	CHECK_EQ(t.code, ILL_BADSTK);
}

static unsigned int own_ds(void)
{
	unsigned int ds;

	asm("mov %%ds, %0" : "=r" (ds));
	return ds;
}

void test_iret_bad_cs(void)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		expect_iret_fault(REG_CS, SEL_LDT);
		expect_iret_fault(REG_CS, SEL_TSS);
		expect_iret_fault(REG_CS, SEL_BEYOND);
		expect_iret_fault(REG_CS, 3);		/* null */
		expect_iret_fault(REG_CS, own_ds());	/* not code */
	}
}

void test_iret_kernel_cs(void)
{
	expect_iret_fault(REG_CS, SEL_KERNEL);
}

void test_iret_bad_ss(void)
{
	unsigned int cs, i;

	asm("mov %%cs, %0" : "=r" (cs));
	for (i = 0; i < 20; i++) {
		expect_iret_fault(REG_SS, SEL_LDT);
		expect_iret_fault(REG_SS, SEL_TSS);
		expect_iret_fault(REG_SS, SEL_BEYOND);
		expect_iret_fault(REG_SS, 3);
		expect_iret_fault(REG_SS, cs);		/* not writable data */
	}
}

/* Where a frame with odd data segments goes: note them, then repair. */
unsigned int badret_segs[4];
void badret_probe(void);
void badret_left(void);
asm(".pushsection .text\n"
    ".globl badret_probe\n"
    "badret_probe:\n\t"
    "mov %ds, %eax\n\tmov %es, %ebx\n\tmov %fs, %ecx\n\tmov %gs, %edx\n\t"
    "mov %ss, %esi\n\tmov %esi, %ds\n\tmov %esi, %es\n\t"
    "xor %esi, %esi\n\tmov %esi, %fs\n\t"
    "mov %eax, badret_segs\n\tmov %ebx, badret_segs+4\n\t"
    "mov %ecx, badret_segs+8\n\tmov %edx, badret_segs+12\n\t"
    "jmp trap_leave\n"
    ".popsection");

static void set_seg(greg_t *regs, void *arg)
{
	set_reg(regs, arg);
	regs[REG_EIP] = (greg_t)badret_probe;
}

/* A data selector that cannot be loaded becomes the null selector. */
static void expect_null(int reg, unsigned int slot)
{
	static const unsigned int bad[] = { SEL_LDT, SEL_KERNEL, SEL_TSS, SEL_BEYOND };
	struct trap t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct reg_edit e = { reg, bad[i] };

		memset(badret_segs, 0xff, sizeof(badret_segs));
		CHECK(!sigreturn_catch(set_seg, &e, &t));
		CHECK_EQ(badret_segs[slot] & 0xffff, 0);
	}
}

void test_return_bad_ds(void)
{
	expect_null(REG_DS, 0);
}

void test_return_bad_es(void)
{
	expect_null(REG_ES, 1);
}

void test_return_bad_fs(void)
{
	expect_null(REG_FS, 2);
}

void test_return_bad_gs(void)
{
	expect_null(REG_GS, 3);
}

static void expect_eip_fault(greg_t eip)
{
	struct reg_edit e = { REG_EIP, eip };
	struct trap t;

	CHECK(sigreturn_catch(set_reg, &e, &t));
	CHECK_EQ(t.sig, SIGSEGV);
	CHECK(t.vector == 14 || t.vector == 13);
	CHECK_EQ(t.eip, (uintptr_t)eip);
}

void test_return_bad_eip(void)
{
	expect_eip_fault(0);
	expect_eip_fault(0x1000);
	expect_eip_fault((greg_t)0xc0100000);
	expect_eip_fault((greg_t)0xc1000000);
	expect_eip_fault((greg_t)0xfc000000);
	expect_eip_fault((greg_t)0xfffff000);
	expect_eip_fault((greg_t)0xffffffff);
}

static void set_flags(greg_t *regs, void *arg)
{
	regs[REG_EFL] |= *(int *)arg;
}

void test_return_tf(void)
{
	int flags = EFL_TF;
	struct trap t;

	CHECK(sigreturn_catch(set_flags, &flags, &t));
	CHECK_EQ(t.sig, SIGTRAP);
	CHECK_EQ(t.vector, 1);
	CHECK_EQ(t.code, TRAP_TRACE);
}

/* NT set in user mode must not reach any iret of the kernel. */
void test_return_nt(void)
{
	unsigned int before, after, i;
	struct trap t;
	int nt;
	char *page = mmap(NULL, 64 * PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	asm volatile("pushf\n\torl $0x4000, (%%esp)\n\tpopf\n\tpushf\n\tpop %0"
		     : "=r" (before) : : "cc");
	for (i = 0; i < 64; i++) {
		page[i * PAGE_BYTES] = 1;	/* page fault and back */
		CHECK_EQ(int80(SYS_getppid, 0, 0, 0), getppid());
		usleep(i == 32);		/* switch away and back */
	}
	asm volatile("pushf\n\tpop %0\n\tpushf\n\tandl $~0x4000, (%%esp)\n\tpopf"
		     : "=r" (after) : : "cc");
	CHECK_EQ(before & EFL_NT, EFL_NT);
	CHECK_EQ(after & EFL_NT, EFL_NT);
	nt = EFL_NT;
	CHECK(!sigreturn_catch(set_flags, &nt, &t));
	asm volatile("pushf\n\tandl $~0x4000, (%%esp)\n\tpopf" : : : "cc");
}

static void traced(void *unused)
{
	(void)unused;
	SYS(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	raise(SIGSTOP);
}

/* A tracer may put a bad selector into a stopped child; the child gets it. */
static void traced_fault(size_t reg_off, long value)
{
	pid_t pid = child_start(traced, NULL);
	siginfo_t info;
	int status = child_status(pid);

	CHECK(WIFSTOPPED(status));
	SYS(ptrace(PTRACE_POKEUSER, pid, (void *)reg_off, (void *)value));
	SYS(ptrace(PTRACE_CONT, pid, NULL, NULL));
	status = child_status(pid);
	CHECK(WIFSTOPPED(status));
	CHECK_EQ(WSTOPSIG(status), SIGILL);
	SYS(ptrace(PTRACE_GETSIGINFO, pid, NULL, &info));
	CHECK_EQ(info.si_code, ILL_BADSTK);
	kill(pid, SIGKILL);
	CHECK_EQ(WTERMSIG(child_status(pid)), SIGKILL);
}

void test_ptrace_bad_cs(void)
{
	traced_fault(offsetof(struct user_regs_struct, xcs), SEL_LDT);
}

void test_ptrace_bad_ss(void)
{
	traced_fault(offsetof(struct user_regs_struct, xss), SEL_LDT);
}

/* What no process may have is refused before it can be loaded. */
void test_ptrace_refuses_regs(void)
{
	pid_t pid = child_start(traced, NULL);
	struct user_regs_struct regs;

	child_status(pid);
	SYS(ptrace(PTRACE_GETREGS, pid, NULL, &regs));
	CHECK_EQ(ptrace(PTRACE_POKEUSER, pid,
			offsetof(struct user_regs_struct, xcs), 0x60), -1);
	CHECK_EQ(errno, EIO);
	SYS(ptrace(PTRACE_POKEUSER, pid, offsetof(struct user_regs_struct, eflags),
		   0x3fffff));
	errno = 0;
	CHECK_EQ(ptrace(PTRACE_PEEKUSER, pid,
			offsetof(struct user_regs_struct, eflags), 0) & 0x23200,
		 0x200);	/* VM, IOPL clear; IF set */
	kill(pid, SIGKILL);
	child_status(pid);
}
