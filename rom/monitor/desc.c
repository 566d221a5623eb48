// SPDX-License-Identifier: GPL-2.0-only
/*
 * GDT, LDT and TSS: the guest's descriptors as the hardware may see them.
 *
 * Owns: each vCPU's real tables; what of a descriptor is changed.
 * Not here: gates (`idt.c`).
 * Runs: on the vCPU whose tables they are.
 * Fails: a descriptor that cannot be used is not present.
 *
 * The guest's table in memory stays as the guest wrote it. The real GDT has the
 * guest's entries in its first page and ours in the second, and is mapped
 * read-only where GDTR points: every accessed bit is set already.
 *
 * Source: SDM volume 3, sections 3.4.5 and 5.3 (descriptors, limits).
 */
#include "monitor.h"

#define DESC_A		(1ull << 40)
#define DESC_DOWN	(1ull << 42)	/* code: conforming */
#define DESC_CODE	(1ull << 43)
#define DESC_S		(1ull << 44)
#define DESC_DPL_SHIFT	45
#define DESC_P		(1ull << 47)
#define DESC_L		(1ull << 53)
#define DESC_B		(1ull << 54)
#define DESC_G		(1ull << 55)
#define LIMIT_BITS	0x000f00000000ffffull
#define BASE_BITS	0xff0000ffffff0000ull
#define TYPE_LDT	0x82
#define TYPE_TSS	0x89

#define TOP		(RING1_END - 1)

u32 descriptor_base(u64 d)
{
	return (u32)(d >> 16 & 0xffffff) | (u32)(d >> 32 & 0xff000000);
}

/* Offset of the last byte. */
u32 descriptor_limit(u64 d)
{
	u32 limit = (u32)(d & 0xffff) | (u32)(d >> 32 & 0xf0000);

	return d & DESC_G ? limit << 12 | 0xfff : limit;
}

static u64 with_limit(u64 d, u32 limit)
{
	d &= ~(LIMIT_BITS | DESC_G);
	if (limit > 0xfffff) {
		limit = (limit >> 12) - ((limit & 0xfff) != 0xfff);
		d |= DESC_G;
	}
	return d | (limit & 0xffff) | (u64)(limit >> 16) << 48;
}

static u64 system_descriptor(u32 base, u32 limit, u32 type)
{
	u64 d = (u64)(base & 0xffffff) << 16 | (u64)(base >> 24) << 56;

	return with_limit(d | (u64)type << 40, limit);
}

/**
 * sanitize() - a guest's descriptor for the real table
 * @d: as the guest wrote it
 *
 * Ring 0 becomes ring 1, and the segment ends below the hole. System
 * descriptors are not for the guest, nor are segments that grow downwards from
 * 4 GiB, which would begin in the hole.
 */
u64 sanitize(u64 d)
{
	u32 base = descriptor_base(d), limit = descriptor_limit(d);

	if (!(d & DESC_S))
		return 0;
	if (!(d >> DESC_DPL_SHIFT & 3))
		d |= 1ull << DESC_DPL_SHIFT;
	d |= DESC_A;
	d &= ~DESC_L;
	if (!(d & DESC_CODE) && d & DESC_DOWN) {
		if (d & DESC_B || base > TOP - 0xffff)
			d &= ~DESC_P;
		return d;
	}
	if (base > TOP)
		return with_limit(d & ~BASE_BITS, 0);
	if (limit > TOP - base)
		return with_limit(d, TOP - base);
	return d;
}

/**
 * guest_descriptor() - read the guest's GDT
 * Return: 0 if the selector is beyond it.
 */
static u64 guest_descriptor(u32 selector)
{
	u32 offset = selector & 0xfff8;
	u64 d;

	if (offset + 7 > me->gdt.limit || guest_read(&d, me->gdt.base + offset, 8))
		return 0;
	return d;
}

/**
 * real_descriptor() - what the hardware has for a selector
 * Return: 0 if nothing.
 */
u64 real_descriptor(u32 selector)
{
	u32 index = (selector & 0xffff) >> 3;

	if (!(selector & 4))
		return index <= GUEST_GDT_LIMIT >> 3 ? me->gdt_rw[index] : 0;
	if (!me->ldt.limit || index * 8 + 7 > me->ldt.limit)
		return 0;
	return ((u64 *)va_of(me->ldt_page[index >> 9]))[index & 511];
}

/* A register that holds the selector takes the new descriptor, or becomes null. */
static void reload(u32 selector)
{
	u32 value;

	asm volatile("mov %%fs, %0" : "=r" (value));
	if ((value & 0xfffc) == selector)
		asm volatile("mov %0, %%fs" : : "r" (value));
	asm volatile("mov %%gs, %0" : "=r" (value));
	if ((value & 0xfffc) == selector)
		asm volatile("mov %0, %%gs" : : "r" (value));
}

static u64 *ldt_entry(u32 index)
{
	u32 page = index * 8 / PAGE_SIZE;

	if (!me->ldt_page[page]) {
		me->ldt_page[page] = pa_of(shadow_spare_page());
		map_private(me, MON_LDT + page * PAGE_SIZE, me->ldt_page[page], 0);
		invlpg(MON_LDT + page * PAGE_SIZE);
	}
	return (u64 *)va_of(me->ldt_page[page]) + index % (PAGE_SIZE / 8);
}

static u64 guest_ldt_descriptor(u32 selector)
{
	u64 d;

	return guest_read(&d, me->ldt.base + (selector & 0xfff8), 8) ? 0 : d;
}

static u64 *real_entry(u32 selector)
{
	u32 index = (selector & 0xffff) >> 3;

	return selector & 4 ? ldt_entry(index) : &me->gdt_rw[index];
}

/**
 * descriptor_flip() - let a user's data segment reach up, or down from 4 GiB
 * @selector: of the segment
 * @offset: that has to be reached
 *
 * A segment that the guest made 4 GiB long wraps around: with a base in the
 * middle, offsets from the top down lie below the base. We had to cut it at the
 * hole, so that only one of both parts can be there at a time: the lower end as
 * a segment that grows upwards, or the other one as one that grows downwards.
 *
 * Return: 0 if the segment has no such part, or has it already.
 */
int descriptor_flip(u32 selector, u32 offset)
{
	u64 guest, real = real_descriptor(selector);
	u32 base = descriptor_base(real), down = !!(real & DESC_DOWN);

	if ((real >> 40 & 0xf8) != 0xf0 || !base)	/* present, ring 3, data */
		return 0;
	guest = selector & 4 ? guest_ldt_descriptor(selector) : guest_descriptor(selector);
	if (guest & DESC_DOWN || descriptor_limit(guest) != 0xffffffff)
		return 0;
	if (down) {
		if (offset > TOP - base)
			return 0;
		*real_entry(selector) = sanitize(guest);
	} else {
		if (offset < -base)
			return 0;
		real = (real & ~LIMIT_BITS) | DESC_DOWN | DESC_B | DESC_G;
		down = (-base - 1) >> 12;
		*real_entry(selector) = real | (down & 0xffff) | (u64)(down >> 16) << 48;
	}
	reload(selector & 0xfffc);
	return 1;
}

#define IS_STACK3(d)	(((d) >> 40 & 0xfa) == 0xf2)	/* writable, too */

/**
 * stack16_prepare() - make the segment for a return to a 16-bit stack
 * @r: the registers to return with
 *
 * Only for a return that cannot fault: on that segment no C code runs.
 * Return: 0 if the return is to be as always.
 */
REGPARM u32 stack16_prepare(struct regs *r)
{
	u64 ss = real_descriptor(r->ss), cs = real_descriptor(r->cs);
	u32 frame = (u32)&r->eip, esp = (r->esp & 0xffff0000) | (frame & 0xffff);

	if (from_monitor(r) || r->eflags & EFLAGS_VM || (r->cs & 3) != 3 ||
	    (r->ss & 3) != 3 || !IS_CODE3(cs) || !IS_STACK3(ss) || ss & DESC_B ||
	    r->eip > descriptor_limit(cs))
		return 0;
	me->gdt_rw[SEL_STACK16 >> 3] = system_descriptor(frame - esp, 0xffffffff, 0x93) |
				       DESC_B;
	me->stack16[0] = esp;
	me->stack16[1] = SEL_STACK16;
	return 1;
}

/**
 * gdt_load() - SetGDT
 * @base: linear address of the guest's table
 * @limit: offset of its last byte; what is beyond a page is left out
 */
void gdt_load(u32 base, u32 limit)
{
	u64 part[32];
	u32 i, k;

	if (limit > GUEST_GDT_LIMIT)
		limit = GUEST_GDT_LIMIT;
	me->gdt.base = base;
	me->gdt.limit = limit;
	for (i = 0; i <= GUEST_GDT_LIMIT >> 3; i += ARRAY_SIZE(part)) {
		u32 count = i * 8 > limit ? 0 : (limit + 1 - i * 8) / 8;

		if (count > ARRAY_SIZE(part))
			count = ARRAY_SIZE(part);
		if (count && guest_read(part, base + i * 8, count * 8))
			stop("GDT", base, "is not mapped");
		for (k = 0; k < ARRAY_SIZE(part); k++)
			me->gdt_rw[i + k] = k < count && i + k ? sanitize(part[k]) : 0;
	}
	idt_selectors_changed();
}

/**
 * reload_segments() - after a change of tables: what is invalid becomes null
 *
 * DS and ES are loaded anyway on the way back.
 */
void reload_segments(void)
{
	u32 value;

	asm volatile("mov %%fs, %0" : "=r" (value));
	asm volatile("mov %0, %%fs" : : "r" (value));
	asm volatile("mov %%gs, %0" : "=r" (value));
	asm volatile("mov %0, %%gs" : : "r" (value));
}

/* Are two addresses the same place of guest memory? */
static int same_place(u32 a, u32 b)
{
	u64 pa, pb;

	return a == b || (guest_translate(a, &pa) && guest_translate(b, &pb) && pa == pb);
}

/**
 * gdt_entry_changed() - WriteGDTEntry, after the store
 */
void gdt_entry_changed(u32 table, u32 index)
{
	u32 entry = table + index * 8;
	u64 d;

	if (index == 0 || index * 8 + 7 > me->gdt.limit ||
	    !same_place(entry, me->gdt.base + index * 8))
		return;
	if (guest_read(&d, entry, 8))
		return;
	me->gdt_rw[index] = sanitize(d);
	reload(index * 8);
}

static void ldt_copy(u32 base, u32 first, u32 count)
{
	u32 i;
	u64 d;

	for (i = first; i < first + count; i++) {
		if (guest_read(&d, base + i * 8, 8))
			d = 0;
		*ldt_entry(i) = sanitize(d);
	}
}

static void lldt(u32 selector)
{
	asm volatile("lldt %w0" : : "r" (selector));
}

/**
 * ldt_load() - SetLDT
 * @selector: of an LDT in the guest's GDT; 0 = none
 */
void ldt_load(u32 selector)
{
	u64 d = selector & 0xfffc ? guest_descriptor(selector) : 0;
	u32 limit;

	me->ldt.base = 0;
	me->ldt.limit = 0;
	me->ldt_selector = selector;
	if ((d >> 40 & 0x9f) != TYPE_LDT) {
		lldt(0);
		return;
	}
	limit = descriptor_limit(d);
	if (limit > 0xffff)
		limit = 0xffff;
	me->ldt.base = descriptor_base(d);
	me->ldt.limit = limit;
	ldt_copy(me->ldt.base, 0, (limit + 1) / 8);
	me->gdt_rw[selector >> 3] = system_descriptor(MON_LDT, limit, TYPE_LDT);
	lldt(selector & 0xfff8);
}

/**
 * ldt_entry_changed() - WriteLDTEntry, after the store
 */
void ldt_entry_changed(u32 table, u32 index)
{
	if (!me->ldt.limit || index * 8 + 7 > me->ldt.limit ||
	    !same_place(table + index * 8, me->ldt.base + index * 8))
		return;
	ldt_copy(me->ldt.base, index, 1);
	reload(index * 8 | 4);
}

/**
 * tr_load() - SetTR: only the I/O bitmap of the guest's TSS is of interest
 */
void tr_load(u32 selector)
{
	u64 d = guest_descriptor(selector);

	me->tr_selector = selector;
	me->tss_base = descriptor_base(d);
	me->tss_limit = descriptor_limit(d);
}

/**
 * kernel_stack() - where the guest's kernel is entered from ring 3
 * @esp: its stack
 */
void kernel_stack(u32 esp)
{
	if (esp > HOLE)
		stop("kernel stack", esp, "is in the hole");
	me->esp1 = esp;
	me->tss_rw[3] = esp;
	me->tss_rw[4] = me->ss1;
}

/* Our part of the GDT. */
void desc_init(struct vcpu *v)
{
	u64 flat = 0x00cf9b000000ffffull, data = 0x00cf93000000ffffull;

	v->gdt_rw[SEL_CODE0 >> 3] = flat;
	v->gdt_rw[SEL_DATA0 >> 3] = data;
	v->gdt_rw[SEL_TSS0 >> 3] = system_descriptor(MON_TSS, 0x67, TYPE_TSS);
	v->gdt_rw[SEL_CODE1 >> 3] = sanitize(flat);
	v->tss_rw[1] = MON_STACK_TOP - 16;	/* esp0 */
	v->tss_rw[2] = SEL_DATA0;
	v->tss_rw[25] = 0x68 << 16;		/* no I/O bitmap: every port traps */
}

struct pseudo {
	u16 limit;
	u32 base;
} __attribute__((packed));

/**
 * desc_activate() - load our tables
 *
 * LTR writes into the GDT, so that at first it is loaded where it is writable.
 */
void desc_activate(void)
{
	struct pseudo gdt = { MON_GDT_LIMIT, (u32)me->gdt_rw };
	struct pseudo idt = { VECTORS * 8 - 1, MON_IDT };

	asm volatile("lgdtl %0" : : "m" (gdt));
	asm volatile("ltr %w0" : : "r" (SEL_TSS0));
	gdt.base = MON_GDT;
	asm volatile("lgdtl %0\n\t"
		     "lidtl %1\n\t"
		     "ljmp %2, $1f\n"
		     "1: mov %3, %%ds\n\t"
		     "mov %3, %%es\n\t"
		     "mov %3, %%ss"
		     : : "m" (gdt), "m" (idt), "i" (SEL_CODE0), "r" (SEL_DATA0)
		     : "memory");
}
