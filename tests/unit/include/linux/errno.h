/* SPDX-License-Identifier: GPL-2.0-only */
/* The host has a header of this name, which its own <errno.h> includes. */
#include_next <linux/errno.h>
