/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a backend needs beyond the slots of `pv_ops`.
 *
 * Owns: the iret target and the lazy mode that a backend sets.
 * Not here: the table (`pv_types.h`), SAVE thunks (`pv_site.h`).
 */
#ifndef _ASM_X86_PV_BACKEND_H
#define _ASM_X86_PV_BACKEND_H

#include <linux/percpu-defs.h>
#include <asm/paravirt.h>

/* Set by the backend's lazy ops; read through paravirt_get_lazy_mode(). */
DECLARE_PER_CPU(enum paravirt_lazy_mode, pv_lazy_mode);

void paravirt_set_iret(void *target);

/* Where a faulting iret resumes: entry code that raises the fault for the user. */
extern const char pv_iret_fault[];

#endif /* _ASM_X86_PV_BACKEND_H */
