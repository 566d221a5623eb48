# SPDX-License-Identifier: GPL-2.0-only
"""Comparing code of objects, on small ones that gcc makes here."""
import os
import subprocess
import tempfile
import unittest

import paths
import check_n
from objcode import Object, code_of, differences

assert paths.PROJECT  # the import alone makes scripts/ importable
BASE = "int g(void); int f(void) { return g() + %d; }\n"


def compile_to(path, source, *options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["gcc", "-m32", "-fno-pic", "-O1", "-x", "c", "-c", "-o", path, *options, "-"],
                   input=source, text=True, check=True)


class Compare(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.stock, self.ours = (os.path.join(temp.name, n) for n in ("stock", "ours"))

    def compare(self, one, other, *options):
        compile_to(self.stock + "/a.o", one)
        compile_to(self.ours + "/a.o", other, *options)
        return check_n.compare(self.stock, self.ours)

    def test_same(self):
        self.assertEqual(self.compare(BASE % 1, "\n\n" + BASE % 1), (1, []))

    def test_debug_information_does_not_count(self):
        self.assertEqual(self.compare(BASE % 1, BASE % 1, "-g"), (1, []))

    def test_other_instruction(self):
        self.assertEqual(self.compare(BASE % 1, BASE % 2), (1, ["a.o: .text differ"]))

    def test_other_function_called(self):
        # The bytes are the same; only the relocation's symbol differs.
        self.assertEqual(self.compare(BASE % 1, (BASE % 1).replace("g(", "h(")),
                         (1, ["a.o: .text differ"]))

    def test_other_section(self):
        init = '__attribute__((section(".init.text"))) '
        self.assertEqual(self.compare(BASE % 1, BASE % 1 + init + "int i(void) { return 1; }"),
                         (1, ["a.o: .init.text differ"]))

    def test_object_on_one_side(self):
        compile_to(self.ours + "/paravirt/b.o", BASE % 1)
        self.assertEqual(self.compare(BASE % 1, BASE % 1),
                         (1, ["paravirt/b.o: only in the overlaid build"]))

    def test_no_object(self):
        with self.assertRaises(ValueError):
            Object(b"!<arch>\n" + b"\0" * 100)

    def test_differences(self):
        compile_to(self.stock + "/a.o", BASE % 1)
        code = code_of(self.stock + "/a.o")
        self.assertEqual(differences(code, code), [])
        self.assertEqual(differences(code, {}), [".text"])


if __name__ == "__main__":
    unittest.main()
