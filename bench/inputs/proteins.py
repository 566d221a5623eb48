# SPDX-License-Identifier: GPL-2.0-only
"""A family of invented proteins, for HMMER.

Owns: `hmmer.aln`, an alignment (SELEX: name and sequence a line), and
      `hmmer.fa`, sequences of which some belong to the family.
"""
import os
import random

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
LENGTH, ALIGNED, SEARCHED = 80, 12, 150


def relative(rng, ancestor, changed):
    """A copy in which a share of the letters is another."""
    return "".join(rng.choice(LETTERS) if rng.random() < changed else c for c in ancestor)


def fill(place, _out):
    rng = random.Random(451)
    ancestor = "".join(rng.choices(LETTERS, k=LENGTH))
    with open(os.path.join(place, "hmmer.aln"), "w", encoding="ascii") as f:
        f.writelines("s%-4d %s\n" % (i, relative(rng, ancestor, 0.3)) for i in range(ALIGNED))
    with open(os.path.join(place, "hmmer.fa"), "w", encoding="ascii") as f:
        for i in range(SEARCHED):
            member = relative(rng, ancestor, 0.5) if i % 10 == 0 else ""
            around = "".join(rng.choices(LETTERS, k=200))
            f.write(">p%d\n%s\n" % (i, around[:100] + member + around[100:]))
