#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Where one row's extra instructions go, by function and by site.

Usage: bench/explain.py --out build --row segv --kernel vmi [--base baseline] [--rom native]

Compares the shortest of a few iterations in one configuration with that in another.

Owns: the command line, which kernels and ROMs are meant.
Not here: the boots (`trace.py`), names (`attribute.py`), the tables (`explained.py`).
Exit status: 0, or 2 with one line when there is no trace.
"""
import argparse
import dataclasses
import os
import sys

import attribute
import boots
import catalogue
import configurations
import elf32
import explained
import trace
import units


class ExplainError(Exception):
    """Bad input; one line."""


class Side:
    """One kernel with its trace and counts."""

    def __init__(self, machine, unit, row, work):
        self.name = machine.name
        elf = elf32.Elf32(machine.vmlinux)
        self.traced = trace.trace(machine, unit, row, work, attribute.kernel_text(elf))
        regions = list(attribute.sections_of(elf)) + rom_regions(machine, self.traced.memory)
        self.where = attribute.Map(regions, attribute.sites_of(elf), self.traced.memory)
        self.functions = attribute.by_function(self.traced.path, self.where)
        self.functions[attribute.USER] += self.traced.unseen
        self.sites = attribute.by_site(self.traced.path, self.where)


def rom_regions(machine, memory):
    """Where the ROM's code is, with the symbols that its build left beside it.

    A monitor's code is added to `memory`.
    """
    if not machine.rom:
        return []
    stem = os.path.splitext(machine.rom)[0]
    image = stem + ".img/image.elf"
    if os.path.isfile(image):
        elf = elf32.Elf32(image)
        # The kernel cannot read it there: what ends a return is looked up in the file.
        memory += attribute.code_of(elf)
        return list(attribute.sections_of(elf, "monitor: "))
    with open(machine.rom, "rb") as f:
        rom = f.read()
    base = attribute.find_rom(memory, rom)
    if base is None:
        return []
    code = []
    if os.path.isfile(stem + ".elf"):
        code = [(a + base, n) for a, n in elf32.Elf32(stem + ".elf").code()]
    return [attribute.Region(base, base + len(rom), code, "ROM: ")]


def find_unit(row, out):
    """The unit of our own programs that has the row."""
    known = []
    for name in units.OWN:
        known += catalogue.measured(name)
        if row in catalogue.measured(name):
            return units.load(name, out)
    raise ExplainError(f"no row {row}; there are {' '.join(known)}")


def find_rom(text, out):
    """The file of ROM=: a name in <out>/rom, or a path."""
    if text == "none":
        return None
    path = text if os.sep in text else os.path.join(out, "rom", text + ".rom")
    if not os.path.isfile(path):
        raise ExplainError(f"ROM {text}: no file {path}")
    return path


def machine_of(name, known, args, rom=""):
    """The Machine of a configuration's name or of a bzImage."""
    c = known.get(name)
    if not c and os.sep in name:
        c = configurations.Configuration(os.path.basename(name), kernel=os.path.abspath(name))
    if not c:
        raise ExplainError(f"no configuration {name}; there are {' '.join(known)}")
    if c.qemu != configurations.Configuration.qemu:
        raise ExplainError(f"{name}: not an i386 kernel")
    label = c.name + (f"+{os.path.splitext(os.path.basename(rom))[0]}" if rom else "")
    machine = boots.Machine(label, c.image(args.out),
                            find_rom(rom, args.out) if rom else c.rom_file(args.out), c.append)
    if not machine.vmlinux:
        raise ExplainError(f"{name}: no vmlinux beside {machine.image}, so no symbols")
    return machine


def sides_of(args):
    """[base, kernel], not yet booted."""
    known = configurations.load()
    base = args.base or (known[args.kernel].against if args.kernel in known else "")
    base = base or "baseline"
    machines = [machine_of(base, known, args, args.base_rom),
                machine_of(args.kernel, known, args, args.rom)]
    if machines[0].name == machines[1].name:
        machines[1] = dataclasses.replace(machines[1], name=machines[1].name + "'")
    return machines


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", default="build")
    p.add_argument("--row", required=True)
    p.add_argument("--kernel", required=True, help="configuration or bzImage")
    p.add_argument("--base", default="", help="the same; default: what the kernel is "
                   "compared with in the report")
    p.add_argument("--rom", default="", help="native, monitor, none, a file; default: the "
                   "configuration's")
    p.add_argument("--base-rom", default="")
    p.add_argument("--everything", action="store_true", help="also functions that do not differ")
    p.add_argument("--code", type=int, default=12, metavar="N",
                   help="show the code of the N functions that differ most")
    args = p.parse_args()
    work = os.path.join(args.out, "bench", "explain")
    try:
        unit = find_unit(args.row, args.out)
        sides = [Side(m, unit, args.row, work) for m in sides_of(args)]
    except (ExplainError, ValueError, trace.TraceError, boots.BootError, elf32.ElfError,
            configurations.ConfigurationError, catalogue.CatalogueError,
            units.UnitError) as e:
        print(f"explain: {e}", file=sys.stderr)
        return 2
    explained.show(sides, args.everything, args.code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
