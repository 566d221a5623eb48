# SPDX-License-Identifier: GPL-2.0-only
"""The monitor's accounting, as it prints it on port 0xE9.

Owns: the `vmi-stat:` lines, what a complete block is, the rule `emulated_only`.
Not here: tables for people (`monstat.py`). Reads no file.
Fails: never; a line that does not fit is kept in `Stats.wrong`.

    vmi-stat: begin <vcpu>
    vmi-stat: call <number> <count>         VMI calls
    vmi-stat: ring0 <number> <count>        those of them that entered ring 0
    vmi-stat: call-cycles <number> <count>  TSC ticks that these took there
    vmi-stat: trap-cycles <vector> <count>  likewise faults and interrupts
    vmi-stat: emul <kind> 0x<eip> <count>   trapped and emulated instructions
    vmi-stat: irq <vector> <count>          interrupts given to the guest
    vmi-stat: fault <name> <count>          likewise `entry` and `shadow`
    vmi-stat: end

Counts run from the start, or from the last reset, to the print.
"""
import re
from dataclasses import dataclass, field

LINE = re.compile(r"vmi-stat: (.*)$")
BEGIN = re.compile(r"begin (\w+)$")
NUMBERED = ("call", "ring0", "call-cycles", "trap-cycles", "irq")
COUNT = re.compile("(" + "|".join(NUMBERED) + r") (0x[0-9a-f]+|\d+) (\d+)$")
EMULATED = re.compile(r"emul (\S+) 0x([0-9a-f]+) (\d+)$")
NAMED = re.compile(r"(fault|entry|shadow) (\S+) (\d+)$")


@dataclass
class Block:
    """What one virtual CPU counted.

    numbered: {"call", "ring0", ...: {number: count}}; emulated: {(kind, eip): count};
    named: {"fault", "entry", "shadow": {name: count}}.
    """
    vcpu: str
    numbered: dict = field(default_factory=lambda: {n: {} for n in NUMBERED})
    emulated: dict = field(default_factory=dict)
    named: dict = field(default_factory=lambda: {"fault": {}, "entry": {}, "shadow": {}})


@dataclass
class Stats:
    """Complete blocks, and what was no part of one."""
    blocks: list = field(default_factory=list)
    wrong: list = field(default_factory=list)


def add(counts, key, count):
    counts[key] = counts.get(key, 0) + int(count)


def read_count(block, text):
    """Enter one line into the block; whether it is one."""
    count, emulated, named = COUNT.match(text), EMULATED.match(text), NAMED.match(text)
    if count:
        add(block.numbered[count[1]], int(count[2], 0), count[3])
    elif emulated:
        add(block.emulated, (emulated[1], int(emulated[2], 16)), emulated[3])
    elif named:
        add(block.named[named[1]], named[2], named[3])
    return bool(count or emulated or named)


def read_stats(text):
    """Stats of everything written to port 0xE9."""
    stats, block = Stats(), None
    for found in filter(None, map(LINE.search, text.replace("\r", "").split("\n"))):
        line = found[1].strip()
        begin = BEGIN.match(line)
        if begin or line == "end":
            if bool(begin) == (block is not None):
                stats.wrong.append("'%s' %s" % (line, "inside a block" if begin else
                                                "outside a block"))
            if block and not begin:
                stats.blocks.append(block)
            block = Block(begin[1]) if begin else None
        elif block is None or not read_count(block, line):
            stats.wrong.append("'%s' %s" % (line, "outside a block" if block is None else
                                            "is no count"))
    if block:
        stats.wrong.append("no end after 'begin %s'" % block.vcpu)
    return stats


def emulated_reasons(stats, kinds):
    """Why the emulated instructions are not of these kinds only; 'none' is no kind."""
    allowed, seen = set(kinds.split()) - {"none"}, {}
    for block in stats.blocks:
        for (kind, eip), count in block.emulated.items():
            if kind not in allowed:
                seen[kind, eip] = max(count, seen.get((kind, eip), 0))
    reasons = ["vmi-stat: " + text for text in stats.wrong[:3]]
    if not stats.blocks:
        reasons.append("no vmi-stat block on port 0xE9, so nothing is known of emulation")
    worst = sorted(seen.items(), key=lambda item: -item[1])
    reasons += ["emulated %d times: %s at 0x%x (allowed: %s)" % (count, kind, eip, kinds)
                for (kind, eip), count in worst[:5]]
    if len(worst) > 5:
        reasons.append("and %d more places of emulation" % (len(worst) - 5))
    return reasons
