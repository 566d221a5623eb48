# SPDX-License-Identifier: GPL-2.0-only
"""Builds what configurations and units need.

Owns: the kernels, programs and images, each once; leaving out a peer that cannot be
      built.
Not here: ROMs and our i386 program (the Makefile).
Fails: `PrepareError`, one line, for a kernel of ours.
"""
import os
import shlex
import subprocess
import sys

import units

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class PrepareError(Exception):
    """Something that a configuration needs is not there."""


def run(words):
    """Run a command in the project; '' or why it failed."""
    try:
        done = subprocess.run(words, cwd=PROJECT, text=True, stdin=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
    except OSError as why:
        return "%s: %s" % (words[0], why.strerror)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["exit status %d" % done.returncode])[-1]
    sys.stderr.write(done.stderr)
    return ""


def build(c, out):
    """Build the kernel and the program of a configuration; '' or why not."""
    words = shlex.split(c.build)
    if words and not os.path.isfile(os.path.join(PROJECT, words[0])):
        return "no file %s" % words[0]
    why = ""
    if words:
        why = run([os.path.join(PROJECT, words[0]), *words[1:], "--out", out])
    if c.program and not why:
        why = run(["make", "-s", "--no-print-directory", "-C", "bench/guest",
                   "O=" + os.path.join(out, "user"), c.program])
    return why


def build_units(names, out):
    """{unit: why not} of those whose programs or images could not be built."""
    tried, failed = {}, {}
    for name in names:
        for step in units.STEPS.get(name, ()):
            if step not in tried:
                tried[step] = run([word.format(out=out) for word in step])
            if tried[step]:
                failed[name] = "unit %s: %s" % (name, tried[step])
                break
    return failed


def shown(path, out):
    """A path from `out` on: reports of two checkouts shall be equal."""
    return os.path.join(os.path.basename(out), os.path.relpath(path, out))


def missing(c, out):
    """What a configuration lacks, or ''."""
    program = os.path.join(out, "user", c.program) if c.program else None
    for path in filter(None, (c.image(out), c.rom_file(out), program)):
        if not os.path.isfile(path):
            return "no file %s" % shown(path, out)
    return ""


def prepare(configurations, out, may_build):
    """(configurations that can be measured, {name: why} of peers left out)."""
    usable, left_out, tried = [], {}, {}
    for c in configurations:
        key = c.build, c.program
        if may_build and key not in tried:
            tried[key] = build(c, out)
        why = tried.get(key) or missing(c, out)
        if why and not c.peer:
            raise PrepareError("%s: %s" % (c.name, why))
        if why:
            left_out[c.name] = why
        else:
            usable.append(c)
    names = {c.name for c in usable}
    for c in [c for c in usable if c.against and c.against not in names]:
        left_out[c.name] = "nothing to compare it with: %s is left out" % c.against
        usable.remove(c)
    return usable, left_out
