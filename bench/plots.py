#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Draws the tables of a report: plots.py REPORT.json DIRECTORY [png]

Owns: one figure a table, `<index>.svg`: a panel a configuration, a row a line, the
      ratio with its interval, A/A as a grey band, published ratios as diamonds.
Not here: the ratios (`report.py`).
Runs: under Debian's Python, which has Debian's matplotlib; nothing is imported from
      the other scripts but `tables.py`.
Fails: exit 1 and one line.
"""
import os
import sys

import tables

try:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, MaxNLocator
except ImportError:
    sys.exit("matplotlib is missing: apt-get install python3-matplotlib")

INK, SOFT, GRID = "#1d2733", "#5c6b7a", "#dfe4ea"
BAR, BELOW, NOISE, PUBLISHED = "#2f6f9f", "#b3261e", "#c9d1d9", "#d08700"
STYLE = {"font.family": "sans-serif", "font.size": 9, "axes.edgecolor": GRID,
         "text.color": INK, "axes.labelcolor": INK, "xtick.color": SOFT, "ytick.color": INK,
         # The same report gives the same bytes.
         "svg.hashsalt": "report", "svg.fonttype": "path"}
LINE_INCHES = 0.27          # height of a row
PANEL_INCHES = 2.15
PANELS = 4                  # side by side: the page scales what is wider
NAMES_INCHES = 1.6
TITLE_INCHES, TICKS_INCHES, LEGEND_INCHES = 0.45, 0.3, 0.3


def panels(report, table):
    """Configurations that get a panel: those with a result, without A/A."""
    return [c for c in tables.columns(report, table) if not c["noise"]]


def lines(table):
    """Rows with at least one ratio, top first."""
    return [r for r in table["rows"]
            if any("ratio" in v for v in r["results"].values())]


def noise_of(report, c, row):
    """The interval of A/A for a configuration's base, or None."""
    for other in report["configurations"]:
        found = row["results"].get(other["name"], {})
        if other["noise"] and other["against"] == c["against"] and "ratio" in found:
            return min(found["low"], 1), max(found["high"], 1)
    return None


def published(c, row):
    """Published ratios of such a comparison."""
    return [p["ratio"] for p in row["published"] if p["source"] == c["published"]]


def limits(chosen, rows):
    """One scale for panels of like spread: {configuration: (left, right)}."""
    spans = {}
    for c in chosen:
        found = [v for r in rows for v in published(c, r)]
        for r in rows:
            result = r["results"].get(c["name"], {})
            if "ratio" in result:
                found += [result["low"], result["high"]]
        spans[c["name"]] = (min(found + [0.99]), max(found + [1.004]))
    wide = {n for n, (low, high) in spans.items() if high - low > 0.2}
    for group in (wide, set(spans) - wide):
        if group:
            low = min(spans[n][0] for n in group)
            high = max(spans[n][1] for n in group)
            room = (high - low) * 0.06
            spans.update({n: (low - room, high + room) for n in group})
    return spans


def draw_row(axis, y, report, c, row):
    """One ratio: a bar from 1 and its interval."""
    band = noise_of(report, c, row)
    if band:
        axis.fill_betweenx([y - 0.5, y + 0.5], *band, color=NOISE, linewidth=0, zorder=1)
    r = row["results"].get(c["name"], {})
    if "ratio" in r:
        colour = BELOW if r["verdict"] == "missed" else BAR
        axis.barh(y, r["ratio"] - 1, left=1, height=0.52, color=colour, alpha=0.85, zorder=2)
        axis.plot([r["low"], r["high"]], [y, y], color=INK, linewidth=1.1, zorder=4,
                  solid_capstyle="butt")
        axis.plot([r["ratio"]], [y], marker="|", markersize=7, color=INK, zorder=4)
        axis.text(1.02, y, "%.4f" % r["ratio"], transform=axis.get_yaxis_transform(),
                  va="center", fontsize=7.5, color=colour if colour == BELOW else SOFT)
    elif "missing" in r:
        axis.text(1, y, " missing", color=BELOW, va="center", fontsize=8, style="italic")
    for value in published(c, row):
        axis.plot([value], [y], marker="D", markersize=4.2, color=PUBLISHED,
                  markeredgecolor="white", markeredgewidth=0.6, linestyle="none", zorder=5)


def dress(axis, c, rows, span):
    """Titles, scale and grid of a panel."""
    axis.set_title(tables.title(c) + "\nagainst " + c["against"].replace("_", " "),
                   fontsize=8.5, pad=6)
    axis.axvline(1, color=INK, linewidth=0.9, zorder=3)
    axis.set_xlim(*span)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_yticks(range(len(rows)), [r["name"] for r in rows])
    axis.tick_params(length=0)
    axis.xaxis.set_major_locator(MaxNLocator(4))
    digits = 2 if span[1] - span[0] > 0.05 else 3
    axis.xaxis.set_major_formatter(FuncFormatter(lambda v, _: "%.*f" % (digits, v)))
    axis.tick_params(axis="x", labelsize=7.5)
    axis.grid(axis="x", color=GRID, linewidth=0.7, zorder=0)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)


def legend(figure, rows, chosen):
    """What the marks mean, only those that occur."""
    entries = [(pyplot.Rectangle((0, 0), 1, 1, color=BAR, alpha=0.85), "ratio, with interval"),
               (pyplot.Rectangle((0, 0), 1, 1, color=BELOW, alpha=0.85), "below its goal"),
               (pyplot.Rectangle((0, 0), 1, 1, color=NOISE), "A/A")]
    if any(published(c, r) for c in chosen for r in rows):
        entries.append((pyplot.Line2D([], [], marker="D", markersize=5, color=PUBLISHED,
                                      linestyle="none"), "published"))
    figure.legend(*zip(*entries), loc="lower left", ncol=len(entries), frameon=False,
                  fontsize=8, bbox_to_anchor=(0, 0))


def places(panels_wanted, rows):
    """(figure, its axes): PANELS side by side, the rest below."""
    across = min(PANELS, panels_wanted)
    down = -(-panels_wanted // across)
    plot = LINE_INCHES * rows
    between = TITLE_INCHES + TICKS_INCHES
    width = NAMES_INCHES + PANEL_INCHES * across
    height = down * (plot + between) + LEGEND_INCHES
    figure, axes = pyplot.subplots(down, across, figsize=(width, height), sharey=True,
                                   squeeze=False)
    figure.subplots_adjust(left=NAMES_INCHES / width, right=1 - 0.55 / width,
                           top=1 - TITLE_INCHES / height,
                           bottom=(TICKS_INCHES + LEGEND_INCHES) / height,
                           wspace=0.3, hspace=between / plot)
    flat = [axis for line in axes for axis in line]
    for axis in flat[panels_wanted:]:
        axis.set_axis_off()
    return figure, flat[:panels_wanted]


def draw(report, table, path):
    """The figure of a table; nothing if nothing was measured."""
    chosen, rows = panels(report, table), lines(table)
    if not chosen or not rows:
        return
    spans = limits(chosen, rows)
    figure, axes = places(len(chosen), len(rows))
    for axis, c in zip(axes, chosen):
        for y, row in enumerate(rows):
            draw_row(axis, y, report, c, row)
        dress(axis, c, rows, spans[c["name"]])
    legend(figure, rows, chosen)
    for ending in (["svg", "png"] if "png" in sys.argv[3:] else ["svg"]):
        figure.savefig("%s.%s" % (path, ending), dpi=150,
                       metadata={"Date": None} if ending == "svg" else None)
    pyplot.close(figure)


def main():
    # Not through `report.py`: that would ask for the rows files too.
    import json
    with open(sys.argv[1], encoding="utf-8") as f:
        report = json.load(f)
    pyplot.rcParams.update(STYLE)
    for index, table in enumerate(report["tables"]):
        draw(report, table, os.path.join(sys.argv[2], str(index)))


if __name__ == "__main__":
    main()
