#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of one boot: log lines, kernel arguments, the initramfs."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest

import boots
import units


class Parse(unittest.TestCase):
    def test_reads_rows_between_kernel_lines(self):
        rows = boots.parse("[ 1.0] x\r\nbench: segv min=5 med=7 n=3\r\n[2] y\n")
        self.assertEqual(rows, {"segv": {"min": 5, "med": 7, "n": 3}})

    def test_drops_cut_and_mixed_lines(self):
        self.assertEqual(boots.parse("bench: segv min=5 med=7\n"
                                     "x bench: segv min=5 med=7 n=3\n"
                                     "bench: segv min= med=7 n=3\n"
                                     "bench: segv min=5 med= n=3\n"), {})

    def test_reads_how_long_patching_took(self):
        line = ("[    0.1] paravirt: backend native, sites 27: 9 inline, 8 call, 7 jump, "
                "3 nop, 0 indirect, 769 us\r\n")
        self.assertEqual(boots.patching(line), {"sites": 27, "patch_us": 769})
        self.assertEqual(boots.patching(line.replace("769 us", "us")), {})

    def test_finds_the_reason_in_a_log(self):
        self.assertEqual(boots.complaint("a\nbench: exec: no iteration counts\r\n"
                                         "bench: segv min=5 med=7 n=3\n"),
                         "bench: exec: no iteration counts")
        self.assertEqual(boots.complaint("[ 1.0] Kernel panic - not syncing: x\nb\n"),
                         "[ 1.0] Kernel panic - not syncing: x")
        self.assertEqual(boots.complaint("\x1bc\x1b[2JSeaBIOS\n\x1b[0mneeds an x86-64 CPU\r\n\n"),
                         "needs an x86-64 CPU")
        self.assertEqual(boots.complaint(" \n"), "")


class KernelArgument(unittest.TestCase):
    def test_takes_options(self):
        with tempfile.NamedTemporaryFile() as f:
            k = boots.Kernel(f"vmi={f.name},vmlinux={f.name},append=pti=on")
        self.assertEqual((k.name, k.vmlinux, k.append), ("vmi", f.name, "pti=on"))

    def test_refuses_what_it_does_not_know(self):
        for text in ("vmi", "=x", "vmi=", "vmi=/no/such/file",
                     f"vmi={os.devnull}", f"vmi={__file__},rum=x", f"vmi={__file__},qemu=x",
                     f"vmi={__file__},rom", f"vmi={__file__},rom=/no/such"):
            with self.assertRaises(ValueError, msg=text):
                boots.Kernel(text)


class Command(unittest.TestCase):
    def command(self, variant=0, unit=None, **machine):
        return boots.command(boots.Machine("x", __file__, **machine), "initrd", variant, unit)

    def test_takes_what_the_unit_wants(self):
        words = self.command(unit=units.Unit("u", (), "p", mem=512, sleep="on", append="more=1",
                                             qemu=("-device", "x")))
        self.assertEqual(words[-2:], ["-device", "x"])
        self.assertIn("shift=0,sleep=on", words)
        self.assertEqual(words[words.index("-m") + 1], "512")
        self.assertIn(" more=1 ", words[words.index("-append") + 1])

    def test_names_the_scratch_disk_of_its_boot(self):
        words = self.command(unit=units.Unit("u", (), "p", qemu=("-drive", "file={scratch}")))
        self.assertEqual(words[-1], "file=initrd.disk")

    def test_takes_machine_and_rom(self):
        words = self.command(rom=__file__, qemu="other", cpu="qemu64", append="pti=on")
        self.assertEqual(words[0], "other")
        self.assertEqual(words[words.index("-cpu") + 1], "qemu64")
        self.assertEqual(words[words.index("-option-rom") + 1], __file__)
        self.assertIn(" pti=on ", words[words.index("-append") + 1])

    def test_variants_differ(self):
        self.assertEqual(len({tuple(self.command(v)) for v in range(24)}), 24)


class Running(unittest.TestCase):
    def test_ctrl_c_on_the_terminal_does_not_reach_qemu(self):
        with tempfile.TemporaryFile("w+") as log:
            boots.Running().run([sys.executable, "-c", "import os; print(os.getsid(0))"], log, 30)
            log.seek(0)
            self.assertNotEqual(int(log.read()), os.getsid(0))

    def test_stop_ends_what_runs_and_what_would_run(self):
        running, ends = boots.Running(), []

        def sleep():
            try:
                running.run(["sleep", "600"], subprocess.DEVNULL, 600)
            except boots.Stopped:
                ends.append("stopped")
        thread = threading.Thread(target=sleep, daemon=True)
        thread.start()
        while not running.processes:
            pass
        running.stop()
        thread.join(30)
        sleep()
        self.assertEqual(ends, ["stopped", "stopped"])


class Initrd(unittest.TestCase):
    def test_cpio_lists_it_with_every_padding(self):
        for padding in (0, 1, 2, 3, 4097):
            with tempfile.NamedTemporaryFile() as f:
                boots.write_initrd(f.name, __file__, padding)
                out = subprocess.run(["cpio", "-itv", "--quiet"], stdin=f,
                                     capture_output=True, text=True, check=True)
            self.assertEqual(out.stderr, "")
            listed = [line.split() for line in out.stdout.splitlines()]
            self.assertEqual(
                [(m[0], m[4], m[-1]) for m in listed],
                [("-rwxr-xr-x", str(os.path.getsize(__file__)), "init"),
                 ("-rw-r--r--", str(padding), "padding")])


if __name__ == "__main__":
    unittest.main()
