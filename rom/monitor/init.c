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

u32 ring1_code_pa, has_apic, tsc_khz;

/* What start.S leaves on our first stack. */
struct boot {
	u32 esp;		/* guest's: PUSHA, EFLAGS, return address */
	u32 cr3, cr4;
	u32 rom;		/* linear address of the image */
	u32 offset;		/* linear minus physical there */
	u32 base, size, frames;
	struct { u16 limit; u32 base; } __attribute__((packed)) gdt, idt;
	u16 ldt, tr, cs, ss, ds, es;
};

extern struct boot boot;
extern char ring1_load[], ring1_load_end[];

#define CPUID_PGE	(1u << 13)
#define CPUID_APIC	(1u << 9)

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
	pae = boot.cr4 & CR4_PAE;
	cpuid(0x80000000, 0, &a, &b, &c, &d);
	if (pae && a >= 0x80000001u && a < 0x80010000u) {
		cpuid(0x80000001, 0, &a, &b, &c, &d);
		has_nx = d & 1u << 20 && rdmsr(MSR_EFER) & EFER_NXE;
	}
}

/**
 * init_memory() - first part: on the temporary tables
 *
 * Only 2 MiB of the reserved memory are mapped. Return: the CR3 to go on with.
 */
REGPARM u32 init_memory(void)
{
	u32 a, b, c, d, *root;
	struct vcpu *v;

	memory_base = boot.base;
	memory_size = boot.size;
	memory_frames = boot.frames;
	features();
	memory_init();
	ring1_code();
	cpuid(1, 0, &a, &b, &c, &d);
	v = vcpu_create(has_apic ? b >> 24 : 0);
	root = mem_take(1);
	hole_fill(v, root);
	if (!pae)
		return v->root = pa_of(root);
	v->pdpt[3] = pa_of(root) | PTE_P;
	return v->root;
}

static void ring1_begin(void)
{
	me->page1->hz = (u64)tsc_khz * 1000;
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
	shadow_init();
	map_private(me, RING1_FILTER, shadow_filter_pa(), 0);
	desc_activate();
	ring1_begin();
	ring1->cr0 = cr0;
	set_cr0(cr0);
	ring1->cr4 = boot.cr4;
	set_cr4(boot.cr4);
	shadow_load(boot.cr3 & (pae ? ~0x1fu : ~0xfffu));
	me->ss1 = (boot.ss & 0xfffcu) | 1;
	me->esp1 = boot.esp;
	me->tss_rw[3] = me->esp1;
	me->tss_rw[4] = me->ss1;
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
