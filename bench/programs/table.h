/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of commands that a boot measures.
 *
 * Owns: the form of the table. A line is a key and its value:
 *	row <name>		begins a row
 *	runs <n>		times that the command counts, at most TABLE_RUNS
 *	before <command>	once, before all; as often as needed
 *	prepare <command>	before each run, not counted
 *	run <command>		what counts
 *	rate <word>		the row is what the command says it did in a second: the
 *				number after this word, in its output
 *	A command is words between blanks, `<file` and `>file` for its input and
 *	output; without them both are /dev/null. Empty lines and `#` are skipped.
 * Not here: running them (`init.c`).
 */
#ifndef BENCH_PROGRAMS_TABLE_H
#define BENCH_PROGRAMS_TABLE_H

#define TABLE_ROWS	32
#define TABLE_BEFORE	4
#define TABLE_RUNS	16
#define TABLE_WORDS	64

struct table_row {
	const char *name, *prepare, *run, *rate;
	const char *before[TABLE_BEFORE];
	unsigned int runs, befores;
};

/**
 * table_read() - split a table into its rows
 * @text: the table, ends with 0; is cut into pieces that the rows point to
 * @rows: room for TABLE_ROWS rows
 * @wrong: what is wrong with the table, on failure
 *
 * Return: number of rows; 0 on failure.
 */
unsigned int table_read(char *text, struct table_row *rows, const char **wrong);

/**
 * table_words() - split a command into its words
 * @command: the command; is cut into pieces that the words point to
 * @words: room for TABLE_WORDS pointers; NULL ends them
 * @in: file for its standard input; untouched if the command names none
 * @out: the same for its standard output
 *
 * Return: number of words; 0 if there are none or too many.
 */
unsigned int table_words(char *command, char **words, const char **in, const char **out);

#endif
