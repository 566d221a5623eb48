// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times the forms of a site on this processor, or shows and checks them.
 *
 * Owns: the command line, executable memory, the order of measuring.
 *	sites time <rounds>	a line `<op> <ticks of each form>...` for each op and round
 *	sites code		a line `<op>|<form>|<address>|<bytes>` for each form
 *	sites check		a line `ok <op>, <form>` or `not ok ...` for each form
 * Fails: one line, exit 2.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "forms.h"

#define BLOCK_BYTES	1024u
#define ROUNDS_MOST	100000

#define FLAG_CF		1u

static u8 *memory;
static unsigned int memory_bytes;
static uint32_t target;			/* what set_pte writes to */

static void die(const char *what)
{
	fprintf(stderr, "sites: %s: %s\n", what, strerror(errno));
	exit(2);
}

static u8 *block_of(unsigned int op, enum site_form form)
{
	return memory + (op * NR_SITE_FORMS + form) * BLOCK_BYTES;
}

/* All blocks, written and then made executable: never both. */
static void build(unsigned int sites, uint32_t turns)
{
	unsigned int op, form;

	memory_bytes = nr_stand_ins * NR_SITE_FORMS * BLOCK_BYTES;
	memory = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		die("no memory for code");
	for (op = 0; op < nr_stand_ins; op++)
		for (form = 0; form < NR_SITE_FORMS; form++)
			block_emit(block_of(op, form), &stand_ins[op], form, sites, turns);
	if (mprotect(memory, memory_bytes, PROT_READ | PROT_EXEC))
		die("generated code cannot be made executable");
}

/* Each round measures every form once, beginning with another one each time. */
static void time_all(unsigned int rounds)
{
	unsigned int round, op, i;

	build(SITES_IN_BLOCK, TURNS);
	for (round = 0; round < rounds; round++)
		for (op = 0; op < nr_stand_ins; op++) {
			uint64_t ticks[NR_SITE_FORMS];

			for (i = 0; i < NR_SITE_FORMS; i++) {
				enum site_form form = (i + round) % NR_SITE_FORMS;

				ticks[form] = block_time(block_of(op, form),
							 (uint32_t)&target, round);
			}
			printf("%s", stand_ins[op].name);
			for (i = 0; i < NR_SITE_FORMS; i++)
				printf(" %llu", (unsigned long long)ticks[i]);
			printf("\n");
		}
}

static void show_code(void)
{
	static u8 site[32];
	unsigned int op, form, i, len;

	for (op = 0; op < nr_stand_ins; op++)
		for (form = 0; form < NR_SITE_FORMS; form++) {
			len = site_emit(site, &stand_ins[op], form);
			printf("%s|%s|%#x|", stand_ins[op].name, site_form_names[form],
			       (uint32_t)site);
			for (i = 0; i < len; i++)
				printf("%02x", site[i]);
			printf("\n");
		}
}

/* Did a block of one site do what its op does? */
static bool did(const char *op, const struct site_state *after, uint32_t eax, uint32_t edx)
{
	if (after->edx != edx)
		return false;
	if (!strcmp(op, "clc"))
		return after->eax == eax && !(after->flags & FLAG_CF) && !target;
	if (!(after->flags & FLAG_CF))
		return false;
	if (!strcmp(op, "save_fl"))
		return after->eax == after->flags && !target;
	return after->eax == eax && target == edx;
}

static int check_all(void)
{
	unsigned int op, form, bad = 0;

	build(1, 1);
	for (op = 0; op < nr_stand_ins; op++)
		for (form = 0; form < NR_SITE_FORMS; form++) {
			struct site_state state = { .eax = (uint32_t)&target, .edx = 0x5a5a1234 };
			bool right;

			target = 0;
			block_run(block_of(op, form), &state);
			right = did(stand_ins[op].name, &state, (uint32_t)&target, 0x5a5a1234);
			printf("%s %s, %s\n", right ? "ok" : "not ok", stand_ins[op].name,
			       site_form_names[form]);
			bad += !right;
		}
	return !!bad;
}

int main(int argc, char **argv)
{
	int rounds = argc == 3 ? atoi(argv[2]) : 0;

	if (argc == 3 && !strcmp(argv[1], "time") && rounds > 0 && rounds <= ROUNDS_MOST) {
		time_all(rounds);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "code")) {
		show_code();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "check"))
		return check_all();
	fprintf(stderr, "sites: use: sites time <rounds, at most %d> | code | check\n",
		ROUNDS_MOST);
	return 2;
}
