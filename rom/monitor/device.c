// SPDX-License-Identifier: GPL-2.0-only
/*
 * Accesses to the pages of the interrupt controllers.
 *
 * Owns: which instructions are understood there.
 * Not here: what a register does (`apic.c`).
 * Runs: after a page fault in such a page.
 * Fails: returns 0 for an instruction that is not known.
 */
#include "decode.h"

static u32 device_read(u32 address, u32 is_io)
{
	return is_io ? ioapic_read(address & 0xfff) : apic_read(address & 0xfff);
}

static void device_write(u32 address, u32 is_io, u32 value)
{
	is_io ? ioapic_write(address & 0xfff, value) : apic_write(address & 0xfff, value);
}

/* A byte or word of a register, as the instruction asks. */
static u32 part(u32 value, u32 address, u32 size)
{
	value >>= (address & 3) * 8;
	return size == 4 ? value : value & ((1u << size * 8) - 1);
}

/*
 * MOV, MOVZX and XCHG between a register of an APIC and a register or constant.
 * Others do not make sense there. The access is of 32 bits, but for reads.
 */
static int apic_mov(struct insn *in, u32 address, u32 is_io)
{
	u32 *reg, old;

	if (in->opcode == 0xa1 || in->opcode == 0xa3) {
		insn_next32(in);
		reg = &in->r->eax;
	} else {
		if (in->opcode == 0x0f)
			in->opcode = insn_next(in) == 0xb6 ? 0xb6 : 0;
		in->modrm = insn_next(in);
		reg = reg32(in->r, in->modrm >> 3 & 7);
		operand_address(in);
	}
	switch (in->opcode) {
	case 0x89:
	case 0xa3:
		device_write(address, is_io, *reg);
		return 1;
	case 0x8b:
	case 0xa1:
		*reg = device_read(address, is_io);
		return 1;
	case 0xb6:
		*reg = part(device_read(address, is_io), address, 1);
		return 1;
	case 0xc7:
		device_write(address, is_io, insn_next32(in));
		return 1;
	case 0x87:
		old = device_read(address, is_io);
		device_write(address, is_io, *reg);
		*reg = old;
		return 1;
	default:
		return 0;
	}
}

/**
 * apic_access() - execute an access to the page of an APIC
 * @r: registers; changed if it is done
 * @address: linear
 *
 * Return: 0 if the instruction is none that is known here.
 */
int apic_access(struct regs *r, u32 address)
{
	u32 eip = r->eip, is_io;
	struct insn in;
	u64 pa;

	if (!guest_translate(address, &pa) || !insn_fetch(&in, r))
		return 0;
	is_io = (u32)pa >> 12 == FRAME_IOAPIC;
	if (!is_io && (u32)pa >> 12 != FRAME_LAPIC)
		return 0;
	insn_prefixes(&in);
	if (in.operand16 || in.address16 || !apic_mov(&in, (u32)pa, is_io))
		return 0;
	count_emulation(is_io ? "io-apic" : "apic-memory", eip);
	r->eip = eip + in.at;
	return 1;
}
