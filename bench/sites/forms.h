/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The forms of a site and the ops that stand in for privileged ones.
 *
 * Owns: what a form is; building a block of sites; running one.
 * Not here: statistics (`bench/sites.py`), the encoder (`arch/x86/paravirt/encode.c`).
 * Runs: on the host, in 32-bit mode.
 */
#ifndef SITES_FORMS_H
#define SITES_FORMS_H

#include <stdint.h>

#include "encode.h"

/* Sites in a block, and how often the block runs in one measurement. */
#define SITES_IN_BLOCK	32
#define TURNS		128

enum site_form {
	SITE_NATIVE,		/* the instructions, nothing else */
	SITE_PREFIX,		/* as the encoder pads: prefixes */
	SITE_NOP,		/* padded by a NOP in place of prefixes */
	SITE_CALL,		/* direct call, by the encoder */
	SITE_INDIRECT,		/* as built: call *slot */
	SITE_RETPOLINE,		/* call through a return, as compilers emit it */
	NR_SITE_FORMS
};

struct stand_in {
	const char *name;
	const u8 *start;
	const u8 *end;
};

struct site_state {
	uint32_t eax, edx, flags;
};

/* ops.S */
extern const u8 op_clc[], op_clc_end[], op_save_fl[], op_save_fl_end[];
extern const u8 op_set_pte[], op_set_pte_end[], retpoline_ecx[];

extern const char *const site_form_names[NR_SITE_FORMS];
extern const struct stand_in stand_ins[];
extern const unsigned int nr_stand_ins;

unsigned int site_emit(u8 *at, const struct stand_in *op, enum site_form form);
u8 *block_emit(u8 *at, const struct stand_in *op, enum site_form form, unsigned int sites,
	       uint32_t turns);
void block_run(const u8 *block, struct site_state *state);
uint64_t block_time(const u8 *block, uint32_t eax, uint32_t edx);

#endif
