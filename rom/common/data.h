/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Layout of the memory that a ROM can write once the BIOS is done.
 *
 * Owns: offsets in the data pages, and the words in the image that tell where
 * image, data and the monitor's memory are.
 * Not here: who allocates the pages (`bios.S`).
 * Runs: nowhere; included by C and assembly.
 * Fails: at compile time, when an area grows into the next one.
 *
 * ROM space is read-only after POST, so the image holds constants only. The
 * pages lie below 1 MiB, where guests map them as they map the ROM itself:
 * linear minus physical address is the same for both.
 */
#ifndef _ROM_DATA_H
#define _ROM_DATA_H

#include <asm/vmi.h>

/* Words of the header's reserved area, written by `bios.S` before lock-down. */
#define ROM_PHYS		0x20	/* of the image; 0 = BIOS part never ran */
#define ROM_DATA_DELTA		0x24	/* data minus image; 0 = no data */

#ifdef ROM_MONITOR
#define MON_BASE		0x28	/* of the reserved block; 0 = refused */
#define MON_SIZE		0x2c	/* bytes */
#define MON_FRAMES		0x30	/* first page frame above all RAM */
#define MON_LOW_TOP		0x34	/* end of RAM below 4 GiB */
#define MON_CPUS		0x38	/* that the block has room for */
#define MON_RAM_START		0x3c	/* highest RAM entry at BIOS time */
#define MON_RAM_END		0x40
#define MON_INT15_NEXT		0x44	/* far address of the BIOS's INT 15h */
#define MON_E801_MAX		0x48	/* u16, units of 64 KiB above 16 MiB */
#define MON_88_MAX		0x4a	/* u16, KiB above 1 MiB */
#define ROM_WORDS_END		0x4c
#define DATA_PAGES		5
#else
#define ROM_WORDS_END		0x28
#define DATA_PAGES		3
#endif
#define DATA_STUB		0x000	/* page 0: STARTUP lands here */
#define DATA_VARS		0x080
#define DATA_COUNTS		0x100	/* debug build: a u32 per call */
#define DATA_ASKED		0x240	/* `test/reloc-changes.S`: a u8 per call */
#define DATA_PDPT		0x2a0	/* 32 bytes, 32-byte aligned */
#define DATA_TIMERS		0x300	/* struct rom_timers, by APIC id */
#define DATA_TABLE		0x1000	/* page 1: page directory for AP start */
#define DATA_APS		0x2000	/* page 2: struct rom_ap, by APIC id */

#define ROM_CPUS		32	/* local APIC ids 0..31 */

/* struct rom_vars, for assembly */
#define VARS_LINEAR_OFFSET	(DATA_VARS + 0)
#define VARS_SERVICE		(DATA_VARS + 4)

/* struct rom_ap, for assembly */
#define AP_SIZE			100
#define AP_IDTR			92
#define AP_READY		98

#ifndef __ASSEMBLY__

/**
 * struct rom_linear - what SetLinearMapping said of one slot
 * @start: linear address
 * @pages: their number; 0 = slot unused
 * @pfn: frame of the first page
 */
struct rom_linear {
	u32	start;
	u32	pages;
	u32	pfn;
};

/**
 * struct rom_vars - what all CPUs share
 * @linear_offset: linear minus physical address of image and data
 * @service: bit per CPU whose timer needs care when it reads a counter next
 * @tsc_khz: 0 = there is no time stamp counter
 * @lapic_khz: of the local APIC timer after the divider; 0 = not yet measured
 * @lapic: linear address of the mapped local APIC; 0 = not yet found
 * @linear: see struct rom_linear
 */
struct rom_vars {
	u32			linear_offset;
	u32			service;
	u32			tsc_khz;
	u32			lapic_khz;
	u32			lapic;
	struct rom_linear	linear[VMI_LINEAR_MAP_SLOTS];
};

_Static_assert(DATA_VARS + sizeof(struct rom_vars) <= DATA_COUNTS,
	       "rom_vars reaches into the counters");
_Static_assert(DATA_COUNTS + 4 * VMI_CALL_NR <= DATA_ASKED,
	       "counters reach into the next area");
_Static_assert(DATA_ASKED + VMI_CALL_NR <= DATA_PDPT && DATA_PDPT % 32 == 0,
	       "no room for the PDPT");
VMI_ABI_OFFSET(struct rom_vars, linear_offset, VARS_LINEAR_OFFSET - DATA_VARS);
VMI_ABI_OFFSET(struct rom_vars, service, VARS_SERVICE - DATA_VARS);

/**
 * struct rom_ap - one CPU's start state
 * @state: as the guest gave it
 * @idtr: limit and base in the order that LIDT wants
 * @ready: 1 = a STARTUP may use it; taken back by the CPU that starts
 */
struct rom_ap {
	struct vmi_ap_state	state;
	u16			idtr[3];
	u16			ready;
};

VMI_ABI_SIZE(struct rom_ap, AP_SIZE);
VMI_ABI_OFFSET(struct rom_ap, idtr, AP_IDTR);
VMI_ABI_OFFSET(struct rom_ap, ready, AP_READY);

/**
 * struct rom_alarm - one counter's alarm
 * @expiry: cycles, absolute
 * @period: cycles, not 0 if periodic
 * @flags: as in SetAlarm, and ROM_ALARM_ARMED
 */
struct rom_alarm {
	u64	expiry;
	u64	period;
	u32	flags;
};

#define ROM_ALARM_ARMED		0x80000000u
#define ROM_ALARMS		2	/* real, available */
#define ROM_WIRINGS		2	/* IRQ0, LVTT */

/**
 * struct rom_timers - one CPU's alarms
 * @alarm: by counter
 * @end: by wiring: cycles at which the timer's present one-shot is over
 */
struct rom_timers {
	struct rom_alarm	alarm[ROM_ALARMS];
	u64			end[ROM_WIRINGS];
};

_Static_assert(ROM_CPUS * sizeof(struct rom_timers) <= 4096 - DATA_TIMERS,
	       "alarms reach into page 1");
_Static_assert(ROM_CPUS * sizeof(struct rom_ap) <= 4096,
	       "start states exceed their page");

#endif /* !__ASSEMBLY__ */
#endif /* _ROM_DATA_H */
