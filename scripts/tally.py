#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run commands, show what they print, and count the tests in it.

Owns: the closing line `<name>: N passed, M failed[, K skipped]`.
Runs: `tally.py NAME -- COMMAND... [-- COMMAND...]`, in order.
Fails: exit 1 if a test failed, a command ended badly, or a command printed no
       result at all.

Counted are TAP results, and lines `<what>: N passed, K skipped[, FAILED: why]`.
"""
import os
import re
import subprocess
import sys

TAP = re.compile(r"(not )?ok\b(?: \d+)?(?: - )?([^#]*)(?:# *(.*))?$")
LINE = re.compile(r"\S.*: (\d+) passed, (?:(\d+) failed, )?(\d+) skipped(, FAILED)?")


class Count:
    """Sums over all commands."""

    def __init__(self, name):
        self.name, self.passed, self.failed, self.skips = name, 0, 0, {}
        self.unnamed = 0

    def line(self, text):
        tap, line = TAP.match(text), LINE.match(text)
        if tap:
            comment = tap.group(3) or ""
            if tap.group(1):
                self.failed += 1
            elif comment.upper().startswith("SKIP"):
                self.skips["%s: %s" % (tap.group(2).strip(), comment[4:].strip())] = True
            else:
                self.passed += 1
        elif line:
            self.passed += int(line.group(1))
            self.failed += int(line.group(2) or 0) or bool(line.group(4))
            self.unnamed += int(line.group(3))

    @property
    def results(self):
        return self.passed + self.failed + len(self.skips) + self.unnamed

    def closing(self):
        skipped = len(self.skips) + self.unnamed
        return "%s: %d passed, %d failed%s" % (self.name, self.passed, self.failed,
                                               ", %d skipped" % skipped if skipped else "")


def run(command, count):
    """Count one command's results; a bad end is a failure of its own."""
    before, failed = count.results, count.failed
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL,
                          env={k: v for k, v in os.environ.items()
                               if k not in ("MAKEFLAGS", "MFLAGS")}) as job:
        for line in job.stdout:
            print(line, end="", flush=True)
            count.line(line.rstrip())
    if job.returncode and count.failed == failed:
        print("%s: FAILED, status %d: %s" % (count.name, job.returncode, " ".join(command)))
        count.failed += 1
    elif count.results == before:
        print("%s: FAILED, no result: %s" % (count.name, " ".join(command)))
        count.failed += 1


def split(words):
    """Commands between the `--`."""
    commands = []
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def main():
    if len(sys.argv) < 4 or sys.argv[2] != "--":
        sys.exit("usage: tally.py NAME -- COMMAND... [-- COMMAND...]")
    count = Count(sys.argv[1])
    for command in split(sys.argv[2:]):
        run(command, count)
    for skip in count.skips:
        print("%s: skipped %s" % (count.name, skip))
    print(count.closing())
    return 1 if count.failed else 0


if __name__ == "__main__":
    sys.exit(main())
