// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call 14 in both forms, and before there is a TSS.
 *
 * Owns: where an entry from ring 3 finds the kernel's stack.
 * Not here: SetTR (`cpu.c`).
 * Runs: before SetTR. In ring 0 the hardware has the stack from the TSS, so
 * that there only the stores can be seen.
 * Fails: a text per row.
 */
#include "guest.h"

#define NO_ENTRY "# SKIP ring 0: the processor takes the stack from a TSS"

static const char *entered_at(u32 top)
{
	const char *why = user_trip();

	CHECK(!why, why);
	CHECK(back_frame == top - 20, "the entry was on another stack");
	return NULL;
}

static const char *t_no_tss(void)
{
	if (!ring)
		return NO_ENTRY;
	vmi(VMI_CALL_UpdateKernelStack, SEL_DATA, ENTRY_STACK_TOP, 0);
	return entered_at(ENTRY_STACK_TOP);
}

static const char *t_selector(void)
{
	u32 before = tss[1];

	args(SEL_DATA, ENTRY_STACK_TOP - 64, 0);
	CALL(VMI_CALL_UpdateKernelStack, R_NONE);
	CHECK(tss[1] == before, "touched the TSS");
	return ring ? entered_at(ENTRY_STACK_TOP - 64) : NULL;
}

/* With the ring in it, as a guest may have it from SS. */
static const char *t_selector_ring(void)
{
	if (!ring)
		return NO_ENTRY;
	vmi(VMI_CALL_UpdateKernelStack, READ_REG(ss), ENTRY_STACK_TOP - 96, 0);
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
	return ring ? entered_at(ENTRY_STACK_TOP - 128) : NULL;
}

static const struct test tests[] = {
	{ "14 UpdateKernelStack: without a TSS", t_no_tss },
	{ "14 UpdateKernelStack: SS selector", t_selector },
	{ "14 UpdateKernelStack: SS selector with its ring", t_selector_ring },
	{ "14 UpdateKernelStack: address of a TSS", t_address },
};

const struct test_group stack_tests = { tests, ARRAY_SIZE(tests) };
