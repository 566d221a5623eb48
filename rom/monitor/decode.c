// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads an instruction of the guest.
 *
 * Owns: prefixes, ModR/M and SIB, what registers and segments an operand is in.
 * Not here: what instructions do.
 * Runs: after a fault, on the registers at the fault.
 * Fails: bytes that are not mapped read as 0.
 *
 * Source: SDM volume 2, chapter 2.
 */
#include "decode.h"

/**
 * selector_of() - what a segment register holds
 */
u32 selector_of(const struct regs *r, int segment)
{
	u32 value;

	switch (segment) {
	case SEG_ES:
		return r->es;
	case SEG_CS:
		return r->cs;
	case SEG_SS:
		return r->ss;
	case SEG_DS:
		return r->ds;
	case SEG_FS:
		asm volatile("mov %%fs, %0" : "=r" (value));
		return value;
	default:
		asm volatile("mov %%gs, %0" : "=r" (value));
		return value;
	}
}

/**
 * segment_base() - base address of what a selector names
 */
u32 segment_base(u32 selector)
{
	return descriptor_base(real_descriptor(selector));
}

/**
 * reg32() - a general register by its number in ModR/M
 */
u32 *reg32(struct regs *r, u32 number)
{
	switch (number) {
	case 0:
		return &r->eax;
	case 1:
		return &r->ecx;
	case 2:
		return &r->edx;
	case 3:
		return &r->ebx;
	case 4:
		return &r->esp;
	case 5:
		return &r->ebp;
	case 6:
		return &r->esi;
	default:
		return &r->edi;
	}
}

/**
 * insn_next() - the next byte; 0 beyond what could be read
 */
u8 insn_next(struct insn *in)
{
	return in->at < in->length ? in->code[in->at++] : 0;
}

u32 insn_next32(struct insn *in)
{
	u32 low = insn_next(in);

	low |= (u32)insn_next(in) << 8;
	low |= (u32)insn_next(in) << 16;
	return low | (u32)insn_next(in) << 24;
}

/**
 * insn_fetch() - read the instruction at EIP
 * Return: 0 if its first byte is not mapped.
 */
int insn_fetch(struct insn *in, struct regs *r)
{
	u32 linear = segment_base(r->cs) + r->eip;

	*in = (struct insn) { .r = r, .segment = -1 };
	if (linear - RING1_CODE < PAGE_SIZE - CODE_MAX) {	/* our own */
		memcpy(in->code, (void *)linear, CODE_MAX);
		in->length = CODE_MAX;
	}
	while (in->length < CODE_MAX &&
	       !guest_read(&in->code[in->length], linear + in->length, 1))
		in->length++;
	return in->length > 0;
}

/**
 * insn_prefixes() - up to and with the opcode
 */
void insn_prefixes(struct insn *in)
{
	static const u8 segments[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65 };
	u32 i;

	for (;;) {
		in->opcode = insn_next(in);
		for (i = 0; i < ARRAY_SIZE(segments); i++)
			if (in->opcode == segments[i])
				break;
		if (i < ARRAY_SIZE(segments))
			in->segment = (int)i;
		else if (in->opcode == 0x66)
			in->operand16 = 1;
		else if (in->opcode == 0x67)
			in->address16 = 1;
		else if (in->opcode == 0xf2 || in->opcode == 0xf3)
			in->rep = 1;
		else if (in->opcode != 0xf0)
			return;
	}
}

/**
 * operand_offset() - offset of a memory operand with 32-bit addressing
 * @in: its ModR/M byte was the last that was read
 * @segment: the register that it is in
 */
u32 operand_offset(struct insn *in, int *segment)
{
	u32 mod = in->modrm >> 6, rm = in->modrm & 7, sib, offset = 0;

	*segment = SEG_DS;
	if (rm == 4) {
		sib = insn_next(in);
		if ((sib & 7) != 5 || mod)
			offset = *reg32(in->r, sib & 7);
		else
			offset = insn_next32(in);
		if ((sib & 7) == 4 || ((sib & 7) == 5 && mod))
			*segment = SEG_SS;
		if ((sib >> 3 & 7) != 4)
			offset += *reg32(in->r, sib >> 3 & 7) << (sib >> 6);
	} else if (rm == 5 && !mod) {
		offset = insn_next32(in);
	} else {
		offset = *reg32(in->r, rm);
		if (rm == 5)
			*segment = SEG_SS;
	}
	if (mod == 1)
		offset += (u32)(signed char)insn_next(in);
	else if (mod == 2)
		offset += insn_next32(in);
	if (in->segment >= 0)
		*segment = in->segment;
	return offset;
}

/**
 * operand_address() - linear address of the same
 */
u32 operand_address(struct insn *in)
{
	int segment;
	u32 offset = operand_offset(in, &segment);

	return offset + segment_base(selector_of(in->r, segment));
}
