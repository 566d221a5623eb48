// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds and checks the VMI ROM.
 *
 * Owns: the scan of option-ROM space and every check of an image.
 * Not here: the log lines (`probe.c`), calls into the ROM (`call.h`).
 * Runs: once, on the boot CPU, and on the host under test.
 * Fails: reports a note per fault through a callback and looks further.
 */
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/types.h>

#include "rom.h"

#define SKIPPED	true
#define USED	false

static const struct {
	const char *field;
	const char *relation;
	bool skipped;
} faults[] = {
#define VMI_ROM_FAULT_ROW(fault, field, relation, effect) \
	[VMI_ROM_##fault] = { field, relation, effect },
	VMI_ROM_FAULTS(VMI_ROM_FAULT_ROW)
};

/* One image under examination. */
struct image {
	const u8 *start;
	u32 phys;
	u32 length;		/* bytes, once known to be inside the window */
	vmi_rom_note_fn note;
	void *ctx;
};

static bool fault_text(const struct image *img, enum vmi_rom_fault fault,
		       u32 value, u32 bound, const char *text)
{
	struct vmi_rom_note note = {
		.fault = fault,
		.phys = img->phys,
		.field = faults[fault].field,
		.relation = faults[fault].relation,
		.value = value,
		.bound = bound,
		.text = text,
		.skipped = faults[fault].skipped,
	};

	img->note(img->ctx, &note);
	return false;
}

static bool fault(const struct image *img, enum vmi_rom_fault fault,
		  u32 value, u32 bound)
{
	return fault_text(img, fault, value, bound, NULL);
}

static const struct vmi_rom_header *header(const struct image *img)
{
	return (const void *)img->start;
}

static bool check_length(struct image *img, size_t room)
{
	u32 length = header(img)->length * VMI_LENGTH_UNIT;

	if (length < VMI_HEADER_SIZE)
		return fault(img, VMI_ROM_LENGTH_SHORT, length, VMI_HEADER_SIZE);
	if (length > room)
		return fault(img, VMI_ROM_LENGTH_LONG, length, room);
	img->length = length;
	return true;
}

static bool check_sum(const struct image *img)
{
	u8 sum = 0;
	u32 i;

	for (i = 0; i < img->length; i++)
		sum += img->start[i];
	return sum == 0 || fault(img, VMI_ROM_CHECKSUM, sum, 0);
}

/*
 * Majors 4 to 13 are an older, incompatible family: equality. The minor may grow
 * without telling us.
 */
static bool check_version(const struct image *img, struct vmi_rom *rom)
{
	rom->api_major = header(img)->api_major;
	rom->api_minor = header(img)->api_minor;
	return rom->api_major == VMI_API_MAJOR ||
	       fault(img, VMI_ROM_MAJOR, rom->api_major, VMI_API_MAJOR);
}

static bool check_pci(const struct image *img, struct vmi_rom *rom)
{
	const u32 want = VMI_PCI_VENDOR << 16 | VMI_PCI_DEVICE;
	u32 offset = header(img)->pci;
	u32 end = offset + sizeof(struct vmi_rom_pci);
	const struct vmi_rom_pci *pci;

	if (!offset)
		return fault(img, VMI_ROM_PCI_NONE, offset, 0);
	if (end > img->length)
		return fault(img, VMI_ROM_PCI_RANGE, end, img->length);

	pci = (const void *)(img->start + offset);
	rom->rom_major = pci->rom_major;
	rom->rom_minor = pci->rom_minor;
	rom->pci_id = (u32)pci->vendor << 16 | pci->device;
	if (rom->pci_id != want)
		fault(img, VMI_ROM_PCI_ID, rom->pci_id, want);
	return true;
}

/* A string inside the image; NULL after a note. */
static const char *string(const struct image *img, u32 offset,
			  enum vmi_rom_fault range, enum vmi_rom_fault end)
{
	const u8 *text = img->start + offset;

	if (offset >= img->length) {
		fault(img, range, offset, img->length);
		return NULL;
	}
	if (!memchr(text, 0, img->length - offset)) {
		fault(img, end, offset, img->length);
		return NULL;
	}
	return (const char *)text;
}

static bool check_names(const struct image *img, struct vmi_rom *rom)
{
	u32 offset = header(img)->pnp;
	u32 end = offset + sizeof(struct vmi_rom_pnp);
	const struct vmi_rom_pnp *pnp;

	rom->manufacturer = "UNKNOWN";
	rom->product = "UNKNOWN";
	if (!offset)
		return true;
	if (end > img->length)
		return fault(img, VMI_ROM_PNP_RANGE, end, img->length);

	pnp = (const void *)(img->start + offset);
	if (pnp->manufacturer)
		rom->manufacturer = string(img, pnp->manufacturer,
					   VMI_ROM_MAKER_RANGE, VMI_ROM_MAKER_END);
	if (pnp->product)
		rom->product = string(img, pnp->product,
				      VMI_ROM_PRODUCT_RANGE, VMI_ROM_PRODUCT_END);
	return rom->manufacturer && rom->product;
}

static bool check_licence(const struct image *img)
{
	u32 offset = header(img)->licence;
	const char *text;

	if (!offset)
		return fault(img, VMI_ROM_LICENCE_NONE, offset, 0);
	text = string(img, offset, VMI_ROM_LICENCE_RANGE, VMI_ROM_LICENCE_END);
	if (!text)
		return false;
	return !strcmp(text, VMI_LICENCE_GPL) || !strcmp(text, VMI_LICENCE_GPL_V2) ||
	       fault_text(img, VMI_ROM_LICENCE_TEXT, 0, 0, text);
}

static bool check_top(const struct image *img, struct vmi_rom *rom)
{
	u32 top = header(img)->virtual_top;

	rom->virtual_top = top;
	if (!top)
		return true;
	if (top < VMI_TOP_MIN)
		return fault(img, VMI_ROM_TOP_LOW, top, VMI_TOP_MIN);
	if (top > VMI_TOP_MAX)
		return fault(img, VMI_ROM_TOP_HIGH, top, VMI_TOP_MAX);
	return top % VMI_TOP_ALIGN == 0 ||
	       fault(img, VMI_ROM_TOP_ALIGN, top, VMI_TOP_ALIGN);
}

static bool is_vmi(const u8 *p)
{
	const struct vmi_rom_header *hdr = (const void *)p;

	return hdr->rom_signature == VMI_ROM_SIGNATURE &&
	       hdr->signature == VMI_SIGNATURE;
}

static bool check(struct image *img, size_t room, struct vmi_rom *rom)
{
	rom->start = img->start;
	rom->phys = img->phys;
	if (!check_length(img, room))
		return false;
	rom->length = img->length;
	return check_sum(img) && check_version(img, rom) && check_pci(img, rom) &&
	       check_names(img, rom) && check_licence(img) && check_top(img, rom);
}

/**
 * vmi_rom_find() - find a usable VMI ROM
 * @win: first byte of option-ROM space, mapped readable
 * @len: its size in bytes, a multiple of 2048
 * @phys: physical address of @win, for notes and @out
 * @out: the ROM on success; untouched on failure
 * @note: called for each fault found, before the scan goes on
 * @ctx: first argument of @note
 *
 * The first ROM that passes every check wins. Looks at each multiple of 2048, and
 * also inside a ROM that was skipped. Nothing outside @win is read, nothing written.
 *
 * Context: any; takes no lock, does not sleep.
 * Source: VMI specification 2.0, part 4; API 3.0 as historical guests checked it,
 *         and bounds that those did not check.
 * Return: 0; -EINVAL if @len is no such multiple; -ENOENT if nothing carries the
 *         VMI signature; -EBADMSG if something does and no ROM passes.
 */
int vmi_rom_find(const u8 *win, size_t len, u32 phys, struct vmi_rom *out,
		 vmi_rom_note_fn note, void *ctx)
{
	int ret = -ENOENT;
	size_t off;

	if (!len || len % VMI_SCAN_STEP)
		return -EINVAL;

	for (off = 0; off < len; off += VMI_SCAN_STEP) {
		struct image img = {
			.start = win + off, .phys = phys + off,
			.note = note, .ctx = ctx,
		};
		struct vmi_rom rom = { };

		if (!is_vmi(img.start))
			continue;
		if (check(&img, len - off, &rom)) {
			*out = rom;
			return 0;
		}
		ret = -EBADMSG;
	}
	return ret;
}
