// SPDX-License-Identifier: GPL-2.0-only
/*
 * Resets the machine.
 *
 * Owns: the ways of a PC to do it.
 * Runs: call 36; does not return.
 * Fails: a machine that knows none of the ways triple-faults.
 */
#include "monitor.h"

#define RESET_PORT	0xcf9
#define RESET_HARD	0x02
#define RESET_GO	0x04
#define KBC_PORT	0x64
#define KBC_RESET	0xfe

/**
 * machine_reset() - reset by chipset, keyboard controller, or triple fault
 * @hard: not 0 = as by the button
 */
void machine_reset(u32 hard)
{
	struct { u16 limit; u32 base; } __attribute__((packed)) none = { 0, 0 };
	u8 how = hard ? RESET_HARD : 0;

	stats_print();
	outb(RESET_PORT, how);
	outb(RESET_PORT, how | RESET_GO);
	outb(KBC_PORT, KBC_RESET);
	asm volatile("lidtl %0\n\tint3" : : "m" (none));
}
