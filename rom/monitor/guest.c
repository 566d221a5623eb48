// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest memory by linear address.
 *
 * Owns: the check that an address is the guest's.
 * Not here: guest frames (`mem.c`); the fault that a missing page raises in ring
 * 0 and that fills its shadow (`trap.c`).
 * Runs: on the guest's address space; never with a lock held that a fault takes.
 * Fails: a page that the guest has not mapped: the caller decides.
 */
#include "monitor.h"

static int is_guests(u32 address, u32 size)
{
	return address < HOLE && size <= HOLE - address;
}

/**
 * guest_read() - copy from guest memory
 * Return: 0, or not 0 if some of it is not mapped.
 */
int guest_read(void *to, u32 from, u32 size)
{
	return !is_guests(from, size) || copy_guest(to, (void *)from, size);
}

/**
 * guest_write() - copy to guest memory, as the guest's kernel may
 * Return: 0, or not 0 if some of it is not mapped or read-only.
 */
int guest_write(u32 to, const void *from, u32 size)
{
	return !is_guests(to, size) || copy_guest((void *)to, from, size);
}

/**
 * guest_argument() - a call's argument on the stack
 * @number: 4 or 5
 */
u32 guest_argument(u32 number)
{
	u32 value;

	if (guest_read(&value, guest_regs->esp + (number - 3) * 4, 4))
		stop("stack", guest_regs->esp, "holds no arguments: not mapped");
	return value;
}
