/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a checked VMI ROM is, and what can be wrong with one.
 *
 * Owns: the description of a usable ROM, the list of faults.
 * Not here: printing (`probe.c`); calls into the ROM (`call.h`).
 * Compiles in the kernel and on the host.
 */
#ifndef _VMI_ROM_H
#define _VMI_ROM_H

#include <linux/types.h>
#include <asm/vmi.h>

/* Where a hole may begin: below, too little is left for lowmem and vmalloc. */
#define VMI_TOP_MIN	0xf0000000u
#define VMI_TOP_MAX	0xffc00000u
#define VMI_TOP_ALIGN	0x00400000u

/*
 * X(fault, field, relation, effect): a note reads
 * "<field> <value> <relation> <bound>, <effect>".
 */
#define VMI_ROM_FAULTS(X)						\
	X(LENGTH_SHORT,	"length", "below header size", SKIPPED)		\
	X(LENGTH_LONG,	"length", "beyond window end", SKIPPED)		\
	X(CHECKSUM,	"checksum", "is not", SKIPPED)			\
	X(MAJOR,	"version major", "is not", SKIPPED)			\
	X(PCI_NONE,	"pci offset", "must not be", SKIPPED)	\
	X(PCI_RANGE,	"pci structure end", "beyond length", SKIPPED)	\
	X(PCI_ID,	"pci id", "is not", USED)			\
	X(PNP_RANGE,	"pnp structure end", "beyond length", SKIPPED)	\
	X(MAKER_RANGE,	"manufacturer offset", "beyond length", SKIPPED) \
	X(MAKER_END,	"manufacturer string at", "unterminated before length", SKIPPED) \
	X(PRODUCT_RANGE, "product offset", "beyond length", SKIPPED)	\
	X(PRODUCT_END,	"product string at", "unterminated before length", SKIPPED) \
	X(LICENCE_NONE,	"licence offset", "must not be", SKIPPED)	\
	X(LICENCE_RANGE, "licence offset", "beyond length", SKIPPED)	\
	X(LICENCE_END,	"licence string at", "unterminated before length", SKIPPED) \
	X(LICENCE_TEXT,	"licence", "is neither \"GPL\" nor", SKIPPED)	\
	X(TOP_LOW,	"virtual_top", "below", SKIPPED)		\
	X(TOP_HIGH,	"virtual_top", "above", SKIPPED)		\
	X(TOP_ALIGN,	"virtual_top", "not a multiple of", SKIPPED)

#define VMI_ROM_FAULT_ENUM(fault, field, relation, effect) VMI_ROM_##fault,
enum vmi_rom_fault {
	VMI_ROM_FAULTS(VMI_ROM_FAULT_ENUM)
};
#undef VMI_ROM_FAULT_ENUM

/**
 * struct vmi_rom - a ROM that passed every check
 * @start: its first byte in the window that was searched
 * @phys: physical address of @start
 * @length: bytes
 * @virtual_top: lowest linear address the ROM keeps for itself; 0 = none
 * @pci_id: vendor << 16 | device
 * @manufacturer: terminated inside the image, or "UNKNOWN"
 * @product: terminated inside the image, or "UNKNOWN"
 */
struct vmi_rom {
	const u8	*start;
	u32		phys;
	u32		length;
	u32		virtual_top;
	u32		pci_id;
	u8		api_major, api_minor;
	u8		rom_major, rom_minor;
	const char	*manufacturer;
	const char	*product;
};

/**
 * struct vmi_rom_note - one thing that is wrong with a ROM
 * @fault: which
 * @phys: physical address of the ROM
 * @field, @relation: words for the log
 * @value: found
 * @bound: what @value was compared with
 * @text: the string found, where the field is one; then @value and @bound are 0
 * @skipped: the ROM is not used
 */
struct vmi_rom_note {
	enum vmi_rom_fault fault;
	u32		phys;
	const char	*field;
	const char	*relation;
	u32		value;
	u32		bound;
	const char	*text;
	bool		skipped;
};

typedef void (*vmi_rom_note_fn)(void *ctx, const struct vmi_rom_note *note);

int vmi_rom_find(const u8 *win, size_t len, u32 phys, struct vmi_rom *out,
		 vmi_rom_note_fn note, void *ctx);

#endif /* _VMI_ROM_H */
