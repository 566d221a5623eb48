// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel tells about its own paravirtualization.
 *
 * Owns: `paravirt/sites` in debugfs, /sys/hypervisor under VMI.
 * Not here: the log lines, which the boot tests read.
 * Fails: skips on kernels without the file (CONFIG_PARAVIRT=n) or natively.
 */
#include "pvtest.h"

#define SITES	"/sys/kernel/debug/paravirt/sites"

struct row {
	char op[48], conv[16], form[16];
	unsigned int sites, how[5];	/* inline, call, jump, nop, indirect */
};

enum { HOW_INLINE, HOW_CALL, HOW_JUMP, HOW_NOP, HOW_INDIRECT };

static char text[65536];

static bool under_vmi(void)
{
	char type[32];

	return file_read("/sys/hypervisor/type", type, sizeof(type)) > 0 &&
		!strncmp(type, "vmi", 3);
}

static void check_row(const struct row *r, bool replaced)
{
	unsigned int i, sum = 0;

	for (i = 0; i < 5; i++)
		sum += r->how[i];
	if (!check_passes(sum == r->sites))
		fail("%s: %u sites, but %u counted by kind", r->op, r->sites, sum);
	if (!replaced)
		return;
	if (!check_passes(!r->how[HOW_INDIRECT]))
		fail("%s: %u of %u sites left indirect", r->op,
		     r->how[HOW_INDIRECT], r->sites);
	if (under_vmi() || strcmp(r->form, "INLINE"))
		return;
	if (!check_passes(r->how[HOW_INLINE] + r->how[HOW_NOP] == r->sites))
		fail("%s: only %u of %u sites inline", r->op,
		     r->how[HOW_INLINE], r->sites);
}

static bool parse_row(const char *line, struct row *r)
{
	if (!strncmp(line, "total", 5)) {
		strcpy(r->op, "total");
		r->conv[0] = r->form[0] = 0;
		line += 5;
		while (*line == ' ' || *line == '-' || *line == '\t')
			line++;
		return sscanf(line, "%u %u %u %u %u %u", &r->sites, &r->how[0],
			      &r->how[1], &r->how[2], &r->how[3], &r->how[4]) == 6;
	}
	return sscanf(line, "%47s %15s %15s %u %u %u %u %u %u", r->op, r->conv,
		      r->form, &r->sites, &r->how[0], &r->how[1], &r->how[2],
		      &r->how[3], &r->how[4]) == 9;
}

void test_paravirt_sites(void)
{
	bool replaced = !cmdline_has("noreplace-paravirt");
	unsigned int sum = 0;
	struct row r = { .op = "" };
	char *line, *save = NULL;

	if (file_read(SITES, text, sizeof(text)) < 0)
		skip("no paravirt/sites in debugfs (CONFIG_PARAVIRT, CONFIG_DEBUG_FS)");
	line = strtok_r(text, "\n", &save);
	CHECK(line && !strncmp(line, "op ", 3));
	while ((line = strtok_r(NULL, "\n", &save))) {
		if (!parse_row(line, &r))
			fail("cannot read the line '%s'", line);
		check_row(&r, replaced);
		sum += strcmp(r.op, "total") ? r.sites : 0;
	}
	CHECK(!strcmp(r.op, "total"));
	CHECK_EQ(sum, r.sites);
	CHECK(sum > 0);
	if (!replaced)
		CHECK_EQ(r.how[HOW_INDIRECT], r.sites);
}

void test_sys_hypervisor(void)
{
	static const char * const files[] = { "version/major", "version/minor" };
	char path[80], value[64];
	size_t i;

	if (!under_vmi())
		skip("no VMI ROM bound");
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/sys/hypervisor/%s", files[i]);
		if (file_read(path, value, sizeof(value)) < 0)
			fail("%s: %s", path, strerror(errno));
		CHECK(value[0] >= '0' && value[0] <= '9');
	}
}
