#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Unpack the Debian kernel source.

Owns: `<out>/linux-<version>/src` and the note beside it of where it came from.
Not here: the overlay (`overlay.py`), building (`kernel.py`).
Runs: `unpack.py OUT [VERSION [NAME]]`; prints nothing when there is nothing to do.
Fails: one line; a half-unpacked tree never carries the final name.
"""
import os
import shutil
import subprocess
import sys

from overlay_plan import Refusal


def tarball(version):
    path = "/usr/src/linux-source-%s.tar.xz" % version
    if not os.path.exists(path):
        raise Refusal("no %s; install linux-source-%s" % (path, version))
    return path


def unpack(out, version="6.1", name="src"):
    """Make out/linux-version/name the unpacked tree; return its path.

    A newer tarball (a stable update) replaces a tree of the old one.
    """
    place = os.path.join(out, "linux-%s" % version)
    tree, note = os.path.join(place, name), os.path.join(place, name + ".from")
    source = tarball(version)
    stat = os.stat(source)
    origin = "%s %d %d\n" % (source, stat.st_size, stat.st_mtime_ns)
    if os.path.isdir(tree) and os.path.exists(note):
        with open(note, encoding="ascii") as f:
            if f.read() == origin:
                return tree
    print("unpack: %s" % source, flush=True)
    temp = tree + ".new"
    for old in (temp, tree):
        shutil.rmtree(old, ignore_errors=True)
    os.makedirs(temp)
    done = subprocess.run(["tar", "-xJf", source, "-C", temp, "--strip-components=1"],
                          check=False, env=dict(os.environ, XZ_OPT="-T0"))
    if done.returncode:
        raise Refusal("tar could not unpack %s (status %d)" % (source, done.returncode))
    os.rename(temp, tree)
    with open(note, "w", encoding="ascii") as f:
        f.write(origin)
    return tree


def main():
    try:
        print(unpack(*sys.argv[1:]))
    except Refusal as why:
        print("unpack: %s" % why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
