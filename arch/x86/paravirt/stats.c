// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs `paravirt/sites`: per op, how many sites there are and what they became.
 *
 * Owns: the file. Not here: the counts (`patch.c`).
 * Fails: without debugfs there is no file and nothing else changes.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/seq_file.h>
#include "ops.h"

static const char *pv_form_name(enum pv_form form)
{
	switch (form) {
	case PV_FORM_INLINE:
		return "INLINE";
	case PV_FORM_CALL:
		return "CALL";
	default:
		return "JUMP";
	}
}

static void pv_show_row(struct seq_file *m, const char *name, const char *conv,
			const char *form, const unsigned int *count)
{
	unsigned int how, sum = 0;

	for (how = 0; how < PV_NR_PATCH; how++)
		sum += count[how];
	seq_printf(m, "%s %s %s %u %u %u %u %u %u\n", name, conv, form, sum,
		   count[PV_PATCH_INLINE], count[PV_PATCH_CALL], count[PV_PATCH_JUMP],
		   count[PV_PATCH_NOP], count[PV_PATCH_INDIRECT]);
}

static int sites_show(struct seq_file *m, void *unused)
{
	unsigned int total[PV_NR_PATCH] = { 0 };
	unsigned int nr, how;

	seq_puts(m, "op conv form sites inline call jump nop indirect\n");
	for (nr = 0; nr < PV_NR_OPS; nr++) {
		const struct pv_op_info *op = &pv_op_info[nr];

		pv_show_row(m, op->name, op->conv, pv_form_name(op->form), pv_site_count[nr]);
		for (how = 0; how < PV_NR_PATCH; how++)
			total[how] += pv_site_count[nr][how];
	}
	pv_show_row(m, "total", "-", "-", total);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sites);

static int __init pv_stats_init(void)
{
	struct dentry *dir = debugfs_create_dir("paravirt", NULL);

	debugfs_create_file("sites", 0444, dir, NULL, &sites_fops);
	return 0;
}
late_initcall(pv_stats_init);
