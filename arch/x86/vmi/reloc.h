/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ROM's answers to GetRelocationInfo mean for this kernel.
 *
 * Owns: validity of an answer, the list of calls a lowered ring cannot miss.
 * Not here: asking (`activate.c`), binding (`bind.c`).
 * Compiles in the kernel and on the host.
 */
#ifndef _VMI_RELOC_H
#define _VMI_RELOC_H

#include <linux/types.h>
#include <asm/vmi.h>

/**
 * struct vmi_range - linear addresses at which ROM code may be
 * @start, @end: the ROM; @end is exclusive
 * @hole: first address of the hole, which reaches up to 4 GiB; 0 = none
 */
struct vmi_range {
	u32 start;
	u32 end;
	u32 hole;
};

enum vmi_reloc_fault {
	VMI_RELOC_GOOD,
	VMI_RELOC_UNKNOWN_TYPE,
	VMI_RELOC_OUTSIDE,		/* target neither in the ROM nor in the hole */
	VMI_RELOC_NO_FUNCTION,		/* JUMP for something that returns */
};

bool vmi_range_has(const struct vmi_range *range, u32 address);
enum vmi_reloc_fault vmi_reloc_check(const struct vmi_range *range, unsigned int call,
				     u64 answer, struct vmi_reloc *out);
int vmi_reloc_missing(const struct vmi_reloc *reloc, bool pae);
int vmi_reloc_timer_missing(const struct vmi_reloc *reloc);

#endif /* _VMI_RELOC_H */
