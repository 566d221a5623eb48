# SPDX-License-Identifier: GPL-2.0-only
"""What the measured programs read, generated under /bench of the root image.

Owns: the list of generators; each has fill(directory, out).
Not here: which program reads what (`bench/programs/*.table`).
Fails: `InputError`, one line that says what is missing.

Random numbers start from a fixed seed, so that the inputs are always the same.
"""
import os

from . import compiled, database, games, linux, markup, media, network, proteins, roads, texts

GENERATORS = (texts, network, games, proteins, media, roads, markup,
              database, compiled, linux)


def stamp(out):
    """Changes when something outside of these scripts changes."""
    return "".join(g.stamp(out) for g in GENERATORS if hasattr(g, "stamp"))


def fill(out, tree):
    """Generate everything."""
    place = os.path.join(tree, "bench")
    os.makedirs(place)
    for generator in GENERATORS:
        generator.fill(place, out)
