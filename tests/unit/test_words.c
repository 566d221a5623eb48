// SPDX-License-Identifier: GPL-2.0-only
/*
 * Words on the command line.
 */
#include "unit.h"
#include "words.h"

static const struct {
	const char *line;
	bool want;
} rows[] = {
	{ "", false },
	{ "vmi=off", true },
	{ "quiet vmi=off", true },
	{ "vmi=off quiet", true },
	{ "quiet\tvmi=off\tpanic=1", true },
	{ "vmi=off\n", true },
	{ "vmi=disable_timer vmi=off", true },
	{ "vmi=offline", false },
	{ "vmi=offline vmi=off", true },
	{ "xvmi=off", false },
	{ "xvmi=off vmi=off", true },
	{ "nvmi=off,vmi=off", false },
	{ "vmi=of", false },
	{ "vmi=OFF", false },
	{ "vmi off", false },
	{ "-- vmi=off", true },
};

static void finds_whole_words(void **state)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (vmi_words_has(rows[i].line, "vmi=off") != rows[i].want)
			fail_msg("\"%s\"", rows[i].line);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_whole_words),
	};

	return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
