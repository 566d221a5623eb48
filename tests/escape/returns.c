// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: IRET with every bad frame, POPF, SYSEXIT, SYSENTER.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1.
 * Fails: with a text.
 */
#include "escape.h"

extern const char land[], land_user[], user_stack_top[], land_cli[];
extern u32 iret_target, landed;

static u32 frame_area[64], *const frame = &frame_area[48];

/* IRET by call; at faults the stack is the frame's. */
static void iret_call(void)
{
	asm volatile("mov %0, %%esp\n\tcall *%1" : : "r" (at), "r" (iret_target) : "memory");
}

static void iret_native(void)
{
	asm volatile("mov %0, %%esp\n\tiret" : : "r" (at) : "memory");
}

static void (*const ways[])(void) = { iret_call, iret_native };

static void make_frame(u32 eip, u32 cs, u32 eflags, u32 esp, u32 ss)
{
	u32 i;

	frame[0] = eip;
	frame[1] = cs;
	frame[2] = eflags;
	frame[3] = esp;
	frame[4] = ss;
	for (i = 5; i < 9; i++)
		frame[i] = 0;
	at = (u32)frame;
	landed = 0;
}

#define IS_SELECTOR_FAULT(r)	((r) >= FAULTED(VEC_TS) && (r) <= FAULTED(VEC_GP))

static const char *refused(u32 way)
{
	u32 r = attempt(ways[way]);

	EXPECT(!landed, "it returned by a bad frame");
	EXPECT(IS_SELECTOR_FAULT(r), "a bad frame is not a selector's fault");
	return NULL;
}

const char *case_iret_cs(void)
{
	static const u16 bad[] = {
		0, 1, 2, 3, SEL_DATA | 1, SEL_UDATA, SEL_CODE | 3, SEL_UCODE & ~3u, SEL_CODE0,
		SEL_CODE0 | 1, SEL_CODE0 | 2, SEL_CODE0 | 3, SEL_DATA0 | 1, SEL_TSS0, SEL_TSS0 | 1,
		SEL_TSS0 | 3, SEL_TSS | 1, SEL_LDT | 1, 0x205 | 2, 0xfff9, 0xffff, 5, 7, 0xd, 0xf,
		SEL_STACK16, SEL_STACK16 | 1, SEL_STACK16 | 3,
	};
	const char *why = NULL;
	u32 i, way;

	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		for (i = 0; i < ARRAY_SIZE(bad) && !why; i++) {
			make_frame((u32)land, bad[i], 2, (u32)user_stack_top, SEL_UDATA);
			why = refused(way);
		}
	}
	return why;
}

const char *case_iret_ss(void)
{
	static const u16 bad[] = {
		0, 1, 3, SEL_DATA, SEL_DATA | 1, SEL_DATA | 3, SEL_UDATA & ~3u, SEL_UCODE,
		SEL_CODE | 1, SEL_DATA0, SEL_DATA0 | 1, SEL_DATA0 | 3, SEL_TSS0 | 3,
		SEL_CODE0 | 3, SEL_STACK16 | 3,
		0xfffb, 0xffff, 7, 0xf,
	};
	const char *why = NULL;
	u32 i, way;

	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		for (i = 0; i < ARRAY_SIZE(bad) && !why; i++) {
			make_frame((u32)land_user, SEL_UCODE, 0x202, (u32)user_stack_top, bad[i]);
			why = refused(way);
		}
	}
	return why;
}

/* All flags: what they let ring 3 do is as without them. */
const char *case_iret_flags(void)
{
	static const u32 flags[] = {
		0, EFLAGS_IOPL, EFLAGS_NT, EFLAGS_RF, EFLAGS_AC, EFLAGS_VIF, 0x200000, 0x400, 0x8d7,
		0xfffc8028, EFLAGS_IOPL | EFLAGS_NT | EFLAGS_AC | EFLAGS_VIF | 0x200,
	};
	u32 i, way;

	for (i = 0; i < ARRAY_SIZE(flags) * 2; i++) {
		way = i & 1;
		make_frame((u32)land_cli, SEL_UCODE, flags[i / 2] | 2, (u32)user_stack_top,
			   SEL_UDATA);
		EXPECT(attempt(ways[way]) == FAULTED(VEC_GP) && fault.eip == (u32)land_cli,
		       "CLI in ring 3 after IRET is not #GP");
		make_frame((u32)land, SEL_CODE | 1, flags[i / 2] | 2, 0, 0);
		EXPECT(attempt(ways[way]) == 0 && landed == 1, "IRET to the kernel failed");
	}
	return NULL;
}

const char *case_iret_tf(void)
{
	u32 way;

	for (way = 0; way < ARRAY_SIZE(ways); way++) {
		make_frame((u32)land_user, SEL_UCODE, 0x302, (u32)user_stack_top, SEL_UDATA);
		EXPECT(attempt(ways[way]) == FAULTED(VEC_DB), "TF for ring 3 is not #DB");
		make_frame((u32)land, SEL_CODE | 1, 0x102, 0, 0);
		EXPECT(attempt(ways[way]) == FAULTED(VEC_DB), "TF for ring 1 is not #DB");
	}
	return NULL;
}

/* To virtual-8086 mode, where nothing is mapped. */
const char *case_iret_vm(void)
{
	static const u32 flags[] = { 2, 0x202, 0x3202, 0x7302, 0x003f7fd7 };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(flags) * 2; i++) {
		make_frame(0, 0x1000, flags[i / 2] | EFLAGS_VM, 0x1000, 0x2000);
		for (k = 5; k < 9; k++)
			frame[k] = MON_VCPU >> 4;
		EXPECT(attempt(ways[i & 1]), "virtual-8086 mode without memory did something");
	}
	return NULL;
}

/* EIP and ESP of any kind: the fault is where it leads to. */
const char *case_iret_anywhere(void)
{
	static const u32 places[] = { 0, SPARE, MON_GDT, 0xfffffffc };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(places) * 2; i++) {
		make_frame(places[i / 2], SEL_UCODE, 0x202, places[i / 2], SEL_UDATA);
		EXPECT(attempt(ways[i & 1]), "ring 3 runs where nothing is mapped");
	}
	return NULL;
}

const char *case_iret_kernel_hole(void)
{
	u32 i, r;

	for (i = 0; i < 2; i++) {
		make_frame(MON_MEMORY, SEL_CODE | 1, 0x202, 0, 0);
		EXPECT(attempt(ways[i]) == FAULTED(VEC_GP), "a return into the hole is not #GP");
		make_frame(MON_MEMORY, SEL_UCODE, 0x202, (u32)user_stack_top, SEL_UDATA);
		/* by call: as if the segment had its 4 GiB, the fetch faults */
		r = attempt(ways[i]);
		EXPECT(r == FAULTED(i ? VEC_GP : VEC_PF), "ring 3 returns into the hole");
	}
	return NULL;
}

/* The second half of the frame is on a page that is missing. */
const char *case_iret_split(void)
{
	u32 bytes, way;
	u32 *p;

	map(1, phys(big_area), PTE_ALL);
	map(2, 0, 0);
	for (bytes = 4; bytes <= 16; bytes += 4) {
		for (way = 0; way < ARRAY_SIZE(ways); way++) {
			p = (u32 *)(WINDOW + 0x2000 - bytes);
			at = (u32)p;
			p[0] = (u32)land_user;
			if (bytes > 4)
				p[1] = SEL_UCODE;
			if (bytes > 8)
				p[2] = 2;
			landed = 0;
			EXPECT(attempt(ways[way]) == FAULTED(VEC_PF) && !landed,
			       "half a frame is not a page fault");
		}
	}
	return NULL;
}

const char *case_iret_frame_unmapped(void)
{
	at = SPARE + 0x800;
	iret_call();
	return "it returned";
}

const char *case_iret_frame_in_hole(void)
{
	at = MON_GDT + 0x800;
	iret_call();
	return "it returned";
}

const char *case_iret_frame_in_monitor(void)
{
	at = (u32)map(1, mon_base, PTE_ALL) + 0x800;
	iret_native();
	return "it returned";
}

/* With an interrupt that waits, ring 0 reads the frame. */
const char *case_iret_pending_unmapped(void)
{
	u32 i;

	at = SPARE + 0x800;
	vmi(VMI_CALL_DisableInterrupts, 0, 0, 0);
	for (i = 0; i < 20000000; i++)
		barrier();
	asm volatile("mov %0, %%esp\n\tjmp *%1"
		     : : "r" (at), "r" (RING1_CODE + 8 + 4 * VMI_CALL_IRET));
	return "it returned";
}

static void popf_flags(void)
{
	asm volatile("push %0\n\tpopf\n\tpushf\n\tpop %0\n\tpushl $2\n\tpopf" : "+m" (value));
}

static void popf_trap(void)
{
	asm volatile("pushl $0x102\n\tpopf\n\tnop\n\tnop");
}

static void popf_nested_iret(void)
{
	asm volatile("pushl $0x4002\n\tpopf\n\tmov %0, %%esp\n\tiret" : : "r" (at));
}

const char *case_popf(void)
{
	value = 0xffffffff & ~(EFLAGS_TF | EFLAGS_VM | EFLAGS_RF);
	EXPECT(!attempt(popf_flags) && !(value & EFLAGS_IOPL), "POPF in ring 1 sets IOPL");
	EXPECT(value & EFLAGS_IF, "POPF in ring 1 clears IF");
	value = 0xffffffff & ~(EFLAGS_TF | EFLAGS_VM | EFLAGS_RF | EFLAGS_AC);
	EXPECT(!attempt_user(popf_flags) && !(value & EFLAGS_IOPL), "POPF in ring 3 sets IOPL");
	EXPECT(attempt(popf_trap) == FAULTED(VEC_DB), "POPF with TF is not #DB");
	EXPECT(attempt_user(popf_trap) == FAULTED(VEC_DB), "in ring 3, too");
	return NULL;
}

/* NT says: back to the task before. There is none. */
const char *case_iret_nested(void)
{
	make_frame((u32)land, SEL_CODE | 1, 2, 0, 0);
	attempt(popf_nested_iret);
	make_frame((u32)land_user, SEL_UCODE, 0x202, (u32)user_stack_top, SEL_UDATA);
	attempt(popf_nested_iret);
	return NULL;
}

static void user_nested_iret(void)
{
	asm volatile("pushl $0x4002\n\tpopf\n\tiret");
}

const char *case_iret_nested_user(void)
{
	EXPECT(attempt_user(user_nested_iret), "IRET with NT in ring 3 did something");
	return NULL;
}

/* No interrupt comes between, whose handler would return by that frame. */
static const char *sysexit(u32 cs)
{
	outb(0x21, 0xff);
	vmi(VMI_CALL_EnableInterrupts, 0, 0, 0);
	vmi(VMI_CALL_DisableInterrupts, 0, 0, 0);
	vmi(VMI_CALL_WRMSR, cs, 0, 0x174);
	vmi(VMI_CALL_SYSEXIT, 0, (u32)land, (u32)user_stack_top);
	return "it returned";
}

const char *case_sysexit_none(void)
{
	return sysexit(0);
}

const char *case_sysexit_monitor(void)
{
	return sysexit(SEL_CODE0 - 16);
}

const char *case_sysexit_kernel(void)
{
	return sysexit(0xfff8);
}

const char *case_sysexit_beyond(void)
{
	return sysexit(0xffe8);
}

static void do_sysenter(void)
{
	asm volatile("sysenter");
}

static void do_syscall(void)
{
	asm volatile(".byte 0x0f, 0x05" : : : "ecx");
}

static const char *no_fast_entry(void)
{
	landed = 0;
	EXPECT(attempt(do_sysenter), "SYSENTER of ring 1 did something");
	EXPECT(attempt_user(do_sysenter), "SYSENTER of ring 3 did something");
	EXPECT(attempt(do_syscall), "SYSCALL of ring 1 did something");
	EXPECT(attempt_user(do_syscall), "SYSCALL of ring 3 did something");
	EXPECT(!landed, "there is a way into ring 0");
	return NULL;
}

static void write_msr(u32 msr, u32 low, u32 high)
{
	struct invoke c = {
		.target = targets[VMI_CALL_WRMSR], .eax = low, .edx = high, .ecx = msr,
	};

	if (low)
		invoke(&c);
	else
		wrmsr(msr, (u64)high << 32 | low);
}

static u32 msr_number, msr_low, msr_high;

static void try_msr(void)
{
	write_msr(msr_number, msr_low, msr_high);
}

static void try_rdmsr(void)
{
	vmi(VMI_CALL_RDMSR, 0, 0, msr_number);
}

/* Registers that would open a door; a write is refused, or it has no effect. */
const char *case_msrs(void)
{
	static const struct { u32 msr, low, high; } tries[] = {
		{ 0x174, SEL_CODE0, 0 }, { 0x175, MON_VCPU, 0 }, { 0x176, KERNEL, 0 },
		{ 0x1b, 0xfed00900, 0 }, { 0x1b, 0xfee00d00, 0 }, { 0x1b, 0xfee00000, 0 },
		{ 0xc0000080, 0xffffffff, 0xffffffff }, { 0xc0000080, 1, 0 },
		{ 0xc0000081, 0xc0100000, 0x00100008 }, { 0xc0000082, 0xc0100000, 0 },
		{ 0xc0000083, 0xc0100000, 0 }, { 0x1d9, 0xffffffff, 0 }, { 0x200, 6, 0 },
		{ 0x2ff, 0xc00, 0 }, { 0x3a, 5, 0 }, { 0x80b, 1, 0 }, { 0x830, 0x4500, 0 },
		{ 0x9b, 1, 0 }, { 0x1a0, 0xffffffff, 0xffffffff }, { 0xc0010117, 0x1000, 0 },
		{ 0x10, 1, 0 }, { 0x277, 0x01010101, 0x01010101 }, { 0xd90, 1, 0 },
		{ 0x600, MON_VCPU, 0 }, { 0xffffffff, 1, 1 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(tries); i++) {
		msr_number = tries[i].msr;
		msr_low = tries[i].low;
		msr_high = tries[i].high;
		attempt(try_msr);
		attempt(try_rdmsr);
		EXPECT(attempt_user(try_msr), "ring 3 writes an MSR");
	}
	wrmsr(0x176, (u32)land);
	return no_fast_entry();
}

/* Set in ring 0, before Init, where everything is allowed. */
void before_sysenter_before(void)
{
	u32 a = 1, b, c = 0, d;

	asm volatile("cpuid" : "+a" (a), "=b" (b), "+c" (c), "=d" (d));
	if (d & 1u << 11) {
		wrmsr(0x174, SEL_CODE);
		wrmsr(0x175, (u32)user_stack_top);
		wrmsr(0x176, (u32)land);
	}
	a = 0x80000000;
	asm volatile("cpuid" : "+a" (a), "=b" (b), "+c" (c), "=d" (d));
	if (a < 0x80000001)
		return;
	a = 0x80000001;
	asm volatile("cpuid" : "+a" (a), "=b" (b), "+c" (c), "=d" (d));
	if (!(d & 1u << 11))
		return;
	wrmsr(0xc0000080, rdmsr(0xc0000080) | 1);
	wrmsr(0xc0000081, (u64)(SEL_CODE | SEL_UCODE << 16) << 32 | (u32)land);
}

const char *case_sysenter_before(void)
{
	return no_fast_entry();
}

static void user_io(void)
{
	asm volatile("cli\n\tsti\n\tcli");
	value = inb(0x80);
	asm volatile("pushl $2\n\tpopf");
}

/* A user with IOPL 3 has ports, but not the interrupt flag. */
const char *case_iopl(void)
{
	vmi(VMI_CALL_SetIOPLMask, 3 << VMI_IOPL_SHIFT, 0, 0);
	EXPECT(!attempt_user(user_io), "ports of a user with IOPL 3 fault");
	vmi(VMI_CALL_SetIOPLMask, 0xffffffff, 0, 0);
	attempt_user(user_io);
	vmi(VMI_CALL_SetIOPLMask, 0, 0, 0);
	EXPECT(attempt_user(user_io) == FAULTED(VEC_GP), "a user without IOPL has ports");
	return NULL;
}
