/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a patched site looks like: pure functions, compiled into the kernel and into
 * the host's tests.
 */
#ifndef _X86_PARAVIRT_ENCODE_H
#define _X86_PARAVIRT_ENCODE_H

#include <linux/types.h>

enum pv_form { PV_FORM_INLINE, PV_FORM_CALL, PV_FORM_JUMP };

/* How a site was patched; also the columns of the statistics. */
enum pv_patch {
	PV_PATCH_INLINE,	/* the native form, padded by prefixes */
	PV_PATCH_CALL,		/* direct near call */
	PV_PATCH_JUMP,		/* direct near jump */
	PV_PATCH_NOP,		/* nothing to do: padding */
	PV_PATCH_INDIRECT,	/* left as built */
	PV_NR_PATCH
};

/**
 * struct pv_target - what a site shall do
 * @form: of the op
 * @native: the slot still holds the native entry
 * @nop: the slot holds a function known to do nothing
 * @insns: native form, position independent
 * @insns_len: its length in bytes; 0 for an op that natively does nothing
 * @addr: entry to call or jump to where the native form is not used
 */
struct pv_target {
	enum pv_form form;
	bool native;
	bool nop;
	const u8 *insns;
	u8 insns_len;
	u32 addr;
};

enum pv_patch pv_encode_site(u8 *buf, u8 len, u32 site, const struct pv_target *to);

#endif /* _X86_PARAVIRT_ENCODE_H */
