// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs blocks.
 *
 * Owns: calling generated code with given registers, the time stamps around it.
 * Source: SDM volume 2, RDTSCP: later instructions may begin before it has read;
 *	LFENCE waits for it.
 */
#include "forms.h"

/**
 * block_run() - run a block once
 * @block: from `block_emit()`
 * @state: registers before, and after; CF is set before
 */
void block_run(const u8 *block, struct site_state *state)
{
	asm volatile("stc\n"
		     "	call	*%[block]\n"
		     "	pushf\n"
		     "	pop	%[flags]\n"
		     : "+a" (state->eax), "+d" (state->edx), [flags] "=&S" (state->flags)
		     : [block] "D" (block) : "ecx", "memory", "cc");
}

static inline uint64_t now(void)
{
	uint32_t low, high;

	asm volatile("rdtscp; lfence" : "=a" (low), "=d" (high) : : "ecx", "memory");
	return (uint64_t)high << 32 | low;
}

/**
 * block_time() - ticks of the time-stamp counter that a block takes
 * @block: from `block_emit()`
 * @eax: before it
 * @edx: before it
 */
uint64_t block_time(const u8 *block, uint32_t eax, uint32_t edx)
{
	struct site_state state = { .eax = eax, .edx = edx };
	uint64_t start = now();

	block_run(block, &state);
	return now() - start;
}
