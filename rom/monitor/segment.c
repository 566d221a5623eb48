// SPDX-License-Identifier: GPL-2.0-only
/*
 * User programs that address memory below a segment's base.
 *
 * Owns: finding the offset that an instruction wanted.
 * Not here: the segment itself (`desc.c`).
 * Runs: after #GP or #SS from ring 3.
 * Fails: returns 0 if it is the guest's own fault.
 *
 * Thread-local storage of C libraries lies at negative offsets from the thread
 * pointer. QEMU's TCG does not check limits, so that nothing comes here there.
 */
#include "decode.h"

static int is_string(u8 opcode)
{
	return (opcode & 0xfc) == 0xa4 || (opcode & 0xfe) == 0xac ||
	       (opcode & 0xfe) == 0x6e;
}

static u32 wanted_offset(struct insn *in)
{
	int segment;

	if ((in->opcode & 0xfc) == 0xa0)
		return insn_next32(in);
	if (is_string(in->opcode))
		return in->r->esi;
	if (in->opcode == 0x0f)
		insn_next(in);
	in->modrm = insn_next(in);
	return operand_offset(in, &segment);
}

/**
 * segment_flip() - make the part of a segment accessible that is wanted
 * @r: registers at the fault
 *
 * Return: 1 if the instruction may be tried again.
 */
int segment_flip(struct regs *r)
{
	struct insn in;

	if (r->error || !from_user(r) || r->eflags & EFLAGS_VM || !insn_fetch(&in, r))
		return 0;
	insn_prefixes(&in);
	if (in.segment < 0 || in.address16)
		return 0;
	if (!descriptor_flip(selector_of(r, in.segment), wanted_offset(&in)))
		return 0;
	me->flips++;
	return 1;
}
