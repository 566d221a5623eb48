// SPDX-License-Identifier: GPL-2.0-only
/*
 * Restart and power-off through the ROM.
 *
 * Owns: calls 36 and 37 as the machine's ways to end.
 * Not here: a single CPU that halts (`cpu.c`).
 * Runs: once, at the end.
 * Fails: a call that returns, or that the ROM does not provide, leaves it to the
 *        native ways.
 */
#include <linux/init.h>
#include <linux/reboot.h>
#include <asm/reboot.h>

#include "call.h"
#include "driver.h"

static struct machine_ops native __ro_after_init;

static void reboot(void)
{
	vmi_entry_Reboot(reboot_mode == REBOOT_WARM || reboot_mode == REBOOT_SOFT ?
			 VMI_REBOOT_SOFT : VMI_REBOOT_HARD);
}

static void vmi_emergency_restart(void)
{
	reboot();
	native.emergency_restart();
}

static void vmi_restart(char *cmd)
{
	if (!reboot_force)
		machine_shutdown();
	reboot();
	native.emergency_restart();
}

/**
 * vmi_reboot_apply() - let the ROM restart the machine
 */
void __init vmi_reboot_apply(void)
{
	if (!vmi_has(VMI_CALL_Reboot))
		return;
	native = machine_ops;
	machine_ops.restart = vmi_restart;
	machine_ops.emergency_restart = vmi_emergency_restart;
}

/* By then the other CPUs are stopped, so that this one is the machine. */
static int power_off(struct sys_off_data *data)
{
	vmi_entry_Shutdown();
	return NOTIFY_DONE;
}

/* After everything that knows the hardware better, such as ACPI. */
static int __init register_power_off(void)
{
	struct sys_off_handler *handler;

	if (!vmi_has(VMI_CALL_Shutdown))
		return 0;
	handler = register_sys_off_handler(SYS_OFF_MODE_POWER_OFF, SYS_OFF_PRIO_PLATFORM,
					   power_off, NULL);
	return PTR_ERR_OR_ZERO(handler);
}
device_initcall(register_power_off);
