// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMI ROM that passes every check.
 *
 * Owns: its bytes, written out field by field from the ABI.
 */
#include <string.h>

#include "rom_image.h"

/**
 * rom_image_fix_sum() - make the byte sum zero through the image's last byte
 * @at: image
 * @len: bytes, at least 1
 */
void rom_image_fix_sum(u8 *at, size_t len)
{
	u8 sum = 0;
	size_t i;

	at[len - 1] = 0;
	for (i = 0; i < len; i++)
		sum += at[i];
	at[len - 1] = -sum;
}

/**
 * rom_image_fill() - write the standard image
 * @at: IMG_SIZE bytes
 */
void rom_image_fill(u8 *at)
{
	struct vmi_rom_header *hdr = (void *)at;
	struct vmi_rom_pci *pci = (void *)(at + IMG_PCI);
	struct vmi_rom_pnp *pnp = (void *)(at + IMG_PNP);

	memset(at, 0, IMG_SIZE);
	hdr->rom_signature = VMI_ROM_SIGNATURE;
	hdr->length = IMG_SIZE / VMI_LENGTH_UNIT;
	hdr->signature = VMI_SIGNATURE;
	hdr->api_major = 3;
	hdr->licence = IMG_LICENCE;
	hdr->pci = IMG_PCI;
	hdr->pnp = IMG_PNP;
	strcpy((char *)at + IMG_LICENCE, "GPL v2");
	memcpy(pci->signature, "PCIR", 4);
	pci->vendor = VMI_PCI_VENDOR;
	pci->device = VMI_PCI_DEVICE;
	pci->rom_major = 2;
	pci->rom_minor = 7;
	memcpy(pnp->signature, "$PnP", 4);
	pnp->manufacturer = IMG_MAKER;
	pnp->product = IMG_PRODUCT;
	strcpy((char *)at + IMG_MAKER, "Maker");
	strcpy((char *)at + IMG_PRODUCT, "Product");
	rom_image_fix_sum(at, IMG_SIZE);
}
