// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: instructions that the monitor has to read and execute itself, in every
 * form, and returns to stacks of 16 bits, which it makes a segment for.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1 and ring 3.
 * Fails: with a text.
 */
#include "escape.h"

extern const char land_user[];
extern u32 iret_target;

#define CODE_SIZE	32
#define RET		0xc3
static u8 code[CODE_SIZE];
static u32 image[2];

/* All registers point to a word that can be read, or to nothing. */
static void run_code(void)
{
	asm volatile("push %%ebp\n\tmov %0, %%ebp\n\tcall *%1\n\tpop %%ebp"
		     : : "a" (at), "d" (code), "c" (at), "b" (at), "S" (at), "D" (at)
		     : "memory", "cc");
}

static const u8 forbidden[][2] = {
	{ 0x01, 2 }, { 0x01, 3 },	/* LGDT, LIDT: of a table that is none */
	{ 0x22, 3 },			/* MOV to CR3 */
};

static int is_forbidden(u32 opcode, u32 modrm)
{
	u32 i;

	/* Into ESP, which the rest needs, or a watch on the stack. */
	if ((modrm & 7) == 4 && (modrm >> 6 == 3 || (opcode & 0xfc) == 0x20))
		return 1;
	for (i = 0; i < ARRAY_SIZE(forbidden); i++)
		if (forbidden[i][0] == opcode && forbidden[i][1] == (modrm >> 3 & 7))
			return 1;
	return 0;
}

static void one_form(u32 prefix, u32 opcode, u32 modrm)
{
	u32 n = 0, i;

	if (prefix)
		code[n++] = (u8)prefix;
	code[n++] = 0x0f;
	code[n++] = (u8)opcode;
	code[n++] = (u8)modrm;
	while (n < CODE_SIZE)
		code[n++] = RET;
	for (i = 0; i < 2; i++) {
		at = i ? SPARE : (u32)image;
		attempt(run_code);
		attempt_user(run_code);
	}
}

/* System instructions with all operands. */
const char *case_instructions(void)
{
	static const u8 opcodes[] = { 0x00, 0x01, 0x20, 0x21, 0x22, 0x23, 0xc7, 0xae };
	static const u8 plain[] = { 0x06, 0x08, 0x09, 0x0b, 0x30, 0x32, 0x33, 0x34, 0x35, 0xaa };
	static const u8 prefixes[] = { 0, 0x66, 0x67, 0xf0, 0xf3, 0x2e, 0x64 };
	u32 o, p, modrm;

	image[0] = 0x80010031;
	for (o = 0; o < ARRAY_SIZE(plain); o++)
		for (p = 0; p < ARRAY_SIZE(prefixes); p++)
			one_form(prefixes[p], plain[o], RET);
	for (o = 0; o < ARRAY_SIZE(opcodes); o++)
		for (p = 0; p < ARRAY_SIZE(prefixes); p++)
			for (modrm = 0; modrm < 256; modrm += p ? 7 : 1)
				if (!is_forbidden(opcodes[o], modrm))
					one_form(prefixes[p], opcodes[o], modrm);
	return NULL;
}

/* An instruction without end, and one that goes on where no page is. */
const char *case_instruction_length(void)
{
	u32 i, n, page;
	u8 *end;

	for (i = 0; i < CODE_SIZE; i++)
		code[i] = 0x66;
	at = (u32)image;
	attempt(run_code);
	page = (u32)map(1, phys(big_area), PTE_ALL);
	map(2, 0, 0);
	end = (u8 *)page + 4096;
	for (n = 1; n < 16; n++) {
		for (i = 1; i <= n; i++)
			end[-(int)i] = 0x2e;
		end[-1] = n & 1 ? 0xfa : 0x0f;
		at = (u32)end - n;
		attempt(do_jump);
		attempt_user(do_jump);
		EXPECT(fault.vector == VEC_PF || fault.vector == VEC_GP || fault.vector == VEC_UD,
		       "an instruction that is not all there did something");
	}
	return NULL;
}

/* Ports of ring 3 at the end of the bitmap, and of the address space. */
static void user_port(void)
{
	asm volatile("inl %%dx, %%eax" : : "d" (at) : "eax");
	asm volatile("outw %%ax, %%dx" : : "d" (0x80), "a" (0));
}

const char *case_port_bitmap(void)
{
	u32 map_offset, limit;

	for (map_offset = 0; map_offset < 0x10000; map_offset += 0xfff) {
		for (limit = 0; limit < 0x10000; limit += 0x7fff) {
			tss[25] = map_offset << 16;
			segment(SEL_TRY, (u32)tss, limit, 0x89, 0);
			vmi(VMI_CALL_SetTR, SEL_TRY, 0, 0);
			at = 0xffff;
			attempt_user(user_port);
			at = 0x80;
			attempt_user(user_port);
		}
	}
	tss[25] = 104 << 16;
	return NULL;
}

static u32 frame_area[64], *const frame = &frame_area[48];

static void iret_call(void)
{
	asm volatile("mov %0, %%esp\n\tcall *%1" : : "r" (frame), "r" (iret_target) : "memory");
}

static void iret_native(void)
{
	asm volatile("mov %0, %%esp\n\tiret" : : "r" (frame) : "memory");
}

/* Frames for a stack of 16 bits, good and bad. */
const char *case_stack16(void)
{
	static const u16 code_selectors[] = { SEL_UCODE, 0x17, 0x1f, 0, SEL_CODE0 | 3, 0xffff };
	static const u32 stacks[] = { 0, 0xffff1234, MON_VCPU, 0xffffffff };
	static const u32 places[] = { 0, MON_MEMORY };
	static const u32 flags[] = { 0x202, 0x302, 0x4202, 0x3202, 2 };
	u32 i, n = 6 * 4 * 3 * 5;

	vmi5(VMI_CALL_WriteLDTEntry, (u32)ldt, 1, 0xffff, 0x0000f300, 0);	/* data, 16 bits */
	vmi5(VMI_CALL_WriteLDTEntry, (u32)ldt, 2, 0xffff, 0x00cffb00, 0);
	vmi5(VMI_CALL_WriteLDTEntry, (u32)ldt, 3, 0x000f, 0x0000fb00, 0);	/* code of 16 bytes */
	vmi(VMI_CALL_SetLDT, SEL_LDT, 0, 0);
	for (i = 0; i < n; i++) {
		frame[1] = code_selectors[i % 6];
		frame[3] = stacks[i / 6 % 4];
		frame[0] = i / 24 % 3 ? places[i / 24 % 3 - 1] : (u32)land_user;
		frame[2] = flags[i / 72];
		frame[4] = 0xf;
		attempt(i & 1 ? iret_native : iret_call);
	}
	return NULL;
}
