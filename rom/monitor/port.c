// SPDX-License-Identifier: GPL-2.0-only
/*
 * Port I/O on behalf of the guest.
 *
 * Owns: what is not passed through as it is: the statistics request, the PIT
 * while an alarm runs on it, address line 20.
 * Not here: who may use a port (`emulate.c`), the 8259s (`pic.c`).
 * Runs: for each trapped instruction and for calls 49 to 60.
 * Fails: a string instruction stops before the element that is not mapped.
 */
#include "monitor.h"

#define PORT_STATS	0xe8
#define STATS_PRINT	1
#define STATS_RESET	2
#define PORT_EXIT	0xf4		/* QEMU's isa-debug-exit */
#define STRING_MAX	1024

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

/*
 * Address line 20 stays on: without it the monitor's own memory would be
 * elsewhere.
 */
#define PORT_A20	0x92
#define A20_ON		0x02
#define KBC_DATA	0x60
#define KBC_COMMAND	0x64
#define KBC_WRITE_OUTPUT 0xd1
#define KBC_A20_OFF	0xdd
#define KBC_NOTHING	0xff

static u32 keep_a20(u32 port, u32 value)
{
	static u32 output_next;

	if (port == PORT_A20)
		return value | A20_ON;
	if (port == KBC_COMMAND) {
		output_next = (u8)value == KBC_WRITE_OUTPUT;
		return (u8)value == KBC_A20_OFF ? KBC_NOTHING : value;
	}
	if (output_next) {
		output_next = 0;
		return value | A20_ON;
	}
	return value;
}

/* The value that the hardware gets, port by port of a wider access. */
static u32 filtered(u32 port, u32 value)
{
	if (port == PORT_A20 || port == KBC_DATA || port == KBC_COMMAND)
		return keep_a20(port, value);
	return chipset_guards(port) ? chipset_filter(value) : value;
}

/* Ports whose content matters; all of them have 8 bits. */
static int is_watched(u32 port)
{
	return is_pic(port) || port - VMI_PIT_CH0_PORT < 4 || port == PORT_A20 ||
	       port == KBC_DATA || port == KBC_COMMAND || port == PORT_STATS ||
	       port == PORT_EXIT ||
	       chipset_guards(port);
}

/* A write of one byte. */
static void write_byte(u32 port, u32 value)
{
	if (port == PORT_STATS && value == STATS_PRINT)
		stats_print();
	else if (port == PORT_STATS && value == STATS_RESET)
		stats_reset();
	if (port == PORT_STATS || (port - VMI_PIT_CH0_PORT < 4 && alarm_owns_pit(port, value)))
		return;
	if (port == PORT_EXIT)
		stats_print();
	if (is_pic(port))
		pic_write(port, value);
	else
		out(port, 1, filtered(port, value));
}

static void write(u32 port, u32 size, u32 value)
{
	u32 i, watched = 0;

	for (i = 0; i < size; i++)
		watched |= is_watched(port + i);
	if (!watched) {
		out(port, size, value);
		return;
	}
	for (i = 0; i < size; i++)
		write_byte(port + i, value >> i * 8 & 0xff);
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
	else
		write(a->port, a->size, *eax);
}

/**
 * port_string() - INS or OUTS
 * @a: port, size, direction, base of the segment
 * @r: registers; ESI or EDI and ECX advance
 * @rep: ECX times
 *
 * No more than STRING_MAX elements at once: interrupts wait.
 * Return: 0 if an element is not mapped.
 */
int port_string(const struct port_access *a, struct regs *r, int rep)
{
	u32 *index = a->out ? &r->esi : &r->edi;
	u32 step = r->eflags & 0x400 ? -a->size : a->size;
	u32 count = rep ? r->ecx : 1, left = STRING_MAX, value = 0;

	for (; count && left; count--, left--) {
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
	return !count || !left;
}
