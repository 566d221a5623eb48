# SPDX-License-Identifier: GPL-2.0-only
"""A report as text: `report.md`.

Owns: the wording and the columns, which `webpage.py` shares.
Not here: what is true (`report.py`).
"""
import math

import compare
import sites

NOTE = """Ratio of executed guest instructions, base / this configuration: 0.99 means 1 % more
instructions (of rates the inverse: below 1 is always worse). Instructions are not
cycles. QEMU TCG, `-icount shift=0`. Boots of a configuration differ only in the length
of the command line and of the initramfs. Rows by minimum: over all single iterations;
rows by median: over boots, with the 95 % interval in parentheses. A/A is a
configuration against itself with other padding, the noise floor."""
MARKS = (("!", "below its goal"), ("?", "reaches its goal, but not with its whole interval"),
         ("~", "the interval is wider than the difference, or A/A differs as much"),
         ("#", "boots are missing"))
TITLES = {"micro": "Kernel micro-benchmarks", "lmbench": "The lmbench set",
          "macro": "Macro benchmarks", "cpu": "CPU", "io": "Disk I/O", "net": "Network",
          "postmark": "PostMark", "viewperf": "Graphics"}


def title(configuration):
    """Head of a column."""
    c = configuration
    return "A/A" + (" x86-64" if c["peer"] else "") if c["noise"] else c["name"].replace("_", " ")


def mark(r):
    """The marks of a result."""
    said = " ".join(r["remarks"])
    return ({compare.MISSED: "!", compare.UNSURE: "?"}.get(r["verdict"], "")
            + ("~" if "wider" in said or "A/A" in said else "")
            + ("#" if "boots" in said else ""))


def cell(r):
    """A ratio as the tables show it."""
    if r is None:
        return ""
    if "missing" in r:
        return "missing"
    text = "%.4f" % r["ratio"]
    if "%.4f" % r["low"] != "%.4f" % r["high"]:
        text += " (%.4f-%.4f)" % (r["low"], r["high"])
    marks = mark(r)
    return text + (" " + marks if marks else "")


def published(row):
    return ", ".join("%.3f" % p["ratio"] for p in row["published"]) or "-"


def columns(report, table):
    """Configurations with a result in a table."""
    return [c for c in report["configurations"]
            if any(c["name"] in row["results"] for row in table["rows"])]


def geometric_mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def summary(report):
    """[[configuration, unit, rows, mean, lowest (row), goals reached]] as text."""
    found = []
    for c in report["configurations"]:
        for unit in dict.fromkeys(t["unit"] for t in report["tables"]):
            rows = [(r["results"][c["name"]], r["name"]) for t in report["tables"]
                    if t["unit"] == unit for r in t["rows"]
                    if "ratio" in r["results"].get(c["name"], {})]
            if not rows:
                continue
            low, name = min(((r["ratio"], n) for r, n in rows))
            judged = [r["verdict"] for r, _ in rows if r["verdict"]]
            found.append([title(c), c["against"].replace("_", " "), unit, str(len(rows)),
                          "%.4f" % geometric_mean([r["ratio"] for r, _ in rows]),
                          "%.4f (%s)" % (low, name),
                          "%d of %d" % (judged.count(compare.REACHED), len(judged))
                          if judged else "-"])
    return found


SUMMARY_HEAD = ["configuration", "against", "unit", "rows", "geometric mean", "lowest",
                "goals reached"]


def kernels(report):
    """[[configuration, text, growth, sites, patching]] as text."""
    def verdict(c, key):
        return " !" if c.get(key) == compare.MISSED else ""
    return [[c["name"].replace("_", " "), c["about"], str(c.get("text_bytes", "-")),
             ("%+.2f %%" % c["text_growth"] + verdict(c, "text_verdict"))
             if "text_growth" in c else "-",
             str(c.get("sites", "-")),
             ("%d us" % c["patch_us"] + verdict(c, "patch_verdict")) if "patch_us" in c else "-"]
            for c in report["configurations"] if not c["noise"]]


KERNELS_HEAD = ["configuration", "what it is", "text, bytes", "growth", "sites",
                "patching at boot"]


def head(report, table):
    return ["row", "published"] + [title(c) for c in columns(report, table)]


def body(report, table):
    """Rows of a table as text."""
    for row in table["rows"]:
        if row["absent"]:
            yield [row["name"], published(row)] + ["-" for _ in columns(report, table)]
        else:
            yield [row["name"], published(row)] + [cell(row["results"].get(c["name"]))
                                                   for c in columns(report, table)]


def absences(table):
    """{why: [rows]} of what cannot be repeated."""
    found = {}
    for row in table["rows"]:
        if row["absent"]:
            found.setdefault(row["absent"], []).append(row["name"])
    return found


def gaps(report):
    """Lines that name everything that is missing."""
    lines = ["%s: left out: %s" % (c["name"], c["why"]) for c in report["left out"]]
    seen = {}
    for gap in report["gaps"]:
        seen.setdefault((gap["configuration"], gap["unit"], gap["why"]), []).append(gap["boot"])
    return lines + ["%s, %s: boot %s missing: %s" % (c, u, ", ".join(map(str, b)), why)
                    for (c, u, why), b in seen.items()]


def markdown_table(top, lines):
    lines = [top, ["---"] * len(top), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def markdown_one(report, table):
    """One table with its explanations."""
    text = "### %s\n\n" % table["name"]
    if columns(report, table):
        text += markdown_table(head(report, table), body(report, table)) + "\n"
    for why, names in absences(table).items():
        text += "Not reproducible here (%s): %s.\n\n" % (", ".join(names), why)
    here = [r for r in table["rows"] if not r["absent"]]
    if here:
        text += markdown_table(["row", "program", "statistic", "an iteration"],
                               ([r["name"], r["program"], r["statistic"], r["about"]]
                                for r in here)) + "\n"
    return text


def markdown(report, timed=None):
    """The whole report. timed: contents of sites.json, if there is one."""
    text = "# Measurements\n\n%s\n\n%s\n\n" % (
        NOTE, "Marks: " + "; ".join("`%s` %s" % m for m in MARKS) + ".")
    missing = gaps(report)
    if missing:
        text += "## Missing\n\n" + "".join("- %s\n" % line for line in missing) + "\n"
    text += "## Summary\n\n" + markdown_table(SUMMARY_HEAD, summary(report)) + "\n"
    text += "## Kernels\n\n" + markdown_table(KERNELS_HEAD, kernels(report)) + "\n"
    unit = None
    for table in report["tables"]:
        if table["unit"] != unit:
            unit = table["unit"]
            text += "## %s\n\n" % TITLES.get(unit, unit)
            if report["boots"].get(unit):
                text += "%d boots for each configuration.\n\n" % report["boots"][unit]
        text += markdown_one(report, table)
    if timed:
        text += "## %s\n\n%s\n\n%s\n" % (sites.TITLE, sites.note(timed),
                                         markdown_table(sites.HEAD, sites.body(timed)))
    return text + "Measured %s.\n" % report["made"]
