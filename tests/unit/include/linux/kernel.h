/* SPDX-License-Identifier: GPL-2.0-only */
/* The host has a header of this name, which its own headers include. */
#include_next <linux/kernel.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif
