#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""With PARAVIRT=n the overlay must not change one instruction.

Owns: building a tiny kernel from the stock and from the overlaid tree, with
      DEBUG_BUGVERBOSE=n (line numbers are code otherwise), and comparing the
      executable sections and relocations of every built-in object.
Not here: reading objects (`objcode.py`).
Runs: `check_n.py [VARIANT...]`, by default all; `--part` compares only arch/x86,
      kernel and mm.
Fails: exit 1; each object that differs is named.
"""
import argparse
import os
import re
import sys

from configs import COMPILED
from kconfig import make_config
from kernel import PROJECT, compile_tree, fragment, prepare_tree
from objcode import code_of, differences
from overlay_plan import Refusal

VARIANTS = {
    "nopae-up": "CONFIG_HIGHMEM4G=y\nCONFIG_X86_UP_APIC=y\nCONFIG_X86_UP_IOAPIC=y\n",
    "pae-smp": "CONFIG_HIGHMEM64G=y\nCONFIG_X86_PAE=y\nCONFIG_SMP=y\nCONFIG_HOTPLUG_CPU=y\n",
}
# Not part of the image, or made of other objects.
SKIPPED = re.compile(r"(^|/)(scripts|tools|arch/x86/tools|\.tmp_\S*)(/|$)|vmlinux\.o$|\.mod\.o$")


def objects(odir):
    """Paths of the objects of a build, relative to its directory."""
    found = set()
    for where, _, names in os.walk(odir):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), odir)
            if name.endswith(".o") and not SKIPPED.search(path):
                found.add(path)
    return found


def compare(stock, ours):
    """(objects compared, lines about those that differ)."""
    one, other = objects(stock), objects(ours)
    bad = ["%s: only in the %s build" % (p, "stock" if p in one else "overlaid")
           for p in sorted(one ^ other)]
    same = 0
    for path in sorted(one & other):
        try:
            changed = differences(code_of(os.path.join(stock, path)),
                                  code_of(os.path.join(ours, path)))
        except ValueError:
            continue
        same += 1
        if changed:
            bad.append("%s: %s differ" % (path, ", ".join(changed)))
    return same, bad


def build(out, overlay, variant, part):
    tree = prepare_tree(out, overlay)
    odir = os.path.join(os.path.dirname(tree), "%s-%s-%s" % (
        "part" if part else "n", variant, "ours" if overlay else "stock"))
    make_config(tree, odir, "i386", fragment("tiny") + "CONFIG_PARAVIRT=n\n" + VARIANTS[variant])
    compile_tree(tree, odir, "i386", COMPILED if part else ["vmlinux"], out,
                 usual=370 if part else 870)
    return odir


def check(out, variant, part):
    """Does one variant come out the same?"""
    same, bad = compare(*(build(out, overlay, variant, part) for overlay in (False, True)))
    for line in bad[:20]:
        print("check-n: %s" % line)
    print("check-n: %s: %d objects compared, %d differ" % (variant, same, len(bad)), flush=True)
    return same > 100 and not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--part", action="store_true", help="only " + " ".join(COMPILED))
    parser.add_argument("variants", nargs="*", metavar="VARIANT")
    args = parser.parse_args()
    chosen = args.variants or list(VARIANTS)
    if not set(chosen) <= VARIANTS.keys():
        parser.error("variants are %s" % " ".join(VARIANTS))
    try:
        passed = sum(check(args.out, variant, args.part) for variant in chosen)
    except Refusal as why:
        print("check-n: %s" % why, file=sys.stderr)
        passed = 0
    print("check-n: %d passed, %d failed" % (passed, len(chosen) - passed))
    return 0 if passed == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
