// SPDX-License-Identifier: GPL-2.0-only
/*
 * The `vmi=` options.
 *
 * Owns: their words; hiding the CPU features that they name.
 * Not here: what a missing timer means (`time.c`).
 * Runs: `vmi=off` at probe time, the rest as an early parameter and at activation.
 * Fails: an unknown word is ignored with one line.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/init.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tick.h>
#include <asm/cpufeature.h>

#include "driver.h"
#include "words.h"

#define NO_FEATURE	(-1)

/* What `vmi=disable_<word>` takes away: a feature bit of CPUID leaf 1, EDX. */
static struct {
	const char *word;
	int feature;
	bool set;
} options[] __initdata = {
	{ "disable_pge", X86_FEATURE_PGE },
	{ "disable_pse", X86_FEATURE_PSE },
	{ "disable_sep", X86_FEATURE_SEP },
	{ "disable_tsc", X86_FEATURE_TSC },
	{ "disable_mtrr", X86_FEATURE_MTRR },
	{ "disable_timer", NO_FEATURE },
	{ "disable_noidle", NO_FEATURE },
};

u32 vmi_cpuid_hide_edx __ro_after_init;

static bool __init is_set(const char *word)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (!strcmp(options[i].word, word))
			return options[i].set;
	return false;
}

/* One value per use, any number of uses. */
static int __init parse(char *arg)
{
	unsigned int i;

	if (!arg)
		arg = "";
	if (!strcmp(arg, "off"))
		return 0;
	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!strcmp(arg, options[i].word)) {
			options[i].set = true;
			return 0;
		}
	}
	pr_warn("option \"%s\" unknown, allowed off and disable_{pge,pse,sep,tsc,mtrr,timer,noidle}, ignored\n",
		arg);
	return 0;
}
early_param("vmi", parse);

/**
 * vmi_option_off() - does the command line say `vmi=off`?
 * @cmdline: raw
 */
bool __init vmi_option_off(const char *cmdline)
{
	return vmi_words_has(cmdline, "vmi=off");
}

/**
 * vmi_option_timer() - may the ROM's timer be used?
 */
bool __init vmi_option_timer(void)
{
	return !is_set("disable_timer");
}

/**
 * vmi_options_apply() - take away what the command line names
 *
 * From the kernel's own view of the CPU, which was filled natively, and from CPUID.
 */
void __init vmi_options_apply(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(options); i++) {
		if (!options[i].set || options[i].feature == NO_FEATURE)
			continue;
		setup_clear_cpu_cap(options[i].feature);
		vmi_cpuid_hide_edx |= BIT(options[i].feature & 31);
	}
#ifdef CONFIG_NO_HZ_COMMON
	if (is_set("disable_noidle"))
		tick_nohz_enabled = false;
#endif
}
