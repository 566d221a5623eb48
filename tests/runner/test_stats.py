# SPDX-License-Identifier: GPL-2.0-only
"""The monitor's accounting: lines, tables, the rule `emulated_only`."""
import contextlib
import io
import os
import tempfile
import unittest

import paths
import monstat
from boottest import media
from boottest.judge import judge
from boottest.rows import Row
from boottest.stats import emulated_reasons, read_stats
from overlay_plan import Refusal

BLOCK = """Bochs says: vmi-stat: begin 0
vmi-stat: call 30 1000
vmi-stat: call 29 50
vmi-stat: ring0 29 5
vmi-stat: call-cycles 29 900
vmi-stat: trap-cycles 14 7000
vmi-stat: emul out 0xc0000010 7
vmi-stat: emul out 0xc0000014 2
vmi-stat: emul rdmsr 0xc0001008 1
vmi-stat: irq 0xec 40
vmi-stat: fault hidden 12
vmi-stat: entry gate 1050
vmi-stat: shadow used 99
vmi-stat: end
"""
GOOD = "[    0.000001] Linux version 6.1\n1..1\nok 1 - a\n"


class Lines(unittest.TestCase):
    def test_block(self):
        stats = read_stats(BLOCK + BLOCK.replace("begin 0", "begin 1"))
        self.assertEqual([b.vcpu for b in stats.blocks], ["0", "1"])
        block = stats.blocks[0]
        self.assertEqual(block.numbered, {
            "call": {30: 1000, 29: 50}, "ring0": {29: 5}, "irq": {0xec: 40},
            "call-cycles": {29: 900}, "trap-cycles": {14: 7000}})
        self.assertEqual(block.emulated[("out", 0xc0000010)], 7)
        self.assertEqual(block.named["shadow"], {"used": 99})
        self.assertEqual(stats.wrong, [])

    def wrong(self, text, want):
        self.assertIn(want, read_stats(text).wrong)

    def test_not_a_count(self):
        self.wrong(BLOCK.replace("call 30", "call x"), "'call x 1000' is no count")
        self.wrong(BLOCK.replace("irq 0xec 40", "irq 0xec"), "'irq 0xec' is no count")

    def test_outside(self):
        self.wrong("vmi-stat: call 1 1\n", "'call 1 1' outside a block")
        self.wrong("vmi-stat: end\n", "'end' outside a block")

    def test_without_end(self):
        cut = BLOCK.replace("vmi-stat: end\n", "")
        self.wrong(cut, "no end after 'begin 0'")
        self.assertEqual(read_stats(cut).blocks, [])
        self.wrong(cut + BLOCK, "'begin 0' inside a block")


class Rule(unittest.TestCase):
    def reasons(self, text, kinds):
        return emulated_reasons(read_stats(text), kinds)

    def test_allowed(self):
        self.assertEqual(self.reasons(BLOCK, "out rdmsr"), [])
        self.assertEqual(self.reasons("vmi-stat: begin 0\nvmi-stat: end\n", "none"), [])

    def test_not_allowed(self):
        self.assertEqual(self.reasons(BLOCK, "in out"),
                         ["emulated 1 times: rdmsr at 0xc0001008 (allowed: in out)"])
        self.assertEqual(len(self.reasons(BLOCK, "none")), 3)

    def test_nothing_printed(self):
        self.assertIn("no vmi-stat block", self.reasons("", "out")[0])

    def test_in_a_row(self):
        row = Row(name="r", emulated_only="out")
        self.assertIn("pvtest_stats=1", media.cmdline(row).split())
        self.assertNotIn("pvtest_stats=1", media.cmdline(Row(name="r")))
        self.assertEqual(judge(row, GOOD, 33, debugcon=BLOCK).reasons,
                         ["emulated 1 times: rdmsr at 0xc0001008 (allowed: out)"])
        # It is no place for them.
        self.assertNotEqual(judge(row, GOOD + BLOCK, 33).reasons, [])


class Tables(unittest.TestCase):
    def printed(self, text, names=()):
        symbols = monstat.Symbols()
        symbols.names = list(names)
        symbols.starts = [start for start, _ in names]
        block = read_stats(text).blocks[0]
        return "\n".join(" ".join(line.split()) for line in
                         monstat.table(block, symbols, monstat.call_names()))

    def test_names_and_sums(self):
        text = self.printed(BLOCK, [(0xc0000000, "io_delay"), (0xc0001000, "read_it")])
        for line in ("cycles there 1050 5 900\n29 EnableInterrupts 50 5 900\n"
                     "30 DisableInterrupts 1000 0 0\n", "emulated instructions 10\n"
                     "out io_delay 9\nrdmsr read_it 1\n", "0xec 40\n", "0x0e 7000\n",
                     "entries into ring 0\ngate 1050\n",
                     "shadow pages\nused 99"):
            self.assertIn(line, text + "\n")

    def test_places(self):
        symbols = monstat.Symbols()
        self.assertEqual(symbols.function(0x8048000), "(user)")
        self.assertEqual(symbols.function(0xfc000123), "(monitor)")
        self.assertEqual(symbols.function(0xc0000010), "0xc0000010")
        symbols.names, symbols.starts = [(0xc0000000, "f")], [0xc0000000]
        self.assertEqual(symbols.function(0xd0000000), "(module)")

    def test_calls_are_those_of_the_interface(self):
        names = monstat.call_names()
        self.assertEqual(sorted(names), list(range(74)))
        self.assertEqual((names[33], names[73]), ("IRET", "SetLazyMode"))


class Program(unittest.TestCase):
    def report(self, text):
        """(status, tables, complaints)"""
        with tempfile.NamedTemporaryFile("w", suffix=".log") as log, \
             contextlib.redirect_stdout(io.StringIO()) as out, \
             contextlib.redirect_stderr(io.StringIO()) as err:
            log.write(text)
            log.flush()
            status = monstat.report(log.name)
        return status, out.getvalue(), err.getvalue()

    def test_tables(self):
        status, out, err = self.report(BLOCK + BLOCK)
        self.assertEqual((status, out.count("vCPU 0"), err), (0, 2, ""))

    def test_no_block(self):
        status, _, err = self.report("hello\n")
        self.assertEqual(status, 1)
        self.assertIn("only the monitor prints them", err)

    def test_broken_block(self):
        status, _, err = self.report(BLOCK + "vmi-stat: begin 1\n")
        self.assertEqual(status, 1)
        self.assertIn("no end after 'begin 1'", err)

    def test_missing_files(self):
        with self.assertRaisesRegex(Refusal, "no /nonexistent"):
            monstat.report("/nonexistent")
        with self.assertRaisesRegex(Refusal, "no /nonexistent"):
            monstat.Symbols("/nonexistent")

    def test_symbols_of_a_program(self):
        with self.assertRaises(Refusal):
            monstat.Symbols(os.path.join(paths.PROJECT, "Makefile"))


if __name__ == "__main__":
    unittest.main()
