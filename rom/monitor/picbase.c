// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out by which vector the 8259 sends IRQ0.
 *
 * Owns: a table of stubs that note their number.
 * Not here: programming the 8259s (`port.c`).
 * Runs: once, at Init, on our own GDT: the chip cannot be read, and a guest may
 * have set it up before it called us.
 * Fails: without a tick of the PIT for longer than the BIOS's period nothing is
 * found, and the BIOS's vectors are assumed.
 *
 * Source: Intel 8259A data sheet, OCW2 and OCW3.
 */
#include "monitor.h"

#define PIC_MASTER	0x20
#define PIC_SLAVE	0xa0
#define READ_ISR	0x0b
#define EOI_IRQ0	0x60
#define ONLY_IRQ0	0xfe
#define NONE		0xff
#define TICK_MS		60		/* 18.2 times a second */
#define NOTHING		0		/* exception 0 cannot happen there */

/* One for each vector: movb $vector, seen; iret */
struct stub {
	u8	opcode[2];
	u32	address;
	u8	vector, iret;
} __attribute__((packed));

static volatile u8 seen;

struct probe {
	u64		idt[VECTORS];
	struct stub	stubs[VECTORS];
};

BUILD_ASSERT(sizeof(struct probe) == PAGE_SIZE);

static void prepare(struct probe *p)
{
	u32 i, at;

	for (i = 0; i < VECTORS; i++) {
		p->stubs[i] = (struct stub) { { 0xc6, 0x05 }, (u32)&seen, (u8)i, 0xcf };
		at = (u32)&p->stubs[i];
		p->idt[i] = (u64)(at & 0xffff0000) << 32 | 0x8e0000000000ull |
			    SEL_CODE0 << 16 | (at & 0xffff);
	}
}

static void wait_tick(void)
{
	u64 end = rdtsc() + (u64)tsc_khz * TICK_MS;

	while (seen == NOTHING && rdtsc() < end)
		asm volatile("sti\n\tnop\n\tnop\n\tcli" : : : "memory");
}

/**
 * pic_find_base() - wait for a tick
 *
 * Context: IF=0; is on for some time. Return: the vector of IRQ0, or 0.
 */
u32 pic_find_base(void)
{
	struct { u16 limit; u32 base; } __attribute__((packed)) idt, ours;
	u8 master = inb(PIC_MASTER + 1), slave = inb(PIC_SLAVE + 1), in_service;
	struct probe *p = mem_take(1);

	prepare(p);
	idt.limit = VECTORS * 8 - 1;
	idt.base = (u32)p->idt;
	seen = NOTHING;
	asm volatile("sidt %0" : "=m" (ours));
	asm volatile("lidt %0" : : "m" (idt));
	outb(PIC_SLAVE + 1, NONE);
	outb(PIC_MASTER + 1, ONLY_IRQ0);
	wait_tick();
	outb(PIC_MASTER, READ_ISR);
	in_service = inb(PIC_MASTER) & 1;
	if (in_service)
		outb(PIC_MASTER, EOI_IRQ0);
	outb(PIC_MASTER + 1, master);
	outb(PIC_SLAVE + 1, slave);
	asm volatile("lidt %0" : : "m" (ours));
	return in_service ? seen & 0xf8 : 0;
}
