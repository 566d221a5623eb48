# SPDX-License-Identifier: GPL-2.0-only
"""Counting results: of one command (`tally.py`) and over all stages (`check.py`)."""
import os
import subprocess
import sys
import unittest

import paths
import check


def tally(*commands):
    """(status, last line) of tally.py over shell commands."""
    words = [w for c in commands for w in ("--", "sh", "-c", c)]
    done = subprocess.run([sys.executable, os.path.join(paths.PROJECT, "scripts/tally.py"), "t",
                           *words], text=True, capture_output=True, check=False)
    return done.returncode, done.stdout.splitlines()[-1]


class Tally(unittest.TestCase):
    def test_tap(self):
        self.assertEqual(tally("echo ok 1 - a", "echo ok 1 - b"), (0, "t: 2 passed, 0 failed"))

    def test_failure(self):
        self.assertEqual(tally("echo ok 1 - a; echo not ok 2 - b; exit 1"),
                         (1, "t: 1 passed, 1 failed"))

    def test_skip(self):
        self.assertEqual(tally("echo 'ok 1 - a # SKIP no b'; echo ok 2"),
                         (0, "t: 1 passed, 0 failed, 1 skipped"))

    def test_bad_end(self):
        self.assertEqual(tally("echo ok 1 - a; exit 3"), (1, "t: 1 passed, 1 failed"))

    def test_silence(self):
        self.assertEqual(tally("true"), (1, "t: 0 passed, 1 failed"))
        self.assertEqual(tally("echo ok 1", "true"), (1, "t: 1 passed, 1 failed"))

    def test_summary_lines(self):
        self.assertEqual(tally("echo 'native.rom up: 40 passed, 2 skipped'"),
                         (0, "t: 40 passed, 0 failed, 2 skipped"))
        self.assertEqual(tally("echo 'x.rom up: 3 passed, 0 skipped, FAILED: crash'; exit 1"),
                         (1, "t: 3 passed, 1 failed"))


class Stages(unittest.TestCase):
    def test_closing_line(self):
        self.assertEqual(check.counts("boot", "x\nboot: 7 passed, 0 failed, 2 skipped\n", 0),
                         (7, 0, 2))

    def test_last_one_counts(self):
        self.assertEqual(check.counts("boot", "a: 1 passed, 0 failed\nboot: 3 passed, 1 failed\n", 1),
                         (3, 1, 0))

    def test_bad_end_counts(self):
        self.assertEqual(check.counts("lint", "lint: 3 passed, 0 failed\n", 1), (3, 1, 0))

    def test_no_closing_line(self):
        self.assertEqual(check.counts("boot", "boot: no such file\n", 2), (0, 1, 0))

    def test_nothing_counted(self):
        self.assertEqual(check.counts("boot", "boot: 0 passed, 0 failed\n", 0), (0, 1, 0))

    def test_build(self):
        self.assertEqual(check.counts("kernel-vmi-pae", "", 0), (1, 0, 0))
        self.assertEqual(check.counts("kernel-vmi-pae", "", 1), (0, 1, 0))


if __name__ == "__main__":
    unittest.main()
