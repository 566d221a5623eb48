#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compile or link a pairwise covering set of configurations.

Owns: the switches, which combinations Kconfig allows, the covering set, the
      64-bit defconfig.
Not here: `.config` (`kconfig.py`), running make (`kernel.py`).
Runs: `configs.py compile` (arch/x86, kernel, mm of each row), `configs.py link`
      (vmlinux of each row, and of a 64-bit defconfig), `configs.py tiny64` (a
      small 64-bit bzImage), `configs.py list`.
Fails: exit 1; the closing line counts rows.
"""
import argparse
import itertools
import os
import sys

from kconfig import make_config
from kernel import PROJECT, compile_tree, fragment, prepare_tree
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


def covering_set():
    """Rows in which every possible pair occurs: greedy, the same every time."""
    rows = [r for r in completions({}) if allowed(r)]
    pairs = {id(r): pairs_of(r) for r in rows}
    left = set().union(*pairs.values())
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


def build_row(tree, place, number, row, goals, out):
    odir = os.path.join(place, "cover-%02d" % number)
    make_config(tree, odir, "i386", row_text(row))
    compile_tree(tree, odir, "i386", goals, out, usual=340)


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


def jobs_for(verb, tree, out):
    """(name, function) of everything that shall build."""
    place = os.path.dirname(tree)
    if verb == "tiny64":
        yield "tiny 64-bit kernel", lambda: tiny64(tree, place, out)
        return
    goals = ["vmlinux"] if verb == "link" else ["arch/x86/", "kernel/", "mm/"]
    for number, row in enumerate(covering_set(), 1):
        yield row_name(row), lambda n=number, r=row: build_row(tree, place, n, r, goals, out)
    if verb == "link":
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
