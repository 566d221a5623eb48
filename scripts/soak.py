#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run stress-ng in the guest for minutes and fail on any warning.

Owns: the packages, the row, its length, the progress line every 30 s.
Not here: the workloads (`tests/user/soak.c`), the judge (`boottest/judge.py`).
Runs: `soak.py [--minutes N] [--rom NAME]`; logs in `<out>/boot/soak/`.
Fails: exit 1 if a workload failed, the guest's log holds a warning, or the
       monitor stopped the guest; exit 2 and one line if something is missing.
"""
import argparse
import os
import subprocess
import sys
import threading
import time

import guestlibs
import initramfs
from boottest import qemu
from boottest.judge import judge
from boottest.place import read_log
from boottest.rows import Row, RowError, resolve
from overlay_plan import Refusal

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# stress-ng, and the packages that have its libraries.
PACKAGES = ("stress-ng libc6 libegl1 libgles2 libglvnd0 libgbm1 libdrm2 libexpat1 "
            "libwayland-server0 libffi8 libbsd0 libmd0 libapparmor1 libcrypt1 "
            "libjpeg62-turbo libjudydebian1 libkmod2 liblzma5 libzstd1 libssl3 libsctp1 "
            "libxxhash0 zlib1g").split()
PROGRAM = "usr/bin/stress-ng"
# Boot, and workloads that notice late that the time is over.
SLACK_S, PROGRESS_S = 240, 30
# stress-ng may end with 0 all the same.
COMPLAINT = "stress-ng: (fail|error|warn)"


def soak_row(args):
    seconds = args.minutes * 60
    row = Row(name="soak", kernel=args.kernel, rom=args.rom, cpus=args.cpus, mem=args.mem,
              mode="soak", timeout=seconds + SLACK_S, forbid=COMPLAINT,
              cmdline="kunit.enable=0 pvtest_seconds=%d %s" % (seconds, args.append))
    return resolve(row, args.out)


def guest(row, out):
    """The initramfs with stress-ng; its path."""
    subprocess.run([os.path.join(PROJECT, "scripts/guest_packages"), out, *PACKAGES], check=True)
    root = os.path.join(out, "guest-root")
    program = os.path.join(root, PROGRAM)
    path = os.path.join(out, "boot/initramfs/soak.gz")
    initramfs.write(path, os.path.join(out, "user/init"), row.image,
                    more={"bin/stress-ng": program, **guestlibs.libraries(root, program)})
    return path


def last_word(out):
    """The guest's last progress line, or whatever it said last."""
    lines = [t.strip() for t in read_log(os.path.join(out, "boot/soak"), "serial.log").split("\n")]
    said = [t for t in lines if t.startswith("# soak: ")] or [t for t in lines if t]
    return said[-1][:100] if said else "nothing yet"


def run(row, image, out):
    """qemu.run() with a progress line every 30 s."""
    result = []
    job = threading.Thread(target=lambda: result.append(qemu.run(row, image, out)), daemon=True)
    begin = time.monotonic()
    job.start()
    while True:
        job.join(PROGRESS_S)
        if not job.is_alive():
            return result[0] if result else ("", None, False, "")
        print("soak: %d s, at most %d; guest: %s" % (time.monotonic() - begin, row.timeout,
                                                     last_word(out)), flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--minutes", type=int, default=30)
    parser.add_argument("--kernel", default="vmi-pae-smp")
    parser.add_argument("--rom", default="monitor")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--mem", type=int, default=1024)
    parser.add_argument("--append", default="")
    return parser.parse_args()


def main():
    args = arguments()
    args.out = os.path.abspath(args.out)
    try:
        row = soak_row(args)
        verdict = judge(row, *run(row, guest(row, args.out), args.out))
    except (RowError, Refusal) as why:
        print("soak: %s" % why, file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as why:
        return why.returncode
    for reason in verdict.reasons:
        print("soak: %s" % reason)
    if verdict.reasons:
        print("soak: see %s" % os.path.join(args.out, "boot/soak/serial.log"))
    failed = max(len(verdict.tap.failed), 1) if verdict.reasons else 0
    print("soak: %d passed, %d failed" % (len(verdict.tap.passed), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
