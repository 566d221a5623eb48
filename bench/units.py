# SPDX-License-Identifier: GPL-2.0-only
"""The units: sets of rows that one boot measures.

Owns: what a unit is, and the units of our own program: micro, lmbench, and boot,
      which only boots, for what the kernel says meanwhile.
Not here: the rows (`catalogue.py`), units that run other programs (`programs.py`,
      `devices.py`).
Fails: `UnitError`, one line that says what to build.
"""
import dataclasses
import importlib
import os

import catalogue

OWN = ("micro", "lmbench")
# What builds the programs and images of a unit, in the project's directory; {out}
# is the directory `build`. Our own program is built by the Makefile.
PROGRAMS = (("bench/root.py", "--out", "{out}"),
            ("make", "-s", "--no-print-directory", "-C", "bench/programs", "O={out}"))
DEVICES = (PROGRAMS[0], ("make", "-s", "--no-print-directory", "-C", "bench/devices",
                         "O={out}"))
STEPS = {"macro": PROGRAMS, "cpu": PROGRAMS, "io": DEVICES, "postmark": DEVICES, "net": DEVICES}
# make bench BENCH=<group>
GROUPS = {"micro": ("micro",), "lmbench": ("lmbench",), "macro": ("macro",), "cpu": ("cpu",),
          "io": ("io", "postmark"), "net": ("net",)}


class UnitError(Exception):
    """A unit that cannot be measured."""


@dataclasses.dataclass(frozen=True)
class Unit:
    """What a boot of a unit needs besides kernel and ROM."""
    name: str
    rows: tuple             # names, in the order in which the guest prints them
    program: str            # static i386 program that becomes /init
    mem: int = 256          # MiB
    sleep: str = "off"      # of -icount
    append: str = ""        # kernel words
    qemu: tuple = ()        # further words of the QEMU command; {scratch}: the disk below
    scratch_mib: int = 0    # MiB of an empty disk for each boot
    files: tuple = ()       # images that the command names: part of the identity
    timeout: int = 120      # seconds of the host


def load(name, out):
    """The Unit; out: the directory `build`.

    Programs must have been built. Raises UnitError, CatalogueError.
    """
    program = os.path.join(out, "user", "bench")
    if name == "boot":
        # Not quiet: the kernel says how long patching took.
        unit = Unit(name, ("getppid",), program, append="loglevel=7 bench_row=getppid")
    elif name in OWN:
        unit = Unit(name, catalogue.measured(name), program, append="bench_unit=" + name)
    else:
        try:
            module = importlib.import_module("devices" if STEPS.get(name) is DEVICES
                                             else "programs")
        except ImportError as why:
            raise UnitError("unit %s: %s" % (name, why)) from None
        unit = module.unit(name, out)
    for path in (unit.program, *unit.files):
        if not os.path.isfile(path):
            raise UnitError("unit %s: no file %s; build it first" % (name, os.path.join(
                os.path.basename(out), os.path.relpath(path, out))))
    return unit
