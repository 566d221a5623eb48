/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The front of every ROM: VMI header, PCI and PnP structures, strings.
 *
 * Owns: bytes 0 to 0x8f and what they point at.
 * Not here: length and checksums (`mkrom.py` fills them in), all code.
 * Runs: not at all, but for two jumps at 0x80 and 0x88.
 * Fails: -
 *
 * Source: VMI 3.0 header in `asm/vmi.h`; PCI Firmware Specification 3.0,
 * section 5.1; Plug and Play BIOS Specification 1.0A, section 3.2.
 */
#include "data.h"

#ifndef ROM_VIRTUAL_TOP
#define ROM_VIRTUAL_TOP	0
#endif

	.section .header, "ax"
	.globl	rom_start
rom_start:
	.word	VMI_ROM_SIGNATURE
	.byte	0			/* length: mkrom.py */
	.code16
	.byte	0xe9			/* jmp rel16, 3 bytes and a pad */
	.word	bios_init - (. + 2)
	.code32
	.byte	0
	.byte	0
	.long	VMI_SIGNATURE
	.byte	VMI_API_MINOR, VMI_API_MAJOR
	.byte	2			/* the two entries below */
	.byte	0
	.long	ROM_VIRTUAL_TOP
	.word	0
	.word	licence, pci, pnp
	.long	0
	.org	ROM_PHYS
	.long	0
	.org	ROM_DATA_DELTA
	.long	0
	.org	ROM_WORDS_END

	.org	VMI_ENTRY_INIT
	jmp	rom_init_entry
	.org	VMI_ENTRY_RELOC
	jmp	rom_reloc_entry
	.org	VMI_HEADER_SIZE

	.globl	licence, pci, pnp, manufacturer, product
pci:
	.ascii	"PCIR"
	.word	VMI_PCI_VENDOR, VMI_PCI_DEVICE
	.word	0, 24
	.byte	0
	.byte	0x00, 0x80, 0x05	/* memory controller, other */
	.word	0			/* image length: mkrom.py */
	.byte	0, 1			/* version 1.0 */
	.byte	0, 0x80
	.word	0
pnp:
	.ascii	"$PnP"
	.byte	1, 2
	.word	0
	.byte	0
	.byte	0			/* checksum: mkrom.py */
	.long	0
	.word	manufacturer, product
	.byte	0x00, 0x80, 0x05
	.byte	0
	.word	0, 0, 0, 0, 0
licence:
	.asciz	VMI_LICENCE_GPL_V2
manufacturer:
	.asciz	"vmi"
product:
	.asciz	ROM_PRODUCT
