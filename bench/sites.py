#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What each form of a patched site costs on this processor: `make bench BENCH=sites`.

Usage: bench/sites.py --program build/sites/sites --out build/bench

Ratios to the bare instructions, of measurements that take turns; no seconds: what else
the machine does changes those. 95 % interval of the median by ranks.

Owns: running the program, statistics, the table, <out>/sites.json.
Not here: the sites (`bench/sites/`), the report (`outputs.py`).
Exit status: 0, or 2 with one line.
"""
import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys

FORMS = ("inline native", "inline, prefix padding", "inline, NOP padding", "direct call",
         "indirect call", "retpoline")
OPS = {"clc": "CLC in place of CLI", "save_fl": "PUSHF; POP", "set_pte": "one MOV to memory"}
TITLE = "A site on this processor"
RESULT = "sites.json"
ROUNDS = 4000
FEWEST_ROUNDS = 30
TIMEOUT_S = 50
RANKS = 1.96            # of a normal distribution, 95 %
HEAD = ["form", *OPS.values()]


class SitesError(Exception):
    """No figures; one line."""


def processor(path="/proc/cpuinfo"):
    """Model name; SitesError where it has no RDTSCP."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    if not re.search(r"^flags\s*:.*\brdtscp\b", text, re.M):
        raise SitesError("this processor has no RDTSCP, or its hypervisor hides it")
    name = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    return name[1].strip() if name else "unknown"


def run(program, rounds):
    """What the program prints."""
    # One CPU, so that its own caches and predictors serve all measurements.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    try:
        done = subprocess.run([program, "time", str(rounds)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise SitesError(f"not done within {TIMEOUT_S} s") from None
    except OSError as e:
        raise SitesError(f"{program}: {e.strerror}; it is a 32-bit program: "
                         "does this kernel run those?") from None
    if done.returncode:
        why = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise SitesError(why[-1].removeprefix("sites: "))
    return done.stdout


def parse(text):
    """{op: [ticks of each form, ...]}"""
    rounds = {op: [] for op in OPS}
    for line in text.splitlines():
        op, *ticks = line.split()
        if op not in rounds or len(ticks) != len(FORMS):
            raise SitesError(f"unknown line '{line}'")
        rounds[op].append([int(t) for t in ticks])
    few = [op for op, found in rounds.items() if len(found) < FEWEST_ROUNDS]
    if few:
        raise SitesError(f"fewer than {FEWEST_ROUNDS} rounds of {', '.join(few)}")
    return rounds


def middle(ratios):
    """(median, low, high)"""
    ratios, n = sorted(ratios), len(ratios)
    reach = RANKS * math.sqrt(n) / 2
    low, high = int(n / 2 - reach), math.ceil(n / 2 + reach)
    return statistics.median(ratios), ratios[max(low, 0)], ratios[min(high, n - 1)]


def figures(rounds):
    """[{op, name, ratio, low, high}]"""
    found = []
    for op, lines in rounds.items():
        for at, name in enumerate(FORMS):
            ratio, low, high = middle([ticks[at] / ticks[0] for ticks in lines])
            found.append({"op": op, "name": name, "ratio": round(ratio, 3),
                          "low": round(low, 3), "high": round(high, 3)})
    return found


def body(found):
    """Lines of the table, as text."""
    cells = {(f["op"], f["name"]): f"{f['ratio']:.2f} ({f['low']:.2f}-{f['high']:.2f})"
             for f in found["forms"]}
    return [[name] + [cells[op, name] for op in OPS] for name in FORMS]


def note(found):
    """What the table says, in one paragraph."""
    return (f"Time of {found['rounds']} rounds on `{found['cpu']}`, {found['mode']}, sites back "
            "to back; ratio to the bare instructions, median and its 95 % interval. The "
            "instructions need no privilege: CLI itself takes longer than CLC, so what is "
            "around it weighs less.")


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", required=True)
    p.add_argument("--out", required=True)
    p.add_argument("--rounds", type=int, default=ROUNDS)
    args = p.parse_args()
    path = os.path.join(args.out, RESULT)
    try:
        os.makedirs(args.out, exist_ok=True)
        # What fails shall not leave another run's figures to the report.
        if os.path.exists(path):
            os.unlink(path)
        cpu = processor()
        found = {"cpu": cpu, "mode": "32-bit code", "rounds": args.rounds,
                 "forms": figures(parse(run(args.program, args.rounds)))}
        with open(path + ".new", "w", encoding="utf-8") as f:
            json.dump(found, f, indent=1)
        os.replace(path + ".new", path)
    except (SitesError, OSError) as e:
        print(f"sites: {e}", file=sys.stderr)
        return 2
    print(note(found) + "\n")
    rows = [HEAD] + body(found)
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    print(f"sites: {os.path.relpath(path)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
