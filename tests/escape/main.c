// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the cases that the command line names: `case=<name>[,<name>...] [pae]`.
 *
 * Owns: the order of things, the lines `escape: <name>: good` or `: bad: <why>`,
 * the exit status: 33 if all were good, 35 if not.
 * Not here: the cases.
 * Runs: once; a case that has to be stopped does not come back here.
 * Fails: see above; a fault that no case expects is bad, too.
 */
#include "escape.h"

#define EXIT_PORT	0xf4
#define EXIT_GOOD	0x10
#define EXIT_BAD	0x11
#define BOCHS_PORT	0x8900
#define DEBUG_PORT	0xe9

enum expected { HARMLESS, STOPPED };

#define ESCAPE(name, expect, where, words, pattern)	const char *case_##name(void);
#define EARLY(name, expect, where, words, pattern)	\
	const char *case_##name(void);			\
	void before_##name(void);
#include "cases.def"
#undef ESCAPE
#undef EARLY

static const struct escape {
	const char *name;
	enum expected expected;
	case_fn run;
	void (*before)(void);
} cases[] = {
#define ESCAPE(name, expect, where, words, pattern)	{ #name, expect, case_##name, NULL },
#define EARLY(name, expect, where, words, pattern)	\
	{ #name, expect, case_##name, before_##name },
#include "cases.def"
};

extern const char *command_line;
static const char *running = "start";

void print(const char *s)
{
	for (; *s; s++)
		outb(DEBUG_PORT, (u8)*s);
}

void print_hex(u32 v)
{
	int shift;

	print("0x");
	for (shift = 28; shift >= 0; shift -= 4)
		outb(DEBUG_PORT, (u8)"0123456789abcdef"[v >> shift & 15]);
}

static void __attribute__((noreturn)) leave(int code)
{
	const char *s = "Shutdown";

	outb(EXIT_PORT, (u32)code);
	for (; *s; s++)
		outb(BOCHS_PORT, (u8)*s);
	for (;;)
		asm volatile("cli; hlt");
}

static void print_fault(void)
{
	print("escape: last fault ");
	print_hex(fault.vector);
	print(" error ");
	print_hex(fault.error);
	print(" at ");
	print_hex(fault.cs);
	print(":");
	print_hex(fault.eip);
	print(" CR2 ");
	print_hex(fault.cr2);
	print("\n");
}

static void bad(const char *why)
{
	print_fault();
	print("escape: ");
	print(running);
	print(": bad: ");
	print(why);
	print("\n");
	leave(EXIT_BAD);
}

void fault_unexpected(void);
void fault_unexpected(void)
{
	bad("a fault that is none of the case's");
}

/* Length of the name that a list begins with. */
static u32 length(const char *list)
{
	u32 n;

	for (n = 0; list[n] && list[n] != ',' && list[n] != ' '; n++)
		;
	return n;
}

static const char *find_list(void)
{
	const char *s = command_line;

	for (; s && *s; s++)
		if (s[0] == 'c' && s[1] == 'a' && s[2] == 's' && s[3] == 'e' && s[4] == '=')
			return s + 5;
	return "";
}

static const struct escape *find(const char *list)
{
	u32 i, k, n = length(list);

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (k = 0; k < n && cases[i].name[k] == list[k]; k++)
			;
		if (k == n && !cases[i].name[n])
			return &cases[i];
	}
	return NULL;
}

static void begin(const struct escape *e)
{
	running = e->name;
	print("escape: ");
	print(running);
	print(": begins\n");
	if (e->before)
		e->before();
}

static void run(const struct escape *e)
{
	const char *why = e->run();

	if (why)
		bad(why);
	if (e->expected == STOPPED)
		bad("nobody stopped it");
	machine_restore();
	why = intact();
	if (why)
		bad(why);
	print("escape: ");
	print(running);
	print(": good\n");
}

static void check(const char *why)
{
	if (why)
		bad(why);
}

int main(void);
int main(void)
{
	const char *list = find_list();
	const struct escape *e = find(list);

	machine_setup();
	check(vmi_find());
	if (!e)
		bad("no case of that name");
	if (e->before)
		begin(e);
	check(vmi_bind());
	machine_restore();
	check(intact());
	for (;;) {
		if (!e->before)
			begin(e);
		run(e);
		list += length(list);
		if (*list != ',')
			break;
		list++;
		e = find(list);
		if (!e)
			bad("no case of that name");
	}
	leave(EXIT_GOOD);
}
