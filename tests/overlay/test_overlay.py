# SPDX-License-Identifier: GPL-2.0-only
"""make apply and unapply: each tree they may meet.

Owns: one test per kind of tree; a refusal also asserts that nothing changed.
Not here: the trees (`trees.py`).
"""
import os
import tempfile
import unittest

import trees


class Overlay(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory(prefix="overlay-test.")
        self.addCleanup(temp.cleanup)
        self.project = os.path.join(temp.name, "project")
        self.tree = os.path.join(temp.name, "tree")
        trees.make_project(self.project)
        trees.write(self.tree, trees.STOCK)
        self.stock = trees.content(self.tree)

    def path(self, name):
        return os.path.join(self.tree, name)

    def ok(self, verb, *options, says=""):
        status, text = trees.run(self.project, verb, self.tree, *options)
        self.assertEqual(status, 0, text)
        self.assertIn(says, text)

    def refused(self, verb, says):
        before = trees.content(self.tree)
        status, text = trees.run(self.project, verb, self.tree)
        self.assertEqual(status, 1, text)
        self.assertIn("refused: ", text)
        self.assertIn(says, text)
        self.assertEqual(text.count("\n"), 1, "one line, not: " + text)
        self.assertEqual(trees.content(self.tree), before, "a refusal changed the tree")

    def edit(self, name, text):
        with open(self.path(name), "a", encoding="utf-8") as f:
            f.write(text)

    def test_clean_tree(self):
        self.ok("apply", says="applied, Linux 6.1")
        now = trees.content(self.tree)
        self.assertEqual(now["arch/x86/kernel/setup.c"],
                         b"one\ntwo\nprobe\nactivate\nthree\nfour\nfive\n")
        self.assertEqual(now["arch/x86/include/asm/vmi.h"], b"#define VMI\n")
        self.assertEqual(now["arch/x86/paravirt/table.c"], b"int table;\n")

    def test_unapply_is_exact(self):
        self.ok("apply")
        self.ok("unapply", says="unapplied")
        self.assertEqual(trees.content(self.tree), self.stock)

    def test_git_tree_is_clean_after_unapply(self):
        trees.git(self.tree, "init", "-q")
        trees.git(self.tree, "add", "-A")
        trees.git(self.tree, "commit", "-qm", "stock")
        self.ok("apply")
        self.assertNotEqual(trees.git(self.tree, "status", "--porcelain", "--ignored"), "")
        self.ok("unapply")
        self.assertEqual(trees.git(self.tree, "status", "--porcelain", "--ignored"), "")

    def test_build_products_in_our_directories_go(self):
        self.ok("apply")
        trees.write(self.tree, {"arch/x86/paravirt/table.o": "", "arch/x86/vmi/.rom.o.cmd": ""})
        self.ok("unapply")
        self.assertEqual(trees.content(self.tree), self.stock)

    def test_already_applied(self):
        self.ok("apply")
        before = trees.content(self.tree)
        self.ok("apply", says="already applied")
        self.assertEqual(trees.content(self.tree), before)

    def test_unapply_of_a_stock_tree(self):
        self.ok("unapply", says="not applied")
        self.assertEqual(trees.content(self.tree), self.stock)

    def test_refresh_writes_only_what_changed(self):
        self.ok("apply")
        old = os.stat(self.path("arch/x86/vmi/rom.c")).st_mtime_ns
        trees.write(self.project, {"arch/x86/paravirt/table.c": "int newer;\n",
                                   "arch/x86/paravirt/more.c": "int more;\n"})
        os.unlink(os.path.join(self.project, "include/asm/vmi.h"))
        self.ok("apply", says="refreshed")
        now = trees.content(self.tree)
        self.assertEqual(now["arch/x86/paravirt/table.c"], b"int newer;\n")
        self.assertIn("arch/x86/paravirt/more.c", now)
        self.assertNotIn("arch/x86/include/asm/vmi.h", now)
        self.assertEqual(os.stat(self.path("arch/x86/vmi/rom.c")).st_mtime_ns, old)
        self.ok("unapply")
        self.assertEqual(trees.content(self.tree), self.stock)

    def test_refresh_with_another_series(self):
        self.ok("apply")
        os.unlink(os.path.join(self.project, "patches/6.1/0002-setup.patch"))
        self.ok("apply", says="refreshed")
        self.assertEqual(trees.content(self.tree)["arch/x86/kernel/setup.c"],
                         b"one\ntwo\nprobe\nthree\nfour\nfive\n")
        self.ok("unapply")
        self.assertEqual(trees.content(self.tree), self.stock)

    def test_patched_by_hand(self):
        trees.write(self.tree, {"arch/x86/Kbuild": "obj-y += entry/\nobj-y += paravirt/\n"
                                "obj-y += mm/\n",
                                "arch/x86/kernel/setup.c": "one\ntwo\nprobe\nthree\nfour\n"})
        self.refused("apply", "half-applied tree: 0001-kbuild.patch is in it already")

    def test_our_files_without_the_stamp(self):
        trees.write(self.tree, {"arch/x86/vmi/rom.c": "int rom;\n"})
        self.refused("apply", "half-applied tree: it has arch/x86/vmi/rom.c")
        self.refused("unapply", "half-applied tree: it has arch/x86/vmi/rom.c")

    def test_interrupted_apply(self):
        self.ok("apply")
        state = self.path(".paravirt-overlay/state.json")
        with open(state, encoding="ascii") as f:
            text = f.read()
        trees.write(self.tree, {".paravirt-overlay/state.json":
                                text.replace('"applied"', '"applying"'),
                                "arch/x86/kernel/setup.c":
                                trees.STOCK["arch/x86/kernel/setup.c"]})
        os.unlink(self.path("arch/x86/vmi/rom.c"))
        self.refused("apply", "half-applied tree: an earlier run was interrupted")
        self.ok("unapply")
        self.assertEqual(trees.content(self.tree), self.stock)

    def test_conflict_in_the_second_patch(self):
        trees.write(self.tree, {"arch/x86/kernel/setup.c": "one\ntwo\nthree\nfour\n"})
        trees.write(self.project, {"patches/6.1/0002-setup.patch":
                                   trees.PATCHES["0002-setup.patch"].replace(" three", " 3")})
        self.refused("apply", "0002-setup.patch does not apply")

    def test_file_of_the_series_is_missing(self):
        os.unlink(self.path("arch/x86/kernel/setup.c"))
        self.refused("apply", "0001-kbuild.patch does not apply")

    def test_unknown_version(self):
        trees.write(self.tree, {"Makefile": trees.MAKEFILE % 5})
        self.refused("apply", "the tree is Linux 6.5 and there are patches for 6.1 only")

    def test_no_kernel_tree(self):
        trees.write(self.tree, {"Makefile": "all:\n"})
        self.refused("apply", "is no Linux source tree")

    def test_no_directory(self):
        status, text = trees.run(self.project, "apply", self.tree + "-none")
        self.assertEqual((status, text.count("\n")), (1, 1), text)

    def test_edited_in_the_tree(self):
        self.ok("apply")
        self.edit("arch/x86/paravirt/table.c", "int mine;\n")
        self.refused("unapply", "arch/x86/paravirt/table.c was changed in the tree")
        self.refused("apply", "arch/x86/paravirt/table.c was changed in the tree")
        self.ok("unapply", "--force")
        self.assertEqual(trees.content(self.tree), self.stock)


class RealSeries(unittest.TestCase):
    """The project's own files and series on the real stock files."""

    def setUp(self):
        if not os.path.exists(trees.TARBALL):
            self.skipTest("no %s: install linux-source-6.1" % trees.TARBALL)
        if not os.path.isdir(os.path.join(trees.PROJECT, "patches/6.1")):
            self.skipTest("no patches/6.1")

    def test_applies_and_comes_off(self):
        import sys
        sys.path.insert(0, os.path.join(trees.PROJECT, "scripts"))
        from overlay_plan import series, touched
        with tempfile.TemporaryDirectory(prefix="overlay-test.") as tree:
            paths = touched(series(trees.PROJECT, "6.1"))
            trees.extract_stock(tree, ["Makefile", *paths])
            stock = trees.content(tree)
            status, text = trees.run(trees.PROJECT, "apply", tree)
            self.assertEqual(status, 0, text)
            self.assertNotEqual(trees.content(tree), stock)
            status, text = trees.run(trees.PROJECT, "unapply", tree)
            self.assertEqual(status, 0, text)
            self.assertEqual(trees.content(tree), stock)


if __name__ == "__main__":
    unittest.main()
