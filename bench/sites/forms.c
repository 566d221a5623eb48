// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds sites.
 *
 * Owns: the bytes of each form; those that a patched kernel has come from the encoder.
 * Not here: what a site does (`ops.S`), running them (`run.c`).
 */
#include <string.h>

#include "forms.h"
#include <asm/pv_site.h>

const struct stand_in stand_ins[] = {
	{ "clc",	op_clc,		op_clc_end },
	{ "save_fl",	op_save_fl,	op_save_fl_end },
	{ "set_pte",	op_set_pte,	op_set_pte_end },
};
const unsigned int nr_stand_ins = sizeof(stand_ins) / sizeof(stand_ins[0]);

const char *const site_form_names[NR_SITE_FORMS] = {
	[SITE_NATIVE]		= "inline native",
	[SITE_PREFIX]		= "inline, prefix padding",
	[SITE_NOP]		= "inline, NOP padding",
	[SITE_CALL]		= "direct call",
	[SITE_INDIRECT]		= "indirect call",
	[SITE_RETPOLINE]	= "retpoline",
};

/* What an unpatched site calls through, one slot for each stand-in. */
static const u8 *slots[8];

static u8 *put32(u8 *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
	return at + sizeof(value);
}

static u8 *put_call(u8 *at, const u8 *to)
{
	*at++ = 0xe8;
	return put32(at, (uint32_t)to - (uint32_t)(at + 4));
}

static unsigned int encode(u8 *at, unsigned int len, const struct stand_in *op, bool native)
{
	struct pv_target to = {
		.form = PV_FORM_INLINE, .native = native, .insns = op->start,
		.insns_len = op->end - op->start, .addr = (uint32_t)op->start,
	};

	pv_encode_site(at, len, (uint32_t)at, &to);
	return len;
}

static unsigned int emit_nop_padded(u8 *at, const struct stand_in *op)
{
	struct pv_target nothing = { .form = PV_FORM_INLINE, .nop = true };
	unsigned int len = op->end - op->start;

	memcpy(at, op->start, len);
	pv_encode_site(at + len, PV_SITE_MIN - len, (uint32_t)at + len, &nothing);
	return PV_SITE_MIN;
}

static unsigned int emit_indirect(u8 *at, const struct stand_in *op)
{
	const u8 **slot = &slots[op - stand_ins];

	*slot = op->start;
	at[0] = 0xff;
	at[1] = 0x15;
	put32(at + 2, (uint32_t)slot);
	return PV_SITE_MIN;
}

static unsigned int emit_retpoline(u8 *at, const struct stand_in *op)
{
	const u8 **slot = &slots[op - stand_ins];
	u8 *end;

	*slot = op->start;
	at[0] = 0x8b;			/* mov slot,%ecx */
	at[1] = 0x0d;
	end = put_call(put32(at + 2, (uint32_t)slot), retpoline_ecx);
	return end - at;
}

/**
 * site_emit() - write one site
 * @at: where it shall run
 * @op: what it does
 * @form: how
 *
 * A site clobbers ECX in the form of a retpoline, and what @op changes.
 *
 * Return: its length in bytes.
 */
unsigned int site_emit(u8 *at, const struct stand_in *op, enum site_form form)
{
	switch (form) {
	case SITE_PREFIX:
		return encode(at, PV_SITE_MIN, op, true);
	case SITE_NOP:
		return emit_nop_padded(at, op);
	case SITE_CALL:
		return encode(at, PV_SITE_MIN, op, false);
	case SITE_INDIRECT:
		return emit_indirect(at, op);
	case SITE_RETPOLINE:
		return emit_retpoline(at, op);
	default:
		return encode(at, op->end - op->start, op, true);
	}
}

/**
 * block_emit() - write a function that runs sites in a loop
 * @at: where it shall run; room for 16 bytes and 16 for each site
 * @op: what the sites do
 * @form: how
 * @sites: how many, one behind the other
 * @turns: of the loop, at least 1
 *
 * Return: behind its last byte.
 */
u8 *block_emit(u8 *at, const struct stand_in *op, enum site_form form, unsigned int sites,
	       uint32_t turns)
{
	u8 *loop;

	*at++ = 0x53;			/* push %ebx */
	*at++ = 0xbb;			/* mov turns,%ebx */
	at = put32(at, turns);
	loop = at;
	while (sites--)
		at += site_emit(at, op, form);
	*at++ = 0x8d;			/* lea -1(%ebx),%ebx, which leaves the flags alone */
	*at++ = 0x5b;
	*at++ = 0xff;
	*at++ = 0x87;			/* xchg %ebx,%ecx; jecxz out; xchg; jmp loop */
	*at++ = 0xd9;
	*at++ = 0xe3;
	*at++ = 7;
	*at++ = 0x87;
	*at++ = 0xd9;
	*at++ = 0xe9;
	at = put32(at, (uint32_t)loop - (uint32_t)(at + 4));
	*at++ = 0x5b;			/* pop %ebx */
	*at++ = 0xc3;			/* ret */
	return at;
}
