#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the in-guest program: its rows and those that the scripts know.

Owns: the row tables of `guest/*.c` against `rows/*.ini`, and that each row can be
      found in the built program. The shell inside is left out: any file does.
"""
import os
import re
import subprocess
import tempfile
import unittest

import catalogue

HERE = os.path.dirname(os.path.abspath(__file__))
UNITS = ("micro", "lmbench")
ROW = re.compile(r'^\t\{ "(\w+)",\s*run_(\w+),\s*(\d+),\s*(\d+) \},$', re.M)


def table(unit):
    """[(name, function, iterations, warm-up)] of a unit's source."""
    with open(os.path.join(HERE, "guest", unit + ".c"), encoding="ascii") as f:
        return ROW.findall(f.read())


class Tables(unittest.TestCase):
    def test_guest_and_rows_file_list_the_same(self):
        for unit in UNITS:
            self.assertEqual([row[0] for row in table(unit)], list(catalogue.measured(unit)))

    def test_a_row_is_found_by_its_name(self):
        for unit in UNITS:
            for name, function, _, _ in table(unit):
                self.assertEqual(name, function)

    def test_iterations_fit_the_samples(self):
        with open(os.path.join(HERE, "guest/bench.h"), encoding="ascii") as f:
            most = int(re.search(r"BENCH_MOST\s+(\d+)u", f.read())[1])
        for unit in UNITS:
            for name, _, count, warm_up in table(unit):
                self.assertLessEqual(int(count) + int(warm_up), most, name)


class Program(unittest.TestCase):
    """Attribution finds an iteration by the two RDTSC of a row's function."""

    def two_marks(self, program):
        with tempfile.TemporaryDirectory() as place:
            out = os.path.join(place, "user")
            subprocess.run(["make", "-s", "-C", os.path.join(HERE, "guest"), "O=" + out,
                            "SHELL32=" + __file__, "SHELL64=" + __file__, program],
                           check=True, stdin=subprocess.DEVNULL)
            listing = subprocess.run(["objdump", "-d", os.path.join(out, program)], check=True,
                                     capture_output=True, text=True).stdout
        marks = {m[1]: m[2].count("rdtsc") for m in
                 re.finditer(r"^[0-9a-f]+ <run_(\w+)>:\n((?:.+\n)*)", listing, re.M)}
        for unit in UNITS:
            for name, _, _, _ in table(unit):
                self.assertEqual(marks.get(name), 2, name)

    def test_i386(self):
        self.two_marks("bench")

    def test_x86_64(self):
        self.two_marks("bench64")


if __name__ == "__main__":
    unittest.main()
