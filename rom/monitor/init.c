// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the machine over.
 *
 * Owns: the order of things at Init, and the state in which a vCPU begins.
 * Not here: finding memory (`reserve.S`), the way up to here (`start.S`).
 * Runs: once on the CPU that called Init, then once on each AP.
 * Fails: what can fail is checked in `start.S`, where there is a way back.
 */
#include "monitor.h"
#include "time.h"

u32 ring1_code_pa, has_apic, has_sep, has_efer, tsc_khz;

/* What start.S leaves on our first stack. */
struct boot {
	u32 esp;		/* guest's: PUSHA, EFLAGS, return address */
	u32 cr3, cr4;
	u32 rom;		/* linear address of the image */
	u32 offset;		/* linear minus physical there */
	u32 base, size, frames;
	u32 low, cpus, low_top;
	struct { u16 limit; u32 base; } __attribute__((packed)) gdt, idt;
	u16 ldt, tr, cs, ss, ds, es;
};

extern struct boot boot;
extern char ring1_load[], ring1_load_end[];

#define CPUID_PGE	(1u << 13)
#define CPUID_APIC	(1u << 9)
#define CPUID_SEP	(1u << 11)

#define CPUID_SYSCALL	(1u << 11)
#define CPUID_NX	(1u << 20)
#define CPUID_LONG	(1u << 29)

static void ring1_code(void)
{
	void *page = mem_take(1);

	memcpy(page, ring1_load, (u32)(ring1_end - ring1_start));
	ring1_code_pa = pa_of(page);
}

static void features(void)
{
	u32 a, b, c, d;

	cpuid(1, 0, &a, &b, &c, &d);
	has_pge = d & CPUID_PGE;
	has_apic = d & CPUID_APIC;
	has_sep = d & CPUID_SEP;
	pae = boot.cr4 & CR4_PAE;
	cpuid(0x80000000, 0, &a, &b, &c, &d);
	if (a >= 0x80000001u && a < 0x80010000u) {
		cpuid(0x80000001, 0, &a, &b, &c, &d);
		has_efer = d & (CPUID_NX | CPUID_SYSCALL | CPUID_LONG);
		has_nx = pae && d & CPUID_NX && rdmsr(MSR_EFER) & EFER_NXE;
	}
}

/**
 * init_memory() - first part: on the temporary tables
 *
 * Only 2 MiB of the reserved memory are mapped. Return: the CR3 to go on with.
 */
REGPARM u32 init_memory(void)
{
	u32 a, b, c, d;

	memory_base = boot.base;
	memory_size = boot.size;
	memory_frames = boot.frames;
	low_pa = boot.low;
	memory_low_frames = boot.low_top >> 12;
	features();
	memory_init();
	ring1_code();
	cpuid(1, 0, &a, &b, &c, &d);
	return vcpu_create(has_apic ? b >> 24 : 0)->root;
}

/* Selectors that stay the guest's; only their rings rise. */
static void begin_in_guest(struct regs *r)
{
	u32 saved[10];

	if (guest_read(saved, boot.esp, sizeof(saved)))
		stop("stack of Init", boot.esp, "is not mapped");
	r->edi = saved[0];
	r->esi = saved[1];
	r->ebp = saved[2];
	r->ebx = saved[4];
	r->edx = saved[5];
	r->ecx = saved[6];
	r->eax = 0;
	r->eflags = (saved[8] & ~(EFLAGS_IOPL | EFLAGS_NT)) | EFLAGS_IF | EFLAGS_FIXED;
	ring1->ev = saved[8] & EFLAGS_IF ? EV_IF : 0;
	r->eip = saved[9];
	r->esp = boot.esp + sizeof(saved);
	r->cs = (boot.cs & 0xfffcu) | 1;
	r->ss = (boot.ss & 0xfffcu) | 1;
	r->ds = boot.ds;
	r->es = boot.es;
}

/**
 * init_guest() - second part: on our own tables and stack
 *
 * Return: the registers that the guest goes on with are in place.
 */
REGPARM void init_guest(void)
{
	struct regs *r = guest_regs;
	u32 cr0 = READ_REG(cr0);

	tsc_khz = time_init();
	registers_init();
	chipset_lock();
	if (has_apic) {
		apic_init();
		vcpus_create(boot.cpus);
	}
	shadow_init();
	desc_activate();
	ring1->hz = (u64)tsc_khz * 1000;
	ring1->cr0 = cr0;
	set_cr0(cr0);
	ring1->cr4 = boot.cr4;
	set_cr4(boot.cr4);
	shadow_load(boot.cr3 & (pae ? ~0x1fu : ~0xfffu));
	me->ss1 = (boot.ss & 0xfffcu) | 1;
	kernel_stack(boot.esp);
	gdt_load(boot.gdt.base, boot.gdt.limit);
	ldt_load(boot.ldt);
	reload_segments();	/* FS and GS still know ring 0: IRET would clear them */
	me->tr_selector = boot.tr;
	if (boot.tr)
		tr_load(boot.tr);
	idt_load(boot.idt.base, boot.idt.limit);
	me->online = VCPU_RUNNING;
	begin_in_guest(r);
}
