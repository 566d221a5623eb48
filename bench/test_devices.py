#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of the device units.

Run with `python3 bench/test_devices.py -v`.
"""
import os
import re
import unittest

import catalogue
import devices
import units

HERE = os.path.dirname(os.path.abspath(__file__))
TABLES = ("vmware-2007/IOMeter", "vmware-2007/Netperf", "kvm-virtio-2008/PostMark")


class Rows(unittest.TestCase):
    def test_every_published_row_is_measured_once(self):
        listed = [key for unit in devices.DEVICES for r in catalogue.rows(unit)
                  for key in r.published if not r.absent]
        wanted = [key for key in catalogue.published() if key.startswith(TABLES)]
        self.assertEqual(sorted(listed), sorted(wanted))

    def test_the_guest_prints_the_rows_in_their_order(self):
        for unit in devices.DEVICES:
            with open(os.path.join(HERE, "devices", unit + ".c"), encoding="utf-8") as f:
                printed = re.findall(r'^\t\{ "(\w+)", ', f.read(), re.M)
            self.assertEqual(tuple(printed), catalogue.measured(unit), unit)


class Words(unittest.TestCase):
    def test_no_other_thread_takes_part_in_a_request(self):
        for name in devices.DEVICES:
            words = devices.unit(name, "build").qemu
            measured = [w for w in words if w.startswith("virtio-") and "drive=root" not in w]
            self.assertTrue(measured)
            for word in measured:
                self.assertIn(",ioeventfd=off", word)

    def test_cards_leave_rom_space_alone(self):
        cards = [w for w in devices.unit("net", "build").qemu if w.startswith("virtio-net")]
        self.assertEqual(len(cards), 2)
        for word in cards:
            self.assertRegex(word, r",romfile=(,|$)")

    def test_other_units_are_refused(self):
        with self.assertRaisesRegex(units.UnitError, "no unit cpu; there are io, net, postmark"):
            devices.unit("cpu", "build")

    def test_who_names_a_scratch_file_has_one(self):
        for name in devices.DEVICES:
            unit = devices.unit(name, "build")
            self.assertEqual(any("{scratch}" in w for w in unit.qemu), unit.scratch_mib > 0)


if __name__ == "__main__":
    unittest.main()
