# SPDX-License-Identifier: GPL-2.0-only
"""Roads for the path search, and the simulated network.

Owns: `astar.osm`, an irregular grid of roads in the XML of OpenStreetMap, and
      `omnetpp.tcl`.
"""
import os
import random
import shutil

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")
SIDE = 70               # crossings on a side
STEP_DEGREES = 0.002
KINDS = ("residential", "tertiary", "secondary", "primary")


def ways(rng):
    """(kind, crossings) of the streets, with gaps."""
    for line in range(SIDE):
        for across in (False, True):
            piece = []
            for at in range(SIDE):
                piece.append(at * SIDE + line if across else line * SIDE + at)
                if rng.random() < 0.12:
                    yield KINDS[line % 4 if rng.random() < 0.7 else 0], piece
                    piece = []
            yield KINDS[line % 4], piece


def fill(place, _out):
    rng = random.Random(473)
    with open(os.path.join(place, "astar.osm"), "w", encoding="ascii") as f:
        f.write('<?xml version="1.0" encoding="UTF-8"?>\n<osm version="0.6">\n')
        for n in range(SIDE * SIDE):
            y, x = (STEP_DEGREES * (v + rng.uniform(-0.3, 0.3)) for v in divmod(n, SIDE))
            f.write('<node id="%d" version="1" lat="%.6f" lon="%.6f"/>\n' % (n + 1, 50 + y, 8 + x))
        found = [(kind, piece) for kind, piece in ways(rng) if len(piece) > 1]
        for n, (kind, piece) in enumerate(found):
            f.write('<way id="%d" version="1">%s<tag k="highway" v="%s"/></way>\n' % (
                n + 1, "".join('<nd ref="%d"/>' % (at + 1) for at in piece), kind))
        f.write("</osm>\n")
    shutil.copyfile(os.path.join(FILES, "omnetpp.tcl"), os.path.join(place, "omnetpp.tcl"))
