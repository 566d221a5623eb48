/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds a word on a command line.
 *
 * Owns: what separates words.
 * Not here: what they mean (`options.c`).
 * Compiles in the kernel and on the host.
 */
#ifndef _VMI_WORDS_H
#define _VMI_WORDS_H

#include <linux/string.h>
#include <linux/types.h>

/**
 * vmi_words_has() - is @word one of the words of @line?
 * @line: words between blanks, as a boot loader passes it
 * @word: not empty, without blanks
 *
 * A word behind `--` counts, too: init cannot switch off a ROM that was bound.
 */
static inline bool vmi_words_has(const char *line, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = strstr(line, word); at; at = strstr(at + 1, word)) {
		bool starts = at == line || at[-1] == ' ' || at[-1] == '\t';
		char next = at[len];

		if (starts && (next == '\0' || next == ' ' || next == '\t' || next == '\n'))
			return true;
	}
	return false;
}

#endif /* _VMI_WORDS_H */
