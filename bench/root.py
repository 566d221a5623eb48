#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Builds the root image of the measured programs, build/bench/root.img.

Usage: bench/root.py --out build

Owns: the order of the steps, the tree, leaving alone what is up to date.
Not here: packages (`packages.py`), contents (`contents.py`), inputs (`inputs`),
      the image (`image.py`).
Exit status: 0, or 2 with one line that says what is missing.

The same packages, scripts and kernel tree give the same bytes.
"""
import argparse
import hashlib
import os
import shutil
import sys

import contents
import image
import inputs.error
import packages

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ("root.py", "contents.py", "packages.py", "image.py", "inputs")


def path(out):
    """The image; out: the directory `build`."""
    return os.path.join(out, "bench", "root.img")


def sources():
    """All files of ours that decide what the image holds."""
    for name in SCRIPTS:
        whole = os.path.join(HERE, name)
        if not os.path.isdir(whole):
            yield whole
        for place, directories, names in os.walk(whole):
            directories[:] = sorted(d for d in directories if d != "__pycache__")
            yield from (os.path.join(place, n) for n in sorted(names))


def stamp(out):
    """What the image is made of, as one hash."""
    text = repr(sorted(packages.versions(out).items())) + inputs.stamp(out)
    for source in sources():
        with open(source, "rb") as f:
            text += hashlib.sha256(f.read()).hexdigest()
    return hashlib.sha256(text.encode()).hexdigest()


def build(out):
    """Make the image unless it is up to date."""
    packages.fetch(out)
    wanted, kept = stamp(out), path(out) + ".from"
    if os.path.exists(path(out)) and os.path.exists(kept):
        with open(kept, encoding="ascii") as f:
            if f.read() == wanted:
                return
    tree = os.path.join(out, "bench", "tree")
    shutil.rmtree(tree, ignore_errors=True)
    try:
        os.makedirs(tree)
        contents.fill(packages.unpacked(out), tree)
        inputs.fill(out, tree)
        image.make(tree, path(out))
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    with open(kept, "w", encoding="ascii") as f:
        f.write(wanted)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", default="build", help="the build directory")
    args = p.parse_args()
    try:
        build(os.path.abspath(args.out))
    except (packages.PackageError, contents.ContentsError, image.ImageError,
            inputs.error.InputError) as why:
        print("root: %s" % why, file=sys.stderr)
        return 2
    except OSError as why:
        print("root: %s: %s" % (why.filename or args.out, why.strerror), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
