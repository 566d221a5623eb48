# SPDX-License-Identifier: GPL-2.0-only
"""Builds what the configurations need.

Owns: the kernels, each once; leaving out a peer that cannot be built.
Not here: ROMs and guest programs (the Makefile).
Fails: `PrepareError`, one line, for a kernel of ours.
"""
import os
import shlex
import subprocess
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class PrepareError(Exception):
    """Something that a configuration needs is not there."""


def build(command, out):
    """Run a build command of configurations.ini; '' or why it failed."""
    words = shlex.split(command)
    path = os.path.join(PROJECT, words[0])
    if not os.path.isfile(path):
        return "no file %s" % words[0]
    done = subprocess.run([path, *words[1:], "--out", out], cwd=PROJECT, text=True,
                          stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["exit status %d" % done.returncode]
        return lines[-1]
    sys.stderr.write(done.stderr)
    return ""


def missing(c, out):
    """What a configuration lacks, or ''."""
    program = os.path.join(out, "user", c.program) if c.program else None
    for path in filter(None, (c.image(out), c.rom_file(out), program)):
        if not os.path.isfile(path):
            return "no file %s" % os.path.relpath(path)
    return ""


def prepare(configurations, out, may_build):
    """(configurations that can be measured, {name: why} of peers left out)."""
    usable, left_out, tried = [], {}, {}
    for c in configurations:
        why = ""
        if may_build and c.build:
            if c.build not in tried:
                tried[c.build] = build(c.build, out)
            why = tried[c.build]
        why = why or missing(c, out)
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
