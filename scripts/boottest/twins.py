# SPDX-License-Identifier: GPL-2.0-only
"""Rows whose tests must end as those of another row.

Owns: finding the other row (`same_as`), comparing the two results.
Not here: whether either row passed by itself (`judge.py`).
Fails: RowError if the other row is missing or is no boot of the same kernel.

`same_as = native` in a row of the section [ring1] is the row `native`, or else
the row of the section [native] with the same alternatives: [ring1] with
`cpus = 1 | 2` is compared with `native.1` and `native.2`. `differs` lists, one
a line as `test: reason`, tests that may pass on one side and be skipped on the
other; a test that fails on one side only is always a difference.
"""
from .rows import RowError

# What must agree; the rest is what the comparison is about.
SAME_KEYS = ("kernel", "cpus", "mem", "cpu", "mode", "media", "emulator")


def twin_of(row, known):
    """The row that row is compared with; known: {name: row}."""
    _, dot, values = row.name.partition(".")
    names = [row.same_as, row.same_as + dot + values]
    twin = next((known[n] for n in names if n in known), None)
    if twin is None or twin is row:
        raise RowError("row %s: same_as = %s; no row %s" % (row.name, row.same_as,
                                                            " or ".join(dict.fromkeys(names))))
    for key in SAME_KEYS:
        if getattr(row, key) != getattr(twin, key):
            raise RowError("row %s: %s = %s, but %s in %s: not comparable" % (
                row.name, key, getattr(row, key), getattr(twin, key), twin.name))
    return twin


def with_twins(chosen, known):
    """chosen, and the rows that it is compared with."""
    names = {row.name: row for row in chosen}
    for row in chosen:
        if row.same_as:
            twin = twin_of(row, known)
            names.setdefault(twin.name, twin)
    return list(names.values())


def allowed(row):
    """{test: reason} of `differs`."""
    return dict(text.split(": ", 1) for text in row.differs)


def outcomes(tap):
    """{test: passed, failed or skipped}."""
    ends = {name: "passed" for name in tap.passed}
    ends.update({line.split(":")[0]: "failed" for line in tap.failed})
    ends.update({name: "skipped" for name, _ in tap.skipped})
    return ends


def differences(row, tap, twin, twin_tap):
    """One reason per test that ended otherwise; one for all that have no end here."""
    here, there, known = outcomes(tap), outcomes(twin_tap), allowed(row)
    reasons = []
    if not here or not there:
        reasons.append("nothing to compare with %s: %d results, %d there"
                       % (twin.name, len(here), len(there)))
    absent = [name for name in there if name not in here]
    if here and absent:
        reasons.append("%d tests of %s have no result, the first: %s"
                       % (len(absent), twin.name, absent[0]))
    for name in sorted(here):
        pair = [here[name], there.get(name, "missing")]
        if pair[0] == pair[1] or name in known and sorted(pair) == ["passed", "skipped"]:
            continue
        reasons.append("%s: %s, but %s in %s" % (name, *pair, twin.name))
    return reasons
