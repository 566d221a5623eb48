// SPDX-License-Identifier: GPL-2.0-only
/*
 * Executes an instruction that faulted because the guest's kernel is not in
 * ring 0, or its user may use a port.
 *
 * Owns: decoding; what each privileged instruction does to a vCPU.
 * Not here: the port access itself (`port.c`), MSRs and CRs (`state.c`).
 * Runs: after #GP(0) from the guest.
 * Fails: returns 0 for what natively faults, too; the guest then gets the fault.
 *
 * Source: SDM volume 2, appendix A (opcode map) and 2.1 (ModR/M, SIB).
 */
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

static u32 selector_of(const struct regs *r, int segment)
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

static u32 *reg32(struct regs *r, u32 number)
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

static u8 next(struct insn *in)
{
	return in->at < in->length ? in->code[in->at++] : 0;
}

static u32 next32(struct insn *in)
{
	u32 low = next(in);

	low |= (u32)next(in) << 8;
	low |= (u32)next(in) << 16;
	return low | (u32)next(in) << 24;
}

static int fetch(struct insn *in, struct regs *r)
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

static void prefixes(struct insn *in)
{
	for (;;) {
		in->opcode = next(in);
		switch (in->opcode) {
		case 0x26: in->segment = SEG_ES; break;
		case 0x2e: in->segment = SEG_CS; break;
		case 0x36: in->segment = SEG_SS; break;
		case 0x3e: in->segment = SEG_DS; break;
		case 0x64: in->segment = SEG_FS; break;
		case 0x65: in->segment = SEG_GS; break;
		case 0x66: in->operand16 = 1; break;
		case 0x67: in->address16 = 1; break;
		case 0xf0: break;
		case 0xf2:
		case 0xf3: in->rep = 1; break;
		default: return;
		}
	}
}

/* Linear address of a memory operand with 32-bit addressing. */
static u32 operand_address(struct insn *in)
{
	u32 mod = in->modrm >> 6, rm = in->modrm & 7, sib, base = 0;
	int segment = SEG_DS;

	if (rm == 4) {
		sib = next(in);
		if ((sib & 7) != 5 || mod)
			base = *reg32(in->r, sib & 7);
		else
			base = next32(in);
		if ((sib & 7) == 4 || ((sib & 7) == 5 && mod))
			segment = SEG_SS;
		if ((sib >> 3 & 7) != 4)
			base += *reg32(in->r, sib >> 3 & 7) << (sib >> 6);
	} else if (rm == 5 && !mod) {
		base = next32(in);
	} else {
		base = *reg32(in->r, rm);
		if (rm == 5)
			segment = SEG_SS;
	}
	if (mod == 1)
		base += (u32)(signed char)next(in);
	else if (mod == 2)
		base += next32(in);
	if (in->segment >= 0)
		segment = in->segment;
	return base + segment_base(selector_of(in->r, segment));
}

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

	in->modrm = next(in);
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

	in->modrm = next(in);
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
	u8 opcode = next(in);

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
		in->modrm = next(in);
		return control_register(in, opcode == 0x22);
	case 0x21:
		in->modrm = next(in);
		*reg32(in->r, in->modrm & 7) = get_dr(in->modrm >> 3 & 7);
		return 1;
	case 0x23:
		in->modrm = next(in);
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
		return "sti";
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
		a.port = next(in);
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

	if (!fetch(&in, r))
		return 0;
	prefixes(&in);
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
		next32(in);
		reg = &in->r->eax;
	} else {
		if (in->opcode == 0x0f)
			in->opcode = next(in) == 0xb6 ? 0xb6 : 0;
		in->modrm = next(in);
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
		device_write(address, is_io, next32(in));
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

	if (!guest_translate(address, &pa) || !fetch(&in, r))
		return 0;
	is_io = (u32)pa >> 12 == 0xfec00;
	if (!is_io && (u32)pa >> 12 != 0xfee00)
		return 0;
	prefixes(&in);
	if (in.operand16 || in.address16 || !apic_mov(&in, (u32)pa, is_io))
		return 0;
	count_emulation(is_io ? "io-apic" : "apic-memory", eip);
	r->eip = eip + in.at;
	return 1;
}
