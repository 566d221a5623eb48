// SPDX-License-Identifier: GPL-2.0-only
/*
 * Patches the sites.
 *
 * Owns: `noreplace-paravirt`, the books on what became of every site, the summary line.
 * Not here: the bytes (`encode.c`); walking and writing the sites (stock
 *           apply_paravirt(), once at boot and for each module).
 * Fails: a site that cannot be patched is left as built, which is right, if slower.
 */
#define pr_fmt(fmt) "paravirt: " fmt

#include <linux/cache.h>
#include <linux/init.h>
#include <linux/printk.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <asm/tsc.h>
#include "ops.h"

unsigned int pv_site_count[PV_NR_OPS][PV_NR_PATCH];

static bool noreplace __ro_after_init;
/* When the first and the last built-in site were done. */
static u64 first_tsc __ro_after_init, last_tsc __ro_after_init;

static int __init setup_noreplace(char *arg)
{
	noreplace = true;
	return 0;
}
early_param("noreplace-paravirt", setup_noreplace);

static void pv_target_of(u8 nr, struct pv_target *to)
{
	const struct pv_op_info *op = &pv_op_info[nr];
	const void *entry = ((void **)&pv_ops)[nr];

	to->form = op->form;
	to->native = entry == op->native;
	to->nop = entry == (void *)_paravirt_nop;
	to->insns = op->native;
	to->insns_len = op->end ? op->end - op->native : 0;
	to->addr = (u32)entry;
}

/**
 * paravirt_patch() - give a site its final form
 * @type: number of the op, from the site's record
 * @insn_buff: the site's bytes as built on entry, as to be written on return
 * @addr: linear address of the site
 * @len: bytes of the site
 *
 * Context: boot CPU before others run, or the loader of a module that does not yet.
 * Return: bytes used, always @len: padding is ours.
 */
unsigned int paravirt_patch(u8 type, void *insn_buff, unsigned long addr, unsigned int len)
{
	enum pv_patch how = PV_PATCH_INDIRECT;
	struct pv_target to;

	if (WARN_ONCE(type >= PV_NR_OPS, "paravirt: site %lx names op %u, the last is %zu\n",
		      addr, type, PV_NR_OPS - 1))
		return len;

	pv_target_of(type, &to);
	/* A guest that cleared a slot would have crashed at its first call. */
	if (IS_ENABLED(CONFIG_PARAVIRT_DEBUG))
		BUG_ON(!to.addr);

	if (!noreplace && to.addr)
		how = pv_encode_site(insn_buff, len, addr, &to);
	pv_site_count[type][how]++;

	/* Built-in sites only: a module may come when the times are read-only. */
	if (system_state == SYSTEM_BOOTING && boot_cpu_has(X86_FEATURE_TSC)) {
		last_tsc = rdtsc();
		if (!first_tsc)
			first_tsc = last_tsc;
	}
	return len;
}

static unsigned int __init pv_sites(enum pv_patch how)
{
	unsigned int nr, sum = 0;

	for (nr = 0; nr < PV_NR_OPS; nr++)
		sum += pv_site_count[nr][how];
	return sum;
}

static const char *__init pv_backend_name(void)
{
	return strcmp(pv_info.name, "bare hardware") ? pv_info.name : "native";
}

/* One line for the log, once timekeeping knows how long a tick is. */
static int __init pv_report(void)
{
	unsigned int kind[PV_NR_PATCH], how, sum = 0;
	u64 us = tsc_khz ? div_u64((last_tsc - first_tsc) * 1000, tsc_khz) : 0;

	for (how = 0; how < PV_NR_PATCH; how++) {
		kind[how] = pv_sites(how);
		sum += kind[how];
	}
	pr_info("backend %s, sites %u: %u inline, %u call, %u jump, %u nop, %u indirect, %llu us\n",
		pv_backend_name(), sum, kind[PV_PATCH_INLINE], kind[PV_PATCH_CALL],
		kind[PV_PATCH_JUMP], kind[PV_PATCH_NOP], kind[PV_PATCH_INDIRECT], us);
	return 0;
}
early_initcall(pv_report);
