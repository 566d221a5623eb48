// SPDX-License-Identifier: GPL-2.0-only
/*
 * Habit: only six kinds of sites are patched, and the rest stays instructions.
 *
 * Owns: what each instruction does that only ring 0 may execute.
 * Not here: instructions that do not trap in an outer ring, and so cannot be
 * mended: PUSHF, POPF, IRET, SGDT, SIDT, SLDT, STR, SMSW.
 * Runs: after the rows of alarms.
 * Fails: a text per row.
 */
#include "clock.h"
#include "habit.h"

#define MSR_SYSENTER_CS	0x174
#define CR0_TS		8
#define CR4_DE		8
#define CR4_PGE		0x80u

static const char *t_cr_read(void)
{
	CHECK(READ_REG(cr0) == (u32)vmi(VMI_CALL_GetCR0, 0, 0, 0), "CR0");
	vmi(VMI_CALL_SetCR2, 0x1234567, 0, 0);
	CHECK(READ_REG(cr2) == 0x1234567, "CR2");
	CHECK(READ_REG(cr3) == (pae ? pa(pdpt) : pa(page_dir)), "CR3");
	CHECK(READ_REG(cr4) == (u32)vmi(VMI_CALL_GetCR4, 0, 0, 0), "CR4");
	return NULL;
}

static void use_fpu(void)
{
	asm volatile("fnop");
}

static const char *t_cr_write(void)
{
	u32 cr0 = READ_REG(cr0), cr4 = READ_REG(cr4);

	WRITE_REG(cr2, 0x7654321);
	CHECK((u32)vmi(VMI_CALL_GetCR2, 0, 0, 0) == 0x7654321, "CR2");
	WRITE_REG(cr4, cr4 ^ CR4_DE);
	CHECK(READ_REG(cr4) == (cr4 ^ CR4_DE), "CR4");
	WRITE_REG(cr4, cr4);
	WRITE_REG(cr0, cr0 | CR0_TS);
	CHECK(fault_try(use_fpu) && fault.vector == 7, "CR0: no #NM with TS");
	asm volatile("clts");
	CHECK(!fault_try(use_fpu) && !(READ_REG(cr0) & CR0_TS), "CLTS");
	asm volatile("lmsw %w0" : : "r" (cr0 | CR0_TS));
	CHECK(fault_try(use_fpu) && fault.vector == 7, "LMSW: no #NM with TS");
	asm volatile("clts");
	CHECK(READ_REG(cr0) == cr0, "CR0 afterwards");
	return NULL;
}

/* Told, but not flushed: the instruction has to do that. */
static void change(u32 n, u32 flags)
{
	entry_set(window_entry(WINDOW_TEST), leaf_of(n) | flags,
		  VMI_PAGE_PT | VMI_PTE_CURRENT_AS | VMI_PTE_DEFER | WINDOW_TEST);
}

static const char *t_cr3(void)
{
	struct root r = root_make(26);
	u32 *t = scratch(14);
	int seen;

	map(WINDOW_TEST, leaf_of(0));
	CHECK(reads(WINDOW_TEST, 0), "before");
	change(1, 0);
	WRITE_REG(cr3, READ_REG(cr3));
	CHECK(reads(WINDOW_TEST, 1), "did not flush");
	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(5));
	entry_write(root_entry_of(&r, BIG), pa(t) | TABLE);
	WRITE_REG(cr3, pa(r.top));
	seen = READ_REG(cr3) == pa(r.top) && reads(BIG, 5);
	WRITE_REG(cr3, pae ? pa(pdpt) : pa(page_dir));
	CHECK(seen, "another root is not loaded");
	CHECK(touch(BIG), "the way back did not leave it");
	return NULL;
}

static const char *t_invlpg(void)
{
	map(WINDOW_TEST, leaf_of(2) | PTE_G);
	CHECK(reads(WINDOW_TEST, 2), "before");
	change(3, PTE_G);
	asm volatile("invlpg (%0)" : : "r" (WINDOW_TEST) : "memory");
	CHECK(reads(WINDOW_TEST, 3), "by a register");
	change(4, PTE_G);
	asm volatile("invlpg %0" : : "m" (*(u32 *)WINDOW_TEST) : "memory");
	CHECK(reads(WINDOW_TEST, 4), "by an address");
	asm volatile("mov %0, %%fs" : : "r" (SEL_FS));
	change(5, PTE_G);
	asm volatile("invlpg %%fs:(%0)" : : "r" (WINDOW_TEST - (u32)fs_word) : "memory");
	CHECK(reads(WINDOW_TEST, 5), "through FS");
	if (READ_REG(cr4) & CR4_PGE) {	/* all of them, as kernels do it */
		change(6, PTE_G);
		WRITE_REG(cr4, READ_REG(cr4) & ~CR4_PGE);
		WRITE_REG(cr4, READ_REG(cr4) | CR4_PGE);
		CHECK(reads(WINDOW_TEST, 6), "by CR4.PGE");
	}
	map(WINDOW_TEST, 0);
	return NULL;
}

static u32 fs_read(u32 selector)
{
	u32 v;

	asm volatile("mov %1, %%fs\n\t"
		     "movl %%fs:0, %0" : "=r" (v) : "r" (selector));
	return v;
}

static const char *t_lgdt(void)
{
	static u32 copy[GDT_ENTRIES][2];
	struct desc_ptr p = { sizeof(copy) - 1, (u32)copy };
	struct desc_ptr back = { GDT_ENTRIES * 8 - 1, (u32)gdt };
	u32 i, there, again;

	for (i = 0; i < GDT_ENTRIES; i++) {
		copy[i][0] = gdt[i][0];
		copy[i][1] = gdt[i][1];
	}
	copy[SEL_FS / 8][0] = (u32)&fs_word[1] << 16 | 0xffff;
	asm volatile("lgdtl %0" : : "m" (p));
	there = fs_read(SEL_FS);
	asm volatile("lgdtl %0" : : "m" (back));
	again = fs_read(SEL_FS);
	CHECK(there == fs_word[1], "the new table is not used");
	CHECK(again == fs_word[0], "the old table is not used again");
	return NULL;
}

extern volatile u32 test_hits, other_hits;
extern const char int_test[], int_other[];

static void do_int(void)
{
	asm volatile("int %0" : : "i" (VECTOR_TEST) : "memory");
}

static const char *t_lidt(void)
{
	static u32 copy[256][2];
	struct desc_ptr p = { 256 * 8 - 1, (u32)copy }, back = { 256 * 8 - 1, (u32)idt };
	u32 i, before = other_hits, there;

	for (i = 0; i < 256; i++) {
		copy[i][0] = idt[i][0];
		copy[i][1] = idt[i][1];
	}
	copy[VECTOR_TEST][0] = SEL_CODE << 16 | ((u32)int_other & 0xffff);
	copy[VECTOR_TEST][1] = ((u32)int_other & 0xffff0000) | 0xee00;
	asm volatile("lidtl %0" : : "m" (p));
	there = !fault_try(do_int);
	asm volatile("lidtl %0" : : "m" (back));
	CHECK(there && other_hits == before + 1, "the new table is not used");
	CHECK(fault_try(do_int) && fault.vector == 13, "the old table is not used again");
	return NULL;
}

static const char *t_lldt(void)
{
	u32 d[2] = { (u32)&fs_word[1] << 16 | 0xffff, 0 }, seen, by_memory;
	u16 selector = SEL_LDT;

	d[1] = ((u32)&fs_word[1] & 0xff000000) | ((u32)&fs_word[1] >> 16 & 0xff) | 0x40f200;
	ldt[2] = d[0];
	ldt[3] = d[1];
	asm volatile("lldt %w0" : : "r" (SEL_LDT));
	seen = fs_read(8 | 7);
	asm volatile("lldt %w0" : : "r" (0));
	asm volatile("lldt %0" : : "m" (selector));
	by_memory = fs_read(8 | 7);
	fs_read(SEL_FS);
	asm volatile("lldt %w0" : : "r" (0));
	CHECK(seen == fs_word[1], "by a register");
	CHECK(by_memory == fs_word[1], "by memory");
	CHECK((u32)vmi(VMI_CALL_GetLDT, 0, 0, 0) == 0, "GetLDT after null");
	return NULL;
}

/* In ring 0 the old one has to be made available first. */
static const char *t_ltr(void)
{
	u32 seen;

	set_base(SEL_TEST, (u32)tss, TSS_SIZE - 1, 0x89);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, gdt[SEL_TEST / 8][0],
	     gdt[SEL_TEST / 8][1], 0);
	asm volatile("ltr %w0" : : "r" (SEL_TEST));
	seen = (u32)vmi(VMI_CALL_GetTR, 0, 0, 0) & 0xffff;
	set_base(SEL_TSS, (u32)tss, TSS_SIZE - 1, 0x89);
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TSS / 8, gdt[SEL_TSS / 8][0],
	     gdt[SEL_TSS / 8][1], 0);
	asm volatile("ltr %w0" : : "r" (SEL_TSS));
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, SEL_TEST / 8, 0, 0, 0);
	CHECK(seen == SEL_TEST, "not loaded");
	kernel_stack(ENTRY_STACK_TOP);
	return user_trip();
}

static const char *t_dr(void)
{
	WRITE_REG(db0, 0xd0100040);
	WRITE_REG(db3, 0xd01000c0);
	CHECK(READ_REG(db0) == 0xd0100040 && READ_REG(db3) == 0xd01000c0, "DR0 or DR3");
	CHECK((u32)vmi(VMI_CALL_GetDR, 0, 0, 0) == 0xd0100040, "GetDR after it");
	WRITE_REG(db7, 0x400);
	CHECK(READ_REG(db7) == 0x400, "DR7");
	WRITE_REG(db6, 0xffff0ff0);
	CHECK(READ_REG(db6) == 0xffff0ff0, "DR6");
	return NULL;
}

static const char *t_msr(void)
{
	u32 low, high;

	asm volatile("wrmsr" : : "a" (0x60), "d" (0), "c" (MSR_SYSENTER_CS));
	asm volatile("rdmsr" : "=a" (low), "=d" (high) : "c" (MSR_SYSENTER_CS));
	CHECK(low == 0x60 && high == 0, "RDMSR after WRMSR");
	CHECK((u32)vmi(VMI_CALL_RDMSR, 0, 0, MSR_SYSENTER_CS) == 0x60, "the call after WRMSR");
	asm volatile("wbinvd" : : : "memory");
	return NULL;
}

static const char *t_ports(void)
{
	u8 bytes[5] = { 0, 0, 0, 0, 0x77 };
	u32 id, longs[2] = { 0x80000000, 0x80000040 }, count = 4;
	void *at = bytes;
	u16 word;

	outl(0xcf8, 0x80000000);
	id = inl(0xcfc);
	asm volatile("inw %1, %0" : "=a" (word) : "d" ((u16)0xcfc));
	CHECK(id == (u32)vmi(VMI_CALL_INL, 0, 0xcfc, 0) && word == (u16)id, "INL or INW");
	asm volatile("inb $0x61, %%al" : "=a" (id));
	outw(0x510, 0);
	asm volatile("rep insb" : "+D" (at), "+c" (count) : "d" ((u16)0x511) : "memory");
	CHECK(bytes[0] == 'Q' && bytes[3] == 'U' && bytes[4] == 0x77, "REP INSB");
	CHECK(count == 0 && at == bytes + 4, "ECX or EDI after it");
	count = 2;
	at = longs;
	asm volatile("rep outsl" : "+S" (at), "+c" (count) : "d" ((u16)0xcf8) : "memory");
	CHECK(inl(0xcf8) == longs[1] && count == 0 && at == longs + 2, "REP OUTSL");
	at = longs;
	asm volatile("outsl" : "+S" (at) : "d" ((u16)0xcf8) : "memory");
	CHECK(inl(0xcf8) == longs[0] && at == longs + 1, "OUTSL");
	return NULL;
}

static const char *t_cli(void)
{
	asm volatile("cli");
	CHECK((u32)vmi(VMI_CALL_GetInterruptMask, 0, 0, 0) == 0, "IF is set after CLI");
	asm volatile("sti");
	CHECK((u32)vmi(VMI_CALL_GetInterruptMask, 0, 0, 0) == EFLAGS_IF, "IF is clear after STI");
	asm volatile("cli");
	CHECK((u32)vmi(VMI_CALL_GetInterruptMask, 0, 0, 0) == 0, "IF is set after CLI");
	return NULL;
}

/* A second timer, so that sleeping for ever is a failure and not the end. */
static void set_watchdog(u32 time_ms)
{
	u64 expiry = cycles(VMI_CYCLES_AVAILABLE) + ms(time_ms);
	u32 flags = VMI_CYCLES_AVAILABLE | VMI_ALARM_WIRED_LVTT;

	vmi(VMI_CALL_APICWrite, LVTT, VECTOR_LVTT, 0);
	if (time_ms)
		vmi5(VMI_CALL_SetAlarm, flags, (u32)expiry, (u32)(expiry >> 32), 0, 0);
	else
		vmi(VMI_CALL_CancelAlarm, flags, 0, 0);
}

static const char *t_hlt(void)
{
	u64 expiry = now() + ms(5);
	u32 start = irq0_count;

	if (!khz)
		return "# SKIP needs 66 and 68";
	vmi5(VMI_CALL_SetAlarm, VMI_CYCLES_REAL, (u32)expiry, (u32)(expiry >> 32), 0, 0);
	asm volatile("sti\n\thlt\n\tcli" : : : "memory");
	CHECK(irq0_count == start + 1, "woke without an interrupt");
	/* with one that waits already: STI must not let it in before HLT */
	expiry = now();
	vmi5(VMI_CALL_SetAlarm, VMI_CYCLES_REAL, (u32)expiry, (u32)(expiry >> 32), 0, 0);
	spin_until(rdtsc() + ms(2));
	start = lvtt_count;
	set_watchdog(300);
	asm volatile("sti\n\thlt\n\tcli" : : : "memory");
	CHECK(lvtt_count == start, "slept through an interrupt that waited");
	set_watchdog(0);
	return NULL;
}

/* The APIC is where the guest maps it, too. */
static const char *t_apic(void)
{
	volatile u32 *apic = (volatile u32 *)WINDOW_LAPIC;
	u32 value = 0x40, old;

	CHECK(apic[0x30 / 4] == (u32)vmi(VMI_CALL_APICRead, 0x30, 0, 0), "a read");
	apic[0x80 / 4] = 0x20;
	CHECK((u32)vmi(VMI_CALL_APICRead, 0x80, 0, 0) == 0x20, "a write");
	asm volatile("movl $0x30, %0" : "=m" (apic[0x80 / 4]));
	CHECK(apic[0x80 / 4] == 0x30, "a write of a constant");
	asm volatile("mov %%eax, %c1" : : "a" (value), "i" (WINDOW_LAPIC + 0x80) : "memory");
	asm volatile("mov %c1, %%eax" : "=a" (old) : "i" (WINDOW_LAPIC + 0x80) : "memory");
	CHECK(old == 0x40, "by EAX");
	value = 0;
	asm volatile("xchgl %0, %1" : "+r" (value), "+m" (apic[0x80 / 4]) : : "memory");
	CHECK(value == 0x40 && apic[0x80 / 4] == 0, "XCHG");
	return NULL;
}

static const struct test tests[] = {
	{ "raw MOV from CR0, CR2, CR3, CR4", t_cr_read },
	{ "raw MOV to CR0, CR2, CR4, CLTS, LMSW", t_cr_write },
	{ "raw MOV to CR3", t_cr3 },
	{ "raw INVLPG", t_invlpg },
	{ "raw LGDT", t_lgdt },
	{ "raw LIDT", t_lidt },
	{ "raw LLDT", t_lldt },
	{ "raw LTR", t_ltr },
	{ "raw MOV to and from DR", t_dr },
	{ "raw RDMSR, WRMSR, WBINVD", t_msr },
	{ "raw IN, OUT, INS, OUTS", t_ports },
	{ "raw CLI, STI", t_cli },
	{ "raw HLT", t_hlt },
	{ "raw access to the local APIC's page", t_apic },
};

const struct test_group raw_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
