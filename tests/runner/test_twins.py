# SPDX-License-Identifier: GPL-2.0-only
"""Rows whose tests must end as another row's."""
import glob
import os
import unittest

import paths
from boottest.judge import Tap
from boottest.rows import RowError, load, load_text
from boottest.twins import differences, twin_of, with_twins

TEXT = """[plain]
cpus = 1 | 2
[ring1]
rom = monitor
same_as = plain
cpus = 1 | 2
differs =
	sys_hypervisor: there only under a ROM
"""


def rows_of(text):
    return {row.name: row for row in load_text(text, "t.ini")}


class Pairs(unittest.TestCase):
    def refuse(self, text, want):
        rows = rows_of(text)
        with self.assertRaises(RowError) as caught:
            twin_of(rows["a"], rows)
        self.assertIn(want, str(caught.exception))

    def test_same_alternatives(self):
        rows = rows_of(TEXT)
        self.assertEqual(twin_of(rows["ring1.2"], rows).name, "plain.2")

    def test_one_for_all(self):
        rows = rows_of("[plain]\n[a]\nsame_as = plain\nrom = x | y\n")
        self.assertEqual(twin_of(rows["a.x"], rows).name, "plain")

    def test_missing(self):
        self.refuse("[a]\nsame_as = b\n", "row a: same_as = b; no row b")

    def test_itself(self):
        self.refuse("[a]\nsame_as = a\n", "no row a")

    def test_other_kernel(self):
        self.refuse("[a]\nsame_as = b\n[b]\nmem = 64\n", "mem = 256, but 64 in b: not comparable")

    def test_chosen_too(self):
        rows = rows_of(TEXT)
        chosen = with_twins([rows["ring1.1"]], rows)
        self.assertEqual([row.name for row in chosen], ["ring1.1", "plain.1"])

    def test_differs_alone(self):
        for text in ("[a]\ndiffers = x: y\n", "[a]\nsame_as = b\ndiffers = x\n"):
            with self.assertRaisesRegex(RowError, "differs: "):
                load_text(text, "t.ini")


class Ours(unittest.TestCase):
    def test_pairs(self):
        files = sorted(glob.glob(os.path.join(paths.PROJECT, "tests/boot/monitor/*.ini")))
        rows = {row.name: row for row in load(files)}
        pairs = [(row, twin_of(row, rows)) for row in rows.values() if row.same_as]
        self.assertTrue(pairs)
        for row, twin in pairs:
            self.assertEqual((row.rom, twin.rom), ("monitor", "none"))
        natives = {row.name for row in rows.values() if row.rom == "none"}
        self.assertEqual({twin.name for _, twin in pairs}, natives)


class Compared(unittest.TestCase):
    def compare(self, here, there):
        rows = rows_of(TEXT)
        return differences(rows["ring1.1"], here, rows["plain.1"], there)

    def test_equal(self):
        tap = Tap(2, ["a"], [], [("b", "no NX")])
        other = Tap(2, ["a"], [], [("b", "another reason")])
        self.assertEqual(self.compare(tap, other), [])

    def test_failed_on_both_sides(self):
        self.assertEqual(self.compare(Tap(1, [], ["a: x"]), Tap(1, [], ["a: y"])), [])

    def test_failed_on_one_side(self):
        self.assertEqual(self.compare(Tap(1, [], ["a: x"]), Tap(1, ["a"])),
                         ["a: failed, but passed in plain.1"])

    def test_skipped_on_one_side(self):
        self.assertEqual(self.compare(Tap(1, [], [], [("a", "x")]), Tap(1, ["a"])),
                         ["a: skipped, but passed in plain.1"])

    def test_missing_on_one_side(self):
        self.assertEqual(self.compare(Tap(2, ["a"]), Tap(2, ["a", "b"])),
                         ["1 tests of plain.1 have no result, the first: b"])
        self.assertEqual(self.compare(Tap(2, ["a", "b"]), Tap(2, ["a"])),
                         ["b: passed, but missing in plain.1"])

    def test_listed(self):
        name = "sys_hypervisor"
        self.assertEqual(self.compare(Tap(1, [name]), Tap(1, [], [], [(name, "x")])), [])
        self.assertEqual(self.compare(Tap(1, [], [name]), Tap(1, [], [], [(name, "x")])),
                         [name + ": failed, but skipped in plain.1"])

    def test_silence(self):
        self.assertEqual(self.compare(Tap(), Tap()),
                         ["nothing to compare with plain.1: 0 results, 0 there"])


if __name__ == "__main__":
    unittest.main()
