#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the cases of a guest that tries to get at the monitor.

Owns: the list of runs (cases.def x page formats x emulators), the verdicts.
Not here: running an emulator (`emulators.py`), the cases (the guest).
Runs: run.py --guest ELF --rom ROM --out DIR [--only NAME...] [--in qemu|bochs].
Prints: TAP, and the closing line `escape: N passed, M failed[, K skipped]`.
Fails: status 1 if a run did not end as its row says. Never right: a triple
fault, no end, an exception of the monitor itself.

Bochs takes long to boot. So a case that QEMU has run in both page formats is
run there in one of them, in turn, unless --full; with --quick only what QEMU
cannot run is. Harmless cases share a boot: the first that has no good end has
failed, and the rest begin anew.
"""
import argparse
import concurrent.futures
import os
import re
import sys

from emulators import Emulator, missing

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = re.compile(r'^(ESCAPE|EARLY)\((\w+),\s*(HARMLESS|STOPPED),\s*(\w+),\s*"([^"]*)",'
                 r'\s*"([^"]*)"\)$', re.M)
TOGETHER = 8
JOBS = 2


class Case:
    """A row of the table."""

    def __init__(self, macro, name, outcome, where, words, pattern):
        self.name, self.outcome, self.pattern = name, outcome, pattern
        self.where = [e for e in ("qemu", "bochs") if e[0].upper() in where]
        self.words = words.split()
        self.alone = macro == "EARLY" or outcome == "STOPPED" or \
            any(w not in ("pae", "nopae") for w in self.words)

    def formats(self):
        return [pae for pae in (0, 1) if not ("nopae" if pae else "pae") in self.words]


def read_table():
    with open(os.path.join(HERE, "cases.def"), encoding="ascii") as f:
        text = f.read()
    cases = [Case(*row) for row in ROW.findall(text)]
    lines = re.findall(r"^(?:ESCAPE|EARLY)\(", text, re.M)
    if len(lines) != len(cases):
        sys.exit("cases.def: %d rows, but %d of them could be read" % (len(lines), len(cases)))
    return cases


def verdict(case, end, text):
    """Why this end of the case is not the one in the table, or None."""
    stops = re.findall(r"^vmi-stop: (.*?)\r?$", text, re.M)
    if any(s.startswith("the monitor itself") for s in stops):
        return stops[0]
    bad = re.findall(r"^escape: %s: bad: (.*)$" % case.name, text, re.M)
    if bad:
        fault = re.findall(r"^escape: (last fault .*)$", text, re.M)
        return bad[0] + "".join("; " + f for f in fault)
    if case.outcome == "HARMLESS":
        if end != "good" or "escape: %s: good\n" % case.name not in text:
            return "; ".join([end] + stops)
        return None
    if end != "stopped" or "escape: %s: begins\n" % case.name not in text:
        return "; ".join([end] + stops)
    where = r"[^,]*, vCPU \d+, EIP 0x[0-9a-f]+:0x[0-9a-f]+$"
    if len(stops) != 1 or not re.match("(?:%s)%s" % (case.pattern, where), stops[0]):
        return "stopped by another line: " + "; ".join(stops)
    return None


def run_group(emulator, cases, pae):
    """[(case, reason or None)]: in one run, or in as many as it takes."""
    results = []
    while cases:
        name = cases[0].name + ("-pae" if pae else "")
        end, text = emulator.run(name, "case=" + ",".join(c.name for c in cases), pae,
                                 cases[0].words)
        if len(cases) == 1:
            return results + [(cases[0], verdict(cases[0], end, text))]
        while cases and "escape: %s: good\n" % cases[0].name in text:
            results.append((cases.pop(0), None))
        if cases:
            results.append((cases[0], verdict(cases[0], end, text) or "it did not begin"))
            cases.pop(0)
    return results


def has_turn(number, case, pae, extent):
    """Whether Bochs runs it in this format."""
    if extent == "full" or len(case.where) == 1:
        return True
    return extent != "quick" and (len(case.formats()) == 1 or number % 2 == pae)


def groups(cases, emulator, pae, extent):
    """Lists of cases that share a run."""
    mine = [c for n, c in enumerate(cases) if emulator in c.where and pae in c.formats()
            and (emulator == "qemu" or has_turn(n, c, pae, extent))]
    if emulator == "qemu":
        return [[c] for c in mine]
    shared = [c for c in mine if not c.alone]
    return ([[c] for c in mine if c.alone] +
            [shared[i:i + TOGETHER] for i in range(0, len(shared), TOGETHER)])


def report(number, what, reason):
    print("%sok %d - %s" % ("not " if reason else "", number, what), flush=True)
    if reason:
        print("# " + reason, flush=True)


def run_all(emulators, cases, extent):
    """(passed, failed)"""
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        waiting = {pool.submit(run_group, e, g, pae): (e, pae) for e in emulators
                   for pae in (0, 1) for g in groups(cases, e.name, pae, extent)}
        for done in concurrent.futures.as_completed(waiting):
            emulator, pae = waiting[done]
            for case, reason in done.result():
                passed, failed = passed + (not reason), failed + bool(reason)
                report(passed + failed, "%s (%s%s)" % (case.name, emulator.name,
                                                       ", PAE" if pae else ""), reason)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--guest", required=True)
    parser.add_argument("--rom", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", nargs="+", help="names of cases")
    parser.add_argument("--full", dest="extent", action="store_const", const="full",
                        default="turns", help="both page formats in Bochs, too")
    parser.add_argument("--quick", dest="extent", action="store_const", const="quick",
                        help="in Bochs only the cases that QEMU cannot run")
    parser.add_argument("--in", dest="emulator", choices=("qemu", "bochs"))
    args = parser.parse_args()
    for path in (args.guest, args.rom):
        if not os.path.exists(path):
            sys.exit("escape: %s: no such file, build it first" % path)
    cases = read_table()
    unknown = set(args.only or ()) - {c.name for c in cases}
    if unknown:
        sys.exit("escape: no case %s in cases.def" % " ".join(sorted(unknown)))
    cases = [c for c in cases if not args.only or c.name in args.only]
    wanted, skipped = [], 0
    for name in ("qemu", "bochs"):
        lacking = missing(name)
        if args.emulator not in (None, name):
            continue
        if lacking:
            print("escape: skipped in %s: no %s" % (name, ", ".join(lacking)))
            skipped += 1
        else:
            wanted.append(Emulator(name, args.guest, args.rom, args.out))
    passed, failed = run_all(wanted, cases, args.extent)
    print("escape: %d passed, %d failed%s" % (passed, failed,
                                              ", %d skipped" % skipped if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
