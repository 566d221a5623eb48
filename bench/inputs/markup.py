# SPDX-License-Identifier: GPL-2.0-only
"""A document of orders and a style sheet, for xsltproc.

Owns: `xalancbmk.xml`, `xalancbmk.xsl`.
"""
import os
import random
import shutil

from . import texts

ORDERS, PLACES = 1500, 40


def fill(place, _out):
    rng = random.Random(483)
    words = texts.vocabulary(rng, 600)
    with open(os.path.join(place, "xalancbmk.xml"), "w", encoding="ascii") as f:
        f.write('<?xml version="1.0"?>\n<orders>\n')
        for n in range(ORDERS):
            items = "".join('<item price="%.2f">%s %s</item>' % (
                rng.uniform(1, 90), *rng.choices(words, k=2)) for _ in range(rng.randrange(1, 8)))
            f.write('<order id="%d" place="%s"><buyer>%s</buyer>%s</order>\n' % (
                n, words[-1 - rng.randrange(PLACES)], rng.choice(words), items))
        f.write("</orders>\n")
    shutil.copyfile(os.path.join(texts.FILES, "xalancbmk.xsl"),
                    os.path.join(place, "xalancbmk.xsl"))
