#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Boot rows in QEMU or Bochs and say which passed.

Owns: the command line, running rows in parallel, progress, table, closing line.
Not here: rows, emulators, judging (`boottest/`).
Runs: `boot.py rows [--only GLOB] FILE...` and `boot.py one --kernel ...`.
Fails: exit 1 if a row failed; exit 2 and one line, before any boot, if a row
       is wrong or a file is missing.
"""
import argparse
import fnmatch
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed

import initramfs
import monstat
from boottest import bochs, qemu
from boottest.judge import judge
from boottest.rows import Row, RowError, load, resolve, unlisted_roms
from boottest.twins import differences, twin_of, with_twins
from overlay_plan import Refusal

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = ("row", "kernel", "ROM", "CPUs", "backend", "ring", "inl/call/jmp/nop/ind",
           "tests", "kunit", "guest s", "result")


def initramfs_for(image, out):
    """The initramfs of a kernel: the same programs, its own modules."""
    name = os.path.abspath(image).replace("/arch/x86/boot/bzImage", "").strip("/")
    path = os.path.join(out, "boot", "initramfs", name.replace("/", "-")[-60:] + ".gz")
    busybox = os.path.join(out, "guest-root/bin/busybox")
    bench = os.path.join(out, "user/bench")
    initramfs.write(path, os.path.join(out, "user/init"), image,
                    busybox if os.path.exists(busybox) else "",
                    bench if os.path.exists(bench) else "")
    return path


def tests_text(tap):
    if not tap.planned:
        return "-"
    skips = " (%d skipped)" % len(tap.skipped) if tap.skipped else ""
    return "%d/%d%s" % (len(tap.passed), tap.planned, skips)


def table_line(row, verdict):
    facts = verdict.facts
    kernel = row.kernel if "/" not in row.kernel else os.path.basename(row.kernel)
    return (row.name, kernel, row.rom, str(row.cpus), facts["backend"], facts["ring"],
            facts["sites"], tests_text(verdict.tap), facts["kunit"], facts["seconds"],
            "FAILED" if verdict.reasons else "passed")


def print_table(lines):
    lines = [COLUMNS] + lines
    width = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
    print()
    for line in lines:
        print("  ".join(text.ljust(w) for text, w in zip(line, width)).rstrip())
    print()


def run_all(rows, out, jobs):
    """{row name: verdict}, with a progress line per row."""
    images = {row.image: initramfs_for(row.image, out) for row in rows}
    verdicts = {}

    def one(row):
        start = time.monotonic()
        emulator = bochs if row.media == "bochs" else qemu
        verdict = judge(row, *emulator.run(row, images[row.image], out))
        return row, verdict, time.monotonic() - start

    # Bochs takes ten times as long: what takes longest begins first.
    order = sorted(rows, key=lambda row: row.media != "bochs")
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(one, row) for row in order]):
            row, verdict, seconds = done.result()
            verdicts[row.name] = verdict
            print("boot: %d/%d %s %s, %d s" % (
                len(verdicts), len(rows), "FAILED" if verdict.reasons else "passed",
                row.name, seconds), flush=True)
            print_reasons(row, verdict.reasons, out)
    return verdicts


def print_reasons(row, reasons, out):
    for reason in reasons:
        print("boot:     %s" % reason)
    if reasons:
        print("boot:     see %s" % os.path.join(out, "boot", row.name, "serial.log"))


def compare_all(rows, verdicts, out):
    """Add to the verdicts what differs from the rows' twins."""
    known = {row.name: row for row in rows}
    for row in (r for r in rows if r.same_as):
        twin = twin_of(row, known)
        reasons = differences(row, verdicts[row.name].tap, twin, verdicts[twin.name].tap)
        if reasons:
            print("boot: %s differs from %s" % (row.name, twin.name))
            print_reasons(row, reasons, out)
        verdicts[row.name].reasons.extend(reasons)


def skips_of(verdicts):
    """'test: reason' of each test that no row could make."""
    made = {name for v in verdicts.values() for name in v.tap.passed + v.tap.failed}
    return {"%s: %s" % (name, why) for v in verdicts.values()
            for name, why in v.tap.skipped if name not in made}


def summary(label, rows, verdicts):
    """Print table, skips and the closing line; return the exit status."""
    print_table([table_line(row, verdicts[row.name]) for row in rows])
    skips = skips_of(verdicts)
    for skip in sorted(skips):
        print("%s: skipped %s" % (label, skip))
    failed = sum(bool(v.reasons) for v in verdicts.values())
    print("%s: %d passed, %d failed" % (label, len(rows) - failed, failed))
    return 1 if failed else 0


def chosen(args):
    known = load(args.files)
    rows = [r for r in known if any(fnmatch.fnmatch(r.name, p) for p in args.only)]
    if not rows:
        raise RowError("no row matches %s" % " ".join(args.only))
    rows = with_twins(rows, {row.name: row for row in known})
    rows = [resolve(row, args.out) for row in rows]
    extra = unlisted_roms(rows, args.out) if args.only == ["*"] and args.complete else []
    if extra:
        raise RowError("bad ROMs that no row boots: %s; add rows to tests/boot/" % " ".join(extra))
    return rows


def single(args):
    """The row of `make boot KERNEL=... ROM=...`."""
    steady = " pvtest_stats=1" if args.stats == "steady" else ""
    row = Row(name="boot", kernel=args.kernel, rom=args.rom, cmdline=args.append + steady,
              cpus=args.cpus, mem=args.mem, mode="shell" if args.shell else "all")
    return resolve(row, args.out)


def print_stats(row, out):
    """The monitor's accounting of a boot that has ended; whether it was there."""
    vmlinux = row.image.replace("arch/x86/boot/bzImage", "vmlinux")
    log = os.path.join(out, "boot", row.name, "debugcon.log")
    return monstat.report(log, vmlinux if os.path.basename(vmlinux) == "vmlinux" else "") == 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--label", default="boot", help="begin of the closing line")
    verbs = parser.add_subparsers(dest="verb", required=True)
    rows = verbs.add_parser("rows")
    rows.add_argument("files", nargs="+")
    rows.add_argument("--only", nargs="+", default=["*"])
    rows.add_argument("--complete", action="store_true", help="every bad ROM must have a row")
    rows.add_argument("--list", action="store_true", help="print names, boot nothing")
    one = verbs.add_parser("one")
    one.add_argument("--kernel", default="vmi-pae-smp")
    one.add_argument("--rom", default="none")
    one.add_argument("--append", default="")
    one.add_argument("--cpus", type=int, default=2)
    one.add_argument("--mem", type=int, default=256)
    one.add_argument("--shell", action="store_true")
    one.add_argument("--stats", default="", choices=("", "1", "steady"),
                     help="print what the monitor counted: 1 in all, steady during the tests")
    args = parser.parse_args()
    args.out = os.path.abspath(args.out)
    return args


def main():
    args = arguments()
    try:
        if args.verb == "one" and args.shell:
            row = single(args)
            return qemu.interact(row, initramfs_for(row.image, args.out), args.out)
        if args.verb == "rows" and args.list:
            print("\n".join(row.name for row in load(args.files)))
            return 0
        rows = [single(args)] if args.verb == "one" else chosen(args)
        verdicts = run_all(rows, args.out, args.jobs)
        compare_all(rows, verdicts, args.out)
        counted = args.verb == "rows" or not args.stats or print_stats(rows[0], args.out)
        return summary(args.label, rows, verdicts) or (0 if counted else 1)
    except (RowError, Refusal) as why:
        print("boot: %s" % why, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
