// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shadow page tables without PAE: `shadow_impl.h` with its entries of 32 bits.
 */
#define PAE		0
#define MODE(name)	name##32

#include "shadow_impl.h"
