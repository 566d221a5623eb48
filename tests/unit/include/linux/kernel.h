/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#endif
