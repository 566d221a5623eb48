#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the x86-64 peers' build: what it takes, what it refuses."""
import contextlib
import io
import unittest
from unittest import mock

import paths
import kernel
from kconfig import wanted


class Peers(unittest.TestCase):
    def run_kernel(self, *words):
        """(status, message) of kernel.py, which never gets as far as a tree."""
        said = io.StringIO()
        with mock.patch("sys.argv", ["kernel.py", *words]), \
             mock.patch.object(kernel, "prepare_tree", side_effect=AssertionError), \
             contextlib.redirect_stderr(said):
            return kernel.main(), said.getvalue()

    def test_a_peer_takes_no_other_option(self):
        for more in (("--pae", "y"), ("--smp", "n"), ("--config", "x"), ("--menuconfig",),
                     ("--name", "x")):
            status, said = self.run_kernel("--flavour", "stock64_on", *more)
            self.assertEqual(status, 1)
            self.assertEqual(said, "kernel: flavour stock64_on is one kernel: it takes no other "
                             "option than --out\n")

    def test_stock_tree_and_both_fragments(self):
        for flavour in kernel.PEERS:
            with mock.patch("sys.argv", ["kernel.py", "--flavour", flavour, "--out", "/o"]), \
                 mock.patch.object(kernel, "prepare_tree", return_value="/o/t/stock") as tree, \
                 mock.patch.object(kernel, "make_config") as config, \
                 mock.patch.object(kernel, "compile_tree"):
                image = kernel.build(kernel.arguments())
            self.assertEqual(kernel.PROJECT, paths.PROJECT)
            tree.assert_called_once_with("/o", overlay=False)
            self.assertEqual(config.call_args[0][1:3],
                             ("/o/t/" + flavour.replace("_", "-"), "x86_64"))
            want = wanted(config.call_args[0][3])
            self.assertEqual((want["CONFIG_64BIT"], want["CONFIG_PARAVIRT"]),
                             ("y", "y" if flavour.endswith("_on") else "n"))
            self.assertTrue(image.endswith("/arch/x86/boot/bzImage"))


if __name__ == "__main__":
    unittest.main()
