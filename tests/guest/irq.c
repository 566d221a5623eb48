// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 29 to 35 and 61.
 *
 * Owns: IF, IOPL, and the two ways out of the kernel.
 * Not here: alarms (`time.c`); 36 and 37, which end the run.
 * Runs: 29 to 34 with DS and ES through which every access faults.
 * Fails: a text per row.
 */
#include "guest.h"

#define STACK_WORDS	256
static u32 stack[STACK_WORDS], user_stack[64];
extern const char land_here[], land_here_end[];

static const char *t_enable(void)
{
	args(0x11, 0x22, 0x33);
	CALL(VMI_CALL_EnableInterrupts, R_FLAGS);
	CHECK(out.eflags & EFLAGS_IF, "IF is not set");
	args(0x11, 0x22, 0x33);
	in.eflags |= EFLAGS_IF;
	CALL(VMI_CALL_DisableInterrupts, R_FLAGS);
	CHECK(!(out.eflags & EFLAGS_IF), "IF is not clear");
	return NULL;
}

static const char *t_mask(void)
{
	args(0xffffffff, 0x22, 0x33);
	CALL(VMI_CALL_GetInterruptMask, R_EAX);
	CHECK(out.eax == 0, "31 with IF=0");
	args(0xffffffff, 0x22, 0x33);
	in.eflags |= EFLAGS_IF;
	CALL(VMI_CALL_GetInterruptMask, R_EAX);
	CHECK(out.eax == EFLAGS_IF, "31 with IF=1");
	args(EFLAGS_IF | 0x46, 0x22, 0x33);
	CALL(VMI_CALL_SetInterruptMask, R_FLAGS);
	CHECK(out.eflags & EFLAGS_IF, "32 did not set IF");
	args(~(u32)EFLAGS_IF, 0x22, 0x33);
	in.eflags |= EFLAGS_IF;
	CALL(VMI_CALL_SetInterruptMask, R_FLAGS);
	CHECK(!(out.eflags & EFLAGS_IF), "32 did not clear IF");
	return NULL;
}

/* Jumps to a call's code with a frame of @words on the stack. */
static u32 *jump_to(enum vmi_call nr, const u32 *frame, u32 words)
{
	u32 *at = stack + STACK_WORDS - 8, i;

	for (i = 0; i < words; i++)
		at[i] = frame[i];
	invoke_target = rom_calls[nr].reloc.eip;
	rom_calls[nr].calls++;
	guest_jump(at);
	return at;
}

static const char *kept(void)
{
	CHECK(out.eax == in.eax && out.ebx == in.ebx && out.ecx == in.ecx &&
	      out.edx == in.edx && out.esi == in.esi && out.edi == in.edi &&
	      out.ebp == in.ebp, "a register not preserved");
	CHECK(out.ds == in.ds && out.es == in.es, "DS or ES not preserved");
	return NULL;
}

static int landed(void)
{
	return back_eip > (u32)land_here && back_eip <= (u32)land_here_end;
}

static const char *t_iret_kernel(void)
{
	u32 frame[] = { (u32)land_here, SEL_CODE, EFLAGS_FIXED | EFLAGS_ARITH };
	u32 *at;

	CHECK(rom_calls[VMI_CALL_IRET].reloc.type == VMI_RELOC_JUMP_REL,
	      "not answered JUMP");
	args(0x11, 0x22, 0x33);
	in.ds = in.es = SEL_POISON;
	at = jump_to(VMI_CALL_IRET, frame, 3);
	CHECK(landed() && back_cs == SEL_CODE, "came out elsewhere");
	CHECK(back_eflags == frame[2], "flags not from the frame");
	CHECK(back_esp == (u32)(at + 3), "ESP not behind the frame");
	return kept();
}

static const char *t_iret_user(void)
{
	u32 frame[] = { (u32)land_here, SEL_UCODE, EFLAGS_FIXED | EFLAGS_IF,
			(u32)(user_stack + 64), SEL_UDATA };

	args(0x11, 0x22, 0x33);
	in.ds = in.es = SEL_UDATA;
	jump_to(VMI_CALL_IRET, frame, 5);
	CHECK(landed() && back_cs == SEL_UCODE, "came out elsewhere");
	CHECK(back_eflags == frame[2], "flags not from the frame");
	CHECK(back_esp == frame[3], "ESP not from the frame");
	return kept();
}

static u32 bad_frame[] = { 0, 0x58, EFLAGS_FIXED };

static void iret_bad(void)
{
	jump_to(VMI_CALL_IRET, bad_frame, 3);
}

static const char *t_iret_fault(void)
{
	args(0x11, 0x22, 0x33);
	CHECK(fault_try(iret_bad), "no fault from a selector beyond the GDT");
	CHECK(fault.vector == 13 && (fault.error & ~1u) == 0x58, "not #GP(58)");
	CHECK(in_rom(fault.eip), "EIP is not in the ROM");
	CHECK(fault.esp == (u32)(stack + STACK_WORDS - 8),
	      "ESP is not at the frame");
	return NULL;
}

#define MSR_SYSENTER_CS	0x174

static const char *t_sysexit(void)
{
	asm volatile("wrmsr" : : "a" (SEL_CODE), "d" (0), "c" (MSR_SYSENTER_CS));
	args(0x11, (u32)land_here, (u32)(user_stack + 64));
	in.ds = in.es = SEL_UDATA;
	CHECK(rom_calls[VMI_CALL_SYSEXIT].reloc.type == VMI_RELOC_JUMP_REL,
	      "not answered JUMP");
	jump_to(VMI_CALL_SYSEXIT, NULL, 0);
	CHECK(landed() && back_cs == SEL_UCODE, "came out elsewhere");
	CHECK(back_eflags & EFLAGS_IF, "IF is not set");
	CHECK(back_esp == (u32)(user_stack + 64), "ESP is not that of ECX");
	return kept();
}

static const char *t_iopl(void)
{
	args(EFLAGS_IOPL, 0, 0);
	CALL(VMI_CALL_SetIOPLMask, R_FLAGS);
	CHECK((out.eflags & EFLAGS_IOPL) == EFLAGS_IOPL, "IOPL is not 3");
	args(0, 0, 0);
	in.eflags |= EFLAGS_IOPL;
	CALL(VMI_CALL_SetIOPLMask, R_FLAGS);
	CHECK((out.eflags & EFLAGS_IOPL) == 0, "IOPL is not 0");
	return NULL;
}

static const struct test tests[] = {
	{ "29 EnableInterrupts, 30 DisableInterrupts", t_enable },
	{ "31 GetInterruptMask, 32 SetInterruptMask", t_mask },
	{ "33 IRET to the kernel", t_iret_kernel },
	{ "33 IRET to user mode", t_iret_user },
	{ "33 IRET that faults", t_iret_fault },
	{ "34 SYSEXIT", t_sysexit },
	{ "61 SetIOPLMask", t_iopl },
};

const struct test_group irq_tests = { tests, ARRAY_SIZE(tests) };
