// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ring 0's side of the VMI calls.
 *
 * Owns: the call table, and what is only a line or two of it.
 * Not here: calls that ring 1 serves alone (`ring1.S`).
 * Runs: from `entry.S` with the guest's EAX, EDX, ECX as arguments; what is
 * returned goes to its EDX:EAX.
 * Fails: a call that makes no sense is ignored, one that would harm is refused.
 */
#include "monitor.h"

#define CALL(name) static REGPARM u64 call_##name(u32 eax, u32 edx, u32 ecx)

/* For a call that changes neither EAX nor EDX. */
static u64 unchanged(void)
{
	return (u64)guest_regs->edx << 32 | guest_regs->eax;
}

#define UNUSED(x)	((void)(x))

CALL(CPUID)
{
	u32 ebx;

	UNUSED(edx);
	cpuid_filtered(&eax, &ebx, &ecx, &edx);
	guest_regs->ebx = ebx;
	guest_regs->ecx = ecx;
	return (u64)edx << 32 | eax;
}

/* As the instruction would: the fault's EIP is that of our call. */
static u64 fault(void)
{
	guest_regs->eip -= 2;
	deliver(guest_regs, VEC_GP, 1, 0);
	return unchanged();
}

CALL(WRMSR)
{
	return msr_write(ecx, (u64)edx << 32 | eax) ? 0 : fault();
}

CALL(RDMSR)
{
	u64 value;

	UNUSED(eax + edx);
	return msr_read(ecx, &value) ? value : fault();
}

struct pseudo {
	u16 limit;
	u32 base;
} __attribute__((packed));

static void read_pseudo(u32 address, struct pseudo *p)
{
	if (guest_read(p, address, sizeof(*p)))
		stop("table register image", address, "is not mapped");
}

static void write_pseudo(u32 address, const struct table *table)
{
	struct pseudo p = { (u16)table->limit, table->base };

	if (guest_write(address, &p, sizeof(p)))
		stop("table register image", address, "is not mapped");
}

CALL(SetGDT)
{
	struct pseudo p;

	UNUSED(edx + ecx);
	read_pseudo(eax, &p);
	gdt_load(p.base, p.limit);
	reload_segments();
	return 0;
}

CALL(SetIDT)
{
	struct pseudo p;

	UNUSED(edx + ecx);
	read_pseudo(eax, &p);
	idt_load(p.base, p.limit);
	return 0;
}

CALL(SetLDT)
{
	UNUSED(edx + ecx);
	ldt_load(eax & 0xffff);
	reload_segments();
	return 0;
}

CALL(SetTR)
{
	UNUSED(edx + ecx);
	tr_load(eax & 0xffff);
	return 0;
}

CALL(GetGDT)
{
	UNUSED(edx + ecx);
	write_pseudo(eax, &me->gdt);
	return 0;
}

CALL(GetIDT)
{
	UNUSED(edx + ecx);
	write_pseudo(eax, &me->idt);
	return 0;
}

CALL(GetLDT)
{
	UNUSED(eax + edx + ecx);
	return me->ldt_selector;
}

CALL(GetTR)
{
	UNUSED(eax + edx + ecx);
	return me->tr_selector;
}

/* Stores a descriptor where the guest has its table. */
static u32 store_descriptor(u32 table, u32 index, u32 low)
{
	u32 pair[2] = { low, guest_argument(4) }, at = table + index * 8;

	if (guest_write(at, pair, 8))
		stop("descriptor", at, "is not mapped or not writable");
	return index;
}

CALL(WriteGDTEntry)
{
	gdt_entry_changed(eax, store_descriptor(eax, edx, ecx));
	return 0;
}

CALL(WriteLDTEntry)
{
	ldt_entry_changed(eax, store_descriptor(eax, edx, ecx));
	return 0;
}

CALL(WriteIDTEntry)
{
	idt_entry_changed(eax, store_descriptor(eax, edx, ecx));
	return 0;
}

#define TSS_ESP0	4

/* EAX is a selector, or as an older guest has it the TSS to store into. */
CALL(UpdateKernelStack)
{
	UNUSED(ecx);
	if (eax > VMI_STACK_SELECTOR_MAX) {
		if (guest_write(eax + TSS_ESP0, &edx, 4))
			stop("TSS", eax, "is not mapped");
		eax = me->ss1;
		guest_read(&eax, guest_regs->eax + 8, 2);
		eax &= 0xffff;
	}
	if (eax & 0xfffc)
		me->ss1 = (eax & 0xfffc) | 1;
	kernel_stack(edx);
	return 0;
}

CALL(SetCR0)
{
	UNUSED(edx + ecx);
	set_cr0(eax);
	return 0;
}

CALL(SetCR3)
{
	UNUSED(edx + ecx);
	queue_flush();
	shadow_load(eax);
	return 0;
}

CALL(SetCR4)
{
	UNUSED(edx + ecx);
	queue_flush();
	set_cr4(eax);
	return 0;
}

CALL(WBINVD)
{
	UNUSED(eax + edx + ecx);
	asm volatile("wbinvd" : : : "memory");
	return 0;
}

CALL(SetDR)
{
	UNUSED(ecx);
	set_dr(eax, edx);
	return 0;
}

CALL(GetDR)
{
	UNUSED(edx + ecx);
	return get_dr(eax);
}

CALL(RDPMC)
{
	UNUSED(eax + edx + ecx);
	return 0;		/* CPUID shows no counter */
}

CALL(CLTS)
{
	UNUSED(eax + edx + ecx);
	set_cr0(ring1->cr0 & ~CR0_TS);
	return 0;
}

/* 29 and 32: ring 1 has set the flag, and something waits. */
CALL(EnableInterrupts)
{
	UNUSED(eax + edx + ecx);
	ring1->ev |= EV_IF;
	deliver_pending(guest_regs);
	return unchanged();
}

CALL(IRET)
{
	UNUSED(eax + edx + ecx);
	iret_call(guest_regs);
	return unchanged();
}

/* EDX = EIP, ECX = ESP; the segments follow the one in the MSR. */
CALL(SYSEXIT)
{
	struct regs *r = guest_regs;

	UNUSED(eax);
	if (!(me->sysenter_cs & 0xfffc))
		stop("SYSEXIT to", edx, "but MSR 0x174 is 0");
	r->cs = (me->sysenter_cs + 16) | 3;
	r->ss = (me->sysenter_cs + 24) | 3;
	r->eip = edx;
	r->esp = ecx;
	ring1->ev |= EV_IF;
	deliver_pending(r);
	return unchanged();
}

CALL(Halt)
{
	UNUSED(eax + edx + ecx);
	queue_flush();
	ring1->ev |= EV_IF;
	halt_until_pending(guest_regs);
	return unchanged();
}

CALL(Reboot)
{
	UNUSED(edx + ecx);
	machine_reset(eax & VMI_REBOOT_HARD);
	return 0;
}

CALL(Shutdown)
{
	UNUSED(eax + edx + ecx);
	vcpu_off(guest_regs);
	return unchanged();
}

/* 38 to 41: ring 1 has stored; EAX is the entry's address. */
CALL(UpdatePxE)
{
	UNUSED(edx + ecx);
	queue_flush();
	shadow_entry_changed(eax);
	return 0;
}

CALL(AllocatePage)
{
	UNUSED(edx + ecx);
	queue_flush();
	shadow_page_gone(eax);
	return 0;
}

CALL(InvalPage)
{
	UNUSED(edx + ecx);
	queue_flush();
	flush_page(eax);
	return 0;
}

CALL(FlushTLB)
{
	UNUSED(edx + ecx);
	queue_flush();
	flush_tlb(eax & VMI_FLUSH_GLOBAL);
	return 0;
}

CALL(SetLinearMapping)
{
	u32 pfn = guest_argument(4);
	struct linear_map *map;

	if (eax >= VMI_LINEAR_MAP_SLOTS)
		return 0;
	queue_flush();
	map = &me->linear[eax];
	map->start = edx;
	map->pages = ecx;
	map->pfn = pfn;
	if (eax == VMI_LINEAR_MAP_LOWMEM) {
		ring1->linear = edx;
		ring1->linear_size = ecx > 0xfffff ? 0xffffffff : ecx << 12;
		ring1->linear_pfn = pfn;
	}
	return 0;
}

static u64 port_call(u32 out, u32 size)
{
	struct port_access a = { guest_regs->edx & 0xffff, size, out, 0 };

	port_do(&a, &guest_regs->eax);
	return unchanged();
}

static u64 port_string_call(u32 out, u32 size)
{
	struct port_access a = { guest_regs->edx & 0xffff, size, out, 0 };

	if (!port_string(&a, guest_regs, 1))
		stop("memory for port I/O", out ? guest_regs->esi : guest_regs->edi,
		     "is not mapped");
	if (guest_regs->ecx)
		guest_regs->eip -= 2;	/* once more */
	return unchanged();
}

#define PORT_CALL(name, fn, out, size)			\
CALL(name)						\
{							\
	UNUSED(eax + edx + ecx);			\
	return fn(out, size);				\
}

PORT_CALL(INL, port_call, 0, 4)
PORT_CALL(INB, port_call, 0, 1)
PORT_CALL(INW, port_call, 0, 2)
PORT_CALL(INSL, port_string_call, 0, 4)
PORT_CALL(INSB, port_string_call, 0, 1)
PORT_CALL(INSW, port_string_call, 0, 2)
PORT_CALL(OUTL, port_call, 1, 4)
PORT_CALL(OUTB, port_call, 1, 1)
PORT_CALL(OUTW, port_call, 1, 2)
PORT_CALL(OUTSL, port_string_call, 1, 4)
PORT_CALL(OUTSB, port_string_call, 1, 1)
PORT_CALL(OUTSW, port_string_call, 1, 2)

CALL(SetIOPLMask)
{
	UNUSED(edx + ecx);
	me->iopl = eax >> VMI_IOPL_SHIFT & 3;
	return 0;
}

CALL(SetInitialAPState)
{
	struct vmi_ap_state state;

	UNUSED(ecx);
	if (guest_read(&state, eax, sizeof(state)))
		stop("AP state", eax, "is not mapped");
	ap_set_state(edx, &state);
	return 0;
}

CALL(APICWrite)
{
	UNUSED(ecx);
	queue_flush();
	apic_write(eax & VMI_APIC_OFFSET_MASK, edx);
	return 0;
}

CALL(APICRead)
{
	UNUSED(edx + ecx);
	return apic_read(eax & VMI_APIC_OFFSET_MASK);
}

CALL(SetAlarm)
{
	alarm_set(eax, (u64)ecx << 32 | edx,
		  (u64)guest_argument(5) << 32 | guest_argument(4));
	return 0;
}

CALL(CancelAlarm)
{
	UNUSED(edx + ecx);
	return alarm_cancel(eax);
}

CALL(GetWallclockTime)
{
	UNUSED(eax + edx + ecx);
	return wallclock();
}

CALL(WallclockUpdated)
{
	UNUSED(eax + edx + ecx);
	return 0;
}

CALL(SetLazyMode)
{
	UNUSED(eax + edx + ecx);
	queue_flush();
	return 0;
}

/* Served by ring 1 alone; here only if the guest jumps to the site itself. */
CALL(nothing)
{
	UNUSED(eax + edx + ecx);
	return unchanged();
}

#define call_SetCR2		call_nothing
#define call_GetCR0		call_nothing
#define call_GetCR2		call_nothing
#define call_GetCR3		call_nothing
#define call_GetCR4		call_nothing
#define call_RDTSC		call_nothing
#define call_DisableInterrupts	call_nothing
#define call_GetInterruptMask	call_nothing
#define call_SetInterruptMask	call_EnableInterrupts
#define call_SetPxE		call_nothing
#define call_SetPxELong		call_nothing
#define call_UpdatePxELong	call_nothing
#define call_MachineToPhysical	call_nothing
#define call_PhysicalToMachine	call_nothing
#define call_ReleasePage	call_AllocatePage
#define call_IODelay		call_nothing
#define call_GetCycleFrequency	call_nothing
#define call_GetCycleCounter	call_nothing
#define call_SetCallbacks	call_nothing

typedef REGPARM u64 (*call_fn)(u32 eax, u32 edx, u32 ecx);

#define CALL_ROW(nr, name, class)	call_##name,
const call_fn call_table[VMI_CALL_NR] = {
	VMI_CALLS(CALL_ROW)
};
