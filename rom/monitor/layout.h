/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The monitor's address space and selectors.
 *
 * Owns: every linear address in the hole, the GDT's second page, vectors.
 * Not here: what lies there (`monitor.h`), guest memory.
 * Runs: nowhere; included by C, assembly and the linker script.
 * Fails: -
 *
 * The hole begins with what ring 1 may see: its code, read-only, and a page of
 * data for each vCPU. Segment limits end behind these. The first 2 MiB are
 * private to a vCPU, so that its own things have fixed addresses; the reserved
 * memory follows as a whole, for all of them.
 */
#ifndef _MONITOR_LAYOUT_H
#define _MONITOR_LAYOUT_H

#define PAGE_SIZE	4096

#define HOLE		0xfc000000	/* virtual_top */
#define RING1_CODE	0xfc000000
#define RING1_DATA	0xfc001000
#define RING1_FILTER	0xfc002000
#define RING1_END	0xfc003000	/* what segment limits cut off */
#define MON_GDT		0xfc008000	/* read-only, as the three below */
#define MON_GDT_PAGES	2
#define MON_IDT		0xfc00a000
#define MON_TSS		0xfc00b000
#define MON_VCPU	0xfc010000	/* struct vcpu, then the ring-0 stack */
#define MON_VCPU_PAGES	4
#define MON_LAPIC	0xfc018000
#define MON_IOAPIC	0xfc019000
#define MON_LDT		0xfc020000	/* read-only */
#define MON_LDT_PAGES	16
#define MON_WINDOW	0xfc100000	/* guest frames come and go here */
#define MON_WINDOWS	256
#define MON_MEMORY	0xfc400000	/* the reserved memory */

#define MON_STACK_TOP	(MON_VCPU + MON_VCPU_PAGES * PAGE_SIZE)

/* GDT: the first page is the guest's, the second ours. */
#define GUEST_GDT_LIMIT	0xfff
#define SEL_CODE0	0x1008
#define SEL_DATA0	0x1010
#define SEL_TSS0	0x1018
#define SEL_CODE1	0x1021		/* for a guest without a code segment */
#define SEL_STACK16	0x1028		/* for a return to a stack of 16 bits */
#define MON_GDT_LIMIT	(0x1030 - 1)

#define VECTORS		256
#define VECTOR_CALL	0x1f		/* ring 1 enters by it */
#define FIRST_INTERRUPT	0x1f		/* exceptions are below */

/* Low data pages (common/data.h), used until the monitor has its own tables. */
#define LOW_DIR		0x1000
#define LOW_TABLE	0x2000
#define LOW_PDPT	0x3000

#define LOW_PAGES	5

#define AP_ENTRY	8		/* offset in the image */
#define MAX_VCPUS	8

#endif /* _MONITOR_LAYOUT_H */
