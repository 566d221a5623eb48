// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lazy modes: what may be put off, and when it must be done.
 *
 * Owns: faults, interrupts and flushes inside; leaving and entering again.
 * Not here: that the call keeps its registers (`mmu.c`).
 * Runs: after the rows of alarms, which it uses.
 * Fails: a text per row.
 */
#include "clock.h"
#include "habit.h"

#define AT(n)	(WINDOW + 0x80000 + (n) * 4096)
#define COUNT	64

static void lazy(u32 mode)
{
	vmi(VMI_CALL_SetLazyMode, mode, 0, 0);
}

static void put(u32 n, u32 mark)
{
	entry_set(window_entry(AT(n)), leaf_of(mark), VMI_PAGE_PT | VMI_PTE_CURRENT_AS |
		  VMI_PTE_DEFER | AT(n));
}

static void take_away(void)
{
	u32 i;

	for (i = 0; i < COUNT; i++)
		entry_set(window_entry(AT(i)), 0, VMI_PAGE_PT);
	flush(VMI_FLUSH_TLB);
}

static int all_read(u32 first)
{
	u32 i, good = 0;

	for (i = 0; i < COUNT; i++)
		good += reads(AT(i), (first + i) & 7);
	return good == COUNT;
}

static const char *t_batch(void)
{
	u32 i;

	take_away();
	lazy(VMI_LAZY_MMU);
	for (i = 0; i < COUNT; i++)
		put(i, i & 7);
	for (i = 0; i < COUNT; i++)
		if ((entry_get(window_entry(AT(i))) & ~0xfffull) != pa(marked[i & 7]))
			break;
	lazy(VMI_LAZY_OFF);
	CHECK(i == COUNT, "the guest's own table has not the new entry");
	CHECK(all_read(0), "not all are seen after leaving");
	lazy(VMI_LAZY_MMU);
	for (i = 0; i < COUNT; i++)
		put(i, (i + 3) & 7);
	lazy(VMI_LAZY_OFF);
	flush(VMI_FLUSH_TLB);
	CHECK(all_read(3), "not all changes are seen");
	return NULL;
}

/* More than any queue holds, each entry several times: the last one counts. */
static const char *t_overflow(void)
{
	u32 round, i;

	take_away();
	lazy(VMI_LAZY_MMU);
	for (round = 0; round < 30; round++)
		for (i = 0; i < COUNT; i++)
			put(i, (i + round) & 7);
	lazy(VMI_LAZY_OFF);
	flush(VMI_FLUSH_TLB);
	CHECK(all_read(29), "not the last of each entry's values");
	return NULL;
}

static const char *t_fault(void)
{
	int seen, removed;

	take_away();
	lazy(VMI_LAZY_MMU);
	put(0, 0);
	put(1, 1);
	seen = reads(AT(0), 0) && reads(AT(1), 1);
	put(2, 2);
	removed = touch(AT(3)) && reads(AT(2), 2);
	lazy(VMI_LAZY_OFF);
	CHECK(seen, "a new entry is not seen by an access inside");
	CHECK(removed, "a fault of the guest's own inside");
	return NULL;
}

/* A directory's entry, as a fault on vmalloc memory copies it. */
static const char *t_fault_directory(void)
{
	u32 *t = scratch(12);
	int seen;

	clear_page(t);
	page_announce(t, VMI_PAGE_PT | VMI_PAGE_ZEROED | PAE_FLAG);
	lazy(VMI_LAZY_MMU);
	entry_set(entry_at(t, 1), leaf_of(1), VMI_PAGE_PT | VMI_PTE_DEFER);
	entry_set(dir_entry(BIG), pa(t) | TABLE, VMI_PAGE_PD | VMI_PTE_DEFER);
	seen = reads(BIG + 0x1000, 1);
	lazy(VMI_LAZY_OFF);
	CHECK(seen, "not seen inside");
	CHECK(reads(BIG + 0x1000, 1), "not seen after leaving");
	dir_set(BIG, 0, VMI_PAGE_PD);
	page_release(t, VMI_PAGE_PT | PAE_FLAG);
	return NULL;
}

static const char *t_flushes(void)
{
	int one, all, global, root;

	lazy(VMI_LAZY_MMU);
	put(0, 0);
	inval(AT(0));
	one = reads(AT(0), 0);
	put(0, 1);
	inval(AT(0));
	one &= reads(AT(0), 1);
	put(0, 2);
	flush(VMI_FLUSH_TLB);
	all = reads(AT(0), 2);
	put(0, 3);
	flush(VMI_FLUSH_TLB | VMI_FLUSH_GLOBAL);
	global = reads(AT(0), 3);
	put(0, 4);
	root_home();
	root = reads(AT(0), 4);
	lazy(VMI_LAZY_OFF);
	CHECK(one, "InvalPage inside does not show the change");
	CHECK(all, "FlushTLB inside does not");
	CHECK(global, "FlushTLB of global entries inside does not");
	CHECK(root, "SetCR3 inside does not");
	return NULL;
}

/* Some kernels flush by 1, 0, 1. */
static const char *t_again(void)
{
	int seen;

	take_away();
	lazy(VMI_LAZY_MMU);
	put(0, 5);
	lazy(VMI_LAZY_OFF);
	lazy(VMI_LAZY_MMU);
	seen = reads(AT(0), 5);
	put(1, 6);
	lazy(VMI_LAZY_OFF);
	CHECK(seen, "the first part is not seen in the second");
	CHECK(reads(AT(1), 6), "the second part is not seen");
	lazy(VMI_LAZY_OFF);		/* twice off */
	put(2, 7);
	CHECK(reads(AT(2), 7), "still lazy");
	return NULL;
}

static int handled;

/* In the handler of a fault: changes more, and touches what is queued. */
static int in_handler(void)
{
	if (fault.vector != 6)
		return 0;
	put(5, 5);
	put(6, 6);
	handled = *(volatile u32 *)AT(4) == mark_of(4) && *(volatile u32 *)AT(5) == mark_of(5);
	fault.eip += 2;
	return 1;
}

static const char *t_handler(void)
{
	take_away();
	handled = 0;
	fault_handler = in_handler;
	lazy(VMI_LAZY_MMU);
	put(4, 4);
	asm volatile("ud2" : : : "memory");
	put(7, 7);
	lazy(VMI_LAZY_OFF);
	fault_handler = NULL;
	CHECK(handled, "the handler does not see what was queued");
	CHECK(reads(AT(6), 6) && reads(AT(7), 7), "lost behind the handler");
	return NULL;
}

/* Interrupts inside, while entries are set without end. */
static const char *with_interrupts(u32 mode)
{
	u64 p = ms(1), e0 = now() + p, end = e0 + ms(60);
	u32 start = irq0_count, i = 0, round = 0, flags = VMI_ALARM_PERIODIC;

	take_away();
	vmi5(VMI_CALL_SetAlarm, flags, (u32)e0, (u32)(e0 >> 32), (u32)p, 0);
	lazy(mode);
	irq_on();
	while (now() < end || irq0_count - start < 3) {
		for (i = 0; i < COUNT; i++)
			put(i, (i + round) & 7);
		round++;
		if (now() > end + ms(TIMEOUT_MS))
			break;
	}
	irq_off();
	lazy(VMI_LAZY_OFF);
	vmi(VMI_CALL_CancelAlarm, flags, 0, 0);
	flush(VMI_FLUSH_TLB);
	CHECK(irq0_count - start >= 3, "no interrupts came");
	CHECK(all_read(round - 1), "an entry is not the last that was set");
	drain();
	return NULL;
}

static const char *t_interrupts(void)
{
	return with_interrupts(VMI_LAZY_MMU);
}

static const char *t_interrupts_cpu(void)
{
	return with_interrupts(VMI_LAZY_CPU);
}

static u32 ldt2[4];

static u32 gs_of(u32 selector)
{
	u32 v;

	asm volatile("mov %1, %%gs\n\t"
		     "movl %%gs:0, %0\n\t"
		     "mov %2, %%gs" : "=&r" (v) : "r" (selector), "r" (0));
	return v;
}

static void data_at(u32 *d, const void *base)
{
	d[0] = (u32)base << 16 | 0xffff;
	d[1] = ((u32)base & 0xff000000) | ((u32)base >> 16 & 0xff) | 0x40f200;
}

/* All that a context switch changes, in its order. */
static const char *t_switch(void)
{
	struct root r = root_make(20);
	u32 *t = scratch(13), d[2], tls, ldt, cr3, fpu, seen;
	const char *why;

	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(2));
	entry_write(root_entry_of(&r, BIG), pa(t) | TABLE);
	data_at(ldt2, &fs_word[1]);
	vmi(VMI_CALL_SetCR0, cr_read(0) | 8, 0, 0);
	set_base(SEL_TEST2, (u32)ldt2, sizeof(ldt2) - 1, 0x82);

	lazy(VMI_LAZY_CPU);
	root_load(&r);
	kernel_stack(ENTRY_STACK_TOP - 192);
	data_at(d, &fs_word[1]);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, d[0], d[1], 0);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST2 / 8, gdt[SEL_TEST2 / 8][0],
	     gdt[SEL_TEST2 / 8][1], 0);
	vmi(VMI_CALL_SetLDT, SEL_TEST2, 0, 0);
	vmi(VMI_CALL_SetIOPLMask, 0, 0, 0);
	vmi(VMI_CALL_CLTS, 0, 0, 0);
	cr3 = cr_read(3);
	lazy(VMI_LAZY_OFF);

	asm volatile("fninit");
	fpu = cr_read(0) & 8;
	seen = reads(BIG, 2);
	tls = gs_of(SEL_TEST | 3);
	ldt = gs_of(7);
	why = user_trip();
	root_home();
	vmi(VMI_CALL_SetLDT, 0, 0, 0);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, 0, 0, 0);
	CHECK(cr3 == pa(r.top) && seen, "the root is not the new one");
	CHECK(!fpu, "TS is still set");
	CHECK(tls == fs_word[1], "the GDT has not the new entry");
	CHECK(ldt == fs_word[1], "the LDT is not the new one");
	CHECK(!why, why);
	CHECK(back_frame == ENTRY_STACK_TOP - 192 - 20, "the kernel stack is not the new one");
	return NULL;
}

/* A fault inside a context switch is one in the new address space. */
static const char *t_switch_fault(void)
{
	struct root r = root_make(22);
	u32 *t = scratch(14);
	int seen, later;

	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(3));
	entry_write(root_entry_of(&r, BIG), pa(t) | TABLE);
	lazy(VMI_LAZY_CPU);
	root_load(&r);
	seen = reads(BIG, 3);
	lazy(VMI_LAZY_OFF);
	later = reads(BIG, 3);
	lazy(VMI_LAZY_CPU);
	root_home();
	lazy(VMI_LAZY_OFF);
	CHECK(seen, "not mapped inside");
	CHECK(later, "not mapped after leaving");
	CHECK(touch(BIG), "the way back did not leave it");
	return NULL;
}

/* Mode 1 is left for a switch and taken up again. */
static const char *t_nested(void)
{
	struct root r = root_make(24);
	u32 *t = scratch(15);
	int seen;

	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(4));
	entry_write(root_entry_of(&r, BIG), pa(t) | TABLE);
	take_away();
	lazy(VMI_LAZY_MMU);
	put(0, 1);
	lazy(VMI_LAZY_OFF);
	lazy(VMI_LAZY_CPU);
	root_load(&r);
	lazy(VMI_LAZY_OFF);
	lazy(VMI_LAZY_MMU);
	put(1, 2);
	seen = reads(BIG, 4) && reads(AT(0), 1);
	lazy(VMI_LAZY_OFF);
	seen &= reads(AT(1), 2);
	root_home();
	CHECK(seen, "an entry or the root was lost");
	return NULL;
}

/* Halt inside: nothing may be left undone while the CPU sleeps. */
static const char *t_halt(void)
{
	u64 expiry = now() + ms(5);
	int seen;

	take_away();
	put(3, 2);
	CHECK(reads(AT(3), 2), "before");
	lazy(VMI_LAZY_MMU);
	put(3, 3);
	vmi5(VMI_CALL_SetAlarm, VMI_CYCLES_REAL, (u32)expiry, (u32)(expiry >> 32), 0, 0);
	vmi(VMI_CALL_Halt, 0, 0, 0);
	irq_off();
	inval(AT(3));
	seen = reads(AT(3), 3);
	lazy(VMI_LAZY_OFF);
	CHECK(seen, "a change was lost");
	return NULL;
}

static const struct test tests[] = {
	{ "73: mode 1, changes of one table", t_batch },
	{ "73: mode 1, 1920 changes", t_overflow },
	{ "73: mode 1, faults inside", t_fault },
	{ "73: mode 1, a directory's entry and a fault", t_fault_directory },
	{ "73: mode 1, flushes inside", t_flushes },
	{ "73: mode 1, 0, 1", t_again },
	{ "73: mode 1, a handler that changes more", t_handler },
	{ "73: mode 1, interrupts inside", t_interrupts },
	{ "73: mode 2, interrupts inside", t_interrupts_cpu },
	{ "73: mode 2, a context switch", t_switch },
	{ "73: mode 2, a fault inside", t_switch_fault },
	{ "73: mode 1 left for mode 2", t_nested },
	{ "73: mode 1, Halt inside", t_halt },
};

const struct test_group lazy_tests = { tests, ARRAY_SIZE(tests), NULL,
	VMI_CALL_GetCycleFrequency };
