// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides what an answer of GetRelocationInfo is good for.
 *
 * Owns: see `reloc.h`.
 * Not here: side effects of any kind.
 * Runs: at activation, and on the host under test.
 * Fails: an answer that cannot be used becomes NONE.
 */
#include <linux/kernel.h>
#include <linux/types.h>

#include "reloc.h"

/**
 * vmi_range_has() - may ROM code be at this address?
 * @range: where the bound ROM is
 * @address: linear
 *
 * Return: true inside the ROM and at or above the hole's start.
 */
bool vmi_range_has(const struct vmi_range *range, u32 address)
{
	return (address >= range->start && address < range->end) ||
	       (range->hole && address >= range->hole);
}

static enum vmi_reloc_fault fault_of(const struct vmi_range *range, unsigned int call,
				     const struct vmi_reloc *reloc)
{
	switch (reloc->type) {
	case VMI_RELOC_NONE:
	case VMI_RELOC_NOP:
		return VMI_RELOC_GOOD;
	case VMI_RELOC_JUMP_REL:
		/*
		 * Sites are called through the table, so that only what never
		 * returns can be entered by a jump. SYSEXIT is not used, but
		 * this is a good answer for it.
		 */
		if (call != VMI_CALL_IRET && call != VMI_CALL_SYSEXIT)
			return VMI_RELOC_NO_FUNCTION;
		break;
	case VMI_RELOC_CALL_REL:
		break;
	default:
		return VMI_RELOC_UNKNOWN_TYPE;
	}
	return vmi_range_has(range, reloc->eip) ? VMI_RELOC_GOOD : VMI_RELOC_OUTSIDE;
}

/**
 * vmi_reloc_check() - decode an answer and make it safe to act on
 * @range: where targets may be
 * @call: the number that was asked for
 * @answer: EDX:EAX of GetRelocationInfo
 * @out: the answer; type VMI_RELOC_NONE if it cannot be used. The target stays as it
 *       was answered, for the log.
 *
 * Return: what was wrong with it, VMI_RELOC_GOOD if nothing.
 */
enum vmi_reloc_fault vmi_reloc_check(const struct vmi_range *range, unsigned int call,
				     u64 answer, struct vmi_reloc *out)
{
	enum vmi_reloc_fault fault;

	*out = vmi_reloc_decode(answer);
	fault = fault_of(range, call, out);
	if (fault != VMI_RELOC_GOOD)
		out->type = VMI_RELOC_NONE;
	return fault;
}

/*
 * Calls whose native form silently fails or faults when the ring is not 0. Those
 * that only tell the ROM something may also be answered NOP.
 */
static const struct {
	u8 call;
	bool nop_will_do;
	enum { ANY, PAE, NO_PAE } kernel;
} required[] = {
	{ VMI_CALL_UpdateKernelStack, false, ANY },
	{ VMI_CALL_EnableInterrupts, false, ANY },
	{ VMI_CALL_DisableInterrupts, false, ANY },
	{ VMI_CALL_GetInterruptMask, false, ANY },
	{ VMI_CALL_IRET, false, ANY },
	{ VMI_CALL_SetPxE, false, NO_PAE },
	{ VMI_CALL_SetPxELong, false, PAE },
	{ VMI_CALL_UpdatePxE, false, NO_PAE },
	{ VMI_CALL_UpdatePxELong, false, PAE },
	{ VMI_CALL_AllocatePage, true, ANY },
	{ VMI_CALL_ReleasePage, true, ANY },
	{ VMI_CALL_SetLinearMapping, true, ANY },
};

static bool provided(const struct vmi_reloc *reloc, bool nop_will_do)
{
	return reloc->type == VMI_RELOC_CALL_REL || reloc->type == VMI_RELOC_JUMP_REL ||
	       (nop_will_do && reloc->type == VMI_RELOC_NOP);
}

/**
 * vmi_reloc_missing() - which call keeps the kernel from running at a lowered ring?
 * @reloc: VMI_CALL_NR checked answers
 * @pae: the kernel's page tables have 64-bit entries
 *
 * Return: the lowest number of a call that is required and not provided; -1 if none.
 */
int vmi_reloc_missing(const struct vmi_reloc *reloc, bool pae)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(required); i++) {
		if (required[i].kernel == (pae ? NO_PAE : PAE))
			continue;
		if (!provided(&reloc[required[i].call], required[i].nop_will_do))
			return required[i].call;
	}
	return -1;
}

/**
 * vmi_reloc_timer_missing() - can the ROM's timer be used?
 * @reloc: VMI_CALL_NR checked answers
 *
 * Return: the first of calls 66 to 70 that is not CALL; -1 if the timer is complete.
 */
int vmi_reloc_timer_missing(const struct vmi_reloc *reloc)
{
	int call;

	for (call = VMI_CALL_GetCycleFrequency; call <= VMI_CALL_GetWallclockTime; call++)
		if (reloc[call].type != VMI_RELOC_CALL_REL)
			return call;
	return -1;
}
