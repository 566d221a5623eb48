// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the ROM, binds it, and asks for every number.
 *
 * Owns: rows that all other tests depend on.
 * Not here: calls.
 * Runs: first.
 * Fails: without a ROM there is nothing to test: "Bail out!".
 */
#include "guest.h"

u32 rom_base, rom_length, rom_top;

extern u32 vif_set, vif_get;
asm("vif_unknown: xor %eax, %eax\n"
    "	ret\n");
extern const char vif_unknown[];

static const struct vmi_rom_header *header(void)
{
	return (const struct vmi_rom_header *)rom_base;
}

static const char *find(void)
{
	u32 at;

	for (at = VMI_SCAN_START; at < VMI_SCAN_END; at += VMI_SCAN_STEP) {
		rom_base = at + GUEST_OFFSET;
		if (header()->rom_signature == VMI_ROM_SIGNATURE &&
		    header()->signature == VMI_SIGNATURE)
			break;
	}
	if (at >= VMI_SCAN_END) {
		print("Bail out! no VMI ROM in option-ROM space\n");
		guest_exit(0x11);
	}
	rom_length = header()->length * VMI_LENGTH_UNIT;
	rom_top = header()->virtual_top;
	print("# ROM at ");
	print_hex(at);
	print(", virtual_top ");
	print_hex(header()->virtual_top);
	print("\n");
	CHECK(header()->api_major == VMI_API_MAJOR, "API major is not 3");
	return NULL;
}

static const char *checksum(void)
{
	const u8 *byte = (const u8 *)rom_base;
	u8 sum = 0;
	u32 i;

	for (i = 0; i < rom_length; i++)
		sum += byte[i];
	CHECK(rom_length && sum == 0, "byte sum is not 0");
	return NULL;
}

static int same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

static const char *linked(void)
{
	const struct vmi_rom_pci *pci = (void *)(rom_base + header()->pci);
	const struct vmi_rom_pnp *pnp = (void *)(rom_base + header()->pnp);
	const u8 *byte = (const u8 *)pnp;
	u8 sum = 0;
	u32 i;

	CHECK(header()->pci && pci->vendor == VMI_PCI_VENDOR &&
	      pci->device == VMI_PCI_DEVICE, "PCI ids");
	CHECK(pci->image_length == header()->length, "PCI image length");
	for (i = 0; i < sizeof(*pnp); i++)
		sum += byte[i];
	CHECK(header()->pnp && sum == 0, "PnP checksum");
	CHECK(pnp->manufacturer && pnp->product, "PnP strings");
	CHECK(same((const char *)rom_base + header()->licence,
		   VMI_LICENCE_GPL_V2), "licence string");
	return NULL;
}

/* IF is 0, and how to change it is not known from here on. */
static const char *init(void)
{
	const char *why = NULL;

	vif_set = vif_get = (u32)vif_unknown;
	args(0x12345678, 0, 0);
	invoke_target = rom_base + VMI_ENTRY_INIT;
	guest_invoke();
	if (out.eax)
		why = "Init did not return 0";
	else if (out.esp || out.ebx != in.ebx || out.esi != in.esi ||
		 out.edi != in.edi || out.ebp != in.ebp)
		why = "Init did not preserve a register";
	else if (out.ds != in.ds || out.es != in.es || out.fs != in.fs || out.gs != in.gs)
		why = "Init did not preserve a data segment";
	return why;
}

/* One line per VMI ROM in option-ROM space, good or bad, for `placed.py`. */
void list_roms(void)
{
	const u8 *byte;
	u32 at, i;
	u8 sum;

	for (at = VMI_SCAN_START; at < VMI_SCAN_END; at += VMI_SCAN_STEP) {
		rom_base = at + GUEST_OFFSET;
		if (header()->rom_signature != VMI_ROM_SIGNATURE ||
		    header()->signature != VMI_SIGNATURE)
			continue;
		rom_length = header()->length * VMI_LENGTH_UNIT;
		byte = (const u8 *)rom_base;
		for (i = 0, sum = 0; i < rom_length; i++)
			sum += byte[i];
		print("rom ");
		print_hex(at);
		print(" length ");
		print_dec(rom_length);
		print(" sum ");
		print_dec(sum);
		print(" init ");
		print(init() ? "fails\n" : "good\n");
	}
}

static u64 ask(u32 nr)
{
	args(nr, 0xdddddddd, 0xcccccccc);
	invoke_target = rom_base + VMI_ENTRY_RELOC;
	guest_invoke();
	return (u64)out.edx << 32 | out.eax;
}

static const char *answers(void)
{
	struct vmi_reloc reloc;
	u64 answer;
	int partial;
	u32 nr;

	option("partial", &partial);
	for (nr = 0; nr < VMI_CALL_NR; nr++) {
		answer = ask(nr);
		CHECK(out.ebx == in.ebx && out.esi == in.esi &&
		      out.edi == in.edi && out.ebp == in.ebp && !out.esp,
		      "a register not preserved");
		CHECK(answer >> 40 == 0, "reserved bits are not 0");
		CHECK(ask(nr) == answer, "second answer differs");
		reloc = vmi_reloc_decode(answer);
		CHECK(reloc.type <= VMI_RELOC_NOP, "unknown type");
		CHECK(reloc.type == VMI_RELOC_NONE || rom_calls[nr].class != CLASS_VOID,
		      "72 is answered");
		CHECK(reloc.type != VMI_RELOC_NONE || rom_calls[nr].class == CLASS_VOID ||
		      partial, "a call of the table is not answered");
		if (reloc.type == VMI_RELOC_CALL_REL ||
		    reloc.type == VMI_RELOC_JUMP_REL)
			CHECK(in_rom(reloc.eip), "target outside the ROM");
		rom_calls[nr].reloc = reloc;
	}
	CHECK(rom_calls[VMI_CALL_GetCycleFrequency].reloc.type !=
	      VMI_RELOC_NOP, "66 answered NOP");
	return NULL;
}

static const char *unknown(void)
{
	static const u32 numbers[] = { 74, 75, 127, 255, 256, 65536, ~0u };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		CHECK(vmi_reloc_decode(ask(numbers[i])).type == VMI_RELOC_NONE,
		      "a number beyond the table is not NONE");
	return NULL;
}

static const struct test tests[] = {
	{ "rom found", find },
	{ "checksum", checksum },
	{ "linked structures", linked },
	{ "Init", init },
	{ "GetRelocationInfo of every call", answers },
	{ "GetRelocationInfo of unknown numbers", unknown },
};

const struct test_group reloc_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
