# SPDX-License-Identifier: GPL-2.0-only
"""The cells: results of single boots, each with the identity of what gave it.

Owns: the identity, the files `<place>/<unit>/<configuration>/<variant>.json`.
Not here: boots (`boots.py`), what to boot (`runner.py`).
Fails: OSError of the file system, for instance of a full disk; the file is then
       as it was before.

A cell counts only under the identity that it was measured with. The identity
names no directory, so two checkouts that build the same images agree.
"""
import dataclasses
import functools
import hashlib
import json
import os
import subprocess

import boots

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPTS = ("boots.py",)     # what decides how a boot is measured


@functools.lru_cache(maxsize=None)
def _digest(path, size, mtime_ns):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def digest(path):
    """SHA-256 of a file; read once while it stays as it is."""
    found = os.stat(path)
    return _digest(path, found.st_size, found.st_mtime_ns)


@functools.lru_cache(maxsize=None)
def version(qemu):
    """First line that QEMU prints about itself."""
    done = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True,
                          stdin=subprocess.DEVNULL)
    return done.stdout.splitlines()[0]


@dataclasses.dataclass(frozen=True)
class Cell:
    """One boot to measure."""
    configuration: object   # configurations.Configuration
    unit: object            # units.Unit, its program already that of the configuration
    variant: int
    machine: object         # boots.Machine

    @property
    def name(self):
        return "%s %s %d" % (self.configuration.name, self.unit.name, self.variant)

    def path(self, place, ending=".json"):
        return os.path.join(place, self.unit.name, self.configuration.name,
                            "%d%s" % (self.variant, ending))

    def files(self):
        """All that the boot is made of."""
        return {p: digest(p) for p in (self.machine.image, self.machine.rom, self.unit.program,
                                       *self.unit.files) if p}

    def identity(self):
        """What must be the same for a result to be the same."""
        words = boots.command(self.machine, "initrd", self.variant, self.unit)
        found = self.files()
        for path in found:
            words = [w.replace(path, os.path.basename(path)) for w in words]
        scripts = "".join(digest(os.path.join(HERE, s)) for s in SCRIPTS)
        return {"kernel": found[self.machine.image],
                "rom": found[self.machine.rom] if self.machine.rom else None,
                "program": found[self.unit.program],
                "files": [found[p] for p in self.unit.files],
                "qemu": version(self.machine.qemu),
                "command": hashlib.sha256("\0".join(words).encode()).hexdigest(),
                "padding": boots.padding(self.variant),
                "scripts": hashlib.sha256(scripts.encode()).hexdigest()}


def write(path, value):
    """Write JSON whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    new = path + ".new"
    try:
        with open(new, "w", encoding="utf-8") as f:
            json.dump(value, f, indent=1, sort_keys=True)
            f.write("\n")
            f.flush()
            os.fsync(f.fileno())
        os.replace(new, path)
    finally:
        if os.path.exists(new):
            os.unlink(new)


def read(path):
    """The JSON of a file; None if there is none, or it is not one of ours."""
    try:
        with open(path, encoding="utf-8") as f:
            found = json.load(f)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def result(cell, place):
    """The stored result of a cell, if it is of this identity."""
    found = read(cell.path(place))
    return found if found and found.get("identity") == cell.identity() else None


def failure(cell, place):
    """Why the last boot of this identity failed, or None."""
    found = read(cell.path(place, ".failed.json"))
    return found["why"] if found and found.get("identity") == cell.identity() else None


def keep(cell, place, identity, rows, seconds, more):
    """Store what a boot gave, and forget an earlier failure."""
    write(cell.path(place), {"identity": identity, "rows": rows, "seconds": round(seconds, 1),
                             **more})
    failed = cell.path(place, ".failed.json")
    if os.path.exists(failed):
        os.unlink(failed)


def keep_failure(cell, place, identity, why):
    """Store why a boot gave nothing."""
    write(cell.path(place, ".failed.json"), {"identity": identity, "why": why})
