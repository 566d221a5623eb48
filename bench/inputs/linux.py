# SPDX-License-Identifier: GPL-2.0-only
"""A few files of Linux with all headers that they read, and how to compile them.

Owns: `linux/src`, `linux/obj` (generated headers), `linux/Makefile`, `gcc.i`.
Not here: the kernel tree, which must have been built (`scripts/kernel.py`).
Fails: `InputError` naming what the tree lacks.

Files, headers and flags are those of the tree's own build, which left them in a
`.<name>.o.cmd` beside each object.
"""
import hashlib
import os
import re
import shlex
import shutil
import subprocess

from .error import InputError

TREE = os.path.join("linux-6.1", "baseline-pae-smp")
FILES = ("lib/sort", "lib/rbtree")
PREPROCESSED = "lib/zlib_inflate/inflate"
# Every file reads it, so that the tree does not name it.
CONFIGURATION = "include/generated/autoconf.h"
COMMAND = re.compile(r"^(?:saved)?cmd_\S+ := (.*)$", re.M)
SOURCE = re.compile(r"^source_\S+ := (\S+)$", re.M)
DEPENDENCY = re.compile(r"^  ([^$\s]\S*) \\$", re.M)


class Unit:
    """One object of the kernel tree."""

    def __init__(self, tree, name):
        at, self.name = os.path.split(name)[0], name
        path = os.path.join(tree, at, ".%s.o.cmd" % os.path.basename(name))
        try:
            with open(path, encoding="utf-8") as f:
                text = f.read()
        except FileNotFoundError:
            raise InputError("no %s; build the baseline kernel first" % path) from None
        self.sources = os.path.realpath(os.path.join(tree, "source"))
        self.source = SOURCE.search(text)[1]
        self.reads = sorted({self.source, CONFIGURATION, *DEPENDENCY.findall(text)})
        words = shlex.split(COMMAND.search(text)[1])
        self.flags = [w for w in words[words.index("-nostdinc"):-4] if w != "-c"]

    def in_image(self, path):
        """Where a file of the tree stands below `linux`."""
        path = os.path.normpath(path)
        if not os.path.isabs(path):
            return os.path.join("obj", path)
        inside = os.path.relpath(path, self.sources)
        if inside.startswith(".."):
            raise InputError("%s reads %s, which is outside of %s" % (
                self.name, path, self.sources))
        return os.path.join("src", inside)

    def rule(self):
        """Lines of the Makefile; T is the place of the tree, O that of the objects."""
        flags = " ".join(shlex.quote(w.replace(self.sources, "@")) for w in self.flags)
        return "$(O)/%s.o:\n\tgcc -Wp,-MMD,$(O)/%s.d %s -c -o $@ $(T)/%s\n" % (
            self.name, self.name, flags.replace("@", "$(T)/src"), self.in_image(self.source))


def tree_of(out):
    tree = os.path.join(out, TREE)
    if not os.path.isdir(tree):
        raise InputError("no %s; build the baseline kernel first" % tree)
    return tree


def stamp(out):
    """Changes when one of the files or its flags does."""
    tree, text = tree_of(out), ""
    for name in (*FILES, PREPROCESSED):
        unit = Unit(tree, name)
        text += " ".join(unit.flags).replace(unit.sources, "@")
        for path in unit.reads:
            with open(os.path.join(tree, path), "rb") as f:
                text += hashlib.sha256(f.read()).hexdigest()
    return hashlib.sha256(text.encode()).hexdigest()


def fill(place, out):
    tree, linux = tree_of(out), os.path.join(place, "linux")
    units = [Unit(tree, name) for name in FILES]
    for unit in units:
        for path in unit.reads:
            target = os.path.join(linux, unit.in_image(path))
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(tree, path), target)
    with open(os.path.join(linux, "Makefile"), "w", encoding="utf-8") as f:
        f.write("all: %s\n" % " ".join("$(O)/%s.o" % u.name for u in units)
                + "".join(u.rule() for u in units))
    preprocess(Unit(tree, PREPROCESSED), tree, os.path.join(place, "gcc.i"))


def preprocess(unit, tree, target):
    """One file as cc1 gets it, without line marks, which name this machine's places."""
    done = subprocess.run(["gcc", *unit.flags, "-E", "-P", "-o", target, unit.source],
                          cwd=tree, text=True, capture_output=True, check=False)
    if done.returncode:
        raise InputError("%s: %s" % (unit.source, done.stderr.strip().splitlines()[-1]))
