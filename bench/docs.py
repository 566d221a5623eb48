#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Puts the figures of a report into the documentation: docs.py REPORT.json FILE.md...

Owns: what stands between `<!-- figures: NAME -->` and `<!-- end of figures -->`, and
      the plot `docs/figures/micro.svg`.
Not here: the tables (`tables.py`), the plots (`plots.py`).
Fails: exit 2 and one line for a report with gaps or a NAME that nobody knows; no file
       is changed then.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

import outputs
import report
import tables

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLOT = os.path.join(PROJECT, "docs", "figures", "micro.svg")
PLOTTED = "Kernel microbenchmarks"
BLOCK = re.compile(r"(<!-- figures: (.+?) -->\n).*?(<!-- end of figures -->)", re.S)
# The short table: what a builder decides by.
SHORT = ("aa", "paravirt", "vmi", "vmi_native_rom", "vmi_monitor")


class DocsError(Exception):
    """Figures that cannot be written."""


def one_unit(found, unit):
    """All tables of a unit, ratios only."""
    text = ""
    for table in found["tables"]:
        if table["unit"] == unit and tables.columns(found, table):
            text += "### %s\n\n" % table["name"] + tables.markdown_table(
                tables.head(found, table), tables.body(found, table)) + "\n"
    if not text:
        raise DocsError("no figures of %s in the report" % unit)
    return text.rstrip("\n") + "\n"


def short(found):
    """The micro-benchmarks, a configuration a line."""
    table = next((t for t in found["tables"] if t["name"] == PLOTTED), None)
    chosen = [c for c in found["configurations"] if c["name"] in SHORT]
    if not table or not chosen:
        raise DocsError("no %s in the report" % PLOTTED)
    rows = [r for r in table["rows"] if not r["absent"]]
    lines = [["published, 2007"] + [tables.published(r) for r in rows] + ["-"]]
    for c in chosen:
        growth = "%+.2f %%" % c["text_growth"] if "text_growth" in c else "-"
        lines.append([tables.title(c)] + ["%.4f" % r["results"][c["name"]]["ratio"] for r in rows]
                     + [growth])
    return tables.markdown_table(["kernel"] + [r["name"] for r in rows] + ["text"], lines)


def figures(found, name):
    """What belongs between the marks of a name."""
    if name == "summary":
        return tables.markdown_table(tables.SUMMARY_HEAD, tables.summary(found))
    if name == "kernels":
        return tables.markdown_table(tables.KERNELS_HEAD, tables.kernels(found))
    if name == "short":
        return short(found)
    if name in tables.TITLES:
        return one_unit(found, name)
    raise DocsError("no figures are called '%s'" % name)


def renewed(text, found):
    """A document with its figures replaced; blocks of other commands stay."""
    def block(match):
        name = match[2]
        if not name.startswith("make bench "):
            return match[0]
        return match[1] + figures(found, name[len("make bench "):]) + match[3]
    return BLOCK.sub(block, text)


def plot(found, path):
    """Copy the plot of the micro-benchmarks."""
    index = [t["name"] for t in found["tables"]].index(PLOTTED)
    with tempfile.TemporaryDirectory() as place:
        if index not in outputs.draw(path, place, "docs"):
            raise DocsError("%s has no plot" % PLOTTED)
        os.makedirs(os.path.dirname(PLOT), exist_ok=True)
        shutil.copyfile(os.path.join(place, "plots", "%d.svg" % index), PLOT)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("report", metavar="REPORT.json")
    p.add_argument("documents", nargs="+", metavar="FILE.md")
    args = p.parse_args()
    try:
        found = report.read(args.report)
        if found["gaps"] or found["left out"]:
            raise DocsError("%s has gaps" % args.report)
        texts = {}
        for path in args.documents:
            with open(path, encoding="utf-8") as f:
                texts[path] = renewed(f.read(), found)
        plot(found, args.report)
        for path, text in texts.items():
            outputs.write_text(path, text)
    except (DocsError, report.ReportError, OSError) as why:
        print("docs: %s" % why, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
