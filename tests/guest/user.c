// SPDX-License-Identifier: GPL-2.0-only
/*
 * Into ring 3 and back.
 *
 * Owns: the little programs that run there, the stacks, and what an entry from
 * ring 3 looks like: system call, exception, port access.
 * Not here: IRET as such (`irq.c`).
 * Runs: after SetTR; each trip announces its entry stack.
 * Fails: a text per row.
 */
#include "guest.h"

u32 entry_stack[256], user_stack[64], frame_stack[256];

asm("	.text\n"
    "	.globl user_in, user_in_end, user_read, user_write, user_int3, user_div, user_ud\n"
    "user_in: in %dx, %al\n"
    "	int $0x80\n"
    "user_in_end:\n"
    "user_read: mov (%ecx), %eax\n"
    "	int $0x80\n"
    "user_write: mov %eax, (%ecx)\n"
    "	int $0x80\n"
    "user_int3: int3\n"
    "	int $0x80\n"
    "user_div: div %cl\n"
    "	int $0x80\n"
    "user_ud: ud2\n"
    "	int $0x80\n");

/* Leaves by the kernel's own patched IRET, with a frame of @words at @at. */
void iret_frame(const u32 *frame, u32 words, u32 *at)
{
	u32 i;

	for (i = 0; i < words; i++)
		at[i] = frame[i];
	invoke_target = (u32)site_iret;
	rom_calls[VMI_CALL_IRET].calls++;
	guest_jump(at);
}

static const void *user_code;
static u32 user_eflags;

static void user_go(void)
{
	u32 frame[] = { (u32)user_code, SEL_UCODE, user_eflags, USER_STACK_TOP, SEL_UDATA };

	iret_frame(frame, 5, FRAME_STACK_TOP - 8);
}

static int run_with(const void *code, u32 eflags)
{
	user_code = code;
	user_eflags = eflags;
	in.ds = in.es = SEL_UDATA;
	return fault_try(user_go);
}

int user_run(const void *code)
{
	kernel_stack(ENTRY_STACK_TOP);
	return run_with(code, EFLAGS_FIXED | EFLAGS_IF);
}

/* There and back by a system call: the frame that the kernel finds. */
const char *user_trip(void)
{
	args(0x11, 0x22, 0x33);
	CHECK(!run_with(land_here, EFLAGS_FIXED | EFLAGS_IF), "a fault instead of INT");
	CHECK(back_cs == SEL_UCODE && back_ss == SEL_UDATA, "CS or SS in the frame");
	CHECK(back_esp == USER_STACK_TOP, "ESP in the frame");
	CHECK(back_eflags == (EFLAGS_FIXED | EFLAGS_IF), "EFLAGS in the frame");
	CHECK(back_vif == 0, "IF is set behind an interrupt gate");
	return NULL;
}

static const char *t_syscall(void)
{
	const char *why;

	kernel_stack(ENTRY_STACK_TOP);
	why = user_trip();
	CHECK(!why, why);
	CHECK(back_frame == ENTRY_STACK_TOP - 20, "not on the announced stack");
	kernel_stack(ENTRY_STACK_TOP - 256);
	why = user_trip();
	CHECK(!why, why);
	CHECK(back_frame == ENTRY_STACK_TOP - 256 - 20, "not on the second stack");
	return NULL;
}

static const char *t_trap_gate(void)
{
	set_gate(VECTOR_BACK, int_back, 3);
	idt[VECTOR_BACK][1] |= 0x100;		/* a trap gate */
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_BACK, idt[VECTOR_BACK][0],
	     idt[VECTOR_BACK][1], 0);
	kernel_stack(ENTRY_STACK_TOP);
	args(0x11, 0x22, 0x33);
	user_run(land_here);
	set_gate(VECTOR_BACK, int_back, 3);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_BACK, idt[VECTOR_BACK][0],
	     idt[VECTOR_BACK][1], 0);
	CHECK(back_vif == EFLAGS_IF, "IF is clear behind a trap gate");
	return NULL;
}

static const char *user_fault(const void *code, u32 vector, u32 error, u32 eip)
{
	kernel_stack(ENTRY_STACK_TOP);
	CHECK(run_with(code, EFLAGS_FIXED | EFLAGS_IF | 0x1), "no fault");
	CHECK(fault.vector == vector, "another vector");
	CHECK(fault.error == error, "another error code");
	CHECK(fault.eip == eip, "another EIP");
	CHECK(fault.cs == SEL_UCODE, "another CS");
	CHECK(fault.eflags & EFLAGS_IF && fault.eflags & 1, "EFLAGS are not the user's");
	return NULL;
}

/* EFLAGS of the frame may have RF, which a fault sets. */
static const char *t_faults(void)
{
	const char *why;

	args(0x11, 0x22, 0);
	why = user_fault(user_div, 0, 0, (u32)user_div);
	CHECK(!why, why);
	args(0x11, 0x22, 0);
	return user_fault(user_ud, 6, 0, (u32)user_ud);
}

static const char *t_int3(void)
{
	const char *why;

	set_gate(3, exception_stubs + 16 * 3, 3);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, 3, idt[3][0], idt[3][1], 0);
	args(0x11, 0x22, 0);
	why = user_fault(user_int3, 3, 0, (u32)user_int3 + 1);
	CHECK(!why, why);
	/* a gate that is not for users */
	set_gate(3, exception_stubs + 16 * 3, 0);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, 3, idt[3][0], idt[3][1], 0);
	args(0x11, 0x22, 0);
	return user_fault(user_int3, 13, 3 * 8 + 2, (u32)user_int3);
}

/* Page faults of a user: missing, for the kernel only, read-only. */
static const char *t_page_fault(void)
{
	static u32 page[1024] WHOLE_PAGE;
	const char *why;

	page[0] = 0xabcd;
	map(WINDOW_TEST, 0);
	args(0x11, 0x22, WINDOW_TEST);
	why = user_fault(user_read, 14, 4, (u32)user_read);
	CHECK(!why, why);
	CHECK(fault.cr2 == WINDOW_TEST, "another CR2");
	map(WINDOW_TEST, pa(page) | PTE_P | PTE_RW);
	args(0x11, 0x22, WINDOW_TEST);
	why = user_fault(user_read, 14, 5, (u32)user_read);
	CHECK(!why, why);
	map(WINDOW_TEST, pa(page) | PTE_P | PTE_US);
	args(0x11, 0x22, WINDOW_TEST);
	why = user_fault(user_write, 14, 7, (u32)user_write);
	CHECK(!why, why);
	args(0x11, 0x22, WINDOW_TEST);
	CHECK(!user_run(user_read) && out.eax == 0xabcd, "a permitted read");
	map(WINDOW_TEST, pa(page) | PTE_P | PTE_RW | PTE_US);
	args(0x5678, 0x22, WINDOW_TEST);
	CHECK(!user_run(user_write) && page[0] == 0x5678, "a permitted write");
	return NULL;
}

/* An exception of the kernel, and the return from it to where it was. */
static u32 mended;

static int mend_ud(void)
{
	if (fault.vector != 6)
		return 0;
	fault.eip += 2;
	mended++;
	return 1;
}

static const char *t_kernel_fault(void)
{
	u32 flags;

	fault_handler = mend_ud;
	irq_on();
	asm volatile("ud2" : : : "memory");
	args(0, 0, 0);
	flags = (u32)vmi(VMI_CALL_GetInterruptMask, 0, 0, 0);
	irq_off();
	CHECK(mended == 1, "not one fault");
	CHECK(fault.eflags & EFLAGS_IF, "IF is clear in the frame");
	CHECK((fault.cs & 3) == ring, "CS in the frame has another ring");
	CHECK(!ring || flags == EFLAGS_IF, "IF is not that of the frame after IRET");
	asm volatile("ud2" : : : "memory");
	fault_handler = NULL;
	CHECK(!(fault.eflags & EFLAGS_IF), "IF is set in the frame");
	CHECK(mended == 2, "not two faults");
	return NULL;
}

static const struct test tests[] = {
	{ "INT of a user: frame and stack", t_syscall },
	{ "INT of a user through a trap gate", t_trap_gate },
	{ "#DE and #UD of a user", t_faults },
	{ "INT3 of a user, and where it may not", t_int3 },
	{ "#PF of a user", t_page_fault },
	{ "#UD of the kernel, and IRET from it", t_kernel_fault },
};

const struct test_group user_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
