#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measure the published tables again: `make bench`.

Owns: the command line, the order of the steps, the exit status.
Not here: every step (`prepare.py`, `runner.py`, `report.py`, `outputs.py`).
Runs: `bench.py [--bench GROUP...] [--configurations NAME...] [--runs N]`; results go to
      <out>/bench: cells/ (kept between runs), log/, report.json, report.md, report.html.
Exit status: 0 every goal is reached, 1 some are not, 2 something is not measured.
"""
import argparse
import os
import sys

import catalogue
import compare
import configurations
import outputs
import prepare
import report
import runner
import units

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORDER = ("micro", "lmbench", "macro", "cpu", "io", "postmark", "net", "viewperf")
OTHER_RUNS = 3
PROBLEMS = (catalogue.CatalogueError, configurations.ConfigurationError, prepare.PrepareError,
            runner.RunError, units.UnitError, report.ReportError, outputs.OutputError)


def words(values):
    """'a,b c' and ['a', 'b c'] alike: ['a', 'b', 'c']"""
    return [w for value in values for w in value.replace(",", " ").split()]


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", default=os.path.join(PROJECT, "build"))
    p.add_argument("--bench", nargs="*", default=[], metavar="GROUP",
                   help="of " + " ".join(units.GROUPS))
    p.add_argument("--configurations", nargs="*", default=[], metavar="NAME")
    p.add_argument("--runs", type=int, default=0, help="boots of each")
    p.add_argument("--kernel", default="", help="bzImage of the user's")
    p.add_argument("--jobs", type=int, default=os.cpu_count(), help="boots side by side")
    p.add_argument("--name", default="report", help="of the report's files")
    p.add_argument("--label", default="bench", help="begin of the lines")
    p.add_argument("--no-build", action="store_true", help="kernels are there")
    args = p.parse_args()
    args.out, args.bench = os.path.abspath(args.out), words(args.bench)
    args.configurations = words(args.configurations)
    if args.runs and args.runs < 2:
        p.error("RUNS=%d: an interval needs 2 boots or more" % args.runs)
    wrong = [g for g in args.bench if g not in units.GROUPS]
    if wrong:
        p.error("BENCH=%s: use %s" % (" ".join(wrong), " ".join((*units.GROUPS, "sites"))))
    return args


def wanted_units(groups):
    """Names of units in the order of the report."""
    there = catalogue.units()
    names = [u for g in groups for u in units.GROUPS[g]] if groups else there
    return sorted(dict.fromkeys(names), key=lambda u: (ORDER + (u,)).index(u))


def load_units(names, out, may_build):
    """({name: Unit} of what can be measured, {name: why} of the rest)."""
    found, why = {}, prepare.build_units(names, out) if may_build else {}
    for name in names:
        try:
            if name not in why and catalogue.measured(name):
                found[name] = units.load(name, out)
        except units.UnitError as e:
            why[name] = str(e)
    if found:
        found["boot"] = units.load("boot", out)
    return found, why


def tell(args, found, problems):
    """Closing lines; the exit status."""
    missed = report.missed(found)
    for name, row, r in missed:
        print("%s: %s: %s: %s" % (args.label, name, row, (
            "A/A differs too much: ratio %.4f (%.4f-%.4f)" % (r["ratio"], r["low"], r["high"])
            if r["goal"] is None else "ratio %.4f is below %.4f" % (r["ratio"], r["goal"]))))
    over = [c for c in found["configurations"]
            if compare.MISSED in (c.get("text_verdict"), c.get("patch_verdict"))]
    for c in over:
        print("%s: %s: text %+.2f %%, patching %d us; wanted %.1f %% and %d us at most" % (
            args.label, c["name"], c.get("text_growth", 0), c.get("patch_us", 0),
            compare.TEXT_MOST, compare.PATCH_MOST_US))
    for why in problems:
        print("%s: %s" % (args.label, why))
    short = len(missed) + len(over)
    print("%s: %s%s" % (args.label, "%d below the goal" % short if short
                        else "nothing below its goal" if problems else "all goals reached",
                        ", %d missing" % len(problems) if problems else ""))
    return 2 if problems else 1 if short else 0


def measure(args):
    known = configurations.load(user_kernel=args.kernel)
    chosen = configurations.choose(known, args.configurations)
    names = wanted_units(args.bench)
    usable, left_out = prepare.prepare(chosen, args.out, not args.no_build)
    for name, why in left_out.items():
        print("%s: %s is left out: %s" % (args.label, name, why), flush=True)
    loaded, problems = load_units(names, args.out, not args.no_build)
    runs = {u: 1 if u == "boot" else args.runs or (6 if u in units.OWN else OTHER_RUNS)
            for u in loaded}
    planned = runner.plan(usable, loaded, runs, args.out)
    place = os.path.join(args.out, "bench")
    failed = runner.measure(planned, place, args.label, args.jobs)
    found = report.build(planned, usable, names, left_out, problems,
                         os.path.join(place, "cells"))
    outputs.write(found, place, args.name, args.label)
    return tell(args, found, list(problems.values()) + ["no result: " + c.name for c in failed])


def main():
    args = arguments()
    try:
        return measure(args)
    except PROBLEMS as why:
        print("%s: %s" % (args.label, why), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
