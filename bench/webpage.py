# SPDX-License-Identifier: GPL-2.0-only
"""A report as one self-contained page: `report.html`.

Owns: the markup and the style, for a screen and for paper.
Not here: the wording of cells (`tables.py`), the plots (`plots.py`).
"""
import html
import re

import sites
import tables

STYLE = """
:root { --ink: #1d2733; --soft: #5c6b7a; --line: #d9dfe6; --bad: #b3261e; --head: #f3f6f9 }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink);
       max-width: 1180px; margin: 0 auto; padding: 2rem 1.5rem 4rem }
h1 { font-size: 1.7rem; margin: 0 0 .5rem }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .75rem; padding-bottom: .3rem;
     border-bottom: 2px solid var(--line) }
h3 { font-size: 1.05rem; margin: 1.75rem 0 .5rem }
p { max-width: 75ch } .soft { color: var(--soft); font-size: .87rem }
nav a { margin-right: 1rem }
.wide { overflow-x: auto; margin: .5rem 0 1rem }
table { border-collapse: collapse; font-size: .82rem; font-variant-numeric: tabular-nums }
th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right;
         vertical-align: top }
th { background: var(--head); font-weight: 600; vertical-align: bottom }
td small { display: block; color: var(--soft); white-space: nowrap }
th:first-child, td:first-child, table.words td, table.words th { text-align: left }
.bad { color: var(--bad); font-weight: 600 } .unsure { color: #8a5a00 }
.gap { color: var(--bad); font-style: italic }
figure { margin: .75rem 0 1.25rem } figure svg { max-width: 100%; height: auto }
.paper { display: none }
.missing { border-left: 4px solid var(--bad); padding: .25rem 1rem; background: #fdf3f2 }
@page { size: A4 landscape; margin: 12mm }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt } nav { display: none }
  table { font-size: 7.5pt } th, td { padding: .15rem .35rem }
  .wide { overflow: visible } tr, figure { break-inside: avoid }
  h2, h3, .soft { break-after: avoid } details { display: none } .paper { display: block }
}
"""
CELL = re.compile(r"^(\d\.\d{4})(?: \((\d\.\d{4})-(\d\.\d{4})\))?(?: ([!?~#]+))?$")


def show(text):
    """A cell's text as markup: the interval small below, what misses its goal in red."""
    found = CELL.match(text)
    if not found:
        gap = ' class="gap"' if text == "missing" else ""
        return "<td%s>%s</td>" % (gap, html.escape(text))
    ratio, low, high, marks = found.groups()
    kind = "bad" if "!" in (marks or "") else "unsure" if "?" in (marks or "") else ""
    below = " ".join(filter(None, ("%s&ndash;%s" % (low, high) if low else "",
                                   html.escape(marks or ""))))
    return '<td%s>%s%s</td>' % (' class="%s"' % kind if kind else "", ratio,
                                "<small>%s</small>" % below if below else "")


def table(head, lines, words=False):
    rows = "".join("<tr>%s</tr>\n" % "".join(map(show, line)) for line in lines)
    return ('<div class="wide"><table%s><thead><tr>%s</tr></thead>\n'
            "<tbody>%s</tbody></table></div>\n" % (
                ' class="words"' if words else "",
                "".join("<th>%s</th>" % html.escape(h) for h in head), rows))


def one(report, t, plot):
    """A table, its plot, and what its rows are."""
    text = "<h3>%s</h3>\n" % html.escape(t["name"])
    if plot:
        text += "<figure>%s</figure>\n" % plot[plot.index("<svg"):]
    if tables.columns(report, t):
        text += table(tables.head(report, t), tables.body(report, t))
    for why, names in tables.absences(t).items():
        text += "<p>Not reproducible here (%s): %s.</p>\n" % (
            html.escape(", ".join(names)), html.escape(why))
    here = [r for r in t["rows"] if not r["absent"]]
    if here:
        what = table(["row", "program", "statistic", "an iteration"],
                     [[r["name"], r["program"], r["statistic"], r["about"]] for r in here], True)
        # Paper has nothing to click on.
        text += ("<details><summary>What the rows are</summary>%s</details>\n"
                 '<div class="paper">%s</div>\n' % (what, what))
    return text


def code(text):
    """Markup of a paragraph."""
    return re.sub("`(.*?)`", r"<code>\1</code>", html.escape(text))


def page(report, plots, timed=None):
    """The whole page. plots: {index of the table: SVG}; timed: contents of sites.json."""
    units = list(dict.fromkeys(t["unit"] for t in report["tables"]))
    names = {u: html.escape(tables.TITLES.get(u, u)) for u in units}
    text = "<h1>Measurements</h1>\n<p class=soft>Measured %s</p>\n<p>%s</p>\n<p>%s</p>\n" % (
        html.escape(report["made"]), code(tables.NOTE),
        "; ".join("<b>%s</b> %s" % tuple(map(html.escape, m)) for m in tables.MARKS))
    text += "<nav>%s</nav>\n" % "".join('<a href="#%s">%s</a>' % (u, names[u]) for u in units)
    missing = tables.gaps(report)
    if missing:
        text += '<div class="missing"><h3>Missing</h3><ul>%s</ul></div>\n' % "".join(
            "<li>%s</li>" % html.escape(line) for line in missing)
    text += "<h2>Summary</h2>\n" + table(tables.SUMMARY_HEAD, tables.summary(report), True)
    text += "<h2>Kernels</h2>\n" + table(tables.KERNELS_HEAD, tables.kernels(report), True)
    for unit in units:
        text += '<h2 id="%s">%s</h2>\n' % (unit, names[unit])
        if report["boots"].get(unit):
            text += "<p class=soft>%d boots for each configuration</p>\n" % report["boots"][unit]
        text += "".join(one(report, t, plots.get(i)) for i, t in enumerate(report["tables"])
                        if t["unit"] == unit)
    if timed:
        text += "<h2>%s</h2>\n<p>%s</p>\n%s" % (
            sites.TITLE, code(sites.note(timed)), table(sites.HEAD, sites.body(timed), True))
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            "<title>Measurements</title><style>%s</style></head>\n<body>\n%s</body></html>\n"
            % (STYLE, text))
