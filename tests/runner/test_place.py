# SPDX-License-Identifier: GPL-2.0-only
"""The directory of a row: logs, the time limit, giving up early."""
import os
import tempfile
import unittest

import paths
from boottest import place
from boottest.rows import Row, RowError


class Directory(unittest.TestCase):
    def test_empty_again(self):
        with tempfile.TemporaryDirectory() as out:
            row = Row(name="r")
            where = place.prepare(row, out, "sh", "dash")
            place.write(where, "serial.log", "old\n")
            self.assertEqual(place.read_log(where, "serial.log"), "old\n")
            self.assertEqual(place.prepare(row, out, "sh", "dash"), where)
            self.assertEqual(place.read_log(where, "serial.log"), "")

    def test_no_emulator(self):
        with tempfile.TemporaryDirectory() as out:
            program = os.path.join(paths.PROJECT, "nonesuch")
            with self.assertRaisesRegex(RowError, "row r: no .*nonesuch; install some-package"):
                place.prepare(Row(name="r"), out, program, "some-package")
            self.assertEqual(os.listdir(out), [])


class Run(unittest.TestCase):
    def run_in(self, *words, timeout=60, **more):
        with tempfile.TemporaryDirectory() as where:
            ended = place.run(list(words), where, timeout, "out", "err", **more)
            return ended, place.read_log(where, "out"), place.read_log(where, "command")

    def test_status_and_output(self):
        self.assertEqual(self.run_in("sh", "-c", "echo here; exit 7"),
                         ((7, False), "here\n", "sh -c 'echo here; exit 7'\n"))

    def test_time_is_up(self):
        self.assertEqual(self.run_in("sleep", "60", timeout=0.1)[0], (None, True))

    def test_given_up(self):
        self.assertEqual(self.run_in("sleep", "60", stop=lambda: True)[0], (-9, False))

    def test_both_into_one_file(self):
        with tempfile.TemporaryDirectory() as where:
            place.run(["sh", "-c", "echo b >&2; echo a"], where, 60, "log", "log")
            self.assertEqual(sorted(place.read_log(where, "log").split()), ["a", "b"])


if __name__ == "__main__":
    unittest.main()
