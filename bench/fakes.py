# SPDX-License-Identifier: GPL-2.0-only
"""What the host tests measure instead of kernels.

Owns: a directory like `build` in which each "kernel" is a shell script, and a
      "QEMU" on PATH that runs it: what it prints is the console, its exit status
      that of QEMU. `$VARIANT` is the length of the padding word, for instance.
"""
import contextlib
import io
import os
import shutil
import tempfile
import unittest
from unittest import mock

import cells
import configurations
import runner
import units

QEMU = """#!/bin/sh
case $1 in --version) echo "QEMU emulator version 0 (fake)"; exit ;; esac
while [ $# -gt 0 ]; do
	case $1 in
	-kernel) kernel=$2 ;;
	-append) append=$2 ;;
	-initrd) initrd=$2 ;;
	esac
	shift
done
echo "$append" >>"$kernel.boots"
export append initrd
exec sh "$kernel"
"""
GOOD = """
echo "bench: segv min=%d med=%d n=5"
echo "bench: mmap min=%d med=%d n=5"
exit 33
"""
ROWS = """
[segv]
table = Micro
published = vmware-2007/Kernel microbenchmarks/segv
program = ours under the published name
goal = 0.995
about = a fault
[mmap]
table = Micro
program = ours
statistic = median
about = a mapping
"""


def good(segv=1000, mmap=1000):
    return GOOD % (segv, segv, mmap, mmap)


class Fake(unittest.TestCase):
    """A test with such a directory in self.out."""

    def setUp(self):
        self.out = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.out)
        self.place = os.path.join(self.out, "bench")
        self.store = os.path.join(self.place, "cells")
        self.put("bin/qemu-system-i386", QEMU, 0o755)
        self.put("user/bench", "program")
        path = os.path.join(self.out, "bin") + os.pathsep + os.environ["PATH"]
        for patch in (mock.patch.dict(os.environ, PATH=path),
                      mock.patch.object(runner, "LEAST_FREE", 1)):
            patch.start()
            self.addCleanup(patch.stop)

    def put(self, name, text, mode=0o644):
        path = os.path.join(self.out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def kernel(self, name, text):
        return self.put("linux-6.1/%s/arch/x86/boot/bzImage" % name, text)

    def boots_of(self, name):
        """Command lines with which a kernel was booted."""
        try:
            with open(os.path.join(self.out, "linux-6.1", name, "arch/x86/boot/bzImage.boots"),
                      encoding="utf-8") as f:
                return f.read().splitlines()
        except FileNotFoundError:
            return []

    def configurations(self, *names):
        """baseline and others, each of the kernel of its name, against baseline."""
        return [configurations.Configuration(n, kernel="baseline" if n == "aa" else n,
                                             against="" if n == "baseline" else "baseline",
                                             noise="yes" if n == "aa" else "",
                                             goals="" if n == "aa" else "rows")
                for n in names]

    def unit(self, **more):
        return units.Unit(**{"name": "micro", "rows": ("segv", "mmap"), "timeout": 20,
                             "program": os.path.join(self.out, "user/bench"), **more})

    def plan(self, *names, runs=2, **more):
        return runner.plan(self.configurations(*names), {"micro": self.unit(**more)},
                           {"micro": runs}, self.out)

    def measure(self, planned, jobs=1):
        """(failed cells, what was printed)."""
        with contextlib.redirect_stdout(io.StringIO()) as out, \
             contextlib.redirect_stderr(io.StringIO()) as err:
            failed = runner.measure(planned, self.place, "bench", jobs)
        return failed, out.getvalue() + err.getvalue()

    def stored(self, planned):
        return [c.name for c in planned if cells.result(c, self.store)]
