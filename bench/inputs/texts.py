# SPDX-License-Identifier: GPL-2.0-only
"""Text of invented words, for perl and bzip2, and the perl script.

Owns: `perlbench.pl`, `perlbench.txt`, `bzip2.txt`.
Not here: markup (`markup.py`).
"""
import os
import random
import shutil

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
SYLLABLES = ("ba", "cor", "de", "fi", "gan", "hu", "in", "jo", "ke", "lum", "mi", "no", "or",
             "pe", "qua", "ri", "sto", "tur", "ul", "ve", "wy", "xe", "yo", "zen")
WORDS_A_LINE = 10


def vocabulary(rng, count):
    """`count` words, the frequent ones short."""
    return ["".join(rng.choices(SYLLABLES, k=1 + (i * 4) // count)) for i in range(count)]


def text(rng, lines, words):
    """Lines whose words follow about Zipf's law."""
    weights = [1 / (rank + 1) for rank in range(len(words))]
    drawn = rng.choices(words, weights, k=lines * WORDS_A_LINE)
    return "".join(" ".join(drawn[at:at + WORDS_A_LINE]).capitalize() + ".\n"
                   for at in range(0, len(drawn), WORDS_A_LINE))


def fill(place, _out):
    rng = random.Random(600613)
    words = vocabulary(rng, 4000)
    for name, lines in (("perlbench.txt", 3000), ("bzip2.txt", 14000)):
        with open(os.path.join(place, name), "w", encoding="ascii") as f:
            f.write(text(rng, lines, words))
    shutil.copyfile(os.path.join(FILES, "perlbench.pl"), os.path.join(place, "perlbench.pl"))
