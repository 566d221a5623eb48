#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Checks that each carrier of the bad-ROM list puts its images in place.

Owns: what a carrier promises: address, checksum, Init, nothing else there.
Not here: what a kernel makes of such a ROM (the boot tests).
Runs: placed.py GUEST.elf LIST BAD_DIR LOGDIR.
Prints: TAP. Fails: status 1 and a reason for each row that differs.

All but the row's one fault must be right: the byte sum is 0 unless length or
checksum are at fault, and Init works unless that is.
"""
import configparser
import os
import re
import sys

import run

LINE = re.compile(r"^rom (0x\w+) length (\d+) sum (\d+) init (\w+)$", re.M)


def expected(row):
    """Return [(address, sum is 0, Init is good)] of a row, by address."""
    images = [(int(row["at"], 0), row.get("field") not in ("length", "checksum"),
               row["expect"] != "failed")]
    if "then" in row:
        images.append((int(row["then"].split()[1], 0), True, True))
    return images


def check(row, text):
    found = [(int(at, 0), sum_ == "0", init == "good")
             for at, _, sum_, init in LINE.findall(text)]
    wanted = expected(row)
    if row.get("field") == "length":
        found = [(at, False, init) for at, _, init in found]
    return None if found == wanted else f"found {found}, expected {wanted}"


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: placed.py GUEST.elf LIST BAD_DIR LOGDIR")
    guest, path, bad_dir, log_dir = sys.argv[1:]
    rows = configparser.ConfigParser(interpolation=None)
    with open(path, encoding="ascii") as text:
        rows.read_file(text)
    os.makedirs(log_dir, exist_ok=True)
    failed = 0
    print(f"1..{len(rows.sections())}")
    for number, name in enumerate(rows.sections(), 1):
        rom = os.path.join(bad_dir, name + ".rom")
        status, text = run.boot(guest, rom, 1, "list",
                                os.path.join(log_dir, f"placed-{name}.log"))
        reason = check(rows[name], text)
        if not reason and status != run.GOOD:
            reason = f"QEMU ended with {status}"
        failed += reason is not None
        print(f"{'not ' if reason else ''}ok {number} - placed {name}", flush=True)
        if reason:
            print(f"# {reason}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
