/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's op functions: vmi_<group>_<slot>() for each `FN` and `ASM` line of the op list.
 *
 * Owns: their prototypes, expanded from the list.
 * Not here: what they do.
 */
#ifndef _VMI_OPS_H
#define _VMI_OPS_H

#include <asm/paravirt.h>

#define VMI_PROTO_SAME(...)
#define VMI_PROTO_ROM(...)
#define VMI_PROTO_FN(group, slot, result, params)			\
	PV_CTYPE_##result vmi_##group##_##slot(PV_DECL params);
#define VMI_PROTO_ASM	VMI_PROTO_FN

#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	VMI_PROTO_##vmi(group, slot, result, params)
#include <asm/pv_list.h>

#endif /* _VMI_OPS_H */
