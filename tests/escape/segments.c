// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: descriptors and descriptor tables that reach for the hole.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1. What a segment covers is told by LSL, in both emulators; that
 * accesses beyond it fault is for Bochs alone.
 * Fails: with a text.
 */
#include "escape.h"

#define DATA		0x93
#define CODE		0x9b
#define CONFORMING	0x9f
#define DOWN		0x97
#define BIG		0xc		/* G, D */

static u32 lsl(u32 selector)
{
	u32 limit = 0;

	asm volatile("lsl %1, %0" : "+r" (limit) : "r" (selector) : "cc");
	return limit;
}

static u32 lar(u32 selector)
{
	u32 rights = 0;

	asm volatile("lar %1, %0" : "+r" (rights) : "r" (selector) : "cc");
	return rights;
}

static const char *ends_below_hole(u32 base)
{
	static const u8 types[] = { DATA, 0x91, CODE, CONFORMING, 0xb3, 0xf3, 0xfb, 0x99 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		segment(SEL_TRY, base, 0xfffff, types[i], BIG);
		if ((u64)base + lsl(SEL_TRY | 3) >= RING1_END ||
		    (u64)base + lsl(SEL_TRY | 1) >= RING1_END)
			return "a segment of 4 GiB reaches the hole";
	}
	return NULL;
}

const char *case_segment_limit(void)
{
	static const u32 bases[] = { 0, 0x1000, 0x7fffffff, KERNEL, 0xf0000000, RING1_CODE };
	const char *why = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bases) && !why; i++)
		why = ends_below_hole(bases[i]);
	return why;
}

/* A byte-granular limit that ends just in the hole. */
const char *case_segment_bytes(void)
{
	segment(SEL_TRY, RING1_END - 0x800, 0xfff, DATA, 0x4);
	EXPECT(lsl(SEL_TRY | 1) <= 0x7ff, "a segment of 4 KiB reaches the hole");
	return NULL;
}

static u32 fs_offset, fs_selector;

static void fs_read(void)
{
	asm volatile("mov %1, %%fs\n\tmovl %%fs:(%2), %0"
		     : "=r" (value) : "r" (fs_selector), "r" (fs_offset));
}

static void fs_write(void)
{
	asm volatile("mov %0, %%fs\n\tmovl %2, %%fs:(%1)"
		     : : "r" (fs_selector), "r" (fs_offset), "r" (value) : "memory");
}

static const char *cannot_reach(u32 base, u32 target)
{
	fs_offset = target - base;
	fs_selector = SEL_TRY | 1;
	EXPECT(attempt(fs_read), "the hole can be read");
	EXPECT(attempt(fs_write), "the hole can be written");
	fs_selector = SEL_TRY | 3;
	EXPECT(attempt_user(fs_read), "ring 3 can read the hole");
	return NULL;
}

static const char *cannot_reach_any(u32 base)
{
	static const u32 targets_of_it[] = { RING1_END, MON_GDT, MON_VCPU, MON_LAPIC, MON_WINDOW,
					     MON_MEMORY, MON_MEMORY + 0x1000, 0xfffffffc };
	const char *why = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(targets_of_it) && !why; i++)
		why = cannot_reach(base, targets_of_it[i]);
	return why;
}

const char *case_segment_flat_access(void)
{
	segment(SEL_TRY, 0, 0xfffff, DATA, BIG);
	return cannot_reach_any(0);
}

const char *case_segment_base_in_hole(void)
{
	static const u32 bases[] = { RING1_END, MON_VCPU, MON_MEMORY, 0xfffff000 };
	const char *why = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bases) && !why; i++) {
		segment(SEL_TRY, bases[i], 0xfffff, DATA, BIG);
		why = cannot_reach_any(bases[i]);
		segment(SEL_TRY, bases[i], 0xfff, 0xf3, 4);
		why = why ? why : cannot_reach_any(bases[i]);
	}
	return why;
}

/* Offsets that wrap around 4 GiB, as thread-local storage has them. */
const char *case_segment_wraps(void)
{
	segment(SEL_TRY, 0x10000000, 0xfffff, 0xf3, BIG);
	return cannot_reach_any(0x10000000);
}

const char *case_segment_down(void)
{
	static const struct { u32 base, limit, flags; } tries[] = {
		{ 0, 0, BIG }, { 0, 0xfffff, BIG }, { 0, 0x80000, BIG }, { 0, 0, 4 },
		{ MON_VCPU, 0, 0 }, { RING1_END - 0x8000, 0, 0 }, { MON_MEMORY, 0xff, 0 },
		{ 0xffff0000, 0, 0 }, { MON_VCPU, 0, BIG },
	};
	const char *why = NULL;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tries) && !why; i++) {
		segment(SEL_TRY, tries[i].base, tries[i].limit, DOWN, tries[i].flags);
		why = cannot_reach_any(tries[i].base);
		segment(SEL_TRY, tries[i].base, tries[i].limit, 0xf7, tries[i].flags);
		why = why ? why : cannot_reach_any(tries[i].base);
	}
	return why;
}

extern const char land_cs[];
extern u32 landed_cs;
static struct { u32 offset; u16 selector; } __attribute__((packed)) far;

static void far_call(void)
{
	asm volatile("lcall *%0" : : "m" (far) : "memory");
}

static void far_jump(void)
{
	asm volatile("ljmp *%0" : : "m" (far) : "memory");
}

static void far_return(void)
{
	asm volatile("push %0\n\tpush %1\n\tlret" : : "r" ((u32)far.selector), "r" (far.offset));
}

static void far_iret(void)
{
	asm volatile("pushl $2\n\tpush %0\n\tpush %1\n\tiret"
		     : : "r" ((u32)far.selector), "r" (far.offset));
}

static void (*const far_ways[])(void) = { far_call, far_jump, far_return, far_iret };

/* Code of every kind runs in ring 1, or not at all. */
const char *case_code_rings(void)
{
	static const u8 types[] = { CODE, CONFORMING, 0x99, 0x9d, 0xbb, 0xbf, 0xdb, 0xfb, 0xff };
	u32 i, rpl, way;

	far.offset = (u32)land_cs;
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		segment(SEL_TRY, 0, 0xfffff, types[i], BIG);
		for (rpl = 0; rpl < 4; rpl++) {
			for (way = 0; way < ARRAY_SIZE(far_ways); way++) {
				far.selector = (u16)(SEL_TRY | rpl);
				landed_cs = 1;
				attempt(far_ways[way]);
				EXPECT(landed_cs & 3, "guest code ran in ring 0");
			}
		}
	}
	return NULL;
}

/* Execution in the hole by a segment of its own. */
const char *case_code_in_hole(void)
{
	static const u32 offsets[] = { RING1_END, MON_VCPU, MON_MEMORY };
	u32 i, way;

	segment(SEL_TRY, 0, 0xfffff, CODE, BIG);
	segment(SEL_TRY2, 0, 0xfffff, CONFORMING, BIG);
	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		for (way = 0; way < ARRAY_SIZE(far_ways); way++) {
			far.offset = offsets[i];
			far.selector = SEL_TRY | 1;
			EXPECT(attempt(far_ways[way]) == FAULTED(VEC_GP),
			       "a far transfer into the hole is not #GP");
			far.selector = SEL_TRY2 | 1;
			EXPECT(attempt(far_ways[way]) == FAULTED(VEC_GP),
			       "a far transfer into the hole is not #GP");
		}
		at = offsets[i];
		EXPECT(attempt(do_jump) == FAULTED(VEC_GP), "a call into the hole is not #GP");
	}
	return NULL;
}

static const char *no_transfer(u32 selector)
{
	u32 way, rpl;

	for (rpl = 0; rpl < 4; rpl++) {
		far.selector = (u16)(selector | rpl);
		for (way = 0; way < ARRAY_SIZE(far_ways); way++) {
			EXPECT(attempt(far_ways[way]), "a far transfer did something");
			EXPECT(attempt_user(far_ways[way]), "it did something in ring 3");
		}
	}
	return NULL;
}

/* Gates and task states of the guest's: whatever they name, they do nothing. */
const char *case_system_descriptors(void)
{
	const char *why = NULL;
	u32 type, dpl;

	far.offset = MON_MEMORY;
	for (type = 0; type < 16 && !why; type++) {
		for (dpl = 0; dpl < 4 && !why; dpl++) {
			set_gdt(SEL_TRY, SEL_CODE0 << 16 | (MON_MEMORY & 0xffff),
				(MON_MEMORY & 0xffff0000) | 0x8000 | dpl << 13 | type << 8);
			EXPECT(!(lar(SEL_TRY | 3) & 0x8000), "a system descriptor is there");
			why = no_transfer(SEL_TRY);
		}
	}
	return why;
}

static void ldt_entry(u32 index, u32 low, u32 high)
{
	vmi5(VMI_CALL_WriteLDTEntry, (u32)ldt, index, low, high, 0);
}

/* The same in an LDT, and segments of 4 GiB there. */
const char *case_ldt_entries(void)
{
	const char *why = NULL;
	u32 type;

	vmi(VMI_CALL_SetLDT, SEL_LDT, 0, 0);
	far.offset = MON_MEMORY;
	for (type = 0; type < 16 && !why; type++) {
		ldt_entry(1, SEL_CODE0 << 16 | (MON_MEMORY & 0xffff),
			  (MON_MEMORY & 0xffff0000) | 0xe000 | type << 8);
		why = no_transfer(8 | 4);
	}
	ldt_entry(2, 0xffff, 0xcf9300);
	EXPECT(lsl(0x14 | 1) < RING1_END, "a segment of the LDT reaches the hole");
	ldt_entry(3, 0xffff, 0xcffb00);
	EXPECT(lsl(0x1c | 3) < RING1_END, "code of the LDT reaches the hole");
	ldt_entry(1023, 0xffff, 0xcffb00);
	EXPECT(lsl(0x1ffc | 3) < RING1_END, "the last entry reaches the hole");
	ldt_entry(1024, 0xffff, 0xcffb00);
	EXPECT(!lsl(0x2004 | 3), "there is an entry beyond the LDT");
	return why;
}

static const char *ldt_is_empty(u32 base)
{
	u32 i;

	segment(SEL_TRY, base, 0xffff, 0x82, 0);
	vmi(VMI_CALL_SetLDT, SEL_TRY, 0, 0);
	for (i = 0; i < 8192; i += 61)
		EXPECT(!lar(i * 8 | 7), "an LDT where there is no memory has descriptors");
	return NULL;
}

const char *case_ldt_in_hole(void)
{
	const char *why = ldt_is_empty(MON_GDT);

	return why ? why : ldt_is_empty(MON_MEMORY);
}

const char *case_ldt_unmapped(void)
{
	return ldt_is_empty(SPARE);
}

const char *case_ldt_in_monitor(void)
{
	return ldt_is_empty((u32)map(1, mon_base, PTE_ALL));
}

/* LDT selectors of every kind. */
const char *case_ldt_selectors(void)
{
	u32 selector;

	for (selector = 0; selector < 0x10000; selector += 4)
		if (selector < 0x1030 || selector > 0xff00)
			vmi(VMI_CALL_SetLDT, selector, 0, 0);
	for (selector = 0; selector < 0x1030; selector += 4)
		vmi(VMI_CALL_SetTR, selector, 0, 0);
	return NULL;
}

static struct { u16 limit; u32 base; } __attribute__((packed)) image;

static u64 set_table(enum vmi_call nr, u32 base, u32 limit)
{
	image.limit = (u16)limit;
	image.base = base;
	return vmi(nr, (u32)&image, 0, 0);
}

const char *case_gdt_in_hole(void)
{
	set_table(VMI_CALL_SetGDT, MON_GDT, 0xfff);
	return "a GDT in the hole was taken";
}

const char *case_gdt_unmapped(void)
{
	set_table(VMI_CALL_SetGDT, SPARE, 0xfff);
	return "a GDT that is not mapped was taken";
}

const char *case_gdt_in_monitor(void)
{
	set_table(VMI_CALL_SetGDT, (u32)map(1, mon_base, PTE_ALL), 0xfff);
	return "a GDT in the monitor's memory was taken";
}

const char *case_gdt_image_in_hole(void)
{
	vmi(VMI_CALL_SetGDT, MON_GDT, 0, 0);
	return "an image in the hole was taken";
}

const char *case_gdt_huge(void)
{
	set_table(VMI_CALL_SetGDT, (u32)gdt, 0xffff);
	EXPECT(!lsl(0x1010 | 3) && !lsl(0x1030 | 3) && !lsl(0xfff8 | 3),
	       "there is something beyond the GDT");
	return NULL;
}

const char *case_gdt_short(void)
{
	set_table(VMI_CALL_SetGDT, (u32)gdt, 7);
	return "it runs on without a code segment";
}

const char *case_gdt_cs_lost(void)
{
	set_gdt(SEL_CODE, 0xffff, 0xcf9300);
	return "it runs on with a code segment for data";
}

const char *case_gdt_ss_lost(void)
{
	set_gdt(SEL_DATA, 0, 0);
	return "it runs on without a stack segment";
}

/* DS is reloaded on the way back: it becomes null. */
static void write_ds_descriptor(void)
{
	asm volatile("mov %0, %%ds" : : "r" (SEL_TRY | 1));
	asm volatile("mov %0, %%fs" : : "r" (SEL_TRY | 1));
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TRY >> 3, 0, 0, 0);
	at = load((u32)&at);
}

const char *case_gdt_ds_lost(void)
{
	segment(SEL_TRY, 0, 0xfffff, DATA, BIG);
	attempt(write_ds_descriptor);
	asm volatile("mov %0, %%ds" : : "r" (SEL_DATA));
	return NULL;
}

/* The monitor's own selectors, in every register. */
static void load_ds(void)
{
	asm volatile("mov %0, %%ds" : : "r" (far.selector));
}

static void load_fs(void)
{
	asm volatile("mov %0, %%fs" : : "r" (far.selector));
}

static void load_ss(void)
{
	asm volatile("mov %0, %%ss" : : "r" (far.selector));
}

#define IS_FOR_RING1(selector)	(((selector) & ~3u) == (SEL_CODE1 & ~3u))

const char *case_monitor_selectors(void)
{
	u32 selector, way;

	far.offset = (u32)land_cs;
	for (selector = SEL_CODE0; selector < SEL_CODE0 + 0x28; selector++) {
		far.selector = (u16)selector;
		if (IS_FOR_RING1(selector))
			continue;
		EXPECT(attempt(load_ds) == FAULTED(VEC_GP), "it can be loaded into DS");
		EXPECT(attempt(load_fs) == FAULTED(VEC_GP), "it can be loaded into FS");
		EXPECT(attempt(load_ss) == FAULTED(VEC_GP), "it can be loaded into SS");
		EXPECT(attempt_user(load_ds) == FAULTED(VEC_GP), "ring 3 can load it into DS");
		for (way = 0; way < ARRAY_SIZE(far_ways); way++) {
			EXPECT(attempt(far_ways[way]), "it can be loaded into CS");
			EXPECT(attempt_user(far_ways[way]), "ring 3 can load it into CS");
		}
	}
	EXPECT(lsl(SEL_CODE1) < RING1_END, "the monitor's segment for ring 1 reaches the hole");
	return NULL;
}

/* Indices that wrap around. */
const char *case_write_index(void)
{
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, 0x20000000 | SEL_TRY >> 3, 0xffff, 0xcf9300, 0);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt - 0x1008, 0x201, 0, 0, 0);
	vmi(VMI_CALL_SetLDT, SEL_LDT, 0, 0);
	vmi5(VMI_CALL_WriteLDTEntry, (u32)ldt, 0x20000001, 0xffff, 0xcf9300, 0);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, 0x20000030, 0, 0, 0);
	EXPECT(lsl(SEL_TRY | 1) < RING1_END, "the segment reaches the hole");
	return NULL;
}

const char *case_write_ldt_hole(void)
{
	vmi5(VMI_CALL_WriteLDTEntry, MON_GDT, 1, 0, 0, 0);
	return "a descriptor was stored in the hole";
}

const char *case_write_idt_hole(void)
{
	vmi5(VMI_CALL_WriteIDTEntry, MON_VCPU, 1, 0, 0, 0);
	return "a gate was stored in the hole";
}

const char *case_write_idt_monitor(void)
{
	vmi5(VMI_CALL_WriteIDTEntry, (u32)map(1, mon_base, PTE_ALL), 1, 0, 0, 0);
	return "a gate was stored in the monitor's memory";
}

static void user_in(void)
{
	value = inb(0x80);
}

/* A task state with an I/O bitmap that ring 3 would be free in. */
const char *case_tss_in_hole(void)
{
	segment(SEL_TRY, MON_VCPU, 0x2fff, 0x89, 0);
	vmi(VMI_CALL_SetTR, SEL_TRY, 0, 0);
	EXPECT(attempt_user(user_in) == FAULTED(VEC_GP), "a task state in the hole was read");
	segment(SEL_TRY, 0xfffffff0, 0xffff, 0x89, 0);
	vmi(VMI_CALL_SetTR, SEL_TRY, 0, 0);
	EXPECT(attempt_user(user_in) == FAULTED(VEC_GP), "a task state around 4 GiB was read");
	return NULL;
}

