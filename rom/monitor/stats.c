// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the monitor did, in numbers.
 *
 * Owns: the table of emulated instructions, the printed form of all counters.
 * Not here: the counters themselves, beside what they count.
 * Runs: counting at any time; printing on request (port 0xE8) and at the end.
 * Fails: instructions beyond the table are counted as one row with address 0.
 */
#include "monitor.h"

#define ROWS	256

static struct row {
	const char *kind;
	u32 eip, count;
} rows[ROWS];

static u32 stats_lock;

/**
 * count_emulation() - an instruction was executed for the guest
 * @kind: its name, a constant string
 * @eip: its address
 */
void count_emulation(const char *kind, u32 eip)
{
	struct row *row;
	u32 i;

	lock(&stats_lock);
	for (i = 0; i < ROWS; i++) {
		row = &rows[(eip + i) % ROWS];
		if (!row->kind || (row->eip == eip && row->kind == kind))
			break;
	}
	row->kind = kind;
	row->eip = eip;
	row->count++;
	unlock(&stats_lock);
}

static void line(const char *group, const char *name, u32 count)
{
	if (!count)
		return;
	print("vmi-stat: ");
	print(group);
	print(" ");
	print(name);
	print(" ");
	print_dec(count);
	print("\n");
}

static void numbered(const char *group, u32 number, u32 count)
{
	if (!count)
		return;
	print("vmi-stat: ");
	print(group);
	print(" ");
	print_dec(number);
	print(" ");
	print_dec(count);
	print("\n");
}

static void print_vcpu(const struct vcpu *v)
{
	const u32 *ring1_calls = (const u32 *)((u32)v->page1 + (R1_COUNTS - RING1_DATA));
	u32 i;

	print("vmi-stat: begin ");
	print_dec(v->number);
	print("\n");
	for (i = 0; i < VMI_CALL_NR; i++)
		numbered("call", i, ring1_calls[i] ? ring1_calls[i] : v->calls[i]);
	for (i = 0; i < VMI_CALL_NR; i++)
		numbered("ring0", i, v->calls[i]);
	for (i = 0; i < VMI_CALL_NR; i++)
		numbered("call-cycles", i, v->call_cost[i]);
	for (i = 0; i < ARRAY_SIZE(v->trap_cost); i++)
		numbered("trap-cycles", i, v->trap_cost[i]);
	for (i = 0; i < VECTORS; i++)
		numbered("irq", i, v->irqs[i]);
	line("fault", "hidden", v->hidden);
	line("fault", "delivered", v->reflected);
	line("fault", "segment", v->flips);
	line("entry", "trap", v->entries);
	line("entry", "queue-flush", v->queue_flushes);
	line("entry", "queued", v->queued);
}

static void print_rows(void)
{
	u32 i;

	for (i = 0; i < ROWS; i++) {
		if (!rows[i].count)
			continue;
		print("vmi-stat: emul ");
		print(rows[i].kind);
		print(" ");
		print_hex(rows[i].eip);
		print(" ");
		print_dec(rows[i].count);
		print("\n");
	}
}

/**
 * stats_print() - one block of lines for each vCPU
 */
void stats_print(void)
{
	u32 i, first = 1;

	for (i = 0; i < MAX_VCPUS; i++) {
		if (!vcpus[i] || vcpus[i]->online == VCPU_ABSENT)
			continue;
		print_vcpu(vcpus[i]);
		if (first) {
			print_rows();
			shadow_stats();
		}
		first = 0;
		print("vmi-stat: end\n");
	}
}

/**
 * stats_reset() - all counts but those of what is there become 0
 */
void stats_reset(void)
{
	struct vcpu *v;
	u32 i;

	lock(&stats_lock);
	memset(rows, 0, sizeof(rows));
	unlock(&stats_lock);
	for (i = 0; i < MAX_VCPUS; i++) {
		v = vcpus[i];
		if (!v)
			continue;
		memset(v->calls, 0, sizeof(v->calls));
		memset(v->irqs, 0, sizeof(v->irqs));
		memset(v->call_cost, 0, sizeof(v->call_cost));
		memset(v->trap_cost, 0, sizeof(v->trap_cost));
		memset((u8 *)v->page1 + (R1_COUNTS - RING1_DATA), 0,
		       VMI_CALL_NR * 4);
		v->entries = v->hidden = v->reflected = v->flips = 0;
		v->queue_flushes = v->queued = 0;
	}
}
