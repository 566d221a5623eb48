// SPDX-License-Identifier: GPL-2.0-only
/*
 * Control, debug and model-specific registers, CPUID, TLB flushes.
 *
 * Owns: which of the guest's bits reach the hardware.
 * Not here: table registers (`desc.c`, `idt.c`), CR3 (`shadow.c`).
 * Runs: on the vCPU whose registers they are.
 * Fails: bits that are not for a guest are ignored; an unknown MSR is a #GP.
 *
 * Source: SDM volume 3, sections 2.5 and 17.2; volume 2, CPUID; volume 4 (MSRs).
 */
#include "monitor.h"

#define CR0_GUEST	(CR0_PE | CR0_MP | CR0_EM | CR0_TS | CR0_ET | CR0_NE | CR0_WP | \
			 CR0_AM | CR0_PG)
#define CR0_STAYS	(CR0_PE | CR0_WP | CR0_PG)
#define CR0_ALWAYS	(CR0_PE | CR0_ET | CR0_WP | CR0_PG)

#define CR4_GUEST	(CR4_TSD | CR4_DE | CR4_PSE | CR4_PAE | CR4_PGE | CR4_PCE | \
			 CR4_OSFXSR | CR4_OSXMMEXCPT)
#define CR4_STAYS	(CR4_PSE | CR4_PAE | CR4_PGE)

/**
 * set_cr0() - CR0; PE, PG and WP stay once they are set
 */
void set_cr0(u32 value)
{
	ring1->cr0 = value | (ring1->cr0 & CR0_STAYS);
	WRITE_REG(cr0, (ring1->cr0 & CR0_GUEST) | CR0_ALWAYS);
}

/**
 * set_cr4() - CR4; PAE cannot change, PSE and PGE stay once they are set
 */
void set_cr4(u32 value)
{
	u32 fixed = CR4_PSE | (pae ? CR4_PAE : 0), guest = CR4_GUEST & ~CR4_PAE;
	u32 cleared = ring1->cr4 & ~value;

	value = (value & guest) | (ring1->cr4 & CR4_STAYS & guest);
	if (!has_pge)
		value &= ~CR4_PGE;
	else if (cleared & CR4_PGE)	/* a guest's way to flush all */
		WRITE_REG(cr4, READ_REG(cr4) & ~CR4_PGE);
	ring1->cr4 = value | (pae ? CR4_PAE : 0);
	WRITE_REG(cr4, value | fixed);
}

/**
 * flush_all() - drop all translations of this CPU
 *
 * Without a look at the guest's root: `mmu_lock` may be held.
 */
void flush_all(void)
{
	u32 cr4 = READ_REG(cr4);

	if (!has_pge) {
		WRITE_REG(cr3, READ_REG(cr3));
		return;
	}
	WRITE_REG(cr4, cr4 ^ CR4_PGE);
	WRITE_REG(cr4, cr4);
}

/**
 * flush_tlb() - drop translations of this CPU
 * @global: those of global pages, too
 */
void flush_tlb(u32 global)
{
	u32 cr4 = READ_REG(cr4);

	if (global && cr4 & CR4_PGE) {
		WRITE_REG(cr4, cr4 & ~CR4_PGE);
		WRITE_REG(cr4, cr4);
	}
	shadow_reload();
}

void flush_page(u32 address)
{
	if (address < HOLE)
		invlpg(address);
}

/*
 * A watch on the hole would stop the monitor at its own work. GD is not for
 * the guest: its accesses trap anyway.
 */
#define DR7_GUEST	0xffff03ffu
#define DR7_FIXED	0x00000400u

void set_dr(u32 number, u32 value)
{
	if (number < 4 && value >= HOLE - 8)
		value = 0;
	switch (number) {
	case 0:
		WRITE_REG(db0, value);
		break;
	case 1:
		WRITE_REG(db1, value);
		break;
	case 2:
		WRITE_REG(db2, value);
		break;
	case 3:
		WRITE_REG(db3, value);
		break;
	case 4:
	case 6:
		WRITE_REG(db6, value);
		break;
	case 5:
	case 7:
		WRITE_REG(db7, (value & DR7_GUEST) | DR7_FIXED);
		break;
	}
}

u32 get_dr(u32 number)
{
	switch (number) {
	case 0:
		return READ_REG(db0);
	case 1:
		return READ_REG(db1);
	case 2:
		return READ_REG(db2);
	case 3:
		return READ_REG(db3);
	case 4:
	case 6:
		return READ_REG(db6);
	case 5:
	case 7:
		return READ_REG(db7);
	default:
		return 0;
	}
}

/**
 * registers_init() - what the guest may have left to come back by
 *
 * SYSENTER and SYSCALL enter ring 0 without looking at our tables, and a
 * breakpoint of the guest's may lie in our code.
 */
void registers_init(void)
{
	WRITE_REG(db7, DR7_FIXED);
	WRITE_REG(db0, 0);
	WRITE_REG(db1, 0);
	WRITE_REG(db2, 0);
	WRITE_REG(db3, 0);
	if (has_sep)
		wrmsr(MSR_SYSENTER_CS, 0);
	if (has_efer)
		wrmsr(MSR_EFER, (rdmsr(MSR_EFER) & ~(u64)EFER_SCE) | (has_nx ? EFER_NXE : 0));
}

#define MSR_FEATURE_CONTROL 0x3a
#define MSR_PAT		0x277

/**
 * msr_read() - RDMSR
 * Return: 0 if it has to fault.
 */
int msr_read(u32 msr, u64 *value)
{
	switch (msr) {
	case MSR_SYSENTER_CS:
		*value = me->sysenter_cs;
		return 1;
	case MSR_SYSENTER_ESP:
		*value = me->sysenter_esp;
		return 1;
	case MSR_SYSENTER_EIP:
		*value = me->sysenter_eip;
		return 1;
	case MSR_FEATURE_CONTROL:
		*value = 1;		/* locked: no VMX, no SGX */
		return 1;
	default:
		return !rdmsr_safe(msr, value);
	}
}

/**
 * msr_write() - WRMSR
 *
 * What a register of the machine holds stays as it is: a guest may try.
 * Return: 0 if it has to fault.
 */
int msr_write(u32 msr, u64 value)
{
	switch (msr) {
	case MSR_SYSENTER_CS:
		me->sysenter_cs = (u32)value;
		return 1;
	case MSR_SYSENTER_ESP:
		me->sysenter_esp = (u32)value;
		return 1;
	case MSR_SYSENTER_EIP:
		me->sysenter_eip = (u32)value;
		return 1;
	case MSR_PAT:
		return !wrmsr_safe(msr, (u32)value, (u32)(value >> 32));
	case MSR_FEATURE_CONTROL:
		return 0;		/* locked */
	default:
		return !rdmsr_safe(msr, &value);
	}
}

/* Features of leaf 1 that need ring 0. */
#define HIDE_1_ECX	(1u << 2 | 1u << 3 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | \
			 1u << 8 | 1u << 12 | 1u << 15 | 1u << 17 | 1u << 18 | 1u << 21 | \
			 1u << 24 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 29)
#define SHOW_1_ECX	(1u << 31)	/* there is a hypervisor */
#define HIDE_1_EDX	(1u << 1 | 1u << 7 | 1u << 11 | 1u << 12 | 1u << 14 | 1u << 18 | \
			 1u << 21 | 1u << 22 | 1u << 29 | 1u << 31)
/* Of leaf 7 stay what only computes: BMI1, BMI2, ERMS, RDSEED, ADX, SHA ... */
#define SHOW_7_EBX	(1u << 3 | 1u << 8 | 1u << 9 | 1u << 18 | 1u << 19 | 1u << 23 | \
			 1u << 24 | 1u << 29)
#define HIDE_81_ECX	(1u << 2 | 1u << 3 | 1u << 10 | 1u << 11 | 1u << 12 | 1u << 15 | \
			 1u << 16 | 1u << 23 | 1u << 24 | 1u << 28 | 1u << 29)

#define LEAF_HYPERVISOR	0x40000000u
#define SIGNATURE_B	0x20494d56u	/* "VMI " */
#define SIGNATURE_C	0x696e6f6du	/* "moni" */
#define SIGNATURE_D	0x00726f74u	/* "tor" */

/**
 * cpuid_filtered() - CPUID without what a guest in ring 1 cannot have
 * @a: leaf, then EAX
 * @b: EBX
 * @c: subleaf, then ECX
 * @d: EDX
 */
void cpuid_filtered(u32 *a, u32 *b, u32 *c, u32 *d)
{
	u32 leaf = *a;

	if (leaf == LEAF_HYPERVISOR) {
		*a = leaf;
		*b = SIGNATURE_B;
		*c = SIGNATURE_C;
		*d = SIGNATURE_D;
		return;
	}
	cpuid(leaf, *c, a, b, c, d);
	switch (leaf) {
	case 1:
		*c = (*c & ~HIDE_1_ECX) | SHOW_1_ECX;
		*d &= ~HIDE_1_EDX;
		if (!has_pge)
			*d &= ~(1u << 13);
		break;
	case 5:
	case 6:
	case 10:
	case 13:
		*a = *b = *c = *d = 0;
		break;
	case 7:
		*b &= SHOW_7_EBX;
		*c = *d = 0;
		*a = 0;
		break;
	case 0x80000001:
		*c &= ~HIDE_81_ECX;
		break;
	case 0x80000008:
		*b = 0;
		break;
	default:
		if (leaf > 0x80000008)	/* memory encryption and the like */
			*a = *b = *c = *d = 0;
		break;
	}
}

/**
 * linear_to_frame() - the frame of a page-table entry's address
 * @address: linear
 * @gfn: frame
 *
 * By what SetLinearMapping said, else by the guest's tables.
 * Return: 0 if it is not mapped.
 */
u32 linear_to_frame(u32 address, u32 *gfn)
{
	const struct linear_map *l = me->linear;
	u64 pa;
	u32 i;

	for (i = 0; i < VMI_LINEAR_MAP_SLOTS; i++) {
		if ((address - l[i].start) >> 12 >= l[i].pages)
			continue;
		*gfn = l[i].pfn + ((address - l[i].start) >> 12);
		return 1;
	}
	if (!guest_translate(address, &pa))
		return 0;
	*gfn = (u32)(pa >> 12);
	return 1;
}
