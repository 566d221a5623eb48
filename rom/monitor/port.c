// SPDX-License-Identifier: GPL-2.0-only
/*
 * Port I/O on behalf of the guest.
 *
 * Owns: which ports are not passed through: the statistics request, and the PIT
 * while an alarm runs on it.
 * Not here: who may use a port (`emulate.c`).
 * Runs: for each trapped instruction and for calls 49 to 60.
 * Fails: a string instruction stops before the element that is not mapped.
 */
#include "monitor.h"

#define PORT_STATS	0xe8
#define STATS_PRINT	1
#define STATS_RESET	2
#define PIC_MASTER	0x20
#define ICW1		0x10

u32 pic_base = 8;		/* vector of IRQ 0, as programmed */
static u32 pic_expects_icw2;

static u32 in(u32 port, u32 size)
{
	u32 value = 0;

	if (size == 1)
		asm volatile("inb %w1, %b0" : "+a" (value) : "d" (port));
	else if (size == 2)
		asm volatile("inw %w1, %w0" : "+a" (value) : "d" (port));
	else
		asm volatile("inl %w1, %0" : "+a" (value) : "d" (port));
	return value;
}

static void out(u32 port, u32 size, u32 value)
{
	if (size == 1)
		asm volatile("outb %b0, %w1" : : "a" (value), "d" (port));
	else if (size == 2)
		asm volatile("outw %w0, %w1" : : "a" (value), "d" (port));
	else
		asm volatile("outl %0, %w1" : : "a" (value), "d" (port));
}

/* The first two of the words that set the master up. */
static void watch_pic(u32 port, u32 value)
{
	if (port == PIC_MASTER && value & ICW1) {
		pic_expects_icw2 = 1;
	} else if (port == PIC_MASTER + 1 && pic_expects_icw2) {
		pic_expects_icw2 = 0;
		pic_base = value & 0xf8;
	}
}

/* Returns 1 if the write is not for the hardware. */
static int intercepted(u32 port, u32 value)
{
	if (port == PORT_STATS) {
		if ((u8)value == STATS_PRINT)
			stats_print();
		else if ((u8)value == STATS_RESET)
			stats_reset();
		return 1;
	}
	if (port - PIC_MASTER < 2)
		watch_pic(port, value);
	if (port - VMI_PIT_CH0_PORT <= 3)
		return alarm_owns_pit(port, (u8)value);
	return 0;
}

/**
 * port_do() - one access
 * @a: port, size, direction
 * @eax: source or destination; only its low @size bytes change
 */
void port_do(const struct port_access *a, u32 *eax)
{
	u32 mask = a->size == 4 ? ~0u : (1u << a->size * 8) - 1;

	if (!a->out)
		*eax = (*eax & ~mask) | (in(a->port, a->size) & mask);
	else if (!intercepted(a->port, *eax))
		out(a->port, a->size, *eax);
}

/**
 * port_string() - INS or OUTS
 * @a: port, size, direction, base of the segment
 * @r: registers; ESI or EDI and ECX advance
 * @rep: ECX times
 *
 * Return: 0 if nothing could be done.
 */
int port_string(const struct port_access *a, struct regs *r, int rep)
{
	u32 *index = a->out ? &r->esi : &r->edi;
	u32 step = r->eflags & 0x400 ? -a->size : a->size;
	u32 count = rep ? r->ecx : 1, value = 0;

	for (; count; count--) {
		if (a->out) {
			if (guest_read(&value, a->base + *index, a->size))
				break;
			port_do(a, &value);
		} else {
			port_do(a, &value);
			if (guest_write(a->base + *index, &value, a->size))
				break;
		}
		*index += step;
	}
	if (rep)
		r->ecx = count;
	return !count;
}
