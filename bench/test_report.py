#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of reports: made by bench.py from fake boots, and what they show."""
import contextlib
import io
import os
import re
import subprocess
import unittest
import xml.dom.minidom
from unittest import mock

import bench
import catalogue
import cells
import configurations
import fakes
import outputs
import tables

INI = """
[baseline]
kernel = baseline
[aa]
kernel = baseline
against = baseline
noise = yes
[vmi]
about = the <one>
kernel = vmi
against = baseline
goals = rows
published = vmware-2007
[peer]
kernel = peer
against = baseline
peer = yes
"""
BOOT = """
echo "bench: getppid min=1 med=1 n=1"
echo "[ 1.0] paravirt: backend native, sites 9: 9 inline, 0 call, 0 jump, 0 nop, 0 indirect, %d us"
"""
GONE = "\n[tcvis]\ntable = Graphics\nabsent = no graphics here\npublished = " \
       "vmware-2007/SPECviewperf 9.0.3, GeForce 7600GT/tcvis-01\n"


class Bench(fakes.Fake):
    """bench.py as a whole, on a small set of configurations and rows."""

    def setUp(self):
        super().setUp()
        ini = self.put("configurations.ini", INI)
        rows = os.path.dirname(self.put("rows/micro.ini", fakes.ROWS + GONE))
        known = configurations.load

        def load(user_kernel=""):
            return known(ini, user_kernel)
        read = catalogue.rows
        for patch in (mock.patch.object(configurations, "load", load),
                      mock.patch.object(catalogue, "rows", lambda u, p=rows: read(u, p))):
            patch.start()
            self.addCleanup(patch.stop)
        read.cache_clear()
        # Drawing takes longer than all the rest; two tests do draw.
        self.draw = mock.patch.object(outputs, "draw", lambda *_: {})
        self.draw.start()
        self.addCleanup(mock.patch.stopall)
        self.kernel("baseline", BOOT % 0 + fakes.good())
        self.kernel("vmi", BOOT % 700 + fakes.good(segv=1002, mmap=1100))

    def bench(self, *words):
        """(exit status, output)"""
        with contextlib.redirect_stdout(io.StringIO()) as out, \
             contextlib.redirect_stderr(out), \
             mock.patch("sys.argv", ["bench.py", "--out", self.out, "--no-build", "--bench",
                                     "micro", "--runs", "3", *words]):
            return bench.main(), out.getvalue()

    def report(self):
        return cells.read(os.path.join(self.place, "report.json"))

    def text(self, ending):
        with open(os.path.join(self.place, "report" + ending), encoding="utf-8") as f:
            return f.read()

    def row(self, name):
        return next(r for t in self.report()["tables"] for r in t["rows"] if r["name"] == name)

    def test_reports_ratios_verdicts_published_and_noise(self):
        status, text = self.bench()
        self.assertEqual(status, 1, text)
        self.assertIn("bench: vmi: micro: mmap: ratio 0.9091 is below 0.9900", text)
        self.assertIn("bench: 1 below the goal", text)
        segv, mmap = self.row("segv"), self.row("mmap")
        self.assertEqual(segv["results"]["vmi"]["verdict"], "reached")
        self.assertEqual(segv["results"]["aa"]["ratio"], 1)
        self.assertEqual([(p["base"], p["this"], p["ratio"]) for p in segv["published"]],
                         [("3.26", "3.33", 0.97)])
        self.assertEqual(mmap["results"]["vmi"]["verdict"], "missed")
        self.assertEqual(self.row("tcvis")["absent"], "no graphics here")
        self.assertIn("| segv | 0.970 | 1.0000 | 0.9980 |", self.text(".md"))
        self.assertIn("| mmap | - | 1.0000 | 0.9091 ! |", self.text(".md"))
        self.assertIn("Not reproducible here (tcvis): no graphics here.", self.text(".md"))

    def test_peer_that_is_not_there_is_named(self):
        _, text = self.bench()
        self.assertRegex(text, r"bench: peer is left out: no file \S*linux-6.1/peer/\S*bzImage")
        self.assertIn("- peer: left out: no file", self.text(".md"))
        self.assertIn("peer: left out: no file", self.text(".html"))

    def test_kernel_of_ours_that_is_not_there_stops_before_any_boot(self):
        os.unlink(os.path.join(self.out, "linux-6.1/vmi/arch/x86/boot/bzImage"))
        status, text = self.bench()
        self.assertEqual((status, text.count("\n")), (2, 1), text)
        self.assertIn("bench: vmi: no file", text)
        self.assertEqual(self.boots_of("baseline"), [])

    def test_same_cells_give_the_same_bytes_but_for_the_time(self):
        self.bench()
        first = self.text(".json")
        with mock.patch("time.gmtime", lambda: (2000, 1, 1, 0, 0, 0, 0, 1, 0)):
            self.bench()
        second = self.text(".json")
        self.assertNotEqual(first, second)
        self.assertEqual(*(re.sub(r'"made": "[^"]*"', "", t) for t in (first, second)))
        self.assertNotIn(self.out, first)

    def test_kernel_that_does_not_boot_is_shown_as_missing(self):
        self.kernel("vmi", "echo 'Kernel panic - not syncing: x'; exit 1")
        status, text = self.bench()
        self.assertEqual(status, 2)
        self.assertIn("bench: vmi, micro, boot 0: QEMU status 1", text)
        self.assertIn("no result: vmi micro 0", text)
        self.assertIn("QEMU status 1", self.row("segv")["results"]["vmi"]["missing"])
        self.assertNotIn(os.path.dirname(self.out), self.text(".json"))
        self.assertIn("| segv | 0.970 | 1.0000 | missing |", self.text(".md"))
        self.assertRegex(self.text(".md"), r"- vmi, micro: boot 0 missing: .*Kernel panic")
        self.assertIn('<td class="gap">missing</td>', self.text(".html"))

    def test_boots_that_are_missing_are_marked(self):
        self.kernel("vmi", '[ $(wc -l <"$0.boots") != 2 ] || exit 1' + BOOT % 1 + fakes.good())
        status, text = self.bench("--jobs", "1")
        self.assertEqual(status, 2, text)
        self.assertEqual(self.row("segv")["results"]["vmi"]["remarks"],
                         ["vmi: only 2 of 3 boots"])
        self.assertIn("1.0000 #", self.text(".md"))

    def test_patching_and_text_are_judged(self):
        sizes = iter((100000, 100900, 100000, 101100))
        self.put("linux-6.1/baseline/vmlinux", "")
        self.put("linux-6.1/vmi/vmlinux", "")
        with mock.patch("compare.text_bytes", lambda _: next(sizes)):
            self.bench("--jobs", "1")
            first = self.report()["configurations"][2]
            self.kernel("baseline", BOOT % 0 + fakes.good() + "#")
            self.kernel("vmi", BOOT % 2001 + fakes.good())
            status, text = self.bench("--jobs", "1")
        self.assertEqual((first["patch_us"], first["sites"], first["patch_verdict"],
                          first["text_verdict"]), (700, 9, "reached", "reached"))
        self.assertAlmostEqual(first["text_growth"], 0.9)
        second = self.report()["configurations"][2]
        self.assertEqual((second["patch_verdict"], second["text_verdict"]), ("missed",) * 2)
        self.assertEqual(status, 1)
        self.assertIn("bench: vmi: text +1.10 %, patching 2001 us", text)
        self.assertIn("| +1.10 % ! | 9 | 2001 us ! |", self.text(".md"))

    def test_unit_that_is_not_built_is_named_and_fails(self):
        os.unlink(os.path.join(self.out, "user/bench"))
        status, text = self.bench()
        self.assertEqual(status, 2)
        self.assertIn("bench: unit micro: no file", text)
        self.assertIn("- micro: left out: unit micro: no file", self.text(".md"))

    def test_difference_not_above_the_noise_is_marked(self):
        # Boots with more padding, those of A/A, take longer.
        size = 'size=$(stat -c %s "$initrd"); [ $size -lt 15000 ] && n=1000 || n=1100; '
        self.kernel("baseline", size + BOOT % 0 + fakes.good(mmap=77).replace("77", "$n"))
        self.kernel("vmi", BOOT % 1 + fakes.good(mmap=1050))
        self.bench()
        self.assertEqual(self.row("mmap")["results"]["vmi"]["remarks"], ["not more than A/A"])
        self.assertEqual(self.row("mmap")["results"]["aa"]["verdict"], "reached")
        self.assertIn("| 0.9524 !~ |", self.text(".md"))

    def test_noise_that_is_too_large_is_told(self):
        size = 'size=$(stat -c %s "$initrd"); [ $size -lt 15000 ] && n=1000 || n=1002; '
        self.kernel("baseline", size + BOOT % 0 + fakes.good(segv=77).replace("77", "$n"))
        status, text = self.bench("--configurations", "baseline")
        self.assertEqual(status, 1, text)
        self.assertIn("aa: micro: segv: A/A differs too much: ratio 0.9980 (0.9980-0.9980)", text)

    def test_arguments_that_are_wrong_end_with_one_reason(self):
        for words, why in ((["--runs", "1"], "RUNS=1: an interval needs 2"),
                           (["--bench", "mikro"], "BENCH=mikro: use micro")):
            with self.assertRaises(SystemExit) as end, \
                 contextlib.redirect_stderr(io.StringIO()) as err, \
                 mock.patch("sys.argv", ["bench.py", *words]):
                bench.main()
            self.assertEqual(end.exception.code, 2)
            self.assertIn(why, err.getvalue())
        status, text = self.bench("--configurations", "wmi")
        self.assertEqual(status, 2)
        self.assertIn("bench: no configuration wmi; there are baseline aa vmi peer\n", text)

    def test_page_is_one_well_formed_file(self):
        self.bench()
        page = self.text(".html")
        self.assertNotRegex(page, r"(?:src|href)=\"(?!#)")
        self.assertIn("the &lt;one&gt;", page)
        self.assertIn('<td class="bad">0.9091<small>!</small></td>', page)

    def test_without_matplotlib_one_line_and_a_page_without_plots(self):
        self.draw.stop()
        python = self.put("bin/python", "#!/bin/sh\necho 'matplotlib is missing: x' >&2; exit 1\n",
                          0o755)
        for path, why in ((python, "matplotlib is missing: x"),
                          ("/no/such/python", "/no/such/python: No such file")):
            with mock.patch.object(outputs, "PYTHON", path):
                _, text = self.bench()
            self.assertIn("bench: no plots: " + why, text)
            self.assertNotIn("<svg", self.text(".html"))

    def test_plot_of_each_table(self):
        has = subprocess.run([outputs.PYTHON, "-c", "import matplotlib"], check=False,
                             capture_output=True)
        if has.returncode:
            self.skipTest("python3-matplotlib is missing")
        self.draw.stop()
        self.bench()
        self.assertEqual(self.text(".html").count("<svg"), 1)
        path = os.path.join(self.place, "plots/0.svg")
        with open(path, "rb") as f:
            first = f.read()
        xml.dom.minidom.parseString(first)
        self.bench()
        with open(path, "rb") as f:
            self.assertEqual(f.read(), first)

    def test_users_kernel_is_measured(self):
        image = self.kernel("mine", BOOT % 1 + fakes.good(segv=1250))
        self.bench("--kernel", image)
        self.assertEqual(self.row("segv")["results"][configurations.USER]["ratio"], 0.8)


class Summary(unittest.TestCase):
    def test_mean_lowest_and_goals(self):
        def result(ratio, verdict):
            return {"results": {"x": {"ratio": ratio, "verdict": verdict}}, "name": verdict}
        found = {"configurations": [{"name": "x", "against": "b", "noise": False, "peer": False}],
                 "tables": [{"unit": "u", "rows": [result(0.5, "missed"), result(2, "reached")]}]}
        self.assertEqual(tables.summary(found), [["x", "b", "u", "2", "1.0000",
                                                  "0.5000 (missed)", "1 of 2"]])


if __name__ == "__main__":
    unittest.main()
