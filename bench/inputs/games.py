# SPDX-License-Identifier: GPL-2.0-only
"""A position of Go, and what talks to the chess program.

Owns: `gobmk.gtp` (Go Text Protocol 2), `sjeng.pl`.
"""
import os
import shutil

from . import texts

STONES = ("black Q16", "white D4", "black Q3", "white D16", "black F17", "white C14",
          "black K16", "white R5", "black R6", "white Q5", "black P4", "white S6")


def fill(place, _out):
    with open(os.path.join(place, "gobmk.gtp"), "w", encoding="ascii") as f:
        f.write("boardsize 19\n" + "".join("play %s\n" % s for s in STONES)
                + "genmove black\ngenmove white\nquit\n")
    shutil.copyfile(os.path.join(texts.FILES, "sjeng.pl"), os.path.join(place, "sjeng.pl"))
