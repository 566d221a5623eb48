// SPDX-License-Identifier: GPL-2.0-only
/*
 * The set that lmbench made customary, written anew.
 *
 * Owns: the unit `lmbench`: which rows, in which order, how often, and what they
 *	need before.
 * Not here: the loops (`lmbench_*.c`).
 */
#include "lmbench.h"

static const struct bench_row rows[] = {
	{ "lm_read",		run_lm_read,		1500,	100 },
	{ "lm_write",		run_lm_write,		1500,	100 },
	{ "lm_stat",		run_lm_stat,		1500,	100 },
	{ "lm_open_close",	run_lm_open_close,	1500,	100 },
	{ "lm_select_100",	run_lm_select_100,	1000,	100 },
	{ "lm_sig_install",	run_lm_sig_install,	1500,	100 },
	{ "lm_sig_catch",	run_lm_sig_catch,	1500,	100 },
	{ "lm_protfault",	run_lm_protfault,	1500,	100 },
	{ "lm_mmap_64k",	run_lm_mmap_64k,	600,	50 },
	{ "lm_mmap_1m",		run_lm_mmap_1m,		400,	50 },
	{ "lm_mmap_4m",		run_lm_mmap_4m,		200,	50 },
	{ "lm_pagefault",	run_lm_pagefault,	1500,	100 },
	{ "lm_pagefault_write",	run_lm_pagefault_write,	1500,	100 },
	{ "lm_pagefault_anon",	run_lm_pagefault_anon,	1500,	100 },
	{ "lm_forkproc",	run_lm_forkproc,	300,	50 },
	{ "lm_execproc",	run_lm_execproc,	800,	50 },
	{ "lm_shproc",		run_lm_shproc,		300,	50 },
	{ "lm_ctx_2p_0k",	run_lm_ctx_2p_0k,	1000,	200 },
	{ "lm_ctx_2p_16k",	run_lm_ctx_2p_16k,	1000,	200 },
	{ "lm_ctx_8p_0k",	run_lm_ctx_8p_0k,	500,	200 },
	{ "lm_ctx_8p_16k",	run_lm_ctx_8p_16k,	500,	200 },
	{ "lm_ctx_16p_64k",	run_lm_ctx_16p_64k,	300,	100 },
	{ "lm_lat_pipe",	run_lm_lat_pipe,	1500,	100 },
	{ "lm_lat_unix",	run_lm_lat_unix,	1500,	100 },
	{ "lm_lat_udp",		run_lm_lat_udp,		1000,	200 },
	{ "lm_lat_tcp",		run_lm_lat_tcp,		1000,	200 },
	{ "lm_bw_pipe",		run_lm_bw_pipe,		300,	50 },
	{ "lm_bw_unix",		run_lm_bw_unix,		300,	50 },
	{ "lm_bw_tcp",		run_lm_bw_tcp,		300,	100 },
};

static void set_up(void)
{
	lm_put_programs();
	lm_loopback_up();
}

const struct bench_unit unit_lmbench = {
	.name = "lmbench",
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.set_up = set_up,
};
