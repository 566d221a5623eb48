// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call 14 in both forms, and before there is a TSS.
 *
 * Owns: where an entry from ring 3 finds the kernel's stack.
 * Not here: SetTR (`cpu.c`).
 * Runs: before SetTR. In ring 0 the processor takes the stack from the TSS, so
 * that there only stores and registers are looked at.
 * Fails: a text per row.
 */
#include "guest.h"

static const char *entered_at(u32 top)
{
	const char *why;

	if (!ring)
		return NULL;
	why = user_trip();
	CHECK(!why, why);
	CHECK(back_frame == top - 20, "the entry was on another stack");
	return NULL;
}

static const char *t_no_tss(void)
{
	args(SEL_DATA, ENTRY_STACK_TOP, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	return entered_at(ENTRY_STACK_TOP);
}

static const char *t_selector(void)
{
	u32 before = tss[1];

	args(SEL_DATA, ENTRY_STACK_TOP - 64, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	CHECK(tss[1] == before, "touched the TSS");
	return entered_at(ENTRY_STACK_TOP - 64);
}

/* With the ring in it, as a guest may have it from SS. */
static const char *t_selector_ring(void)
{
	args(READ_REG(ss), ENTRY_STACK_TOP - 96, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	return entered_at(ENTRY_STACK_TOP - 96);
}

static const char *t_address(void)
{
	u32 fake[26] = { 0 };

	fake[2] = SEL_DATA;
	args((u32)fake, ENTRY_STACK_TOP - 128, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	CHECK(fake[1] == ENTRY_STACK_TOP - 128, "esp0 not stored");
	CHECK(fake[0] == 0 && fake[2] == SEL_DATA, "stored beside it");
	return entered_at(ENTRY_STACK_TOP - 128);
}

static const struct test tests[] = {
	{ "14 UpdateKernelStack: without a TSS", t_no_tss },
	{ "14 UpdateKernelStack: SS selector", t_selector },
	{ "14 UpdateKernelStack: SS selector with its ring", t_selector_ring },
	{ "14 UpdateKernelStack: address of a TSS", t_address },
};

const struct test_group stack_tests = { tests, ARRAY_SIZE(tests), NULL,
	VMI_CALL_UpdateKernelStack };
