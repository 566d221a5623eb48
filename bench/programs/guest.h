/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest around the measured programs.
 *
 * Owns: the file systems that a program sees, ending QEMU.
 * Not here: what runs (`init.c`).
 */
#ifndef BENCH_PROGRAMS_GUEST_H
#define BENCH_PROGRAMS_GUEST_H

/**
 * guest_prepare() - mount the root image and make it the root directory
 *
 * The image is the disk /dev/vda, read-only; /tmp takes what programs write.
 *
 * Context: PID 1 of an initramfs, once. Prints one line on failure.
 * Return: 0, or 1 if something could not be mounted.
 */
int guest_prepare(void);

/**
 * guest_end() - end QEMU
 * @failed: 0 for status 33, else status 35
 *
 * Context: root. Does not return under QEMU with its debug exit device.
 */
void guest_end(int failed);

#endif
