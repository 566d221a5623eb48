// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines on the debug port and the serial port, and the end of the machine.
 *
 * Owns: printing, stop().
 * Not here: statistics (`stats.c`).
 * Runs: any time in ring 0.
 * Fails: a serial port that does not answer is left out.
 */
#include "monitor.h"

#define PORT_DEBUG	0xe9
#define PORT_SERIAL	0x3f8
#define PORT_EXIT	0xf4		/* QEMU's isa-debug-exit */
#define PORT_BOCHS	0x8900
#define EXIT_STOPPED	0x2a		/* status 85 */

static u32 to_serial;

static void put(char c)
{
	u32 tries = 100000;

	outb(PORT_DEBUG, (u8)c);
	if (!to_serial)
		return;
	while (!(inb(PORT_SERIAL + 5) & 0x20) && --tries)
		;
	outb(PORT_SERIAL, (u8)c);
}

void print(const char *s)
{
	for (; *s; s++) {
		if (*s == '\n' && to_serial)
			put('\r');
		put(*s);
	}
}

void print_hex(u32 value)
{
	int shift = 28;

	print("0x");
	while (shift > 0 && !(value >> shift))
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		put("0123456789abcdef"[value >> shift & 15]);
}

void print_dec(u32 value)
{
	if (value >= 10)
		print_dec(value / 10);
	put((char)('0' + value % 10));
}

static void NORETURN end(void)
{
	const char *s = "Shutdown";

	stats_print();
	outb(PORT_EXIT, EXIT_STOPPED);
	for (; *s; s++)
		outb(PORT_BOCHS, (u8)*s);
	for (;;)
		asm volatile("cli; hlt");
}

static void where(const struct regs *r)
{
	print(", vCPU ");
	print_dec(me->number);
	print(", EIP ");
	print_hex(r->cs & 0xffff);
	print(":");
	print_hex(r->eip);
	print("\n");
}

/**
 * stop() - end a guest that did what nobody can serve
 * @what: the thing at fault
 * @value: its address or number
 * @why: what is wrong with it
 */
void stop(const char *what, u32 value, const char *why)
{
	const struct regs *r = guest_regs;

	to_serial = 1;
	print("\nvmi-stop: ");
	print(what);
	print(" ");
	print_hex(value);
	print(" ");
	print(why);
	where(r);
	end();
}

/**
 * monitor_fault() - a fault of our own
 */
void monitor_fault(struct regs *r)
{
	to_serial = 1;
	print("\nvmi-stop: the monitor itself: exception ");
	print_dec(r->vector);
	print(" error ");
	print_hex(r->error);
	print(" CR2 ");
	print_hex(READ_REG(cr2));
	print(" at ");
	print_hex(r->eip);
	print(" eax ");
	print_hex(r->eax);
	print(" edx ");
	print_hex(r->edx);
	print("; the guest");
	where(guest_regs);
	end();
}

void *memset(void *to, int c, u32 n)
{
	u8 *p = to;

	if (!c && !((u32)to & 3) && !(n & 3)) {
		n >>= 2;
		asm volatile("rep stosl" : "+D" (p), "+c" (n) : "a" (0) : "memory");
	} else {
		asm volatile("rep stosb" : "+D" (p), "+c" (n) : "a" (c) : "memory");
	}
	return to;
}

void *memcpy(void *to, const void *from, u32 n)
{
	void *p = to;

	asm volatile("rep movsb" : "+D" (p), "+S" (from), "+c" (n) : : "memory");
	return to;
}
