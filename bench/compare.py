# SPDX-License-Identifier: GPL-2.0-only
"""Compares the figures of two configurations.

Owns: ratios, their intervals, the verdict, the remarks, text sizes.
Not here: getting the figures (`boots.py`), showing them (`report.py`).

A ratio is base / this (for rates the inverse): below 1 this one is worse. A row
whose minimum repeats is compared by the minimum over all single iterations of all
boots; the others (they depend on where memory happens to lie) by the median over
boots of each boot's median. The 95 % interval comes from resampling the boots; its
random numbers start from a fixed seed.
"""
import os
import random
import statistics
import subprocess

RESAMPLES = 2000
TEXT_MOST = 1.0             # per cent that a kernel's text may grow
PATCH_MOST_US = 2000        # of patching at boot, at 1 ns an instruction
REACHED, UNSURE, MISSED = "reached", "not shown", "missed"


def figure(row, boots):
    """The one figure of a row over several boots: [{min, med, n}]."""
    if row.statistic == "median":
        return statistics.median(b["med"] for b in boots)
    return min(b["min"] for b in boots)


def ratio(row, base, this):
    """Below 1: this is worse."""
    found = figure(row, base) / figure(row, this)
    return 1 / found if row.better == "higher" else found


def interval(row, base, this):
    """95 % interval of the ratio over resampled boots."""
    key = "med" if row.statistic == "median" else "min"
    if len({b[key] for b in base}) == 1 == len({b[key] for b in this}):
        return (ratio(row, base, this),) * 2
    rng = random.Random(20260101)
    found = sorted(ratio(row, rng.choices(base, k=len(base)), rng.choices(this, k=len(this)))
                   for _ in range(RESAMPLES))
    return found[int(RESAMPLES * 0.025)], found[int(RESAMPLES * 0.975) - 1]


def verdict(result, goal):
    """Is the goal reached with the whole interval, by the ratio alone, or not?"""
    if goal is None:
        return ""
    if result["low"] >= goal:
        return REACHED
    return UNSURE if result["ratio"] >= goal else MISSED


def noise_verdict(row, result):
    """An A/A row must stay near 1."""
    off = (abs(1 - result["ratio"]) if row.statistic == "minimum"
           else (result["high"] - result["low"]) / 2)
    return REACHED if off <= row.noise else MISSED


def remarks(result):
    """What a reader must know before believing a ratio."""
    off = abs(1 - result["ratio"])
    if result["high"] - result["low"] > off:
        return ["the interval is wider than the difference"]
    return []


def compare(row, base, this, goal=None, noise=False):
    """One row: base and this are lists of boots, [{min, med, n}]."""
    low, high = interval(row, base, this)
    found = {"base": figure(row, base), "this": figure(row, this),
             "ratio": ratio(row, base, this), "low": low, "high": high, "goal": goal,
             "boots": len(this)}
    found["verdict"] = noise_verdict(row, found) if noise else verdict(found, goal)
    found["remarks"] = [] if noise else remarks(found)
    return found


def size_text(path):
    """Sum of the text column of size(1) over a file or the members of an archive."""
    out = subprocess.run(["size", path], capture_output=True, text=True,
                         check=True).stdout
    return sum(int(line.split()[0]) for line in out.splitlines()[1:])


def text_bytes(vmlinux):
    """Text of a kernel without the KUnit tests of the ops, which nobody ships."""
    tests = os.path.join(os.path.dirname(vmlinux), "arch/x86/paravirt/kunit/built-in.a")
    return size_text(vmlinux) - (size_text(tests) if os.path.exists(tests) else 0)
