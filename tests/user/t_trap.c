// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every exception that user code can cause, and what the signal frame shows.
 *
 * Owns: vector, error code, signal, si_code and saved EIP per exception.
 * Not here: faults of the kernel's return (`t_badret.c`), page protection
 *	(`t_memory.c`).
 * Fails: skips where the CPU (an emulator's) does not raise the exception.
 */
#include "pvtest.h"

/* Code that faults at `name_at`; `name_end` is what follows the instruction. */
#define FAULT_CODE(name, setup, insn)				\
	extern const char name##_at[], name##_end[];		\
	void name##_code(void *arg);				\
	asm(".pushsection .text\n"				\
	    ".globl " #name "_code\n"				\
	    #name "_code:\n\t" setup "\n"			\
	    #name "_at:\n\t" insn "\n"				\
	    #name "_end:\n\tret\n"				\
	    ".popsection")

FAULT_CODE(divide, "xor %edx, %edx\n\txor %ecx, %ecx\n\tmov $7, %eax", "div %ecx");
FAULT_CODE(divide_over, "mov $7, %edx\n\tmov $2, %ecx", "div %ecx");
FAULT_CODE(breakpoint, "", ".byte 0xcc");
FAULT_CODE(int_3, "", ".byte 0xcd, 3");
FAULT_CODE(overflow, "mov $0x7fffffff, %eax\n\tadd $1, %eax", "into");
FAULT_CODE(bounds, "mov $50, %eax\n\tmov $trap_limits, %edx", "bound %eax, (%edx)");
FAULT_CODE(undefined, "", "ud2");
FAULT_CODE(halt, "", "hlt");
FAULT_CODE(clear_if, "", "cli");
FAULT_CODE(read_cr0, "", "mov %cr0, %eax");
FAULT_CODE(read_msr, "mov $0x10, %ecx", "rdmsr");
FAULT_CODE(load_idt, "", "lidt trap_limits");
FAULT_CODE(closed_gate, "", "int $0x81");
FAULT_CODE(double_gate, "", "int $8");
FAULT_CODE(port_in, "mov $0x61, %edx", "in %dx, %al");
FAULT_CODE(bad_selector, "mov $0x63, %eax", "mov %eax, %fs");
FAULT_CODE(missing_ldt, "mov $0x27, %eax", "mov %eax, %fs");
FAULT_CODE(null_read, "xor %eax, %eax", "mov 16(%eax), %eax");
FAULT_CODE(null_write, "xor %eax, %eax", "movl $1, 20(%eax)");
FAULT_CODE(kernel_read, "mov $0xc0100000, %eax", "mov (%eax), %eax");
FAULT_CODE(kernel_write, "mov $0xc0100000, %eax", "movl $1, (%eax)");
FAULT_CODE(far_away, "mov $trap_limits, %edx", "ljmp $0x63, $0");

const int trap_limits[2] = { 10, 20 };

#define ADDR_NONE	(-1l)	/* not looked at */
#define EIP_AFTER	1u	/* a trap: EIP is behind the instruction */

struct expect {
	int sig, code, vector;
	unsigned int error;
	long addr;
	unsigned int flags;
};

static void expect_trap(void (*fn)(void *), const char *at, const char *end,
			const struct expect *e)
{
	const char *eip = e->flags & EIP_AFTER ? end : at;
	struct trap t;

	CHECK(trap_catch(fn, NULL, &t));
	CHECK_EQ(t.sig, e->sig);
	CHECK_EQ(t.vector, e->vector);
	CHECK_EQ(t.error, e->error);
	CHECK_EQ(t.code, e->code);
	CHECK_EQ(t.eip, (uintptr_t)eip);
	if (e->addr != ADDR_NONE)
		CHECK_EQ(t.addr, (uintptr_t)e->addr);
}

#define EXPECT(name, ...)					\
	expect_trap(name##_code, name##_at, name##_end,		\
		    &(const struct expect){ __VA_ARGS__ })
#define EXPECT_GP(name, err)					\
	EXPECT(name, SIGSEGV, SI_KERNEL, 13, err, 0, 0)

void test_trap_divide(void)
{
	EXPECT(divide, SIGFPE, FPE_INTDIV, 0, 0, (long)divide_at, 0);
	EXPECT(divide_over, SIGFPE, FPE_INTDIV, 0, 0, (long)divide_over_at, 0);
}

void test_trap_breakpoint(void)
{
	EXPECT(breakpoint, SIGTRAP, SI_KERNEL, 3, 0, ADDR_NONE, EIP_AFTER);
	EXPECT(int_3, SIGTRAP, SI_KERNEL, 3, 0, ADDR_NONE, EIP_AFTER);
}

void test_trap_overflow(void)
{
	EXPECT(overflow, SIGSEGV, SI_KERNEL, 4, 0, ADDR_NONE, EIP_AFTER);
}

void test_trap_bounds(void)
{
	EXPECT(bounds, SIGSEGV, SI_KERNEL, 5, 0, ADDR_NONE, 0);
}

void test_trap_undefined(void)
{
	EXPECT(undefined, SIGILL, ILL_ILLOPN, 6, 0, (long)undefined_at, 0);
}

void test_trap_privileged(void)
{
	EXPECT_GP(halt, 0);
	EXPECT_GP(clear_if, 0);
	EXPECT_GP(read_cr0, 0);
	EXPECT_GP(read_msr, 0);
	EXPECT_GP(load_idt, 0);
	EXPECT_GP(port_in, 0);
}

/* A gate that user code may not use: error code 8 * vector + 2. */
void test_trap_closed_gate(void)
{
	EXPECT_GP(closed_gate, 8 * 0x81 + 2);
	EXPECT_GP(double_gate, 8 * 8 + 2);
}

void test_trap_selector(void)
{
	EXPECT_GP(bad_selector, 0x60);
	EXPECT_GP(missing_ldt, 0x24);
	EXPECT_GP(far_away, 0x60);
}

void test_trap_null(void)
{
	EXPECT(null_read, SIGSEGV, SEGV_MAPERR, 14, 4, 16, 0);
	EXPECT(null_write, SIGSEGV, SEGV_MAPERR, 14, 6, 20, 0);
}

/* Kernel addresses look present to everybody, whatever the tables say. */
void test_trap_kernel_address(void)
{
	EXPECT(kernel_read, SIGSEGV, SEGV_MAPERR, 14, 5, 0xc0100000l, 0);
	EXPECT(kernel_write, SIGSEGV, SEGV_MAPERR, 14, 7, 0xc0100000l, 0);
}

static void x87_divide(void *unused)
{
	unsigned short control = 0x37b;	/* 0x37f with divide-by-zero unmasked */

	(void)unused;
	asm volatile("fninit\n\tfldcw %0\n\tfld1\n\tfldz\n\tfdivrp\n\tfwait"
		     : : "m" (control));
}

void test_trap_x87(void)
{
	struct trap t;
	bool came = trap_catch(x87_divide, NULL, &t);

	asm volatile("fninit");
	CHECK(came);
	CHECK_EQ(t.sig, SIGFPE);
	CHECK_EQ(t.vector, 16);
	CHECK_EQ(t.code, FPE_FLTDIV);
}

static void sse_divide(void *unused)
{
	unsigned int mxcsr = 0x1d80;	/* 0x1f80 with divide-by-zero unmasked */

	(void)unused;
	asm volatile("ldmxcsr %0\n\t"
		     "mov $1, %%eax\n\tcvtsi2ss %%eax, %%xmm0\n\t"
		     "xorps %%xmm1, %%xmm1\n\tdivss %%xmm1, %%xmm0"
		     : : "m" (mxcsr) : "eax");
}

void test_trap_sse(void)
{
	unsigned int mxcsr = 0x1f80;
	struct trap t;
	bool came;

	if (!cpu_has("sse"))
		skip("CPU without SSE");
	came = trap_catch(sse_divide, NULL, &t);
	asm volatile("ldmxcsr %0" : : "m" (mxcsr));
	if (!came)
		skip("CPU raises no SIMD exception (QEMU's TCG does not)");
	CHECK_EQ(t.sig, SIGFPE);
	CHECK_EQ(t.vector, 19);
	CHECK_EQ(t.code, FPE_FLTDIV);
}

static void misalign(void *unused)
{
	static char bytes[8];

	(void)unused;
	asm volatile("pushf\n\torl $0x40000, (%%esp)\n\tpopf\n\t"
		     "mov 1(%0), %%eax\n\t"
		     "pushf\n\tandl $~0x40000, (%%esp)\n\tpopf"
		     : : "r" ((uintptr_t)bytes & -4) : "eax", "cc");
}

void test_trap_alignment(void)
{
	struct trap t;

	if (!trap_catch(misalign, NULL, &t))
		skip("CPU makes no alignment check (QEMU's TCG does not)");
	CHECK_EQ(t.sig, SIGBUS);
	CHECK_EQ(t.vector, 17);
	CHECK_EQ(t.code, BUS_ADRALN);
}

static void read_tsc(void *unused)
{
	(void)unused;
	asm volatile("rdtsc" : : : "eax", "edx");
}

/* PR_SET_TSC switches CR4.TSD with the process. */
void test_trap_tsc(void)
{
	struct trap t;

	if (!cpu_has("tsc"))
		skip("CPU without TSC");
	CHECK(!trap_catch(read_tsc, NULL, &t));
	SYS(syscall(SYS_prctl, 26, 2));		/* PR_SET_TSC, PR_TSC_SIGSEGV */
	CHECK(trap_catch(read_tsc, NULL, &t));
	CHECK_EQ(t.vector, 13);
	SYS(syscall(SYS_prctl, 26, 1));		/* PR_TSC_ENABLE */
	CHECK(!trap_catch(read_tsc, NULL, &t));
}

/* A fault without a handler kills, and the status names the signal. */
static void die_undefined(void *unused)
{
	(void)unused;
	undefined_code(NULL);
}

void test_trap_kills(void)
{
	pid_t pid = child_start(die_undefined, NULL);

	CHECK_EQ(WTERMSIG(child_status(pid)), SIGILL);
}
