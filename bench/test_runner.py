#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of cells and runs: identity, interruption, failing boots, a full disk."""
import errno
import json
import os
import shutil
import unittest
from unittest import mock

import boots
import cells
import fakes
import progress
import runner


class Identity(fakes.Fake):
    def setUp(self):
        super().setUp()
        self.kernel("baseline", fakes.good())
        self.kernel("vmi", fakes.good())

    def test_changes_with_everything_that_is_booted(self):
        image = self.put("image", "1")
        first = self.plan("baseline", files=(image,))[0].identity()
        for what, change in (
                ("kernel", lambda: self.kernel("baseline", fakes.good(1))),
                ("program", lambda: self.put("user/bench", "other")),
                ("files", lambda: self.put("image", "2"))):
            change()
            now = self.plan("baseline", files=(image,))[0].identity()
            self.assertNotEqual(now[what], first[what], what)
            self.assertEqual({k: v for k, v in now.items() if k != what},
                             {k: v for k, v in first.items() if k != what})
            first = now

    def test_changes_with_rom_command_and_variant(self):
        cell = self.plan("baseline")[0]
        first = cell.identity()
        rom = self.put("rom/x.rom", "rom")
        machine = boots.Machine("baseline", cell.machine.image, rom=rom)
        self.assertNotEqual(cells.Cell(cell.configuration, cell.unit, 0, machine)
                            .identity()["rom"], first["rom"])
        for other in (self.plan("baseline", append="x=1")[0], self.plan("baseline")[1],
                      self.plan("baseline", mem=512)[0], self.plan("baseline", sleep="on")[0]):
            self.assertNotEqual(other.identity()["command"], first["command"])

    def test_names_no_directory(self):
        first = self.plan("baseline", files=(self.put("image", "1"),),
                          qemu=("-drive", "file=%s/image" % self.out))[0].identity()
        other = self.out + ".other"
        shutil.copytree(self.out, other)
        self.addCleanup(shutil.rmtree, other)
        self.out = other
        self.assertEqual(self.plan("baseline", files=(other + "/image",),
                                   qemu=("-drive", "file=%s/image" % other))[0].identity(), first)

    def test_changed_kernel_is_measured_again_and_others_are_not(self):
        self.measure(self.plan("baseline", "vmi"))
        self.assertEqual(self.measure(self.plan("baseline", "vmi")), ([], ""))
        self.kernel("vmi", fakes.good(segv=2000))
        planned = self.plan("baseline", "vmi")
        self.assertEqual(self.stored(planned), ["baseline micro 0", "baseline micro 1"])
        self.measure(planned)
        self.assertEqual(len(self.boots_of("baseline")), 2)
        self.assertEqual(len(self.boots_of("vmi")), 4)
        found = cells.result(planned[1], self.store)
        self.assertEqual(found["rows"]["segv"]["min"], 2000)

    def test_kernel_that_changes_meanwhile_is_not_kept(self):
        self.kernel("vmi", 'echo "# changed" >>"$0"' + fakes.good())
        planned = self.plan("baseline", "vmi")
        with self.assertRaisesRegex(runner.RunError, "vmi micro 0: .* changed while"):
            self.measure(planned)
        self.assertEqual(self.stored(planned), ["baseline micro 0"])

    def test_broken_cell_file_counts_as_none(self):
        planned = self.plan("baseline")
        self.measure(planned)
        for text in ("", "{", "[1]", "{}"):
            with open(planned[0].path(self.store), "w", encoding="utf-8") as f:
                f.write(text)
            self.assertEqual(self.stored(planned), ["baseline micro 1"], text)


class FailingBoot(fakes.Fake):
    def setUp(self):
        super().setUp()
        self.kernel("baseline", fakes.good())

    def failing(self, text, **more):
        self.kernel("vmi", text)
        planned = self.plan("baseline", "vmi", runs=3, **more)
        failed, printed = self.measure(planned)
        self.assertEqual([c.name for c in failed], ["vmi micro %d" % i for i in range(3)])
        self.assertEqual(self.stored(planned), ["baseline micro %d" % i for i in range(3)])
        lines = [line for line in printed.splitlines() if "QEMU status" in line]
        self.assertEqual(len(lines), runner.MOST_FAILURES)
        self.assertEqual(len(self.boots_of("vmi")), runner.MOST_FAILURES)
        self.assertIn("vmi micro 2: left out, 2 boots of it failed", printed)
        return planned, lines[0]

    def test_says_status_rows_reason_and_log(self):
        _, line = self.failing("echo 'Kernel panic - not syncing: x'; exit 1")
        for part in ("QEMU status 1", "segv, mmap", "Kernel panic - not syncing: x", "see "):
            self.assertIn(part, line)
        with open(line.rsplit("see ", 1)[1], encoding="utf-8") as log:
            self.assertIn("Kernel panic", log.read())

    def test_row_that_is_missing_fails_the_boot(self):
        _, line = self.failing("echo 'bench: segv min=1 med=1 n=1'; exit 33")
        self.assertIn("rows missing: mmap", line)

    def test_good_rows_with_a_bad_status_fail(self):
        self.failing(fakes.good().replace("exit 33", "exit 35"))

    def test_silence_ends_in_time(self):
        _, line = self.failing("exec sleep 60", timeout=0.2)
        self.assertIn("none within 0.2 s", line)

    def test_reason_is_kept_for_this_kernel_only(self):
        planned, _ = self.failing("exit 1")
        self.assertIn("QEMU status 1", cells.failure(planned[1], self.store))
        self.kernel("vmi", fakes.good())
        planned = self.plan("baseline", "vmi", runs=3)
        self.assertIsNone(cells.failure(planned[1], self.store))
        self.assertEqual(self.measure(planned)[0], [])
        self.assertEqual(len(self.stored(planned)), 6)

    def test_failure_is_tried_again(self):
        self.kernel("vmi", "[ -e '%s/ok' ] || exit 1%s" % (self.out, fakes.good()))
        planned = self.plan("baseline", "vmi")
        self.assertEqual(len(self.measure(planned)[0]), 2)
        self.put("ok", "")
        self.assertEqual(self.measure(planned)[0], [])
        self.assertIsNone(cells.failure(planned[1], self.store))

    def test_missing_qemu_is_one_line(self):
        self.kernel("vmi", fakes.good())
        planned = self.plan("baseline")
        for cell in planned:
            cell.machine.qemu = "no-such-qemu"
        with self.assertRaisesRegex(runner.RunError, "no-such-qemu"):
            self.measure(planned)


class Interrupted(fakes.Fake):
    def test_goes_on_where_it_stopped(self):
        # The fake QEMU itself presses Ctrl-C, in its second boot.
        self.kernel("baseline", """
			if [ ! -e '%s/again' ] && [ $(wc -l <"$0.boots") = 2 ]; then
				kill -INT $PPID
				exec sleep 60
			fi %s""" % (self.out, fakes.good()))
        planned = self.plan("baseline", runs=4)
        with self.assertRaisesRegex(runner.RunError, "interrupted: 1 of 4 cells"):
            self.measure(planned)
        self.assertEqual(self.stored(planned), ["baseline micro 0"])
        self.assertFalse([n for n in os.listdir(self.place + "/log") if n.endswith(".cpio")])
        self.put("again", "")
        self.assertEqual(self.measure(planned)[0], [])
        self.assertEqual(len(self.boots_of("baseline")), 5)
        self.assertEqual(len(self.stored(planned)), 4)

    def test_scratch_disk_is_there_for_its_boot_only(self):
        disk = os.path.join(self.place, "log", "baseline-micro-0.disk")
        self.kernel("baseline", "stat -c %%s %s >&2\n%s" % (disk, fakes.good()))
        planned = self.plan("baseline", runs=1, scratch_mib=3)
        self.assertEqual(self.measure(planned)[0], [])
        with open(disk[:-len(".disk")] + ".log", encoding="utf-8") as log:
            self.assertEqual(log.readline().strip(), str(3 << 20))
        self.assertFalse(os.path.exists(disk))


class FullDisk(fakes.Fake):
    def setUp(self):
        super().setUp()
        self.kernel("baseline", fakes.good())
        self.planned = self.plan("baseline", runs=3)

    def test_is_seen_before(self):
        with mock.patch.object(runner, "LEAST_FREE", 1 << 60), \
             self.assertRaisesRegex(runner.RunError, r"disk full: .* MiB free, .* are needed"):
            self.measure(self.planned)
        self.assertEqual(self.boots_of("baseline"), [])

    def test_is_one_line_in_the_middle_and_keeps_the_rest(self):
        calls = []

        def fsync(_):
            calls.append(1)
            if len(calls) == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
        with mock.patch.object(os, "fsync", fsync), \
             self.assertRaisesRegex(runner.RunError, "disk full: .*No space left.* kept"):
            self.measure(self.planned)
        self.assertEqual(self.stored(self.planned), ["baseline micro 0"])
        self.assertEqual(os.listdir(os.path.dirname(self.planned[1].path(self.store))),
                         ["0.json"])


class Plan(fakes.Fake):
    def test_noise_has_other_variants_and_boots_stand_together(self):
        self.kernel("baseline", "")
        self.kernel("vmi", "")
        self.assertEqual([c.name for c in self.plan("baseline", "aa", "vmi")],
                         ["baseline micro 0", "aa micro 2", "vmi micro 0",
                          "baseline micro 1", "aa micro 3", "vmi micro 1"])

    def test_estimate_comes_from_boots_of_the_same_kind(self):
        self.kernel("baseline", fakes.good())
        planned = self.plan("baseline", runs=4)
        shown = progress.Progress("x", planned, 4, self.store, 2)
        self.assertEqual(shown.expected(("micro", "baseline")), progress.USUAL_SECONDS)
        cells.write(planned[0].path(self.store), {"seconds": 90, "identity": {}})
        shown = progress.Progress("x", planned, 4, self.store, 2)
        self.assertEqual(shown.minutes(), 3)
        shown.seconds.clear()
        shown.seconds["micro", "vmi"].append(300)
        self.assertEqual(shown.minutes(), 10)

    def test_writes_json_whole_or_not_at_all(self):
        path = os.path.join(self.out, "x/y.json")
        cells.write(path, {"a": 1})
        with self.assertRaises(TypeError):
            cells.write(path, {"a": object()})
        with open(path, encoding="utf-8") as f:
            self.assertEqual(json.load(f), {"a": 1})
        self.assertEqual(os.listdir(self.out + "/x"), ["y.json"])


if __name__ == "__main__":
    unittest.main()
