#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What moved between two reports: moved.py A/report.json B/report.json

Owns: the comparison of two reports row by row.
Not here: what a report holds (`report.py`).
Exit status: 0 nothing became worse, 1 something did or is gone, 2 no comparison.

A row by median moved if its intervals do not meet; a row by minimum has none worth
the name, and moved if its ratio differs by more than EXACT.
"""
import sys

import report

EXACT = 0.0005


def results(found):
    """{(unit, row, configuration): (result, statistic)} of what was measured."""
    return {(t["unit"], row["name"], name): (r, row["statistic"])
            for t in found["tables"] for row in t["rows"]
            for name, r in row["results"].items() if "ratio" in r}


def moved(a, b, statistic):
    """-1 worse, 1 better, 0 within the intervals."""
    change = b["ratio"] / a["ratio"] - 1
    if statistic == "median":
        apart = b["high"] < a["low"] or b["low"] > a["high"]
    else:
        apart = abs(change) > EXACT
    # Medians that repeat exactly have intervals without width.
    if not apart or abs(change) <= EXACT:
        return 0
    return 1 if change > 0 else -1


def show(r):
    if r["low"] == r["high"]:
        return "%.4f" % r["ratio"]
    return "%.4f (%.4f-%.4f)" % (r["ratio"], r["low"], r["high"])


def changes(a, b):
    """[(kind, line)]: kind is worse, better, gone or new."""
    old, new = results(a), results(b)
    found = []
    for key in list(old) + [k for k in new if k not in old]:
        what = "%s %s, %s" % key
        if key not in new:
            found.append(("gone", "%s: was %s" % (what, show(old[key][0]))))
        elif key not in old:
            found.append(("new", "%s: %s" % (what, show(new[key][0]))))
        else:
            way = moved(old[key][0], new[key][0], new[key][1])
            if way:
                found.append(("better" if way > 0 else "worse", "%s: %s -> %s" % (
                    what, show(old[key][0]), show(new[key][0]))))
    return found


def main():
    if len(sys.argv) != 3:
        print("bench-compare: use make bench-compare A=report.json B=report.json",
              file=sys.stderr)
        return 2
    try:
        a, b = map(report.read, sys.argv[1:])
    except report.ReportError as why:
        print("bench-compare: %s" % why, file=sys.stderr)
        return 2
    both = len(set(results(a)) & set(results(b)))
    if not both:
        print("bench-compare: the reports have no row in common", file=sys.stderr)
        return 2
    found = changes(a, b)
    for kind in ("worse", "gone", "better", "new"):
        for line in (line for k, line in found if k == kind):
            print("%-7s%s" % (kind, line))
    count = {k: sum(1 for kind, _ in found if kind == k) for k in ("worse", "better", "gone")}
    print("bench-compare: %d rows compared, %d worse, %d better, %d gone"
          % (both, count["worse"], count["better"], count["gone"]))
    return 1 if count["worse"] or count["gone"] else 0


if __name__ == "__main__":
    sys.exit(main())
