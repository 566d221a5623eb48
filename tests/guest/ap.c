// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls 62 to 64, and the row that no call was forgotten.
 *
 * Owns: local APIC access, starting the other processors.
 * Not here: alarms on LVTT (`time.c`).
 * Runs: last; starts CPU 1..n-1, which halt for good. With one CPU those rows are
 * not in the plan.
 * Fails: a text per row.
 */
#include "guest.h"

#define LAPIC_VERSION	0x30
#define LAPIC_TPR	0x80
#define LAPIC_ICR_LOW	0x300
#define LAPIC_ICR_HIGH	0x310
#define ICR_INIT	0x4500
#define ICR_STARTUP	0x4600
#define GUEST_VECTOR	0x9f		/* a page that nothing is in */
#define CPUID_NX	(1u << 20)	/* leaf 0x80000001, EDX */
#define EFER_NXE	0x800
#define AP_EFLAGS	0x46		/* ZF and PF; IF and bit 1 clear or set */

extern struct regs ap_out;
extern const char ap_entry[];
static u32 ap_stack[1024];
static volatile u32 ap_seen;
static struct {
	u32 cr0, cr2, cr3, cr4, cs, ss, ldtr, efer;
	struct desc_ptr gdtr, idtr;
} ap_cpu;

u32 ap_served;

/* Used as kernels do: only with entries that have the bit. */
int has_nx(void)
{
	u32 eax = 0x80000001, ebx, ecx, edx;

	if (!pae)
		return 0;
	asm volatile("cpuid" : "+a" (eax), "=b" (ebx), "=c" (ecx), "=d" (edx));
	return (edx & CPUID_NX) != 0;
}

/* On the AP: in an outer ring by calls, as the boot CPU. */
void ap_main(void);
void ap_main(void)
{
	ap_cpu.cr0 = cr_read(0);
	ap_cpu.cr2 = cr_read(2);
	ap_cpu.cr3 = cr_read(3);
	ap_cpu.cr4 = cr_read(4);
	ap_cpu.cs = READ_REG(cs);
	ap_cpu.ss = READ_REG(ss);
	if (ring) {
		ap_cpu.ldtr = (u32)vmi(VMI_CALL_GetLDT, 0, 0, 0) & 0xffff;
		vmi(VMI_CALL_GetGDT, (u32)&ap_cpu.gdtr, 0, 0);
		vmi(VMI_CALL_GetIDT, (u32)&ap_cpu.idtr, 0, 0);
		ap_out.eflags &= ~EFLAGS_IF;
		ap_out.eflags |= (u32)vmi(VMI_CALL_GetInterruptMask, 0, 0, 0);
	} else {
		asm volatile("sldt %w0" : "=r" (ap_cpu.ldtr) : "0" (0));
		asm volatile("sgdt %0" : "=m" (ap_cpu.gdtr));
		asm volatile("sidt %0" : "=m" (ap_cpu.idtr));
	}
	if (has_nx())
		ap_cpu.efer = (u32)vmi(VMI_CALL_RDMSR, 0, 0, MSR_EFER);
	ap_seen++;
	if (ap_served)
		ap_serve();
	cpu_stop();
}

static u32 lapic_read(u32 reg)
{
	if (ring)
		return (u32)vmi(VMI_CALL_APICRead, reg, 0, 0);
	return *(volatile u32 *)(WINDOW_LAPIC + reg);
}

static const char *apic(u32 base)
{
	args(base + LAPIC_VERSION, 0, 0);
	CALL(VMI_CALL_APICRead, R_EAX);
	CHECK(out.eax == lapic_read(LAPIC_VERSION) && (u8)out.eax >= 0x10,
	      "APICRead differs");
	args(base + LAPIC_TPR, 0x30, 0);
	CALL(VMI_CALL_APICWrite, R_NONE);
	CHECK(lapic_read(LAPIC_TPR) == 0x30, "APICWrite did not write");
	args(base + LAPIC_TPR, 0, 0);
	CALL(VMI_CALL_APICWrite, R_NONE);
	CHECK(lapic_read(LAPIC_TPR) == 0, "APICWrite did not clear");
	return NULL;
}

static const char *t_apic_offset(void)
{
	return apic(0);
}

static const char *t_apic_linear(void)
{
	return apic(WINDOW_LAPIC);
}

static void fill_state(struct vmi_ap_state *s)
{
	struct desc_ptr gdtr, idtr;

	vmi(VMI_CALL_GetGDT, (u32)&gdtr, 0, 0);
	vmi(VMI_CALL_GetIDT, (u32)&idtr, 0, 0);
	*s = (struct vmi_ap_state){
		.cr0 = cr_read(0), .cr2 = 0x2222000, .cr3 = cr_read(3),
		.cr4 = cr_read(4), .efer = has_nx() ? EFER_NXE : 0,
		.eip = (u32)ap_entry, .eflags = AP_EFLAGS & ~2,
		.eax = 1, .ebx = 2, .ecx = 3, .edx = 4, .ebp = 5, .esi = 6, .edi = 7,
		.esp = (u32)(ap_stack + 1024), .cs = SEL_CODE, .ss = SEL_DATA,
		.ds = SEL_UDATA, .es = SEL_UDATA, .fs = SEL_FS, .gs = 0,
		.ldtr = SEL_LDT, .gdtr_limit = gdtr.limit, .gdtr_base = gdtr.base,
		.idtr_base = idtr.base, .idtr_limit = idtr.limit,
	};
}

static const char *send(u32 id, u32 icr)
{
	args(LAPIC_ICR_HIGH, id << 24, 0);
	CALL_ONCE(VMI_CALL_APICWrite, R_NONE);
	args(LAPIC_ICR_LOW, icr, 0);
	CALL_ONCE(VMI_CALL_APICWrite, R_NONE);
	return NULL;
}

/* INIT, then the state, then two STARTUPs, as guests do. */
static const char *start(u32 id, const struct vmi_ap_state *state)
{
	static char buffer[8192] __attribute__((aligned(4096)));
	struct vmi_ap_state *odd = (void *)(buffer + 4096 - 41);
	const char *why = send(id, ICR_INIT);
	u32 i;

	CHECK(!why, why);
	if (state) {
		*odd = *state;
		args((u32)odd, id, 0);
		CALL(VMI_CALL_SetInitialAPState, R_NONE);
		for (i = 0; i < sizeof(buffer); i++)
			buffer[i] = 0x5a;
	}
	for (i = 0; i < 2; i++) {
		why = send(id, ICR_STARTUP | GUEST_VECTOR);
		CHECK(!why, why);
	}
	return NULL;
}

/* How many CPUs arrive: waits some seconds for the first, or a while for none. */
static u32 arrived(u32 before, u32 expected)
{
	u64 end = rdtsc() + (expected ? 20000000000ull : 100000000ull);

	while (rdtsc() < end && !(expected && ap_seen != before))
		asm volatile("pause");
	return ap_seen - before;
}

static const char *same_registers(const struct vmi_ap_state *s)
{
	CHECK(ap_out.eax == s->eax && ap_out.ebx == s->ebx &&
	      ap_out.ecx == s->ecx && ap_out.edx == s->edx &&
	      ap_out.esi == s->esi && ap_out.edi == s->edi &&
	      ap_out.ebp == s->ebp && ap_out.esp == s->esp, "a register");
	CHECK(ap_out.eflags == AP_EFLAGS, "EFLAGS");
	CHECK(ap_out.ds == s->ds && ap_out.es == s->es && ap_out.fs == s->fs &&
	      ap_out.gs == s->gs && ap_cpu.cs == (s->cs | ring) &&
	      ap_cpu.ss == (s->ss | ring),
	      "a segment register");
	CHECK(ap_cpu.cr0 == s->cr0 && ap_cpu.cr2 == s->cr2 &&
	      ap_cpu.cr3 == s->cr3 && ap_cpu.cr4 == s->cr4, "a control register");
	CHECK(ap_cpu.gdtr.base == s->gdtr_base &&
	      ap_cpu.gdtr.limit == s->gdtr_limit, "GDTR");
	CHECK(ap_cpu.idtr.base == s->idtr_base &&
	      ap_cpu.idtr.limit == s->idtr_limit, "IDTR");
	CHECK(ap_cpu.ldtr == s->ldtr, "LDTR");
	CHECK(ap_cpu.efer == (u32)s->efer, "EFER");
	return NULL;
}

static const char *start_and_compare(u32 id)
{
	struct vmi_ap_state state;
	const char *why;
	u32 before = ap_seen;

	fill_state(&state);
	why = start(id, &state);
	CHECK(!why, why);
	CHECK(arrived(before, 1) == 1, "did not arrive");
	why = same_registers(&state);
	CHECK(!why, why);
	CHECK(arrived(before + 1, 0) == 0, "the second STARTUP started it again");
	return NULL;
}

const char *ap_launch(u32 id)
{
	struct vmi_ap_state state;

	fill_state(&state);
	return start(id, &state);
}

static const char *t_no_state(void)
{
	u32 before = ap_seen;
	const char *why;

	why = start(1, NULL);
	CHECK(!why, why);
	CHECK(arrived(before, 0) == 0, "started without a state");
	return NULL;
}

static const char *t_start(void)
{
	const char *why;
	u32 id;

	for (id = 1; id < cpu_count(); id++) {
		why = start_and_compare(id);
		CHECK(!why, why);
	}
	return NULL;
}

static const char *t_again(void)
{
	const char *why = t_no_state();

	CHECK(!why, why);
	return start_and_compare(1);
}

/* States that no CPU is for, and one that is none: nobody may start by them. */
static const char *t_store(void)
{
	struct vmi_ap_state state;
	u32 before = ap_seen;

	fill_state(&state);
	args((u32)&state, 200, 0);
	CALL(VMI_CALL_SetInitialAPState, R_NONE);
	args((u32)&state, ~0u, 0);
	CALL(VMI_CALL_SetInitialAPState, R_NONE);
	state.cr0 = 0;
	args((u32)&state, 1, 0);
	CALL(VMI_CALL_SetInitialAPState, R_NONE);
	CHECK(!send(1, ICR_STARTUP | GUEST_VECTOR), "STARTUP");
	CHECK(arrived(before, 0) == 0, "started");
	return NULL;
}

/* 36 and 37 end the machine; 72 has no answer. */
static const char *t_complete(void)
{
	u32 nr;

	for (nr = 0; nr < VMI_CALL_NR; nr++) {
		if (nr == VMI_CALL_Reboot || nr == VMI_CALL_Shutdown ||
		    nr == VMI_CALL_SetCallbacks)
			continue;
		if (rom_calls[nr].calls || rom_calls[nr].reloc.type == VMI_RELOC_NONE)
			continue;
		print("# not called: ");
		print(rom_calls[nr].name);
		print("\n");
		return "a call without a test";
	}
	return NULL;
}

static const struct test smp[] = {
	{ "62 SetInitialAPState: STARTUP without one", t_no_state },
	{ "62 SetInitialAPState: every AP", t_start },
	{ "62 SetInitialAPState: once per STARTUP", t_again },
};

static const struct test tests[] = {
	{ "63 APICWrite, 64 APICRead by offset", t_apic_offset },
	{ "63 APICWrite, 64 APICRead by address", t_apic_linear },
	{ "62 SetInitialAPState: of no CPU, without paging", t_store },
};

static const struct test last[] = {
	{ "every safe call was made", t_complete },
};

const struct test_group ap_tests = { tests, ARRAY_SIZE(tests), NULL, 0 };
const struct test_group last_tests = { last, ARRAY_SIZE(last), NULL, 0 };
const struct test_group smp_tests = { smp, ARRAY_SIZE(smp), NULL,
	VMI_CALL_SetInitialAPState };
