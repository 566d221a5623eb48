# SPDX-License-Identifier: GPL-2.0-only
"""Writes the files of a report.

Owns: `<name>.json`, `.md` and `.html` side by side, each whole or not at all.
Not here: their contents (`report.py`, `tables.py`, `webpage.py`, `plots.py`).
Fails: `OutputError`, one line. Without matplotlib one line, and a page without plots.
"""
import os
import subprocess

import cells
import sites
import tables
import webpage

HERE = os.path.dirname(os.path.abspath(__file__))
# Debian's matplotlib belongs to Debian's Python, whatever `python3` is.
PYTHON = "/usr/bin/python3"


class OutputError(Exception):
    """A file that cannot be written."""


def write_text(path, text):
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(path + ".new", path)


def draw(path, place, label):
    """{index of the table: SVG text}; empty, with a line, if there is no matplotlib."""
    where = os.path.join(place, "plots")
    os.makedirs(where, exist_ok=True)
    for old in os.listdir(where):
        os.unlink(os.path.join(where, old))
    try:
        done = subprocess.run([PYTHON, os.path.join(HERE, "plots.py"), path, where], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        why = done.returncode and (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    except OSError as e:
        why = "%s: %s" % (PYTHON, e.strerror)
    if why:
        print("%s: no plots: %s" % (label, why), flush=True)
        return {}
    found = {}
    for name in sorted(os.listdir(where)):
        if name.endswith(".svg"):
            with open(os.path.join(where, name), encoding="utf-8") as f:
                found[int(name[:-len(".svg")])] = f.read()
    return found


def write(report, place, name, label):
    """All files of a report."""
    stem = os.path.join(place, name)
    try:
        cells.write(stem + ".json", report)
        # Not part of the .json: the same kernels shall give the same report everywhere.
        timed = cells.read(os.path.join(place, sites.RESULT))
        write_text(stem + ".md", tables.markdown(report, timed))
        write_text(stem + ".html", webpage.page(report, draw(stem + ".json", place, label), timed))
    except OSError as why:
        raise OutputError("%s: %s" % (why.filename or stem, why.strerror)) from None
    print("%s: %s.md, .html and .json" % (label, os.path.relpath(stem)), flush=True)
