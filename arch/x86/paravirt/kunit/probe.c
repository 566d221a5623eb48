// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of an op, and the verdict on the registers.
 *
 * Owns: what a convention lets an op change, poison, the verdict.
 * Not here: loading and storing registers (`call.S`), effects (`test_*.c`).
 * Runs: KUnit's thread. A call does not sleep; its verdict waits in the probe until
 *       the test has returned, since a failed expectation allocates memory.
 */
#include <linux/bits.h>
#include <linux/irqflags.h>
#include <asm/processor-flags.h>
#include <asm/segment.h>
#include "probe.h"

u32 pv_call_in[PV_NR_REGS], pv_call_out[PV_NR_REGS];
void *pv_call_target;

void pv_call_return(void);
void pv_call_frame(void);

static const char * const reg_names[PV_NR_REGS] = {
	"EAX", "EDX", "ECX", "EBX", "ESI", "EDI", "EBP", "ESP",
	"DS", "ES", "FS", "GS", "SS", "EFLAGS (direction or interrupt flag)",
};

/* No argument of a test looks like this. */
#define POISON(reg)	(0xdead0100 + (reg) * 0x11)

static void *slot_of(const struct pv_probe *p)
{
	return ((void **)&pv_ops)[p->nr];
}

/**
 * pv_is_native() - does the slot hold what the list calls native?
 * @p: the probe of the op
 */
bool pv_is_native(const struct pv_probe *p)
{
	return slot_of(p) == pv_op_info[p->nr].native;
}

/**
 * pv_at_ring0() - may a test read the hardware itself?
 */
bool pv_at_ring0(void)
{
	u16 cs;

	savesegment(cs, cs);
	return !(cs & SEGMENT_RPL_MASK);
}

/**
 * pv_irqs_on() - the interrupt flag as the kernel sees it
 */
bool pv_irqs_on(void)
{
	return arch_local_save_flags() & X86_EFLAGS_IF;
}

static void load_segments(void)
{
	u16 ds, es, fs, gs, ss;

	savesegment(ds, ds);
	savesegment(es, es);
	savesegment(fs, fs);
	savesegment(gs, gs);
	savesegment(ss, ss);
	pv_call_in[PV_REG_DS] = ds;
	pv_call_in[PV_REG_ES] = es;
	pv_call_in[PV_REG_FS] = fs;
	pv_call_in[PV_REG_GS] = gs;
	pv_call_in[PV_REG_SS] = ss;
}

static void load_registers(void)
{
	unsigned int reg;

	for (reg = 0; reg < PV_NR_REGS; reg++)
		pv_call_in[reg] = POISON(reg);
	load_segments();
}

/* What the op's line lets it change, flags aside. */
static u32 may_change(const struct pv_probe *p)
{
	if (!p->save)
		return BIT(PV_REG_EAX) | BIT(PV_REG_EDX) | BIT(PV_REG_ECX);
	switch (p->result) {
	case PV_RESULT_word:
		return BIT(PV_REG_EAX);
	case PV_RESULT_u64:
		return BIT(PV_REG_EAX) | BIT(PV_REG_EDX);
	default:
		return 0;
	}
}

static void enter(struct pv_probe *p, void (*how)(void), u32 allowed)
{
	bool irqs_were_on = pv_irqs_on();
	unsigned int reg;

	pv_call_target = slot_of(p);
	how();
	p->calls++;
	memcpy(p->out, pv_call_out, sizeof(p->out));
	for (reg = 0; reg < PV_REG_EFLAGS; reg++)
		if (pv_call_out[reg] != pv_call_in[reg] && !(allowed & BIT(reg)))
			p->changed |= BIT(reg);
	if (pv_call_out[PV_REG_EFLAGS] & X86_EFLAGS_DF)
		p->changed |= BIT(PV_REG_EFLAGS);
	if (!p->may_change_if && pv_irqs_on() != irqs_were_on)
		p->changed |= BIT(PV_REG_EFLAGS);
}

/**
 * __pv_call() - call the op by its convention
 * @p: the probe
 * @nr_args: how many of @args count; the other argument registers are poisoned
 * @args: in list order
 *
 * Return: EDX:EAX, whatever the op's result is.
 */
u64 __pv_call(struct pv_probe *p, unsigned int nr_args, const u32 *args)
{
	unsigned int i;

	if (nr_args != p->params)
		p->wrong_args = true;
	load_registers();
	for (i = 0; i < nr_args; i++)
		pv_call_in[PV_REG_EAX + i] = args[i];
	enter(p, pv_call_return, may_change(p));
	return (u64)p->out[PV_REG_EDX] << 32 | p->out[PV_REG_EAX];
}

/**
 * pv_call_regs() - call an op whose registers the list does not describe
 * @p: the probe
 * @eax: as the instruction wants it
 * @edx: likewise
 * @ecx: likewise
 * @allowed: registers that the instruction changes, a bit each
 *
 * Return: EDX:EAX.
 */
u64 pv_call_regs(struct pv_probe *p, u32 eax, u32 edx, u32 ecx, u32 allowed)
{
	load_registers();
	pv_call_in[PV_REG_EAX] = eax;
	pv_call_in[PV_REG_EDX] = edx;
	pv_call_in[PV_REG_ECX] = ecx;
	enter(p, pv_call_return, allowed);
	return (u64)p->out[PV_REG_EDX] << 32 | p->out[PV_REG_EAX];
}

/**
 * pv_call_iret() - return through the op, to the same ring
 * @p: the probe
 * @eflags: of the frame
 */
void pv_call_iret(struct pv_probe *p, u32 eflags)
{
	load_registers();
	pv_call_in[PV_REG_EFLAGS] = eflags;
	enter(p, pv_call_frame, 0);
}

/**
 * pv_probe_run() - run the test of an op and judge its calls
 * @p: the probe
 * @run: the test
 */
void pv_probe_run(struct pv_probe *p, void (*run)(struct pv_probe *p))
{
	const struct pv_op_info *op = &pv_op_info[p->nr];
	unsigned int reg;

	run(p);
	if (!p->calls && p->test->status != KUNIT_SKIPPED)
		KUNIT_FAIL(p->test, "%s was not called\n", op->name);
	if (p->wrong_args)
		KUNIT_FAIL(p->test, "%s takes %u arguments, the test has others\n",
			   op->name, p->params);
	for (reg = 0; reg < PV_NR_REGS; reg++)
		if (p->changed & BIT(reg))
			KUNIT_FAIL(p->test, "%s (%s) changed %s\n", op->name, op->conv,
				   reg_names[reg]);
}
