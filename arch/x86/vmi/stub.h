/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Size of a stub, shared by `stubs.S` and `bind.c`.
 */
#ifndef _VMI_STUB_H
#define _VMI_STUB_H

#define VMI_STUB_SIZE	8
#define VMI_IRET_CALL	5	/* bytes of the call in vmi_irq_iret */

#endif /* _VMI_STUB_H */
