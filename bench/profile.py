#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where the instructions of a bench row go under the monitor.

Usage: bench/profile.py --program build/user/bench --out DIR bzImage monitor-count.rom

Owns: a boot per row on the counting monitor, the table per iteration.
Not here: the figures themselves (`quick.py`), the counters (`scripts/boottest/stats.py`).
Fails: exit 2 and one line if a boot gave no complete block.

The counting monitor takes some instructions more than the other: the shares
count, not the sums. What ring 0 does is counted by call and by trap; what a call
costs in ring 1, and entering and leaving ring 0, is not.
"""
import argparse
import os
import re
import subprocess
import sys

import boots

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(PROJECT, "scripts"))

from boottest.stats import read_stats  # noqa: E402 (path set above)
from monstat import call_names  # noqa: E402

TRAPS = {13: "#GP: emulated or delivered", 14: "#PF: filled or delivered"}
RESULT = re.compile(r"^bench: (\w+) min=(\d+) med=\d+ n=(\d+)", re.M)


def boot(image, rom, row, out, initrd):
    """(instructions per iteration, iterations, first block) of one row."""
    kernel = boots.Kernel(f"profile={image},rom={rom},append=bench_row={row} bench_stats=1")
    counts = os.path.join(out, f"{row}.counts")
    cmd = boots.command(kernel, initrd, 0) + ["-debugcon", f"file:{counts}"]
    done = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=120, check=False)
    with open(os.path.join(out, f"{row}.log"), "wb") as log:
        log.write(done.stdout)
    found = RESULT.search(done.stdout.decode("latin-1").replace("\r", ""))
    with open(counts, encoding="latin-1") as text:
        blocks = read_stats(text.read()).blocks
    if not found or not blocks:
        raise boots.BootError(f"{row}: no figure or no counts; see {out}/{row}.log")
    return int(found[2]), int(found[3]), blocks[0]


def parts(block, n):
    """[(instructions, times, what)] per iteration, largest first."""
    names = call_names()
    rows = [(cost / n, block.numbered["ring0"].get(call, 0) / n, names.get(call, str(call)))
            for call, cost in block.numbered["call-cycles"].items()]
    for vector, cost in block.numbered["trap-cycles"].items():
        what = TRAPS.get(vector, "interrupts" if vector >= 31 else f"exception {vector}")
        rows.append((cost / n, None, what))
    return sorted((r for r in rows if r[0] >= 1), key=lambda r: -r[0])


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--rows", nargs="+", default=boots.ROWS, choices=boots.ROWS)
    p.add_argument("image")
    p.add_argument("rom")
    args = p.parse_args()
    os.makedirs(args.out, exist_ok=True)
    initrd = os.path.join(args.out, "initrd")
    boots.write_initrd(initrd, args.program, 1)
    print("| row | instructions | in ring 0, by what was asked (times per iteration) |\n"
          "| --- | --- | --- |")
    try:
        for row in args.rows:
            total, n, block = boot(args.image, args.rom, row, args.out, initrd)
            what = ", ".join(f"{name} {cost:.0f}" + (f" ({times:.1f})" if times else "")
                             for cost, times, name in parts(block, n)[:6])
            print(f"| {row} | {total} | {what or 'nothing'} |", flush=True)
    except (boots.BootError, subprocess.TimeoutExpired, ValueError) as error:
        print(f"profile: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
