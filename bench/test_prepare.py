#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of building what is measured."""
import contextlib
import dataclasses
import io
import os
import shutil
import tempfile
import unittest
from unittest import mock

import configurations
import prepare
import units


class Prepare(unittest.TestCase):
    def setUp(self):
        self.out = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.out)
        self.calls = os.path.join(self.out, "calls")
        self.good = self.script("good", 'echo x >>"$(dirname "$0")/calls"')
        self.bad = self.script("bad", 'echo first >&2; echo "bad: no compiler" >&2; exit 1')
        self.base = configurations.Configuration("base", kernel=__file__, build=self.good)

    def script(self, name, text):
        path = os.path.join(self.out, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)
        return path

    def other(self, **changed):
        return dataclasses.replace(self.base, name="other", **changed)

    def prepare(self, *chosen, may_build=True):
        with contextlib.redirect_stderr(io.StringIO()):
            return prepare.prepare(chosen, self.out, may_build)

    def count(self):
        with open(self.calls, encoding="utf-8") as f:
            return len(f.readlines())

    def test_a_command_that_cannot_run_is_one_line(self):
        plain = self.script("plain", "exit 0")
        os.chmod(plain, 0o644)
        self.assertEqual(prepare.run([plain]), plain + ": Permission denied")

    def test_steps_of_units_can_be_run(self):
        for steps in units.STEPS.values():
            for step in steps:
                if "/" in step[0]:
                    self.assertTrue(os.access(os.path.join(prepare.PROJECT, step[0]), os.X_OK))

    def test_each_kernel_is_built_once(self):
        usable, left_out = self.prepare(self.base, self.other())
        self.assertEqual(([c.name for c in usable], left_out), (["base", "other"], {}))
        self.assertEqual(self.count(), 1)

    def test_nothing_is_built_without_leave(self):
        self.prepare(self.base, may_build=False)
        self.assertFalse(os.path.exists(self.calls))

    def test_kernel_that_does_not_build_ends_it(self):
        with self.assertRaisesRegex(prepare.PrepareError, "^other: bad: no compiler$"):
            self.prepare(self.base, self.other(build=self.bad))

    def test_peer_that_does_not_build_is_left_out_with_what_needs_it(self):
        third = dataclasses.replace(self.base, name="third", against="other")
        usable, left_out = self.prepare(self.base, self.other(build=self.bad, peer="yes"), third)
        self.assertEqual([c.name for c in usable], ["base"])
        self.assertEqual(left_out, {"other": "bad: no compiler", "third":
                                    "nothing to compare it with: other is left out"})

    def test_what_is_missing_is_named(self):
        for changed, why in (({"build": "no/such/script"}, "no file no/such/script"),
                             ({"rom": "x"}, r"no file \S+/rom/x.rom"),
                             ({"kernel": "/no/such"}, "no file .*no/such"),
                             ({"program": "x"}, "x")):
            with self.assertRaisesRegex(prepare.PrepareError, "^other: .*" + why):
                self.prepare(self.other(**changed))

    def test_units_share_their_steps_and_fail_alone(self):
        steps = {"a": ((self.good, "{out}"),), "b": ((self.good, "{out}"), (self.bad,)),
                 "c": ((self.bad,), (self.good,))}
        with mock.patch.object(units, "STEPS", steps), \
             contextlib.redirect_stderr(io.StringIO()):
            failed = prepare.build_units(["a", "b", "c", "d"], self.out)
        self.assertEqual(failed, {"b": "unit b: bad: no compiler",
                                  "c": "unit c: bad: no compiler"})
        self.assertEqual(self.count(), 1)


if __name__ == "__main__":
    unittest.main()
