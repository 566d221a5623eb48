// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the monitor's ROM and gives it the machine.
 *
 * Owns: the addresses of its calls, what the image says of its memory.
 * Not here: anything after Init.
 * Runs: once, in ring 0.
 * Fails: with a text: no ROM, Init refuses, a call that is not there.
 */
#include "escape.h"
#include "../../rom/common/data.h"

u32 rom_base, mon_base, mon_size, memory_frames;
u32 targets[VMI_CALL_NR];
extern u32 apic_write_target, iret_target;

static u32 image_word(u32 offset)
{
	return load(rom_base + offset);
}

/**
 * vmi_find() - look for the ROM of a monitor
 */
const char *vmi_find(void)
{
	const struct vmi_rom_header *rom;
	u32 place;

	for (place = VMI_SCAN_START; place < VMI_SCAN_END; place += VMI_SCAN_STEP) {
		rom = (const void *)(KERNEL + place);
		if (rom->rom_signature == VMI_ROM_SIGNATURE && rom->signature == VMI_SIGNATURE)
			break;
	}
	EXPECT(place < VMI_SCAN_END, "no VMI ROM found");
	rom_base = KERNEL + place;
	EXPECT(rom->virtual_top == HOLE, "the ROM's hole is not that of the monitor");
	mon_base = image_word(MON_BASE);
	mon_size = image_word(MON_SIZE);
	memory_frames = image_word(MON_FRAMES);
	EXPECT(mon_base && mon_size, "the ROM has no memory reserved");
	return NULL;
}

static u32 call_init(void)
{
	u32 result;

	asm volatile("call *%1" : "=a" (result) : "r" (rom_base + VMI_ENTRY_INIT)
		     : "ecx", "edx", "memory", "cc");
	return result;
}

static u64 relocation(u32 nr)
{
	u64 result;

	asm volatile("call *%1" : "=A" (result) : "r" (rom_base + VMI_ENTRY_RELOC), "a" (nr)
		     : "ecx", "memory", "cc");
	return result;
}

/**
 * vmi_bind() - Init, and the addresses of all calls
 */
const char *vmi_bind(void)
{
	u32 nr, cs;
	u64 r;

	EXPECT(call_init() == 0, "Init refuses");
	asm volatile("mov %%cs, %0" : "=r" (cs));
	EXPECT((cs & 3) == 1, "after Init the ring is not 1");
	for (nr = 0; nr < VMI_CALL_NR; nr++) {
		r = relocation(nr);
		targets[nr] = (u32)r;
		if ((u32)(r >> 32) == VMI_RELOC_NONE && nr != VMI_CALL_SetCallbacks)
			return "a call has no address";
	}
	apic_write_target = targets[VMI_CALL_APICWrite];
	iret_target = targets[VMI_CALL_IRET];
	return NULL;
}

u64 vmi5(enum vmi_call nr, u32 eax, u32 edx, u32 ecx, u32 arg4, u32 arg5)
{
	struct invoke c = {
		.target = targets[nr], .eax = eax, .edx = edx, .ecx = ecx,
		.ebx = 0x50150001, .esi = 0x50150002, .edi = 0x50150003,
		.arg4 = arg4, .arg5 = arg5,
	};

	invoke(&c);
	return (u64)c.edx << 32 | c.eax;
}

u64 vmi(enum vmi_call nr, u32 eax, u32 edx, u32 ecx)
{
	return vmi5(nr, eax, edx, ecx, 0x50150004, 0x50150005);
}
