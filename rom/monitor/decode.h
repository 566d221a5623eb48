/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Instructions that faulted, taken apart.
 *
 * Owns: the form in which `emulate.c`, `device.c` and `segment.c` see one.
 */
#ifndef _MONITOR_DECODE_H
#define _MONITOR_DECODE_H

#include "monitor.h"

#define CODE_MAX	15

/* An instruction being decoded. */
struct insn {
	struct regs *r;
	u8	code[CODE_MAX];
	u32	length;		/* bytes that could be read */
	u32	at;		/* next byte */
	u32	operand16, address16, rep;
	int	segment;	/* override: number of the register, or -1 */
	u8	opcode, modrm;
};

enum { SEG_ES, SEG_CS, SEG_SS, SEG_DS, SEG_FS, SEG_GS };

u32 selector_of(const struct regs *r, int segment);
u32 *reg32(struct regs *r, u32 number);
u8 insn_next(struct insn *in);
u32 insn_next32(struct insn *in);
int insn_fetch(struct insn *in, struct regs *r);
void insn_prefixes(struct insn *in);
u32 operand_offset(struct insn *in, int *segment);
u32 operand_address(struct insn *in);

#endif /* _MONITOR_DECODE_H */
