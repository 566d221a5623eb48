#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where one row's instructions go, by kernel function, in two kernels.

Usage: bench/explain.py --program build/user/bench --row getppid \\
           NAME=bzImage,vmlinux=F[,rom=F] NAME=bzImage,vmlinux=F[,rom=F]

Steps through one iteration of the row (the shortest of three) on QEMU's gdb port and counts every
address by symbol. Stepping holds timers and interrupts back, so that nothing
but the row's own path is counted. Kernel text outside the symbols of vmlinux
(a ROM, patched-in code) appears by its page.

Owns: the stepping and the attribution.
Not here: ratios (`quick.py`).
Exit status: 0, or 2 with one line when a kernel gives no trace.
"""
import argparse
import bisect
import collections
import os
import re
import subprocess
import sys
import tempfile

import boots
import gdbport

SKIPPED_ITERATIONS = 130  # past warm-up, into what repeats
TRIES = 3                  # a slab refill lengthens one in a dozen
LONG_PATH = 20000          # one try is enough where it takes half a minute


class ExplainError(Exception):
    """No trace; the text says why."""


def symbols(elf):
    """Sorted [(address, name)] of an ELF file's code."""
    out = subprocess.run(["nm", "-n", elf], capture_output=True, text=True,
                         check=True).stdout
    found = [line.split() for line in out.splitlines()]
    return [(int(f[0], 16), f[2]) for f in found
            if len(f) == 3 and f[1] in "tTwW"]


def row_marks(program, row):
    """Addresses of the two RDTSC of a row's loop."""
    out = subprocess.run(["objdump", "-d", f"--disassemble=run_{row}", program],
                         capture_output=True, text=True, check=True).stdout
    marks = [int(m[1], 16) for m in
             re.finditer(r"^\s*([0-9a-f]+):.*\brdtsc", out, re.M)]
    if len(marks) != 2:
        raise ExplainError(f"{program}: run_{row} has {len(marks)} rdtsc, "
                           "wanted 2")
    return marks


def trace(kernel, program, row, timeout_s):
    """The addresses that one iteration executes."""
    marks = row_marks(program, row)
    with tempfile.TemporaryDirectory() as tmp:
        initrd = os.path.join(tmp, "initrd.cpio")
        boots.write_initrd(initrd, program, 1)
        kernel.append += f" bench_row={row}"
        cmd = boots.command(kernel, initrd, 1)
        port = os.path.join(tmp, "gdb")
        cmd += ["-S", "-chardev", f"socket,path={port},server=on,wait=off,id=g",
                "-gdb", "chardev:g"]
        qemu = subprocess.Popen(cmd, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL)
        try:
            gdb = gdbport.GdbPort(port, timeout_s)
            return follow(gdb, marks)
        except (OSError, gdbport.GdbError) as e:
            raise ExplainError(f"{kernel.name}: {e}") from e
        finally:
            qemu.kill()
            qemu.wait()


def follow(gdb, marks):
    """Step through a few iterations; the shortest is the row's minimum."""
    first = None
    for mark in marks:
        gdb.breakpoint(mark, True)
    for _ in range(2 * SKIPPED_ITERATIONS + 1):
        gdb.resume()
        first = first or gdb.eip()
    if gdb.eip() != first:
        raise ExplainError("the two rdtsc do not take turns")
    last = [m for m in marks if m != first][0]
    for mark in marks:
        gdb.breakpoint(mark, False)
    paths = []
    while not paths or (len(paths) < TRIES and len(paths[0]) < LONG_PATH):
        paths.append(one_iteration(gdb, last))
        if len(paths) < TRIES:
            while gdb.eip() != first:
                gdb.step()
    return min(paths, key=len)


def one_iteration(gdb, last):
    """The addresses from here to `last`."""
    path = [gdb.eip()]
    while path[-1] != last:
        path.append(gdb.step())
    return path[:-1]


def count(path, table):
    """{symbol: instructions}"""
    starts = [a for a, _ in table]
    end = starts[-1] + 0x1000
    counts = collections.Counter()
    for eip in path:
        at = bisect.bisect_right(starts, eip) - 1
        if eip < 0xc0000000:
            counts["(user)"] += 1
        elif at < 0 or eip > end:
            counts[f"(outside vmlinux, page {eip & ~0xfff:#x})"] += 1
        else:
            counts[table[at][1]] += 1
    return counts


def show(names, counts, everything):
    """The table: differing functions first, largest difference on top."""
    a, b = counts
    keys = sorted(set(a) | set(b), key=lambda k: (-(b[k] - a[k]), k))
    print(f"{names[0]:>10} {names[1]:>10} {'more':>7}  function")
    for key in keys:
        if everything or a[key] != b[key]:
            print(f"{a[key]:10} {b[key]:10} {b[key] - a[key]:+7}  {key}")
    print(f"{sum(a.values()):10} {sum(b.values()):10} "
          f"{sum(b.values()) - sum(a.values()):+7}  all")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", required=True)
    p.add_argument("--row", required=True, choices=boots.ROWS)
    p.add_argument("--timeout", type=int, default=300, help="seconds per kernel")
    p.add_argument("--everything", action="store_true",
                   help="also functions that do not differ")
    p.add_argument("kernels", nargs=2, metavar="NAME=bzImage,vmlinux=F")
    args = p.parse_args()
    try:
        kernels = [boots.Kernel(k) for k in args.kernels]
    except ValueError as e:
        p.error(str(e))
    for k in kernels:
        if not k.vmlinux:
            p.error(f"kernel {k.name}: vmlinux=F is missing: no symbols")
    try:
        counts = [count(trace(k, args.program, args.row, args.timeout),
                        symbols(k.vmlinux)) for k in kernels]
    except ExplainError as e:
        print(f"explain: {e}", file=sys.stderr)
        return 2
    show([k.name for k in kernels], counts, args.everything)
    return 0


if __name__ == "__main__":
    sys.exit(main())
