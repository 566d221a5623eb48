# SPDX-License-Identifier: GPL-2.0-only
"""Shared libraries that a program of the guest needs.

Owns: following DT_NEEDED through an unpacked tree of i386 packages.
Not here: fetching packages (`guest_packages`), the archive (`initramfs.py`).
Fails: Refusal naming a library that the tree lacks.
"""
import glob
import os
import re
import subprocess

from overlay_plan import Refusal

PLACES = ("lib/i386-linux-gnu", "usr/lib/i386-linux-gnu", "lib", "usr/lib")
NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
RUNPATH = re.compile(r"\(RUNPATH\).*\[(.+)\]")
LOADER = "ld-linux.so.2"


def asked(path):
    """[(name, places where it is looked for first)] of what an ELF file asks for."""
    done = subprocess.run(["readelf", "-d", path], text=True, capture_output=True, check=False)
    if done.returncode:
        raise Refusal("readelf: %s" % (done.stderr.strip().split("\n") or ["failed"])[0])
    places = [p.lstrip("/") for text in RUNPATH.findall(done.stdout) for p in text.split(":")]
    return [(name, places) for name in NEEDED.findall(done.stdout)]


def needed(path):
    """Names that an ELF file asks for."""
    return [name for name, _ in asked(path)]


def find(root, name, first=()):
    for place in (*first, *PLACES):
        path = os.path.join(root, place, name)
        if os.path.exists(path):
            return path
    raise Refusal("no %s under %s; %d packages are unpacked there"
                  % (name, root, len(glob.glob(os.path.join(root, "../apt/*.unpacked")))))


def libraries(root, program):
    """{path in the guest: file} of all that the program loads, loader included."""
    found, wanted = {}, [(LOADER, ()), *asked(program)]
    while wanted:
        name, places = wanted.pop()
        if name not in found:
            found[name] = find(root, name, places)
            wanted += asked(found[name])
    return {"lib/" + name: path for name, path in found.items()}
