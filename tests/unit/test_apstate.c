// SPDX-License-Identifier: GPL-2.0-only
/*
 * The AP state block, byte by byte at the offsets of the ABI.
 */
#include "apstate.h"
#include "unit.h"

static u32 at32(const void *base, unsigned int offset)
{
	u32 val;

	memcpy(&val, (const u8 *)base + offset, sizeof(val));
	return val;
}

static u16 at16(const void *base, unsigned int offset)
{
	u16 val;

	memcpy(&val, (const u8 *)base + offset, sizeof(val));
	return val;
}

static void every_field_is_in_its_place(void **state)
{
	static const struct vmi_ap_boot boot = {
		.cr0 = 0x80050033, .cr3 = 0x01abc000, .cr4 = 0x6b0,
		.efer = 0x1122334400000800ull, .eip = 0xc1000040, .esp = 0xc2001ffc,
		.gdt = 0xf7001000, .idt = 0xc1800000, .gdt_limit = 0xff, .idt_limit = 0x7ff,
		.cs = 0x60, .ds_kernel = 0x68, .ds_user = 0x7b, .percpu = 0xd8,
	};
	struct vmi_ap_state ap;

	memset(&ap, 0xa5, sizeof(ap));
	vmi_ap_state_fill(&ap, &boot);

	assert_int_equal(sizeof(ap), 92);
	assert_int_equal(at32(&ap, 0), 0x80050033);
	assert_int_equal(at32(&ap, 4), 0);		/* cr2 */
	assert_int_equal(at32(&ap, 8), 0x01abc000);
	assert_int_equal(at32(&ap, 12), 0x6b0);
	assert_int_equal(at32(&ap, 16), 0x00000800);
	assert_int_equal(at32(&ap, 20), 0x11223344);
	assert_int_equal(at32(&ap, 24), 0xc1000040);
	assert_int_equal(at32(&ap, 28), 2);		/* eflags: IF clear */
	assert_int_equal(at32(&ap, 32), 0);		/* eax */
	assert_int_equal(at32(&ap, 48), 0xc2001ffc);
	assert_int_equal(at32(&ap, 52), 0);		/* ebp */
	assert_int_equal(at16(&ap, 64), 0x60);
	assert_int_equal(at16(&ap, 66), 0x68);
	assert_int_equal(at16(&ap, 68), 0x7b);
	assert_int_equal(at16(&ap, 70), 0x7b);
	assert_int_equal(at16(&ap, 72), 0xd8);
	assert_int_equal(at16(&ap, 74), 0);		/* gs */
	assert_int_equal(at16(&ap, 76), 0);		/* ldtr */
	assert_int_equal(at16(&ap, 78), 0xff);
	assert_int_equal(at32(&ap, 80), 0xf7001000);
	assert_int_equal(at32(&ap, 84), 0xc1800000);
	assert_int_equal(at16(&ap, 88), 0x7ff);
	assert_int_equal(at16(&ap, 90), 0);		/* padding */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_in_its_place),
	};

	return cmocka_run_group_tests_name("apstate", tests, NULL, NULL);
}
