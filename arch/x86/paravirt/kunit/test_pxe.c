// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the mmu ops on page-table entries.
 *
 * Each works on one entry of a table that is announced but in no address space. The
 * entry must have the expected value afterwards and the rest of the page be zero.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <asm/pgtable.h>
#include "probe.h"

#ifdef CONFIG_X86_PAE
typedef u64 entry_t;
/* Not present, so that any bits are good: both halves, the last bit, no bit twice. */
#define ABSENT		0x8123456789abcdeeull
#define ARG(val)	lower_32_bits(val), (u32)((u64)(val) >> 32)
#else
typedef u32 entry_t;
#define ABSENT		0x89abcdeeu
#define ARG(val)	(u32)(val)
#endif

#define INDEX		5

/**
 * struct slot - one entry under test
 * @p: the probe
 * @level: of the table
 * @table: the page
 * @entry: inside it
 */
struct slot {
	struct pv_probe *p;
	enum pv_level level;
	entry_t *table;
	entry_t *entry;
};

static struct slot slot_get(struct pv_probe *p, enum pv_level level)
{
	struct slot s = { .p = p, .level = level };

	s.table = pv_page_get(p, level);
	s.entry = &s.table[INDEX];
	return s;
}

/* A present entry, writable and accessed, that maps the table itself. */
static entry_t present(const struct slot *s)
{
	return __pa(s->table) | _PAGE_TABLE;
}

static void set_up(const struct slot *s, entry_t val)
{
	if (s->level == PV_LEVEL_PMD)
		set_pmd((pmd_t *)s->entry, __pmd(val));
	else
		set_pte((pte_t *)s->entry, __pte(val));
}

static void expect(const struct slot *s, entry_t val)
{
	KUNIT_EXPECT_EQ(s->p->test, (u64)*s->entry, (u64)val);
	KUNIT_EXPECT_TRUE(s->p->test, pv_zero_but(s->table, s->entry, sizeof(*s->entry)));
}

static void put(const struct slot *s)
{
	set_up(s, 0);
	pv_page_put(s->table, s->level);
}

static void write_entry(struct pv_probe *p, enum pv_level level)
{
	struct slot s = slot_get(p, level);

	pv_call(p, (u32)s.entry, ARG(ABSENT));
	expect(&s, ABSENT);
	pv_call(p, (u32)s.entry, ARG(present(&s)));
	expect(&s, present(&s));
	pv_call(p, (u32)s.entry, ARG(0));
	expect(&s, 0);
	put(&s);
}

void pv_test_mmu_set_pte(struct pv_probe *p)
{
	write_entry(p, PV_LEVEL_PTE);
}

void pv_test_mmu_set_pte_atomic(struct pv_probe *p)
{
	write_entry(p, PV_LEVEL_PTE);
}

void pv_test_mmu_set_pmd(struct pv_probe *p)
{
	write_entry(p, PV_LEVEL_PMD);
}

static void clear_entry(struct pv_probe *p, enum pv_level level)
{
	struct slot s = slot_get(p, level);

	set_up(&s, ABSENT);
	pv_call(p, (u32)s.entry);
	expect(&s, 0);
	set_up(&s, present(&s));
	pv_call(p, (u32)s.entry);
	expect(&s, 0);
	put(&s);
}

void pv_test_mmu_pte_clear(struct pv_probe *p)
{
	clear_entry(p, PV_LEVEL_PTE);
}

/* Only the writable bit goes. */
static void wrprotect(struct pv_probe *p, enum pv_level level)
{
	struct slot s = slot_get(p, level);
	entry_t all = present(&s) | _PAGE_DIRTY | _PAGE_GLOBAL;

	set_up(&s, all);
	pv_call(p, (u32)s.entry);
	expect(&s, all & ~(entry_t)_PAGE_RW);
	put(&s);
}

void pv_test_mmu_ptep_set_wrprotect(struct pv_probe *p)
{
	wrprotect(p, PV_LEVEL_PTE);
}

void pv_test_mmu_pmdp_set_wrprotect(struct pv_probe *p)
{
	wrprotect(p, PV_LEVEL_PMD);
}

/* Only the accessed bit goes, and the result tells whether it was there. */
static void clear_young(struct pv_probe *p, enum pv_level level)
{
	struct slot s = slot_get(p, level);
	entry_t old = present(&s) & ~(entry_t)_PAGE_ACCESSED;
	bool was_young, is_young;

	set_up(&s, old | _PAGE_ACCESSED);
	was_young = (u32)pv_call(p, (u32)s.entry);
	expect(&s, old);
	is_young = (u32)pv_call(p, (u32)s.entry);
	expect(&s, old);
	put(&s);

	KUNIT_EXPECT_TRUE(p->test, was_young);
	KUNIT_EXPECT_FALSE(p->test, is_young);
}

void pv_test_mmu_ptep_test_and_clear_young(struct pv_probe *p)
{
	clear_young(p, PV_LEVEL_PTE);
}

void pv_test_mmu_pmdp_test_and_clear_young(struct pv_probe *p)
{
	clear_young(p, PV_LEVEL_PMD);
}

#ifdef CONFIG_X86_PAE
void pv_test_mmu_pmd_clear(struct pv_probe *p)
{
	clear_entry(p, PV_LEVEL_PMD);
}

static void get_and_clear(struct pv_probe *p, enum pv_level level)
{
	struct slot s = slot_get(p, level);

	set_up(&s, ABSENT);
	KUNIT_EXPECT_EQ(p->test, pv_call(p, (u32)s.entry), (u64)ABSENT);
	expect(&s, 0);
	set_up(&s, present(&s));
	KUNIT_EXPECT_EQ(p->test, pv_call(p, (u32)s.entry), present(&s));
	expect(&s, 0);
	put(&s);
}

void pv_test_mmu_ptep_get_and_clear(struct pv_probe *p)
{
	get_and_clear(p, PV_LEVEL_PTE);
}

void pv_test_mmu_pmdp_get_and_clear(struct pv_probe *p)
{
	get_and_clear(p, PV_LEVEL_PMD);
}

/* To an absent entry and to a present one: natively two ways. */
void pv_test_mmu_pmdp_establish(struct pv_probe *p)
{
	struct slot s = slot_get(p, PV_LEVEL_PMD);

	set_up(&s, present(&s));
	KUNIT_EXPECT_EQ(p->test, pv_call(p, (u32)s.entry, ARG(ABSENT)), present(&s));
	expect(&s, ABSENT);
	KUNIT_EXPECT_EQ(p->test, pv_call(p, (u32)s.entry, ARG(present(&s))), (u64)ABSENT);
	expect(&s, present(&s));
	put(&s);
}

/*
 * An entry of a real root, since with page-table isolation a root has a companion.
 * Natively what a PAE root cannot hold is cut off.
 */
void pv_test_mmu_set_pud(struct pv_probe *p)
{
	struct mm_struct *mm = pv_mm_get(p);
	u64 *entry = (u64 *)mm->pgd, old = *entry, next = entry[1], zero;

	pv_call(p, (u32)entry, 0, 0);
	zero = *entry;
	pv_call(p, (u32)entry, ARG(old));
	KUNIT_EXPECT_EQ(p->test, zero, 0ull);
	KUNIT_EXPECT_EQ(p->test, *entry, old);
	KUNIT_EXPECT_EQ(p->test, entry[1], next);

	pv_call(p, (u32)entry, ARG(ABSENT & PGD_ALLOWED_BITS));
	KUNIT_EXPECT_EQ(p->test, *entry, (u64)(ABSENT & PGD_ALLOWED_BITS));
	pv_call(p, (u32)entry, ARG(old));
	mmput(mm);
}
#else
static void exchange(struct pv_probe *p, enum pv_level level)
{
	struct slot s = slot_get(p, level);

	set_up(&s, present(&s));
	KUNIT_EXPECT_EQ(p->test, (u32)pv_call(p, ABSENT, (u32)s.entry), present(&s));
	expect(&s, ABSENT);
	KUNIT_EXPECT_EQ(p->test, (u32)pv_call(p, 0, (u32)s.entry), ABSENT);
	expect(&s, 0);
	put(&s);
}

void pv_test_mmu_ptep_xchg(struct pv_probe *p)
{
	exchange(p, PV_LEVEL_PTE);
}

void pv_test_mmu_pmdp_xchg(struct pv_probe *p)
{
	exchange(p, PV_LEVEL_PMD);
}
#endif
