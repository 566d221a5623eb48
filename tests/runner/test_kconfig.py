# SPDX-License-Identifier: GPL-2.0-only
"""Making a `.config`, in a tree whose Kconfig knows no symbol with UNKNOWN in it."""
import os
import tempfile
import unittest

import paths
import kconfig
from overlay_plan import Refusal

MAKEFILE = """allnoconfig:
\t@grep -v UNKNOWN $(KCONFIG_ALLCONFIG) >$(O)/.config; echo run >>$(O)/runs
olddefconfig:
\t@grep -v UNKNOWN $(O)/.config >$(O)/new && mv $(O)/new $(O)/.config
"""


class MakeConfig(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.assertTrue(os.path.isdir(paths.PROJECT))
        self.tree, self.odir = (os.path.join(temp.name, n) for n in ("tree", "o"))
        os.makedirs(self.tree)
        self.write("Makefile", MAKEFILE)

    def write(self, name, text):
        with open(os.path.join(self.tree, name), "w", encoding="ascii") as f:
            f.write(text)
        return os.path.join(self.tree, name)

    def make(self, text, base=None):
        kconfig.make_config(self.tree, self.odir, "i386", text, base)
        with open(os.path.join(self.odir, ".config"), encoding="ascii") as f:
            return f.read()

    def runs(self):
        with open(os.path.join(self.odir, "runs"), encoding="ascii") as f:
            return len(f.readlines())

    def test_fragments(self):
        self.assertEqual(self.make("CONFIG_A=y\n"), "CONFIG_A=y\n")

    def test_same_inputs_run_once(self):
        self.make("CONFIG_A=y\n")
        self.make("CONFIG_A=y\n")
        self.assertEqual(self.runs(), 1)
        self.make("CONFIG_A=m\n")
        self.assertEqual(self.runs(), 2)

    def test_lost_config_is_made_again(self):
        self.make("CONFIG_A=y\n")
        os.unlink(os.path.join(self.odir, ".config"))
        self.make("CONFIG_A=y\n")
        self.assertEqual(self.runs(), 2)

    def test_without_effect(self):
        with self.assertRaisesRegex(Refusal, "symbols without effect: CONFIG_UNKNOWN=y .is n."):
            self.make("CONFIG_A=y\nCONFIG_UNKNOWN=y\n")
        self.assertFalse(os.path.exists(os.path.join(self.odir, ".config")))

    def test_over_a_file(self):
        base = self.write("base", "CONFIG_B=y\n")
        self.assertEqual(kconfig.wanted(self.make("CONFIG_A=y\n", base)),
                         {"CONFIG_A": "y", "CONFIG_B": "y"})

    def test_no_such_file(self):
        with self.assertRaisesRegex(Refusal, "no configuration file"):
            self.make("CONFIG_A=y\n", os.path.join(self.tree, "none"))

    def test_make_fails(self):
        self.write("Makefile", "allnoconfig:\n\t@echo broken >&2; exit 1\n")
        with self.assertRaisesRegex(Refusal, "make allnoconfig: "):
            self.make("CONFIG_A=y\n")


if __name__ == "__main__":
    unittest.main()
