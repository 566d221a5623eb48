/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's fixed-size types, for freestanding builds of shared headers.
 *
 * Owns: u8 to u64 and size_t, so that `include/asm/vmi.h` compiles in a ROM.
 * Not here: anything else that the kernel's header of this name has.
 */
#ifndef _ROM_LINUX_TYPES_H
#define _ROM_LINUX_TYPES_H

typedef unsigned char		u8;
typedef unsigned short		u16;
typedef unsigned int		u32;
typedef unsigned long long	u64;
typedef __SIZE_TYPE__		size_t;

#endif /* _ROM_LINUX_TYPES_H */
