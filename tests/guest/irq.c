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
	u32 frame[] = { (u32)land_here, SEL_CODE | ring, EFLAGS_FIXED | EFLAGS_ARITH };
	u32 *at = FRAME_STACK_TOP - 8;

	args(0x11, 0x22, 0x33);
	in.ds = in.es = SEL_POISON;
	iret_frame(frame, 3, at);
	CHECK(landed() && back_cs == (SEL_CODE | ring), "came out elsewhere");
	CHECK(back_eflags == frame[2], "flags not from the frame");
	CHECK(back_esp == (u32)(at + 3), "ESP not behind the frame");
	return kept();
}

/* From IF=0 to IF=1 and back, in the kernel. */
static const char *t_iret_flag(void)
{
	u32 frame[] = { (u32)land_here, SEL_CODE | ring, EFLAGS_FIXED | EFLAGS_IF };

	args(0x11, 0x22, 0x33);
	iret_frame(frame, 3, FRAME_STACK_TOP - 8);
	CHECK(landed() && back_eflags == frame[2], "did not set IF");
	frame[2] = EFLAGS_FIXED;
	args(0x11, 0x22, 0x33);
	in.eflags |= EFLAGS_IF;
	iret_frame(frame, 3, FRAME_STACK_TOP - 8);
	CHECK(landed() && back_eflags == frame[2], "did not clear IF");
	return kept();
}

static const char *t_iret_user(void)
{
	u32 frame[] = { (u32)land_here, SEL_UCODE, EFLAGS_FIXED | EFLAGS_IF,
			USER_STACK_TOP, SEL_UDATA };

	kernel_stack(ENTRY_STACK_TOP);
	args(0x11, 0x22, 0x33);
	in.ds = in.es = SEL_UDATA;
	iret_frame(frame, 5, FRAME_STACK_TOP - 8);
	CHECK(landed() && back_cs == SEL_UCODE, "came out elsewhere");
	CHECK(back_eflags == frame[2], "flags not from the frame");
	CHECK(back_esp == frame[3] && back_ss == SEL_UDATA, "ESP or SS not from the frame");
	return kept();
}

static u32 bad_frame[] = { 0, 0x58, EFLAGS_FIXED, 0, 0 };
static u32 bad_words;

static void iret_bad(void)
{
	iret_frame(bad_frame, bad_words, FRAME_STACK_TOP - 8);
}

/*
 * By JUMP the ROM's IRET is at fault; by CALL it is the site, or the guest could
 * not find it in its table.
 */
static const char *iret_blamed(u32 selector)
{
	args(0x11, 0x22, 0x33);
	in.eflags |= EFLAGS_IF;
	CHECK(fault_try(iret_bad), "no fault");
	CHECK(fault.vector == 13 && (fault.error & ~3u) == selector, "not that #GP");
	if (rom_calls[VMI_CALL_IRET].reloc.type == VMI_RELOC_JUMP_REL)
		CHECK(in_rom(fault.eip), "EIP is not in the ROM");
	else				/* or the instruction that stayed there */
		CHECK(fault.eip == (u32)site_iret, "EIP is not the site");
	CHECK(fault.esp == (u32)(FRAME_STACK_TOP - 8), "ESP is not at the frame");
	CHECK((fault.cs & 3) == ring, "CS is not the kernel's");
	CHECK(fault.eax == 0x11 && fault.ecx == 0x33 && fault.edx == 0x22,
	      "a register not preserved");
	return NULL;
}

static const char *t_iret_fault(void)
{
	bad_frame[0] = 0;
	bad_frame[1] = 0x58;
	bad_words = 3;
	return iret_blamed(0x58);
}

static const char *t_iret_user_fault(void)
{
	const char *why;

	kernel_stack(ENTRY_STACK_TOP);
	bad_frame[0] = (u32)land_here;
	bad_frame[1] = 0x5b;
	bad_frame[2] = EFLAGS_FIXED | EFLAGS_IF;
	bad_frame[3] = USER_STACK_TOP;
	bad_frame[4] = SEL_UDATA;
	bad_words = 5;
	why = iret_blamed(0x58);
	CHECK(!why, why);
	bad_frame[1] = SEL_UCODE;
	bad_frame[4] = 0x5b;
	why = iret_blamed(0x58);
	CHECK(!why, why);
	bad_frame[4] = 0x5f;		/* in an LDT that there is not */
	return iret_blamed(0x5c);
}

#define MSR_SYSENTER_CS	0x174

static const char *t_sysexit(void)
{
	vmi(VMI_CALL_WRMSR, SEL_CODE, 0, MSR_SYSENTER_CS);
	kernel_stack(ENTRY_STACK_TOP);
	args(0x11, (u32)land_here, USER_STACK_TOP);
	in.ds = in.es = SEL_UDATA;
	invoke_target = (u32)site_sysexit;
	rom_calls[VMI_CALL_SYSEXIT].calls++;
	guest_jump(FRAME_STACK_TOP - 8);
	CHECK(landed() && back_cs == SEL_UCODE, "came out elsewhere");
	CHECK(back_eflags & EFLAGS_IF, "IF is not set");
	CHECK(back_esp == USER_STACK_TOP && back_ss == SEL_UDATA, "ESP is not that of ECX");
	return kept();
}

/* What IOPL is for: the ports of ring 3. */
static u32 user_may_in(u32 iopl)
{
	u32 frame[] = { (u32)user_in, SEL_UCODE, EFLAGS_FIXED | EFLAGS_IF | iopl,
			USER_STACK_TOP, SEL_UDATA };
	u32 i;

	for (i = 0; i < 5; i++)
		bad_frame[i] = frame[i];
	bad_words = 5;
	args(0x11, 0x61, 0x33);
	in.ds = in.es = SEL_UDATA;
	in.eflags |= iopl;
	return !fault_try(iret_bad);
}

static const char *t_iopl(void)
{
	kernel_stack(ENTRY_STACK_TOP);
	args(EFLAGS_IOPL, 0, 0);
	CALL(VMI_CALL_SetIOPLMask, R_FLAGS);
	CHECK(ring || (out.eflags & EFLAGS_IOPL) == EFLAGS_IOPL, "IOPL is not 3");
	CHECK(user_may_in(EFLAGS_IOPL), "a port faults though IOPL is 3");
	args(0, 0, 0);
	in.eflags |= EFLAGS_IOPL;
	CALL(VMI_CALL_SetIOPLMask, R_FLAGS);
	CHECK(ring || (out.eflags & EFLAGS_IOPL) == 0, "IOPL is not 0");
	CHECK(!user_may_in(0) && fault.vector == 13 && fault.error == 0,
	      "no #GP(0) for a port though IOPL is 0");
	CHECK(fault.eip == (u32)user_in, "EIP is not that of the IN");
	return NULL;
}

/* And without IOPL, by the bitmap of the TSS. */
static const char *t_bitmap(void)
{
	u8 *bits = (u8 *)tss + 104 + 0x61 / 8;
	u32 with, without;

	kernel_stack(ENTRY_STACK_TOP);
	*bits &= (u8)~(1 << (0x61 & 7));
	with = user_may_in(0);
	*bits |= 1 << (0x61 & 7);
	without = user_may_in(0);
	CHECK(with, "a permitted port faults");
	CHECK(!without, "a forbidden port does not");
	return NULL;
}

static const struct test tests[] = {
	{ "29 EnableInterrupts, 30 DisableInterrupts", t_enable },
	{ "31 GetInterruptMask, 32 SetInterruptMask", t_mask },
	{ "33 IRET to the kernel", t_iret_kernel },
	{ "33 IRET to the kernel: IF", t_iret_flag },
	{ "33 IRET to user mode", t_iret_user },
	{ "33 IRET that faults", t_iret_fault },
	{ "33 IRET to user mode that faults", t_iret_user_fault },
	{ "34 SYSEXIT", t_sysexit },
	{ "61 SetIOPLMask", t_iopl },
	{ "ports of a user by the bitmap of the TSS", t_bitmap },
};

const struct test_group irq_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
