#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compile or link a pairwise covering set of configurations.

Owns: the switches, which combinations Kconfig allows, the covering set, the
      64-bit defconfig.
Not here: `.config` (`kconfig.py`), running make (`kernel.py`).
Runs: `configs.py compile` (arch/x86, kernel, mm of the rows that the kernels of
      `make check` leave open), `configs.py link` (vmlinux of each row, and of a
      64-bit defconfig), `configs.py tiny64` (a small 64-bit bzImage),
      `configs.py list`.
Fails: exit 1; the closing line counts rows.
"""
import argparse
import itertools
import os
import random
import re
import sys

from kconfig import make_config, wanted
from kernel import CHECKED, PROJECT, compile_tree, fragment, full_kernel, prepare_tree
from overlay_plan import Refusal

# Switch -> {value: lines for allnoconfig}. Two values of two switches are a pair.
SWITCHES = {
    "PARAVIRT": {"n": "", "y": "CONFIG_PARAVIRT=y\n"},
    "VMI": {"n": "", "y": "CONFIG_VMI=y\n"},
    "PAE": {"n": "CONFIG_HIGHMEM4G=y\n", "y": "CONFIG_HIGHMEM64G=y\nCONFIG_X86_PAE=y\n"},
    "SMP": {"n": "CONFIG_X86_UP_APIC=y\nCONFIG_X86_UP_IOAPIC=y\n",
            "y": "CONFIG_SMP=y\nCONFIG_NR_CPUS=4\nCONFIG_HOTPLUG_CPU=y\n"},
    "MODULES": {"n": "", "y": "CONFIG_MODULES=y\nCONFIG_MODULE_UNLOAD=y\n"},
    "KVM_GUEST": {"n": "", "y": "CONFIG_KVM_GUEST=y\n"},
    "XEN": {"n": "", "y": "CONFIG_XEN=y\nCONFIG_XEN_PVHVM_GUEST=y\n"},
    "SPINLOCKS": {"n": "", "y": "CONFIG_PARAVIRT_SPINLOCKS=y\n"},
    "PV_DEBUG": {"n": "", "y": "CONFIG_PARAVIRT_DEBUG=y\n"},
    "RETPOLINE": {"n": "", "y": "CONFIG_CPU_MITIGATIONS=y\nCONFIG_RETPOLINE=y\n"},
    "HIGHPTE": {"n": "", "y": "CONFIG_HIGHPTE=y\n"},
    "DEBUG_FS": {"n": "", "y": "CONFIG_DEBUG_FS=y\n"},
    "THP": {"n": "", "y": "CONFIG_TRANSPARENT_HUGEPAGE=y\nCONFIG_COMPACTION=y\n"},
}
# Orders in which ties are broken, to find a small covering set.
TRIES = 20
# What is compiled of a row: where the switches make a difference.
COMPILED = ["arch/x86/", "kernel/", "mm/"]
NEEDS = {"VMI": ("PARAVIRT",), "KVM_GUEST": ("PARAVIRT",), "XEN": ("PARAVIRT", "PAE"),
         "SPINLOCKS": ("PARAVIRT", "SMP"), "PV_DEBUG": ("PARAVIRT",)}


def allowed(row):
    """Does Kconfig let a row take effect?"""
    return all(row[n] == "y" for s, needs in NEEDS.items() if row[s] == "y" for n in needs)


def completions(pair):
    """All values of the switches that a pair leaves open."""
    rest = [s for s in SWITCHES if s not in pair]
    for values in itertools.product("ny", repeat=len(rest)):
        yield dict(zip(rest, values))


def pairs_of(row):
    return set(itertools.combinations(sorted(row.items()), 2))


def row_of(text):
    """The row that a configuration is."""
    on = {s for s, v in wanted(text).items() if v == "y"}
    return {s: "y" if set(re.findall(r"(\w+)=y", values["y"])) <= on else "n"
            for s, values in SWITCHES.items()}


def checked_kernels():
    return [row_of(full_kernel(flavour, pae, "y")) for flavour, pae in CHECKED]


def covering_set(have=()):
    """Rows in which every possible pair occurs that is not in those we have.

    The smallest of a few greedy ones, the same every time.
    """
    rows = [r for r in completions({}) if allowed(r)]
    pairs = {id(r): pairs_of(r) for r in rows}
    left = set().union(*pairs.values()).difference(*map(pairs_of, have))
    shuffle = random.Random(0).shuffle
    found = []
    for _ in range(TRIES):
        shuffle(rows)
        found.append(greedy(rows, pairs, set(left)))
    return min(found, key=len)


def greedy(rows, pairs, left):
    """Rows that together have all pairs of left: always one that has most of the rest."""
    chosen = []
    while left:
        best = max(rows, key=lambda r: len(pairs[id(r)] & left))
        chosen.append(best)
        left -= pairs[id(best)]
    return chosen


def row_text(row):
    return fragment("tiny") + "".join(SWITCHES[s][v] for s, v in row.items())


def row_name(row):
    return "+".join(s for s, v in row.items() if v == "y").lower() or "nothing"


def build_row(tree, name, row, goals, out):
    """Build a row in the directory `name` beside the tree, which is returned."""
    odir = os.path.join(os.path.dirname(tree), name)
    make_config(tree, odir, "i386", row_text(row))
    compile_tree(tree, odir, "i386", goals, out, usual=340)
    return odir


def defconfig64(tree, place, out):
    odir = os.path.join(place, "defconfig-64")
    make_config(tree, odir, "x86_64", "CONFIG_WERROR=y\n",
                os.path.join(tree, "arch/x86/configs/x86_64_defconfig"))
    compile_tree(tree, odir, "x86_64", ["vmlinux"], out, usual=3000)


def tiny64(tree, place, out):
    """A 64-bit kernel of the overlaid tree, for a boot row."""
    odir = os.path.join(place, "tiny64")
    make_config(tree, odir, "x86_64", fragment("tiny64"))
    compile_tree(tree, odir, "x86_64", ["bzImage"], out, usual=900)


def rows_to_compile():
    """{name of the O= directory: row} of the verb compile."""
    return {"cover-%02d" % n: r for n, r in enumerate(covering_set(checked_kernels()), 1)}


def jobs_for(verb, tree, out):
    """(name, function) of everything that shall build."""
    place = os.path.dirname(tree)
    if verb == "tiny64":
        yield "tiny 64-bit kernel", lambda: tiny64(tree, place, out)
        return
    if verb == "compile":
        for name, row in rows_to_compile().items():
            yield row_name(row), lambda n=name, r=row: build_row(tree, n, r, COMPILED, out)
    if verb == "link":
        for number, row in enumerate(covering_set(), 1):
            yield row_name(row), lambda n="link-%02d" % number, r=row: build_row(
                tree, n, r, ["vmlinux"], out)
        yield "x86-64 defconfig", lambda: defconfig64(tree, place, out)


def run(verb, out):
    tree = prepare_tree(out)
    passed = failed = 0
    for name, job in jobs_for(verb, tree, out):
        try:
            job()
            passed += 1
            print("configs: passed %s" % name, flush=True)
        except Refusal as why:
            failed += 1
            print("configs: FAILED %s: %s" % (name, why), flush=True)
    print("configs: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("verb", choices=("compile", "link", "tiny64", "list"))
    args = parser.parse_args()
    if args.verb == "list":
        print("\n".join(row_name(row) for row in covering_set()))
        return 0
    try:
        return run(args.verb, args.out)
    except Refusal as why:
        print("configs: %s" % why, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
