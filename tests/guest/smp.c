// SPDX-License-Identifier: GPL-2.0-only
/*
 * What processors do to each other once they run.
 *
 * Owns: a processor that serves: it runs what the boot CPU gives it.
 * Not here: starting it and its registers (`ap.c`).
 * Runs: CPU 1 serves until it is told to stop; the boot CPU waits with IF=0.
 * Fails: a text per row; a processor that does not answer in 20 s is one, too.
 */
#include "clock.h"
#include "habit.h"

#define WAIT_CYCLES	20000000000ull
#define VECTOR_IPI	0x48
#define LAPIC_ICR_LOW	0x300
#define LAPIC_ICR_HIGH	0x310
#define LAPIC_SVR	0x0f0
#define ENABLED		0x1ff

static const char *(*volatile work)(void);
static const char *volatile answer;
static volatile u32 done, serving;
extern volatile u32 ipi_count;
extern const char int_ipi[];

/* On the AP, as its first action what guests of old do. */
void ap_serve(void)
{
	const char *(*fn)(void);

	vmi5(VMI_CALL_SetLinearMapping, VMI_LINEAR_MAP_LOWMEM, GUEST_OFFSET, 64 << 8, 0, 0);
	vmi(VMI_CALL_APICWrite, LAPIC_SVR, ENABLED, 0);
	irq_on();
	serving = 1;
	for (;;) {
		while (!work)
			asm volatile("pause");
		fn = work;
		work = NULL;
		if (fn == ap_stop_serving)
			break;
		answer = fn();
		done = 1;
	}
	irq_off();
	serving = 0;
}

const char *ap_stop_serving(void)
{
	return NULL;
}

static int wait_until(volatile u32 *flag)
{
	u64 end = rdtsc() + WAIT_CYCLES;

	while (!*flag && rdtsc() < end)
		asm volatile("pause");
	return *flag != 0;
}

/* Runs @fn on CPU 1 and says what it says. */
static const char *on_ap(const char *(*fn)(void))
{
	done = 0;
	work = fn;
	return wait_until(&done) ? answer : "CPU 1 does not answer";
}

static const char *t_serve(void)
{
	set_gate(VECTOR_IPI, int_ipi, 0);
	vmi5(VMI_CALL_WriteIDTEntry, (u32)idt, VECTOR_IPI, idt[VECTOR_IPI][0],
	     idt[VECTOR_IPI][1], 0);
	ap_served = 1;
	CHECK(!ap_launch(1), "not started");
	CHECK(wait_until(&serving), "does not serve");
	return NULL;
}

static void ipi(u32 id)
{
	vmi(VMI_CALL_APICWrite, LAPIC_ICR_HIGH, id << 24, 0);
	vmi(VMI_CALL_APICWrite, LAPIC_ICR_LOW, 0x4000 | VECTOR_IPI, 0);
}

static const char *wait_ipis(u32 n)
{
	u64 end = rdtsc() + WAIT_CYCLES;

	while (ipi_count < n && rdtsc() < end)
		asm volatile("pause");
	return ipi_count == n ? NULL : "not as many as were sent";
}

static const char *t_ipi(void)
{
	const char *why;
	u32 i;

	ipi_count = 0;
	for (i = 1; i <= 20; i++) {
		ipi(1);
		why = wait_ipis(i);
		CHECK(!why, why);
	}
	return NULL;
}

static const char *halt_work(void)
{
	u32 before = ipi_count;

	vmi(VMI_CALL_Halt, 0, 0, 0);
	return ipi_count == before ? "Halt came back without an interrupt" : NULL;
}

/* A halted processor wakes by an interrupt of another. */
static const char *t_halt(void)
{
	u64 later;

	done = 0;
	work = halt_work;
	later = rdtsc() + ms(20);
	while (rdtsc() < later)
		asm volatile("pause");
	CHECK(!done, "does not sleep");
	ipi(1);
	CHECK(wait_until(&done), "does not wake");
	return answer;
}

static u32 expected;

static const char *read_window(void)
{
	u32 seen = *(volatile u32 *)WINDOW_TEST;

	return seen == mark_of(expected) ? NULL : "reads another page";
}

static const char *flush_and_read(void)
{
	inval(WINDOW_TEST);
	return read_window();
}

static const char *flush_window(void)
{
	inval(WINDOW_TEST);
	return NULL;
}

/* A mapping that one CPU changes and the other flushes: a shootdown. */
static const char *t_shootdown(void)
{
	const char *why;
	u32 i;

	for (i = 0; i < 8; i++) {
		expected = i;
		entry_set(window_entry(WINDOW_TEST), leaf_of(i),
			  VMI_PAGE_PT | VMI_PTE_CURRENT_AS | WINDOW_TEST);
		inval(WINDOW_TEST);
		why = on_ap(flush_and_read);
		CHECK(!why, why);
		CHECK(reads(WINDOW_TEST, i), "the boot CPU reads another page");
	}
	map(WINDOW_TEST, 0);
	why = on_ap(flush_window);
	CHECK(!why, why);
	expected = 5;
	entry_set(window_entry(WINDOW_TEST), leaf_of(5), VMI_PAGE_PT);
	return on_ap(read_window);	/* new where nothing was: no flush is needed */
}

/* In lazy mode: what was queued is done when the mode is left. */
static const char *t_lazy(void)
{
	expected = 6;
	vmi(VMI_CALL_SetLazyMode, VMI_LAZY_MMU, 0, 0);
	entry_set(window_entry(WINDOW_TEST), leaf_of(6), VMI_PAGE_PT | VMI_PTE_DEFER);
	vmi(VMI_CALL_SetLazyMode, VMI_LAZY_OFF, 0, 0);
	return on_ap(flush_and_read);
}

static struct root other;

static const char *other_root(void)
{
	u32 seen;

	root_load(&other);
	seen = *(volatile u32 *)BIG;
	root_home();
	return seen == mark_of(3) ? NULL : "reads another page there";
}

/* An address space of one CPU that the other takes over. */
static const char *t_root(void)
{
	u32 *t = scratch(30);
	const char *why;
	int good;

	other = root_make(28);
	clear_page(t);
	entry_write(entry_at(t, 0), leaf_of(3));
	entry_write(root_entry_of(&other, BIG), pa(t) | TABLE);
	page_announce(other.top, VMI_PAGE_PD | PAE_FLAG);
	root_load(&other);
	good = reads(BIG, 3);
	why = on_ap(other_root);
	good &= reads(BIG, 3);
	root_home();
	page_release(other.top, VMI_PAGE_PD | PAE_FLAG);
	CHECK(good, "the boot CPU lost it");
	return why;
}

static const char *time_work(void)
{
	u64 e0 = now() + ms(5);
	u32 start = lvtt_count;

	vmi(VMI_CALL_APICWrite, LVTT, VECTOR_LVTT, 0);
	vmi5(VMI_CALL_SetAlarm, VMI_ALARM_WIRED_LVTT | VMI_ALARM_PERIODIC, (u32)e0,
	     (u32)(e0 >> 32), (u32)ms(5), 0);
	while (lvtt_count - start < 4 && now() < e0 + ms(TIMEOUT_MS))
		asm volatile("pause");
	CHECK((u32)vmi(VMI_CALL_CancelAlarm, VMI_ALARM_WIRED_LVTT, 0, 0) == 1, "was not armed");
	CHECK(lvtt_count - start >= 4, "did not fire");
	CHECK(now() >= e0 + 3 * ms(5), "fired early");
	return NULL;
}

/* Each CPU has its alarms; the boot CPU's are not touched. */
static const char *t_alarm(void)
{
	u64 expiry = now() + ms(2000);
	const char *why;

	if (!khz)
		return "# SKIP needs 66 and 68";
	vmi5(VMI_CALL_SetAlarm, VMI_CYCLES_REAL, (u32)expiry, (u32)(expiry >> 32), 0, 0);
	why = on_ap(time_work);
	CHECK((u32)vmi(VMI_CALL_CancelAlarm, VMI_CYCLES_REAL, 0, 0) == 1 || now() >= expiry,
	      "the boot CPU's alarm is gone");
	return why;
}

static const char *t_stop(void)
{
	u64 end = rdtsc() + WAIT_CYCLES;

	work = ap_stop_serving;
	while (serving && rdtsc() < end)
		asm volatile("pause");
	ap_served = 0;
	CHECK(!serving, "goes on");
	return NULL;
}

static const struct test tests[] = {
	{ "CPU 1 serves", t_serve },
	{ "63 APICWrite: IPIs", t_ipi },
	{ "35 Halt: woken by an IPI", t_halt },
	{ "38, 39: seen by the other CPU", t_shootdown },
	{ "73: lazy mode, seen by the other CPU", t_lazy },
	{ "17: an address space on two CPUs", t_root },
	{ "68 SetAlarm: on the other CPU", t_alarm },
	{ "CPU 1 stops", t_stop },
};

const struct test_group serve_tests = { tests, ARRAY_SIZE(tests), NULL,
	VMI_CALL_SetInitialAPState };
