// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shadow page tables with PAE: `shadow_impl.h` with its entries of 64 bits.
 */
#define PAE		1
#define MODE(name)	name##64

#include "shadow_impl.h"
