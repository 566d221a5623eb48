# SPDX-License-Identifier: GPL-2.0-only
"""A minimum cost flow problem, for glpsol.

Owns: `mcf.min`: vehicles and trips as a layered network, in the DIMACS format.
Source of the format: GLPK reference manual, "glp_read_mincost".
"""
import os
import random

LAYERS, WIDTH = 24, 24
FLOW = 20


def arcs(rng):
    """(from, to, capacity, cost): each node leads to some of the next layer."""
    def node(layer, at):
        return 2 + layer * WIDTH + at
    last = 2 + LAYERS * WIDTH
    for at in range(WIDTH):
        yield 1, node(0, at), 3, 1
        yield node(LAYERS - 1, at), last, 3, 1
    for layer in range(LAYERS - 1):
        for at in range(WIDTH):
            yield node(layer, at), node(layer + 1, at), 2, 100
            for to in rng.sample(range(WIDTH), 4):
                yield node(layer, at), node(layer + 1, to), 2, rng.randrange(1, 100)


def fill(place, _out):
    found = list(arcs(random.Random(700717)))
    nodes = 2 + LAYERS * WIDTH
    with open(os.path.join(place, "mcf.min"), "w", encoding="ascii") as f:
        f.write("p min %d %d\nn 1 %d\nn %d %d\n" % (nodes, len(found), FLOW, nodes, -FLOW))
        f.writelines("a %d %d 0 %d %d\n" % arc for arc in found)
