/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the ROM conformance guest share.
 *
 * Owns: the register file of one ROM call, test rows, machine access.
 * Not here: the tests themselves (one file per group of calls or of habits).
 * Runs: bare metal, paging on, kernel at GUEST_OFFSET, no identity map; in ring 0
 * up to Init, then in the ring that Init left.
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

/* Selectors of the kernel, as it writes them: without its ring. */
#define SEL_CODE	0x08
#define SEL_DATA	0x10
#define SEL_UCODE	0x1b
#define SEL_UDATA	0x23
#define SEL_FS		0x28		/* base of its own */
#define SEL_LDT		0x30
#define SEL_TSS		0x38
#define SEL_POISON	0x40		/* each access through it faults */
#define SEL_TEST	0x48		/* for a test, empty before and after */
#define SEL_TEST2	0x50
#define GDT_ENTRIES	11
#define TSS_SIZE	(104 + 8192 + 1) /* with a bitmap of all ports */

#define VECTOR_IRQ0	0x20
#define VECTOR_LVTT	0x40
#define VECTOR_TEST	0x50		/* by INT; empty before and after a test */
#define VECTOR_BACK	0x80		/* from ring 3 to the test */

#define EFLAGS_ARITH	0x8d5
#define EFLAGS_IF	0x200
#define EFLAGS_IOPL	0x3000
#define EFLAGS_FIXED	0x2

#define LAPIC_EOI	0xb0
#define IRQ_LOG		16		/* interrupts whose time is kept */

/* struct fault */
#define FAULT_VECTOR	0
#define FAULT_ERROR	4
#define FAULT_EIP	8
#define FAULT_ESP	12
#define FAULT_CR2	16
#define FAULT_CS	20
#define FAULT_EFLAGS	24
#define FAULT_EAX	28
#define FAULT_ECX	32
#define FAULT_EDX	36
#define FAULT_COUNT	40
#define FAULT_SIZE	44

#ifdef __ASSEMBLY__

/* An IRET that is patched to the ROM's, five bytes long. */
.macro IRET_SITE
.Lsite\@:
	iret
	nop
	nop
	nop
	nop
	.pushsection .sites, "a"
	.long	.Lsite\@, 33
	.popsection
.endm

#endif

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
/* That frame: CS and SS with their rings; @back_frame is where it lay. */
extern u32 back_eip, back_cs, back_eflags, back_esp, back_ss, back_frame, back_vif;
extern const char land_here[], land_here_end[], site_iret[], site_sysexit[];

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
extern u32 rom_base, rom_length, rom_top;
extern const char *command_line;
extern u32 pae, memory_kib;

/* bind.c: the ring that Init left, and what a kernel does in any ring */
extern u32 ring;
u64 vmi(enum vmi_call nr, u32 eax, u32 edx, u32 ecx);
u64 vmi5(enum vmi_call nr, u32 eax, u32 edx, u32 ecx, u32 arg4, u32 arg5);
u64 native_call(enum vmi_call nr, u32 eax, u32 edx, u32 ecx, u32 arg4);
u32 cr_read(u32 number);
void cr_write(u32 number, u32 value);
void irq_on(void);
void irq_off(void);
void kernel_stack(u32 esp0);
void cpu_stop(void) __attribute__((noreturn));

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
	u32 vector, error, eip, esp, cr2, cs, eflags, eax, ecx, edx, count;
};
extern struct fault fault;
int fault_try(void (*fn)(void));	/* not 0 = it faulted; IF is 0 then */
/* Asked in every fault: not 0 = go on at fault.eip. */
extern int (*fault_handler)(void);
u32 in_rom(u32 address);

/* user.c: into ring 3 and back */
int user_run(const void *code);		/* as fault_try(); else back_* are set */
const char *user_trip(void);
void iret_frame(const u32 *frame, u32 words, u32 *at);
extern u32 entry_stack[], user_stack[], frame_stack[];
#define ENTRY_STACK_TOP	((u32)(entry_stack + 256))
#define USER_STACK_TOP	((u32)(user_stack + 64))
#define FRAME_STACK_TOP	(frame_stack + 256)
extern const char exception_stubs[], int_back[];
extern const char user_in[], user_in_end[], user_read[], user_write[], user_int3[];
extern const char user_div[], user_ud[];

/* table.c: page tables, as a guest of the ABI changes them */
#define PTE_P		0x001u
#define PTE_RW		0x002u
#define PTE_US		0x004u
#define PTE_A		0x020u
#define PTE_D		0x040u
#define PTE_PS		0x080u
#define PTE_G		0x100u
#define WHOLE_PAGE	__attribute__((aligned(4096)))
u32 pa(const void *p);
void *va(u32 pa);
u32 *window_entry(u32 address);		/* of WINDOW */
u32 *dir_entry(u32 address);		/* of the boot directory */
u32 *entry_at(void *table, u32 index);
u32 table_index(u32 address);
u64 entry_get(const u32 *entry);
void entry_write(u32 *entry, u64 value);	/* directly, tells nobody */
void entry_update(u32 *entry, u32 flags);
void entry_set(u32 *entry, u64 value, u32 flags);
void inval(u32 address);
void page_announce(const void *page, u32 flags);
void page_release(const void *page, u32 flags);
void map(u32 address, u64 value);		/* in WINDOW, and invalidates */
int touch(u32 address);				/* not 0 = it faulted */
int touch_write(u32 address, u32 value);
extern u32 touched;

/* A test returns NULL when good, "# SKIP ..." or the reason of its failure. */
struct test {
	const char *name;
	const char *(*run)(void);
};

/*
 * @again: not NULL for rows that a busy host may spoil: called after a failure,
 * before the row is tried again, twice at most.
 */
struct test_group {
	const struct test *tests;
	u32 count;
	void (*again)(void);
	u32 needs;		/* a call that none of them can do without; 0 = none */
};

extern const struct test_group reloc_tests, bind_tests, stack_tests, cpu_tests, desc_tests,
	irq_tests, user_tests, mmu_tests, port_tests, time_tests, alarm_tests, lvtt_tests, ap_tests,
	smp_tests, direct_tests, high_tests, root_tests, lie_tests, lazy_tests, raw_tests,
	last_tests, serve_tests;

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

extern u32 gdt[][2], idt[][2], ldt[4], tss[], window[], page_dir[], pdpt[];
extern volatile u32 irq0_count, lvtt_count;
extern volatile u64 irq0_tsc, lvtt_tsc, irq0_log[], lvtt_log[];
void set_pic(void);
void set_gate(u32 vector, const void *code, u32 dpl);
void set_base(u32 selector, u32 base, u32 limit, u32 type);
extern const u32 fs_word[2];
u32 cpu_count(void);
int has_nx(void);
extern u32 ap_served;			/* CPU 1 shall run ap_serve() */
void ap_serve(void);
const char *ap_stop_serving(void);
const char *ap_launch(u32 id);
#define MSR_EFER	0xc0000080
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
