# SPDX-License-Identifier: GPL-2.0-only
"""Inputs that a compiler of this machine makes.

Owns: `libquantum`, a static i386 program of ours on the library's archive.
Not here: kernel sources (`linux.py`).
Fails: `InputError` with the compiler's last line.
"""
import os
import subprocess

import packages

from . import texts
from .error import InputError

FLAGS = ("-m32", "-march=i686", "-static", "-no-pie", "-O2", "-Wall", "-Werror",
         "-fopenmp",
         "-Wl,--build-id=none")


def fill(place, out):
    root = packages.unpacked(out)
    done = subprocess.run(
        ["gcc", *FLAGS, "-I", os.path.join(root, "usr/include"), "-o",
         os.path.join(place, "libquantum"), os.path.join(texts.FILES, "libquantum.c"),
         os.path.join(root, "usr/lib/i386-linux-gnu/libquantum.a"), "-lm"],
        text=True, capture_output=True, check=False)
    if done.returncode:
        raise InputError("libquantum.c: %s" % (done.stderr.strip().splitlines() or ["gcc"])[-1])
