/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The stubs, shared by `stubs.S` and `bind.c`.
 */
#ifndef _VMI_STUB_H
#define _VMI_STUB_H

#define VMI_STUB_SIZE	8
#define VMI_IRET_CALL	5	/* bytes of the call in vmi_irq_iret */

#ifndef __ASSEMBLY__
#include <linux/types.h>
#include <asm/vmi.h>

extern u8 vmi_stubs[VMI_CALL_NR][VMI_STUB_SIZE];

/* In the slot irq.save_fl: says "disabled". */
void vmi_no_flags(void);
#endif

#endif /* _VMI_STUB_H */
