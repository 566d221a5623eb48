// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's machine: descriptor tables, interrupt controller, and the proof
 * that all of it still works.
 *
 * Owns: the known state that machine_restore() goes back to, intact().
 * Not here: page tables (`tables.c`), finding and binding the ROM (`bind.c`).
 * Runs: machine_setup() before Init, the rest after it.
 * Fails: intact() with a text.
 */
#include "escape.h"

#define PIT_HZ		1193182
#define PIC_MASTER	0x20
#define PIC_SLAVE	0xa0
#define GATE_INTERRUPT	0x8e00
#define GATE_USER	0xee00
#define SPINS		40000000u

extern const char exception_stubs[], int_back[], int_irq0[], int_irq_other[], int_apic[];
extern char kernel_stack_top[];
extern u32 iret_target, attempt_esp;
volatile u32 at, value;

void do_read(void)
{
	value = load(at);
}

void do_write(void)
{
	store(at, value);
}

void do_jump(void)
{
	asm volatile("call *%0" : : "r" (at) : "eax", "ecx", "edx", "memory");
}

void set_gdt(u32 selector, u32 low, u32 high)
{
	vmi5(VMI_CALL_WriteGDTEntry, (u32)gdt, selector >> 3, low, high, 0);
}

void set_gate(u32 vector, u32 selector, u32 offset, u32 type)
{
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, vector,
	     selector << 16 | (offset & 0xffff), (offset & 0xffff0000) | type, 0);
}

/**
 * segment() - a descriptor of the guest's GDT
 * @limit: 20 bits
 * @type: P, DPL, S and type: bits 15:8 of the high word
 * @flags: G, D, L, AVL: bits 23:20
 */
void segment(u32 selector, u32 base, u32 limit, u32 type, u32 flags)
{
	set_gdt(selector, base << 16 | (limit & 0xffff),
		(base & 0xff000000) | flags << 20 | (limit & 0xf0000) | type << 8 |
		(base >> 16 & 0xff));
}

void pic_setup(u32 master, u32 slave)
{
	outb(PIC_MASTER, 0x11);
	outb(PIC_SLAVE, 0x11);
	outb(PIC_MASTER + 1, master);
	outb(PIC_SLAVE + 1, slave);
	outb(PIC_MASTER + 1, 4);
	outb(PIC_SLAVE + 1, 2);
	outb(PIC_MASTER + 1, 1);
	outb(PIC_SLAVE + 1, 1);
	outb(PIC_MASTER + 1, 0xfe);
	outb(PIC_SLAVE + 1, 0xff);
}

static void pit_setup(void)
{
	u32 count = PIT_HZ / 1000;

	outb(0x43, 0x34);
	outb(0x40, count);
	outb(0x40, count >> 8);
}

static void raw_gate(u32 vector, const void *code, u32 type)
{
	idt[vector][0] = SEL_CODE << 16 | ((u32)code & 0xffff);
	idt[vector][1] = ((u32)code & 0xffff0000) | type;
}

static void raw_tables(void)
{
	u32 i;

	for (i = 0; i < 256; i++)
		raw_gate(i, i < 32 ? exception_stubs + 16 * i : int_apic, GATE_INTERRUPT);
	for (i = VECTOR_IRQ0; i < VECTOR_IRQ0 + 16; i++)
		raw_gate(i, i == VECTOR_IRQ0 ? int_irq0 : int_irq_other, GATE_INTERRUPT);
	raw_gate(VECTOR_BACK, int_back, GATE_USER);
	for (i = 5; i < GDT_ENTRIES; i++)
		gdt[i][0] = gdt[i][1] = 0;
	gdt[SEL_TSS >> 3][0] = (u32)tss << 16 | 103;
	gdt[SEL_TSS >> 3][1] = ((u32)tss & 0xff000000) | 0x8900 | ((u32)tss >> 16 & 0xff);
	gdt[SEL_LDT >> 3][0] = (u32)ldt << 16 | 0x1fff;
	gdt[SEL_LDT >> 3][1] = ((u32)ldt & 0xff000000) | 0x8200 | ((u32)ldt >> 16 & 0xff);
}

struct pseudo { u16 limit; u32 base; } __attribute__((packed));

void machine_setup(void)
{
	struct pseudo p = { sizeof(idt) - 1, (u32)idt };

	raw_tables();
	tss[1] = (u32)kernel_stack_top;
	tss[2] = SEL_DATA;
	tss[25] = 104 << 16;
	asm volatile("lidtl %0" : : "m" (p));
	pic_setup(VECTOR_IRQ0, VECTOR_IRQ0 + 8);
	pit_setup();
}

/**
 * machine_restore() - what a case changed is as before
 */
void machine_restore(void)
{
	struct pseudo g = { sizeof(gdt) - 1, (u32)gdt }, i = { sizeof(idt) - 1, (u32)idt };
	u32 k;

	vmi(VMI_CALL_DisableInterrupts, 0, 0, 0);
	raw_tables();
	vmi(VMI_CALL_SetLazyMode, 0, 0, 0);
	vmi(VMI_CALL_SetCR3, phys(pae ? pdpt : page_dir), 0, 0);
	vmi(VMI_CALL_SetGDT, (u32)&g, 0, 0);
	vmi(VMI_CALL_SetIDT, (u32)&i, 0, 0);
	vmi(VMI_CALL_SetLDT, 0, 0, 0);
	vmi(VMI_CALL_SetTR, SEL_TSS, 0, 0);
	vmi(VMI_CALL_UpdateKernelStack, SEL_DATA, (u32)kernel_stack_top, 0);
	vmi(VMI_CALL_SetIOPLMask, 0, 0, 0);
	vmi(VMI_CALL_SetDR, 7, 0, 0);
	vmi(VMI_CALL_CancelAlarm, VMI_CYCLES_REAL, 0, 0);
	vmi(VMI_CALL_CancelAlarm, VMI_CYCLES_AVAILABLE, 0, 0);
	for (k = 1; k < VMI_LINEAR_MAP_SLOTS; k++)
		vmi5(VMI_CALL_SetLinearMapping, k, 0, 0, 0, 0);
	vmi5(VMI_CALL_SetLinearMapping, 0, KERNEL, KERNEL_SIZE >> 12, 0, 0);
	pic_setup(VECTOR_IRQ0, VECTOR_IRQ0 + 8);
	pit_setup();
}

static const char *calls_work(void)
{
	struct invoke c = { .target = targets[VMI_CALL_CPUID], .eax = 0x40000000 };
	u64 before = vmi(VMI_CALL_GetCycleCounter, 0, 0, 0);

	invoke(&c);
	EXPECT(c.ebx == 0x20494d56, "afterwards: CPUID leaf 0x40000000 is not the monitor's");
	EXPECT(vmi(VMI_CALL_GetCycleCounter, 0, 0, 0) > before,
	       "afterwards: the cycle counter stands still");
	EXPECT((u32)vmi(VMI_CALL_GetCR3, 0, 0, 0) == phys(pae ? pdpt : page_dir),
	       "afterwards: GetCR3 is not what was set");
	return NULL;
}

static const char *memory_works(void)
{
	volatile u32 *a = map(500, phys(big_area), PTE_ALL);

	*(volatile u32 *)big_area = 0x12345678;
	*(volatile u32 *)(big_area + 4096) = 0x9abcdef0;
	EXPECT(*a == 0x12345678, "afterwards: a page that was mapped shows another frame");
	map(500, phys(big_area) + 4096, PTE_ALL);
	EXPECT(*a == 0x9abcdef0, "afterwards: an entry that was changed has no effect");
	map(500, 0, 0);
	at = (u32)a;
	EXPECT(attempt(do_read) == FAULTED(VEC_PF) && fault.cr2 == at && fault.error == 0,
	       "afterwards: an entry that was removed has no effect");
	return NULL;
}

static void nothing(void)
{
}

static void user_halt(void)
{
	asm volatile("hlt");
}

static const char *users_work(void)
{
	EXPECT(attempt_user(nothing) == 0, "afterwards: ring 3 does not run");
	EXPECT(attempt_user(user_halt) == FAULTED(VEC_GP) && fault.error == 0,
	       "afterwards: HLT in ring 3 is not #GP(0)");
	return NULL;
}

static const char *timer_works(void)
{
	u32 before = ticks, i;

	vmi(VMI_CALL_EnableInterrupts, 0, 0, 0);
	for (i = 0; i < SPINS && ticks - before < 2; i++)
		barrier();
	vmi(VMI_CALL_DisableInterrupts, 0, 0, 0);
	EXPECT(ticks - before >= 2, "afterwards: no timer interrupt comes");
	return NULL;
}

/**
 * intact() - does the monitor still do its work?
 */
const char *intact(void)
{
	static const case_fn checks[] = { calls_work, memory_works, users_work, timer_works };
	const char *why;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(checks); i++) {
		why = checks[i]();
		if (why)
			return why;
	}
	return NULL;
}
