#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where one row's extra instructions go, by function and by site.

Usage: bench/explain.py --program build/user/bench --row getppid [options] \\
           BASE=bzImage[,vmlinux=F][,rom=F] NAME=bzImage[,vmlinux=F][,rom=F]

Compares the shortest iteration of a few in the second kernel with that in the first.

Owns: the command line and the tables.
Not here: the boots (`trace.py`), names (`attribute.py`), code (`code_diff.py`).
Exit status: 0, or 2 with one line when there is no trace.
"""
import argparse
import os
import sys

import attribute
import boots
import code_diff
import elf32
import trace


class Side:
    """One kernel with its trace and counts."""

    def __init__(self, kernel, args):
        self.name = kernel.name
        elf = elf32.Elf32(kernel.vmlinux)
        self.traced = trace.trace(kernel, args.program, args.row, args.work, args.timeout,
                                  attribute.kernel_text(elf))
        regions = list(attribute.sections_of(elf)) + rom_regions(kernel, self.traced.memory)
        self.where = attribute.Map(regions, attribute.sites_of(elf), self.traced.memory)
        self.functions = attribute.by_function(self.traced.path, self.where)
        self.sites = attribute.by_site(self.traced.path, self.where)


def rom_regions(kernel, memory):
    """Where the ROM's code is, with the symbols that its build left beside it."""
    if not kernel.rom:
        return []
    stem = os.path.splitext(kernel.rom)[0]
    image = stem + ".img/image.elf"
    if os.path.isfile(image):
        return list(attribute.sections_of(elf32.Elf32(image), "monitor: "))
    with open(kernel.rom, "rb") as f:
        rom = f.read()
    base = attribute.find_rom(memory, rom)
    if base is None:
        return []
    if not os.path.isfile(stem + ".elf"):
        return [attribute.Region(base, base + len(rom), [], "ROM: ")]
    code = [(a + base, n) for a, n in elf32.Elf32(stem + ".elf").code()]
    return [attribute.Region(base, base + len(rom), code, "ROM: ")]


def show_head(sides):
    for s in sides:
        f = s.traced.figures
        print(f"{s.name}: {len(s.traced.path)} instructions, the shortest of {s.traced.tried} "
              f"traced iterations; the row alone gives minimum {f['min']}, median {f['med']}")
        if len(s.traced.path) != f["min"]:
            print(f"{s.name}: the trace is {len(s.traced.path) - f['min']:+} off the minimum: "
                  "another path was taken")


def show_functions(sides, everything):
    """Differing functions, largest difference on top."""
    a, b = (s.functions for s in sides)
    print(f"\n{sides[0].name:>10} {sides[1].name:>10} {'more':>7}  function")
    for key in sorted(set(a) | set(b), key=lambda k: (-abs(b[k] - a[k]), k)):
        if everything or a[key] != b[key]:
            print(f"{a[key]:10} {b[key]:10} {b[key] - a[key]:+7}  {key}")
    a, b = (len(s.traced.path) for s in sides)
    print(f"{a:10} {b:10} {b - a:+7}  all, ratio {a / b:.4f}")


def site_rows(side):
    """[(over or None, SiteCost, function, op)]; uses of one op in a function together."""
    merged = {}
    for (function, site), cost in side.sites.items():
        at = merged.setdefault((function, site.op), attribute.SiteCost())
        at.times += cost.times
        at.instructions += cost.instructions
        at.called += cost.called
    rows = []
    for (function, op), cost in merged.items():
        native = code_diff.count_instructions(op.native)
        over = None if native is None else cost.instructions - native * cost.times
        rows.append((over, cost, function, op))
    return sorted(rows, key=lambda r: (-(r[1].instructions if r[0] is None else r[0]), r[2]))


def show_sites(side):
    """Sites, dearest beyond the native form on top."""
    rows = site_rows(side)
    if not rows:
        return
    print(f"\nsites of {side.name}; over: beyond the native form, where that is no function\n"
          f"{'times':>6} {'instr.':>7} {'over':>6}  op, in function: into")
    for over, cost, function, op in rows:
        into = ", ".join(f"{n} {c}" for n, c in cost.called.most_common(4))
        print(f"{cost.times:6} {cost.instructions:7} {'-' if over is None else f'{over:+}':>6}  "
              f"{op.name}, in {function}{': ' + into if into else ''}")
    print(f"{sum(r[1].times for r in rows):6} {sum(r[1].instructions for r in rows):7} "
          f"{sum(r[0] or 0 for r in rows):+6}  all")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", required=True)
    p.add_argument("--row", required=True)
    p.add_argument("--work", default="build/bench/explain", help="logs")
    p.add_argument("--timeout", type=int, default=120, help="seconds per boot")
    p.add_argument("--everything", action="store_true",
                   help="also functions that do not differ")
    p.add_argument("--code", type=int, default=12, metavar="N",
                   help="show the code of the N functions that differ most")
    p.add_argument("kernels", nargs=2, metavar="NAME=bzImage")
    args = p.parse_args()
    try:
        kernels = [boots.Kernel(k) for k in args.kernels]
        for k in kernels:
            if not k.vmlinux:
                raise ValueError(f"kernel {k.name}: no vmlinux beside it, so no symbols")
        sides = [Side(k, args) for k in kernels]
    except (ValueError, trace.TraceError, elf32.ElfError) as e:
        print(f"explain: {e}", file=sys.stderr)
        return 2
    show_head(sides)
    show_functions(sides, args.everything)
    for s in sides:
        show_sites(s)
    code_diff.show(sides, args.code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
