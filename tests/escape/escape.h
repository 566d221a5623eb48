/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the escape guest share.
 *
 * Owns: the guest's address space and selectors, attempts that may fault.
 * Not here: the cases (`cases.def` names them, one file per group has them).
 * Runs: bare metal; paging on, ring 1 from vmi_bind() on.
 * Fails: -
 */
#ifndef _ESCAPE_H
#define _ESCAPE_H

#define KERNEL		0xc0000000	/* linear minus physical, 64 MiB */
#define KERNEL_SIZE	0x04000000
#define WINDOW		0xf0000000	/* 4 KiB pages: page table `window_table` */
#define LARGE		0xf1000000	/* room for a large page */
#define SPARE		0xf2000000	/* room for a table of a case's own */

#include "../../rom/monitor/layout.h"

#define SEL_CODE	0x08
#define SEL_DATA	0x10
#define SEL_UCODE	0x1b
#define SEL_UDATA	0x23
#define SEL_TSS		0x28
#define SEL_LDT		0x30
#define SEL_TRY		0x38		/* for the cases, with the two after it */
#define SEL_TRY2	0x40
#define SEL_TRY3	0x48
#define GDT_ENTRIES	512

#define VECTOR_IRQ0	0x20
#define VECTOR_LVTT	0x40
#define VECTOR_BACK	0x80		/* from ring 3 to attempt_user()'s end */

#define EFLAGS_TF	0x00000100
#define EFLAGS_IF	0x00000200
#define EFLAGS_IOPL	0x00003000
#define EFLAGS_NT	0x00004000
#define EFLAGS_RF	0x00010000
#define EFLAGS_VM	0x00020000
#define EFLAGS_AC	0x00040000
#define EFLAGS_VIF	0x00180000

#ifndef __ASSEMBLY__

#include <asm/vmi.h>

#define NULL		((void *)0)
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define barrier()	asm volatile("" : : : "memory")

#define PTE_P		0x001u
#define PTE_RW		0x002u
#define PTE_US		0x004u
#define PTE_A		0x020u
#define PTE_D		0x040u
#define PTE_PS		0x080u
#define PTE_G		0x100u
#define PTE_ALL		(PTE_P | PTE_RW | PTE_US)

#define VEC_DB		1
#define VEC_UD		6
#define VEC_TS		10
#define VEC_NP		11
#define VEC_SS		12
#define VEC_GP		13
#define VEC_PF		14

/* A case returns NULL when all is as it must be, or what was wrong. */
typedef const char *(*case_fn)(void);

struct fault {
	u32 vector, error, eip, cs, eflags, cr2;
};
extern volatile struct fault fault;

/* Run @fn in this ring, or in ring 3; 0, or the vector of its fault + 1. */
u32 attempt(void (*fn)(void));
u32 attempt_user(void (*fn)(void));
#define FAULTED(vector)	((vector) + 1)

/* One call with all registers; results are written back. */
struct invoke {
	u32 target, eax, edx, ecx, ebx, esi, edi, arg4, arg5;
};
void invoke(struct invoke *c);
u64 vmi(enum vmi_call nr, u32 eax, u32 edx, u32 ecx);
u64 vmi5(enum vmi_call nr, u32 eax, u32 edx, u32 ecx, u32 arg4, u32 arg5);

/* machine.c */
extern u32 rom_base, mon_base, mon_size, memory_frames, pae;
extern u32 targets[VMI_CALL_NR];
extern u32 gdt[GDT_ENTRIES][2], idt[256][2], ldt[1024][2], tss[26];
extern volatile u32 ticks;
void machine_setup(void);
void machine_restore(void);
const char *vmi_find(void);
const char *vmi_bind(void);
const char *intact(void);
void set_gdt(u32 selector, u32 low, u32 high);
void set_gate(u32 vector, u32 selector, u32 offset, u32 type);
void segment(u32 selector, u32 base, u32 limit, u32 type, u32 flags);
void pic_setup(u32 master, u32 slave);

/* tables.c */
extern u8 window_table[4096], page_dir[4096], pdpt[4096];
extern u8 table_page[4096], user_page[4096], big_area[];
void entry_set(void *table, u32 index, u64 entry);
u64 entry_get(const void *table, u32 index);
void *map(u32 slot, u64 frame_address, u32 flags);
void map_directory(u32 address, u64 entry);
u32 large_size(void);
u32 phys(const void *p);

void print(const char *s);
void print_hex(u32 value);

/* Set by a case before attempt(): what its function shall touch. */
extern volatile u32 at, value;
void do_read(void);
void do_write(void);
void do_jump(void);

#define EXPECT(cond, text) do { if (!(cond)) return text; } while (0)

static inline u64 rdtsc(void)
{
	u64 v;

	asm volatile("rdtsc" : "=A" (v));
	return v;
}

static inline void outb(u32 port, u32 v)
{
	asm volatile("outb %b0, %w1" : : "a" (v), "Nd" (port));
}

static inline u32 inb(u32 port)
{
	u32 v = 0;

	asm volatile("inb %w1, %b0" : "+a" (v) : "Nd" (port));
	return v;
}

static inline void outl(u32 port, u32 v)
{
	asm volatile("outl %0, %w1" : : "a" (v), "Nd" (port));
}

static inline void wrmsr(u32 msr, u64 v)
{
	asm volatile("wrmsr" : : "c" (msr), "A" (v) : "memory");
}

static inline u64 rdmsr(u32 msr)
{
	u64 v;

	asm volatile("rdmsr" : "=A" (v) : "c" (msr));
	return v;
}

static inline void store(u32 address, u32 v)
{
	*(volatile u32 *)address = v;
}

static inline u32 load(u32 address)
{
	return *(volatile u32 *)address;
}

#endif /* !__ASSEMBLY__ */
#endif /* _ESCAPE_H */
