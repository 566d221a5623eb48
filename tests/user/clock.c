// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading clocks.
 *
 * Owns: the system-call clock, and finding the vDSO's one.
 * Not here: what a clock must show (`t_time.c`).
 * Runs: anywhere.
 * Fails: through `fail()` when a clock cannot be read.
 */
#include "pvtest.h"
#include <elf.h>
#include <sys/auxv.h>
#include <time.h>

/**
 * now_ns() - read a clock by system call
 * @clock: CLOCK_MONOTONIC and so on
 * Return: nanoseconds.
 */
uint64_t now_ns(int clock)
{
	struct timespec ts;

	if (syscall(SYS_clock_gettime, clock, &ts))
		fail("clock_gettime(%d): %s", clock, strerror(errno));
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/* The dynamic section's value for @tag, as an address in the mapped image. */
static const void *dyn_find(const char *base, const Elf32_Dyn *dyn, int tag)
{
	for (; dyn->d_tag != DT_NULL; dyn++)
		if (dyn->d_tag == tag)
			return base + dyn->d_un.d_ptr;
	return NULL;
}

/**
 * vdso_clock_gettime() - the vDSO's clock function
 * Return: NULL when there is no vDSO or it has no such function.
 */
clock_fn vdso_clock_gettime(void)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const Elf32_Ehdr *eh = (const void *)base;
	const Elf32_Phdr *ph = base ? (const void *)(base + eh->e_phoff) : NULL;
	const Elf32_Dyn *dyn = NULL;
	const Elf32_Word *hash;
	const Elf32_Sym *sym;
	const char *str;
	unsigned int i;

	for (i = 0; base && i < eh->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(base + ph[i].p_offset);
	if (!dyn)
		return NULL;
	hash = dyn_find(base, dyn, DT_HASH);
	sym = dyn_find(base, dyn, DT_SYMTAB);
	str = dyn_find(base, dyn, DT_STRTAB);
	for (i = 0; hash && sym && str && i < hash[1]; i++)
		if (!strcmp(str + sym[i].st_name, "__vdso_clock_gettime"))
			return (clock_fn)(base + sym[i].st_value);
	return NULL;
}
