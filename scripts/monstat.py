#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Print the monitor's accounting as tables.

Owns: names of calls and of kernel functions; sorting; totals.
Not here: the format of the lines (`boottest/stats.py`).
Runs: `monstat.py FILE [--vmlinux V]`; FILE is what was written to port 0xE9.
Fails: exit 2 and one line if a file is missing or V has no symbols; exit 1 if
       FILE holds no complete block, or lines that fit into none.
"""
import argparse
import bisect
import os
import re
import subprocess
import sys

from boottest.stats import read_stats
from overlay_plan import Refusal, read

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ABI = "include/asm/vmi.h"
CALL = re.compile(r"^\tX\((\d+), +(\w+),", re.M)
# Where the kernel ends and the hole that belongs to the monitor begins.
PAGE_OFFSET, HOLE = 0xc0000000, 0xfc000000
# A function of the kernel is not larger; what is further away is a module.
FAR = 0x10000


def call_names():
    """{number: name} from the ABI header."""
    text = (read(os.path.join(PROJECT, ABI)) or b"").decode()
    return {int(number): name for number, name in CALL.findall(text)}


class Symbols:
    """Functions of a kernel by address; without a kernel, none."""

    def __init__(self, vmlinux=""):
        self.names = []
        if vmlinux:
            self.names = sorted(self.read_symbols(vmlinux))
            if not self.names:
                raise Refusal("%s has no functions in its symbol table" % vmlinux)
        self.starts = [start for start, _ in self.names]

    @staticmethod
    def read_symbols(vmlinux):
        if not os.path.isfile(vmlinux):
            raise Refusal("no %s; build it (make kernel)" % vmlinux)
        done = subprocess.run(["nm", vmlinux], text=True, capture_output=True, check=False)
        if done.returncode:
            raise Refusal("nm: %s" % (done.stderr.strip().split("\n") or ["failed"])[0])
        for line in done.stdout.splitlines():
            address, kind, name = line.rsplit(None, 2) if line.count(" ") >= 2 else ("", "", "")
            if kind in ("t", "T", "W", "w"):
                yield int(address, 16), name

    def function(self, address):
        """Name of what lies there."""
        if address < PAGE_OFFSET:
            return "(user)"
        if address >= HOLE:
            return "(monitor)"
        at = bisect.bisect_right(self.starts, address) - 1
        if at < 0 or address - self.starts[at] > FAR:
            return "(module)" if self.names else "0x%x" % address
        return self.names[at][1]


def section(title, rows):
    """Lines of one part: rows of (count, text), largest first, and their sum."""
    if not rows:
        return ["  %-42s %12d" % (title, 0)]
    lines = ["  %-42s %12d" % (title, sum(count for count, _ in rows))]
    return lines + ["    %-40s %12d" % (text, count)
                    for count, text in sorted(rows, key=lambda row: (-row[0], row[1])) if count]


def emulated_rows(block, symbols):
    """Counts by kind and function."""
    sums = {}
    for (kind, eip), count in block.emulated.items():
        key = "%-10s %s" % (kind, symbols.function(eip))
        sums[key] = sums.get(key, 0) + count
    return [(count, key) for key, count in sums.items()]


def call_lines(block, names):
    """Calls with what they cost in ring 0, the most expensive first."""
    calls, ring0, cycles = (block.numbered[n] for n in ("call", "ring0", "call-cycles"))
    lines = ["  %-42s %12d %12d %14d" % ("VMI calls, in ring 0, cycles there", sum(calls.values()),
                                         sum(ring0.values()), sum(cycles.values()))]
    for nr in sorted(calls.keys() | ring0.keys(),
                     key=lambda nr: (-cycles.get(nr, 0), -calls.get(nr, 0), nr)):
        lines.append("    %2d %-37s %12d %12d %14d" % (
            nr, names.get(nr, "(no such call)"), calls.get(nr, 0), ring0.get(nr, 0),
            cycles.get(nr, 0)))
    return lines


def table(block, symbols, names):
    """Lines of the table of one block."""
    def by_vector(kind):
        return [(count, "0x%02x" % nr) for nr, count in block.numbered[kind].items()]

    def plain(title, kind):
        """What does not add up: no sum, and the order as printed."""
        return ["  " + title] + ["    %-40s %12d" % row for row in block.named[kind].items()]

    lines = ["vCPU %s" % block.vcpu] + call_lines(block, names)
    lines += section("emulated instructions", emulated_rows(block, symbols))
    lines += section("interrupts, by vector", by_vector("irq"))
    if block.numbered["trap-cycles"]:
        lines += section("cycles in traps, by vector", by_vector("trap-cycles"))
    lines += section("faults", [(count, name) for name, count in block.named["fault"].items()])
    return lines + plain("entries into ring 0", "entry") + plain("shadow pages", "shadow")


def report(path, vmlinux=""):
    """Print the tables of a file; the exit status."""
    data = read(path)
    if data is None:
        raise Refusal("no %s" % path)
    stats, symbols = read_stats(data.decode("utf-8", "replace")), Symbols(vmlinux)
    names = call_names()
    for block in stats.blocks:
        print("\n".join(table(block, symbols, names)) + "\n")
    for text in stats.wrong:
        print("monstat: %s: %s" % (path, text), file=sys.stderr)
    if not stats.blocks:
        print("monstat: no vmi-stat block in %s; only the monitor prints them" % path,
              file=sys.stderr)
    return 0 if stats.blocks and not stats.wrong else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file")
    parser.add_argument("--vmlinux", default="", help="kernel whose functions are named")
    args = parser.parse_args()
    try:
        return report(args.file, args.vmlinux)
    except Refusal as why:
        print("monstat: %s" % why, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
