# SPDX-License-Identifier: GPL-2.0-only
"""Shows how far a run is.

Owns: the progress line and the estimate of what is left.
Not here: the run (`runner.py`).
"""
import collections
import statistics
import sys
import time

import cells

USUAL_SECONDS = 30      # of a boot of which nothing is known


class Progress:
    """How far it is, and an estimate from boots of the same kind."""

    def __init__(self, label, todo, total, place, jobs):
        self.label, self.total, self.jobs = label, total, jobs
        self.left = collections.Counter((c.unit.name, c.configuration.name) for c in todo)
        self.seconds, self.last = collections.defaultdict(list), 0
        for c in todo:
            old = cells.read(c.path(place))
            if old and isinstance(old.get("seconds"), (int, float)):
                self.seconds[c.unit.name, c.configuration.name].append(old["seconds"])

    def expected(self, kind):
        """Seconds of a boot of a kind: measured, or as the unit's others."""
        own = self.seconds[kind] or [s for (unit, _), found in self.seconds.items()
                                     for s in found if unit == kind[0]]
        return statistics.median(own) if own else USUAL_SECONDS

    def minutes(self):
        total = sum(n * self.expected(kind) for kind, n in self.left.items())
        return max(1, round(total / self.jobs / 60))

    def done(self, cell, seconds=None):
        kind = cell.unit.name, cell.configuration.name
        self.left[kind] -= 1
        if seconds:
            self.seconds[kind].append(seconds)
        now = time.monotonic()
        if now - self.last < (0.2 if sys.stdout.isatty() else 10):
            return
        self.last = now
        left = sum(self.left.values())
        text = "%s: %d/%d cells, %s%s" % (
            self.label, self.total - left, self.total, cell.name,
            ", about %d min left" % self.minutes() if left else "")
        print(text.ljust(78) if sys.stdout.isatty() else text,
              end="\r" if sys.stdout.isatty() else "\n", flush=True)
