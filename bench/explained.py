# SPDX-License-Identifier: GPL-2.0-only
"""The tables of two traces.

Owns: by function, by site, what is printed in which order.
Not here: counting (`attribute.py`), the code side by side (`code_diff.py`).
"""
import attribute
import code_diff


def show(sides, everything, codes):
    """Print all tables. `codes`: how many functions' code."""
    lines = [line for side in sides for line in head(side)]
    lines += functions(sides, everything)
    for side in sides:
        lines += sites(side)
    print("\n".join(lines + code_diff.lines(sides, codes)))


def head(side):
    """What was traced, and whether it is what the row counts."""
    took, figures = len(side.traced.path) + side.traced.unseen, side.traced.figures
    lines = [f"{side.name}: {took} instructions, the shortest of {side.traced.tried} traced "
             f"iterations; the row alone: minimum {figures['min']}, median {figures['med']}"]
    if side.traced.unseen:
        lines.append(f"{side.name}: too long to trace user code: that is what the kernel's "
                     f"{len(side.traced.path)} leave of the minimum")
    elif took != figures["min"]:
        lines.append(f"{side.name}: {took - figures['min']:+} against the minimum: not all of "
                     "the same path")
    return lines


def functions(sides, everything):
    """Differing functions, largest difference on top."""
    a, b = (s.functions for s in sides)
    widths = [max(len(s.name), 8) for s in sides]
    lines = ["", f"{sides[0].name:>{widths[0]}} {sides[1].name:>{widths[1]}} {'more':>7}  function"]
    for key in sorted(set(a) | set(b), key=lambda k: (-abs(b[k] - a[k]), k)):
        if everything or a[key] != b[key]:
            lines.append(f"{a[key]:{widths[0]}} {b[key]:{widths[1]}} {b[key] - a[key]:+7}  {key}")
    a, b = (sum(s.functions.values()) for s in sides)
    return lines + [f"{a:{widths[0]}} {b:{widths[1]}} {b - a:+7}  all, ratio {a / b:.4f}"]


def site_rows(side):
    """[(over or None, SiteCost, function, op)]; uses of one op in a function together."""
    merged = {}
    for (function, site), cost in side.sites.items():
        at = merged.setdefault((function, site.op), attribute.SiteCost())
        at.times += cost.times
        at.instructions += cost.instructions
        at.called += cost.called
    rows = []
    for (function, op), cost in merged.items():
        native = code_diff.count_instructions(op.native)
        over = None if native is None else cost.instructions - native * cost.times
        rows.append((over, cost, function, op))
    return sorted(rows, key=lambda r: (-(r[1].instructions if r[0] is None else r[0]), r[2]))


def sites(side):
    """Sites, dearest beyond the native form on top; nothing for a kernel without."""
    rows = site_rows(side)
    if not rows:
        return []
    lines = ["", f"sites of {side.name}; over: beyond the native form, where that is no function",
             f"{'times':>6} {'instr.':>7} {'over':>6}  op, in function: into"]
    for over, cost, function, op in rows:
        into = ", ".join(f"{n} {c}" for n, c in cost.called.most_common(4))
        lines.append(f"{cost.times:6} {cost.instructions:7} "
                     f"{'-' if over is None else f'{over:+}':>6}  "
                     f"{op.name}, in {function}{': ' + into if into else ''}")
    return lines + [f"{sum(r[1].times for r in rows):6} {sum(r[1].instructions for r in rows):7} "
                    f"{sum(r[0] or 0 for r in rows):+6}  all"]
