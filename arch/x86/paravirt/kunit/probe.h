/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls an op with registers of the test's choice and says what it changed.
 *
 * Owns: the numbers of the registers, the probe that each test of an op gets, the
 *       prototypes of those tests.
 * Not here: the registers themselves (`call.S`), the tests (`test_*.c`).
 * Context: one test at a time; a call may run with IRQs off, a check may sleep.
 */
#ifndef _PV_KUNIT_PROBE_H
#define _PV_KUNIT_PROBE_H

#define PV_REG_EAX	0
#define PV_REG_EDX	1
#define PV_REG_ECX	2
#define PV_REG_EBX	3
#define PV_REG_ESI	4
#define PV_REG_EDI	5
#define PV_REG_EBP	6
#define PV_REG_ESP	7
#define PV_REG_DS	8
#define PV_REG_ES	9
#define PV_REG_FS	10
#define PV_REG_GS	11
#define PV_REG_SS	12
#define PV_REG_EFLAGS	13
#define PV_NR_REGS	14

#ifndef __ASSEMBLY__

#include <kunit/test.h>
#include "../ops.h"

/**
 * struct pv_probe - one op under test
 * @test: for expectations
 * @nr: number of the slot
 * @save: the slot is SAVE, not STD
 * @result: PV_RESULT_*
 * @params: how many arguments the list declares
 * @may_change_if: set by the test of an op whose job is the interrupt flag
 * @out: registers after the last call
 * @calls: so far
 * @wrong_args: a call had another number of arguments than the list says
 * @changed: registers that a call changed and had to keep, a bit each
 */
struct pv_probe {
	struct kunit *test;
	u8 nr;
	bool save;
	u8 result;
	u8 params;
	bool may_change_if;
	u32 out[PV_NR_REGS];
	unsigned int calls;
	bool wrong_args;
	u32 changed;
};

/* One per op: one that is forgotten does not link. */
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	void pv_test_##group##_##slot(struct pv_probe *p);
#include <asm/pv_list.h>

void pv_probe_run(struct pv_probe *p, void (*run)(struct pv_probe *p));

/* pv_call(p, args...): EDX:EAX. Arguments are 32 bits wide: cast pointers. */
#define pv_call(p, ...)							\
	__pv_call(p, PV_NR_ARGS(__VA_ARGS__), (const u32 [3]) { __VA_ARGS__ })
#define PV_NR_ARGS(...)		(sizeof((u32 []) { __VA_ARGS__ }) / sizeof(u32))

/* Read and written by `call.S`. */
extern u32 pv_call_in[PV_NR_REGS], pv_call_out[PV_NR_REGS];
extern void *pv_call_target;

u64 __pv_call(struct pv_probe *p, unsigned int nr_args, const u32 *args);
u64 pv_call_regs(struct pv_probe *p, u32 eax, u32 edx, u32 ecx, u32 may_change);
void pv_call_iret(struct pv_probe *p, u32 eflags);

bool pv_is_native(const struct pv_probe *p);
bool pv_at_ring0(void);
bool pv_irqs_on(void);

/* Scratch memory (`scratch.c`). */
enum pv_level { PV_LEVEL_NONE, PV_LEVEL_PTE, PV_LEVEL_PMD };

void *pv_page_get(struct pv_probe *p, enum pv_level level);
void pv_page_put(void *page, enum pv_level level);
bool pv_zero_but(const void *page, const void *from, size_t len);
struct mm_struct *pv_mm_get(struct pv_probe *p);

#endif /* __ASSEMBLY__ */
#endif /* _PV_KUNIT_PROBE_H */
