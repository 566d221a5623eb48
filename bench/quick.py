#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The reduced set for `make check`: has a stable row become worse?

Owns: the comparison with the ratios that are committed, `bench/expected.json`.
Not here: measuring (`runner.py`), goals (`bench.py`).
Runs: `quick.py [--out DIR]`; `--write` puts the ratios of this build into the file.
Fails: exit 1; one line for each row that is more than MOST worse, exit 2 if
       something was not measured. The closing line counts rows.

Only the rows that A/A may move by no more than `catalogue.STABLE` are looked at. What has
become better is said too, so that the file follows.
"""
import argparse
import os
import sys

import bench
import catalogue
import cells
import compare
import configurations
import prepare
import report
import runner
import units

EXPECTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected.json")
CONFIGURATIONS = ("paravirt", "vmi", "vmi_native_rom", "vmi_monitor")
RUNS = 2
MOST = 0.005


def ratios(planned, chosen, place):
    """{configuration: {row: ratio}} of the stable rows."""
    results = report.Results(planned, place)
    return {c.name: {row.name: round(compare.ratio(row, results.of("micro", c.against, row.name),
                                                   results.of("micro", c.name, row.name)), 5)
                     for row in catalogue.rows("micro")
                     if row.noise <= catalogue.STABLE and not row.absent}
            for c in chosen if c.against}


def judge(found, expected):
    """[(passed, line)] for each row that either has."""
    for name in sorted(set(found) | set(expected)):
        for row in sorted(set(found.get(name, {})) | set(expected.get(name, {}))):
            now, then = (where.get(name, {}).get(row) for where in (found, expected))
            if now is None or then is None:
                yield False, "%s: %s: %s; make bench-expect writes the file anew" % (
                    name, row, "not measured" if now is None else "not in expected.json")
            elif now < then * (1 - MOST):
                yield False, "%s: %s: ratio %.4f, was %.4f: %.2f %% more instructions" % (
                    name, row, now, then, (then / now - 1) * 100)
            elif now > then * (1 + MOST):
                yield True, "%s: %s: better: ratio %.4f, was %.4f" % (name, row, now, then)
            else:
                yield True, ""


def measure(out, may_build):
    """The ratios; raises RunError if a boot failed."""
    chosen = configurations.choose(configurations.load(), CONFIGURATIONS)
    prepare.prepare(chosen, out, may_build)
    planned = runner.plan(chosen, {"micro": units.load("micro", out)}, {"micro": RUNS}, out)
    place = os.path.join(out, "bench")
    if runner.measure(planned, place, "bench", os.cpu_count()):
        raise runner.RunError("not everything was measured")
    return ratios(planned, chosen, os.path.join(place, "cells"))


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", default=os.path.join(bench.PROJECT, "build"))
    p.add_argument("--write", action="store_true", help="expected.json anew")
    p.add_argument("--no-build", action="store_true", help="kernels are there")
    args = p.parse_args()
    try:
        found = measure(os.path.abspath(args.out), not args.no_build)
    except bench.PROBLEMS as why:
        print("bench: %s" % why, file=sys.stderr)
        print("bench: 0 passed, 1 failed")
        return 2
    if args.write:
        cells.write(EXPECTED, found)
        return 0
    judged = list(judge(found, cells.read(EXPECTED) or {}))
    for passed, line in judged:
        if line:
            print("bench: %s%s" % ("" if passed else "FAILED: ", line))
    bad = sum(1 for passed, _ in judged if not passed)
    print("bench: %d passed, %d failed" % (len(judged) - bad, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
