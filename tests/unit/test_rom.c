// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checks of a ROM: a row per rule, both sides of each bound.
 *
 * A row changes the standard image and says what must come out. The window is on the
 * heap with nothing behind it, so that ASan sees a read past it.
 */
#include <errno.h>

#include "rom.h"
#include "rom_image.h"
#include "unit.h"

#define WINDOW	8192
#define PHYS	0xc8000

/* What the callback saw, in order. */
static struct vmi_rom_note notes[8];
static unsigned int nr_notes;

static void take_note(void *ctx, const struct vmi_rom_note *note)
{
	assert_ptr_equal(ctx, notes);
	assert_true(nr_notes < ARRAY_SIZE(notes));
	notes[nr_notes++] = *note;
}

struct rom_case {
	const char *name;
	void (*change)(u8 *window);
	int want;
	u32 at;			/* offset of the ROM that was found */
	u32 note_at;		/* and of the one that the first note is about */
	unsigned int notes;
	enum vmi_rom_fault fault;	/* of the first note */
	u32 value, bound;
	const char *text;
};

#define HDR(window)	((struct vmi_rom_header *)(window))
#define CHANGE(name, ...)						\
	static void name(u8 *w)						\
	{								\
		struct vmi_rom_header *hdr = HDR(w);			\
		(void)hdr;						\
		__VA_ARGS__						\
		rom_image_fix_sum(w, IMG_SIZE);				\
	}

CHANGE(nothing, ;)
CHANGE(minor_200, hdr->api_minor = 200;)
CHANGE(major_2, hdr->api_major = 2;)
CHANGE(major_4, hdr->api_major = 4;)
CHANGE(major_13_3, hdr->api_major = 13; hdr->api_minor = 3;)
CHANGE(no_signature, hdr->rom_signature = 0xaa56;)
CHANGE(other_rom, hdr->signature = 0x696d5664;)
CHANGE(pci_0, hdr->pci = 0;)
CHANGE(pci_last, hdr->pci = IMG_SIZE - 25; memcpy(w + hdr->pci, w + IMG_PCI, 24);)
CHANGE(pci_past, hdr->pci = IMG_SIZE - 23;)
CHANGE(pci_far, hdr->pci = 0xffff;)
CHANGE(pci_vendor, ((struct vmi_rom_pci *)(w + IMG_PCI))->vendor = 0x8086;)
CHANGE(pci_device, ((struct vmi_rom_pci *)(w + IMG_PCI))->device = 0x0802;)
CHANGE(pnp_0, hdr->pnp = 0;)
CHANGE(pnp_past, hdr->pnp = IMG_SIZE - 31;)
CHANGE(pnp_far, hdr->pnp = 0xfff0;)
CHANGE(maker_0, ((struct vmi_rom_pnp *)(w + IMG_PNP))->manufacturer = 0;)
CHANGE(maker_far, ((struct vmi_rom_pnp *)(w + IMG_PNP))->manufacturer = IMG_SIZE;)
CHANGE(product_far, ((struct vmi_rom_pnp *)(w + IMG_PNP))->product = 0xffff;)
CHANGE(licence_gpl, strcpy((char *)w + IMG_LICENCE, "GPL");)
CHANGE(licence_other, strcpy((char *)w + IMG_LICENCE, "Proprietary");)
CHANGE(licence_gpl_v3, strcpy((char *)w + IMG_LICENCE, "GPL v3");)
CHANGE(licence_longer, strcpy((char *)w + IMG_LICENCE, "GPL v2 or later");)
CHANGE(licence_lower, strcpy((char *)w + IMG_LICENCE, "gpl");)
CHANGE(licence_empty, w[IMG_LICENCE] = 0;)
CHANGE(licence_0, hdr->licence = 0;)
CHANGE(licence_far, hdr->licence = IMG_SIZE;)
CHANGE(top_low_bound, hdr->virtual_top = 0xf0000000;)
CHANGE(top_high_bound, hdr->virtual_top = 0xffc00000;)
CHANGE(top_64m, hdr->virtual_top = 0xfc000000;)
CHANGE(top_too_low, hdr->virtual_top = 0xefc00000;)
CHANGE(top_too_high, hdr->virtual_top = 0xffc01000;)
CHANGE(top_unaligned, hdr->virtual_top = 0xfc200000;)
CHANGE(top_4k, hdr->virtual_top = 0xfc001000;)

static void length_0(u8 *w)
{
	HDR(w)->length = 0;
}

static void checksum_1(u8 *w)
{
	w[IMG_SIZE - 2]++;
}

/* The largest length that fits, and one unit more. */
static void length_window(u8 *w)
{
	HDR(w)->length = WINDOW / VMI_LENGTH_UNIT;
	rom_image_fix_sum(w, WINDOW);
}

static void length_beyond(u8 *w)
{
	HDR(w)->length = WINDOW / VMI_LENGTH_UNIT + 1;
}

/* Bytes up to the end of the image, none of them 0. */
static void no_end(u8 *w, u16 offset)
{
	u8 sum = 0;
	int i;

	memset(w + offset, 1, IMG_SIZE - offset);
	for (i = 0; i < IMG_SIZE; i++)
		sum += w[i];
	w[IMG_SIZE - 1] -= sum;
	if (!w[IMG_SIZE - 1]) {
		w[IMG_SIZE - 1] = 1;
		w[IMG_SIZE - 2] -= 1;
		if (!w[IMG_SIZE - 2])
			fail_msg("pick another filler");
	}
}

static void maker_no_end(u8 *w)
{
	((struct vmi_rom_pnp *)(w + IMG_PNP))->manufacturer = 0x3f0;
	no_end(w, 0x3f0);
}

static void product_no_end(u8 *w)
{
	((struct vmi_rom_pnp *)(w + IMG_PNP))->product = 0x3f0;
	no_end(w, 0x3f0);
}

static void licence_no_end(u8 *w)
{
	HDR(w)->licence = 0x3f0;
	no_end(w, 0x3f0);
}

/* A string whose terminator is the image's last byte. */
static void maker_ends_last(u8 *w)
{
	int i;
	u8 sum = 0;

	((struct vmi_rom_pnp *)(w + IMG_PNP))->manufacturer = IMG_SIZE - 3;
	memcpy(w + IMG_SIZE - 3, "AB", 3);
	w[0x200] = 0;
	for (i = 0; i < IMG_SIZE; i++)
		sum += w[i];
	w[0x200] = -sum;
}

static void nowhere(u8 *w) { memset(w, 0xff, WINDOW); }

static void move(u8 *w, u32 to)
{
	memmove(w + to, w, IMG_SIZE);
	memset(w, 0xff, to);
}

static void last_step(u8 *w) { move(w, WINDOW - VMI_SCAN_STEP); }
static void off_step(u8 *w) { move(w, 512); }

static void last_step_too_long(u8 *w)
{
	HDR(w)->length = 5;
	last_step(w);
}

static void first_is_bad(u8 *w)
{
	memcpy(w + VMI_SCAN_STEP, w, IMG_SIZE);
	checksum_1(w);
}

static void both_good(u8 *w)
{
	memcpy(w + VMI_SCAN_STEP, w, IMG_SIZE);
	w[VMI_SCAN_STEP + IMG_MAKER] = 'X';
	rom_image_fix_sum(w + VMI_SCAN_STEP, IMG_SIZE);
}

#define GOOD(name_)	{ .name = "accepts_" #name_, .change = name_ }
#define NONE(name_)	{ .name = "ignores_" #name_, .change = name_, .want = -ENOENT }
#define BAD(name_, fault_, value_, bound_, ...) {			\
	.name = "rejects_" #name_, .change = name_, .want = -EBADMSG,	\
	.notes = 1, .fault = VMI_ROM_##fault_, .value = value_, .bound = bound_, \
	__VA_ARGS__ }
#define ODD(name_, fault_, value_, bound_, ...) {			\
	.name = "tolerates_" #name_, .change = name_,			\
	.notes = 1, .fault = VMI_ROM_##fault_, .value = value_, .bound = bound_, \
	__VA_ARGS__ }

static const struct rom_case rom_cases[] = {
	GOOD(nothing),
	GOOD(minor_200),
	GOOD(length_window),
	GOOD(pci_last),
	GOOD(pnp_0),
	GOOD(maker_0),
	GOOD(maker_ends_last),
	GOOD(licence_gpl),
	GOOD(top_low_bound),
	GOOD(top_high_bound),
	GOOD(top_64m),
	GOOD(both_good),
	{ .name = "accepts_last_step", .change = last_step, .at = WINDOW - VMI_SCAN_STEP },
	ODD(pci_vendor, PCI_ID, 0x80860801, 0x15ad0801),
	ODD(pci_device, PCI_ID, 0x15ad0802, 0x15ad0801),
	ODD(first_is_bad, CHECKSUM, 1, 0, .at = VMI_SCAN_STEP),
	NONE(nowhere),
	NONE(no_signature),
	NONE(other_rom),
	NONE(off_step),
	BAD(length_0, LENGTH_SHORT, 0, 144),
	BAD(length_beyond, LENGTH_LONG, WINDOW + 512, WINDOW),
	BAD(last_step_too_long, LENGTH_LONG, 2560, 2048, .note_at = WINDOW - VMI_SCAN_STEP),
	BAD(checksum_1, CHECKSUM, 1, 0),
	BAD(major_2, MAJOR, 2, 3),
	BAD(major_4, MAJOR, 4, 3),
	BAD(major_13_3, MAJOR, 13, 3),
	BAD(pci_0, PCI_NONE, 0, 0),
	BAD(pci_past, PCI_RANGE, IMG_SIZE + 1, IMG_SIZE),
	BAD(pci_far, PCI_RANGE, 0xffff + 24, IMG_SIZE),
	BAD(pnp_past, PNP_RANGE, IMG_SIZE + 1, IMG_SIZE),
	BAD(pnp_far, PNP_RANGE, 0xfff0 + 32, IMG_SIZE),
	BAD(maker_far, MAKER_RANGE, IMG_SIZE, IMG_SIZE),
	BAD(maker_no_end, MAKER_END, 0x3f0, IMG_SIZE),
	BAD(product_far, PRODUCT_RANGE, 0xffff, IMG_SIZE),
	BAD(product_no_end, PRODUCT_END, 0x3f0, IMG_SIZE),
	BAD(licence_0, LICENCE_NONE, 0, 0),
	BAD(licence_far, LICENCE_RANGE, IMG_SIZE, IMG_SIZE),
	BAD(licence_no_end, LICENCE_END, 0x3f0, IMG_SIZE),
	BAD(licence_other, LICENCE_TEXT, 0, 0, .text = "Proprietary"),
	BAD(licence_gpl_v3, LICENCE_TEXT, 0, 0, .text = "GPL v3"),
	BAD(licence_longer, LICENCE_TEXT, 0, 0, .text = "GPL v2 or later"),
	BAD(licence_lower, LICENCE_TEXT, 0, 0, .text = "gpl"),
	BAD(licence_empty, LICENCE_TEXT, 0, 0, .text = ""),
	BAD(top_too_low, TOP_LOW, 0xefc00000, 0xf0000000),
	BAD(top_too_high, TOP_HIGH, 0xffc01000, 0xffc00000),
	BAD(top_unaligned, TOP_ALIGN, 0xfc200000, 0x400000),
	BAD(top_4k, TOP_ALIGN, 0xfc001000, 0x400000),
};

static void check_note(const struct rom_case *row)
{
	const struct vmi_rom_note *note = &notes[0];

	assert_int_equal(note->fault, row->fault);
	assert_int_equal(note->phys, PHYS + row->note_at);
	assert_int_equal(note->skipped, row->fault != VMI_ROM_PCI_ID);
	assert_non_null(note->field);
	assert_non_null(note->relation);
	assert_int_equal(note->value, row->value);
	assert_int_equal(note->bound, row->bound);
	if (row->text)
		assert_string_equal(note->text, row->text);
	else
		assert_null(note->text);
}

static void run_row(void **state)
{
	const struct rom_case *row = *state;
	static const struct vmi_rom untouched = { .phys = 0x5a5a5a5a };
	struct vmi_rom rom = untouched;
	u8 *window = malloc(WINDOW), *before = malloc(WINDOW);
	int ret;

	memset(window, 0xff, WINDOW);
	rom_image_fill(window);
	row->change(window);
	memcpy(before, window, WINDOW);
	nr_notes = 0;

	ret = vmi_rom_find(window, WINDOW, PHYS, &rom, take_note, notes);

	assert_int_equal(ret, row->want);
	assert_memory_equal(window, before, WINDOW);
	assert_int_equal(nr_notes, row->notes);
	if (row->notes)
		check_note(row);
	if (ret) {
		assert_memory_equal(&rom, &untouched, sizeof(rom));
	} else {
		assert_int_equal(rom.phys, PHYS + row->at);
		assert_ptr_equal(rom.start, window + row->at);
	}
	free(window);
	free(before);
}

static void describes_what_it_found(void **state)
{
	u8 *window = malloc(2048);
	struct vmi_rom rom;

	memset(window, 0xff, 2048);
	rom_image_fill(window);
	HDR(window)->api_minor = 9;
	HDR(window)->virtual_top = 0xfc000000;
	rom_image_fix_sum(window, IMG_SIZE);
	assert_int_equal(vmi_rom_find(window, 2048, 0xde000, &rom, take_note, notes), 0);
	assert_int_equal(rom.phys, 0xde000);
	assert_int_equal(rom.length, IMG_SIZE);
	assert_int_equal(rom.api_major, 3);
	assert_int_equal(rom.api_minor, 9);
	assert_int_equal(rom.rom_major, 2);
	assert_int_equal(rom.rom_minor, 7);
	assert_int_equal(rom.virtual_top, 0xfc000000);
	assert_int_equal(rom.pci_id, 0x15ad0801);
	assert_string_equal(rom.manufacturer, "Maker");
	assert_string_equal(rom.product, "Product");
	free(window);
}

static void names_default_to_unknown(void **state)
{
	u8 *window = malloc(2048);
	struct vmi_rom rom;

	rom_image_fill(window);
	memset(window + IMG_SIZE, 0, 2048 - IMG_SIZE);
	pnp_0(window);
	assert_int_equal(vmi_rom_find(window, 2048, 0xde000, &rom, take_note, notes), 0);
	assert_string_equal(rom.manufacturer, "UNKNOWN");
	assert_string_equal(rom.product, "UNKNOWN");
	free(window);
}

static void refuses_odd_windows(void **state)
{
	static const size_t sizes[] = { 0, 1, 2047, 2049, 4095 };
	u8 *window = calloc(1, 4096);
	struct vmi_rom rom;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		assert_int_equal(vmi_rom_find(window, sizes[i], 0, &rom, take_note, notes),
				 -EINVAL);
	free(window);
}

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(rom_cases) + 3] = {
		cmocka_unit_test(describes_what_it_found),
		cmocka_unit_test(names_default_to_unknown),
		cmocka_unit_test(refuses_odd_windows),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rom_cases); i++)
		tests[3 + i] = (struct CMUnitTest){
			.name = rom_cases[i].name, .test_func = run_row,
			.initial_state = (void *)&rom_cases[i],
		};
	return cmocka_run_group_tests_name("rom", tests, NULL, NULL);
}
