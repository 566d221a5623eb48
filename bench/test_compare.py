#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of ratios, intervals and verdicts, within a report and between two."""
import contextlib
import io
import json
import os
import tempfile
import unittest
from unittest import mock

import compare
import moved
import quick
import report
from catalogue import Row

MINIMUM = Row("segv", "micro", "T")
MEDIAN = Row("mmap", "micro", "T", statistic="median", noise=0.005)


def boots(*values):
    return [{"min": v, "med": v, "n": 10} for v in values]


class Ratio(unittest.TestCase):
    def test_minimum_over_all_boots(self):
        r = compare.compare(MINIMUM, boots(990, 1200), boots(1100, 3000))
        self.assertAlmostEqual(r["ratio"], 0.9)
        self.assertEqual((r["base"], r["this"], r["boots"]), (990, 1100, 2))

    def test_median_over_boots_with_an_interval(self):
        r = compare.compare(MEDIAN, boots(980, 1000, 1020), boots(1000, 1020, 1040))
        self.assertAlmostEqual(r["ratio"], 1000 / 1020)
        self.assertLess(r["low"], r["ratio"])
        self.assertGreater(r["high"], 1.0)

    def test_rates_are_inverted(self):
        rate = Row("x", "net", "T", better="higher")
        self.assertAlmostEqual(compare.compare(rate, boots(100), boots(90))["ratio"], 0.9)

    def test_interval_repeats(self):
        base = boots(*(1000 + 37 * i % 101 for i in range(12)))
        this = boots(*(1000 + 41 * i % 103 for i in range(12)))
        first = compare.compare(MEDIAN, base, this)
        self.assertEqual(first, compare.compare(MEDIAN, base, this))
        self.assertLess(first["low"], first["high"])

    def test_exact_rows_have_an_interval_without_width(self):
        r = compare.compare(MINIMUM, boots(1000, 1000), boots(1010, 1010))
        self.assertEqual((r["low"], r["high"]), (r["ratio"], r["ratio"]))


class Verdict(unittest.TestCase):
    def verdict(self, base, this, goal):
        return compare.compare(MEDIAN, boots(*base), boots(*this), goal)["verdict"]

    def test_the_whole_interval_must_reach_the_goal(self):
        base = (960, 1000, 1040)
        self.assertEqual(self.verdict(base, (980, 1000, 1020), 0.9), compare.REACHED)
        self.assertEqual(self.verdict(base, (980, 1000, 1020), 0.99), compare.UNSURE)
        self.assertEqual(self.verdict(base, (1010, 1020, 1030), 0.99), compare.MISSED)
        self.assertEqual(self.verdict(base, base, None), "")

    def test_goal_itself_is_reached(self):
        self.assertEqual(self.verdict((995,), (1000,), 0.995), compare.REACHED)

    def test_noise_is_judged_by_its_width(self):
        for row, base, this, want in (
                (MINIMUM, (1000,), (1001,), compare.REACHED),
                (MINIMUM, (1000,), (1002,), compare.MISSED),
                (MINIMUM, (1002,), (1000,), compare.MISSED),
                (MEDIAN, (1000, 1000), (1004, 1004), compare.REACHED),
                (MEDIAN, (980, 1000, 1020), (980, 1000, 1020), compare.MISSED)):
            r = compare.compare(row, boots(*base), boots(*this), noise=True)
            self.assertEqual(r["verdict"], want, (base, this))

    def test_says_when_the_interval_is_wider_than_the_difference(self):
        wide = compare.compare(MEDIAN, boots(960, 1000, 1040), boots(970, 1001, 1030))
        self.assertEqual(wide["remarks"], ["the interval is wider than the difference"])
        self.assertEqual(compare.compare(MEDIAN, boots(900), boots(1000))["remarks"], [])
        self.assertEqual(compare.compare(MINIMUM, boots(1000), boots(1000))["remarks"], [])


def result(ratio, low=None, high=None):
    return {"ratio": ratio, "low": low or ratio, "high": high or ratio, "verdict": "",
            "remarks": [], "goal": None}


def one_report(results, statistic="minimum"):
    """A report of one table; results: {row: result}"""
    return {"format": report.FORMAT, "tables": [{"name": "T", "unit": "micro", "rows": [
        {"name": name, "statistic": statistic, "results": {"vmi": r}}
        for name, r in results.items()]}]}


class Moved(unittest.TestCase):
    def run_main(self, a, b):
        """(exit status, output) of bench-compare."""
        with tempfile.TemporaryDirectory() as place:
            paths = []
            for name, what in (("a", a), ("b", b)):
                paths.append(os.path.join(place, name))
                with open(paths[-1], "w", encoding="utf-8") as f:
                    f.write(what if isinstance(what, str) else json.dumps(what))
            with contextlib.redirect_stdout(io.StringIO()) as out, \
                 contextlib.redirect_stderr(out), \
                 mock.patch("sys.argv", ["moved.py", *paths]):
                return moved.main(), out.getvalue()

    def test_exact_rows_move_by_more_than_half_a_thousandth(self):
        for now, status, word in ((0.9894, 1, "worse"), (0.9897, 0, ""), (0.9903, 0, ""),
                                  (0.9906, 0, "better")):
            done, text = self.run_main(one_report({"segv": result(0.99)}),
                                       one_report({"segv": result(now)}))
            self.assertEqual(done, status, text)
            self.assertEqual([line.split()[0] for line in text.splitlines()[:-1]],
                             [word] if word else [], text)

    def test_medians_move_when_their_intervals_do_not_meet(self):
        for now, status in ((result(0.97, 0.96, 0.979), 1), (result(0.97, 0.96, 0.981), 0)):
            done, text = self.run_main(
                one_report({"mmap": result(0.99, 0.98, 1.0)}, "median"),
                one_report({"mmap": now}, "median"))
            self.assertEqual(done, status, text)

    def test_a_row_that_is_gone_is_told_and_fails(self):
        done, text = self.run_main(one_report({"segv": result(0.99), "x": result(1.0)}),
                                   one_report({"segv": result(0.99), "y": result(1.0)}))
        self.assertEqual(done, 1)
        self.assertIn("gone   micro x, vmi: was 1.0000", text)
        self.assertIn("new    micro y, vmi: 1.0000", text)

    def test_refuses_what_is_not_a_report_in_one_line(self):
        good = one_report({"segv": result(0.99)})
        for bad in ("", "{", "[]", "{}", json.dumps({"format": "other"}),
                    one_report({"z": result(1.0)})):
            for pair in ((good, bad), (bad, good)):
                done, text = self.run_main(*pair)
                self.assertEqual((done, text.count("\n")), (2, 1), text)
        with mock.patch("sys.argv", ["moved.py", "/no/such", "/no/such"]), \
             contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(moved.main(), 2)
        self.assertIn("/no/such: no such file", err.getvalue())


class Quick(unittest.TestCase):
    def judge(self, found, expected):
        judged = list(quick.judge({"vmi": found}, {"vmi": expected}))
        return [p for p, _ in judged], "".join(line for _, line in judged)

    def test_half_a_per_cent_is_allowed(self):
        self.assertEqual(self.judge({"segv": 0.9952}, {"segv": 1.0}), ([True], ""))
        passed, line = self.judge({"segv": 0.9948}, {"segv": 1.0})
        self.assertEqual(passed, [False])
        self.assertIn("vmi: segv: ratio 0.9948, was 1.0000: 0.52 % more", line)

    def test_better_is_told_and_passes(self):
        passed, line = self.judge({"segv": 1.006}, {"segv": 1.0})
        self.assertEqual(passed, [True])
        self.assertIn("better", line)

    def test_row_on_one_side_alone_fails(self):
        self.assertEqual(self.judge({"segv": 1.0}, {})[0], [False])
        self.assertEqual(self.judge({}, {"segv": 1.0})[0], [False])


if __name__ == "__main__":
    unittest.main()
