// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes one ROM call and judges its registers by the convention of its class.
 *
 * Owns: poison, the expected clobbers of each class, the call list.
 * Not here: effects (each test looks at those).
 * Runs: in every test.
 * Fails: a text that names what was not preserved.
 */
#include "guest.h"

#define CALL_ROW(nr, call, cls)	\
	[nr] = { .name = #call, .class = CLASS_##cls },
struct rom_call rom_calls[VMI_CALL_NR] = { VMI_CALLS(CALL_ROW) };

#define POISON(n)	(0x50150000u + (n) * 0x111)

void args(u32 eax, u32 edx, u32 ecx)
{
	in = (struct regs){
		.eax = eax, .edx = edx, .ecx = ecx, .ebx = POISON(1),
		.esi = POISON(2), .edi = POISON(3), .ebp = POISON(4),
		.eflags = EFLAGS_FIXED, .arg4 = POISON(5), .arg5 = POISON(6),
		.ds = SEL_DATA, .es = SEL_DATA, .fs = SEL_FS, .gs = 0,
	};
}

/* In the image, or in what the ROM keeps for itself above the guest. */
u32 in_rom(u32 address)
{
	return address - rom_base < rom_length || (rom_top && address >= rom_top);
}

static u32 may_change(enum guest_class class, u32 results)
{
	if (class == CLASS_STD)
		return results | R_EAX | R_ECX | R_EDX;
	return results;
}

static u32 flags_fixed(enum guest_class class, u32 results)
{
	u32 mask = EFLAGS_ARITH | EFLAGS_IF | 0x400;

	if (!ring)			/* elsewhere it is not the guest's */
		mask |= EFLAGS_IOPL;
	if (results & R_FLAGS)
		mask &= ~(EFLAGS_IF | EFLAGS_IOPL);
	if (class == CLASS_STD || class == CLASS_FLAGS || class == CLASS_FLAGSS)
		mask &= ~EFLAGS_ARITH;
	return mask;
}

static const char *judge(enum guest_class class, u32 results)
{
	u32 may = may_change(class, results);

	CHECK(out.esp == 0, "ESP is not that before the call");
	CHECK(may & R_EAX || out.eax == in.eax, "EAX not preserved");
	CHECK(may & R_EBX || out.ebx == in.ebx, "EBX not preserved");
	CHECK(may & R_ECX || out.ecx == in.ecx, "ECX not preserved");
	CHECK(may & R_EDX || out.edx == in.edx, "EDX not preserved");
	CHECK(may & R_ESI || out.esi == in.esi, "ESI not preserved");
	CHECK(may & R_EDI || out.edi == in.edi, "EDI not preserved");
	CHECK(out.ebp == in.ebp, "EBP not preserved");
	CHECK(out.ds == in.ds && out.es == in.es, "DS or ES not preserved");
	CHECK(out.fs == in.fs && out.gs == in.gs, "FS or GS not preserved");
	CHECK(!((out.eflags ^ in.eflags) & flags_fixed(class, results)),
	      "a flag not preserved");
	return NULL;
}

const char *rom_call_once(enum vmi_call nr, u32 results)
{
	struct rom_call *call = &rom_calls[nr];

	if (call->reloc.type == VMI_RELOC_NOP) {
		call->calls++;
		return NULL;
	}
	if (call->reloc.type == VMI_RELOC_NONE)
		return "# SKIP not answered";
	CHECK(call->reloc.type == VMI_RELOC_CALL_REL, "not answered CALL");
	invoke_target = call->reloc.eip;
	if (call->class == CLASS_FLAGSS)
		in.ds = in.es = SEL_POISON;
	guest_invoke();
	call->calls++;
	return judge(call->class, results);
}

/* Once with the arithmetic flags clear, once with all of them set. */
const char *rom_call(enum vmi_call nr, u32 results)
{
	const char *why = rom_call_once(nr, results);

	if (why)
		return why;
	in.eflags |= EFLAGS_ARITH;
	return rom_call_once(nr, results);
}
