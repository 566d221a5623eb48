/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

/**
 * random_ready() - tell the kernel that its random numbers are good
 * @fd: the device /dev/random, writable
 *
 * Until the kernel thinks so itself, at a moment that shifts with all that came before,
 * each execve() and each new process pays for stirring the pool: 14000 instructions.
 *
 * Context: root, before anything is measured.
 * Return: 0, or -1 and errno.
 */
int random_ready(int fd);

#endif
