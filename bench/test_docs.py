#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the figures in the documentation: python3 bench/test_docs.py

Owns: which blocks are replaced, by what, and what is refused.
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import docs
import report

HERE = os.path.dirname(os.path.abspath(__file__))
OTHER = "<!-- figures: make something -->\nold\n<!-- end of figures -->\n"


def ratio(value):
    return {"ratio": value, "low": value, "high": value, "remarks": [], "verdict": None,
            "goal": None}


def fixture(**changed):
    row = {"name": "getppid", "absent": "", "published": [{"ratio": 0.98}],
           "results": {"aa": ratio(1.0), "vmi": ratio(0.9975)}}
    column = {"name": "vmi", "against": "baseline", "noise": False, "peer": False,
              "about": "native", "text_bytes": 5, "text_growth": 0.891, "patch_us": 900}
    return {"format": report.FORMAT, "gaps": [], "left out": [],
            "configurations": [{**column, "name": "aa", "noise": True}, column],
            "tables": [{"name": docs.PLOTTED, "unit": "micro", "rows": [row]}], **changed}


class Blocks(unittest.TestCase):
    def test_short_table_has_published_ratios_and_text(self):
        text = docs.figures(fixture(), "short")
        self.assertIn("| published, 2007 | 0.980 | - |", text)
        self.assertIn("| vmi | 0.9975 | +0.89 % |", text)

    def test_only_blocks_of_the_report_change(self):
        text = OTHER + "<!-- figures: make bench micro -->\nold\n<!-- end of figures -->\nend\n"
        new = docs.renewed(text, fixture())
        self.assertTrue(new.startswith(OTHER))
        self.assertTrue(new.endswith("<!-- end of figures -->\nend\n"))
        self.assertIn("| getppid | 0.980 | 1.0000 | 0.9975 |", new)
        self.assertEqual(new.count("old"), 1)
        self.assertEqual(docs.renewed(new, fixture()), new)

    def test_refuses_a_name_and_a_unit_without_figures(self):
        for name in ("nonsense", "cpu"):
            with self.assertRaises(docs.DocsError):
                docs.figures(fixture(), name)


class CommandLine(unittest.TestCase):
    def refused(self, found, wanted):
        with tempfile.TemporaryDirectory() as place:
            path, doc = os.path.join(place, "r.json"), os.path.join(place, "d.md")
            for where, text in ((path, json.dumps(found)), (doc, "old")):
                with open(where, "w", encoding="utf-8") as f:
                    f.write(text)
            done = subprocess.run([sys.executable, os.path.join(HERE, "docs.py"), path, doc],
                                  capture_output=True, text=True, check=False)
            with open(doc, encoding="utf-8") as f:
                self.assertEqual(f.read(), "old")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn(wanted, done.stderr)

    def test_refuses_gaps_and_what_is_no_report(self):
        self.refused(fixture(gaps=[{"unit": "micro"}]), "has gaps")
        self.refused(fixture(**{"left out": [{"name": "x"}]}), "has gaps")
        self.refused({"format": "other"}, "not a report")


if __name__ == "__main__":
    unittest.main()
