// SPDX-License-Identifier: GPL-2.0-only
/*
 * The IDT, and the stubs by which simple traps go straight to ring 1.
 *
 * Owns: each vCPU's real IDT; the code of its stubs in the ring-1 page.
 * Not here: delivery by ring 0 (`deliver.c`).
 * Runs: when the guest loads or changes its IDT.
 * Fails: a vector that cannot go straight enters ring 0, which delivers it.
 *
 * A real gate into ring 1 is a trap gate: after an interrupt gate ring 1 could
 * not set the flag again. So the stub makes of it what the guest's gate is: it
 * puts the guest's interrupt flag into the saved EFLAGS and clears it for an
 * interrupt gate. From ring 3 the flag is set and the saved EFLAGS are right:
 * that case takes two instructions.
 */
#include "monitor.h"

#define GATE_TYPE(g)	((u32)((g) >> 40) & 0x1f)
#define GATE_INTERRUPT	0x0e
#define GATE_TRAP	0x0f
#define GATE_P		(1ull << 47)
#define GATE_DPL(g)	((u32)((g) >> 45) & 3)
#define GATE_SELECTOR(g) ((u32)((g) >> 16) & 0xffff)

static u64 *idt_v86;	/* all vectors into ring 0, for all vCPUs */

static u32 gate_offset(u64 gate)
{
	return (u32)(gate >> 32 & 0xffff0000) | (u32)(gate & 0xffff);
}

static u64 make_gate(u32 selector, u32 offset, u32 type, u32 dpl)
{
	return (u64)(offset & 0xffff0000) << 32 | GATE_P | (u64)dpl << 45 |
	       (u64)type << 40 | (u64)selector << 16 | (offset & 0xffff);
}

/**
 * guest_gate() - the guest's gate for a vector
 * Return: 0 if there is none, or only a task gate.
 */
u64 guest_gate(u32 vector)
{
	u64 gate;

	if (vector * 8 + 7 > me->idt.limit || guest_read(&gate, me->idt.base + vector * 8, 8))
		return 0;
	if (!(gate & GATE_P) ||
	    (GATE_TYPE(gate) != GATE_INTERRUPT && GATE_TYPE(gate) != GATE_TRAP))
		return 0;
	return gate;
}

/* May ring 0 be left out? Not where it has to look first. */
static int goes_straight(u32 vector, u64 gate)
{
	static const u8 simple[] = { VEC_DE, VEC_BP, VEC_OF, VEC_BR, VEC_UD, VEC_NM,
				     VEC_MF, VEC_AC, VEC_XM };
	u32 i;

	if (!gate || gate_offset(gate) >= HOLE)
		return 0;
	for (i = 0; i < ARRAY_SIZE(simple); i++)
		if (simple[i] == vector)
			return 1;
	return vector >= 32 && GATE_DPL(gate) == 3;
}

static struct direct *direct_slot(struct vcpu *v, u32 vector)
{
	struct direct *free = NULL;
	u32 i;

	for (i = 0; i < DIRECT_STUBS; i++) {
		if (v->direct[i].used && v->direct[i].vector == vector)
			return &v->direct[i];
		if (!v->direct[i].used && !free)
			free = &v->direct[i];
	}
	return free;
}

/* Offset of a stub in the ring-1 page. */
static u32 stub_offset(const struct vcpu *v, const struct direct *slot)
{
	return R1_STUBS - RING1_DATA + (u32)(slot - v->direct) * STUB_SIZE;
}

static u8 *put32(u8 *at, u32 value)
{
	*(u32 *)at = value;
	return at + 4;
}

/* A stub runs at the page's offset in RING1_DATA, wherever it is written. */
static u8 *put_jump(u8 *at, u32 target)
{
	return put32(at, target - (RING1_DATA + ((u32)at & (PAGE_SIZE - 1)) + 4));
}

static void write_stub(const struct vcpu *v, const struct direct *slot)
{
	u8 *p = (u8 *)v->page1 + stub_offset(v, slot);

	*p++ = 0x36;			/* %ss: */
	if (slot->interrupt_gate) {
		*p++ = 0x0f;		/* btrl $9, R1_FLAGS */
		*p++ = 0xba;
		*p++ = 0x35;
		p = put32(p, R1_FLAGS);
		*p++ = EV_IF_BIT;
		*p++ = 0x0f;		/* jc handler */
		*p++ = 0x82;
	} else {
		*p++ = 0xf6;		/* testb $EV_IF, R1_EV */
		*p++ = 0x05;
		p = put32(p, R1_EV);
		*p++ = EV_IF;
		*p++ = 0x0f;		/* jnz handler */
		*p++ = 0x85;
	}
	p = put_jump(p, slot->handler);
	*p++ = 0x80;			/* andb $~IF, saved EFLAGS + 1 */
	*p++ = 0x64;
	*p++ = 0x24;
	*p++ = slot->vector == VEC_AC ? 13 : 9;
	*p++ = (u8)~(EFLAGS_IF >> 8);
	*p++ = 0xe9;			/* jmp handler */
	put_jump(p, slot->handler);
}

#define DESC_CODE_RING1	0xb8	/* present, ring 1, code */

/* The guest's selector, if it is a code segment of ring 1. */
static u32 code_selector(const struct vcpu *v, u64 gate)
{
	u32 selector = GATE_SELECTOR(gate);

	if (!(selector & 4) && selector <= GUEST_GDT_LIMIT &&
	    (v->gdt_rw[selector >> 3] >> 40 & 0xfc) == DESC_CODE_RING1)
		return (selector & ~3u) | 1;
	return SEL_CODE1;
}

/* As long as the 8259s may interrupt by gates of exceptions, look twice. */
static u32 entry_of(u32 vector)
{
	if (!pic_is_known() && vector >= 8 && vector < 16)
		return (u32)doubt_stubs + (vector - 8) * 16;
	return (u32)entry_stubs + vector * 16;
}

/* @v loads the same table as this vCPU. */
static void update(struct vcpu *v, u32 vector)
{
	u64 gate = guest_gate(vector);
	struct direct *slot = goes_straight(vector, gate) ? direct_slot(v, vector) : NULL;
	u32 dpl = gate && GATE_DPL(gate) == 3 ? 3 : 0;

	if (vector == VECTOR_CALL)
		return;
	if (!slot) {
		v->idt_rw[vector] = make_gate(SEL_CODE0, entry_of(vector),
					       GATE_INTERRUPT, dpl);
		return;
	}
	slot->used = 1;
	slot->vector = (u8)vector;
	slot->interrupt_gate = GATE_TYPE(gate) == GATE_INTERRUPT;
	slot->handler = gate_offset(gate);
	write_stub(v, slot);
	v->idt_rw[vector] = make_gate(code_selector(v, gate),
				      RING1_DATA + stub_offset(v, slot),
				      GATE_TRAP, dpl == 3 ? 3 : 1);
}

/**
 * idt_init() - all vectors lead into ring 0
 */
void idt_init(struct vcpu *v)
{
	u32 i;

	for (i = 0; i < VECTORS; i++)
		v->idt_rw[i] = make_gate(SEL_CODE0, entry_of(i),
					 GATE_INTERRUPT, i == VEC_BP || i == VEC_OF ? 3 : 0);
	if (!idt_v86) {
		idt_v86 = mem_take(1);
		memcpy(idt_v86, v->idt_rw, VECTORS * 8);
	}
	v->idt_rw[VECTOR_CALL] = make_gate(SEL_CODE0, (u32)entry_call, GATE_INTERRUPT, 1);
}

/**
 * idt_pic_is_known() - from now on the gates of exceptions are only that
 */
void idt_pic_is_known(void)
{
	u32 i, k;

	for (i = 8; i < 16; i++) {
		idt_v86[i] = make_gate(SEL_CODE0, entry_of(i), GATE_INTERRUPT, 0);
		for (k = 0; k < MAX_VCPUS; k++)
			if (vcpus[k])
				vcpus[k]->idt_rw[i] = idt_v86[i];
	}
}

/**
 * idt_ring0() - all vectors into ring 0, or as they are
 * @on: not 0 for the time that virtual-8086 code runs
 *
 * From there the CPU does not enter ring 1.
 */
void idt_ring0(int on)
{
	struct { u16 limit; u32 base; } __attribute__((packed)) p = {
		VECTORS * 8 - 1, on ? (u32)idt_v86 : MON_IDT };

	asm volatile("lidtl %0" : : "m" (p));
}

/**
 * idt_load() - SetIDT
 */
void idt_load(u32 base, u32 limit)
{
	u32 i;

	me->idt.base = base;
	me->idt.limit = limit;
	for (i = 0; i < DIRECT_STUBS; i++)
		me->direct[i].used = 0;
	for (i = 0; i < VECTORS; i++)
		update(me, i);
}

/**
 * idt_selectors_changed() - the GDT is another one
 */
void idt_selectors_changed(void)
{
	u32 i;

	for (i = 0; i < DIRECT_STUBS; i++)
		if (me->direct[i].used)
			update(me, me->direct[i].vector);
}

/**
 * idt_entry_changed() - WriteIDTEntry, after the store
 *
 * Guests share one table among their CPUs.
 */
void idt_entry_changed(u32 table, u32 index)
{
	u32 i;

	if (index >= VECTORS)
		return;
	if (me->idt.base != table)
		return;
	for (i = 0; i < MAX_VCPUS; i++)
		if (vcpus[i] && vcpus[i]->online == VCPU_RUNNING &&
		    vcpus[i]->idt.base == table)
			update(vcpus[i], index);
}

/* The stub that an address lies in. */
static struct direct *stub_at(u32 eip)
{
	u32 i = (eip - R1_STUBS) / STUB_SIZE;

	return eip >= R1_STUBS && i < DIRECT_STUBS && me->direct[i].used ?
	       &me->direct[i] : NULL;
}

/**
 * stub_finish() - if a stub was interrupted, do what is left of it
 * @r: registers; the guest's interrupt flag is set
 *
 * With the flag still set an interrupt gate's stub has not begun, and the saved
 * EFLAGS are right.
 */
void stub_finish(struct regs *r)
{
	struct direct *slot = stub_at(r->eip);

	if (!slot)
		return;
	r->eip = slot->handler;
	if (slot->interrupt_gate)
		ring1->ev &= (u8)~EV_IF;
}
