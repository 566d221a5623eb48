// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: what ring 1 sees of the monitor, and calls with arguments that make no
 * sense.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1.
 * Fails: with a text.
 */
#include "escape.h"

#define SITES		(RING1_CODE + 8)
#define SITE(nr)	(SITES + 4 * (nr))
#define PAGE1_STUBS	0xa00		/* code that traps of ring 3 come by */
#define PAGE1_WORDS	1024

/* The page of data that ring 1 may write: rom/monitor/monitor.h, struct ring1. */
#define PAGE1_LAZY	2
#define PAGE1_CR0	4
#define PAGE1_CR3	12
#define PAGE1_CR4	16
#define PAGE1_LINEAR	20
#define PAGE1_QUEUED	48
#define PAGE1_CHANGE	52
#define PAGE1_QUEUE	64

static u32 random_state = 2463534242u;

static u32 random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 17;
	random_state ^= random_state << 5;
	return random_state;
}

static u32 saved[PAGE1_WORDS];

static void page1_save(void)
{
	u32 i;

	for (i = 0; i < PAGE1_WORDS; i++)
		saved[i] = load(RING1_DATA + 4 * i);
}

static void page1_load(void)
{
	u32 i;

	for (i = 0; i < PAGE1_WORDS; i++)
		store(RING1_DATA + 4 * i, saved[i]);
}

static void user_ud(void)
{
	asm volatile("ud2");
}

/* All that makes the monitor look at that page. */
static void use_everything(void)
{
	vmi(VMI_CALL_FlushTLB, 3, 0, 0);
	vmi(VMI_CALL_UpdatePxE, (u32)window_table, 0, 0);
	vmi(VMI_CALL_InvalPage, WINDOW, 0, 0);
	vmi(VMI_CALL_SetLazyMode, 1, 0, 0);
	entry_set(window_table, 3, phys(big_area) | PTE_ALL);
	vmi(VMI_CALL_SetLazyMode, 0, 0, 0);
	vmi(VMI_CALL_SetCR0, 0x80050033, 0, 0);
	vmi(VMI_CALL_SetCR4, 0, 0, 0);
	vmi(VMI_CALL_CLTS, 0, 0, 0);
	vmi(VMI_CALL_GetCycleCounter, 1, 0, 0);
	at = SPARE;
	attempt(do_read);
	attempt(do_write);
	at = HOLE - 4;
	attempt(do_read);
}

static void page1_store(u32 offset, u32 v)
{
	store(RING1_DATA + offset, v);
}

const char *case_page1_queue(void)
{
	static const u32 counts[] = { 1, 448, 449, 1024, 0x7fffffff, 0xffffffff };
	static const u32 places[] = {
		0, 1, 4095, SPARE, KERNEL, HOLE, RING1_DATA, MON_GDT, MON_VCPU, MON_WINDOW,
		MON_MEMORY, 0xffffffff,
	};
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(counts) * ARRAY_SIZE(places); i++) {
		for (k = PAGE1_QUEUE; k < PAGE1_STUBS; k += 4)
			page1_store(k, places[i % ARRAY_SIZE(places)] + (k & 0x30));
		page1_store(PAGE1_QUEUED, counts[i / ARRAY_SIZE(places)]);
		vmi(VMI_CALL_FlushTLB, 1, 0, 0);
		EXPECT(load(RING1_DATA + PAGE1_QUEUED) == 0, "the queue is not empty afterwards");
	}
	for (k = PAGE1_QUEUE; k < PAGE1_STUBS; k += 4)
		page1_store(k, 0);
	return NULL;
}

/* Where entries lie, as SetLinearMapping has it, is copied there. */
const char *case_page1_linear(void)
{
	u32 i;

	page1_save();
	for (i = 0; i < 3; i++)
		page1_store(PAGE1_LINEAR + 4 * i, 0xffffffff);
	use_everything();
	page1_store(PAGE1_LINEAR, 0);
	page1_store(PAGE1_LINEAR + 8, mon_base >> 12);
	use_everything();
	page1_load();
	return NULL;
}

/* Paging and its formats are not up to the copies of control registers. */
const char *case_page1_registers(void)
{
	page1_save();
	page1_store(PAGE1_CR0, 0);
	page1_store(PAGE1_CR4, 0xffffffff);
	vmi(VMI_CALL_SetCR4, 0, 0, 0);
	vmi(VMI_CALL_SetCR0, 0, 0, 0);
	use_everything();
	page1_store(PAGE1_CR0, 0xffffffff);
	page1_store(PAGE1_CR4, 0);
	vmi(VMI_CALL_SetCR0, 0xffffffff, 0, 0);
	vmi(VMI_CALL_SetCR4, 0xffffffff, 0, 0);
	use_everything();
	page1_load();
	return NULL;
}

const char *case_page1_root(void)
{
	page1_store(PAGE1_CR3, mon_base);
	page1_store(PAGE1_CHANGE, 1);
	vmi(VMI_CALL_FlushTLB, 1, 0, 0);
	return "it runs on with the monitor's memory as root";
}

/* Everything but the root and the stubs, time and again. */
const char *case_page1_random(void)
{
	u32 round, i;

	for (round = 0; round < 200; round++) {
		page1_save();
		for (i = 0; i < PAGE1_STUBS; i += 4)
			if (i != PAGE1_CR3 && i != PAGE1_CHANGE)
				page1_store(i, random() & (round & 1 ? ~0u : random() & random()));
		use_everything();
		attempt_user(user_ud);
		page1_load();
	}
	return NULL;
}

/* The stubs in a loop of their own: the stack goes down until it ends. */
const char *case_page1_stubs(void)
{
	u32 i;

	for (i = PAGE1_STUBS; i < 4096; i += 4)
		page1_store(i, 0x0b0f0b0f);
	asm volatile("mov %0, %%esp\n\tud2" : : "r" (KERNEL + 0x3000));
	return "it runs on";
}

const char *case_page1_jump(void)
{
	u32 i;

	for (i = PAGE1_STUBS; i < 4096; i += 4)
		page1_store(i, 0x1fcd1fcd);
	at = RING1_DATA + PAGE1_STUBS;
	do_jump();
	return "it runs on";
}

static const char *is_readonly(u32 address)
{
	at = address;
	value = 0xdeadbeef;
	EXPECT(attempt(do_write), "a page of the monitor can be written");
	return NULL;
}

const char *case_code_readonly(void)
{
	const char *why = is_readonly(RING1_CODE);

	why = why ? why : is_readonly(RING1_CODE + 0xffc);
	return why ? why : is_readonly(RING1_FILTER + 0x10);
}

/* What SGDT and SIDT show is there, but not to be written. */
const char *case_tables_readonly(void)
{
	struct { u16 limit; u32 base; } __attribute__((packed)) g, i;
	const char *why;

	asm volatile("sgdt %0\n\tsidt %1" : "=m" (g), "=m" (i));
	why = is_readonly(g.base + SEL_CODE);
	why = why ? why : is_readonly(g.base + SEL_CODE0);
	why = why ? why : is_readonly(i.base + 8 * VEC_GP);
	why = why ? why : is_readonly(MON_TSS + 4);
	vmi(VMI_CALL_SetLDT, SEL_LDT, 0, 0);
	return why ? why : is_readonly(MON_LDT + 8);
}

static const u32 hole_places[] = {
	RING1_CODE, RING1_DATA, RING1_FILTER, RING1_END, MON_GDT, MON_IDT, MON_TSS, MON_VCPU,
	MON_LAPIC, MON_LDT, MON_WINDOW, MON_MEMORY, MON_MEMORY + 0x200000, 0xffffffe0,
};

const char *case_hole_user(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(hole_places); i++) {
		at = hole_places[i];
		EXPECT(attempt_user(do_read), "ring 3 reads the hole");
		EXPECT(attempt_user(do_write), "ring 3 writes the hole");
		EXPECT(attempt_user(do_jump), "ring 3 runs in the hole");
	}
	return NULL;
}

const char *case_hole_kernel(void)
{
	u32 i;

	for (i = 3; i < ARRAY_SIZE(hole_places); i++) {
		at = hole_places[i];
		EXPECT(attempt(do_read) == FAULTED(VEC_GP), "ring 1 reads the hole");
		EXPECT(attempt(do_write) == FAULTED(VEC_GP), "ring 1 writes the hole");
		EXPECT(attempt(do_jump) == FAULTED(VEC_GP), "ring 1 runs in the hole");
	}
	return NULL;
}

static void hole_string(void)
{
	asm volatile("rep movsb" : : "S" (KERNEL), "D" (RING1_END - 16), "c" (64) : "memory");
}

static void hole_straddle(void)
{
	store(RING1_END - 2, 0);
}

static void hole_stack(void)
{
	asm volatile("push %%ebp\n\tmov %0, %%ebp\n\tmovl (%%ebp), %%eax\n\tpop %%ebp"
		     : : "r" (MON_VCPU) : "eax");
}

static void hole_code(void)
{
	asm volatile("movl %%cs:(%0), %%eax" : : "r" (MON_MEMORY) : "eax");
}

const char *case_hole_ways(void)
{
	EXPECT(attempt(hole_string), "a string goes on into the hole");
	EXPECT(attempt(hole_straddle), "a word goes on into the hole");
	EXPECT(attempt(hole_stack) == FAULTED(VEC_SS), "SS reaches the hole");
	EXPECT(attempt(hole_code) == FAULTED(VEC_GP), "CS reaches the hole");
	return NULL;
}

/* Between the bytes of the calls' entries: POP DS, RET. */
static void middle_of_site(void)
{
	asm volatile("push $1f\n\tpush %0\n\tjmp *%1\n1:" : : "r" (SEL_DATA), "r" (at));
}

const char *case_jump_sites(void)
{
	u32 nr;

	for (nr = 0; nr < VMI_CALL_NR; nr++) {
		at = SITE(nr) + 1;
		attempt(middle_of_site);
	}
	return NULL;
}

/* Entries' addresses that are none. */
static void set_pxe(void)
{
	if (pae)
		vmi5(VMI_CALL_SetPxELong, mon_base | PTE_ALL, 0, at, VMI_PAGE_PT, 0);
	else
		vmi(VMI_CALL_SetPxE, mon_base | PTE_ALL, at, VMI_PAGE_PT);
}

const char *case_pxe_addresses(void)
{
	static const u32 bad[] = { SPARE, MON_GDT, RING1_CODE, MON_IDT + 8, HOLE - 8, 0 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		at = bad[i];
		EXPECT(attempt(set_pxe), "an entry was stored where no memory is");
	}
	for (at = (u32)table_page + 1; at < (u32)table_page + 8; at++)
		EXPECT(!attempt(set_pxe), "an entry cannot be stored at an odd address");
	return NULL;
}

const char *case_pxe_in_hole(void)
{
	at = MON_VCPU + 0x100;
	EXPECT(attempt(set_pxe) == FAULTED(VEC_GP), "an entry was stored in the hole");
	return NULL;
}

const char *case_pxe_in_monitor(void)
{
	at = (u32)map(1, mon_base, PTE_ALL);
	set_pxe();
	return "an entry was stored in the monitor's memory";
}

const char *case_update_anywhere(void)
{
	u32 i;

	for (i = 0; i < 20000; i++)
		vmi(VMI_CALL_UpdatePxE, random(), random(), 0);
	return NULL;
}

/* A linear mapping is a hint, not a right. */
const char *case_linear_mapping(void)
{
	u32 i;

	for (i = 0; i < VMI_LINEAR_MAP_SLOTS + 2; i++) {
		vmi5(VMI_CALL_SetLinearMapping, i, WINDOW, mon_size >> 12, mon_base >> 12, 0);
		vmi(VMI_CALL_UpdatePxE, WINDOW + 0x10, 0, 0);
		entry_set((void *)map(1, phys(table_page), PTE_ALL), 0, mon_base | PTE_ALL);
		vmi5(VMI_CALL_SetLinearMapping, i, MON_MEMORY, 0xffffffff, 0, 0);
		vmi(VMI_CALL_UpdatePxE, MON_MEMORY, 0, 0);
		vmi5(VMI_CALL_SetLinearMapping, i, 0, 0xffffffff, 0xffffffff, 0);
		vmi(VMI_CALL_UpdatePxE, (u32)window_table, 0, 0);
		vmi5(VMI_CALL_SetLinearMapping, 0xffffffff - i, 0, 1, mon_base >> 12, 0);
	}
	return NULL;
}

/* Pages as tables that cannot be, and tables that are in use as pages. */
const char *case_allocate(void)
{
	static const u32 flags[] = { 0, 1, 2, 4, 8, 0x42, 0x52, 0x62, 0x72, 0xffffffff };
	u32 i, frames[8];

	frames[0] = mon_base >> 12;
	frames[1] = (mon_base + mon_size - 1) >> 12;
	frames[2] = 0xffffffff;
	frames[3] = memory_frames;
	frames[4] = phys(page_dir) >> 12;
	frames[5] = phys(window_table) >> 12;
	frames[6] = 0xfee00;
	frames[7] = phys(pdpt) >> 12;
	for (i = 0; i < ARRAY_SIZE(flags) * ARRAY_SIZE(frames); i++) {
		u32 frame = frames[i % ARRAY_SIZE(frames)], f = flags[i / ARRAY_SIZE(frames)];

		vmi5(VMI_CALL_AllocatePage, frame, f, mon_base >> 12, 0xffffffff, 0xffffffff);
		vmi(VMI_CALL_ReleasePage, frame, f, 0);
		vmi(VMI_CALL_ReleasePage, frame, f, 0);
		vmi5(VMI_CALL_AllocatePage, frame, f, frame, 768, 256);
	}
	return NULL;
}

/* Watches on what the monitor itself uses. */
const char *case_debug_registers(void)
{
	static const u32 places[] = { MON_VCPU, MON_MEMORY, RING1_DATA, HOLE - 1 };
	u32 i, k;

	for (k = 0; k < 4; k++) {
		for (i = 0; i < 4; i++)
			vmi(VMI_CALL_SetDR, i, places[(i + k) & 3], 0);
		vmi(VMI_CALL_SetDR, 7, 0xffff27ff, 0);
		use_everything();
		vmi(VMI_CALL_SetDR, 7, 0x000027ff, 0);
		use_everything();
		vmi(VMI_CALL_GetDR, 7, 0, 0);
		for (i = 0; i < 8; i++)
			EXPECT((u32)vmi(VMI_CALL_GetDR, i, 0, 0) < HOLE - 8 || i > 3,
			       "a watch on the hole was taken");
	}
	for (i = 8; i < 40; i++)
		vmi(VMI_CALL_SetDR, i, 0xffffffff, 0);
	vmi(VMI_CALL_SetDR, 0xffffffff, 0, 0);
	vmi(VMI_CALL_GetDR, 0xffffffff, 0, 0);
	return NULL;
}

/* The same by the instructions, and by a user. */
static void user_dr(void)
{
	asm volatile("mov %0, %%db7" : : "r" (0x2700));
}

const char *case_debug_instructions(void)
{
	asm volatile("mov %0, %%db0" : : "r" (MON_MEMORY));
	asm volatile("mov %0, %%db7" : : "r" (0x2703));
	use_everything();
	asm volatile("mov %0, %%db7" : : "r" (0));
	EXPECT(attempt_user(user_dr) == FAULTED(VEC_GP), "ring 3 sets DR7");
	return NULL;
}

/* Armed natively, before Init: breakpoints in the monitor's code. */
void before_debug_before(void)
{
	asm volatile("mov %0, %%db0" : : "r" (MON_MEMORY));
	asm volatile("mov %0, %%db1" : : "r" (MON_MEMORY + 0x400));
	asm volatile("mov %0, %%db2" : : "r" (MON_VCPU + 0x3f00));
	asm volatile("mov %0, %%db3" : : "r" (RING1_CODE + 0x7c));
	asm volatile("mov %0, %%db7" : : "r" (0x0f00070f));
}

const char *case_debug_before(void)
{
	u32 i;

	use_everything();
	for (i = 0; i < 4; i++)
		EXPECT((u32)vmi(VMI_CALL_GetDR, i, 0, 0) < HOLE, "a watch is still there");
	return NULL;
}

/* Paging, protection and the table format stay. */
const char *case_control_registers(void)
{
	static const u32 values[] = { 0, 0xffffffff, 0x7fffffff, 1, 0x60000011 };
	u32 i, v;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		vmi(VMI_CALL_SetCR0, values[i], 0, 0);
		asm volatile("mov %0, %%cr0" : : "r" (values[i]));
		asm volatile("lmsw %w0" : : "r" (values[i]));
		asm volatile("mov %%cr0, %0" : "=r" (v));
		EXPECT((v & 0x80010001) == 0x80010001, "PE, PG or WP could be cleared");
		vmi(VMI_CALL_SetCR4, values[i], 0, 0);
		asm volatile("mov %0, %%cr4" : : "r" (values[i]));
		asm volatile("mov %%cr4, %0" : "=r" (v));
		EXPECT(!(v & 0x20) == !pae, "PAE changed");
		use_everything();
	}
	vmi(VMI_CALL_SetCR0, 0x80010031, 0, 0);
	vmi(VMI_CALL_SetCR4, 0x90, 0, 0);
	return NULL;
}

/* Every call with numbers out of a hat. What ends the machine is left out. */
static struct invoke wild;

static void do_wild(void)
{
	invoke(&wild);
}

static int is_tame(u32 nr)
{
	switch (nr) {
	case VMI_CALL_SetGDT:
	case VMI_CALL_SetIDT:
	case VMI_CALL_GetGDT:
	case VMI_CALL_GetIDT:
	case VMI_CALL_WriteGDTEntry:
	case VMI_CALL_WriteLDTEntry:
	case VMI_CALL_WriteIDTEntry:
	case VMI_CALL_UpdateKernelStack:
	case VMI_CALL_SetCR3:
	case VMI_CALL_IRET:
	case VMI_CALL_SYSEXIT:
	case VMI_CALL_Halt:
	case VMI_CALL_Reboot:
	case VMI_CALL_Shutdown:
	case VMI_CALL_INL ... VMI_CALL_OUTSW:
	case VMI_CALL_SetInitialAPState:
	case VMI_CALL_SetCallbacks:
		return 0;
	default:
		return 1;
	}
}

const char *case_wild_calls(void)
{
	u32 round, nr;

	page1_save();
	for (round = 0; round < 4000; round++) {
		nr = random() % VMI_CALL_NR;
		if (!is_tame(nr))
			continue;
		wild = (struct invoke) {
			.target = targets[nr], .eax = random(), .edx = random(), .ecx = random(),
			.ebx = random(), .esi = random(), .edi = random(),
			.arg4 = random(), .arg5 = random(),
		};
		if (round & 1)
			wild.eax &= 0xff;
		/* SetPxE stores where it is told: into the guest's own memory, too. */
		if (nr == VMI_CALL_SetPxE || nr == VMI_CALL_SetPxELong)
			wild.edx = wild.ecx = (u32)table_page + (random() & 0xff8);
		attempt(do_wild);
		page1_load();
	}
	return NULL;
}
