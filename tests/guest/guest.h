/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the ROM conformance guest share.
 *
 * Owns: the register file of one ROM call, test rows, machine access.
 * Not here: the tests themselves (one file per group of calls).
 * Runs: bare metal, ring 0, paging on, kernel at GUEST_OFFSET, no identity map.
 * Fails: -
 */
#ifndef _GUEST_H
#define _GUEST_H

/*
 * Linear minus physical address; not at a GiB, so that a ROM has to get its
 * place in a PAE directory right, too.
 */
#define GUEST_OFFSET	0xd0000000
#define WINDOW		0xf0000000	/* 4 KiB pages: page table `window` */
#define WINDOW_LAPIC	(WINDOW + 0x1000)
#define WINDOW_TEST	(WINDOW + 0x2000)

#define SEL_CODE	0x08
#define SEL_DATA	0x10
#define SEL_UCODE	0x1b
#define SEL_UDATA	0x23
#define SEL_FS		0x28		/* base of its own */
#define SEL_LDT		0x30
#define SEL_TSS		0x38
#define SEL_POISON	0x40		/* each access through it faults */

#define VECTOR_IRQ0	0x20
#define VECTOR_LVTT	0x40
#define VECTOR_BACK	0x80		/* from ring 3 to the test */

#define EFLAGS_ARITH	0x8d5
#define EFLAGS_IF	0x200
#define EFLAGS_IOPL	0x3000
#define EFLAGS_FIXED	0x2

#ifndef __ASSEMBLY__

#include <asm/vmi.h>

#define NULL		((void *)0)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* One call: what goes in and, after guest_invoke(), what came out. */
struct regs {
	u32 eax, ebx, ecx, edx, esi, edi, ebp, eflags;
	u32 arg4, arg5;
	u32 ds, es, fs, gs;
	u32 esp;		/* out only: against its value before the call */
};

extern struct regs in, out;
extern u32 invoke_target;
void guest_invoke(void);
/* Jumps to the target with @frame as the stack; comes back by VECTOR_BACK. */
void guest_jump(u32 *frame);
extern u32 back_eip, back_cs, back_eflags, back_esp;

/* Which general registers a call may change. */
#define R_EAX	0x01
#define R_ECX	0x02
#define R_EDX	0x04
#define R_EBX	0x08
#define R_ESI	0x10
#define R_EDI	0x20
#define R_NONE	0
/* The call changes flags beyond the arithmetic ones on purpose. */
#define R_FLAGS	0x80

enum guest_class { CLASS_STD, CLASS_FLAGS, CLASS_FLAGSS, CLASS_RESULT,
		   CLASS_STRING, CLASS_NORET, CLASS_VOID };

struct rom_call {
	const char *name;
	enum guest_class class;
	struct vmi_reloc reloc;
	u32 calls;		/* made by the tests */
};

extern struct rom_call rom_calls[VMI_CALL_NR];
extern u32 rom_base, rom_length;
extern const char *command_line;
extern u32 pae;

/* Sets the arguments of the next call; the other registers get poison. */
void args(u32 eax, u32 edx, u32 ecx);
/*
 * Makes a call with what args() left, twice with different flags, if @twice.
 * @results: registers that carry a result. NULL, or what was wrong.
 */
const char *rom_call(enum vmi_call nr, u32 results);
const char *rom_call_once(enum vmi_call nr, u32 results);

/* A fault that the test expects: set up, run, look at @fault. */
struct fault {
	u32 vector, error, eip, esp, cr2;
};
extern struct fault fault;
int fault_try(void (*fn)(void));	/* not 0 = it faulted */
u32 in_rom(u32 address);

/* A test returns NULL when good, "# SKIP ..." or the reason of its failure. */
struct test {
	const char *name;
	const char *(*run)(void);
};

struct test_group {
	const struct test *tests;
	u32 count;
};

extern const struct test_group cpu_tests, irq_tests, mmu_tests, port_tests,
	time_tests, ap_tests, smp_tests, reloc_tests;

void list_roms(void);
void print(const char *s);
void print_hex(u32 value);
void print_dec(u32 value);
void guest_exit(int code) __attribute__((noreturn));

#define CHECK(cond, text) do { if (!(cond)) return text; } while (0)
#define CALL(nr, results) do {					\
	const char *why_ = rom_call(nr, results);		\
	if (why_)						\
		return why_;					\
} while (0)
#define CALL_ONCE(nr, results) do {				\
	const char *why_ = rom_call_once(nr, results);		\
	if (why_)						\
		return why_;					\
} while (0)

struct desc_ptr { u16 limit; u32 base; } __attribute__((packed));

extern u32 gdt[][2], idt[][2], tss[26], window[];
extern volatile u32 irq0_count, lvtt_count;
extern volatile u64 irq0_tsc, lvtt_tsc;
u32 cpu_count(void);
u64 option(const char *name, int *found);
void spin_until(u64 tsc);

static inline void outb(u16 port, u8 v)
{
	asm volatile("outb %0, %1" : : "a" (v), "Nd" (port));
}

static inline void outw(u16 port, u16 v)
{
	asm volatile("outw %0, %1" : : "a" (v), "Nd" (port));
}

static inline void outl(u16 port, u32 v)
{
	asm volatile("outl %0, %1" : : "a" (v), "Nd" (port));
}

static inline u8 inb(u16 port)
{
	u8 v;

	asm volatile("inb %1, %0" : "=a" (v) : "Nd" (port));
	return v;
}

static inline u32 inl(u16 port)
{
	u32 v;

	asm volatile("inl %1, %0" : "=a" (v) : "Nd" (port));
	return v;
}

static inline u64 rdtsc(void)
{
	u64 v;

	asm volatile("rdtsc" : "=A" (v));
	return v;
}

#define READ_REG(reg) ({ u32 v_; asm volatile("mov %%" #reg ", %0" : "=r" (v_)); v_; })
#define WRITE_REG(reg, v) asm volatile("mov %0, %%" #reg : : "r" (v) : "memory")

#endif /* !__ASSEMBLY__ */
#endif /* _GUEST_H */
