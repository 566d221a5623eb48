# SPDX-License-Identifier: GPL-2.0-only
"""The soak: its row, its guest, what it takes for an error."""
import argparse
import os
import shutil
import tempfile
import unittest

import paths
import guestlibs
import initramfs
import soak
from boottest import media
from boottest.judge import judge
from boottest.rows import Row
from overlay_plan import Refusal

GOOD = "[    0.000001] Linux version 6.1\n1..1\nok 1 - fork\n"


class Libraries(unittest.TestCase):
    """On a copy of some program of this machine and of what it needs."""

    def tree(self, place, without=""):
        program = shutil.which("readelf")
        for name in guestlibs.needed(program) + [guestlibs.LOADER]:
            path = os.path.join(place, "lib", name)
            if name != without:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                # Any ELF file without needs of its own will do.
                shutil.copyfile("/lib64/ld-linux-x86-64.so.2", path)
        return program

    def test_all_found(self):
        with tempfile.TemporaryDirectory() as place:
            program = self.tree(place)
            found = guestlibs.libraries(place, program)
            self.assertEqual(set(found), {"lib/" + n for n in
                                          [guestlibs.LOADER, *guestlibs.needed(program)]})
            self.assertIn("lib/libc.so.6", found)

    def test_missing(self):
        with tempfile.TemporaryDirectory() as place:
            program = self.tree(place, without="libc.so.6")
            with self.assertRaisesRegex(Refusal, "no libc.so.6 under"):
                guestlibs.libraries(place, program)

    def test_no_program(self):
        with self.assertRaisesRegex(Refusal, "readelf: "):
            guestlibs.needed(os.path.join(paths.PROJECT, "Makefile"))

    def test_in_the_archive(self):
        with tempfile.TemporaryDirectory() as place:
            output = os.path.join(place, "i.gz")
            initramfs.write(output, "/bin/sh", more={"lib/x.so": "/bin/sh"})
            self.assertGreater(os.path.getsize(output), 1000)
            with self.assertRaises(Refusal):
                initramfs.write(output, "/bin/sh", more={"lib/x.so": "/nonexistent"})


class TheRow(unittest.TestCase):
    def test_length(self):
        with tempfile.TemporaryDirectory() as out:
            image = os.path.join(out, "bz/Image")
            os.makedirs(os.path.dirname(image))
            with open(image, "wb"):
                pass
            args = argparse.Namespace(out=out, minutes=2, kernel=image, rom="none", cpus=2,
                                      mem=512, append="")
            row = soak.soak_row(args)
            self.assertIn("pvtest=soak", media.cmdline(row).split())
            self.assertIn("pvtest_seconds=120", media.cmdline(row).split())
            self.assertGreater(row.timeout, 120)

    def test_last_word(self):
        with tempfile.TemporaryDirectory() as out:
            self.assertEqual(soak.last_word(out), "nothing yet")
            os.makedirs(os.path.join(out, "boot/soak"))
            with open(os.path.join(out, "boot/soak/serial.log"), "w", encoding="ascii") as f:
                f.write("# soak: 30 of 120 s, 6 workloads run\n[   31.0] odd\n")
            self.assertEqual(soak.last_word(out), "# soak: 30 of 120 s, 6 workloads run")


class Judged(unittest.TestCase):
    def reasons(self, log, debugcon=""):
        row = Row(name="soak", mode="soak", forbid=soak.COMPLAINT)
        return judge(row, log, 33, debugcon=debugcon).reasons

    def test_good(self):
        self.assertEqual(self.reasons(GOOD), [])

    def test_complaints(self):
        for text in ("stress-ng: fail:  [7] vm: bit error\n", "[    9.0] WARNING: CPU: 0\n",
                     "vmi-stop: bad frame\n"):
            self.assertEqual(self.reasons(GOOD + text), ["forbidden: " + text.strip()])
        self.assertEqual(self.reasons(GOOD, "vmi-stop: x\n"), ["forbidden: vmi-stop: x"])


if __name__ == "__main__":
    unittest.main()
