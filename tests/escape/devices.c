// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cases: interrupt controllers, timers, ports and memory of devices.
 *
 * Owns: case_*() of its heading in `cases.def`.
 * Not here: DMA, which nothing but an IOMMU stops.
 * Runs: ring 1; before_*() in ring 0, before Init.
 * Fails: with a text.
 */
#include "escape.h"

#define LAPIC		0xfee00000
#define IOAPIC		0xfec00000
#define APIC_ID		0x020
#define APIC_VERSION	0x030
#define APIC_TPR	0x080
#define APIC_SVR	0x0f0
#define APIC_ICR	0x300
#define APIC_ICR2	0x310
#define APIC_LVTT	0x320
#define APIC_LVT_LAST	0x370
#define APIC_COUNT	0x380
#define APIC_DIVIDE	0x3e0
#define SPINS		3000000u
#define STORM		10000u		/* each may cost an interrupt */

extern const char int_irq0[], exception_stubs[];
extern volatile u32 apic_ticks;

static void spin(u32 n)
{
	while (n--)
		barrier();
}

/* Interrupts on for a while. */
static void take_interrupts(u32 n)
{
	vmi(VMI_CALL_EnableInterrupts, 0, 0, 0);
	spin(n);
	vmi(VMI_CALL_DisableInterrupts, 0, 0, 0);
}

static void apic(u32 reg, u32 v)
{
	vmi(VMI_CALL_APICWrite, reg, v, 0);
}

static void apic_reset(void)
{
	u32 reg;

	for (reg = APIC_LVTT; reg <= APIC_LVT_LAST; reg += 0x10)
		if (reg != 0x350)	/* LINT0: the 8259 */
			apic(reg, 0x10000);
	apic(0x350, 0x700);
	apic(APIC_COUNT, 0);
	apic(APIC_TPR, 0);
	apic(APIC_SVR, 0x1ff);
	apic(0x0b0, 0);
}

static u32 lapic_page(void)
{
	return (u32)map(4, LAPIC, PTE_ALL | 0x18);
}

/* Commands that would take a CPU from the monitor: all modes, to everybody. */
static void all_messages(void (*send)(u32 reg, u32 v))
{
	u32 mode, shorthand, vector;

	for (mode = 2; mode < 8; mode++) {
		for (shorthand = 0; shorthand < 4; shorthand++) {
			for (vector = 0; vector < 0x20; vector += 2) {
				send(APIC_ICR2, 0);
				send(APIC_ICR, 0x4000 | shorthand << 18 | mode << 8 | vector);
				send(APIC_ICR, 0x8000 | shorthand << 18 | mode << 8 | vector);
				send(APIC_ICR2, 0xff000000);
				send(APIC_ICR, 0xc000 | shorthand << 18 | mode << 8 | vector);
			}
		}
	}
	take_interrupts(SPINS / 10);
}

static u32 page;

static void store_apic(u32 reg, u32 v)
{
	store(page + reg, v);
}

const char *case_apic_messages(void)
{
	all_messages(apic);
	return NULL;
}

const char *case_apic_messages_memory(void)
{
	page = lapic_page();
	all_messages(store_apic);
	return NULL;
}

/* Local interrupts in all modes, with the vectors of exceptions. */
static void all_local(void (*send)(u32 reg, u32 v))
{
	u32 reg, mode, vector;

	send(APIC_DIVIDE, 0xb);
	for (reg = APIC_LVTT; reg <= APIC_LVT_LAST; reg += 0x10) {
		if (reg == 0x350)
			continue;
		for (mode = 0; mode < 8; mode++) {
			for (vector = 0; vector < 0x20; vector++) {
				send(reg, 0x20000 | mode << 8 | vector);
				send(APIC_COUNT, 10);
				spin(20);
			}
		}
		send(reg, 0x10000);
	}
	send(APIC_SVR, 0x10e);
	send(APIC_TPR, 0xff);
	take_interrupts(SPINS / 10);
	apic_reset();
}

const char *case_apic_local(void)
{
	all_local(apic);
	return NULL;
}

const char *case_apic_local_memory(void)
{
	page = lapic_page();
	all_local(store_apic);
	return NULL;
}

/* To itself: vectors of exceptions do not arrive, others do, once. */
const char *case_apic_vectors(void)
{
	u32 vector, before = apic_ticks;

	apic_reset();
	for (vector = 0; vector < 256; vector++) {
		if (vector >= VECTOR_IRQ0 && (vector < VECTOR_IRQ0 + 16 || vector == VECTOR_BACK))
			continue;
		apic(APIC_ICR, 0x44000 | vector);
		take_interrupts(2000);
	}
	EXPECT(apic_ticks - before == 256 - 32 - 17, "not every vector came once");
	return NULL;
}

const char *case_apic_registers(void)
{
	static const u32 values[] = { 0xffffffff, 0, 0xaaaaaaaa, 0x55555555 };
	u32 i, reg;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (reg = 0; reg < 0x2000; reg += 4) {
			if ((reg & 0xff0) == 0x350)
				continue;
			apic(reg, values[i]);
			vmi(VMI_CALL_APICRead, reg, 0, 0);
		}
	}
	apic(APIC_ID, 0);
	apic(0x0e0, 0xffffffff);
	for (i = 0; i < 16; i++)
		apic(0x0b0, 0);
	apic_reset();
	return NULL;
}

static void add_there(void)
{
	asm volatile("addl $1, (%0)" : : "r" (at) : "memory");
}

const char *case_lapic_add(void)
{
	at = lapic_page() + APIC_ICR;
	add_there();
	return "the local APIC was reached";
}

const char *case_lapic_user(void)
{
	at = lapic_page() + APIC_ICR;
	value = 0x4500;
	return attempt_user(do_write) ? "a fault" : "a user reached the local APIC";
}

const char *case_lapic_execute(void)
{
	at = lapic_page();
	do_jump();
	return "it runs in the local APIC";
}

const char *case_lapic_large(void)
{
	u32 a = LARGE + (LAPIC & (large_size() - 1));

	map_directory(LARGE, (LAPIC & ~(large_size() - 1)) | PTE_ALL | PTE_PS);
	EXPECT(load(a + APIC_VERSION) == (u32)vmi(VMI_CALL_APICRead, APIC_VERSION, 0, 0),
	       "a large page shows another APIC");
	store(a + APIC_ICR, 0xc4500);
	store(a + APIC_ICR, 0x4c000 | 0x500);
	map_directory(LARGE, 0);
	return NULL;
}

/* A page table, or the root, in the registers of a device. */
const char *case_lapic_as_table(void)
{
	map_directory(SPARE, LAPIC | PTE_ALL);
	at = SPARE + (APIC_ICR / (pae ? 8 : 4)) * 4096;
	EXPECT(attempt(do_read) == FAULTED(VEC_PF), "the local APIC serves as page table");
	map_directory(SPARE, IOAPIC | PTE_ALL);
	at = SPARE;
	EXPECT(attempt(do_read) == FAULTED(VEC_PF), "the I/O APIC serves as page table");
	map_directory(SPARE, 0xa0000 | PTE_ALL);
	attempt(do_read);
	map_directory(SPARE, 0);
	return NULL;
}

/* A store to these pages is an interrupt of any mode in QEMU. */
static const char *message(u32 frame_address, u32 data)
{
	store((u32)map(4, frame_address, PTE_ALL), data);
	spin(SPINS);
	return "a message was sent";
}

const char *case_message_init(void)
{
	return message(0xfee01000, 0x4500);
}

const char *case_message_nmi(void)
{
	return message(0xfee40000, 0x4400);
}

const char *case_message_vector(void)
{
	return message(0xfeeff000, 0x400e);
}

static void ioapic_entry(u32 base, u32 line, u32 low)
{
	store(base, 0x11 + line * 2);
	store(base + 0x10, 0);
	store(base, 0x10 + line * 2);
	store(base + 0x10, low);
}

/* The PIT is at line 2 or 0: were it let through, it would be the end. */
const char *case_ioapic_modes(void)
{
	static const u32 entries[] = { 0x500, 0x400, 0x200, 0x600, 0x00e, 0x008, 0x10d, 0x01f };
	u32 i, line, base = (u32)map(4, IOAPIC, PTE_ALL | 0x18);

	apic_reset();
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		for (line = 0; line < 24; line++)
			ioapic_entry(base, line, entries[i]);
		take_interrupts(SPINS);
	}
	for (line = 0; line < 24; line++)
		ioapic_entry(base, line, 0x10000);
	return NULL;
}

static void rtc(u32 reg, u32 v)
{
	outb(0x70, reg);
	outb(0x71, v);
}

static void rtc_begin(void)
{
	rtc(0x0a, 0x23);	/* 8192 per second */
	rtc(0x0b, 0x42);
	outb(0x70, 0x0c);
	inb(0x71);
}

static void rtc_end(void)
{
	rtc(0x0b, 0x02);
	rtc(0x0a, 0x26);
	outb(0x70, 0x0c);
	inb(0x71);
}

static void native_map(u32 slot, u32 address)
{
	if (pae)
		((volatile u64 *)window_table)[slot] = address | PTE_ALL | 0x18;
	else
		((volatile u32 *)window_table)[slot] = address | PTE_ALL | 0x18;
	asm volatile("mov %%cr3, %%eax\n\tmov %%eax, %%cr3" : : : "eax", "memory");
}

/* Armed natively: they fire after Init. */
void before_apic_before(void)
{
	u32 apic_page = WINDOW + 5 * 4096, io_page = WINDOW + 6 * 4096;

	native_map(5, LAPIC);
	native_map(6, IOAPIC);
	store(apic_page + APIC_SVR, 0x10e);
	store(apic_page + APIC_DIVIDE, 0xb);
	store(apic_page + APIC_LVTT, 0x20011);
	store(apic_page + APIC_COUNT, 200000000);
	ioapic_entry(io_page, 8, 0x500);
	native_map(5, 0);
	native_map(6, 0);
}

const char *case_apic_before(void)
{
	rtc_begin();
	take_interrupts(SPINS * 4);
	rtc_end();
	apic_reset();
	return NULL;
}

/* Sent natively, not taken: the vector of #AC, which has an error code. */
void before_apic_pending(void)
{
	u32 apic_page = WINDOW + 5 * 4096;

	native_map(5, LAPIC);
	store(apic_page + APIC_SVR, 0x1ff);
	store(apic_page + APIC_ICR, 0x44011);
	native_map(5, 0);
}

const char *case_apic_pending(void)
{
	return "it was not refused";
}

#define MOVED_APIC	0xfe000000

void before_apic_base_before(void)
{
	wrmsr(0x1b, (rdmsr(0x1b) & 0xfff) | MOVED_APIC);
}

const char *case_apic_base_before(void)
{
	u32 moved = load((u32)map(4, MOVED_APIC, PTE_ALL) + APIC_VERSION);

	EXPECT(moved != (u32)vmi(VMI_CALL_APICRead, APIC_VERSION, 0, 0),
	       "the local APIC is where the guest had moved it");
	return NULL;
}

/* Another CPU, started natively, that counts in real mode. */
#define TRAMPOLINE	0x8000
#define COUNTER		(KERNEL + TRAMPOLINE + 0x100)

void before_ap_before(void)
{
	static const u8 code[] = { 0x2e, 0x66, 0xff, 0x06, 0x00, 0x01, 0xeb, 0xf8 };
	u32 apic_page = WINDOW + 5 * 4096, i;

	for (i = 0; i < sizeof(code); i++)
		((volatile u8 *)(KERNEL + TRAMPOLINE))[i] = code[i];
	store(COUNTER, 0);
	native_map(5, LAPIC);
	store(apic_page + APIC_SVR, 0x1ff);
	store(apic_page + APIC_ICR, 0xc4500);
	spin(SPINS);
	store(apic_page + APIC_ICR, 0xc4600 | TRAMPOLINE >> 12);
	for (i = 0; i < 100 && !load(COUNTER); i++)
		spin(SPINS);
	native_map(5, 0);
}

const char *case_ap_before(void)
{
	u32 before = load(COUNTER);

	EXPECT(before, "the other CPU never ran");
	spin(SPINS * 10);
	EXPECT(load(COUNTER) == before, "another CPU still runs natively");
	return NULL;
}

static const char *a20_is_on(void)
{
	volatile u32 *even = (void *)(KERNEL + 0x2000000), *odd = (void *)(KERNEL + 0x2100000);

	*even = 0x11111111;
	*odd = 0x22222222;
	EXPECT(*even == 0x11111111, "address line 20 is off");
	return NULL;
}

static void kbc_wait(void)
{
	u32 i;

	for (i = 0; i < 10000 && inb(0x64) & 2; i++)
		;
}

const char *case_a20(void)
{
	const char *why;

	outb(0x92, 0);
	why = a20_is_on();
	kbc_wait();
	outb(0x64, 0xdd);
	kbc_wait();
	why = why ? why : a20_is_on();
	outb(0x64, 0xd1);
	kbc_wait();
	outb(0x60, 0xdd);
	kbc_wait();
	why = why ? why : a20_is_on();
	outb(0x64, 0xff);
	kbc_wait();
	return why ? why : a20_is_on();
}

/* The 8259 among the exceptions, as the BIOS has it. */
const char *case_pic_bases(void)
{
	static const u8 bases[] = { 0x08, 0x10, 0x18, 0xf8 };
	u32 i, k, before;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		set_gate(bases[i], SEL_CODE, (u32)int_irq0, 0x8e00);
		pic_setup(bases[i], bases[ARRAY_SIZE(bases) - 1 - i]);
		before = ticks;
		for (k = 0; k < 20 && before == ticks; k++)
			take_interrupts(SPINS);
		pic_setup(VECTOR_IRQ0, VECTOR_IRQ0 + 8);
		EXPECT(ticks != before, "no interrupt came by the vector that was asked for");
		if (bases[i] < 32)
			set_gate(bases[i], SEL_CODE, (u32)exception_stubs + 16 * bases[i], 0x8e00);
	}
	return NULL;
}

/* Set-up words that are none, and orders in any order. */
const char *case_pic_garbage(void)
{
	u32 i;

	for (i = 0; i < 256; i++) {
		outb(0x20, i);
		outb(0xa0, i ^ 0x55);
		outb(0x21, ~i & 0x7f);	/* not where INT of a user goes */
		outb(0xa1, i & 0x7f);
		inb(0x20);
		inb(0xa1);
	}
	pic_setup(VECTOR_IRQ0, VECTOR_IRQ0 + 8);
	for (i = 0; i < 8; i++)
		outb(0x20, 0x20);
	return NULL;
}

const char *case_pit_fast(void)
{
	u32 mode;

	for (mode = 0; mode < 6; mode++) {
		outb(0x43, 0x30 | mode << 1);
		outb(0x40, 100);
		outb(0x40, 0);
		take_interrupts(STORM);
	}
	return NULL;
}

const char *case_rtc_fast(void)
{
	outb(0xa1, 0xfe);
	outb(0x21, 0xfa);
	rtc_begin();
	take_interrupts(SPINS * 2);
	rtc_end();
	return NULL;
}

static void set_alarm(u32 flags, u64 expiry, u64 period)
{
	vmi5(VMI_CALL_SetAlarm, flags, (u32)expiry, (u32)(expiry >> 32), (u32)period,
	     (u32)(period >> 32));
}

const char *case_alarms(void)
{
	static const u32 flags[] = {
		0, 0x100, 0x10000, 0x10100, 1, 0x101, 0x10001, 0x10101, 2, 0x102, 0xff, 0xffffffff,
	};
	static const u64 numbers[] = { 0, 1, 2, 1000, 0x80000000ull, 1ull << 63, ~0ull };
	u32 i, k, n = ARRAY_SIZE(numbers);

	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		for (k = 0; k < n * n; k++) {
			set_alarm(flags[i], numbers[k / n], numbers[k % n]);
			take_interrupts(50);
			vmi(VMI_CALL_CancelAlarm, flags[i], 0, 0);
		}
	}
	apic_reset();
	return NULL;
}

/* An interrupt for each cycle: the guest has to come to its senses, still. */
const char *case_alarm_storm(void)
{
	u64 now = vmi(VMI_CALL_GetCycleCounter, 0, 0, 0);

	set_alarm(VMI_ALARM_PERIODIC, now, 1);
	take_interrupts(STORM);
	vmi(VMI_CALL_CancelAlarm, VMI_ALARM_PERIODIC, 0, 0);
	apic(APIC_LVTT, VECTOR_LVTT);
	set_alarm(VMI_ALARM_PERIODIC | VMI_ALARM_WIRED_LVTT, now, 1);
	take_interrupts(STORM);
	vmi(VMI_CALL_CancelAlarm, VMI_ALARM_PERIODIC, 0, 0);
	apic_reset();
	return NULL;
}

/* Strings of port I/O. */
static const char *port_string(enum vmi_call nr, u32 address, u32 count)
{
	struct invoke c = {
		.target = targets[nr], .edx = 0x80, .ecx = count, .esi = address, .edi = address,
	};

	invoke(&c);
	return "it was done";
}

const char *case_ins_hole(void)
{
	return port_string(VMI_CALL_INSB, MON_VCPU, 16);
}

const char *case_outs_hole(void)
{
	return port_string(VMI_CALL_OUTSL, MON_MEMORY, 16);
}

const char *case_ins_monitor(void)
{
	return port_string(VMI_CALL_INSL, (u32)map(1, mon_base, PTE_ALL), 16);
}

const char *case_outs_monitor(void)
{
	return port_string(VMI_CALL_OUTSB, (u32)map(1, mon_base, PTE_ALL), 16);
}

const char *case_ins_readonly(void)
{
	return port_string(VMI_CALL_INSW, (u32)map(1, phys(big_area), PTE_P | PTE_US), 16);
}

const char *case_ins_huge(void)
{
	map(2, 0, 0);
	return port_string(VMI_CALL_INSB, (u32)map(1, phys(big_area), PTE_ALL), 0xffffffff);
}

const char *case_outs_wraps(void)
{
	return port_string(VMI_CALL_OUTSL, HOLE - 6, 0x80000000);
}

static void ins_native(void)
{
	asm volatile("rep insb" : : "D" (at), "c" (value), "d" (0x80) : "memory");
}

static void outs_native(void)
{
	asm volatile("rep outsl" : : "S" (at), "c" (value), "d" (0x80) : "memory");
}

/* The instructions: a fault, as for any other access. */
const char *case_strings_native(void)
{
	static const u32 places[] = { MON_VCPU, MON_MEMORY, MON_GDT, HOLE - 2, SPARE, 0xfffffffe };
	u32 i;

	vmi(VMI_CALL_SetIOPLMask, 3 << VMI_IOPL_SHIFT, 0, 0);
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		at = places[i];
		value = 0xffffffff;
		EXPECT(attempt(ins_native), "INS into the hole did something");
		EXPECT(attempt(outs_native), "OUTS from the hole did something");
		EXPECT(attempt_user(ins_native), "INS of ring 3 into the hole did something");
		EXPECT(attempt_user(outs_native), "OUTS of ring 3 from the hole did something");
	}
	return NULL;
}

/* Memory of the BIOS's system management mode: a way around everybody. */
const char *case_smram(void)
{
	u32 before;

	outl(0xcf8, 0x80000070);
	before = inb(0xcfe);
	outb(0xcfe, before | 0x40);
	EXPECT(!(inb(0xcfe) & 0x40), "memory of system management mode can be opened");
	return NULL;
}

/* The same where memory ends behind the devices. */
const char *case_lapic_as_table_big(void)
{
	EXPECT(memory_frames > LAPIC >> 12, "memory ends below the devices");
	return case_lapic_as_table();
}

/* Pages below 1 MiB that other CPUs start in: ring 1 may read them. */
#define LOW_BYTES	(LOW_PAGES * 4096)

static u32 low_pages(void)
{
	return rom_base + load(rom_base + 0x24);
}

static const char *write_low(u32 address)
{
	store(address, 0xf4f4f4f4);
	return "the pages that CPUs start in were written";
}

const char *case_low_write(void)
{
	return write_low(low_pages() + 0x10);
}

const char *case_low_write_alias(void)
{
	return write_low((u32)map(1, (low_pages() - KERNEL + 0x1000) & ~4095u, PTE_ALL));
}

const char *case_low_user(void)
{
	at = low_pages() + LOW_BYTES - 4;
	value = 0;
	return attempt_user(do_write) ? "a fault" : "a user wrote there";
}

static u32 low_sum(void)
{
	u32 i, sum = 0;

	for (i = 0; i < LOW_BYTES; i += 4)
		sum = (sum << 1 | sum >> 31) ^ load(low_pages() + i);
	return sum;
}

/* As page tables: accessed and dirty bits would be written into their code. */
const char *case_low_as_table(void)
{
	u32 i, page_number, before = low_sum();

	for (page_number = 0; page_number < LOW_PAGES; page_number++) {
		map_directory(SPARE, (low_pages() - KERNEL + page_number * 4096) | PTE_ALL);
		for (i = 0; i < large_size() / 4096; i++) {
			at = SPARE + i * 4096;
			attempt(do_read);
			attempt_user(do_read);
		}
	}
	map_directory(SPARE, 0);
	EXPECT(low_sum() == before, "the pages that CPUs start in have changed");
	return NULL;
}

const char *case_low_as_directory(void)
{
	u32 i, before = low_sum();

	for (i = 0; i < LOW_PAGES; i++) {
		((volatile u64 *)pdpt)[1] = (low_pages() - KERNEL + i * 4096) | PTE_P;
		vmi(VMI_CALL_SetCR3, phys(pdpt), 0, 0);
		for (at = 0x40000000; at < 0x80000000; at += 0x200000)
			attempt(do_read);
	}
	((volatile u64 *)pdpt)[1] = 0;
	vmi(VMI_CALL_SetCR3, phys(pdpt), 0, 0);
	EXPECT(low_sum() == before, "the pages that CPUs start in have changed");
	return NULL;
}

const char *case_low_as_root(void)
{
	vmi(VMI_CALL_SetCR3, low_pages() - KERNEL, 0, 0);
	return "it runs on";
}
