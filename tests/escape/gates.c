// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: the IDT, software interrupts, and bad stacks under all of them.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Runs: ring 1.
 * Fails: with a text.
 */
#include "escape.h"

extern const char exception_stubs[], int_apic[];
static struct { u16 limit; u32 base; } __attribute__((packed)) image;

static void do_ud(void)
{
	asm volatile("ud2");
}

/* #GP that the monitor delivers itself. */
static void do_gp(void)
{
	asm volatile("mov %0, %%fs" : : "r" (0xfff9));
}

static const char *set_idt(u32 base)
{
	image.limit = 0x7ff;
	image.base = base;
	vmi(VMI_CALL_SetIDT, (u32)&image, 0, 0);
	do_ud();
	return "it runs on without an IDT";
}

const char *case_idt_in_hole(void)
{
	return set_idt(MON_IDT);
}

const char *case_idt_in_monitor_hole(void)
{
	return set_idt(MON_MEMORY);
}

const char *case_idt_unmapped(void)
{
	return set_idt(SPARE);
}

const char *case_idt_wraps(void)
{
	return set_idt(0xfffffc00);
}

const char *case_idt_in_monitor(void)
{
	return set_idt((u32)map(1, mon_base, PTE_ALL));
}

const char *case_idt_image_unmapped(void)
{
	vmi(VMI_CALL_SetIDT, SPARE, 0, 0);
	return "it runs on";
}

static const char *handler_at(u32 vector, u32 offset, u32 type)
{
	set_gate(vector, SEL_CODE, offset, type);
	vector == VEC_UD ? do_ud() : do_gp();
	return "it runs on";
}

const char *case_handler_in_hole(void)
{
	return handler_at(VEC_UD, MON_MEMORY, 0x8e00);
}

const char *case_handler_in_hole_user(void)
{
	set_gate(VEC_UD, SEL_CODE, MON_VCPU, 0xef00);
	return attempt_user(do_ud) ? "a fault" : "it runs on";
}

const char *case_handler_gp_in_hole(void)
{
	return handler_at(VEC_GP, MON_GDT, 0x8f00);
}

const char *case_gate_task(void)
{
	return handler_at(VEC_UD, 0, 0x8500);
}

const char *case_gate_call(void)
{
	return handler_at(VEC_UD, MON_MEMORY, 0x8c00);
}

const char *case_gate_16(void)
{
	return handler_at(VEC_UD, MON_MEMORY, 0x8600);
}

const char *case_gate_tss(void)
{
	return handler_at(VEC_GP, (u32)tss, 0x8900);
}

const char *case_gate_absent(void)
{
	return handler_at(VEC_UD, (u32)exception_stubs, 0x0e00);
}

/* Gates that name the monitor's code segment, or no code at all. */
static const u16 odd_selectors[] = {
	SEL_CODE0, SEL_CODE0 | 1, SEL_DATA0, SEL_TSS0, 0, SEL_DATA, SEL_UCODE, SEL_TSS, SEL_LDT,
	0xfff8, 0xffff, 4, 0xc,
};

const char *case_gate_selectors(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(odd_selectors); i++) {
		set_gate(VEC_UD, odd_selectors[i], (u32)exception_stubs + 16 * VEC_UD, 0x8e00);
		EXPECT(attempt(do_ud) == FAULTED(VEC_UD) && (fault.cs & 3) == 1, "#UD went astray");
		EXPECT(attempt_user(do_ud) == FAULTED(VEC_UD), "#UD of ring 3 went astray");
	}
	return NULL;
}

static const char *gp_by(u32 selector)
{
	set_gate(VEC_GP, selector, (u32)exception_stubs + 16 * VEC_GP, 0x8e00);
	do_gp();
	return "it runs on";
}

const char *case_gate_code0(void)
{
	return gp_by(SEL_CODE0);
}

const char *case_gate_tss0(void)
{
	return gp_by(SEL_TSS0);
}

const char *case_gate_data(void)
{
	return gp_by(SEL_DATA);
}

const char *case_gate_null(void)
{
	return gp_by(0);
}

/* INT n; the number is put into the code. */
static u8 int_code[] = { 0xcd, 0, 0xc3 };

static void do_int(void)
{
	((void (*)(void))int_code)();
}

const char *case_int_call(void)
{
	int_code[1] = VECTOR_CALL;
	do_int();
	return "a call from nowhere was served";
}

const char *case_int_user(void)
{
	u32 n;

	for (n = 0; n < 256; n++) {
		if (n == VECTOR_BACK)
			continue;
		int_code[1] = (u8)n;
		EXPECT(attempt_user(do_int) == FAULTED(VEC_GP), "INT from ring 3 is not #GP");
		EXPECT((fault.error & ~1u) == (n << 3 | 2), "the error code is not that of INT");
	}
	return NULL;
}

const char *case_int_kernel(void)
{
	u32 n;

	for (n = 0; n < 256; n++) {
		int_code[1] = (u8)n;
		if (n != VECTOR_CALL)
			attempt(do_int);
	}
	return NULL;
}

/* Bad stacks: the instruction that needs one comes right after the change. */
#define ON_STACK(name, code)						\
static void name(void)							\
{									\
	asm volatile("mov %0, %%esp\n\t" code : : "r" (at), "d" (targets[VMI_CALL_SetAlarm]), \
		     "S" (targets[VMI_CALL_WriteIDTEntry]) : "memory");	\
}

ON_STACK(stack_ud, "ud2")
ON_STACK(stack_gp, "mov %0, %%fs")
ON_STACK(stack_pf, "mov %%eax, 0x100")
ON_STACK(stack_int, "int $0x80")
ON_STACK(stack_alarm, "jmp *%%edx")
ON_STACK(stack_call, "call *%%edx")
ON_STACK(stack_push, "push %%eax")

#define UNMAPPED	(SPARE + 0x800)

static const char *on_stack(void (*fn)(void), u32 esp)
{
	at = esp;
	fn();
	return "it runs on without a stack";
}

static u32 readonly(void)
{
	return (u32)map(1, phys(big_area), PTE_P | PTE_US) + 0x800;
}

static u32 of_monitor(void)
{
	return (u32)map(1, mon_base, PTE_ALL) + 0x800;
}

const char *case_stack_unmapped_ud(void)
{
	return on_stack(stack_ud, UNMAPPED);
}

const char *case_stack_unmapped_gp(void)
{
	return on_stack(stack_gp, UNMAPPED);
}

const char *case_stack_unmapped_pf(void)
{
	return on_stack(stack_pf, UNMAPPED);
}

const char *case_stack_unmapped_int(void)
{
	return on_stack(stack_int, UNMAPPED);
}

const char *case_stack_unmapped_call(void)
{
	return on_stack(stack_call, UNMAPPED);
}

const char *case_stack_unmapped_args(void)
{
	return on_stack(stack_alarm, UNMAPPED);
}

const char *case_stack_readonly_ud(void)
{
	return on_stack(stack_ud, readonly());
}

const char *case_stack_readonly_gp(void)
{
	return on_stack(stack_gp, readonly());
}

const char *case_stack_monitor_ud(void)
{
	return on_stack(stack_ud, of_monitor());
}

const char *case_stack_monitor_gp(void)
{
	return on_stack(stack_gp, of_monitor());
}

const char *case_stack_monitor_args(void)
{
	return on_stack(stack_alarm, of_monitor());
}

const char *case_stack_hole_gp(void)
{
	return on_stack(stack_gp, MON_VCPU + 0x800);
}

const char *case_stack_hole_args(void)
{
	return on_stack(stack_alarm, MON_MEMORY + 0x800);
}

const char *case_stack_hole_readonly(void)
{
	return on_stack(stack_ud, MON_GDT + 0x800);
}

const char *case_stack_hole_ud(void)
{
	return on_stack(stack_ud, MON_VCPU + 0x800);
}

const char *case_stack_hole_push(void)
{
	return on_stack(stack_push, MON_VCPU + 0x800);
}

const char *case_stack_hole_int(void)
{
	return on_stack(stack_int, MON_MEMORY + 0x800);
}

const char *case_stack_wraps_ud(void)
{
	return on_stack(stack_ud, 4);
}

const char *case_stack_wraps_gp(void)
{
	return on_stack(stack_gp, 0);
}

const char *case_stack_top_args(void)
{
	return on_stack(stack_alarm, 0xfffffffc);
}

/* The same for the stack that ring 3 enters by. */
static void nothing(void)
{
}

static void user_gp(void)
{
	asm volatile("hlt");
}

static const char *enter_by(u32 selector, u32 esp, void (*fn)(void))
{
	vmi(VMI_CALL_UpdateKernelStack, selector, esp, 0);
	attempt_user(fn);
	return "ring 3 came back without a stack";
}

const char *case_esp0_unmapped(void)
{
	return enter_by(SEL_DATA, UNMAPPED, nothing);
}

const char *case_esp0_unmapped_gp(void)
{
	return enter_by(SEL_DATA, UNMAPPED, user_gp);
}

const char *case_esp0_readonly(void)
{
	return enter_by(SEL_DATA, readonly(), nothing);
}

const char *case_esp0_monitor(void)
{
	return enter_by(SEL_DATA, of_monitor(), nothing);
}

const char *case_esp0_hole(void)
{
	return enter_by(SEL_DATA, MON_VCPU + 0x2000, nothing);
}

const char *case_esp0_zero(void)
{
	return enter_by(SEL_DATA, 0, nothing);
}

const char *case_esp0_tss_in_hole(void)
{
	vmi(VMI_CALL_UpdateKernelStack, MON_TSS, 0, 0);
	return "a task state in the hole was written";
}

const char *case_ss0_monitor(void)
{
	return enter_by(SEL_DATA0, KERNEL + 0x9000, nothing);
}

const char *case_ss0_code(void)
{
	return enter_by(SEL_CODE, KERNEL + 0x9000, nothing);
}

const char *case_ss0_user(void)
{
	return enter_by(SEL_UDATA, KERNEL + 0x9000, nothing);
}

const char *case_ss0_beyond(void)
{
	return enter_by(0xfff8, KERNEL + 0x9000, user_gp);
}
