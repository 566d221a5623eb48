// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses between the two kinds of shadow page tables, which never change.
 *
 * Owns: the lock of both.
 */
#include "monitor.h"

u32 mmu_lock;

enum fault_result shadow_fault(u32 address, u32 access, u32 *error)
{
	return pae ? shadow_fault64(address, access, error) :
		     shadow_fault32(address, access, error);
}

int guest_translate(u32 address, u64 *pa)
{
	return pae ? guest_translate64(address, pa) : guest_translate32(address, pa);
}

void shadow_entry_changed(u32 address)
{
	pae ? shadow_entry_changed64(address) : shadow_entry_changed32(address);
}

void shadow_page_gone(u32 gfn)
{
	pae ? shadow_page_gone64(gfn) : shadow_page_gone32(gfn);
}

void shadow_load(u32 cr3)
{
	pae ? shadow_load64(cr3) : shadow_load32(cr3);
}

void shadow_reload(void)
{
	pae ? shadow_reload64() : shadow_reload32();
}

void shadow_init(void)
{
	pae ? shadow_init64() : shadow_init32();
}

void queue_flush_now(void)
{
	pae ? queue_flush64() : queue_flush32();
}

void shadow_stats(void)
{
	pae ? shadow_stats64() : shadow_stats32();
}

void *shadow_spare_page(void)
{
	return pae ? shadow_spare_page64() : shadow_spare_page32();
}
