// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes an instruction that faulted because the guest's kernel is not in
 * ring 0, or its user may use a port.
 *
 * Owns: what each privileged instruction does to a vCPU.
 * Not here: decoding (`decode.c`), the port access itself (`port.c`), MSRs and
 * CRs (`state.c`).
 * Runs: after #GP(0) from the guest.
 * Fails: returns 0 for what natively faults, too; the guest then gets the fault.
 *
 * Source: SDM volume 2, appendix A (opcode map).
 */
#include "decode.h"

static int control_register(struct insn *in, int write)
{
	u32 *reg = reg32(in->r, in->modrm & 7);

	switch (in->modrm >> 3 & 7) {
	case 0:
		write ? set_cr0(*reg) : (void)(*reg = ring1->cr0);
		return 1;
	case 2:
		write ? (void)(ring1->cr2 = *reg) : (void)(*reg = ring1->cr2);
		return 1;
	case 3:
		queue_flush();
		write ? shadow_load(*reg) : (void)(*reg = ring1->cr3);
		return 1;
	case 4:
		queue_flush();
		write ? set_cr4(*reg) : (void)(*reg = ring1->cr4);
		return 1;
	default:
		return 0;
	}
}

static int model_specific(struct insn *in, int write)
{
	struct regs *r = in->r;
	u64 value;

	if (write)
		return msr_write(r->ecx, (u64)r->edx << 32 | r->eax);
	if (!msr_read(r->ecx, &value))
		return 0;
	r->eax = (u32)value;
	r->edx = (u32)(value >> 32);
	return 1;
}

static int load_table(struct insn *in, int is_idt)
{
	u32 address = operand_address(in);
	u16 limit;
	u32 base;

	if (guest_read(&limit, address, 2) || guest_read(&base, address + 2, 4))
		return 0;
	is_idt ? idt_load(base, limit) : gdt_load(base, limit);
	return 1;
}

static int selector_operand(struct insn *in, u32 *selector)
{
	u16 value;

	if (in->modrm >> 6 == 3) {
		*selector = *reg32(in->r, in->modrm & 7) & 0xffff;
		return 1;
	}
	if (guest_read(&value, operand_address(in), 2))
		return 0;
	*selector = value;
	return 1;
}

static int group_0f00(struct insn *in)
{
	u32 selector;

	in->modrm = insn_next(in);
	switch (in->modrm >> 3 & 7) {
	case 2:
		if (!selector_operand(in, &selector))
			return 0;
		ldt_load(selector);
		return 1;
	case 3:
		if (!selector_operand(in, &selector))
			return 0;
		tr_load(selector);
		return 1;
	default:
		return 0;
	}
}

static int group_0f01(struct insn *in)
{
	u32 value;

	in->modrm = insn_next(in);
	switch (in->modrm >> 3 & 7) {
	case 2:
	case 3:
		if (in->modrm >> 6 == 3)
			return 0;
		return load_table(in, in->modrm >> 3 & 1);
	case 6:
		if (!selector_operand(in, &value))
			return 0;
		set_cr0((ring1->cr0 & ~0xeu) | (value & 0xf));
		return 1;
	case 7:
		if (in->modrm >> 6 == 3)
			return 0;
		queue_flush();
		flush_page(operand_address(in));
		return 1;
	default:
		return 0;
	}
}

static int two_bytes(struct insn *in)
{
	u8 opcode = insn_next(in);

	in->opcode = opcode;
	switch (opcode) {
	case 0x00:
		return group_0f00(in);
	case 0x01:
		return group_0f01(in);
	case 0x06:
		set_cr0(ring1->cr0 & ~CR0_TS);
		return 1;
	case 0x08:
	case 0x09:
		asm volatile("wbinvd" : : : "memory");
		return 1;
	case 0x20:
	case 0x22:
		in->modrm = insn_next(in);
		return control_register(in, opcode == 0x22);
	case 0x21:
		in->modrm = insn_next(in);
		*reg32(in->r, in->modrm & 7) = get_dr(in->modrm >> 3 & 7);
		return 1;
	case 0x23:
		in->modrm = insn_next(in);
		set_dr(in->modrm >> 3 & 7, *reg32(in->r, in->modrm & 7));
		return 1;
	case 0x31:
		in->r->eax = (u32)rdtsc();
		in->r->edx = (u32)(rdtsc() >> 32);
		return 1;
	case 0x30:
	case 0x32:
		return model_specific(in, opcode == 0x30);
	default:
		return 0;
	}
}

static const char *const two_byte_names[] = {
	[0x00] = "lldt-ltr", [0x01] = "system-table", [0x06] = "clts", [0x08] = "invd",
	[0x09] = "wbinvd", [0x20] = "mov-from-cr", [0x21] = "mov-from-dr",
	[0x22] = "mov-to-cr", [0x23] = "mov-to-dr", [0x30] = "wrmsr",
	[0x31] = "rdtsc", [0x32] = "rdmsr",
};

/* What only the kernel may do. Returns the name for the statistics, or NULL. */
static const char *privileged(struct insn *in)
{
	switch (in->opcode) {
	case 0xfa:
		ring1->ev &= (u8)~EV_IF;
		return "cli";
	case 0xfb:
		ring1->ev |= EV_IF;
		if (in->at == in->length || in->code[in->at] != 0xf4)
			return "sti";
		in->opcode = insn_next(in);	/* nothing may come between the two */
		return "hlt";
	case 0xf4:
		return "hlt";
	case 0x0f:
		if (!two_bytes(in))
			return NULL;
		return two_byte_names[in->opcode];
	default:
		return NULL;
	}
}

/* Ports of the user: by its IOPL, or by the bitmap in the guest's TSS. */
static int user_may(u32 port, u32 size)
{
	u32 at, i;
	u16 map;
	u8 bits;

	if (me->iopl == 3)
		return 1;
	if (guest_read(&map, me->tss_base + 102, 2))
		return 0;
	for (i = port; i < port + size; i++) {
		at = map + i / 8;
		/* There has to be one byte more. */
		if (at + 1 > me->tss_limit || guest_read(&bits, me->tss_base + at, 1) ||
		    bits & 1u << (i & 7))
			return 0;
	}
	return 1;
}

static const char *port_access(struct insn *in)
{
	struct regs *r = in->r;
	u8 op = in->opcode;
	struct port_access a = {
		.port = r->edx & 0xffff,
		.size = op & 1 ? in->operand16 ? 2 : 4 : 1,
		.out = (op >> 1 & 1),
	};

	if ((op & 0xfc) == 0xe4)
		a.port = insn_next(in);
	else if ((op & 0xfc) != 0xec && (op & 0xfc) != 0x6c)
		return NULL;
	if (from_user(r) && !user_may(a.port, a.size))
		return NULL;
	if ((op & 0xfc) != 0x6c) {
		port_do(&a, &r->eax);
		return a.out ? "out" : "in";
	}
	a.base = segment_base(a.out ? selector_of(r, in->segment >= 0 ? in->segment : SEG_DS)
				    : r->es);
	if (in->address16)
		return NULL;
	if (!port_string(&a, r, in->rep))
		return NULL;
	if (in->rep && r->ecx)
		in->at = 0;		/* once more */
	return a.out ? "outs" : "ins";
}

/**
 * emulate() - execute the instruction at the guest's EIP
 * @r: registers; changed if it is done
 *
 * Return: 0 if it is the guest's own fault.
 */
int emulate(struct regs *r)
{
	const char *name;
	struct insn in;
	u32 eip = r->eip;

	if (!insn_fetch(&in, r))
		return 0;
	insn_prefixes(&in);
	name = port_access(&in);
	if (!name && !from_user(r))
		name = privileged(&in);
	if (!name && from_user(r) && me->iopl == 3 && (in.opcode & 0xfe) == 0xfa)
		name = "user-cli-sti";
	if (!name)
		return 0;
	count_emulation(name, eip);
	r->eip = eip + in.at;
	r->eflags &= ~EFLAGS_RF;
	if (in.opcode == 0xf4 && name[0] == 'h')
		ring1->ev & EV_IF ? halt_until_pending(r) : vcpu_off(r);
	deliver_pending(r);
	return 1;
}
