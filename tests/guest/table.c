// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables, as a guest of the ABI changes them.
 *
 * Owns: entries of both formats, addresses of tables, an access that may fault.
 * Not here: tests.
 * Runs: at any ring, after `bind.c`.
 * Fails: -
 */
#include "guest.h"

u32 touched;
static u32 touch_at, touch_value;

u32 pa(const void *p)
{
	return (u32)p - GUEST_OFFSET;
}

void *va(u32 address)
{
	return (void *)(address + GUEST_OFFSET);
}

u32 *entry_at(void *table, u32 index)
{
	return (u32 *)table + index * (pae ? 2 : 1);
}

u32 table_index(u32 address)
{
	return pae ? address >> 12 & 511 : address >> 12 & 1023;
}

u32 *window_entry(u32 address)
{
	return entry_at(window, table_index(address));
}

u32 *dir_entry(u32 address)
{
	return entry_at(page_dir, pae ? address >> 21 & 511 : address >> 22);
}

u64 entry_get(const u32 *entry)
{
	const volatile u32 *e = entry;

	return pae ? (u64)e[1] << 32 | e[0] : e[0];
}

/* Never half of a present one: set high first, clear low first. */
void entry_write(u32 *entry, u64 value)
{
	volatile u32 *e = entry;

	if (!pae) {
		*e = (u32)value;
		return;
	}
	e[0] = 0;
	e[1] = (u32)(value >> 32);
	e[0] = (u32)value;
}

void entry_update(u32 *entry, u32 flags)
{
	vmi(pae ? VMI_CALL_UpdatePxELong : VMI_CALL_UpdatePxE, (u32)entry, flags, 0);
}

void entry_set(u32 *entry, u64 value, u32 flags)
{
	if (pae)
		vmi5(VMI_CALL_SetPxELong, (u32)value, (u32)(value >> 32), (u32)entry, flags, 0);
	else
		vmi(VMI_CALL_SetPxE, (u32)value, (u32)entry, flags);
}

void inval(u32 address)
{
	vmi(VMI_CALL_InvalPage, address, 0, 0);
}

void page_announce(const void *page, u32 flags)
{
	vmi5(VMI_CALL_AllocatePage, pa(page) >> 12, flags, 0, 0, 0);
}

void page_release(const void *page, u32 flags)
{
	vmi(VMI_CALL_ReleasePage, pa(page) >> 12, flags, 0);
}

void map(u32 address, u64 value)
{
	entry_set(window_entry(address), value, VMI_PAGE_PT | VMI_PTE_CURRENT_AS | address);
	inval(address);
}

static void do_touch(void)
{
	touched = *(volatile u32 *)touch_at;
}

static void do_write(void)
{
	*(volatile u32 *)touch_at = touch_value;
}

int touch(u32 address)
{
	touch_at = address;
	return fault_try(do_touch);
}

int touch_write(u32 address, u32 value)
{
	touch_at = address;
	touch_value = value;
	return fault_try(do_write);
}
