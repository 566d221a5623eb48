// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks for a ROM before the kernel's address space takes shape.
 *
 * Owns: the log lines about ROMs, the hole.
 * Not here: the checks (`rom.c`), the ROM's code (`activate.c`).
 * Runs: in setup_arch(), on the boot CPU, before the first fixmap.
 * Fails: stays native, with one line per ROM that was refused.
 */
#define pr_fmt(fmt) "vmi: " fmt

#include <linux/printk.h>
#include <asm/pgtable.h>
#include <asm/segment.h>
#include <asm/setup.h>
#include <asm/timer.h>

#include "driver.h"

struct vmi vmi __ro_after_init;

static void __init historical_line(const struct vmi_rom_note *note)
{
	const struct vmi_rom_header *hdr = __va(note->phys);

	switch (note->fault) {
	case VMI_ROM_MAJOR:
		vmi_historical(KERN_WARNING "VMI: Found mismatched rom version %u.%u\n",
			       hdr->api_major, hdr->api_minor);
		break;
	case VMI_ROM_PCI_NONE:
		vmi_historical(KERN_WARNING "VMI: ROM does not contain PCI header.\n");
		break;
	case VMI_ROM_PCI_ID:
		vmi_historical(KERN_WARNING "VMI: ROM from unknown manufacturer\n");
		break;
	case VMI_ROM_LICENCE_TEXT:
		vmi_historical(KERN_WARNING "VMI: Non GPL license `%.64s' found for ROM. Not used.\n",
			       note->text);
		break;
	default:
		break;
	}
}

static void __init print_note(void *ctx, const struct vmi_rom_note *note)
{
	const char *effect = note->skipped ? "skipped" : "used";

	historical_line(note);
	if (note->text)
		pr_warn("ROM at 0x%x: %s \"%.64s\" %s \"%s\", %s\n", note->phys,
			note->field, note->text, note->relation, VMI_LICENCE_GPL_V2, effect);
	else
		pr_warn("ROM at 0x%x: %s 0x%x %s 0x%x, %s\n", note->phys,
			note->field, note->value, note->relation, note->bound, effect);
}

static bool __init find_rom(void)
{
	int ret = vmi_rom_find(__va(VMI_SCAN_START), VMI_SCAN_END - VMI_SCAN_START,
			       VMI_SCAN_START, &vmi.rom, print_note, NULL);

	if (ret == -EBADMSG)
		pr_warn("no usable ROM, booting natively\n");
	return ret == 0;
}

/**
 * vmi_probe() - find a ROM and reserve its hole
 *
 * Reads `vmi=off` from the raw command line, since the hole must be reserved before
 * early parameters are parsed.
 *
 * Context: boot CPU, once, before the first fixmap is set.
 */
void __init vmi_probe(void)
{
	if (vmi_option_off(boot_command_line)) {
		pr_info("off by command line, booting natively\n");
		return;
	}
	if (!find_rom())
		return;

	vmi.found = true;
	vmi.range.start = (unsigned long)vmi.rom.start;
	vmi.range.end = vmi.range.start + vmi.rom.length;
	vmi.range.hole = vmi.rom.virtual_top;
	vmi_historical(KERN_INFO "VMI: Found %.64s %.64s, API version %u.%u, ROM version %u.%u\n",
		       vmi.rom.manufacturer, vmi.rom.product, vmi.rom.api_major,
		       vmi.rom.api_minor, vmi.rom.rom_major, vmi.rom.rom_minor);
	if (vmi.rom.virtual_top)
		reserve_top_address(-vmi.rom.virtual_top);
#ifdef CONFIG_X86_IO_APIC
	/* The test counts PIT ticks in a loop of delays, which a ROM may shorten. */
	no_timer_check = 1;
#endif
}

/**
 * vmi_rom_pfn() - is this a page of the bound ROM?
 * @pfn: page frame number
 *
 * Such pages must stay executable: the ROM runs in place, in the linear map.
 */
bool vmi_rom_pfn(unsigned long pfn)
{
	u32 first = vmi.rom.phys >> PAGE_SHIFT;
	u32 last = (vmi.rom.phys + vmi.rom.length - 1) >> PAGE_SHIFT;

	return vmi.bound && pfn >= first && pfn <= last;
}

/**
 * vmi_lowered_ring() - does the kernel run above ring 0?
 */
bool vmi_lowered_ring(void)
{
	return vmi.ring != 0;
}

/**
 * vmi_kernel_cs() - CS of kernel code in an exception frame
 */
unsigned int vmi_kernel_cs(void)
{
	return __KERNEL_CS | vmi.ring;
}
