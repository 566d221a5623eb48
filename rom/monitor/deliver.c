// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivers exceptions and interrupts to the guest's kernel.
 *
 * Owns: the frame that the guest finds, its interrupt flag, pending interrupts,
 * and what it means to be interrupted in our own ring-1 code.
 * Not here: which exception the guest has to see (`trap.c`).
 * Runs: on the vCPU whose registers are changed; @r are those that it resumes
 * with.
 * Fails: a guest without a gate or a kernel stack is stopped.
 *
 * Source: SDM volume 3, section 6.12 (frames).
 */
#include "monitor.h"

#define GATE_INTERRUPT	0x0e

/* As the guest has to see them: its own flag, its own IOPL. */
static u32 guest_eflags(const struct regs *r)
{
	u32 eflags = (r->eflags & ~(EFLAGS_IF | EFLAGS_IOPL)) | me->iopl << 12;

	if (from_user(r) || ring1->ev & EV_IF)
		eflags |= EFLAGS_IF;
	return eflags;
}

/**
 * deliver() - make the guest's handler run next
 * @r: registers of the interrupted code
 * @vector: below 256
 * @has_error: the frame gets an error code
 * @error: that code
 */
void deliver(struct regs *r, u32 vector, int has_error, u32 error)
{
	u64 gate = guest_gate(vector);
	u32 frame[10], n = 0, sp;

	if (!gate)
		stop("vector", vector, "has no gate");
	if ((u32)(gate >> 48) >= HOLE >> 16)
		stop("vector", vector, "has its handler in the hole");
	if (has_error)
		frame[n++] = error;
	frame[n++] = r->eip;
	frame[n++] = r->cs;
	frame[n++] = guest_eflags(r);
	sp = r->esp;
	if (from_user(r)) {
		frame[n++] = r->esp;
		frame[n++] = r->ss;
		if (r->eflags & EFLAGS_VM) {
			frame[n++] = r->es86;
			frame[n++] = r->ds86;
			frame[n++] = r->fs86;
			frame[n++] = r->gs86;
			r->ds = r->es = 0;
			asm volatile("mov %0, %%fs\n\tmov %0, %%gs" : : "r" (0));
			idt_ring0(0);
		}
		sp = me->esp1;
		r->ss = me->ss1;
	}
	sp -= n * 4;
	if (guest_write(sp, frame, n * 4))
		stop("kernel stack", sp, "is not mapped or not writable");
	r->esp = sp;
	r->cs = ((u32)(gate >> 16) & 0xfffc) | 1;
	r->eip = (u32)(gate >> 32 & 0xffff0000) | (u32)(gate & 0xffff);
	r->eflags &= ~(EFLAGS_TF | EFLAGS_NT | EFLAGS_RF | EFLAGS_VM);
	r->eflags |= EFLAGS_IF;
	if ((gate >> 40 & 0x1f) == GATE_INTERRUPT)
		ring1->ev &= (u8)~EV_IF;
}

/**
 * irq_pend() - an interrupt waits for the guest
 *
 * It was taken from the interrupt controller, which holds back its like until
 * the guest says that it is done.
 */
void irq_pend(struct vcpu *v, u32 vector)
{
	u32 bit = 1u << (vector & 31);

	if (!(v->pending[vector >> 5] & bit)) {
		v->pending[vector >> 5] |= bit;
		v->pending_count++;
	}
	ring1->ev |= EV_PENDING;
}

/**
 * irq_forget() - eight interrupts are no longer pending here
 * @first: the first one's vector, a multiple of 8
 */
void irq_forget(u32 first)
{
	u32 i, bit;

	for (i = first; i < first + 8; i++) {
		bit = 1u << (i & 31);
		if (!(me->pending[i >> 5] & bit))
			continue;
		me->pending[i >> 5] &= ~bit;
		me->pending_count--;
	}
}

static u32 next_pending(void)
{
	u32 i, bit;

	for (i = VECTORS / 32; i-- > 0; ) {
		if (!me->pending[i])
			continue;
		asm("bsrl %1, %0" : "=r" (bit) : "rm" (me->pending[i]));
		me->pending[i] &= ~(1u << bit);
		me->pending_count--;
		return i * 32 + bit;
	}
	return 0;
}

/*
 * Is IRET of our ring-1 code past the point where it set the guest's flag? Then
 * it is as good as done.
 */
static int in_iret(const struct regs *r)
{
	return r->eip == (u32)ring1_iret_flag || r->eip == (u32)ring1_iret_insn;
}

/**
 * iret_complete() - take the frame off the guest's stack
 * @r: registers with ESP at the frame
 *
 * Return: whether the frame sets the interrupt flag.
 */
u32 iret_complete(struct regs *r)
{
	u32 frame[9], size = 3 * 4;

	if (guest_read(frame, r->esp, size))
		stop("stack", r->esp, "holds no frame to return to: not mapped");
	if (frame[2] & EFLAGS_VM)
		size = 9 * 4;
	else if ((frame[1] & 3) > (r->cs & 3))
		size = 5 * 4;
	if (guest_read(frame, r->esp, size))
		stop("stack", r->esp, "holds no frame to return to: not mapped");
	r->eip = frame[0];
	r->eflags = (frame[2] & ~EFLAGS_IOPL) | EFLAGS_IF | EFLAGS_FIXED;
	r->esp += size;
	if (frame[2] & EFLAGS_VM) {
		r->cs = frame[1] & 0xffff;
		r->esp = frame[3];
		r->ss = frame[4] & 0xffff;
		r->es86 = frame[5];
		r->ds86 = frame[6];
		r->fs86 = frame[7];
		r->gs86 = frame[8];
		return 1;
	}
	r->cs = frame[1] & 0xffff;
	if (size == 5 * 4) {
		r->esp = frame[3];
		r->ss = frame[4] & 0xffff;
	}
	return frame[2] & EFLAGS_IF;
}

/**
 * deliver_pending() - deliver what waits, if the guest's flag is set
 * @r: registers of whatever is to be interrupted
 */
void deliver_pending(struct regs *r)
{
	while (me->pending_count && ring1->ev & EV_IF) {
		if (!from_user(r)) {
			if (in_iret(r))
				iret_complete(r);
			else
				stub_finish(r);
			if (r->eip > (u32)ring1_push && r->eip < (u32)ring1_pushed)
				r->eip = (u32)ring1_push;
			if (!(ring1->ev & EV_IF))
				break;
		}
		deliver(r, next_pending(), 0, 0);
	}
	if (me->pending_count)
		ring1->ev |= EV_PENDING;
	else
		ring1->ev &= (u8)~EV_PENDING;
}

/**
 * iret_call() - IRET where ring 1 could not do it alone
 * @r: registers with ESP at the frame
 */
void iret_call(struct regs *r)
{
	u32 esp = r->esp, cs = r->cs, ss = r->ss, on = iret_complete(r);

	if (r->eflags & EFLAGS_VM) {
		idt_ring0(1);
	} else if (from_user(r)) {
		me->iret_esp = esp;
		me->iret_cs = cs;
		me->iret_ss = ss;
		me->iret_eip = r->eip;
	}
	if (on)
		ring1->ev |= EV_IF;
	else
		ring1->ev &= (u8)~EV_IF;
	deliver_pending(r);
}

/**
 * iret_failed() - the return that iret_call() prepared was not possible
 * @at_fault: registers at the fault in ring 0
 * @r: the guest's, to be made those of its IRET
 *
 * Both lie on one stack, and overlap: IRET had popped part of the guest's.
 * Return: 0 if it was not such a return.
 */
int iret_failed(const struct regs *at_fault, struct regs *r)
{
	struct regs copy = *at_fault, *now = &copy;
	u32 back;

	if (!me->iret_esp || me->iret_eip != r->eip ||
	    guest_read(&back, me->iret_esp - 4, 4))
		return 0;
	r->edi = now->edi;
	r->esi = now->esi;
	r->ebp = now->ebp;
	r->ebx = now->ebx;
	r->edx = now->edx;
	r->ecx = now->ecx;
	r->eax = now->eax;
	r->ds = now->ds;
	r->es = now->es;
	r->eip = back - 5;
	r->cs = me->iret_cs;
	r->esp = me->iret_esp;
	r->ss = me->iret_ss;
	r->eflags = EFLAGS_IF | EFLAGS_FIXED;
	ring1->ev &= (u8)~EV_IF;
	me->iret_esp = 0;
	deliver(r, now->vector, 1, now->error & ~1u);
	return 1;
}
