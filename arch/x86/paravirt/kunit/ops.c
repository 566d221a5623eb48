// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite `paravirt_ops`: one case per line of the op list, named as the op.
 *
 * Owns: the cases, expanded from the list.
 * Not here: what a case does (pv_test_<group>_<slot>() in `test_*.c`).
 * Fails: an op without a test does not link.
 */
#include "probe.h"

#define IS_SAVE_STD		false
#define IS_SAVE_SAVE		true
#define NR_PARAMS(n, ...)	n

#define PV_OP(group, slot, form, conv, result_, params_, native, vmi, call) \
static void case_##group##_##slot(struct kunit *test)			\
{									\
	struct pv_probe p = {						\
		.test = test,						\
		.nr = PARAVIRT_PATCH(group.slot),			\
		.save = IS_SAVE_##conv,					\
		.result = PV_RESULT_##result_,				\
		.params = NR_PARAMS params_,				\
	};								\
									\
	pv_probe_run(&p, pv_test_##group##_##slot);			\
}
#include <asm/pv_list.h>

static struct kunit_case pv_ops_cases[] = {
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	{ .run_case = case_##group##_##slot, .name = #group "." #slot },
#include <asm/pv_list.h>
	{}
};

static struct kunit_suite pv_ops_suite = {
	.name = "paravirt_ops",
	.test_cases = pv_ops_cases,
};
kunit_test_suite(pv_ops_suite);
