/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls into the ROM, as C functions.
 *
 * Owns: the prototype of each call that the driver makes.
 * Not here: the stubs behind the names (`stubs.S`), their targets (`bind.c`).
 *
 * The ABI's calling convention is that of the i386 kernel: regparm(3), further
 * arguments on the stack and popped by the caller, results in EAX or EDX:EAX.
 * A stub that has no target stops at a UD2: ask vmi_has() first, or be an op that is
 * bound only with the call.
 *
 * Source: VMI specification 2.0; UpdateKernelStack as 3.0 guests call it.
 */
#ifndef _VMI_CALL_H
#define _VMI_CALL_H

#include <linux/types.h>

#define VMI_ENTRY	__attribute__((regparm(3)))

VMI_ENTRY void vmi_entry_SetGDT(const void *dtr);
VMI_ENTRY void vmi_entry_SetLDT(u32 selector);
VMI_ENTRY void vmi_entry_SetIDT(const void *dtr);
VMI_ENTRY void vmi_entry_SetTR(u32 selector);
VMI_ENTRY void vmi_entry_WriteGDTEntry(void *table, u32 index, u32 low, u32 high);
VMI_ENTRY void vmi_entry_WriteLDTEntry(void *table, u32 index, u32 low, u32 high);
VMI_ENTRY void vmi_entry_WriteIDTEntry(void *table, u32 index, u32 low, u32 high);
VMI_ENTRY void vmi_entry_UpdateKernelStack(u32 ss, u32 esp0);
VMI_ENTRY void vmi_entry_Halt(void);
VMI_ENTRY void vmi_entry_Reboot(u32 how);
VMI_ENTRY void vmi_entry_Shutdown(void);
VMI_ENTRY void vmi_entry_SetPxE(u32 val, void *entry, u32 flags);
VMI_ENTRY void vmi_entry_SetPxELong(u32 low, u32 high, void *entry, u32 flags);
VMI_ENTRY void vmi_entry_UpdatePxE(void *entry, u32 flags);
VMI_ENTRY void vmi_entry_UpdatePxELong(void *entry, u32 flags);
VMI_ENTRY void vmi_entry_AllocatePage(u32 pfn, u32 flags, u32 template_pfn,
				      u32 first, u32 count);
VMI_ENTRY void vmi_entry_ReleasePage(u32 pfn, u32 flags);
VMI_ENTRY void vmi_entry_FlushTLB(u32 flags);
VMI_ENTRY void vmi_entry_SetLinearMapping(u32 slot, u32 start, u32 pages, u32 pfn);
VMI_ENTRY void vmi_entry_SetInitialAPState(const void *state, u32 apicid);
VMI_ENTRY void vmi_entry_APICWrite(u32 reg, u32 val);
VMI_ENTRY u32 vmi_entry_APICRead(u32 reg);
VMI_ENTRY u64 vmi_entry_GetCycleFrequency(void);
VMI_ENTRY u64 vmi_entry_GetCycleCounter(u32 which);
VMI_ENTRY void vmi_entry_SetAlarm(u32 flags, u32 expiry_low, u32 expiry_high,
				  u32 period_low, u32 period_high);
VMI_ENTRY u32 vmi_entry_CancelAlarm(u32 flags);
VMI_ENTRY u64 vmi_entry_GetWallclockTime(void);
VMI_ENTRY void vmi_entry_SetLazyMode(u32 mode);

#endif /* _VMI_CALL_H */
