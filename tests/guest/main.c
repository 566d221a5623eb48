// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the tests of a VMI ROM and prints TAP on port 0xE9.
 *
 * Owns: set-up of the machine, the plan, the exit status.
 * Not here: the tests.
 * Runs: once; words of the command line: `pae`, `epoch=<seconds>` (the host's
 * time, for the wall clock), `end=reboot` (finish with call 36), `list` (say
 * which VMI ROMs there are, and no more), `partial` (the ROM may answer NONE).
 * Fails: exit value 0x11 (QEMU status 35); a fault is a "Bail out!".
 */
#include "guest.h"

#define EXIT_PORT	0xf4
#define EXIT_GOOD	0x10
#define EXIT_BAD	0x11
#define DEBUG_PORT	0xe9
#define FW_CFG_SELECT	0x510
#define FW_CFG_DATA	0x511
#define FW_CFG_CPUS	0x0005
#define FW_CFG_SIGNATURE 0x0000

static const struct test_group *const groups[] = {
	&reloc_tests, &bind_tests, &stack_tests, &desc_tests, &cpu_tests, &irq_tests,
	&user_tests, &mmu_tests, &port_tests, &time_tests, &alarm_tests, &lvtt_tests,
	&direct_tests, &high_tests, &root_tests, &lie_tests, &lazy_tests, &raw_tests,
	&ap_tests, &last_tests, &smp_tests, &serve_tests,
};

void print(const char *s)
{
	for (; *s; s++)
		outb(DEBUG_PORT, (u8)*s);
}

void print_hex(u32 value)
{
	int shift;

	print("0x");
	for (shift = 28; shift >= 0; shift -= 4)
		outb(DEBUG_PORT, (u8)"0123456789abcdef"[value >> shift & 15]);
}

void print_dec(u32 value)
{
	if (value >= 10)
		print_dec(value / 10);
	outb(DEBUG_PORT, (u8)('0' + value % 10));
}

void guest_exit(int code)
{
	outb(EXIT_PORT, (u8)code);
	cpu_stop();
}

int (*fault_handler)(void);
int exception_resume(void);
int exception_resume(void)
{
	return fault_handler ? fault_handler() : 0;
}

void exception_fatal(void);
void exception_fatal(void)
{
	print("Bail out! exception ");
	print_dec(fault.vector);
	print(" error ");
	print_hex(fault.error);
	print(" eip ");
	print_hex(fault.eip);
	print(" cr2 ");
	print_hex(fault.cr2);
	print("\n");
	guest_exit(EXIT_BAD);
}

u32 cpu_count(void)
{
	outw(FW_CFG_SELECT, FW_CFG_SIGNATURE);
	if (inb(FW_CFG_DATA) != 'Q')
		return 1;		/* not QEMU: nobody tells */
	outw(FW_CFG_SELECT, FW_CFG_CPUS);
	return inb(FW_CFG_DATA);
}

u64 option(const char *name, int *found)
{
	const char *s = command_line;
	u64 value = 0;
	u32 n;

	*found = 0;
	for (; s && *s; s++) {
		for (n = 0; name[n] && name[n] == s[n]; n++)
			;
		if (name[n])
			continue;
		*found = 1;
		for (s += n; *s >= '0' && *s <= '9'; s++)
			value = value * 10 + (u32)(*s - '0');
		return value;
	}
	return 0;
}

void spin_until(u64 tsc)
{
	while ((long long)(rdtsc() - tsc) < 0)
		asm volatile("pause");
}

void set_gate(u32 vector, const void *code, u32 dpl)
{
	idt[vector][0] = SEL_CODE << 16 | ((u32)code & 0xffff);
	idt[vector][1] = ((u32)code & 0xffff0000) | 0x8e00 | dpl << 13;
}

void set_base(u32 selector, u32 base, u32 limit, u32 type)
{
	gdt[selector / 8][0] = base << 16 | limit;
	gdt[selector / 8][1] = (base & 0xff000000) | (base >> 16 & 0xff) |
			       type << 8 | 0x400000;
}

extern const char int_irq0[], int_lvtt[];
extern char boot_stack_top[];

/* 8259s: vectors from 0x20, everything masked but IRQ0. */
void set_pic(void)
{
	outb(0x20, 0x11);
	outb(0xa0, 0x11);
	outb(0x21, VECTOR_IRQ0);
	outb(0xa1, VECTOR_IRQ0 + 8);
	outb(0x21, 4);
	outb(0xa1, 2);
	outb(0x21, 1);
	outb(0xa1, 1);
	outb(0x21, 0xfe);
	outb(0xa1, 0xff);
}

static void set_machine(void)
{
	struct desc_ptr p = { 256 * 8 - 1, (u32)idt };
	u32 i;

	for (i = 0; i < 32; i++)
		set_gate(i, exception_stubs + 16 * i, 0);
	set_gate(VECTOR_IRQ0, int_irq0, 0);
	set_gate(VECTOR_LVTT, int_lvtt, 0);
	set_gate(VECTOR_BACK, int_back, 3);
	asm volatile("lidt %0" : : "m" (p));
	asm volatile("lldt %w0" : : "r" (0));	/* after reset it has a limit */
	set_base(SEL_FS, (u32)&fs_word[0], 0xffff, 0x93);
	set_base(SEL_LDT, (u32)ldt, sizeof(ldt) - 1, 0x82);
	set_base(SEL_TSS, (u32)tss, TSS_SIZE - 1, 0x89);
	tss[1] = (u32)boot_stack_top;
	tss[2] = SEL_DATA;
	tss[25] = 104 << 16;
	for (i = 26; i < TSS_SIZE / 4; i++)
		tss[i] = ~0u;			/* no port is the user's */
	*((u8 *)tss + TSS_SIZE - 1) = 0xff;
	asm volatile("mov %0, %%fs" : : "r" (SEL_FS));
	if (has_nx())			/* as the kernels do that know it */
		asm volatile("rdmsr; or $0x800, %%eax; wrmsr" : : "c" (MSR_EFER)
			     : "eax", "edx");
	set_pic();
	*(volatile u32 *)(WINDOW_LAPIC + 0xf0) = 0x1ff;	/* enable */
}

#define TRIES	3

static const char *try(const struct test *test, void (*again)(void))
{
	const char *why = test->run();
	u32 tries;

	for (tries = 1; again && why && why[0] != '#' && tries < TRIES; tries++) {
		print("# again: ");
		print(why);
		print("\n");
		again();
		why = test->run();
	}
	return why;
}

static void run(const struct test_group *group, const struct test *test, u32 nr,
		u32 *failed)
{
	int none = group->needs && rom_calls[group->needs].reloc.type == VMI_RELOC_NONE;
	const char *why = none ? "# SKIP needs a call that is not answered" :
			  try(test, group->again);
	int skip = why && why[0] == '#';

	print(why && !skip ? "not ok " : "ok ");
	print_dec(nr);
	print(" - ");
	print(test->name);
	if (why) {
		print(skip ? " " : "\n# ");
		print(why);
	}
	print("\n");
	if (why && !skip)
		++*failed;
}

int main(void);
int main(void)
{
	u32 g, i, count = 0, failed = 0, used = ARRAY_SIZE(groups);
	int reboot, list;

	option("list", &list);
	if (list) {
		list_roms();
		guest_exit(EXIT_GOOD);
	}
	if (cpu_count() < 2)
		used -= 2;		/* smp_tests, serve_tests */
	for (g = 0; g < used; g++)
		count += groups[g]->count;
	print("1..");
	print_dec(count);
	print("\n");
	set_machine();
	for (g = 0, count = 0; g < used; g++)
		for (i = 0; i < groups[g]->count; i++)
			run(groups[g], &groups[g]->tests[i], ++count, &failed);
	option("end=reboot", &reboot);
	if (reboot && !failed) {
		args(VMI_REBOOT_HARD, 0, 0);
		rom_call_once(VMI_CALL_Reboot, R_NONE);
	}
	guest_exit(failed ? EXIT_BAD : EXIT_GOOD);
}
