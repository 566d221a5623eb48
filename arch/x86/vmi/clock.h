/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ROM's clocks, between `clock.c` and `time.c`.
 */
#ifndef _VMI_CLOCK_H
#define _VMI_CLOCK_H

#include <linux/types.h>

u32 vmi_khz(void);
u64 vmi_real_cycles(void);
bool vmi_clock_init(void);
void vmi_clock_apply(void);

#endif /* _VMI_CLOCK_H */
