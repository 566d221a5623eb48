// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the answers of a ROM to a kernel that runs on it, in any ring.
 *
 * Owns: the ring, patched sites, what a kernel of that ring has to do by calls.
 * Not here: finding the ROM (`reloc.c`), judging calls (`call.c`).
 * Runs: after Init and the answers; then its helpers everywhere.
 * Fails: a call that an outer ring cannot do without is named.
 *
 * In ring 0 the helpers are the instructions, so that what a call does is seen
 * by other means than a call.
 */
#include "guest.h"

u32 ring;

struct site {
	u32 address, call;
};

extern const struct site sites_start[], sites_end[];
extern u32 vif_set, vif_get, cr2_get, apic_write;
extern const char native_vif_set[], native_vif_get[];

typedef u64 (*rom_fn)(u32 eax, u32 edx, u32 ecx, u32 arg4, u32 arg5);

/* A call that is not judged, by the compiler's own convention. */
u64 vmi5(enum vmi_call nr, u32 eax, u32 edx, u32 ecx, u32 arg4, u32 arg5)
{
	const struct vmi_reloc *reloc = &rom_calls[nr].reloc;

	if (reloc->type == VMI_RELOC_NONE && !ring)
		return native_call(nr, eax, edx, ecx, arg4);
	if (reloc->type != VMI_RELOC_CALL_REL)
		return 0;
	return ((rom_fn)reloc->eip)(eax, edx, ecx, arg4, arg5);
}

u64 vmi(enum vmi_call nr, u32 eax, u32 edx, u32 ecx)
{
	return vmi5(nr, eax, edx, ecx, 0, 0);
}

u32 cr_read(u32 number)
{
	if (ring)
		return (u32)vmi(number == 0 ? VMI_CALL_GetCR0 :
				number == 2 ? VMI_CALL_GetCR2 :
				number == 3 ? VMI_CALL_GetCR3 : VMI_CALL_GetCR4, 0, 0, 0);
	switch (number) {
	case 0:
		return READ_REG(cr0);
	case 2:
		return READ_REG(cr2);
	case 3:
		return READ_REG(cr3);
	default:
		return READ_REG(cr4);
	}
}

void cr_write(u32 number, u32 value)
{
	if (ring)
		vmi(number == 0 ? VMI_CALL_SetCR0 : number == 3 ? VMI_CALL_SetCR3 :
		    VMI_CALL_SetCR4, value, 0, 0);
	else if (number == 0)
		WRITE_REG(cr0, value);
	else if (number == 3)
		WRITE_REG(cr3, value);
	else
		WRITE_REG(cr4, value);
}

/* Interrupt flag by whatever serves it; both keep all registers but EAX. */
static void flag(u32 value)
{
	asm volatile("call *%1" : "+a" (value) : "m" (vif_set) : "memory", "cc");
}

void irq_on(void)
{
	flag(EFLAGS_IF);
}

void irq_off(void)
{
	flag(0);
}

/* As a kernel of API 3.0 does it on a context switch. */
void kernel_stack(u32 esp0)
{
	tss[1] = esp0;
	vmi(VMI_CALL_UpdateKernelStack, SEL_DATA, esp0, 0);
}

void cpu_stop(void)
{
	if (ring)
		vmi(VMI_CALL_Shutdown, 0, 0, 0);
	for (;;)
		asm volatile("cli; hlt");
}

static u32 mandatory(u32 nr)
{
	switch (nr) {
	case VMI_CALL_UpdateKernelStack:
	case VMI_CALL_EnableInterrupts:
	case VMI_CALL_DisableInterrupts:
	case VMI_CALL_GetInterruptMask:
	case VMI_CALL_SetInterruptMask:
	case VMI_CALL_AllocatePage:
	case VMI_CALL_ReleasePage:
	case VMI_CALL_SetLinearMapping:
		return 1;
	case VMI_CALL_SetPxE:
	case VMI_CALL_UpdatePxE:
		return !pae;
	case VMI_CALL_SetPxELong:
	case VMI_CALL_UpdatePxELong:
		return pae;
	default:
		return 0;
	}
}

/* Five bytes: a call or a jump in place of the instruction. */
static const char *patch(const struct site *site)
{
	u8 *code = (u8 *)site->address;
	const struct vmi_reloc *reloc = &rom_calls[site->call].reloc;

	if (reloc->type == VMI_RELOC_NONE && !ring)
		return NULL;		/* the instruction stays */
	CHECK(reloc->type == VMI_RELOC_CALL_REL || reloc->type == VMI_RELOC_JUMP_REL,
	      "33 or 34 is neither CALL nor JUMP");
	code[0] = reloc->type == VMI_RELOC_CALL_REL ? 0xe8 : 0xe9;
	*(u32 *)(code + 1) = reloc->eip - (site->address + 5);
	return NULL;
}

static const char *t_ring(void)
{
	u32 nr, ss;

	ring = READ_REG(cs) & 3;
	ss = READ_REG(ss);
	print("# ring ");
	print_dec(ring);
	print("\n");
	CHECK(ring < 3, "Init left us in ring 3");
	CHECK((ss & 3) == ring && (ss & ~3u) == SEL_DATA, "SS is not that of the ring");
	CHECK((READ_REG(cs) & ~3u) == SEL_CODE, "CS is another selector");
	for (nr = 0; ring && nr < VMI_CALL_NR; nr++) {
		if (!mandatory(nr) || rom_calls[nr].reloc.type == VMI_RELOC_CALL_REL)
			continue;
		print("# not answered CALL: ");
		print(rom_calls[nr].name);
		print("\n");
		return "an outer ring without a call that it needs";
	}
	return NULL;
}

static const char *t_sites(void)
{
	const struct site *site;
	const char *why;

	for (site = sites_start; site < sites_end; site++) {
		why = patch(site);
		if (why)
			return why;
	}
	vif_set = ring ? rom_calls[VMI_CALL_SetInterruptMask].reloc.eip : (u32)native_vif_set;
	vif_get = ring ? rom_calls[VMI_CALL_GetInterruptMask].reloc.eip : (u32)native_vif_get;
	if (ring)
		cr2_get = rom_calls[VMI_CALL_GetCR2].reloc.eip;
	if (rom_calls[VMI_CALL_APICWrite].reloc.type == VMI_RELOC_CALL_REL)
		apic_write = rom_calls[VMI_CALL_APICWrite].reloc.eip;
	return NULL;
}

#define LOWMEM_PAGES	(64 << 8)

/* What historical guests tell first, on a directory that is full and live. */
static const char *t_announce(void)
{
	u32 kind = pae ? VMI_PAGE_PAE : 0;

	vmi5(VMI_CALL_SetLinearMapping, VMI_LINEAR_MAP_LOWMEM, GUEST_OFFSET, LOWMEM_PAGES, 0, 0);
	page_announce(window, VMI_PAGE_PT | VMI_PAGE_ZEROED | kind);
	page_announce(page_dir, VMI_PAGE_PD | VMI_PAGE_ZEROED | kind);
	CHECK(*(volatile u32 *)fs_word == fs_word[0], "memory changed");
	CHECK(entry_get(dir_entry(WINDOW)) & PTE_P, "the directory lost an entry");
	return NULL;
}

#define TICK	500000000ull		/* the BIOS's timer ticks 18 times a second */

static void wait_tick(void)
{
	u64 end = rdtsc() + TICK;
	u32 start = irq0_count;

	irq_on();
	while (irq0_count == start && rdtsc() < end)
		asm volatile("pause");
	irq_off();
}

/*
 * Set up in ring 0, before Init; a ROM has to know where its interrupts are to
 * come. The other rows have it set up again.
 */
static const char *t_pic(void)
{
	u32 start = irq0_count;
	int wrong = fault_try(wait_tick);

	if (wrong)
		outb(0x20, 0x20);
	set_pic();
	CHECK(!wrong, "IRQ0 comes by a vector of the time before that");
	CHECK(irq0_count != start, "IRQ0 does not come");
	return NULL;
}

static const struct test tests[] = {
	{ "ring of the kernel", t_ring },
	{ "33 and 34 patched in place", t_sites },
	{ "48, 44: the live tables announced as zeroed", t_announce },
	{ "8259 that was set up before Init", t_pic },
};

const struct test_group bind_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
