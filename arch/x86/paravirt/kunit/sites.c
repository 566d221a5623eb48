// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite `paravirt_sites`: the bytes of every built-in call site.
 *
 * Owns: reading a site back, without help from what wrote it (`../encode.c`).
 * Runs: at boot, before records and sites of init code are freed.
 * Fails: the first few bad sites of each case are named; all are counted.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/string.h>
#include <asm/cmdline.h>
#include <asm/insn.h>
#include <asm/pv_site.h>
#include "probe.h"

#define PREFIX_DS	0x3e
#define MAX_NAMED	5
#define NOT_A_FORM	PV_NR_PATCH

static const struct pv_op_info *op_of(const struct paravirt_patch_site *site)
{
	return &pv_op_info[site->type];
}

static const void *slot_of(const struct paravirt_patch_site *site)
{
	return ((void **)&pv_ops)[site->type];
}

static bool is_native(const struct paravirt_patch_site *site)
{
	return slot_of(site) == op_of(site)->native;
}

static unsigned int native_len(const struct paravirt_patch_site *site)
{
	const struct pv_op_info *op = op_of(site);

	return op->end ? op->end - op->native : 0;
}

static unsigned int prefixes(const struct paravirt_patch_site *site)
{
	unsigned int n = 0;

	while (n < site->len && site->instr[n] == PREFIX_DS)
		n++;
	return n;
}

static bool ends_in_int3(const struct paravirt_patch_site *site, unsigned int from)
{
	return !memchr_inv(site->instr + from, 0xcc, site->len - from);
}

static bool is_native_form(const struct paravirt_patch_site *site)
{
	unsigned int len = native_len(site), pad = site->len - len;

	if (!len || len > site->len)
		return false;
	if (op_of(site)->form == PV_FORM_JUMP)
		return !memcmp(site->instr, op_of(site)->native, len) && ends_in_int3(site, len);
	return prefixes(site) >= pad && !memcmp(site->instr + pad, op_of(site)->native, len);
}

/* An opcode and a displacement from its end to the slot, at @at. */
static bool branches_to_slot(const struct paravirt_patch_site *site, unsigned int at, u8 opcode)
{
	const u8 *insn = site->instr + at;
	s32 rel;

	if (at + 5 > site->len || *insn != opcode)
		return false;
	memcpy(&rel, insn + 1, sizeof(rel));
	return insn + 5 + rel == slot_of(site);
}

/* One instruction of just these bytes: NOP, or an LEA of a register to itself. */
static bool is_one_nop(const u8 *bytes, unsigned int len)
{
	struct insn insn;

	if (insn_decode_kernel(&insn, bytes) < 0 || insn.length != len)
		return false;
	if (insn.opcode.bytes[0] == 0x90)
		return true;
	return insn.opcode.bytes[0] == 0x8d && !insn.displacement.value &&
	       (X86_MODRM_REG(insn.modrm.value) == X86_MODRM_RM(insn.modrm.value) ||
		(insn.sib.nbytes && X86_SIB_INDEX(insn.sib.value) == 4 &&
		 X86_MODRM_REG(insn.modrm.value) == X86_SIB_BASE(insn.sib.value)));
}

/* Behind it at most one NOP, where a long native form left more room than prefixes take. */
static bool is_call(const struct paravirt_patch_site *site)
{
	unsigned int end = prefixes(site) + 5;

	return branches_to_slot(site, prefixes(site), 0xe8) &&
	       (end == site->len || (site->len > PV_SITE_MIN &&
				     is_one_nop(site->instr + end, site->len - end)));
}

static bool is_jump(const struct paravirt_patch_site *site)
{
	return branches_to_slot(site, 0, 0xe9) && ends_in_int3(site, 5);
}

/* As built: through the table, or through the slot that the iret site reads. */
static bool is_indirect(const struct paravirt_patch_site *site)
{
	static const u8 call[] = { 0xff, 0x15 }, jump[] = { 0x2e, 0xff, 0x25 };
	bool iret = site->type == PV_IRET_NR;
	const void *through = iret ? (void *)&pv_iret_slot : (void **)&pv_ops + site->type;
	unsigned int len = iret ? sizeof(jump) : sizeof(call);

	return !memcmp(site->instr, iret ? jump : call, len) &&
	       !memcmp(site->instr + len, &through, sizeof(through));
}

/* What the site is, as far as its op and slot allow it to be that. */
static unsigned int form_of(const struct paravirt_patch_site *site)
{
	if (is_indirect(site))
		return PV_PATCH_INDIRECT;
	if (is_native(site) && op_of(site)->form != PV_FORM_CALL && native_len(site))
		return is_native_form(site) ? PV_PATCH_INLINE : NOT_A_FORM;
	if (op_of(site)->form == PV_FORM_JUMP)
		return is_jump(site) ? PV_PATCH_JUMP : NOT_A_FORM;
	if (slot_of(site) == paravirt_nop ||
	    (is_native(site) && op_of(site)->form == PV_FORM_INLINE))
		return is_one_nop(site->instr, site->len) ? PV_PATCH_NOP : NOT_A_FORM;
	return is_call(site) ? PV_PATCH_CALL : NOT_A_FORM;
}

static bool left_as_built(void)
{
	return cmdline_find_option_bool(saved_command_line, "noreplace-paravirt");
}

#define for_each_site(site) \
	for ((site) = __parainstructions; (site) < __parainstructions_end; (site)++)

/* Names the first few; the count is what the case expects to be 0. */
static void name_site(struct kunit *test, const struct paravirt_patch_site *site,
		      unsigned int bad)
{
	if (bad < MAX_NAMED)
		kunit_err(test, "%s at %pS, slot %pS: %*ph\n", op_of(site)->name, site->instr,
			  slot_of(site), (int)site->len, site->instr);
}

static bool is_sane(const struct paravirt_patch_site *site)
{
	return site->type < PV_NR_OPS && site->len >= PV_SITE_MIN &&
	       kernel_text_address((unsigned long)site->instr);
}

static void records_are_sane(struct kunit *test)
{
	const struct paravirt_patch_site *site;
	unsigned int bad = 0, irets = 0, sites = 0;

	for_each_site(site) {
		sites++;
		irets += site->type == PV_IRET_NR;
		if (!is_sane(site) && bad++ < MAX_NAMED)
			kunit_err(test, "record of op %u at %pS, %u bytes\n", site->type,
				  site->instr, site->len);
	}
	KUNIT_EXPECT_NE(test, sites, 0u);
	KUNIT_EXPECT_EQ(test, bad, 0u);
	KUNIT_EXPECT_EQ(test, irets, 1u);
}

static void bytes_are_expected(struct kunit *test)
{
	const struct paravirt_patch_site *site;
	unsigned int bad = 0;

	for_each_site(site) {
		unsigned int form = form_of(site);

		if (form == NOT_A_FORM || (form == PV_PATCH_INDIRECT) != left_as_built())
			name_site(test, site, bad++);
	}
	KUNIT_EXPECT_EQ(test, bad, 0u);
}

static void counts_are_true(struct kunit *test)
{
	const struct paravirt_patch_site *site;
	unsigned int (*seen)[PV_NR_PATCH + 1];
	unsigned int nr, how;

	seen = kunit_kcalloc(test, PV_NR_OPS, sizeof(*seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	for_each_site(site)
		seen[site->type][form_of(site)]++;
	for (nr = 0; nr < PV_NR_OPS; nr++)
		for (how = 0; how < PV_NR_PATCH; how++)
			KUNIT_EXPECT_EQ_MSG(test, seen[nr][how], pv_site_count[nr][how],
					    "%s, column %u", pv_op_info[nr].name, how);
}

static struct kunit_case pv_sites_cases[] = {
	KUNIT_CASE(records_are_sane),
	KUNIT_CASE(bytes_are_expected),
	KUNIT_CASE(counts_are_true),
	{}
};

static struct kunit_suite pv_sites_suite = {
	.name = "paravirt_sites",
	.test_cases = pv_sites_cases,
};
kunit_test_suite(pv_sites_suite);
