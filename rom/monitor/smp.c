// SPDX-License-Identifier: GPL-2.0-only
/*
 * vCPUs: made, started, halted, switched off and on.
 *
 * Owns: the private memory of each, its start state, waiting.
 * Not here: the way of a processor from STARTUP into the monitor (`ap.S`).
 * Runs: on the vCPU that starts another, and on the one that begins.
 * Fails: a start without a valid state does nothing, as the ABI has it.
 */
#include "monitor.h"

struct vcpu *vcpus[MAX_VCPUS];
static struct vmi_ap_state ap_states[MAX_VCPUS];
static u32 ap_valid;
u32 ap_root;

#define APIC_EOI	0x0b0
#define APIC_ICR	0x300
#define APIC_ICR2	0x310
#define APIC_BUSY	0x1000
#define APIC_INIT	0x4500
#define APIC_STARTUP	0x4600
#define APIC_NMI	0x4400
#define AP_WAIT_MS	100

/* Tables with nothing but the hole; a guest's root replaces them. */
static u32 first_root(struct vcpu *v)
{
	void *directory = mem_take(1);

	hole_fill(v, directory);
	if (!pae)
		return pa_of(directory);
	v->pdpt[3 * 2] = pa_of(directory) | PTE_P;
	return pa_of(v->pdpt);
}

/**
 * vcpu_create() - the memory of a vCPU
 * @number: its local APIC id
 */
struct vcpu *vcpu_create(u32 number)
{
	struct vcpu *v = mem_take(MON_VCPU_PAGES);
	void *gdt = mem_take(MON_GDT_PAGES), *idt = mem_take(1), *tss = mem_take(1);
	u32 i;

	v->number = number;
	v->pa_private = pa_of(mem_take(1));
	v->page1 = mem_take(1);
	v->gdt_rw = gdt;
	v->idt_rw = idt;
	v->tss_rw = tss;
	v->root = first_root(v);
	for (i = 0; i < MON_VCPU_PAGES; i++)
		map_private(v, MON_VCPU + i * PAGE_SIZE, pa_of(v) + i * PAGE_SIZE, PTE_RW);
	for (i = 0; i < MON_GDT_PAGES; i++)
		map_private(v, MON_GDT + i * PAGE_SIZE, pa_of(gdt) + i * PAGE_SIZE, 0);
	map_private(v, MON_IDT, pa_of(idt), 0);
	map_private(v, MON_TSS, pa_of(tss), 0);
	map_private(v, RING1_CODE, ring1_code_pa, 0);
	map_private(v, RING1_DATA, pa_of(v->page1), PTE_RW);
	map_private(v, MON_LAPIC, FRAME_LAPIC << 12, PTE_RW | PTE_PCD | PTE_PWT);
	map_private(v, MON_IOAPIC, FRAME_IOAPIC << 12, PTE_RW | PTE_PCD | PTE_PWT);
	desc_init(v);
	idt_init(v);
	vcpus[number] = v;
	return v;
}

/**
 * vcpus_create() - the memory of all that may come
 * @count: of local APIC ids, from 0
 */
void vcpus_create(u32 count)
{
	u32 i;

	for (i = 0; i < count && i < MAX_VCPUS; i++)
		if (!vcpus[i])
			vcpu_create(i);
}

/**
 * alarm_stolen() - cycles that this vCPU was robbed of
 */
u64 alarm_stolen(void)
{
	return me->stolen;
}

/**
 * halt_until_pending() - wait for an interrupt and deliver it
 * @r: the guest's registers
 */
void halt_until_pending(struct regs *r)
{
	u64 start = rdtsc();

	while (!me->pending_count)
		wait_for_interrupt();
	me->waited += rdtsc() - start;
	deliver_pending(r);
}

/* Are all others off? Then nothing will ever happen again. */
static int last_one(void)
{
	u32 i;

	for (i = 0; i < MAX_VCPUS; i++)
		if (vcpus[i] && i != me->number && vcpus[i]->online == VCPU_RUNNING)
			return 0;
	return 1;
}

/**
 * vcpu_off() - this CPU has ended; STARTUP may begin it anew
 */
void vcpu_off(struct regs *r)
{
	u64 start = rdtsc();

	queue_flush();
	me->online = VCPU_OFF;
	alarm_reset();
	if (last_one())
		stats_print();
	for (;;) {
		for (; me->pending_count; me->pending_count--)
			lapic_set(APIC_EOI, 0);
		if (*(volatile u32 *)&me->online == VCPU_STARTING)
			break;
		wait_for_interrupt();
	}
	me->waited += rdtsc() - start;
	memset(me->pending, 0, sizeof(me->pending));
	vcpu_begin(r);
}

/* The registers that the guest asked for. */
static void begin_with(struct regs *r, const struct vmi_ap_state *s)
{
	ring1->cr0 = s->cr0;
	set_cr0(s->cr0);
	ring1->cr2 = s->cr2;
	ring1->cr4 = s->cr4;
	set_cr4(s->cr4);
	shadow_load(s->cr3);
	me->ss1 = (s->ss & 0xfffcu) | 1;
	kernel_stack(s->esp);
	gdt_load(s->gdtr_base, s->gdtr_limit);
	idt_load(s->idtr_base, s->idtr_limit);
	ldt_load(s->ldtr);
	asm volatile("mov %0, %%fs\n\tmov %1, %%gs" : : "r" ((u32)s->fs), "r" ((u32)s->gs));
	*r = (struct regs) {
		.es = s->es, .ds = s->ds,
		.edi = s->edi, .esi = s->esi, .ebp = s->ebp,
		.ebx = s->ebx, .edx = s->edx, .ecx = s->ecx, .eax = s->eax,
		.eip = s->eip, .cs = (s->cs & 0xfffcu) | 1,
		.eflags = (s->eflags & ~(EFLAGS_IOPL | EFLAGS_NT | EFLAGS_VM)) |
			  EFLAGS_IF | EFLAGS_FIXED,
		.esp = s->esp, .ss = (s->ss & 0xfffcu) | 1,
	};
	ring1->ev = s->eflags & EFLAGS_IF ? EV_IF : 0;
}

/**
 * vcpu_begin() - this CPU starts to run the guest
 * @r: where its registers are to be
 */
void vcpu_begin(struct regs *r)
{
	ring1->lazy = 0;
	ring1->queued = 0;
	ring1->change = 0;
	ring1->hz = (u64)tsc_khz * 1000;
	begin_with(r, &ap_states[me->number]);
	ap_valid &= ~(1u << me->number);
	me->online = VCPU_RUNNING;
}

/**
 * ap_main() - an AP on its own tables and stack
 */
REGPARM void ap_main(void)
{
	registers_init();
	desc_activate();
	vcpu_begin(guest_regs);
}

static void send(u32 number, u32 message)
{
	lapic_set(APIC_ICR2, number << 24);
	lapic_set(APIC_ICR, message);
	while (lapic_get(APIC_ICR) & APIC_BUSY)
		cpu_relax();
}

/**
 * ap_init_ipi() - INIT: the CPU waits for STARTUP
 *
 * A running vCPU is not taken away from the guest: it has to end by itself.
 */
void ap_init_ipi(u32 number)
{
	ap_valid &= ~(1u << number);
	if (vcpus[number] && vcpus[number]->online == VCPU_ABSENT)
		send(number, APIC_INIT);
}

/* Gives a vCPU time to begin. Returns 0 if it does not. */
static int has_begun(const struct vcpu *v, u32 ms)
{
	u64 end = rdtsc() + (u64)tsc_khz * ms;

	while (*(volatile u32 *)&v->online == VCPU_STARTING && rdtsc() < end)
		cpu_relax();
	return v->online != VCPU_STARTING;
}

/* One AP at a time; how long the guest waits after INIT is its affair. */
static void ap_wake(struct vcpu *v)
{
	ap_root = v->root;
	v->online = VCPU_STARTING;
	send(v->number, APIC_STARTUP | low_pa >> 12);
	if (!has_begun(v, AP_WAIT_MS))
		v->online = VCPU_ABSENT;
}

/*
 * It waits in vcpu_off(), its APIC perhaps disabled: then only an NMI ends HLT,
 * and one that comes just before HLT is lost.
 */
static void ap_again(struct vcpu *v)
{
	u32 tries;

	v->online = VCPU_STARTING;
	for (tries = 0; tries < AP_WAIT_MS; tries++) {
		send(v->number, APIC_NMI);
		if (has_begun(v, 1))
			return;
	}
	v->online = VCPU_OFF;
}

/**
 * ap_start() - STARTUP
 */
void ap_start(u32 number)
{
	struct vcpu *v = vcpus[number];

	if (!(ap_valid & 1u << number))
		return;
	if (v && v->online == VCPU_OFF)
		ap_again(v);
	else if (v && v->online == VCPU_ABSENT)
		ap_wake(v);
}

/**
 * ap_set_state() - SetInitialAPState
 */
void ap_set_state(u32 number, const struct vmi_ap_state *state)
{
	if (number >= MAX_VCPUS || number == me->number)
		return;
	if ((state->cr0 & (CR0_PE | CR0_PG)) != (CR0_PE | CR0_PG))
		return;
	ap_states[number] = *state;
	ap_valid |= 1u << number;
}
