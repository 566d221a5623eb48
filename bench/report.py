# SPDX-License-Identifier: GPL-2.0-only
"""Puts the cells together to a report.

Owns: what `report.json` holds: tables, ratios, verdicts, published values, gaps.
Not here: statistics (`compare.py`), how it looks (`tables.py`, `webpage.py`, `plots.py`).
Fails: `ReportError`, one line, for a file that is no report.

The same cells give the same bytes, except for the field `made`.
"""
import time

import catalogue
import cells
import compare

FORMAT = "paravirt-bench-1"


class ReportError(Exception):
    """A file that is not a report."""


class Results:
    """What was measured: rows of boots by unit and configuration, and the gaps."""

    def __init__(self, planned, place):
        self.boots, self.more, self.asked, self.gaps = {}, {}, {}, []
        for cell in planned:
            key = cell.unit.name, cell.configuration.name
            self.asked[key] = self.asked.get(key, 0) + 1
            found = cells.result(cell, place)
            if found:
                self.boots.setdefault(key, []).append(found["rows"])
                self.more.setdefault(key, found)
            else:
                self.gaps.append({"unit": key[0], "configuration": key[1],
                                  "boot": cell.variant,
                                  "why": cells.failure(cell, place) or "not measured"})

    def of(self, unit, configuration, row):
        """The boots of a row; empty if there are none."""
        return [b[row] for b in self.boots.get((unit, configuration), []) if row in b]

    def why_missing(self, unit, configuration):
        for gap in self.gaps:
            if (gap["unit"], gap["configuration"]) == (unit, configuration):
                return gap["why"]
        return "not measured"


def one_result(row, c, results):
    """A row in a configuration against the one it belongs to."""
    base, this = (results.of(row.unit, n, row.name) for n in (c.against, c.name))
    if not base or not this:
        gone = c.against if not base else c.name
        return {"missing": "%s: %s" % (gone, results.why_missing(row.unit, gone))}
    found = compare.compare(row, base, this, c.goal(row), bool(c.noise))
    for name, boots in ((c.against, base), (c.name, this)):
        if len(boots) < results.asked[row.unit, name]:
            found["remarks"].append("%s: only %d of %d boots"
                                    % (name, len(boots), results.asked[row.unit, name]))
    return found


def mark_noise(found, configurations):
    """Say which differences are not larger than those of A/A."""
    noise = {c.against: found[c.name] for c in configurations
             if c.noise and "ratio" in found.get(c.name, {})}
    for c in configurations:
        r = found.get(c.name, {})
        if c.noise or "ratio" not in r or r["ratio"] == 1 or c.against not in noise:
            continue
        n = noise[c.against]
        if abs(1 - r["ratio"]) <= max(abs(1 - n["low"]), abs(1 - n["high"])):
            r["remarks"].append("not more than A/A")


def published_of(row):
    """The published values of a row."""
    known = catalogue.published()
    found = []
    for key in row.published:
        if key not in known:
            raise catalogue.CatalogueError("%s.ini: [%s]: published = %s: no such row"
                                           % (row.unit, row.name, key))
        line = known[key]
        found.append({"key": key, "source": line["source"], "base": line["baseline"],
                      "this": line["paravirt"], "unit": line["unit"],
                      "ratio": float(line["published ratio"])})
    return found


def row_entry(row, configurations, results):
    """A row of a table."""
    entry = {"name": row.name, "about": row.about, "program": row.program,
             "statistic": row.statistic, "better": row.better, "absent": row.absent,
             "published": published_of(row), "results": {}}
    if not row.absent:
        entry["results"] = {c.name: one_result(row, c, results) for c in configurations
                            if c.against and c.measures(row.unit)}
        mark_noise(entry["results"], configurations)
    return entry


def tables(units, configurations, results):
    """Tables in the order of the units, and of the rows in them."""
    found = {}
    for unit in units:
        for row in catalogue.rows(unit):
            found.setdefault((unit, row.table), []).append(
                row_entry(row, configurations, results))
    return [{"name": table, "unit": unit, "rows": rows} for (unit, table), rows in found.items()]


def judged(value, most):
    return compare.REACHED if value <= most else compare.MISSED


def kernel_entry(c, known, results):
    """Size and patching time of a configuration's kernel."""
    found = results.more.get(("boot", c.name))
    entry = {"name": c.name, "about": c.about, "kernel": c.kernel, "rom": c.rom,
             "append": c.append, "against": c.against, "noise": bool(c.noise),
             "peer": bool(c.peer), "published": c.published}
    identity = found or next((m for (_, n), m in results.more.items() if n == c.name), None)
    if identity:
        entry["identity"] = {k: identity["identity"][k] for k in ("kernel", "rom", "qemu")}
    if not found:
        return entry
    for key in ("text_bytes", "patch_us", "sites"):
        if key in found:
            entry[key] = found[key]
    base = results.more.get(("boot", c.against), {}).get("text_bytes")
    if base and "text_bytes" in found and known[c.against].kernel != c.kernel:
        entry["text_growth"] = (found["text_bytes"] / base - 1) * 100
        if c.goals:
            entry["text_verdict"] = judged(entry["text_growth"], compare.TEXT_MOST)
    if "patch_us" in found and c.goals:
        entry["patch_verdict"] = judged(found["patch_us"], compare.PATCH_MOST_US)
    return entry


def build(planned, configurations, units, left_out, unloaded, place):
    """The report as a dictionary.

    units: names; left_out: {configuration: why}; unloaded: {unit: why}.
    """
    results = Results(planned, place)
    known = {c.name: c for c in configurations}
    return {"format": FORMAT,
            "made": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
            "configurations": [kernel_entry(c, known, results) for c in configurations],
            "left out": [{"name": n, "why": why} for n, why in
                         sorted({**left_out, **unloaded}.items())],
            "boots": {u: max([n for (v, _), n in results.asked.items() if v == u], default=0)
                      for u in units},
            "tables": tables(units, configurations, results), "gaps": results.gaps}


def missed(report):
    """[(configuration, what, ratio, goal)] of all goals that were not reached."""
    found = []
    for table in report["tables"]:
        for row in table["rows"]:
            found += [(name, "%s: %s" % (table["unit"], row["name"]), r)
                      for name, r in row["results"].items()
                      if r.get("verdict") == compare.MISSED]
    return found


def read(path):
    """A report.json; raises ReportError."""
    found = cells.read(path)
    if found is None:
        raise ReportError("%s: no such file, or not JSON" % path)
    if found.get("format") != FORMAT:
        raise ReportError("%s: not a report of make bench: format is %r, wanted %r"
                          % (path, found.get("format"), FORMAT))
    return found
