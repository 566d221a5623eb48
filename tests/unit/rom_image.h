/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds option-ROM space with VMI ROMs in it.
 */
#ifndef _UNIT_ROM_IMAGE_H
#define _UNIT_ROM_IMAGE_H

#include <linux/types.h>
#include <asm/vmi.h>

/* Where the pieces of the standard image are. */
#define IMG_SIZE	1024
#define IMG_LICENCE	0x100
#define IMG_PCI		0x110
#define IMG_PNP		0x130
#define IMG_MAKER	0x160
#define IMG_PRODUCT	0x170

void rom_image_fill(u8 *at);
void rom_image_fix_sum(u8 *at, size_t len);

#endif /* _UNIT_ROM_IMAGE_H */
