# SPDX-License-Identifier: GPL-2.0-only
"""Boot media and Bochs: the command lines, what is refused, what an end means."""
import os
import tempfile
import unittest

import paths
from boottest import bochs, media, qemu
from boottest.judge import judge
from boottest.rows import Row, RowError, load_text

SERIAL = "[    0.000001] Linux version 6.1\n1..1\nok 1 - a\n# verdict: %s\n"
SHUT = "00001p[UNMAP ] >>PANIC<< Shutdown port: shutdown requested\n"


def sized(place, name, size):
    path = os.path.join(place, name)
    with open(path, "wb") as f:
        f.truncate(size)
    return path


class Rows(unittest.TestCase):
    def refuse(self, text, want):
        with self.assertRaises(RowError) as caught:
            load_text(text, "t.ini")
        self.assertIn(want, str(caught.exception))

    def test_unknown(self):
        self.refuse("[a]\nmedia = floppy\n", "media = floppy; use one of kernel iso disk bochs")

    def test_qemu_named_for_bochs(self):
        self.refuse("[a]\nmedia = bochs\nemulator = qemu-system-x86_64\n", "with media = bochs")

    def test_processor(self):
        rows = load_text("[a]\nmedia = iso | bochs\n[b]\nmedia = bochs\ncpu = tigerlake\n", "t.ini")
        self.assertEqual([(r.name, r.cpu) for r in rows], [
            ("a.iso", "qemu32"), ("a.bochs", "core2_penryn_t9600"), ("b", "tigerlake")])


class Packages(unittest.TestCase):
    def test_installed_by_make(self):
        with open(os.path.join(paths.PROJECT, "scripts/deps"), encoding="utf-8") as f:
            listed = f.read()
        for name in (bochs.PACKAGES + " " + media.PACKAGES + " " + qemu.PACKAGE).split():
            self.assertRegex(listed, r"\b%s\b" % name)


class Iso(unittest.TestCase):
    def test_grub_config(self):
        text = media.grub_config(Row(name="r", cmdline="vmi=off a=$x;y", mode="all"))
        self.assertIn("linux /boot/bzImage console=ttyS0 panic=-1 no_timer_check "
                      "pvtest=all vmi=off 'a=$x;y'\n", text)
        self.assertIn("initrd /boot/initrd\n", text)

    def test_qemu_words(self):
        with tempfile.TemporaryDirectory() as place:
            kernel = sized(place, "bz", 5000)
            row = Row(name="r", image=kernel, media="iso")
            words = qemu.command(row, ["a.rom"], kernel, place, "log")
            at = words.index("-cdrom")
            self.assertGreater(os.path.getsize(words[at + 1]), 1 << 20)
            self.assertNotIn("-kernel", words)
            self.assertIn("a.rom", words)
            row.media = "disk"
            words = qemu.command(row, [], kernel, place, "log")
            self.assertIn("if=ide,format=raw,file=%s/boot.iso" % place, words)
            self.assertNotIn("-kernel", words)


class Bochs(unittest.TestCase):
    def test_config(self):
        with tempfile.TemporaryDirectory() as place:
            roms = [sized(place, "a.rom", 0x2200), sized(place, "b.rom", 0x800)]
            row = Row(name="r", media="bochs", cpus=2, mem=4096, roms=roms)
            text = bochs.config(row, "/d/boot.iso", "/d")
            for line in ("optromimage1: file=%s, address=0xca000\n" % roms[0],
                         "optromimage2: file=%s, address=0xcc800\n" % roms[1],
                         "memory: guest=4096, host=2048\n", "path=/d/boot.iso,",
                         "cpu: model=core2_penryn_t9600, count=2,", "dev=/d/serial.log\n"):
                self.assertIn(line, text)

    def test_no_room_for_roms(self):
        with tempfile.TemporaryDirectory() as place:
            row = Row(name="r", roms=[sized(place, "a.rom", 0x16800)])
            with self.assertRaisesRegex(RowError, "1 ROMs end at 0xe0800"):
                bochs.place_roms(row)
            row = Row(name="r", roms=[sized(place, "b.rom", 0x800)] * 5)
            with self.assertRaisesRegex(RowError, "5 ROMs"):
                bochs.place_roms(row)

    def test_too_large(self):
        with self.assertRaisesRegex(RowError, "mem = 5120; Bochs has at most 4096"):
            bochs.check(Row(name="r", mem=5120))
        with self.assertRaisesRegex(RowError, "cpus = 16"):
            bochs.check(Row(name="r", cpus=16))

    def ended(self, serial, log, status=1):
        row = Row(name="r", media="bochs")
        return judge(row, serial, bochs.status_of(status, serial, log)).reasons

    def test_passed(self):
        self.assertEqual(self.ended(SERIAL % "passed", SHUT), [])

    def test_failed(self):
        self.assertEqual(self.ended(SERIAL % "failed", SHUT), ["Bochs ended with 35 instead of 33"])

    def test_other_ends(self):
        want = ["Bochs ended with 1 instead of 33"]
        self.assertEqual(self.ended(SERIAL % "passed", "3rd (13) exception"), want)
        self.assertEqual(self.ended(SERIAL.replace("# verdict: %s\n", ""), SHUT), want)


if __name__ == "__main__":
    unittest.main()
