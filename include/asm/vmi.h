/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The VMI 3.0 binary interface between an i386 guest and a VMI ROM.
 *
 * Owns: numbers, layouts and flag values of the interface, and nothing else.
 * Not here: finding a ROM and calling it (guest driver), answering (`rom/`).
 * Runs: nowhere; a header for kernel C, host C, ROM C and assembly alike.
 * Fails: at compile time, when a structure does not have its ABI layout.
 *
 * Source: VMI specification 2.0 (2006-03-13) for the calls and the AP state;
 * API 3.0 as the i386 guests of 2007-2010 spoke it for the header's numbers.
 * API majors 4..13 are an older, incompatible family: compare for equality.
 */
#ifndef _ASM_X86_VMI_H
#define _ASM_X86_VMI_H

/* ---- finding the ROM: physical addresses, through the linear map ---- */

#define VMI_SCAN_START		0xc0000
#define VMI_SCAN_END		0xe0000		/* exclusive */
#define VMI_SCAN_STEP		2048

#define VMI_ROM_SIGNATURE	0xaa55		/* any option ROM */
#define VMI_SIGNATURE		0x696d5663	/* "cVmi" */
#define VMI_API_MAJOR		3
#define VMI_API_MINOR		0
#define VMI_LENGTH_UNIT		512		/* of the header's length byte */

#define VMI_PCI_VENDOR		0x15ad
#define VMI_PCI_DEVICE		0x0801

/* The only two licence strings that a guest accepts. */
#define VMI_LICENCE_GPL		"GPL"
#define VMI_LICENCE_GPL_V2	"GPL v2"

/* The two fixed entries, offsets from the ROM's start; code, called in place. */
#define VMI_ENTRY_INIT		0x80		/* () -> EAX, 0 = bound */
#define VMI_ENTRY_RELOC		0x88		/* (EAX call) -> EDX:EAX */
#define VMI_HEADER_SIZE		144

/* ---- answers of GetRelocationInfo: EAX target, DL type, rest of EDX 0 ---- */

#define VMI_RELOC_NONE		0	/* keep the native instruction */
#define VMI_RELOC_CALL_REL	1	/* e8 rel32, or use as a function */
#define VMI_RELOC_JUMP_REL	2	/* e9 rel32; never valid as a function */
#define VMI_RELOC_NOP		3	/* the native instruction is not needed */

/* ---- the calls ---- */

/*
 * Conventions. All use regparm(3): EAX, EDX, ECX, then 4(ESP), 8(ESP) at entry,
 * popped by the caller. Except where a class says otherwise the segments are
 * flat, EAX, ECX, EDX and the arithmetic flags may change, and everything else
 * is preserved.
 *
 *   STD     as above; what is not a result is lost
 *   FLAGS   only the result registers and the arithmetic flags change
 *   FLAGSS  as FLAGS, and only CS and SS are flat (DS, ES may be the user's)
 *   RESULT  only the result register changes, as with the IN/OUT instruction
 *   STRING  only EDI/ESI and ECX change, as with the REP INS/OUTS instruction
 *   NORET   does not come back; every register is kept; CS and SS only
 *   VOID    assigned, but without a public definition: guests never ask
 *
 * X(number, name, class): in numeric order, without holes.
 */
#define VMI_CALLS(X)				\
	X(0,  CPUID,			FLAGS)	\
	X(1,  WRMSR,			STD)	\
	X(2,  RDMSR,			STD)	\
	X(3,  SetGDT,			STD)	\
	X(4,  SetLDT,			STD)	\
	X(5,  SetIDT,			STD)	\
	X(6,  SetTR,			STD)	\
	X(7,  GetGDT,			STD)	\
	X(8,  GetLDT,			STD)	\
	X(9,  GetIDT,			STD)	\
	X(10, GetTR,			STD)	\
	X(11, WriteGDTEntry,		STD)	\
	X(12, WriteLDTEntry,		STD)	\
	X(13, WriteIDTEntry,		STD)	\
	X(14, UpdateKernelStack,	STD)	\
	X(15, SetCR0,			STD)	\
	X(16, SetCR2,			STD)	\
	X(17, SetCR3,			STD)	\
	X(18, SetCR4,			STD)	\
	X(19, GetCR0,			STD)	\
	X(20, GetCR2,			STD)	\
	X(21, GetCR3,			STD)	\
	X(22, GetCR4,			STD)	\
	X(23, WBINVD,			STD)	\
	X(24, SetDR,			STD)	\
	X(25, GetDR,			STD)	\
	X(26, RDPMC,			STD)	\
	X(27, RDTSC,			STD)	\
	X(28, CLTS,			STD)	\
	X(29, EnableInterrupts,		FLAGSS)	\
	X(30, DisableInterrupts,	FLAGSS)	\
	X(31, GetInterruptMask,		FLAGSS)	\
	X(32, SetInterruptMask,		FLAGSS)	\
	X(33, IRET,			NORET)	\
	X(34, SYSEXIT,			NORET)	\
	X(35, Halt,			STD)	\
	X(36, Reboot,			STD)	\
	X(37, Shutdown,			STD)	\
	X(38, SetPxE,			STD)	\
	X(39, SetPxELong,		STD)	\
	X(40, UpdatePxE,		STD)	\
	X(41, UpdatePxELong,		STD)	\
	X(42, MachineToPhysical,	STD)	\
	X(43, PhysicalToMachine,	STD)	\
	X(44, AllocatePage,		STD)	\
	X(45, ReleasePage,		STD)	\
	X(46, InvalPage,		STD)	\
	X(47, FlushTLB,			STD)	\
	X(48, SetLinearMapping,		STD)	\
	X(49, INL,			RESULT)	\
	X(50, INB,			RESULT)	\
	X(51, INW,			RESULT)	\
	X(52, INSL,			STRING)	\
	X(53, INSB,			STRING)	\
	X(54, INSW,			STRING)	\
	X(55, OUTL,			RESULT)	\
	X(56, OUTB,			RESULT)	\
	X(57, OUTW,			RESULT)	\
	X(58, OUTSL,			STRING)	\
	X(59, OUTSB,			STRING)	\
	X(60, OUTSW,			STRING)	\
	X(61, SetIOPLMask,		STD)	\
	X(62, SetInitialAPState,	STD)	\
	X(63, APICWrite,		STD)	\
	X(64, APICRead,			STD)	\
	X(65, IODelay,			STD)	\
	X(66, GetCycleFrequency,	STD)	\
	X(67, GetCycleCounter,		STD)	\
	X(68, SetAlarm,			STD)	\
	X(69, CancelAlarm,		STD)	\
	X(70, GetWallclockTime,		STD)	\
	X(71, WallclockUpdated,		STD)	\
	X(72, SetCallbacks,		VOID)	\
	X(73, SetLazyMode,		STD)

#define VMI_CALL_NR		74

/*
 * UpdateKernelStack (14): a 3.0 guest passes EAX = the kernel's SS selector and
 * EDX = esp0, and writes esp0 to its TSS itself. The specification and 13.x have
 * EAX = linear address of the TSS instead, and there the ROM stores esp0.
 * The forms are told apart by size: a selector fits 16 bits.
 */
#define VMI_STACK_SELECTOR_MAX	0xffff

/* ---- page tables: AllocatePage (44), ReleasePage (45) ---- */

#define VMI_PAGE_NORMAL		0x00
#define VMI_PAGE_PT		0x01
#define VMI_PAGE_PD		0x02	/* also the root of a PAE kernel */
#define VMI_PAGE_PDP		0x04
#define VMI_PAGE_PML4		0x08
#define VMI_PAGE_LEVEL_MASK	0x0f
#define VMI_PAGE_PAE		0x10
#define VMI_PAGE_CLONE		0x20	/* kernel part copied from a template */
#define VMI_PAGE_ZEROED		0x40	/* apart from a cloned part; not reliable */

/* ---- page tables: SetPxE[Long] (38, 39), UpdatePxE[Long] (40, 41) ---- */

/* Bits 3:0 are the level as above; other bits differ in meaning from the above. */
#define VMI_PTE_CURRENT_AS	0x10	/* live address space; bits 31:12 = address */
#define VMI_PTE_DEFER		0x20	/* may wait until the next flush */
#define VMI_PTE_VA_MASK		0xfffff000

/* ---- FlushTLB (47) ---- */

#define VMI_FLUSH_TLB		0x01	/* non-global entries; always set */
#define VMI_FLUSH_GLOBAL	0x02	/* global entries too */

/* ---- SetLinearMapping (48) ---- */

#define VMI_LINEAR_MAP_SLOTS	4
#define VMI_LINEAR_MAP_LOWMEM	0	/* slot of PAGE_OFFSET */

/* ---- SetLazyMode (73): not nested, 0 flushes ---- */

#define VMI_LAZY_OFF		0
#define VMI_LAZY_MMU		1
#define VMI_LAZY_CPU		2

/* ---- interrupts (31, 32) and ports (61) ---- */

#define VMI_INTERRUPT_MASK_IF	0x200	/* EFLAGS.IF */
#define VMI_IOPL_SHIFT		12	/* SetIOPLMask: EFLAGS position */

/* ---- Reboot (36) ---- */

#define VMI_REBOOT_SOFT		0
#define VMI_REBOOT_HARD		1

/* ---- local APIC (63, 64) ---- */

/* A bare offset and a mapped linear address are both passed by guests. */
#define VMI_APIC_OFFSET_MASK	0xfff

/* ---- time (66..71), unit: cycles of GetCycleFrequency ---- */

#define VMI_CYCLES_REAL		0
#define VMI_CYCLES_AVAILABLE	1
#define VMI_CYCLES_STOLEN	2	/* readable, not an alarm's counter */

#define VMI_ALARM_COUNTER_MASK	0x000000ff
#define VMI_ALARM_ONESHOT	0x00000000
#define VMI_ALARM_PERIODIC	0x00000100	/* period 0 is a one-shot */
#define VMI_ALARM_WIRED_IRQ0	0x00000000	/* 8259 / I/O APIC input of the PIT */
#define VMI_ALARM_WIRED_LVTT	0x00010000	/* honours LVTT vector and mask */
#define VMI_ALARM_WIRED_MASK	0x000f0000

/*
 * Before a guest uses alarms on IRQ0 it stops channel 0 of the PIT by writing
 * this (channel 0, low and high byte, mode 5) to port 0x43.
 */
#define VMI_PIT_IRQ		0
#define VMI_PIT_CH0_PORT	0x40
#define VMI_PIT_MODE_PORT	0x43
#define VMI_PIT_SILENCE		0x3a

/* ---- AP start (62) ---- */

#define VMI_AP_STATE_SIZE	92

#ifdef __ASSEMBLY__

/* Defines the symbols VMI_CALL_<name> once per source file. */
#define VMI_CALL_SYMBOL(nr, name, class)	.set VMI_CALL_##name, nr;
#define VMI_CALL_SYMBOLS	VMI_CALLS(VMI_CALL_SYMBOL)

#else /* !__ASSEMBLY__ */

#include <linux/types.h>

#define VMI_ABI_PACKED		__attribute__((__packed__))
#define VMI_ABI_OFFSET(type, field, offset)				\
	_Static_assert(__builtin_offsetof(type, field) == (offset),	\
		       "VMI ABI: " #type "." #field " is not at " #offset)
#define VMI_ABI_SIZE(type, size)					\
	_Static_assert(sizeof(type) == (size),				\
		       "VMI ABI: " #type " is not " #size " bytes")

#define VMI_CALL_ENUM(nr, name, class)	VMI_CALL_##name = nr,
enum vmi_call {
	VMI_CALLS(VMI_CALL_ENUM)
};
#undef VMI_CALL_ENUM

_Static_assert(VMI_CALL_SetLazyMode == VMI_CALL_NR - 1,
	       "VMI ABI: VMI_CALLS and VMI_CALL_NR disagree");

/**
 * struct vmi_rom_header - start of a VMI ROM, at a multiple of 2048
 * @rom_signature: VMI_ROM_SIGNATURE
 * @length: of the image in units of 512 bytes; the byte sum over it is 0
 * @bios_entry: real-mode code for the BIOS, part of the ROM, not of the ABI
 * @signature: VMI_SIGNATURE
 * @api_minor: any
 * @api_major: VMI_API_MAJOR
 * @jump_slots: number of entries; guests do not read it
 * @virtual_top: lowest linear address the ROM keeps for itself; 0 = none
 * @licence: offset of a NUL-terminated string; 0 = none
 * @pci: offset of struct vmi_rom_pci; must not be 0
 * @pnp: offset of struct vmi_rom_pnp; 0 = none
 * @init: code, VMI_ENTRY_INIT
 * @reloc: code, VMI_ENTRY_RELOC
 */
struct vmi_rom_header {
	u16	rom_signature;
	u8	length;
	u8	bios_entry[4];
	u8	reserved_07;
	u32	signature;
	u8	api_minor;
	u8	api_major;
	u8	jump_slots;
	u8	reserved_0f;
	u32	virtual_top;
	u16	reserved_14;
	u16	licence;
	u16	pci;
	u16	pnp;
	u32	reserved_1c;
	u8	reserved_20[96];
	u8	init[8];
	u8	reloc[8];
} VMI_ABI_PACKED;

VMI_ABI_SIZE(struct vmi_rom_header, VMI_HEADER_SIZE);
VMI_ABI_OFFSET(struct vmi_rom_header, length, 0x02);
VMI_ABI_OFFSET(struct vmi_rom_header, bios_entry, 0x03);
VMI_ABI_OFFSET(struct vmi_rom_header, signature, 0x08);
VMI_ABI_OFFSET(struct vmi_rom_header, api_minor, 0x0c);
VMI_ABI_OFFSET(struct vmi_rom_header, api_major, 0x0d);
VMI_ABI_OFFSET(struct vmi_rom_header, jump_slots, 0x0e);
VMI_ABI_OFFSET(struct vmi_rom_header, virtual_top, 0x10);
VMI_ABI_OFFSET(struct vmi_rom_header, licence, 0x16);
VMI_ABI_OFFSET(struct vmi_rom_header, pci, 0x18);
VMI_ABI_OFFSET(struct vmi_rom_header, pnp, 0x1a);
VMI_ABI_OFFSET(struct vmi_rom_header, init, VMI_ENTRY_INIT);
VMI_ABI_OFFSET(struct vmi_rom_header, reloc, VMI_ENTRY_RELOC);

/**
 * struct vmi_rom_pci - the standard PCI data structure of an option ROM
 * @signature: "PCIR"; historical guests do not check it
 * @vendor: VMI_PCI_VENDOR; another one is tolerated
 * @device: VMI_PCI_DEVICE; another one is tolerated
 * @vpd: 0
 * @size: of this structure in bytes
 * @revision: 0
 * @class_code: low byte first
 * @image_length: units of 512 bytes
 * @rom_minor: version of the ROM itself, printed only
 * @rom_major: version of the ROM itself, printed only
 * @code_type: 0, PC-AT
 * @last_image: bit 7 set in the last image
 *
 * Source: PCI Firmware Specification 3.0, section 5.1.2.
 */
struct vmi_rom_pci {
	u8	signature[4];
	u16	vendor;
	u16	device;
	u16	vpd;
	u16	size;
	u8	revision;
	u8	class_code[3];
	u16	image_length;
	u8	rom_minor;
	u8	rom_major;
	u8	code_type;
	u8	last_image;
	u16	reserved_16;
} VMI_ABI_PACKED;

VMI_ABI_SIZE(struct vmi_rom_pci, 24);
VMI_ABI_OFFSET(struct vmi_rom_pci, vendor, 4);
VMI_ABI_OFFSET(struct vmi_rom_pci, device, 6);
VMI_ABI_OFFSET(struct vmi_rom_pci, image_length, 16);
VMI_ABI_OFFSET(struct vmi_rom_pci, rom_minor, 18);
VMI_ABI_OFFSET(struct vmi_rom_pci, rom_major, 19);
VMI_ABI_OFFSET(struct vmi_rom_pci, last_image, 21);

/**
 * struct vmi_rom_pnp - the standard Plug and Play expansion header
 * @signature: "$PnP"
 * @revision: 1
 * @size: of this structure in units of 16 bytes
 * @next: offset of the next such header; 0 = none
 * @checksum: makes the byte sum over the structure 0
 * @device_id: EISA id; 0 here
 * @manufacturer: offset in the ROM of a NUL-terminated string; 0 = none
 * @product: offset in the ROM of a NUL-terminated string; 0 = none
 * @device_type: class code
 * @indicators: of the device
 * @bcv: boot connection vector; 0 = none
 * @disconnect: vector; 0 = none
 * @bev: bootstrap entry vector; 0 = none
 * @resources: static resource information vector; 0 = none
 *
 * Source: Plug and Play BIOS Specification 1.0A, section 3.2.
 */
struct vmi_rom_pnp {
	u8	signature[4];
	u8	revision;
	u8	size;
	u16	next;
	u8	reserved_08;
	u8	checksum;
	u32	device_id;
	u16	manufacturer;
	u16	product;
	u8	device_type[3];
	u8	indicators;
	u16	bcv;
	u16	disconnect;
	u16	bev;
	u16	reserved_1c;
	u16	resources;
} VMI_ABI_PACKED;

VMI_ABI_SIZE(struct vmi_rom_pnp, 32);
VMI_ABI_OFFSET(struct vmi_rom_pnp, checksum, 9);
VMI_ABI_OFFSET(struct vmi_rom_pnp, manufacturer, 14);
VMI_ABI_OFFSET(struct vmi_rom_pnp, product, 16);

/**
 * struct vmi_reloc - one answer of GetRelocationInfo, decoded
 * @eip: linear address of the call's code; of no meaning for NONE and NOP
 * @type: VMI_RELOC_*; any other value has to be treated as NONE
 */
struct vmi_reloc {
	u32	eip;
	u8	type;
};

/**
 * vmi_reloc_decode() - take the 64-bit answer of GetRelocationInfo apart
 * @answer: EDX:EAX as the ROM returned it
 *
 * Ignores the reserved bits 63:40.
 * Return: the two fields, unchecked.
 */
static inline struct vmi_reloc vmi_reloc_decode(u64 answer)
{
	struct vmi_reloc reloc = {
		.eip	= (u32)answer,
		.type	= (u8)(answer >> 32),
	};

	return reloc;
}

/**
 * struct vmi_ap_state - registers an AP starts with, for SetInitialAPState
 * @cr0: PE and PG must be set
 * @efer: LME and LMA must be clear
 * @eip: linear address of the first instruction
 * @eflags: bit 1 may be clear; the ROM sets it
 *
 * The other fields are the registers of their names. The structure may lie
 * anywhere in the linear map, at any alignment, and is read during the call.
 *
 * Source: VMI specification 2.0, SetInitialAPState.
 */
struct vmi_ap_state {
	u32	cr0;
	u32	cr2;
	u32	cr3;
	u32	cr4;
	u64	efer;
	u32	eip;
	u32	eflags;
	u32	eax;
	u32	ebx;
	u32	ecx;
	u32	edx;
	u32	esp;
	u32	ebp;
	u32	esi;
	u32	edi;
	u16	cs;
	u16	ss;
	u16	ds;
	u16	es;
	u16	fs;
	u16	gs;
	u16	ldtr;
	u16	gdtr_limit;
	u32	gdtr_base;
	u32	idtr_base;
	u16	idtr_limit;
	u16	reserved_5a;
} VMI_ABI_PACKED __attribute__((__aligned__(4)));

VMI_ABI_SIZE(struct vmi_ap_state, VMI_AP_STATE_SIZE);
VMI_ABI_OFFSET(struct vmi_ap_state, efer, 16);
VMI_ABI_OFFSET(struct vmi_ap_state, eip, 24);
VMI_ABI_OFFSET(struct vmi_ap_state, eflags, 28);
VMI_ABI_OFFSET(struct vmi_ap_state, eax, 32);
VMI_ABI_OFFSET(struct vmi_ap_state, esp, 48);
VMI_ABI_OFFSET(struct vmi_ap_state, edi, 60);
VMI_ABI_OFFSET(struct vmi_ap_state, cs, 64);
VMI_ABI_OFFSET(struct vmi_ap_state, gs, 74);
VMI_ABI_OFFSET(struct vmi_ap_state, ldtr, 76);
VMI_ABI_OFFSET(struct vmi_ap_state, gdtr_limit, 78);
VMI_ABI_OFFSET(struct vmi_ap_state, gdtr_base, 80);
VMI_ABI_OFFSET(struct vmi_ap_state, idtr_base, 84);
VMI_ABI_OFFSET(struct vmi_ap_state, idtr_limit, 88);

#endif /* !__ASSEMBLY__ */
#endif /* _ASM_X86_VMI_H */
