# SPDX-License-Identifier: GPL-2.0-only
"""The rows: what is measured, what was published, what may not be lost.

Owns: reading `bench/rows/<unit>.ini` and `bench/published.csv`, every check of them.
Not here: how a row is measured (`units.py`), what it came to (`compare.py`).
Fails: `CatalogueError`, one line with file, section and key.

A section of a rows file is a row, in the order in which the guest prints them:

    [segv]                             lower case letters, digits and _
    table = Kernel microbenchmarks     as published, or a table of ours
    published = vmware-2007/Kernel microbenchmarks/segv
                                       source/table/workload, one a line; `#2` for
                                       the second of equal names
    program = ours under the published name
    statistic = minimum                of single iterations, or median over boots
    goal = 0.995                       lowest ratio wanted of a native boot
    noise = 0.001                      most that A/A may differ; rows with at most
                                       STABLE are stable (default 0.001, median 0.005)
    better = lower                     higher for a rate (default lower)
    about = what one iteration does

A row that cannot be repeated has `absent = why` and is not measured.
"""
import configparser
import csv
import dataclasses
import functools
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = {"table", "published", "program", "statistic", "goal", "noise", "better", "about",
        "absent"}
PROGRAMS = re.compile(r"ours under the published name|ours|same program: \S.*|stand-in: \S.*")
NAME = re.compile(r"[a-z0-9_]+")
GOAL = 0.99
STABLE = 0.001
NOISE = {"minimum": STABLE, "median": 0.005}


class CatalogueError(Exception):
    """A rows file or the published table that cannot be used."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One row of one unit."""
    name: str
    unit: str
    table: str
    published: tuple = ()
    program: str = ""
    statistic: str = "minimum"
    goal: float = GOAL
    noise: float = STABLE
    better: str = "lower"
    about: str = ""
    absent: str = ""


def published(path=os.path.join(HERE, "published.csv")):
    """{source/table/workload[#n]: {column: text}} in the order of the file."""
    found, times = {}, {}
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            key = "/".join((row["source"], row["table"], row["workload"]))
            times[key] = times.get(key, 0) + 1
            found[key + ("#%d" % times[key] if times[key] > 1 else "")] = row
    return found


def number(section, key, where):
    """A ratio of a section."""
    try:
        value = float(section[key])
    except ValueError:
        raise CatalogueError("%s: %s = %s is no number" % (where, key, section[key])) from None
    if not 0 < value < 10:
        raise CatalogueError("%s: %s = %s is not between 0 and 10" % (where, key, section[key]))
    return value


def read_row(unit, name, section, where):
    """The Row of one section, every key checked."""
    unknown = set(section) - KEYS
    if unknown:
        raise CatalogueError("%s: unknown key %s" % (where, ", ".join(sorted(unknown))))
    if not NAME.fullmatch(name):
        raise CatalogueError("%s: a row's name has lower case letters, digits and _" % where)
    needed = {"table", "absent"} if "absent" in section else {"table", "program", "about"}
    missing = sorted(k for k in needed if not section.get(k))
    if missing:
        raise CatalogueError("%s: key %s is missing" % (where, ", ".join(missing)))
    if "absent" not in section and not PROGRAMS.fullmatch(section["program"]):
        raise CatalogueError("%s: program = %s; use ours, ours under the published name, "
                             "same program: X or stand-in: X" % (where, section["program"]))
    for key, allowed in (("statistic", ("minimum", "median")), ("better", ("lower", "higher"))):
        if section.get(key, allowed[0]) not in allowed:
            raise CatalogueError("%s: %s = %s; use %s" % (where, key, section[key],
                                                          " or ".join(allowed)))
    keys = tuple(filter(None, map(str.strip, section.get("published", "").splitlines())))
    statistic = section.get("statistic", "minimum")
    return Row(name, unit, section["table"], keys, section.get("program", ""), statistic,
               number(section, "goal", where) if "goal" in section else GOAL,
               number(section, "noise", where) if "noise" in section else NOISE[statistic],
               section.get("better", "lower"), section.get("about", ""),
               section.get("absent", ""))


@functools.lru_cache(maxsize=None)
def rows(unit, place=os.path.join(HERE, "rows")):
    """All rows of a unit, absent ones too."""
    path = os.path.join(place, unit + ".ini")
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",))
    try:
        with open(path, encoding="utf-8") as f:
            parser.read_file(f)
    except FileNotFoundError:
        raise CatalogueError("no rows file %s" % path) from None
    except configparser.Error as why:
        raise CatalogueError(" ".join(str(why).split())) from None
    names = os.path.basename(path)
    return tuple(read_row(unit, name, parser[name], "%s: [%s]" % (names, name))
                 for name in parser.sections())


def measured(unit):
    """Names of the rows that the guest prints, in order."""
    return tuple(r.name for r in rows(unit) if not r.absent)


def units(place=os.path.join(HERE, "rows")):
    """Units that have a rows file."""
    return sorted(n[:-len(".ini")] for n in os.listdir(place) if n.endswith(".ini"))


def unlisted(place=os.path.join(HERE, "rows")):
    """Published rows in no rows file, and keys there that nothing published has."""
    known = published()
    listed = [(r, key) for u in units(place) for r in rows(u, place) for key in r.published]
    gone = sorted(set(known) - {key for _, key in listed})
    wrong = ["%s.ini: [%s]: published = %s: no such row" % (r.unit, r.name, key)
             for r, key in listed if key not in known]
    return ["no rows file has %s" % key for key in gone] + wrong
