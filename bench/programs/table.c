// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the table of commands.
 *
 * Owns: cutting lines and words, refusing what is no table.
 * Not here: what the keys mean (`table.h`).
 * Fails: no row, and the text of the reason.
 */
#include "table.h"
#include <stdlib.h>
#include <string.h>

static const char *set(struct table_row *r, const char *key, char *value)
{
	if (!strcmp(key, "runs")) {
		r->runs = strtoul(value, NULL, 10);
		if (!r->runs || r->runs > TABLE_RUNS)
			return "runs is not between 1 and 16";
	} else if (!strcmp(key, "before")) {
		if (r->befores == TABLE_BEFORE)
			return "more than 4 before in a row";
		r->before[r->befores++] = value;
	} else if (!strcmp(key, "prepare")) {
		r->prepare = value;
	} else if (!strcmp(key, "run")) {
		r->run = value;
	} else if (!strcmp(key, "rate")) {
		r->rate = value;
	} else {
		return "a key that is none of row, runs, before, prepare, run, rate";
	}
	return NULL;
}

static int complete(const struct table_row *r, const char **wrong)
{
	if (!r->run || !r->runs)
		*wrong = "a row without run or runs";
	return !*wrong;
}

unsigned int table_read(char *text, struct table_row *rows, const char **wrong)
{
	unsigned int n = 0;
	char *line, *value;

	*wrong = NULL;
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (*line == '#')
			continue;
		value = strchr(line, ' ');
		if (!value)
			*wrong = "a line without a value";
		else
			*value++ = 0;
		if (!*wrong && !strcmp(line, "row")) {
			if (n == TABLE_ROWS)
				*wrong = "more than 32 rows";
			else if (!n || complete(&rows[n - 1], wrong))
				rows[n++] = (struct table_row){ .name = value };
		} else if (!*wrong) {
			*wrong = n ? set(&rows[n - 1], line, value) : "a key before the first row";
		}
		if (*wrong)
			return 0;
	}
	if (!n)
		*wrong = "no row";
	return n && complete(&rows[n - 1], wrong) ? n : 0;
}

unsigned int table_words(char *command, char **words, const char **in, const char **out)
{
	unsigned int n = 0;
	char *word;

	for (word = strtok(command, " "); word; word = strtok(NULL, " ")) {
		if (*word == '<')
			*in = word + 1;
		else if (*word == '>')
			*out = word + 1;
		else if (n < TABLE_WORDS - 1)
			words[n++] = word;
		else
			return 0;
	}
	words[n] = NULL;
	return n;
}
