# SPDX-License-Identifier: GPL-2.0-only
"""Measures the cells that have no result yet, several side by side.

Owns: the order of boots, what happens when a boot fails, the disk is full or the
      user interrupts.
Not here: one boot (`boots.py`), the files of results (`cells.py`), what the user
      sees meanwhile (`progress.py`).
Fails: `RunError`, one line; every result until then is kept. A boot that fails is
       one line on stderr, and the others go on.
"""
import collections
import concurrent.futures
import dataclasses
import errno
import os
import shutil
import signal
import sys
import threading
import time

import boots
import cells
import compare
import progress

LEAST_FREE = 512 << 20      # bytes: logs, an initramfs for each boot
MOST_FAILURES = 2           # of one unit in one configuration: the rest would fail too


class RunError(Exception):
    """The run cannot go on."""


class Changed(Exception):
    """Something was rebuilt while it was measured."""


def plan(configurations, units, runs, out):
    """All cells; boots of one variant stand together, so a part is comparable too.

    units: {name: Unit}, runs: {name: boots}. A/A is measured with other variants.
    """
    found = []
    for name, unit in units.items():
        for variant in range(runs[name]):
            for c in configurations:
                if not c.measures(name) or (c.noise and name == "boot"):
                    continue
                own = unit
                if c.program:
                    own = dataclasses.replace(unit, program=os.path.join(out, "user", c.program))
                machine = boots.Machine(c.name, c.image(out), c.rom_file(out), c.append,
                                        c.qemu, c.cpu)
                found.append(cells.Cell(c, own, variant + (runs[name] if c.noise else 0),
                                        machine))
    return found


def need_space(place):
    free = shutil.disk_usage(place).free
    if free < LEAST_FREE:
        raise RunError("disk full: %s has %d MiB free, %d are needed; results so far are kept"
                       % (place, free >> 20, LEAST_FREE >> 20))


class Run:
    """One run over a plan."""

    def __init__(self, place, label, jobs):
        self.place, self.label, self.jobs = place, label, jobs
        self.running, self.failures = boots.Running(), collections.Counter()
        self.lock, self.bad = threading.Lock(), []
        os.makedirs(os.path.join(place, "log"), exist_ok=True)

    def one(self, cell):
        """Measure a cell; seconds. Called in a thread of the pool."""
        kind = cell.unit.name, cell.configuration.name
        with self.lock:
            if self.failures[kind] >= MOST_FAILURES:
                raise boots.BootError("%s: left out, %d boots of it failed"
                                      % (cell.name, MOST_FAILURES))
        need_space(self.place)
        identity, start = cell.identity(), time.monotonic()
        stem = os.path.join(self.place, "log", cell.name.replace(" ", "-"))
        text = boots.boot(cell.machine, cell.unit, cell.variant, stem, self.running)
        if cell.identity() != identity:
            raise Changed(cell.name)
        seconds = time.monotonic() - start
        more = extras(cell, text) if cell.unit.name == "boot" else {}
        cells.keep(cell, os.path.join(self.place, "cells"), identity,
                   {r: boots.parse(text)[r] for r in cell.unit.rows}, seconds, more)
        return seconds

    def failed(self, cell, why):
        """One line, and a note for the report."""
        need_space(self.place)
        self.failures[cell.unit.name, cell.configuration.name] += 1
        self.bad.append(cell)
        # On the terminal a path that can be opened, in the report one from `out` on.
        root = os.path.dirname(os.path.dirname(self.place))
        near = str(why).replace(root + os.sep, os.path.relpath(root) + os.sep)
        print("%s: %s" % (self.label, near), file=sys.stderr, flush=True)
        cells.keep_failure(cell, os.path.join(self.place, "cells"), cell.identity(),
                           str(why).replace(root + os.sep, ""))

    def run(self, todo, total):
        """Measure all; returns the cells that failed."""
        shown = progress.Progress(self.label, todo, total, os.path.join(self.place, "cells"),
                                  self.jobs)
        if todo:
            print("%s: %d cells, %d to measure, about %d min"
                  % (self.label, total, len(todo), shown.minutes()), flush=True)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            futures = {pool.submit(self.one, c): c for c in todo}
            try:
                for future in concurrent.futures.as_completed(futures):
                    try:
                        shown.done(futures[future], future.result())
                    except boots.BootError as why:
                        self.failed(futures[future], why)
                        shown.done(futures[future])
            except BaseException:
                self.running.stop()
                pool.shutdown(cancel_futures=True)
                raise
        if todo and sys.stdout.isatty():
            print()
        return self.bad


def extras(cell, text):
    """What the boot unit measures besides its row."""
    found = boots.patching(text)
    if cell.machine.vmlinux:
        found["text_bytes"] = compare.text_bytes(cell.machine.vmlinux)
    return found


def interrupt(*_):
    raise KeyboardInterrupt


def measure(planned, place, label, jobs):
    """Measure what of the plan has no result of this identity; cells that failed.

    Raises RunError.
    """
    place = os.path.abspath(place)
    os.makedirs(place, exist_ok=True)
    store = os.path.join(place, "cells")
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        need_space(place)
        todo = [c for c in planned if not cells.result(c, store)]
        return Run(place, label, jobs).run(todo, len(planned))
    except KeyboardInterrupt:
        kept = sum(1 for c in planned if cells.result(c, store))
        raise RunError("interrupted: %d of %d cells are measured and kept; the same command "
                       "goes on from there" % (kept, len(planned))) from None
    except Changed as why:
        raise RunError("%s: kernel, ROM, program or image changed while it was measured; "
                       "this cell is not kept, run again" % why) from None
    except OSError as why:
        if why.errno in (errno.ENOSPC, errno.EDQUOT):
            raise RunError("disk full: %s: %s; results so far are kept"
                           % (place, why.strerror)) from None
        raise RunError("%s: %s" % (why.filename or place, why.strerror)) from None
    finally:
        signal.signal(signal.SIGTERM, before)
