// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 49 to 60 and 65.
 *
 * Owns: that each width and direction reaches its port.
 * Not here: -
 * Runs: uses the PCI address register, the 8259's mask, the fw_cfg selector.
 * Fails: a text per row.
 */
#include "guest.h"

#define PCI_ADDRESS	0xcf8
#define PCI_DATA	0xcfc
#define PCI_HOST	0x80000000
#define PIC_MASK	0x21
#define FW_SELECT	0x510
#define FW_DATA		0x511
#define FW_CPUS		5
#define FW_SIGNATURE	0
#define QEMU_BYTE	'Q'
#define HIGH_JUNK	0xabcd0000

static const char *t_long(void)
{
	args(PCI_HOST | 0x40, PCI_ADDRESS, 0x33);
	CALL(VMI_CALL_OUTL, R_NONE);
	CHECK(inl(PCI_ADDRESS) == (PCI_HOST | 0x40), "OUTL");
	args(0, PCI_ADDRESS, 0x33);
	CALL(VMI_CALL_INL, R_EAX);
	CHECK(out.eax == (PCI_HOST | 0x40), "INL");
	return NULL;
}

static const char *t_byte(void)
{
	args(0x5a, PIC_MASK, 0x33);
	CALL(VMI_CALL_OUTB, R_NONE);
	CHECK(inb(PIC_MASK) == 0x5a, "OUTB");
	args(HIGH_JUNK, PIC_MASK, 0x33);
	CALL(VMI_CALL_INB, R_EAX);
	CHECK((u8)out.eax == 0x5a, "INB");
	outb(PIC_MASK, 0xfe);
	return NULL;
}

static const char *t_word(void)
{
	u32 id;

	outl(PCI_ADDRESS, PCI_HOST);
	id = inl(PCI_DATA);
	args(0, PCI_DATA, 0x33);
	CALL(VMI_CALL_INW, R_EAX);
	CHECK((u16)out.eax == (u16)id, "INW");
	outw(FW_SELECT, FW_CPUS);
	args(HIGH_JUNK | FW_SIGNATURE, FW_SELECT, 0x33);
	CALL(VMI_CALL_OUTW, R_NONE);
	CHECK(inb(FW_DATA) == QEMU_BYTE, "OUTW");
	return NULL;
}

/* REP INS: @words items of @size bytes, into a buffer with a guard. */
static const char *string_in(enum vmi_call nr, u16 port, u32 size, u8 *buffer)
{
	args(0x11, port, 2);
	in.edi = (u32)buffer;
	CALL_ONCE(nr, R_EDI | R_ECX);
	CHECK(out.edi == (u32)buffer + 2 * size && out.ecx == 0,
	      "EDI or ECX not advanced");
	return NULL;
}

static const char *t_string_in(void)
{
	u32 id, buffer[3];
	u8 *bytes = (u8 *)buffer;
	const char *why;

	outl(PCI_ADDRESS, PCI_HOST);
	id = inl(PCI_DATA);
	buffer[2] = 0x600d;
	why = string_in(VMI_CALL_INSL, PCI_DATA, 4, bytes);
	CHECK(!why, why);
	CHECK(buffer[0] == id && buffer[1] == id && buffer[2] == 0x600d, "INSL");
	buffer[1] = 0x600d;
	why = string_in(VMI_CALL_INSW, PCI_DATA, 2, bytes);
	CHECK(!why, why);
	CHECK((u16)buffer[0] == (u16)id && buffer[0] >> 16 == (u16)id &&
	      buffer[1] == 0x600d, "INSW");
	outw(FW_SELECT, FW_SIGNATURE);
	bytes[2] = 0x77;
	why = string_in(VMI_CALL_INSB, FW_DATA, 1, bytes);
	CHECK(!why, why);
	CHECK(bytes[0] == 'Q' && bytes[1] == 'E' && bytes[2] == 0x77, "INSB");
	return NULL;
}

static const char *string_out(enum vmi_call nr, u16 port, u32 size, const void *from)
{
	args(0x11, port, 2);
	in.esi = (u32)from;
	CALL_ONCE(nr, R_ESI | R_ECX);
	CHECK(out.esi == (u32)from + 2 * size && out.ecx == 0,
	      "ESI or ECX not advanced");
	return NULL;
}

static const char *t_string_out(void)
{
	static const u32 longs[] = { PCI_HOST, PCI_HOST | 0x24 };
	static const u16 words[] = { FW_CPUS, FW_SIGNATURE };
	static const u8 bytes[] = { 0x12, 0xf6 };
	const char *why;

	why = string_out(VMI_CALL_OUTSL, PCI_ADDRESS, 4, longs);
	CHECK(!why, why);
	CHECK(inl(PCI_ADDRESS) == longs[1], "OUTSL");
	why = string_out(VMI_CALL_OUTSW, FW_SELECT, 2, words);
	CHECK(!why, why);
	CHECK(inb(FW_DATA) == QEMU_BYTE, "OUTSW");
	why = string_out(VMI_CALL_OUTSB, PIC_MASK, 1, bytes);
	CHECK(!why, why);
	CHECK(inb(PIC_MASK) == bytes[1], "OUTSB");
	outb(PIC_MASK, 0xfe);
	return NULL;
}

static const char *t_delay(void)
{
	args(0, 0, 0);
	CALL(VMI_CALL_IODelay, R_NONE);
	return NULL;
}

static const struct test tests[] = {
	{ "49 INL, 55 OUTL", t_long },
	{ "50 INB, 56 OUTB", t_byte },
	{ "51 INW, 57 OUTW", t_word },
	{ "52 INSL, 53 INSB, 54 INSW", t_string_in },
	{ "58 OUTSL, 59 OUTSB, 60 OUTSW", t_string_out },
	{ "65 IODelay", t_delay },
};

const struct test_group port_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
