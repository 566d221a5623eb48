#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the benchmark scripts: python3 bench/test_bench.py

Owns: log parsing, kernel arguments, ratios and the judgement, without QEMU.
"""
import os
import subprocess
import tempfile
import unittest

import boots
import compare


def figures(**changed):
    """One boot's rows, every figure 1000 unless changed."""
    return {row: {"min": changed.get(row, 1000), "med": changed.get(row, 1000),
                  "n": 10} for row in boots.ROWS}


class Parse(unittest.TestCase):
    def test_reads_rows_between_kernel_lines(self):
        rows = boots.parse("[ 1.0] x\r\nbench: segv min=5 med=7 n=3\r\n[2] y\n")
        self.assertEqual(rows, {"segv": {"min": 5, "med": 7, "n": 3}})

    def test_drops_cut_and_mixed_lines(self):
        self.assertEqual(boots.parse("bench: segv min=5 med=7\n"
                                     "x bench: segv min=5 med=7 n=3\n"
                                     "bench: segv min= med=7 n=3\n"
                                     "bench: segv min=5 med= n=3\n"), {})


class KernelArgument(unittest.TestCase):
    def test_takes_options(self):
        with tempfile.NamedTemporaryFile() as f:
            k = boots.Kernel(f"vmi={f.name},vmlinux={f.name},append=pti=on")
        self.assertEqual((k.name, k.vmlinux, k.append), ("vmi", f.name, "pti=on"))

    def test_refuses_what_it_does_not_know(self):
        for text in ("vmi", "=x", "vmi=", "vmi=/no/such/file",
                     f"vmi={os.devnull}", f"vmi={__file__},rum=x",
                     f"vmi={__file__},rom", f"vmi={__file__},rom=/no/such"):
            with self.assertRaises(ValueError, msg=text):
                boots.Kernel(text)


class Initrd(unittest.TestCase):
    def test_cpio_lists_it_with_every_padding(self):
        for padding in (0, 1, 2, 3, 4097):
            with tempfile.NamedTemporaryFile() as f:
                boots.write_initrd(f.name, __file__, padding)
                out = subprocess.run(["cpio", "-itv", "--quiet"], stdin=f,
                                     capture_output=True, text=True, check=True)
            self.assertEqual(out.stderr, "")
            listed = [line.split() for line in out.stdout.splitlines()]
            self.assertEqual(
                [(m[0], m[4], m[-1]) for m in listed],
                [("-rwxr-xr-x", str(os.path.getsize(__file__)), "init"),
                 ("-rw-r--r--", str(padding), "padding")])


class Compare(unittest.TestCase):
    def test_minimum_counts_in_exact_rows(self):
        rows = compare.compare([figures(segv=990), figures(segv=1200)],
                               [figures(segv=1100), figures(segv=3000)])
        self.assertAlmostEqual(rows["segv"]["ratio"], 0.9)
        self.assertAlmostEqual(rows["getppid"]["ratio"], 1.0)

    def test_median_and_interval_in_spread_rows(self):
        base = [figures(mmap=v) for v in (980, 1000, 1020)]
        this = [figures(mmap=v) for v in (1000, 1020, 1040)]
        row = compare.compare(base, this)["mmap"]
        self.assertAlmostEqual(row["ratio"], 1000 / 1020)
        self.assertLess(row["low"], row["ratio"])
        self.assertGreater(row["high"], 1.0)

    def test_interval_repeats(self):
        base = [figures(mmap=1000 + 37 * i % 101) for i in range(12)]
        this = [figures(mmap=1000 + 41 * i % 103) for i in range(12)]
        self.assertEqual(compare.compare(base, this),
                         compare.compare(base, this))

    def test_judges_exact_rows_by_ratio(self):
        rows = compare.compare([figures()], [figures(getppid=1020)])
        short = compare.shortfalls("vmi", rows, 0.985)
        self.assertEqual(len(short), 1)
        self.assertIn("getppid: 1000 -> 1020", short[0])
        self.assertEqual(compare.shortfalls("vmi", rows, 0.98), [])

    def test_judges_spread_rows_by_the_interval(self):
        base = [figures(nforkwait=v) for v in (960, 1000, 1040)]
        wide = [figures(nforkwait=v) for v in (980, 1020, 1060)]
        narrow = [figures(nforkwait=1100)] * 3
        self.assertEqual(compare.shortfalls("v", compare.compare(base, wide),
                                            0.985), [])
        self.assertEqual(len(compare.shortfalls(
            "v", compare.compare(base, narrow), 0.985)), 1)


class Table(unittest.TestCase):
    def test_has_a_cell_per_row_and_the_growth(self):
        text = compare.table("base", {"vmi": compare.compare([figures()],
                                                             [figures()])},
                             {"base": 1000, "vmi": 1010})
        lines = text.splitlines()
        self.assertEqual({line.count("|") for line in lines},
                         {len(boots.ROWS) + 3})
        self.assertIn("| +1.00 % |", lines[-1])


if __name__ == "__main__":
    unittest.main()
