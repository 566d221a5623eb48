# SPDX-License-Identifier: GPL-2.0-only
"""Compares the figures of two kernels.

Owns: ratios, their intervals, the judgement, the table.
Not here: getting the figures (`boots.py`).

Rows whose minimum repeats exactly are compared by the minimum over all single
iterations of all boots. The others (fork, mmap: they depend on where memory
happens to lie) by the median over boots of each boot's median, with a 95 %
interval from resampling the boots; its random numbers start from a fixed seed.
"""
import random
import statistics
import os
import subprocess

from boots import ROWS

SPREAD_ROWS = ["nforkwait", "mmap", "exec"]
RESAMPLES = 2000


def interval(base, this):
    """95 % interval of median(base) / median(this) over resampled boots."""
    rng = random.Random(20260101)
    ratios = sorted(
        statistics.median(rng.choices(base, k=len(base))) /
        statistics.median(rng.choices(this, k=len(this)))
        for _ in range(RESAMPLES))
    return ratios[int(RESAMPLES * 0.025)], ratios[int(RESAMPLES * 0.975) - 1]


def compare_row(row, base, this):
    """base and this: lists of boots. A ratio below 1: this kernel needs more."""
    if row in SPREAD_ROWS:
        b, t = ([boot[row]["med"] for boot in boots] for boots in (base, this))
        low, high = interval(b, t)
        b, t = statistics.median(b), statistics.median(t)
    else:
        b, t = (min(boot[row]["min"] for boot in boots)
                for boots in (base, this))
        low = high = b / t
    best_b, best_t = (min(boot[row]["min"] for boot in boots)
                      for boots in (base, this))
    return {"base": b, "this": t, "ratio": b / t, "low": low, "high": high,
            "min_ratio": best_b / best_t}


def compare(base, this):
    """All rows of one kernel against the baseline."""
    return {row: compare_row(row, base, this) for row in ROWS}


def size_text(path):
    """Sum of the text column of size(1) over a file or the members of an archive."""
    out = subprocess.run(["size", path], capture_output=True, text=True,
                         check=True).stdout
    return sum(int(line.split()[0]) for line in out.splitlines()[1:])


def text_bytes(vmlinux):
    """Text of a kernel without the KUnit tests of the ops, which nobody ships."""
    tests = os.path.join(os.path.dirname(vmlinux), "arch/x86/paravirt/kunit/built-in.a")
    return size_text(vmlinux) - (size_text(tests) if os.path.exists(tests) else 0)


def shortfalls(name, rows, floor, floors=None):
    """One line per row that stays below its floor: floors[row], else floor."""
    lowest = {row: (floors or {}).get(row, floor) for row in rows}
    return [f"{name}: {row}: {r['base']:.0f} -> {r['this']:.0f} instructions, "
            f"ratio {r['ratio']:.4f}"
            + (f" (interval ends at {r['high']:.4f})" if row in SPREAD_ROWS else "")
            + f" is below {lowest[row]}"
            for row, r in rows.items() if r["high"] < lowest[row]]


def cell(row, r):
    """A ratio as the table shows it."""
    if row not in SPREAD_ROWS:
        return f"{r['ratio']:.4f}"
    return f"{r['ratio']:.4f} ({r['low']:.4f}-{r['high']:.4f})"


def table(base_name, results, texts):
    """The markdown table; results: {name: rows}, texts: {name: bytes or None}."""
    lines = ["| kernel | " + " | ".join(ROWS) + " | text |",
             "| --- |" + " --- |" * (len(ROWS) + 1)]
    first = next(iter(results.values()))
    lines.append(f"| {base_name}, instructions | "
                 + " | ".join(f"{first[row]['base']:.0f}" for row in ROWS)
                 + f" | {texts.get(base_name) or '-'} |")
    for name, rows in results.items():
        base, this = texts.get(base_name), texts.get(name)
        growth = f"{(this / base - 1) * 100:+.2f} %" if base and this else "-"
        lines.append(f"| {name} | "
                     + " | ".join(cell(row, rows[row]) for row in ROWS)
                     + f" | {growth} |")
    return "\n".join(lines) + "\n"
