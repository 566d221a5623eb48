# SPDX-License-Identifier: GPL-2.0-only
"""Configuration fragments, the initramfs, the QEMU command, the covering set."""
import glob
import itertools
import os
import subprocess
import tempfile
import unittest

import paths
import configs
import initramfs
import kconfig
from boottest import qemu
from boottest.rows import Row
from overlay_plan import Refusal


class Fragments(unittest.TestCase):
    def test_symbol_without_effect(self):
        want = kconfig.wanted("CONFIG_A=y\nCONFIG_B=m\nCONFIG_C=n\n# CONFIG_D is not set\n")
        self.assertEqual(kconfig.missed(want, "CONFIG_A=y\nCONFIG_B=m\n"), [])
        self.assertEqual(kconfig.missed(want, "CONFIG_B=y\nCONFIG_D=y\n"),
                         ["CONFIG_A=y (is n)", "CONFIG_B=m (is y)", "CONFIG_D=n (is y)"])

    def test_not_a_line(self):
        with self.assertRaises(Refusal):
            kconfig.wanted("CONFIG_A = y\n")

    def test_ours_are_readable(self):
        for path in glob.glob(os.path.join(paths.PROJECT, "configs/*.config")):
            with open(path, encoding="ascii") as f:
                self.assertTrue(kconfig.wanted(f.read()), path)


class Covering(unittest.TestCase):
    """The set really is pairwise: every possible pair of values occurs."""

    def every_pair(self, rows):
        for a, b in itertools.combinations(configs.SWITCHES, 2):
            for values in itertools.product(configs.SWITCHES[a], configs.SWITCHES[b]):
                pair = dict(zip((a, b), values))
                if not any(configs.allowed(dict(pair, **rest)) for rest in configs.completions(pair)):
                    continue
                self.assertTrue(any(pair.items() <= row.items() for row in rows), pair)

    def test_every_pair(self):
        self.every_pair(configs.covering_set())

    def test_beside_the_checked_kernels(self):
        kernels, rest = configs.checked_kernels(), list(configs.rows_to_compile().values())
        self.assertLess(len(rest), len(configs.covering_set()))
        self.every_pair(kernels + rest)

    def test_row_of_a_kernel(self):
        row = configs.row_of(configs.full_kernel("vmi", "n", "y"))
        self.assertEqual([s for s, v in row.items() if v == "y"],
                         ["PARAVIRT", "VMI", "SMP", "MODULES", "HIGHPTE", "DEBUG_FS", "THP"])

    def test_rows_are_allowed(self):
        rows = configs.covering_set()
        self.assertGreaterEqual(len(rows), 8)
        for row in rows:
            self.assertTrue(configs.allowed(row), row)


class Initramfs(unittest.TestCase):
    def test_cpio_reads_it(self):
        with tempfile.TemporaryDirectory() as place:
            program = os.path.join(place, "p")
            with open(program, "wb") as f:
                f.write(b"abcde")
            data = initramfs.archive(program, {"bin/busybox": program}, [])
            done = subprocess.run(["cpio", "-t", "--quiet"], input=data, check=True,
                                  capture_output=True)
            names = done.stdout.decode().split()
            self.assertEqual(names[-3:], ["dev/null", "init", "bin/busybox"])

    def test_image_without_its_build(self):
        self.assertEqual(initramfs.modules_of(__file__), [])

    def test_missing_program(self):
        with self.assertRaises(Refusal):
            initramfs.archive("/nonexistent/init", {}, [])


class Command(unittest.TestCase):
    def test_rom_order(self):
        with tempfile.TemporaryDirectory() as place:
            row = Row(name="r", roms=["/x/bad/aa.rom", "/x/zz.rom"])
            names = [os.path.basename(p) for p in qemu.order_roms(row, place)]
            self.assertEqual(names, sorted(names, reverse=True))
            self.assertTrue(names[0].endswith("aa.rom"))

    def test_words(self):
        row = Row(name="r", image="bz", cpus=4, mem=1500, cmdline="vmi=off", mode="all")
        words = qemu.command(row, ["a.rom"], "i.gz", "/d", "log")
        text = " ".join(words)
        for part in ("-accel tcg", "-smp 4,sockets=4", "-m 1500", "-no-reboot", "-option-rom a.rom",
                     "console=ttyS0 panic=-1 no_timer_check pvtest=all vmi=off", "iobase=0xf4,iosize=4"):
            self.assertIn(part, text)


if __name__ == "__main__":
    unittest.main()
