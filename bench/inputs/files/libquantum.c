// SPDX-License-Identifier: GPL-2.0-only
/*
 * The row libquantum: Shor's order finding on the simulated quantum computer of
 * libquantum.
 *
 * Owns: finding the order of BASE modulo NUMBER, and the check that what was
 *	measured fits it.
 * Fails: exit 1 with one line if it does not.
 */
#include <complex.h>
#include <math.h>
#include <quantum.h>
#include <stdio.h>
#include <stdlib.h>

#define NUMBER	15
#define BASE	7
#define ORDER	4
#define WIDTH	8	/* bits of NUMBER squared */
#define WORK	4	/* bits of NUMBER */

/* The transform leaves the bits in the other order. */
static unsigned int reversed(unsigned int value)
{
	unsigned int i, out = 0;

	for (i = 0; i < WIDTH; i++)
		out |= (value >> i & 1) << (WIDTH - 1 - i);
	return out;
}

int main(void)
{
	unsigned int i, found;
	quantum_reg reg;
	double turns;

	srand(462);
	reg = quantum_new_qureg(0, WIDTH);
	for (i = 0; i < WIDTH; i++)
		quantum_hadamard(i, &reg);
	quantum_addscratch(3 * WORK + 2, &reg);
	quantum_exp_mod_n(NUMBER, BASE, WIDTH, WORK, &reg);
	for (i = 0; i < 3 * WORK + 2; i++)
		quantum_bmeasure(0, &reg);
	quantum_qft(WIDTH, &reg);
	found = reversed(quantum_measure(reg) & ((1 << WIDTH) - 1));
	turns = (double)found / (1 << WIDTH) * ORDER;
	if (fabs(turns - round(turns)) > 0.05) {
		fprintf(stderr, "measured %u, which is no multiple of 1/%d\n", found, ORDER);
		return 1;
	}
	printf("%u\n", found);
	return 0;
}
