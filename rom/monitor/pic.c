// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two 8259 interrupt controllers, as far as their vectors go.
 *
 * Owns: the base vectors, which cannot be read back.
 * Not here: other ports.
 * Runs: on the guest's writes, and for each interrupt.
 * Fails: a base among the exceptions is the guest's, but never the hardware's.
 *
 * Until the guest sets them up they are as Init found them. That may be as the
 * BIOS has them, with IRQ 0 at vector 8: then an interrupt comes by the gate of
 * an exception, and `entry.S` tells them apart by the error code.
 *
 * Source: Intel 8259A data sheet, initialization command words 1 and 2.
 */
#include "monitor.h"

#define PIC_MASTER	0x20
#define PIC_SLAVE	0xa0
#define ICW1		0x10
#define BIOS_BASE	0x08

static const u8 safe_base[2] = { 0x20, 0x28 };

/* Guest's base vector; 0 = not known. */
static u32 guest_base[2];
static u32 waiting_icw1[2];

int is_pic(u32 port)
{
	return port - PIC_MASTER < 2 || port - PIC_SLAVE < 2;
}

/**
 * pic_is_known() - has the guest set the 8259s up since Init?
 */
int pic_is_known(void)
{
	return guest_base[0] != 0;
}

static u32 hardware_base(u32 slave)
{
	return guest_base[slave] < 32 ? safe_base[slave] : guest_base[slave];
}

/**
 * pic_vector() - the guest's vector for one that came
 */
u32 pic_vector(u32 vector)
{
	u32 slave;

	for (slave = 0; slave < 2; slave++)
		if (guest_base[slave] && guest_base[slave] < 32 &&
		    vector - safe_base[slave] < 8)
			return guest_base[slave] + vector - safe_base[slave];
	return vector;
}

/**
 * pic_irq0_vector() - the guest's vector of the timer by the 8259
 */
u32 pic_irq0_vector(void)
{
	return guest_base[0] ? guest_base[0] : BIOS_BASE;
}

/**
 * pic_eoi_irq0() - the guest will not see this interrupt of the timer
 */
void pic_eoi_irq0(void)
{
	outb(PIC_MASTER, 0x60);
}

static void set_base(u32 slave, u32 base)
{
	/* A guest that wants 0 has no use for its interrupts. */
	guest_base[slave] = base ? base : BIOS_BASE;
	if (!slave)
		idt_pic_is_known();
}

/**
 * pic_write() - a write to one of their ports
 *
 * The first of the words that set an 8259 up waits for the second: between them
 * the base is none of ours, and interrupts come whatever the guest's flag is.
 * What had come from it before is forgotten, as the chip does.
 */
void pic_write(u32 port, u32 value)
{
	u32 slave = port >= PIC_SLAVE;

	if (!(port & 1) && value & ICW1) {
		waiting_icw1[slave] = value;
	} else if (port & 1 && waiting_icw1[slave]) {
		irq_forget(guest_base[slave] ? guest_base[slave] : slave ? 0x70 : BIOS_BASE);
		outb((u16)(port - 1), (u8)waiting_icw1[slave]);
		waiting_icw1[slave] = 0;
		set_base(slave, value & 0xf8);
		outb((u16)port, (u8)hardware_base(slave));
	} else {
		outb((u16)port, (u8)value);
		if (port & 1)
			alarm_unmasked();
	}
}
