/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every test program begins with: cmocka, in the order that it wants.
 */
#ifndef _UNIT_H
#define _UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/kernel.h>
#include <linux/types.h>

#endif /* _UNIT_H */
