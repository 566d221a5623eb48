// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks what a chipset would let a guest open.
 *
 * Owns: the memory of system management mode: who writes it runs in it, above
 * everybody. Its lock bit lasts until the next reset.
 * Not here: DMA, which only an IOMMU holds back.
 * Runs: once, at Init.
 * Fails: a chipset that is not known stays as it is.
 *
 * Source: Intel 82441FX data sheet, 3.2.21 (SMRAM); Q35 (82P965) data sheet,
 * section 5.1.28; both have D_LCK in bit 4.
 */
#include "monitor.h"

#define PCI_ADDRESS	0xcf8
#define PCI_DATA	0xcfc
#define HOST_BRIDGE	0x80000000u
#define LOCK		0x10
#define ID_440FX	0x12378086
#define ID_Q35		0x29c08086

static u32 host_bridge(u32 reg)
{
	u32 value;

	asm volatile("outl %0, %w1" : : "a" (HOST_BRIDGE | (reg & ~3u)), "d" (PCI_ADDRESS));
	asm volatile("inl %w1, %0" : "=a" (value) : "d" (PCI_DATA));
	return value;
}

#define REG_440FX	0x72
#define REG_Q35		0x9d
#define OPEN		0x40		/* in both */

static u32 guarded;			/* the register that opens it, or 0 */

/**
 * chipset_guards() - does a write to a port reach what is guarded?
 * @port: of the data of PCI's configuration
 */
int chipset_guards(u32 port)
{
	u32 address;

	if (!guarded || port != PCI_DATA + (guarded & 3))
		return 0;
	asm volatile("inl %w1, %0" : "=a" (address) : "d" (PCI_ADDRESS));
	return (address & ~3u) == (HOST_BRIDGE | (guarded & ~3u));
}

/**
 * chipset_filter() - what may be written there
 */
u32 chipset_filter(u32 value)
{
	return value & ~OPEN;
}

/**
 * chipset_lock() - close the memory of system management mode for good
 *
 * QEMU's 440FX knows no lock, so that writes are looked at, too.
 */
void chipset_lock(void)
{
	u32 port;

	switch (host_bridge(0)) {
	case ID_440FX:
		guarded = REG_440FX;
		break;
	case ID_Q35:
		guarded = REG_Q35;
		break;
	default:
		return;
	}
	port = PCI_DATA + (guarded & 3);
	host_bridge(guarded);
	outb((u16)port, (u8)(chipset_filter(inb((u16)port)) | LOCK));
}
