// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encodes a site.
 *
 * Owns: the choice between native form, call, jump and padding, and their bytes.
 * Not here: where the bytes go (`patch.c`).
 * Runs: anywhere; pure, touches nothing but its buffer.
 *
 * Padding: an executed NOP is an instruction, a redundant DS prefix is not, so the
 * first instruction is lengthened by prefixes. 0x3E changes none of the forms in the
 * list: they address flat memory, and for a direct call or an instruction without a
 * memory operand it is ignored (SDM volume 2, 2.1.1; APM volume 3, 1.2.4).
 */
#include "encode.h"

#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#define OP_CALL		0xe8
#define OP_JMP		0xe9
#define OP_INT3		0xcc
#define PREFIX_DS	0x3e
#define REL32_LEN	5
/* A site built for `call *mem32` needs no more in front of a one-byte form. */
#define MAX_PREFIXES	5
#define MAX_NOP		7

/* lea 0(%esi),%esi and kin: NOPs that every i386 decodes as one instruction. */
static const u8 nops[MAX_NOP][MAX_NOP] = {
	{ 0x90 },
	{ 0x89, 0xf6 },
	{ 0x8d, 0x76, 0x00 },
	{ 0x8d, 0x74, 0x26, 0x00 },
	{ 0x3e, 0x8d, 0x74, 0x26, 0x00 },
	{ 0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00 },
	{ 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00 },
};

static void encode_nops(u8 *buf, unsigned int len)
{
	while (len) {
		unsigned int n = len < MAX_NOP ? len : MAX_NOP;

		memcpy(buf, nops[n - 1], n);
		buf += n;
		len -= n;
	}
}

/* Fills @len bytes that end with the @insns_len bytes of @insns. */
static void encode_padded(u8 *buf, unsigned int len, const u8 *insns, unsigned int insns_len)
{
	unsigned int spare = len - insns_len;
	unsigned int prefixes = spare < MAX_PREFIXES ? spare : MAX_PREFIXES;

	memset(buf, PREFIX_DS, prefixes);
	memcpy(buf + prefixes, insns, insns_len);
	encode_nops(buf + prefixes + insns_len, spare - prefixes);
}

/* A branch whose @len bytes end where its displacement counts from, prefixes included. */
static void encode_call(u8 *buf, unsigned int len, u32 site, u32 to)
{
	unsigned int spare = len - REL32_LEN;
	unsigned int prefixes = spare < MAX_PREFIXES ? spare : MAX_PREFIXES;
	u32 disp = to - (site + prefixes + REL32_LEN);
	u8 insn[REL32_LEN] = { OP_CALL, disp, disp >> 8, disp >> 16, disp >> 24 };

	encode_padded(buf, len, insn, REL32_LEN);
}

static void encode_jump(u8 *buf, unsigned int len, u32 site, u32 to)
{
	u32 disp = to - (site + REL32_LEN);
	u8 insn[REL32_LEN] = { OP_JMP, disp, disp >> 8, disp >> 16, disp >> 24 };

	memcpy(buf, insn, REL32_LEN);
	memset(buf + REL32_LEN, OP_INT3, len - REL32_LEN);
}

/**
 * pv_encode_site() - the bytes of a patched site
 * @buf: the site's bytes as built on entry, as to be written on return
 * @len: bytes of the site, at least PV_SITE_MIN
 * @site: linear address of the site's first byte
 * @to: what it shall do
 *
 * A native form that does not fit is called instead, so that a site that was built
 * too short costs speed and not correctness. Nothing behind a form that does not
 * return is reachable: it is filled with INT3.
 *
 * Context: any. Pure.
 * Return: how the site was encoded.
 */
enum pv_patch pv_encode_site(u8 *buf, u8 len, u32 site, const struct pv_target *to)
{
	if (to->form == PV_FORM_JUMP) {
		if (to->native && to->insns_len <= len) {
			memcpy(buf, to->insns, to->insns_len);
			memset(buf + to->insns_len, OP_INT3, len - to->insns_len);
			return PV_PATCH_INLINE;
		}
		encode_jump(buf, len, site, to->addr);
		return PV_PATCH_JUMP;
	}
	if (to->nop || (to->native && to->form == PV_FORM_INLINE && !to->insns_len)) {
		encode_nops(buf, len);
		return PV_PATCH_NOP;
	}
	if (to->native && to->form == PV_FORM_INLINE && to->insns_len <= len) {
		encode_padded(buf, len, to->insns, to->insns_len);
		return PV_PATCH_INLINE;
	}
	encode_call(buf, len, site, to->addr);
	return PV_PATCH_CALL;
}
