# SPDX-License-Identifier: GPL-2.0-only
"""Verdicts on the ends of escape cases, and the table they come from."""
import importlib.util
import os
import sys
import unittest

import paths

PLACE = os.path.join(paths.PROJECT, "tests/escape")
sys.path.insert(0, PLACE)
SPEC = importlib.util.spec_from_file_location("escape_run", os.path.join(PLACE, "run.py"))
run = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(run)

STOP = "vmi-stop: access to 0x10 which is ours, vCPU 0, EIP 0x9:0xc0100000\r\n"
BEGINS, GOOD = "escape: c: begins\n", "escape: c: good\n"


def case(outcome, words=""):
    return run.Case("ESCAPE", "c", outcome, "QB", words, "access to 0x[0-9]+ which is ours")


class Harmless(unittest.TestCase):
    def verdict(self, end, text):
        return run.verdict(case("HARMLESS"), end, text)

    def test_good(self):
        self.assertIsNone(self.verdict("good", BEGINS + GOOD))

    def test_no_line(self):
        self.assertEqual(self.verdict("good", BEGINS), "good")

    def test_hang(self):
        self.assertEqual(self.verdict("it hangs", BEGINS), "it hangs")

    def test_stopped(self):
        self.assertIn("access to", self.verdict("stopped", BEGINS + STOP))

    def test_bad(self):
        self.assertEqual(self.verdict("bad", BEGINS + "escape: c: bad: reached\n"), "reached")


class Stopped(unittest.TestCase):
    def verdict(self, end, text):
        return run.verdict(case("STOPPED"), end, text)

    def test_good(self):
        self.assertIsNone(self.verdict("stopped", BEGINS + STOP))

    def test_another_line(self):
        self.assertIn("another line", self.verdict("stopped", BEGINS + STOP.replace("ours", "x")))
        self.assertIn("another line", self.verdict("stopped", BEGINS + STOP + STOP))

    def test_without_a_place(self):
        text = BEGINS + "vmi-stop: access to 0x10 which is ours\n"
        self.assertIn("another line", self.verdict("stopped", text))

    def test_before_it_began(self):
        self.assertIsNotNone(self.verdict("stopped", STOP))

    def test_triple_fault(self):
        self.assertEqual(self.verdict("the machine triple-faulted", BEGINS),
                         "the machine triple-faulted")

    def test_the_monitor_itself(self):
        text = BEGINS + "vmi-stop: the monitor itself: exception 14\n"
        self.assertIn("itself", self.verdict("stopped", text))

    def test_went_on(self):
        self.assertEqual(self.verdict("bad", BEGINS + "escape: c: bad: nobody stopped it\n"),
                         "nobody stopped it")


class Table(unittest.TestCase):
    def test_enough_cases(self):
        cases = run.read_table()
        self.assertGreaterEqual(len(cases), 200)
        self.assertEqual(len({c.name for c in cases}), len(cases))

    def test_formats(self):
        self.assertEqual(case("STOPPED", "pae").formats(), [1])
        self.assertEqual(case("STOPPED", "nopae").formats(), [0])
        self.assertEqual(case("STOPPED").formats(), [0, 1])

    def test_groups_hold_every_case(self):
        cases = run.read_table()
        for emulator in ("qemu", "bochs"):
            found = {c.name for pae in (0, 1) for g in run.groups(cases, emulator, pae, "turns")
                     for c in g}
            self.assertEqual(found, {c.name for c in cases if emulator in c.where})


if __name__ == "__main__":
    unittest.main()
