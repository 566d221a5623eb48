// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/hypervisor: what this kernel runs on.
 *
 * Owns: type; version/{major,minor,extra}; properties/{manufacturer,product,address,
 *       ring,virtual_top}.
 * Not here: counts per op (debugfs, `arch/x86/paravirt/stats.c`).
 * Runs: at boot, when a ROM is bound.
 * Fails: files are missing; nothing else depends on them.
 */
#include <linux/init.h>
#include <linux/kobject.h>
#include <linux/sysfs.h>

#include "driver.h"

#define FILE(name, format, ...)						\
static ssize_t name##_show(struct kobject *kobj, struct kobj_attribute *attr, \
			   char *buf)					\
{									\
	return sysfs_emit(buf, format "\n", __VA_ARGS__);		\
}									\
static struct kobj_attribute name##_attr = __ATTR_RO(name)

FILE(type, "%s", pv_info.name);
FILE(major, "%u", vmi.rom.api_major);
FILE(minor, "%u", vmi.rom.api_minor);
/* As with other hypervisors, the part of a version that follows "major.minor". */
FILE(extra, ".rom%u.%u", vmi.rom.rom_major, vmi.rom.rom_minor);
FILE(manufacturer, "%s", vmi.rom.manufacturer);
FILE(product, "%s", vmi.rom.product);
FILE(address, "0x%x", vmi.rom.phys);
FILE(ring, "%u", vmi.ring);
FILE(virtual_top, "0x%x", vmi.rom.virtual_top);

static struct attribute *version_attrs[] = {
	&major_attr.attr, &minor_attr.attr, &extra_attr.attr, NULL
};

static struct attribute *property_attrs[] = {
	&manufacturer_attr.attr, &product_attr.attr, &address_attr.attr,
	&ring_attr.attr, &virtual_top_attr.attr, NULL
};

static const struct attribute_group version_group = {
	.name = "version", .attrs = version_attrs,
};

static const struct attribute_group property_group = {
	.name = "properties", .attrs = property_attrs,
};

static const struct attribute_group *groups[] = {
	&version_group, &property_group, NULL
};

static int __init vmi_sysfs_init(void)
{
	int ret;

	if (!vmi.bound)
		return 0;
	ret = sysfs_create_file(hypervisor_kobj, &type_attr.attr);
	if (ret)
		return ret;
	return sysfs_create_groups(hypervisor_kobj, groups);
}
device_initcall(vmi_sysfs_init);
