#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Does the ROM's memory stay hidden from loaders and kernels?

Owns: the cases, TAP.
Not here: running and judging them (`kernel.py`, `probe.py`).
Runs: test_reserve.py --rom ROM --probe IMAGE --kernels DIRECTORY --out DIRECTORY
Fails: status 1 if a test failed, 2 and one line if a file is missing.
"""
import argparse
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import kernel
import probe


@dataclass(frozen=True)
class Case:
    """Sizes in MiB."""
    mem: int
    machine: str = "pc"
    cpus: int = 1
    initrd: int = 1
    flavour: str = "vmi-pae-smp"
    refused: bool = False

    @property
    def name(self):
        return "kernel %s, %s, %d MiB, %d CPUs, initrd %d MiB" % (
            self.flavour, self.machine, self.mem, self.cpus, self.initrd)


def cases():
    found = [Case(mem, machine, cpus) for machine, cpus in (("pc", 1), ("q35", 4))
             for mem in (64, 256, 5120)]
    # With 2060 MiB QEMU puts the initrd where the block would come, and leaves it there.
    found += [Case(mem, machine, initrd=41) for machine in ("pc", "q35")
              for mem in (1024, 2060, 4096)]
    found += [Case(2060), Case(256, flavour="vmi-nopae-smp", cpus=2)]
    return found + [Case(mem, "pc,graphics=off", refused=True) for mem in (32, 63)]


PROBES = (("pc", 64), ("q35", 256), ("bochs", 64), ("bochs", 1024))


def image(args, case):
    return os.path.join(args.kernels, case.flavour, "arch/x86/boot/bzImage")


def tests(args):
    """[(name, function that gives (reasons, why left out))]"""
    found = []
    for number, case in enumerate(cases()):
        found.append((case.name, lambda c=case, n=number:
                      (kernel.check(c, image(args, c), args.rom, place_of(args.out, n)), "")))
    for number, (emulator, mem) in enumerate(PROBES, len(found)):
        found.append(("INT 15h, %s, %d MiB" % (emulator, mem), lambda e=emulator, m=mem, n=number:
                      probe.check(e, m, args.probe, args.rom, place_of(args.out, n))))
    return found


def place_of(out, number):
    """An empty directory; the number is that of the test."""
    place = os.path.join(out, "%02d" % (number + 1))
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    return place


def report(number, name, result):
    """Print TAP; is it good?"""
    reasons, left_out = result
    text = "%sok %d - %s" % ("not " if reasons else "", number, name)
    print(text + (" # SKIP " + left_out if left_out else ""), flush=True)
    for reason in reasons:
        print("#   " + reason)
    return not reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for word in ("rom", "probe", "kernels", "out"):
        parser.add_argument("--" + word, required=True, type=os.path.abspath)
    args = parser.parse_args()
    for path in [args.rom, args.probe] + [image(args, c) for c in cases()]:
        if not os.path.isfile(path):
            print("reserve: no %s; build it (make rom, make kernel)" % path, file=sys.stderr)
            return 2
    chosen = tests(args)
    print("1..%d" % len(chosen), flush=True)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda test: test[1](), chosen))
    good = [report(n, name, result)
            for n, ((name, _), result) in enumerate(zip(chosen, results), 1)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
