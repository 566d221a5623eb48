// SPDX-License-Identifier: GPL-2.0-only
/*
 * The op list and the site encoder, on the host.
 *
 * Owns: a row per op for what the list promises, a row per kind of site for its bytes.
 * Not here: the running kernel (KUnit), real ROM targets (boot tests).
 * The native forms are assembled as 32-bit code and never executed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "encode.h"
#include <asm/pv_site.h>

#define SITE_MAX	32

struct op_row {
	const char *name;
	enum pv_form form;
	const char *conv;
	const char *native;
	const u8 *start;
	const u8 *end;
};

/* The native forms, assembled as the kernel does. */
#define EMIT(name, native)						\
	asm volatile(".pushsection .rodata.pv_native\n	.code32\n"	\
		     "	.globl	" name ", " name "_end\n"		\
		     name ":\n"						\
		     "	" native "\n"					\
		     name "_end:\n"					\
		     "	.code64\n	.popsection\n" : : );
#define EMIT_INLINE(g, s, native)	EMIT("pv_native_" #g "_" #s, native)
#define EMIT_JUMP(g, s, native)		EMIT("pv_native_" #g "_" #s, native)
#define EMIT_CALL(g, s, native)
#define PV_OP(g, s, form, conv, result, params, native, vmi, call) EMIT_##form(g, s, native)
__attribute__((used)) static void emit_native(void)
{
#include <asm/pv_list.h>
}

#define DECLARE_INLINE(g, s)	extern const u8 pv_native_##g##_##s[], pv_native_##g##_##s##_end[];
#define DECLARE_JUMP(g, s)	DECLARE_INLINE(g, s)
#define DECLARE_CALL(g, s)
#define PV_OP(g, s, form, conv, result, params, native, vmi, call) DECLARE_##form(g, s)
#include <asm/pv_list.h>

#define BYTES_INLINE(g, s, insns) \
	.native = insns, .start = pv_native_##g##_##s, .end = pv_native_##g##_##s##_end
#define BYTES_JUMP(g, s, insns)	BYTES_INLINE(g, s, insns)
#define BYTES_CALL(g, s, insns)	.native = #insns
static const struct op_row ops[] = {
#define PV_OP(g, s, f, c, result, params, insns, vmi, call) \
	{ .name = #g "." #s, .form = PV_FORM_##f, .conv = #c, BYTES_##f(g, s, insns) },
#include <asm/pv_list.h>
};
#define NR_OPS	(sizeof(ops) / sizeof(ops[0]))

static unsigned int native_len(const struct op_row *op)
{
	return op->end - op->start;
}

/* The room that the assembler gives a site: see PV_SITE_ASM. */
static unsigned int site_len(const struct op_row *op)
{
	return native_len(op) > PV_SITE_MIN ? native_len(op) : PV_SITE_MIN;
}

static struct pv_target target_of(const struct op_row *op, bool native, u32 addr)
{
	return (struct pv_target) {
		.form = op->form, .native = native, .addr = addr,
		.insns = op->start, .insns_len = native_len(op),
	};
}

static unsigned int count_prefixes(const u8 *buf)
{
	unsigned int n = 0;

	while (buf[n] == 0x3e)
		n++;
	return n;
}

/* Length of one NOP of the encoder, by its ModRM forms; fails on anything else. */
static unsigned int nop_len(const u8 *b)
{
	if (b[0] == 0x90)
		return 1;
	if (b[0] == 0x89 && b[1] == 0xf6)
		return 2;
	if (b[0] == 0x3e)
		return 1 + nop_len(b + 1);
	assert_int_equal(b[0], 0x8d);
	switch (b[1]) {
	case 0x76:
		assert_int_equal(b[2], 0);
		return 3;
	case 0x74:
		assert_memory_equal(b + 2, "\x26\0", 2);
		return 4;
	case 0xb6:
		assert_memory_equal(b + 2, "\0\0\0\0", 4);
		return 6;
	case 0xb4:
		assert_memory_equal(b + 2, "\x26\0\0\0\0", 5);
		return 7;
	}
	fail_msg("not a NOP: %02x %02x", b[0], b[1]);
	return 0;
}

static void list_names_each_op_once(void **state)
{
	unsigned int i, j;

	assert_true(NR_OPS > 60);
	for (i = 0; i < NR_OPS; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(ops[i].name, ops[j].name);
}

static void list_starts_with_iret(void **state)
{
	assert_string_equal(ops[PV_IRET_NR].name, "irq.iret");
	assert_int_equal(ops[PV_IRET_NR].form, PV_FORM_JUMP);
}

/* At most five straight-line instructions: none that branches, four separators. */
static void list_inline_forms_are_short_and_straight(void **state)
{
	static const char *const branches[] = { "call", "j", "loop", "ret", "int " };
	unsigned int i, b, separators;
	const char *c;

	for (i = 0; i < NR_OPS; i++) {
		if (ops[i].form != PV_FORM_INLINE)
			continue;
		for (separators = 0, c = ops[i].native; *c; c++)
			separators += *c == ';';
		assert_true(separators <= 4);
		for (b = 0; b < sizeof(branches) / sizeof(branches[0]); b++)
			assert_true(strncmp(ops[i].native, branches[b], strlen(branches[b])));
	}
}

static void inline_site_ends_in_its_native_form(void **state)
{
	unsigned int i;

	for (i = 0; i < NR_OPS; i++) {
		struct pv_target to = target_of(&ops[i], true, 0xc1000000);
		unsigned int len = site_len(&ops[i]), n = native_len(&ops[i]);
		u8 buf[SITE_MAX];

		if (ops[i].form != PV_FORM_INLINE || !n)
			continue;
		memset(buf, 0xaa, sizeof(buf));
		assert_int_equal(pv_encode_site(buf, len, 0xc0100000, &to), PV_PATCH_INLINE);
		assert_int_equal(count_prefixes(buf), len - n);
		assert_memory_equal(buf + len - n, ops[i].start, n);
		assert_int_equal(buf[len], 0xaa);
	}
}

static void empty_site_is_one_nop(void **state)
{
	unsigned int i, seen = 0;

	for (i = 0; i < NR_OPS; i++) {
		struct pv_target to = target_of(&ops[i], true, 0xc1000000);
		u8 buf[SITE_MAX];

		if (ops[i].form != PV_FORM_INLINE || native_len(&ops[i]))
			continue;
		memset(buf, 0xaa, sizeof(buf));
		assert_int_equal(pv_encode_site(buf, PV_SITE_MIN, 0, &to), PV_PATCH_NOP);
		assert_int_equal(nop_len(buf), PV_SITE_MIN);
		assert_int_equal(buf[PV_SITE_MIN], 0xaa);
		seen++;
	}
	assert_true(seen > 10);
}

static void nops_fill_any_length(void **state)
{
	struct pv_target to = { .form = PV_FORM_CALL, .nop = true };
	unsigned int len, at;

	for (len = 1; len < SITE_MAX; len++) {
		u8 buf[SITE_MAX];

		memset(buf, 0xaa, sizeof(buf));
		assert_int_equal(pv_encode_site(buf, len, 0, &to), PV_PATCH_NOP);
		for (at = 0; at < len; at += nop_len(buf + at))
			;
		assert_int_equal(at, len);
		assert_int_equal(buf[len], 0xaa);
	}
}

/* Where the branch at @at, behind @prefixes prefixes, goes. */
static u32 branch_target(const u8 *buf, u32 site, unsigned int prefixes)
{
	u32 disp;

	memcpy(&disp, buf + prefixes + 1, sizeof(disp));
	return site + prefixes + 5 + disp;
}

/* rel32 wraps around, so every target is in reach of every site. */
static const struct {
	u32 site, to;
} far_pairs[] = {
	{ 0xc0100000, 0xc0100000 }, { 0xc0100000, 0xc0100006 }, { 0xc0100000, 0xc00ca000 },
	{ 0xc0100000, 0xffffffff }, { 0xc0100000, 0 }, { 0, 0xffffffff },
	{ 0xfffffffa, 0 }, { 0x80000000, 0 }, { 0, 0x7fffffff }, { 0, 0x80000005 },
};

static void call_reaches_every_target(void **state)
{
	unsigned int i, p;

	for (i = 0; i < NR_OPS; i++)
		for (p = 0; p < sizeof(far_pairs) / sizeof(far_pairs[0]); p++) {
			struct pv_target to = target_of(&ops[i], false, far_pairs[p].to);
			unsigned int len = site_len(&ops[i]), n, at;
			u8 buf[SITE_MAX];

			if (ops[i].form == PV_FORM_JUMP)
				continue;
			memset(buf, 0xaa, sizeof(buf));
			assert_int_equal(pv_encode_site(buf, len, far_pairs[p].site, &to),
					 PV_PATCH_CALL);
			n = count_prefixes(buf);
			assert_int_equal(buf[n], 0xe8);
			assert_true(n + 5 <= len && n <= 5);
			assert_int_equal(branch_target(buf, far_pairs[p].site, n), far_pairs[p].to);
			for (at = n + 5; at < len; at += nop_len(buf + at))
				;
			assert_int_equal(at, len);
			assert_int_equal(buf[len], 0xaa);
		}
}

static void native_c_function_is_called(void **state)
{
	struct pv_target to = { .form = PV_FORM_CALL, .native = true, .addr = 0xc1234567 };
	u8 buf[PV_SITE_MIN];

	assert_int_equal(pv_encode_site(buf, sizeof(buf), 0xc0100000, &to), PV_PATCH_CALL);
	assert_memory_equal(buf, "\x3e\xe8\x61\x45\x13\x01", 6);
}

static void iret_is_the_instruction_itself(void **state)
{
	struct pv_target to = target_of(&ops[PV_IRET_NR], true, 0);
	u8 buf[8];

	memset(buf, 0xaa, sizeof(buf));
	assert_int_equal(pv_encode_site(buf, 7, 0xc0100000, &to), PV_PATCH_INLINE);
	assert_memory_equal(buf, "\xcf\xcc\xcc\xcc\xcc\xcc\xcc\xaa", 8);
}

static void iret_jumps_to_a_backend(void **state)
{
	unsigned int p;

	for (p = 0; p < sizeof(far_pairs) / sizeof(far_pairs[0]); p++) {
		struct pv_target to = target_of(&ops[PV_IRET_NR], false, far_pairs[p].to);
		u8 buf[8];

		memset(buf, 0xaa, sizeof(buf));
		assert_int_equal(pv_encode_site(buf, 7, far_pairs[p].site, &to), PV_PATCH_JUMP);
		assert_int_equal(buf[0], 0xe9);
		assert_int_equal(branch_target(buf, far_pairs[p].site, 0), far_pairs[p].to);
		assert_memory_equal(buf + 5, "\xcc\xcc\xaa", 3);
	}
}

static void site_too_short_for_its_form_calls(void **state)
{
	static const u8 form[9] = { 0 };
	struct pv_target to = {
		.form = PV_FORM_INLINE, .native = true, .insns = form,
		.insns_len = sizeof(form), .addr = 0xc1000000,
	};
	u8 buf[PV_SITE_MIN];

	assert_int_equal(pv_encode_site(buf, sizeof(buf), 0xc0100000, &to), PV_PATCH_CALL);
	assert_int_equal(branch_target(buf, 0xc0100000, 1), 0xc1000000);
}

static void prefixes_stop_at_five(void **state)
{
	static const u8 cli = 0xfa;
	struct pv_target to = {
		.form = PV_FORM_INLINE, .native = true, .insns = &cli, .insns_len = 1,
	};
	u8 buf[13];

	assert_int_equal(pv_encode_site(buf, sizeof(buf), 0, &to), PV_PATCH_INLINE);
	assert_memory_equal(buf, "\x3e\x3e\x3e\x3e\x3e\xfa", 6);
	assert_int_equal(nop_len(buf + 6), 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_names_each_op_once),
		cmocka_unit_test(list_starts_with_iret),
		cmocka_unit_test(list_inline_forms_are_short_and_straight),
		cmocka_unit_test(inline_site_ends_in_its_native_form),
		cmocka_unit_test(empty_site_is_one_nop),
		cmocka_unit_test(nops_fill_any_length),
		cmocka_unit_test(call_reaches_every_target),
		cmocka_unit_test(native_c_function_is_called),
		cmocka_unit_test(iret_is_the_instruction_itself),
		cmocka_unit_test(iret_jumps_to_a_backend),
		cmocka_unit_test(site_too_short_for_its_form_calls),
		cmocka_unit_test(prefixes_stop_at_five),
	};

	return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
