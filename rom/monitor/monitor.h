/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the parts of the monitor share.
 *
 * Owns: the structures of a vCPU, of shadow pages and of what ring 1 sees.
 * Not here: addresses (`layout.h`), the ABI (`asm/vmi.h`).
 * Runs: ring 0, IF=0 (but for Halt), flat segments of our own, on a vCPU's stack.
 * Fails: a guest that does what nobody can serve is stopped by stop().
 */
#ifndef _MONITOR_H
#define _MONITOR_H

#include <asm/vmi.h>
#include "insn.h"
#include "layout.h"

/* struct ring1, for assembly */
#define R1_FLAGS	(RING1_DATA + 0)	/* as a word of EFLAGS */
#define R1_EV		(RING1_DATA + 1)
#define R1_LAZY		(RING1_DATA + 2)
#define R1_CR0		(RING1_DATA + 4)
#define R1_CR2		(RING1_DATA + 8)
#define R1_CR3		(RING1_DATA + 12)
#define R1_CR4		(RING1_DATA + 16)
#define R1_LINEAR	(RING1_DATA + 20)
#define R1_LINEAR_SIZE	(RING1_DATA + 24)
#define R1_LINEAR_PFN	(RING1_DATA + 28)
#define R1_STOLEN	(RING1_DATA + 32)
#define R1_HZ		(RING1_DATA + 40)
#define R1_QUEUED	(RING1_DATA + 48)
#define R1_CHANGE	(RING1_DATA + 52)
#define R1_QUEUE	(RING1_DATA + 64)
#define R1_QUEUE_MAX	448
#define R1_COUNTS	(RING1_DATA + 0x800)
#define R1_STUBS	(RING1_DATA + 0xa00)

/* `ev` */
#define EV_IF		0x02	/* the guest's interrupt flag: bit 9 of R1_FLAGS */
#define EV_IF_BIT	9
#define EV_PENDING	0x80	/* an interrupt waits for it */

#define GUEST_REGS	(MON_STACK_TOP - 84)

/* struct regs, for assembly: offsets from its start */
#define REGS_EDX	(7 * 4)
#define REGS_EAX	(9 * 4)
#define REGS_EIP	(12 * 4)
#define REGS_SS		(16 * 4)
#define VCPU_STACK16	(VMI_CALL_NR * 4)
#define VCPU_CALL_COST	(VCPU_STACK16 + 8)

#define EFLAGS_FIXED	0x00000002u
#define EFLAGS_TF	0x00000100u
#define EFLAGS_IF	0x00000200u
#define EFLAGS_IOPL	0x00003000u
#define EFLAGS_NT	0x00004000u
#define EFLAGS_RF	0x00010000u
#define EFLAGS_VM	0x00020000u

#define CR0_PE		0x00000001u
#define CR0_MP		0x00000002u
#define CR0_EM		0x00000004u
#define CR0_TS		0x00000008u
#define CR0_ET		0x00000010u
#define CR0_NE		0x00000020u
#define CR0_WP		0x00010000u
#define CR0_AM		0x00040000u
#define CR0_PG		0x80000000u
#define CR4_TSD		0x00000004u
#define CR4_DE		0x00000008u
#define CR4_PSE		0x00000010u
#define CR4_PAE		0x00000020u
#define CR4_PGE		0x00000080u
#define CR4_PCE		0x00000100u
#define CR4_OSFXSR	0x00000200u
#define CR4_OSXMMEXCPT	0x00000400u

#define PTE_P		0x001u
#define PTE_RW		0x002u
#define PTE_US		0x004u
#define PTE_PWT		0x008u
#define PTE_PCD		0x010u
#define PTE_A		0x020u
#define PTE_D		0x040u
#define PTE_PS		0x080u
#define PTE_G		0x100u
#define PTE_PAT_LARGE	0x1000u
#define PTE_NX		(1ull << 63)

#define INTERRUPT_BY_EXCEPTION	0x100	/* in `vector`: it has an exception's gate */

#define VEC_DE		0
#define VEC_DB		1
#define VEC_NMI		2
#define VEC_BP		3
#define VEC_OF		4
#define VEC_BR		5
#define VEC_UD		6
#define VEC_NM		7
#define VEC_DF		8
#define VEC_TS		10
#define VEC_NP		11
#define VEC_SS		12
#define VEC_GP		13
#define VEC_PF		14
#define VEC_MF		16
#define VEC_AC		17
#define VEC_MC		18
#define VEC_XM		19

#define PF_P		0x01u
#define PF_W		0x02u
#define PF_U		0x04u
#define PF_RSVD		0x08u
#define PF_I		0x10u

#define MSR_APIC_BASE	0x1b
#define MSR_SYSENTER_CS	0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_EFER	0xc0000080
#define EFER_SCE	0x001u
#define EFER_NXE	0x800u

#ifndef __ASSEMBLY__

#define NORETURN	__attribute__((noreturn))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NULL		((void *)0)
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define BUILD_ASSERT(c)	_Static_assert(c, #c)

/**
 * struct regs - a guest's registers on the ring-0 stack, as the entry code saves
 * @vector: of the entry
 * @error: the exception's error code, or 0
 * @esp: with @ss only if the entry came from an outer ring
 * @es86: with the three below only if it came from virtual-8086 mode
 */
struct regs {
	u32 es, ds;
	u32 edi, esi, ebp, unused, ebx, edx, ecx, eax;
	u32 vector, error;
	u32 eip, cs, eflags, esp, ss;
	u32 es86, ds86, fs86, gs86;
};

/**
 * struct ring1 - what ring 1 sees of its vCPU; nothing in it is trusted
 * @ev: EV_*
 * @lazy: mode of SetLazyMode
 * @change: not 0: @cr3 was set in mode 2 and is not loaded yet
 * @cr0: the guest's view, with @cr2 to @cr4
 * @linear: SetLinearMapping slot 0: start, size in bytes, first frame
 * @stolen: cycles that this vCPU was ready and did not run
 * @hz: cycles per second
 * @queued: number of entries in @queue
 * @queue: linear addresses of entries that changed in mode 1
 */
struct ring1 {
	u8	unused;
	u8	ev;
	u8	lazy;
	u8	unused1;
	u32	cr0, cr2, cr3, cr4;
	u32	linear, linear_size, linear_pfn;
	u64	stolen;
	u64	hz;
	u32	queued;
	u32	change;
	u32	unused2[2];
	u32	queue[R1_QUEUE_MAX];
};

BUILD_ASSERT(__builtin_offsetof(struct ring1, cr3) == R1_CR3 - RING1_DATA);
BUILD_ASSERT(__builtin_offsetof(struct ring1, linear) == R1_LINEAR - RING1_DATA);
BUILD_ASSERT(__builtin_offsetof(struct ring1, stolen) == R1_STOLEN - RING1_DATA);
BUILD_ASSERT(__builtin_offsetof(struct ring1, hz) == R1_HZ - RING1_DATA);
BUILD_ASSERT(__builtin_offsetof(struct ring1, queued) == R1_QUEUED - RING1_DATA);
BUILD_ASSERT(__builtin_offsetof(struct ring1, queue) == R1_QUEUE - RING1_DATA);
BUILD_ASSERT(sizeof(struct ring1) <= R1_COUNTS - RING1_DATA);

struct table {
	u32 base;
	u32 limit;
};

struct linear_map {
	u32 start, pages, pfn;
};

#define DIRECT_STUBS	24
#define ROOT_SLOTS	8
#define ROOT_SLOT(cr3)	(((cr3) >> 5 ^ (cr3) >> 12) & (ROOT_SLOTS - 1))
#define STUB_SIZE	32

/**
 * struct vcpu - what the monitor knows of one CPU
 *
 * At MON_VCPU for the CPU itself, and in `vcpus[]` for the others.
 */
struct vcpu {
	u32 calls[VMI_CALL_NR];		/* first: entry.S counts */
	u32 stack16[2];			/* VCPU_STACK16: far pointer */
	u32 call_cost[VMI_CALL_NR];	/* VCPU_CALL_COST: cycles, if counted */
	u32 number;			/* the local APIC id */
	u32 online;			/* VCPU_* */
	u32 pa_private;			/* page table of the private 2 MiB */
	u32 root;			/* CR3 to load */
	u32 guest_root;			/* guest's, trusted copy of ring1->cr3 */
	u32 esp1;			/* the guest's kernel stack */
	u32 ss1;
	u32 kernel_cs;			/* with RPL 1 */
	struct table gdt, ldt, idt;
	u32 ldt_selector, tr_selector;
	u32 tss_base, tss_limit;	/* of the guest's */
	u32 iopl;
	u32 sysenter_cs, sysenter_esp, sysenter_eip;
	u32 flush_wanted;		/* by another vCPU, see shootdown() */
	u64 stolen;			/* cycles; ring1->stolen is a copy */
	u64 waited;			/* cycles that the guest wanted to wait */
	u32 pending[VECTORS / 32];
	u32 pending_count;
	struct linear_map linear[VMI_LINEAR_MAP_SLOTS];
	u32 window[MON_WINDOWS];	/* frame + 1 */
	struct direct {			/* exceptions that go straight to ring 1 */
		u32 handler;
		u8 used, vector, interrupt_gate;
	} direct[DIRECT_STUBS];
	u16 dir[4];			/* shadows of the loaded root, or of its directories */
	u32 iret_esp, iret_cs, iret_ss, iret_eip;	/* of the last IRET by call */
	struct ring1 *page1;		/* in reserved memory, for others */
	u64 *gdt_rw, *idt_rw;
	u32 *tss_rw;
	u32 ldt_page[MON_LDT_PAGES];
	u32 pdpt[8] __attribute__((aligned(32)));
	struct root_cache {
		u32 cr3, generation;
		u32 entry[8];		/* the guest's root */
		u32 pdpt[4];		/* what stands for it */
		u16 dir[4];
	} roots[ROOT_SLOTS];
	/* statistics */
	u32 irqs[VECTORS];
	u32 trap_cost[FIRST_INTERRUPT + 1];	/* cycles by exception, last: interrupts */
	u32 entries, hidden, reflected, filled, flips, queue_flushes, queued;
};

enum { VCPU_ABSENT, VCPU_STARTING, VCPU_RUNNING, VCPU_OFF };

BUILD_ASSERT(__builtin_offsetof(struct vcpu, stack16) == VCPU_STACK16);
BUILD_ASSERT(__builtin_offsetof(struct vcpu, call_cost) == VCPU_CALL_COST);
BUILD_ASSERT(sizeof(struct vcpu) <= 2 * PAGE_SIZE);

#define me	((struct vcpu *)MON_VCPU)
#define ring1	((volatile struct ring1 *)RING1_DATA)
/* The registers of whoever entered from an outer ring lie at the stack's top. */
#define guest_regs ((struct regs *)GUEST_REGS)
BUILD_ASSERT(MON_STACK_TOP - 16 - __builtin_offsetof(struct regs, es86) == GUEST_REGS);

/* Variables that are set once, by init.c */
extern struct vcpu *vcpus[MAX_VCPUS];
extern u32 memory_base, memory_size, memory_frames, memory_low_frames;
extern u32 pae, has_nx, has_pge, has_apic, has_sep, has_efer;
extern u32 tsc_khz;
extern u32 low_pa, ap_root;
extern const char mon_image_end[];

/* mem.c */
u32 pa_of(const void *p);
void *va_of(u32 pa);
void *mem_take(u32 pages);
void map_private(struct vcpu *v, u32 address, u32 pa, u32 flags);
u32 mem_left(void);
void *window_move(u32 slot, u32 gfn);
void hole_fill(struct vcpu *v, void *directory);
void memory_init(void);

/* shadow.c */
enum fault_result { FAULT_FILLED, FAULT_REFLECT, FAULT_APIC, FAULT_FORBIDDEN };
/* shadow.c */
enum fault_result shadow_fault(u32 address, u32 access, u32 *error);
int guest_translate(u32 address, u64 *pa);
void shadow_entry_changed(u32 address);
void shadow_page_gone(u32 gfn);
void shadow_load(u32 cr3);
void shadow_reload(void);
void shadow_init(void);
void queue_flush_now(void);
void shadow_stats(void);
void *shadow_spare_page(void);

#define SHADOW_FUNCTIONS(mode)							\
	enum fault_result shadow_fault##mode(u32 address, u32 access, u32 *error); \
	int guest_translate##mode(u32 address, u64 *pa);			\
	void shadow_entry_changed##mode(u32 address);				\
	void shadow_page_gone##mode(u32 gfn);					\
	void shadow_load##mode(u32 cr3);					\
	void shadow_reload##mode(void);						\
	void shadow_init##mode(void);						\
	void queue_flush##mode(void);						\
	void shadow_stats##mode(void);						\
	void *shadow_spare_page##mode(void);

SHADOW_FUNCTIONS(32)	/* without PAE */
SHADOW_FUNCTIONS(64)	/* with PAE */

/* desc.c */
void gdt_load(u32 base, u32 limit);
void ldt_load(u32 selector);
void tr_load(u32 selector);
void gdt_entry_changed(u32 table, u32 index);
void ldt_entry_changed(u32 table, u32 index);
u32 descriptor_base(u64 d);
u32 descriptor_limit(u64 d);
u64 sanitize(u64 descriptor);
u64 real_descriptor(u32 selector);
#define IS_CODE3(d)	(((d) >> 40 & 0xf8) == 0xf8)	/* present, ring 3 */
int descriptor_flip(u32 selector, u32 offset);
void kernel_stack(u32 esp);
void desc_init(struct vcpu *v);
void desc_activate(void);
void reload_segments(void);

/* idt.c */
void idt_init(struct vcpu *v);
void idt_load(u32 base, u32 limit);
void idt_entry_changed(u32 table, u32 index);
void idt_selectors_changed(void);
u64 guest_gate(u32 vector);
void stub_finish(struct regs *r);
void idt_ring0(int on);
void idt_pic_is_known(void);

/* guest.c: access to guest memory by linear address; 0 = done */
int guest_read(void *to, u32 from, u32 size);
int guest_write(u32 to, const void *from, u32 size);
u32 guest_argument(u32 number);

/* deliver.c */
void deliver(struct regs *r, u32 vector, int has_error, u32 error);
void deliver_pending(struct regs *r);
void irq_pend(struct vcpu *v, u32 vector);
void irq_forget(u32 first);
u32 iret_complete(struct regs *r);
void iret_call(struct regs *r);
int iret_failed(const struct regs *at_fault, struct regs *r);
void resume_at(struct regs *r) REGPARM NORETURN;

/* port.c */
struct port_access {
	u32 port, size, out;
	u32 base;		/* of the segment that a string is in */
};

void port_do(const struct port_access *a, u32 *eax);
int port_string(const struct port_access *a, struct regs *r, int rep);

/* pic.c */
int is_pic(u32 port);
int pic_is_known(void);
u32 pic_vector(u32 vector);
u32 pic_irq0_vector(void);
void pic_eoi_irq0(void);
void pic_write(u32 port, u32 value);

/* emulate.c */
u32 segment_base(u32 selector);	/* decode.c */
int emulate(struct regs *r);

/* device.c */
int apic_access(struct regs *r, u32 address);

/* calls.c and others */
REGPARM void trap_handler(struct regs *r);
int segment_flip(struct regs *r);	/* segment.c */
u32 lapic_get(u32 reg);
void lapic_set(u32 reg, u32 value);
void apic_init(void);
void ioapic_write(u32 reg, u32 value);
u32 ioapic_read(u32 reg);
void apic_write(u32 reg, u32 value);
u32 apic_read(u32 reg);
void registers_init(void);
void halt_until_pending(struct regs *r);
void vcpu_off(struct regs *r);
void set_cr0(u32 value);
void set_cr4(u32 value);
void set_dr(u32 number, u32 value);
u32 get_dr(u32 number);
int msr_read(u32 msr, u64 *value);
int msr_write(u32 msr, u64 value);
void cpuid_filtered(u32 *a, u32 *b, u32 *c, u32 *d);
void flush_all(void);
void flush_tlb(u32 global);
void flush_page(u32 address);
u32 linear_to_frame(u32 address, u32 *gfn);
void machine_reset(u32 hard);

/* stats.c, print.c */
void count_emulation(const char *kind, u32 eip);
void stats_print(void);
void stats_reset(void);
void print(const char *s);
void print_hex(u32 value);
void print_dec(u32 value);
void stop(const char *what, u32 value, const char *why) NORETURN;
void monitor_fault(struct regs *r) NORETURN;

/* chipset.c */
void chipset_lock(void);
int chipset_guards(u32 port);
u32 chipset_filter(u32 value);

/* smp.c */
void shootdown(void);
void flush_if_wanted(void);
void ap_start(u32 apic_id);
void ap_init_ipi(u32 apic_id);
void ap_set_state(u32 number, const struct vmi_ap_state *state);
void vcpu_begin(struct regs *r);
struct vcpu *vcpu_create(u32 number);
void vcpus_create(u32 count);
REGPARM void ap_main(void);
extern u32 ring1_code_pa;

void *memset(void *to, int c, u32 n);
void *memcpy(void *to, const void *from, u32 n);

/* locking */
extern u32 mmu_lock;

static inline void cpu_relax(void)
{
	asm volatile("pause" : : : "memory");
}

static inline void lock(u32 *l)
{
	u32 one = 1;

	while (1) {
		asm volatile("xchgl %0, %1" : "+r" (one), "+m" (*l) : : "memory");
		if (likely(!one))
			return;
		while (*(volatile u32 *)l)
			cpu_relax();
		one = 1;
	}
}

static inline void unlock(u32 *l)
{
	asm volatile("movl $0, %0" : "=m" (*l) : : "memory");
}

/* instructions */
#define READ_REG(reg) ({ u32 v_; asm volatile("mov %%" #reg ", %0" : "=r" (v_)); v_; })
#define WRITE_REG(reg, v) asm volatile("mov %0, %%" #reg : : "r" ((u32)(v)) : "memory")

static inline void wrmsr(u32 msr, u64 value)
{
	asm volatile("wrmsr" : : "c" (msr), "A" (value) : "memory");
}

static inline void cpuid(u32 leaf, u32 sub, u32 *a, u32 *b, u32 *c, u32 *d)
{
	asm volatile("cpuid" : "=a" (*a), "=b" (*b), "=c" (*c), "=d" (*d)
		     : "0" (leaf), "2" (sub));
}

static inline void invlpg(u32 address)
{
	asm volatile("invlpg (%0)" : : "r" (address) : "memory");
}

/**
 * frame_is_ours() - is a frame part of the reserved memory?
 */
static inline int frame_is_ours(u32 gfn)
{
	return gfn - (memory_base >> 12) < memory_size >> 12;
}

/**
 * frame_is_readonly() - may the guest read, but not write it?
 *
 * Those are the pages that an AP starts in.
 */
static inline int frame_is_readonly(u32 gfn)
{
	return gfn - (low_pa >> 12) < LOW_PAGES;
}

#define FRAME_IOAPIC	0xfec00u
#define FRAME_LAPIC	0xfee00u
#define FRAMES_MESSAGE	0x100	/* a store there is an interrupt message */

/**
 * frame_is_apic() - are accesses to a frame emulated?
 */
static inline int frame_is_apic(u32 gfn)
{
	return gfn == FRAME_IOAPIC || gfn - FRAME_LAPIC < FRAMES_MESSAGE;
}

/* Each purpose has its bank, so that its window stays while others come. */
#define BANKS	4
#define BANK	(MON_WINDOWS / BANKS)

/**
 * window() - reach a frame of the guest
 * @gfn: not one of ours
 * @bank: 0 to 3; a window stays until the next one of the same bank
 *
 * Return: where the frame is mapped.
 */
static inline void *window(u32 gfn, u32 bank)
{
	u32 slot = bank * BANK + gfn % BANK;

	if (likely(me->window[slot] == gfn + 1))
		return (void *)(MON_WINDOW + slot * PAGE_SIZE);
	return window_move(slot, gfn);
}

/* Does what ring 1 put off. */
static inline void queue_flush(void)
{
	if (unlikely(ring1->queued | ring1->change))
		queue_flush_now();
}

static inline int from_user(const struct regs *r)
{
	return (r->cs & 3) == 3 || r->eflags & EFLAGS_VM;
}

static inline int from_monitor(const struct regs *r)
{
	return !(r->cs & 3) && !(r->eflags & EFLAGS_VM);
}

/* entry.S, ring1.S */
extern char entry_stubs[], doubt_stubs[], entry_call[], resume_guest[];
void wait_for_interrupt(void);
extern char ring1_start[], ring1_end[];
extern char ring1_iret_flag[], ring1_iret_insn[], ring1_iret_off[];
extern char ring1_iret_peek[], ring1_iret_peeked[];
extern char ring1_push[], ring1_pushed[];
extern char pop_es[], pop_ds[], last_iret[];
extern char guest_copy[], guest_copy_end[], guest_copy_fault[];
extern char msr_access_fault[], rdmsr_insn[], wrmsr_insn[];
int rdmsr_safe(u32 msr, u64 *value);
int wrmsr_safe(u32 msr, u32 low, u32 high);
int copy_guest(void *to, const void *from, u32 n) REGPARM;

#include "time.h"

#endif /* !__ASSEMBLY__ */
#endif /* _MONITOR_H */
