#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the units of real programs: tables of commands, image, packages."""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

import catalogue
import image
import packages

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = os.path.join(HERE, "programs")
# Prints a table as it was read: rows, then the words of what each runs.
DRIVER = r"""
#include "table.h"
#include <stdio.h>
int main(void)
{
	static char text[65536], *words[TABLE_WORDS];
	struct table_row rows[TABLE_ROWS];
	const char *wrong = NULL;
	unsigned int n, i, k;

	text[fread(text, 1, sizeof(text) - 1, stdin)] = 0;
	n = table_read(text, rows, &wrong);
	if (!n)
		return printf("wrong: %s\n", wrong), 1;
	for (i = 0; i < n; i++) {
		const char *in = "-", *out = "-";

		printf("%s %u %u:", rows[i].name, rows[i].runs, rows[i].befores);
		if (!table_words((char *)rows[i].run, words, &in, &out))
			return 2;
		for (k = 0; words[k]; k++)
			printf(" %s", words[k]);
		printf(" %s %s\n", in, out);
	}
	return 0;
}
"""
GOOD = "# x\n\nrow a\nruns 2\nbefore /bin/b\nrun /bin/a -x <i >o\nrow b\nruns 1\nrun /bin/b\n"


class Tables(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.place)
        source = os.path.join(cls.place, "driver.c")
        with open(source, "w", encoding="ascii") as f:
            f.write(DRIVER)
        cls.program = os.path.join(cls.place, "driver")
        subprocess.run(["gcc", "-Wall", "-Werror", "-fsanitize=address,undefined", "-I", TABLES,
                        "-o", cls.program, source, os.path.join(TABLES, "table.c")], check=True)

    def read(self, text):
        return subprocess.run([self.program], input=text, text=True, check=False,
                              stdout=subprocess.PIPE).stdout

    def test_reads_rows_and_words(self):
        self.assertEqual(self.read(GOOD), "a 2 1: /bin/a -x i o\nb 1 0: /bin/b - -\n")

    def test_says_what_is_wrong(self):
        for text, why in (("", "no row"), ("run x\n", "a key before the first row"),
                          ("row a\nrun x\n", "a row without run or runs"),
                          ("row a\nruns 0\n", "runs is not between 1 and 16"),
                          ("row a\nruns 17\n", "runs is not between 1 and 16"),
                          ("row a\nruns\n", "a line without a value"),
                          ("row a\nhop x\n", "a key that is none of"),
                          ("row a\n" + "before x\n" * 5, "more than 4 before"),
                          ("row a\nruns 1\nrun x\n" * 33, "more than 32 rows")):
            self.assertIn("wrong: " + why, self.read(text))

    def test_ours_have_the_rows_of_the_catalogue(self):
        for unit in ("cpu", "macro"):
            with open(os.path.join(TABLES, unit + ".table"), encoding="ascii") as f:
                read = self.read(f.read())
            self.assertEqual(tuple(re.findall(r"^(\S+) \d+ \d+:", read, re.M)),
                             tuple(catalogue.measured(unit)))


class Image(unittest.TestCase):
    def made(self, place, name):
        """The image of a small tree, made anew."""
        tree = os.path.join(place, "tree-" + name)
        os.makedirs(os.path.join(tree, "bin"))
        for file, text in (("bin/a", "a" * 5000), ("b", "b")):
            with open(os.path.join(tree, file), "w", encoding="ascii") as f:
                f.write(text)
        os.symlink("bin/a", os.path.join(tree, "link"))
        path = os.path.join(place, name)
        image.make(tree, path)
        with open(path, "rb") as f:
            return f.read()

    def test_same_tree_same_bytes(self):
        path = image.PATHS + os.environ["PATH"]
        if not shutil.which("mke2fs", path=path) or not shutil.which("debugfs", path=path):
            self.skipTest("e2fsprogs is missing")
        with tempfile.TemporaryDirectory() as place:
            first, second = self.made(place, "1"), self.made(place, "2")
        self.assertEqual(first[0x438:0x43a], b"\x53\xef")       # ext4's magic number
        self.assertTrue(first == second)

    def test_names_the_package_of_a_missing_tool(self):
        with self.assertRaisesRegex(image.ImageError, "e2fsprogs"):
            image.run(["no-such-mke2fs"])


class Packages(unittest.TestCase):
    def test_missing_package_is_one_line(self):
        with tempfile.TemporaryDirectory() as place:
            fetch = os.path.join(place, "fetch")
            with open(fetch, "w", encoding="ascii") as f:
                f.write("#!/bin/sh\necho noise >&2\n"
                        "echo 'guest_packages: cannot download x:i386: E: gone' >&2\nexit 1\n")
            os.chmod(fetch, 0o755)
            with mock.patch.object(packages, "FETCH", fetch), \
                 self.assertRaisesRegex(packages.PackageError, "^guest_packages: cannot download x"):
                packages.fetch(place)

    def test_versions_are_those_of_the_files(self):
        with tempfile.TemporaryDirectory() as place:
            debs = os.path.join(packages.place(place), "apt", "debs")
            os.makedirs(debs)
            with self.assertRaisesRegex(packages.PackageError, "package x: 0 files"):
                packages.versions(place, ("x",))
            with open(os.path.join(debs, "x_1%3a2.3_i386.deb"), "w", encoding="ascii"):
                pass
            self.assertEqual(packages.versions(place, ("x",)), {"x": "1:2.3"})


if __name__ == "__main__":
    unittest.main()
