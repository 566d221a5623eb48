/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where stock code meets the VMI driver.
 *
 * Owns: the few calls that no op can stand for. Without CONFIG_VMI each is a
 *       constant, so that the stock code around it compiles to what it was.
 */
#ifndef _ASM_X86_VMI_HOOKS_H
#define _ASM_X86_VMI_HOOKS_H

#include <linux/types.h>
#include <asm/segment.h>

struct pt_regs;

#ifdef CONFIG_VMI

void vmi_probe(void);
void vmi_activate(void);
bool vmi_fixup_iret(struct pt_regs *regs, int trapnr);
bool vmi_rom_pfn(unsigned long pfn);
bool vmi_lowered_ring(void);
unsigned int vmi_kernel_cs(void);
size_t vmi_pgd_size(size_t size);

#else

static inline void vmi_probe(void) { }
static inline void vmi_activate(void) { }

static inline bool vmi_fixup_iret(struct pt_regs *regs, int trapnr)
{
	return false;
}

static inline bool vmi_rom_pfn(unsigned long pfn)
{
	return false;
}

static inline bool vmi_lowered_ring(void)
{
	return false;
}

/* CS of kernel code in an exception frame. */
static inline unsigned int vmi_kernel_cs(void)
{
	return __KERNEL_CS;
}

/* Size and alignment of a PAE root: a page where a hypervisor must know it. */
static inline size_t vmi_pgd_size(size_t size)
{
	return size;
}

#endif /* CONFIG_VMI */
#endif /* _ASM_X86_VMI_HOOKS_H */
