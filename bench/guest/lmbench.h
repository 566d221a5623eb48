/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rows of the unit `lmbench`, by file; `lmbench.c` lists them.
 *
 * Each fills @samples with @count single iterations and returns how many count.
 */
#ifndef BENCH_LMBENCH_H
#define BENCH_LMBENCH_H

#include "bench.h"

#define LM_ROW(name)	unsigned int run_##name(uint32_t *samples, unsigned int count)

/* lmbench_call.c */
LM_ROW(lm_read);
LM_ROW(lm_write);
LM_ROW(lm_stat);
LM_ROW(lm_open_close);
LM_ROW(lm_select_100);

/* lmbench_signal.c */
LM_ROW(lm_sig_install);
LM_ROW(lm_sig_catch);
LM_ROW(lm_protfault);

/* lmbench_mem.c */
LM_ROW(lm_mmap_64k);
LM_ROW(lm_mmap_1m);
LM_ROW(lm_mmap_4m);
LM_ROW(lm_pagefault);
LM_ROW(lm_pagefault_write);
LM_ROW(lm_pagefault_anon);

/* lmbench_proc.c */
LM_ROW(lm_forkproc);
LM_ROW(lm_execproc);
LM_ROW(lm_shproc);
void lm_put_programs(void);

/* lmbench_ctx.c */
LM_ROW(lm_ctx_2p_0k);
LM_ROW(lm_ctx_2p_16k);
LM_ROW(lm_ctx_8p_0k);
LM_ROW(lm_ctx_8p_16k);
LM_ROW(lm_ctx_16p_64k);

/* lmbench_ipc.c */
LM_ROW(lm_lat_pipe);
LM_ROW(lm_lat_unix);
LM_ROW(lm_bw_pipe);
LM_ROW(lm_bw_unix);

/* lmbench_net.c */
LM_ROW(lm_lat_tcp);
LM_ROW(lm_lat_udp);
LM_ROW(lm_bw_tcp);
void lm_loopback_up(void);

#endif
