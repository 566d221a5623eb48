# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of BENCH=sites: the code of every form, what it does, the statistics."""
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import code_diff
import sites
import tables

HERE = os.path.dirname(os.path.abspath(__file__))
NATIVE = {"clc": ["clc"], "save_fl": ["pushf", "pop %eax"], "set_pte": ["mov %edx,(%eax)"]}
NOP = r"lea (%ds:)?0x0\(%esi(,%eiz,1)?\),%esi"


def can_compile():
    """Does this machine build 32-bit programs?"""
    return subprocess.run(["gcc", "-m32", "-static", "-x", "c", "-o", os.devnull, "-"],
                          input="int main(void) { return 0; }", text=True,
                          capture_output=True, check=False).returncode == 0


class Program(unittest.TestCase):
    """What stands in memory and what it does, on this processor."""

    @classmethod
    def setUpClass(cls):
        if not can_compile():
            raise unittest.SkipTest("no 32-bit C library: install gcc-multilib")
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        subprocess.run(["make", "-s", "-C", os.path.join(HERE, "sites"), "O=" + cls.dir.name],
                       check=True, env={k: v for k, v in os.environ.items()
                                        if k not in ("MAKEFLAGS", "MAKELEVEL", "O")})
        cls.program = os.path.join(cls.dir.name, "sites")

    def code(self):
        """{(op, form): [instruction, ...]}"""
        out = subprocess.run([self.program, "code"], capture_output=True, text=True,
                             check=True).stdout
        found = {}
        for line in out.splitlines():
            op, form, address, code = line.split("|")
            found[op, form] = [text for _, text in code_diff.disassemble(
                bytes.fromhex(code), int(address, 16))]
        return found

    def test_every_form_is_what_its_name_says(self):
        code = self.code()
        self.assertEqual(set(code), {(op, form) for op in sites.OPS for form in sites.FORMS})
        for op, native in NATIVE.items():
            self.assertEqual(code[op, "inline native"], native)
            padded = code[op, "inline, prefix padding"]
            # The last of the prefixes shows at the memory operand, if there is one.
            self.assertRegex(padded[0].replace("%ds:", ""),
                             "^(ds )+" + re.escape(native[0]) + "$")
            self.assertEqual(padded[1:], native[1:])
            self.assertEqual(code[op, "inline, NOP padding"][:-1], native)
            self.assertRegex(code[op, "inline, NOP padding"][-1], "^" + NOP + "$")
            self.assertRegex(" ".join(code[op, "direct call"]), r"^ds call 0x[0-9a-f]+$")
            self.assertRegex(" ".join(code[op, "indirect call"]), r"^call \*0x[0-9a-f]+$")
            self.assertRegex(" ".join(code[op, "retpoline"]),
                             r"^mov 0x[0-9a-f]+,%ecx call 0x[0-9a-f]+$")

    def test_every_form_does_what_its_op_does(self):
        done = subprocess.run([self.program, "check"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.stdout.splitlines(),
                         [f"ok {op}, {form}" for op in sites.OPS for form in sites.FORMS])
        self.assertEqual(done.returncode, 0)

    def test_times_every_op_in_every_round(self):
        try:
            sites.processor()
        except sites.SitesError as why:
            self.skipTest(str(why))
        rounds = sites.parse(sites.run(self.program, 40))
        self.assertEqual({op: len(r) for op, r in rounds.items()},
                         {op: 40 for op in sites.OPS})
        self.assertTrue(all(t > 0 for r in rounds.values() for line in r for t in line))

    def test_refuses_other_words(self):
        for words in ([], ["time"], ["time", "0"], ["time", "x"], ["code", "1"]):
            done = subprocess.run([self.program, *words], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")),
                             (2, "", 1), words)


def printed(change=1.0, rounds=50):
    """Lines of the program, the retpoline `change` times as long as usual."""
    return "".join(f"{op} 100 100 200 300 400 {int(1000 * change) + n % 5}\n"
                   for n in range(rounds) for op in sites.OPS)


class Figures(unittest.TestCase):
    def test_ratio_is_to_the_bare_instructions_of_the_same_round(self):
        text = "".join(f"{op} {100 * n} {100 * n} {200 * n} {300 * n} {400 * n} {1000 * n}\n"
                       for n in range(1, 41) for op in sites.OPS)
        found = {(f["op"], f["name"]): f for f in sites.figures(sites.parse(text))}
        self.assertEqual(found["clc", "inline, NOP padding"],
                         {"op": "clc", "name": "inline, NOP padding", "ratio": 2.0,
                          "low": 2.0, "high": 2.0})

    def test_interval_holds_the_median_and_leaves_the_ends_out(self):
        ratio, low, high = sites.middle([float(n) for n in range(101)])
        self.assertEqual((ratio, low, high), (50.0, 40.0, 61.0))

    def test_refuses_what_it_does_not_know(self):
        for text in ("", "clc 1 2 3\n", "sti 1 2 3 4 5 6\n", printed(rounds=29)):
            with self.assertRaises(sites.SitesError, msg=text[:20]):
                sites.parse(text)

    def test_needs_rdtscp(self):
        with tempfile.NamedTemporaryFile("w") as f:
            f.write("model name\t: Old One\nflags\t\t: fpu tsc\n")
            f.flush()
            with self.assertRaisesRegex(sites.SitesError, "RDTSCP"):
                sites.processor(f.name)
            f.write("flags\t\t: fpu tsc rdtscp\n")
            f.flush()
            self.assertEqual(sites.processor(f.name), "Old One")


class Command(unittest.TestCase):
    def main(self, out, printing):
        words = ["sites.py", "--program", "none", "--out", out]
        said = io.StringIO()
        with mock.patch.object(sys, "argv", words), mock.patch.object(sites, "run", printing), \
             mock.patch.object(sites, "processor", lambda: "One"), \
             contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            return sites.main(), said.getvalue()

    def test_writes_the_figures_and_the_report_shows_them(self):
        with tempfile.TemporaryDirectory() as out:
            status, said = self.main(out, lambda program, rounds: printed())
            with open(os.path.join(out, sites.RESULT), encoding="utf-8") as f:
                found = json.load(f)
        self.assertEqual(status, 0)
        self.assertEqual(found["cpu"], "One")
        self.assertEqual(len(found["forms"]), len(sites.OPS) * len(sites.FORMS))
        self.assertIn("retpoline               10.02 (10.01-10.03)", said)
        report = {"made": "now", "configurations": [], "left out": [], "boots": {},
                  "tables": [], "gaps": []}
        self.assertIn("| retpoline | 10.02 (10.01-10.03) |", tables.markdown(report, found))
        self.assertNotIn("retpoline", tables.markdown(report))

    def test_a_failure_is_one_line_and_leaves_no_old_figures(self):
        def fail(program, rounds):
            raise sites.SitesError("no memory")
        with tempfile.TemporaryDirectory() as out:
            self.main(out, lambda program, rounds: printed())
            self.assertEqual(self.main(out, fail), (2, "sites: no memory\n"))
            self.assertEqual(os.listdir(out), [])

    def test_a_missing_program_is_one_line(self):
        with self.assertRaisesRegex(sites.SitesError, "/no/such: No such file"):
            sites.run("/no/such", 1)


if __name__ == "__main__":
    unittest.main()
