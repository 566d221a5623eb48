// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exceptions and interrupts that enter ring 0.
 *
 * Owns: what becomes of each: mended unseen, emulated, or delivered.
 * Not here: calls (`calls.c`), the frame that a guest finds (`deliver.c`).
 * Runs: IF=0, on the vCPU's stack.
 * Fails: a fault of the monitor itself stops the machine, with its EIP.
 */
#include "decode.h"

/* Loads a null selector in place of what cannot be loaded. */
static int mend_selector(struct regs *r)
{
	const u8 *code = (const u8 *)r->eip;
	u32 *stack = &r->esp;	/* what lies behind an entry from ring 0 */

	if (r->eip == (u32)pop_es || r->eip == (u32)pop_ds) {
		*stack = 0;
		return 1;
	}
	if (code[0] != 0x8e)
		return 0;
	if ((code[1] & 0x38) == 0x20)
		asm volatile("mov %0, %%fs" : : "r" (0));
	else
		asm volatile("mov %0, %%gs" : : "r" (0));
	r->eip += 2;
	return 1;
}

static void ring0_fault(struct regs *r)
{
	u32 eip = r->eip, error;

	if (r->vector == VEC_PF && eip >= (u32)guest_copy && eip < (u32)guest_copy_end) {
		u32 address = READ_REG(cr2);

		if (address < HOLE &&
		    shadow_fault(address, r->error & PF_W, &error) == FAULT_FILLED)
			return;
		r->eip = (u32)guest_copy_fault;
		return;
	}
	if (r->vector == VEC_GP && (eip == (u32)rdmsr_insn || eip == (u32)wrmsr_insn)) {
		r->eip = (u32)msr_access_fault;
		return;
	}
	if (r->vector >= VEC_TS && r->vector <= VEC_GP) {
		if (mend_selector(r))
			return;
		if (eip == (u32)last_iret && iret_failed(r, guest_regs))
			resume_at(guest_regs);
		if (eip == (u32)last_iret)
			stop("return to", guest_regs->eip, "with a bad selector");
	}
	if (r->vector == VEC_NMI)
		return;
	if (r->vector == VEC_DB) {	/* a watch on memory that we touched, too */
		WRITE_REG(db6, 0xffff0ff0);
		return;
	}
	monitor_fault(r);
}

static int at_iret(const struct regs *r)
{
	return r->eip == (u32)ring1_iret_insn || r->eip == (u32)ring1_iret_off;
}

/*
 * IRET to an address that the shortened code segment does not reach: natively
 * the return is done, and the first instruction is not mapped.
 */
static int return_into_hole(struct regs *r)
{
	u32 frame[2];
	u64 cs;

	if (r->vector != VEC_GP || r->error || !at_iret(r) ||
	    guest_read(frame, r->esp, sizeof(frame)) || (frame[1] & 3) != 3)
		return 0;
	cs = real_descriptor(frame[1]);
	if (!IS_CODE3(cs) || frame[0] <= descriptor_limit(cs) ||
	    descriptor_base(cs) + frame[0] < RING1_END)
		return 0;
	iret_complete(r);
	ring1->ev |= EV_IF;
	ring1->cr2 = descriptor_base(cs) + frame[0];
	deliver(r, VEC_PF, 1, PF_U | (has_nx ? PF_I : 0));
	return 1;
}

/* A return of our ring-1 code fails: it is the guest's site that failed. */
static void blame_iret_site(struct regs *r)
{
	u32 back;

	if (!at_iret(r))
		return;
	if (guest_read(&back, r->esp - 4, 4))
		stop("stack", r->esp, "is not mapped");
	r->eip = back - 5;
	ring1->ev &= (u8)~EV_IF;
}

static void reflect(struct regs *r, int has_error)
{
	me->reflected++;
	if (!from_user(r)) {
		if (return_into_hole(r))
			return;
		blame_iret_site(r);
	}
	deliver(r, r->vector, has_error, r->error);
}

static void page_fault(struct regs *r)
{
	u32 address = READ_REG(cr2), error;
	u32 access = r->error & (PF_W | PF_U | PF_I);

	queue_flush();
	if (address >= HOLE) {
		ring1->cr2 = address;
		r->error = access;
		reflect(r, 1);
		return;
	}
	switch (shadow_fault(address, access, &error)) {
	case FAULT_FILLED:
		me->hidden++;
		return;
	case FAULT_APIC:
		if (!(access & PF_U) && apic_access(r, address))
			return;
		stop("APIC access at", address, "by an instruction that is not emulated");
	case FAULT_FORBIDDEN:
		stop("access to", address, "which is mapped to the monitor's memory");
	case FAULT_REFLECT:
		break;
	}
	/* INT from ring 3 that finds no kernel stack. */
	if (from_user(r) && !(access & PF_U))
		stop("kernel stack", address, "is not mapped");
	ring1->cr2 = address;
	r->error = error;
	reflect(r, 1);
}

/*
 * INT of the guest's kernel: the real gate is for rings that the guest's own
 * kernel is not in.
 */
static int kernel_int(struct regs *r)
{
	u32 vector = r->error >> 3;
	u8 code[2];

	if (from_user(r) || (r->error & 7) != 2 ||	/* of a gate, not external */
	    guest_read(code, segment_base(r->cs) + r->eip, 2) ||
	    code[0] != 0xcd || code[1] != vector || !guest_gate(vector))
		return 0;
	r->eip += 2;
	deliver(r, vector, 0, 0);
	return 1;
}

static void general_protection(struct regs *r)
{
	if (r->eflags & EFLAGS_VM) {
		reflect(r, 1);
		return;
	}
	if (!r->error && emulate(r))
		return;
	if (kernel_int(r))
		return;
	if (segment_flip(r))
		return;
	reflect(r, 1);
}

static void interrupt(struct regs *r)
{
	u32 vector = pic_vector(r->vector & (VECTORS - 1));

	me->irqs[vector]++;
	if (!alarm_interrupt(vector))
		irq_pend(me, vector);
	if (from_monitor(r))
		return;
	deliver_pending(r);
}

static void trap(struct regs *r)
{
	me->entries++;
	if (r->vector >= FIRST_INTERRUPT) {
		if (r->vector == VECTOR_CALL)	/* no device may send it */
			stop("INT at", r->eip - 2, "is none of the ROM's calls");
		interrupt(r);
		return;
	}
	if (from_monitor(r)) {
		ring0_fault(r);
		return;
	}
	switch (r->vector) {
	case VEC_PF:
		page_fault(r);
		break;
	case VEC_GP:
		general_protection(r);
		break;
	case VEC_SS:
		if (!segment_flip(r))
			reflect(r, 1);
		break;
	case VEC_TS:
		if (r->eflags & EFLAGS_NT) {	/* IRET, and no task to return to */
			r->eflags &= ~EFLAGS_NT;
			break;
		}
		reflect(r, 1);
		break;
	case VEC_NP:
	case VEC_AC:
		reflect(r, 1);
		break;
	case VEC_DB:
		reflect(r, 0);
		break;
	case VEC_NMI:
		break;
	case VEC_DF:
	case VEC_MC:
		stop("exception", r->vector, "in the guest");
	default:
		reflect(r, 0);
	}
}

/**
 * trap_handler() - every entry into ring 0 but calls
 *
 * The guest did not ask for it: the time that it takes is stolen. A call's is
 * not, nor is time in which the guest wanted to wait.
 */
REGPARM void trap_handler(struct regs *r)
{
	u64 start = rdtsc(), waited = me->waited;
	int nested = from_monitor(r);
#ifdef MON_COUNT
	u32 row = r->vector < FIRST_INTERRUPT ? r->vector : FIRST_INTERRUPT;
#endif

	trap(r);
	if (!nested) {
		me->stolen += rdtsc() - start - (me->waited - waited);
		ring1->stolen = me->stolen;
	}
#ifdef MON_COUNT
	me->trap_cost[row] += (u32)rdtsc() - (u32)start;
#endif
}
