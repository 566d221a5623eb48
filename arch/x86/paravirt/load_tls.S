/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The native form of cpu.load_tls.
 *
 * Runs: at every context switch, which is why it is not C: a frame and saved
 *       registers would be half of it.
 * Context: preemption off, for the CPU that it runs on, as all callers do.
 */
#include <linux/linkage.h>
#include <asm/percpu.h>
#include <asm/segment.h>

#define TLS(n)	PER_CPU_VAR(gdt_page + (GDT_ENTRY_TLS_MIN + (n)) * 8)

/*
 * In: EAX thread, whose TLS descriptors come first; EDX CPU, not needed.
 * Clobbers: ECX, EDX.
 */
SYM_FUNC_START(pv_native_load_tls)
	i = 0
	.rept	GDT_ENTRY_TLS_ENTRIES
	mov	i * 8(%eax), %edx
	mov	i * 8 + 4(%eax), %ecx
	mov	%edx, TLS(i)
	mov	%ecx, TLS(i) + 4
	i = i + 1
	.endr
	RET
SYM_FUNC_END(pv_native_load_tls)
