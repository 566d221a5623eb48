/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls through the op table.
 *
 * Owns: pv_<group>_<slot>(), one per op, expanded from the list; the few whose
 *       registers are pinned by hand; the clock hooks; SAVE thunks for stock guests.
 * Not here: the names under which the rest of the kernel knows the ops
 *           (`pv_names.h`).
 * Included by: stock `paravirt.h` on 32 bits.
 */
#ifndef _ASM_X86_PV_OPS_H
#define _ASM_X86_PV_OPS_H

#include <asm/pv_types.h>
#include <asm/pv_site.h>

#ifndef __ASSEMBLY__

#include <linux/bug.h>
#include <linux/cpumask.h>
#include <linux/static_call_types.h>
#include <asm/asm.h>

/* Arguments in their registers. */
#define PV_IN(n, ...)			PV_IN_##n(__VA_ARGS__)
#define PV_IN_0(...)
#define PV_IN_1(t1, a1)			, "a" ((unsigned long)(a1))
#define PV_IN_2(t1, a1, t2, a2)		PV_IN_1(t1, a1), "d" ((unsigned long)(a2))
#define PV_IN_3(t1, a1, t2, a2, t3, a3)	PV_IN_2(t1, a1, t2, a2), "c" ((unsigned long)(a3))

/* What a call may leave changed, by convention and result. */
#define PV_OUT_SAVE_void
#define PV_OUT_SAVE_word		"=a" (pv_eax)
#define PV_OUT_SAVE_u64			"=A" (pv_edx_eax)
#define PV_OUT_STD_void			"=a" (pv_eax), "=d" (pv_edx), "=c" (pv_ecx)
#define PV_OUT_STD_word			PV_OUT_STD_void
#define PV_OUT_STD_u64			"=A" (pv_edx_eax), "=c" (pv_ecx)

#define PV_VARS_SAVE_void
#define PV_VARS_SAVE_word		unsigned long pv_eax;
#define PV_VARS_SAVE_u64		u64 pv_edx_eax;
#define PV_VARS_STD_void		unsigned long pv_eax, pv_edx, pv_ecx;
#define PV_VARS_STD_word		PV_VARS_STD_void
#define PV_VARS_STD_u64			u64 pv_edx_eax; unsigned long pv_ecx;

#define PV_RETURN_void
#define PV_RETURN_word			return pv_eax;
#define PV_RETURN_u64			return pv_edx_eax;

#define PV_WRAPPER_void(...)		PV_WRAPPER(void, __VA_ARGS__)
#define PV_WRAPPER_word(...)		PV_WRAPPER(word, __VA_ARGS__)
#define PV_WRAPPER_u64(...)		PV_WRAPPER(u64, __VA_ARGS__)
#define PV_WRAPPER_regs(...)		/* by hand, below */

/* `inline`: to the compiler a site is as small as the native form it becomes. */
#define PV_WRAPPER(result, group, slot, form, conv, params, native)	\
static __always_inline PV_CTYPE_##result				\
pv_##group##_##slot(PV_DECL params)					\
{									\
	PV_VARS_##conv##_##result					\
	asm_inline volatile(PV_SITE_##form(native)			\
			    : PV_OUT_##conv##_##result			\
			    : PV_SITE_OPERANDS(group, slot) PV_IN params \
			    : "memory", "cc");				\
	PV_RETURN_##result						\
}

#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	PV_WRAPPER_##result(group, slot, form, conv, params, native)
#include <asm/pv_list.h>

/* cpu.cpuid: EAX and ECX in, all four out. */
static __always_inline void pv_cpu_cpuid(u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	asm_inline volatile(PV_SITE_INLINE("cpuid")
			    : "+a" (*eax), "=b" (*ebx), "+c" (*ecx), "=d" (*edx)
			    : PV_SITE_OPERANDS(cpu, cpuid)
			    : "memory", "cc");
}

/* cpu.read_cr4: 0 where the CPU has no CR4, as the fault leaves EAX alone. */
static __always_inline unsigned long pv_cpu_read_cr4(void)
{
	unsigned long cr4 = 0;

	asm_inline volatile(PV_SITE_INLINE("mov %%cr4,%%eax")
			    _ASM_EXTABLE(771b, 772b)
			    : "+a" (cr4)
			    : PV_SITE_OPERANDS(cpu, read_cr4)
			    : "memory", "cc");
	return cr4;
}

/* cpu.read_msr: a bad @msr warns once and reads 0. */
static __always_inline u64 pv_cpu_read_msr(unsigned int msr)
{
	u64 val;

	asm_inline volatile(PV_SITE_INLINE("rdmsr")
			    _ASM_EXTABLE_TYPE(771b, 772b, EX_TYPE_RDMSR)
			    : "=A" (val)
			    : PV_SITE_OPERANDS(cpu, read_msr), "c" (msr)
			    : "memory", "cc");
	return val;
}

/* cpu.write_msr: a bad @msr or value warns once. */
static __always_inline void pv_cpu_write_msr(unsigned int msr, u32 low, u32 high)
{
	asm_inline volatile(PV_SITE_INLINE("wrmsr")
			    _ASM_EXTABLE_TYPE(771b, 772b, EX_TYPE_WRMSR)
			    : : PV_SITE_OPERANDS(cpu, write_msr),
				"c" (msr), "a" (low), "d" (high)
			    : "memory", "cc");
}

static __always_inline u64 pv_cpu_read_pmc(int counter)
{
	u64 val;

	asm_inline volatile(PV_SITE_INLINE("rdpmc")
			    : "=A" (val)
			    : PV_SITE_OPERANDS(cpu, read_pmc), "c" (counter)
			    : "memory", "cc");
	return val;
}

/*
 * SAVE thunks for stock guests. Whether @func has a result is not known here:
 * EAX is taken to be it, which every SAVE slot they set declares.
 */
#define __PV_CALLEE_SAVE_REGS_THUNK(func, section)			\
	extern typeof(func) __raw_callee_save_##func;			\
	PV_SAVE_THUNK("__raw_callee_save_" #func, #func, section,	\
		      PV_THUNK_PUSH_word, PV_THUNK_POP_word)
#define PV_CALLEE_SAVE_REGS_THUNK(func)					\
	__PV_CALLEE_SAVE_REGS_THUNK(func, ".text")
#define PV_CALLEE_SAVE(func)						\
	((struct paravirt_callee_save) { __raw_callee_save_##func })
#define __PV_IS_CALLEE_SAVE(func)					\
	((struct paravirt_callee_save) { func })

#include <asm/pv_names.h>

#endif /* __ASSEMBLY__ */
#endif /* _ASM_X86_PV_OPS_H */
