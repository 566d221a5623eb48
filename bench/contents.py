# SPDX-License-Identifier: GPL-2.0-only
"""What of the packages stands in the root image.

Owns: the lists of programs and data, the directories that the guest mounts on.
Not here: fetching (`packages.py`), generated inputs (`inputs`), the image (`image.py`).
Fails: `ContentsError`, one line that names the path and what to fetch.
"""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scripts"))

from guestlibs import libraries  # noqa: E402 (path set above)
from overlay_plan import Refusal  # noqa: E402

GCC = "usr/lib/gcc/i686-linux-gnu/12"
PROGRAMS = (
    "bin/dash", "bin/bzip2", "bin/cat", "bin/cp", "bin/mkdir", "bin/rm", "bin/true",
    "usr/bin/make", "usr/bin/perl", "usr/bin/glpsol", "usr/games/gnugo",
    "usr/bin/hmm2build", "usr/bin/hmm2search", "usr/games/sjeng", "usr/bin/x264",
    "usr/bin/ns", "usr/bin/planetsplitter-slim", "usr/bin/routino-router", "usr/bin/xsltproc",
    "usr/bin/sqlite3", "usr/bin/stress-ng", "usr/bin/oggenc", "usr/bin/dbench",
    "usr/bin/i686-linux-gnu-gcc-12", "usr/bin/i686-linux-gnu-as", "usr/bin/i686-linux-gnu-ld.bfd",
    GCC + "/cc1", GCC + "/collect2",
    "usr/bin/postmark", "usr/bin/fio", "usr/bin/iperf3", "bin/ip", "sbin/mke2fs",
)
DATA = (
    "usr/lib/i386-linux-gnu/perl-base", GCC + "/include", "usr/share/dbench/client.txt",
    "usr/share/tcltk/tcl8.6", "usr/share/routino", "etc/mke2fs.conf",
)
LINKS = {"bin/sh": "dash", "usr/bin/gcc": "i686-linux-gnu-gcc-12",
         "usr/bin/as": "i686-linux-gnu-as", "usr/bin/ld": "i686-linux-gnu-ld.bfd"}
# sjeng asks for the user's home directory.
TEXTS = {"etc/passwd": "root:x:0:0:root:/tmp:/bin/sh\n"}
EMPTY = ("dev", "proc", "sys", "tmp", "mnt", "run")


class ContentsError(Exception):
    """Something that the image must have is not there."""


def copy(source, target):
    """One file, what a link points to, or a directory with all below it."""
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.isdir(source):
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copyfile(source, target)
        os.chmod(target, 0o755 if os.access(source, os.X_OK) else 0o644)


def needed_libraries(root, paths):
    """{path in the guest: file} of what the programs load."""
    found = {}
    for path in paths:
        try:
            found.update(libraries(root, os.path.join(root, path)))
        except Refusal as why:
            raise ContentsError("%s: %s" % (path, why)) from None
    return found


def fill(root, tree):
    """Copy programs, their libraries and data from `root` into the new `tree`."""
    for path in PROGRAMS + DATA:
        if not os.path.exists(os.path.join(root, path)):
            raise ContentsError("no %s in the unpacked packages; is its package in "
                                "bench/packages.py?" % path)
    for path in PROGRAMS + DATA:
        copy(os.path.join(root, path), os.path.join(tree, path))
    for path, source in needed_libraries(root, PROGRAMS).items():
        copy(source, os.path.join(tree, path))
    for path, target in LINKS.items():
        os.symlink(target, os.path.join(tree, path))
    for path, text in TEXTS.items():
        with open(os.path.join(tree, path), "w", encoding="ascii") as f:
            f.write(text)
    for path in EMPTY:
        os.makedirs(os.path.join(tree, path), exist_ok=True)
