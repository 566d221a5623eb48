#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the files of rows and configurations."""
import os
import tempfile
import unittest

import catalogue
import configurations
import units


class Rows(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as place:
            with open(os.path.join(place, "u.ini"), "w", encoding="utf-8") as f:
                f.write(text)
            return catalogue.rows("u", place)

    def refuse(self, text, why):
        with self.assertRaisesRegex(catalogue.CatalogueError, why):
            self.read(text)

    GOOD = "[segv]\ntable = T\nprogram = ours\nabout = x\n"

    def test_reads_a_row(self):
        row, = self.read(self.GOOD + "published = a/b/c\n  a/b/c#2\nstatistic = median\n"
                         "goal = 0.5\nbetter = higher\n")
        self.assertEqual((row.name, row.unit, row.table, row.published, row.statistic,
                          row.goal, row.noise, row.better),
                         ("segv", "u", "T", ("a/b/c", "a/b/c#2"), "median", 0.5, 0.005, "higher"))

    def test_absent_row_needs_no_program(self):
        row, = self.read("[x]\ntable = T\nabsent = why\n")
        self.assertEqual(row.absent, "why")

    def test_refuses_with_file_section_and_key(self):
        for more, why in (("goul = 1\n", r"u\.ini: \[segv\]: unknown key goul"),
                          ("goal = x\n", "goal = x is no number"),
                          ("goal = 99\n", "goal = 99 is not between"),
                          ("noise = x\n", "noise = x is no number"),
                          ("statistic = mean\n", "statistic = mean; use minimum or median"),
                          ("better = more\n", "better = more; use lower or higher"),
                          ("table = U\n", "table.*already exists"),
                          (self.GOOD, "segv.*already exists")):
            self.refuse(self.GOOD + more, why)
        for key in ("table", "program", "about"):
            lines = [line for line in self.GOOD.splitlines() if not line.startswith(key)]
            self.refuse("\n".join(lines), "key %s is missing" % key)
        self.refuse("[a-b]\ntable = T\nprogram = ours\nabout = x\n", "lower case letters")
        self.refuse(self.GOOD.replace("= ours", "= theirs"), "program = theirs; use ours")
        with self.assertRaisesRegex(catalogue.CatalogueError, "no rows file"):
            catalogue.rows("no_such_unit")


class Published(unittest.TestCase):
    def test_equal_names_are_numbered(self):
        compiles = [k for k in catalogue.published() if "kernel compile" in k]
        self.assertEqual([k.rpartition("compile")[2] for k in compiles], ["", "#2", "#3", "#4"])

    def test_every_published_row_is_in_a_rows_file(self):
        self.assertEqual(catalogue.unlisted(), [])

    def test_tells_what_is_lost_and_what_never_was(self):
        with tempfile.TemporaryDirectory() as place:
            with open(os.path.join(place, "u.ini"), "w", encoding="utf-8") as f:
                f.write(Rows.GOOD + "published = a/b/c\n")
            found = catalogue.unlisted(place)
        self.assertEqual(len(found), len(catalogue.published()) + 1)
        self.assertIn("no rows file has vmware-2007/Macro benchmarks/kernel compile#4", found)
        self.assertEqual(found[-1], "u.ini: [segv]: published = a/b/c: no such row")

    def test_all_rows_files_are_readable(self):
        self.assertIn("micro", catalogue.units())
        for unit in catalogue.units():
            self.assertTrue(catalogue.rows(unit), unit)


class Units(unittest.TestCase):
    def test_names_what_is_not_built(self):
        with self.assertRaisesRegex(units.UnitError, "unit micro: no file such/user/bench"):
            units.load("micro", "/no/such")

    def test_every_unit_with_rows_belongs_to_a_group(self):
        grouped = {u for group in units.GROUPS.values() for u in group}
        self.assertEqual([u for u in catalogue.units()
                          if catalogue.measured(u) and u not in grouped], [])


class Configurations(unittest.TestCase):
    def load(self, text, **more):
        with tempfile.NamedTemporaryFile("w", suffix=".ini") as f:
            f.write(text)
            f.flush()
            return configurations.load(f.name, **more)

    BASE = "[base]\nkernel = b\n"

    def test_the_file_is_readable(self):
        found = configurations.load()
        self.assertEqual([n for n, c in found.items() if not c.against],
                         ["baseline", "stock64_off"])

    def test_own_goals_come_before_those_of_the_rows(self):
        c = self.load(self.BASE + "goals = rows\ngoal.micro.segv = 0.5\ngoal.cpu = 0.7\n")["base"]
        def goal(unit, name):
            return c.goal(catalogue.Row(name, unit, "T", goal=0.9))
        self.assertEqual((goal("micro", "segv"), goal("micro", "cpu"), goal("cpu", "bzip2")),
                         (0.5, 0.9, 0.7))

    def test_no_goal_without_the_word(self):
        c = self.load(self.BASE)["base"]
        self.assertIsNone(c.goal(catalogue.Row("segv", "micro", "T")))

    def test_refuses(self):
        for more, why in (("rum = x\n", r"\[base\]: unknown key rum"),
                          ("goal.micro = x\n", "goal.micro = x is no number"),
                          ("[x]\nkernel = \n", r"\[x\]: key kernel is missing"),
                          ("[x]\nkernel = a\nagainst = y\n", "against = y: no such section"),
                          (self.BASE, "base.*already exists")):
            with self.assertRaisesRegex(configurations.ConfigurationError, why):
                self.load(self.BASE + more)
        with self.assertRaisesRegex(configurations.ConfigurationError, "BENCH_KERNEL=/no/such"):
            self.load(self.BASE, user_kernel="/no/such")

    def test_users_kernel_is_compared_with_the_baseline(self):
        found = configurations.load(user_kernel=__file__)[configurations.USER]
        self.assertEqual((found.image("x"), found.against), (os.path.abspath(__file__), "baseline"))

    def test_chosen_bring_what_they_are_compared_with_and_the_noise(self):
        known = configurations.load()
        names = [c.name for c in configurations.choose(known, ["vmi_monitor"])]
        self.assertEqual(names, ["baseline", "aa", "vmi", "vmi_monitor"])
        names = [c.name for c in configurations.choose(known, ["baseline"])]
        self.assertEqual(names, ["baseline", "aa"])
        self.assertEqual(len(configurations.choose(known, [])), len(known))
        with self.assertRaisesRegex(configurations.ConfigurationError, "no configuration wmi;"):
            configurations.choose(known, ["vmi", "wmi"])


if __name__ == "__main__":
    unittest.main()
