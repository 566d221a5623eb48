# SPDX-License-Identifier: GPL-2.0-only
"""Rows of the boot tests: what is refused before any boot, and what `|` means."""
import glob
import os
import tempfile
import unittest

import paths
from boottest.rows import RowError, load, load_text, resolve, unlisted_roms


class Refused(unittest.TestCase):
    def refuse(self, text, want):
        with self.assertRaises(RowError) as caught:
            load_text(text, "t.ini")
        self.assertIn(want, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_unknown_key(self):
        self.refuse("[a]\nexpct = x\n", "t.ini [a]: unknown key 'expct'")

    def test_internal_key(self):
        self.refuse("[a]\nimage = x\n", "unknown key 'image'")

    def test_number(self):
        self.refuse("[a]\ncpus = two\n", "cpus = two; use a number")

    def test_yes_or_no(self):
        self.refuse("[a]\ntap = maybe\n", "tap = maybe; use yes or no")

    def test_mode(self):
        self.refuse("[a]\nmode = fast\n", "mode = fast; use one of")

    def test_expression(self):
        self.refuse("[a]\nexpect = re: (\n", "bad expression '('")

    def test_nothing_to_check(self):
        self.refuse("[a]\ntap = no\n", "nothing to check")

    def test_section_twice(self):
        self.refuse("[a]\n[a]\n", "already exists")

    def test_no_section(self):
        self.refuse("cpus = 1\n", "no section headers")

    def test_row_in_two_files(self):
        with tempfile.TemporaryDirectory() as place:
            for name in ("a.ini", "b.ini"):
                with open(os.path.join(place, name), "w", encoding="ascii") as f:
                    f.write("[same]\n")
            with self.assertRaises(RowError):
                load(sorted(glob.glob(place + "/*.ini")))

    def test_missing_files(self):
        with tempfile.TemporaryDirectory() as out:
            row = load_text("[a]\nkernel = vmi-pae-smp\n", "t.ini")[0]
            with self.assertRaisesRegex(RowError, "no .*vmi-pae-smp.*; build it"):
                resolve(row, out)


class Expanded(unittest.TestCase):
    def test_alternatives(self):
        rows = load_text("[m]\nrom = none | native.rom\ncpus = 1 | 4\nmem = 64\n", "t.ini")
        self.assertEqual([(r.name, r.rom, r.cpus, r.mem) for r in rows], [
            ("m.none.1", "none", 1, 64), ("m.none.4", "none", 4, 64),
            ("m.native-rom.1", "native.rom", 1, 64), ("m.native-rom.4", "native.rom", 4, 64)])

    def test_names(self):
        rows = load_text("[m]\nrom = a b | bad/x.rom\ncpu = max,+cmov,vendor=X | qemu32\n", "t.ini")
        self.assertEqual([r.name for r in rows], ["m.a+b.max+cmov+vendor-X", "m.a+b.qemu32",
                                                  "m.bad-x-rom.max+cmov+vendor-X", "m.bad-x-rom.qemu32"])

    def test_defaults(self):
        row = load_text("[defaults]\ncpus = 2\n[a]\nexpect =\n  one two\n  re: x|y\n", "t.ini")[0]
        self.assertEqual((row.cpus, row.expect), (2, ["one two", "re: x|y"]))

    def test_files(self):
        with tempfile.TemporaryDirectory() as out:
            image = os.path.join(out, "linux-6.1/k/arch/x86/boot/bzImage")
            for path in (image, os.path.join(out, "rom/bad/x.rom"), os.path.join(out, "rom/bad/y.rom")):
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="ascii"):
                    pass
            row = resolve(load_text("[a]\nkernel = k\nrom = bad/x.rom\n", "t.ini")[0], out)
            self.assertEqual(row.image, image)
            self.assertEqual(row.roms, [os.path.join(out, "rom", "bad/x.rom")])
            self.assertEqual(unlisted_roms([row], out), ["y.rom"])


class Ours(unittest.TestCase):
    def test_rows_are_valid(self):
        files = glob.glob(os.path.join(paths.PROJECT, "tests/boot/**/*.ini"), recursive=True)
        self.assertTrue(files)
        for path in files:
            self.assertTrue(load([path]), path)


if __name__ == "__main__":
    unittest.main()
