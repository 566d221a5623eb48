#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the Python tests of the scripts and print one closing line.

Runs: `unittests.py [DIRECTORY...]`, default tests/runner, tests/overlay, bench.
Fails: exit 1 if a test failed, or if a directory holds no test.
"""
import os
import sys
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEFAULT = ("tests/runner", "tests/overlay", "bench")


def run(place):
    """Result of all tests in a directory, with its own import path."""
    sys.path.insert(0, place)
    suite = unittest.defaultTestLoader.discover(place, top_level_dir=place)
    if not suite.countTestCases():
        sys.exit("unittests: no tests in %s" % place)
    return unittest.TextTestRunner(verbosity=1).run(suite)


def main():
    places = sys.argv[1:] or [os.path.join(PROJECT, n) for n in DEFAULT]
    results = [run(os.path.abspath(p)) for p in places]
    total = sum(r.testsRun for r in results)
    bad = sum(len(r.failures) + len(r.errors) for r in results)
    skips = [s for r in results for s in r.skipped]
    for test, why in skips:
        print("runner: skipped %s: %s" % (test.id(), why))
    print("runner: %d passed, %d failed%s" % (total - bad - len(skips), bad,
                                             ", %d skipped" % len(skips) if skips else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
