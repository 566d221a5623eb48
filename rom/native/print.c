// SPDX-License-Identifier: GPL-2.0-only
/*
 * Debug build: the table of call counts, on port 0xE9.
 *
 * Owns: lines of the form `vmi-calls: <number> <name> <count>`.
 * Not here: counting (`count.S`).
 * Runs: in Reboot and Shutdown, IF=0; other CPUs may still count.
 * Fails: -
 */
#include "common/rom.h"

#define DEBUG_PORT	0xe9

static void print_string(const char *s)
{
	for (; *s; s++)
		outb(DEBUG_PORT, (u8)*s);
}

static void print_number(u32 value)
{
	u32 power = 1;

	while (value / power >= 10)
		power *= 10;
	for (; power; power /= 10)
		outb(DEBUG_PORT, (u8)('0' + value / power % 10));
}

/**
 * rom_count_print() - print each call that was made
 */
REGPARM void rom_count_print(void)
{
	const u32 *counts = (const u32 *)(rom_data() + DATA_COUNTS);
	const char *name = (const char *)rom_address(count_names);
	const char *title = (const char *)rom_address(count_title);
	u32 nr;

	for (nr = 0; nr < VMI_CALL_NR; nr++) {
		if (counts[nr]) {
			print_string(title);
			print_number(nr);
			outb(DEBUG_PORT, ' ');
			print_string(name);
			outb(DEBUG_PORT, ' ');
			print_number(counts[nr]);
			outb(DEBUG_PORT, '\n');
		}
		while (*name++)
			;
	}
}
