// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers of GetRelocationInfo, and what a lowered ring and the timer require.
 */
#include "reloc.h"
#include "unit.h"

#define ROM_START	0xc00c8000u
#define ROM_END		0xc00c9000u
#define HOLE		0xfc000000u

static const struct vmi_range with_hole = { ROM_START, ROM_END, HOLE };
static const struct vmi_range no_hole = { ROM_START, ROM_END, 0 };

struct answer_case {
	const char *name;
	const struct vmi_range *range;
	unsigned int call;
	u64 answer;
	enum vmi_reloc_fault want;
	u8 type;
	u32 eip;
};

#define ANSWER(type, eip)	((u64)(type) << 32 | (eip))
#define CASE(name_, range_, call_, type_, eip_, want_, becomes)		\
	{ #name_, &range_, VMI_CALL_##call_, ANSWER(type_, eip_),	\
	  VMI_RELOC_##want_, VMI_RELOC_##becomes, eip_ }

static const struct answer_case answer_cases[] = {
	CASE(none, no_hole, SetCR0, 0, 0, GOOD, NONE),
	CASE(none_ignores_target, no_hole, SetCR0, 0, 0x12345678, GOOD, NONE),
	CASE(nop_ignores_target, no_hole, SetCR0, 3, 0x12345678, GOOD, NOP),
	CASE(call_first_byte, no_hole, SetCR0, 1, ROM_START, GOOD, CALL_REL),
	CASE(call_last_byte, no_hole, SetCR0, 1, ROM_END - 1, GOOD, CALL_REL),
	CASE(call_before_rom, no_hole, SetCR0, 1, ROM_START - 1, OUTSIDE, NONE),
	CASE(call_behind_rom, no_hole, SetCR0, 1, ROM_END, OUTSIDE, NONE),
	CASE(call_null, no_hole, SetCR0, 1, 0, OUTSIDE, NONE),
	CASE(call_hole_start, with_hole, SetCR0, 1, HOLE, GOOD, CALL_REL),
	CASE(call_hole_end, with_hole, SetCR0, 1, 0xffffffff, GOOD, CALL_REL),
	CASE(call_below_hole, with_hole, SetCR0, 1, HOLE - 1, OUTSIDE, NONE),
	CASE(call_no_hole, no_hole, SetCR0, 1, HOLE, OUTSIDE, NONE),
	CASE(jump_for_iret, no_hole, IRET, 2, ROM_START, GOOD, JUMP_REL),
	CASE(jump_for_iret_outside, no_hole, IRET, 2, ROM_END, OUTSIDE, NONE),
	CASE(call_for_iret, no_hole, IRET, 1, ROM_START, GOOD, CALL_REL),
	CASE(jump_for_function, no_hole, SetCR0, 2, ROM_START, NO_FUNCTION, NONE),
	CASE(jump_for_sysexit, no_hole, SYSEXIT, 2, ROM_START, GOOD, JUMP_REL),
	CASE(type_4, no_hole, SetCR0, 4, ROM_START, UNKNOWN_TYPE, NONE),
	CASE(type_255, no_hole, IRET, 255, ROM_START, UNKNOWN_TYPE, NONE),
	{ "reserved_bits_ignored", &no_hole, VMI_CALL_SetCR0,
	  0xffffff0100000000ull | ROM_START, VMI_RELOC_GOOD, VMI_RELOC_CALL_REL, ROM_START },
};

static void run_answer(void **state)
{
	const struct answer_case *row = *state;
	struct vmi_reloc out = { 0x5a5a5a5a, 0x5a };

	assert_int_equal(vmi_reloc_check(row->range, row->call, row->answer, &out), row->want);
	assert_int_equal(out.type, row->type);
	assert_int_equal(out.eip, row->eip);
}

static void all_call(struct vmi_reloc *reloc)
{
	int i;

	for (i = 0; i < VMI_CALL_NR; i++)
		reloc[i] = (struct vmi_reloc){ ROM_START, VMI_RELOC_CALL_REL };
}

struct policy_case {
	u8 call;
	u8 type;
	bool pae;
	int missing;
};

static const struct policy_case policy_cases[] = {
	{ VMI_CALL_UpdateKernelStack, VMI_RELOC_NONE, false, 14 },
	{ VMI_CALL_UpdateKernelStack, VMI_RELOC_NOP, false, 14 },
	{ VMI_CALL_EnableInterrupts, VMI_RELOC_NONE, false, 29 },
	{ VMI_CALL_DisableInterrupts, VMI_RELOC_NONE, true, 30 },
	{ VMI_CALL_GetInterruptMask, VMI_RELOC_NOP, true, 31 },
	{ VMI_CALL_SetInterruptMask, VMI_RELOC_NONE, true, -1 },
	{ VMI_CALL_IRET, VMI_RELOC_NONE, true, 33 },
	{ VMI_CALL_IRET, VMI_RELOC_NOP, true, 33 },
	{ VMI_CALL_IRET, VMI_RELOC_JUMP_REL, true, -1 },
	{ VMI_CALL_SYSEXIT, VMI_RELOC_NONE, true, -1 },
	{ VMI_CALL_SetPxE, VMI_RELOC_NONE, false, 38 },
	{ VMI_CALL_SetPxE, VMI_RELOC_NONE, true, -1 },
	{ VMI_CALL_SetPxELong, VMI_RELOC_NONE, true, 39 },
	{ VMI_CALL_SetPxELong, VMI_RELOC_NONE, false, -1 },
	{ VMI_CALL_UpdatePxE, VMI_RELOC_NOP, false, 40 },
	{ VMI_CALL_UpdatePxE, VMI_RELOC_NONE, true, -1 },
	{ VMI_CALL_UpdatePxELong, VMI_RELOC_NONE, true, 41 },
	{ VMI_CALL_UpdatePxELong, VMI_RELOC_NONE, false, -1 },
	{ VMI_CALL_AllocatePage, VMI_RELOC_NONE, true, 44 },
	{ VMI_CALL_AllocatePage, VMI_RELOC_NOP, true, -1 },
	{ VMI_CALL_ReleasePage, VMI_RELOC_NONE, false, 45 },
	{ VMI_CALL_SetLinearMapping, VMI_RELOC_NONE, false, 48 },
	{ VMI_CALL_SetLinearMapping, VMI_RELOC_NOP, false, -1 },
	{ VMI_CALL_CPUID, VMI_RELOC_NONE, true, -1 },
};

static void lowered_ring_requires(void **state)
{
	struct vmi_reloc reloc[VMI_CALL_NR];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(policy_cases); i++) {
		const struct policy_case *row = &policy_cases[i];

		all_call(reloc);
		reloc[row->call].type = row->type;
		assert_int_equal(vmi_reloc_missing(reloc, row->pae), row->missing);
	}
}

static void the_first_missing_call_is_named(void **state)
{
	struct vmi_reloc reloc[VMI_CALL_NR] = { };

	assert_int_equal(vmi_reloc_missing(reloc, true), 14);
	all_call(reloc);
	assert_int_equal(vmi_reloc_missing(reloc, true), -1);
	assert_int_equal(vmi_reloc_missing(reloc, false), -1);
	reloc[48].type = VMI_RELOC_NONE;
	reloc[45].type = VMI_RELOC_NONE;
	assert_int_equal(vmi_reloc_missing(reloc, true), 45);
}

static void timer_requires_all_five(void **state)
{
	struct vmi_reloc reloc[VMI_CALL_NR];
	int call;

	all_call(reloc);
	assert_int_equal(vmi_reloc_timer_missing(reloc), -1);
	for (call = 66; call <= 70; call++) {
		all_call(reloc);
		reloc[call].type = VMI_RELOC_NOP;
		assert_int_equal(vmi_reloc_timer_missing(reloc), call);
		reloc[call].type = VMI_RELOC_NONE;
		assert_int_equal(vmi_reloc_timer_missing(reloc), call);
	}
	all_call(reloc);
	reloc[65].type = reloc[71].type = VMI_RELOC_NONE;
	assert_int_equal(vmi_reloc_timer_missing(reloc), -1);
}

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(answer_cases) + 3] = {
		cmocka_unit_test(lowered_ring_requires),
		cmocka_unit_test(the_first_missing_call_is_named),
		cmocka_unit_test(timer_requires_all_five),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(answer_cases); i++)
		tests[3 + i] = (struct CMUnitTest){
			.name = answer_cases[i].name, .test_func = run_answer,
			.initial_state = (void *)&answer_cases[i],
		};
	return cmocka_run_group_tests_name("reloc", tests, NULL, NULL);
}
