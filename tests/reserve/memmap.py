# SPDX-License-Identifier: GPL-2.0-only
"""Memory maps of a guest, and what has to hold for a reserved block in them.

Owns: the block's expected size, the rules for a map with a block in it.
Not here: running guests.
Fails: never; what is wrong is a list of reasons.
"""
import re
from dataclasses import dataclass

MIB, GIB4, PAGE = 1 << 20, 1 << 32, 4096
RAM, RESERVED = "usable", "reserved"
BLOCK = re.compile(r"^vmi-reserve: base 0x(\w+) size 0x(\w+) frames 0x(\w+) top 0x(\w+) "
                   r"cpus 0x(\w+)$", re.M)
# What the BIOS keeps for itself below 4 GiB: under 1 MiB, and tables at the end.
BIOS_PART = MIB
# From PMM come blocks that are not aligned; the rest of a page is lost, too.
ROUNDING = 2 * PAGE


@dataclass(frozen=True)
class Block:
    """What the ROM says that it reserved; the fields of its line."""
    base: int
    size: int
    frames: int
    top: int
    cpus: int

    @property
    def end(self):
        return self.base + self.size


def blocks_of(debugcon):
    """One Block per boot."""
    return [Block(*(int(word, 16) for word in line)) for line in BLOCK.findall(debugcon)]


def expected_size(top, cpus):
    """4 MiB, 1 % of RAM below 4 GiB, 64 KiB per further CPU, in whole MiB."""
    return -(-(4 * MIB + top // 100 + (cpus - 1) * 0x10000) // MIB) * MIB


def meets(start, end, block):
    return start < block.end and end > block.base


def map_reasons(entries, block):
    """entries: (start, end, kind), as a guest sees them."""
    reasons = []
    ordered = sorted(entries)
    for (_, end, _), (start, _, _) in zip(ordered, ordered[1:]):
        if start < end:
            reasons.append("entries overlap at %#x" % start)
    reasons += ["usable %#x-%#x meets the block" % (start, end)
                for start, end, kind in entries if kind == RAM and meets(start, end, block)]
    covered = sum(min(end, block.end) - max(start, block.base)
                  for start, end, kind in entries
                  if kind == RESERVED and meets(start, end, block))
    if covered != block.size:
        reasons.append("%#x bytes of the block are reserved, not %#x" % (covered, block.size))
    usable = sum(end - start for start, end, kind in entries if kind == RAM and end <= GIB4)
    if usable < block.top - block.size - BIOS_PART:
        reasons.append("only %#x bytes below 4 GiB are usable" % usable)
    return reasons


def kinds_at(entries, points):
    return [next((kind for start, end, kind in entries if start <= p < end), None)
            for p in points]


def differences(bare, entries, block):
    """Addresses away from the block whose kind the ROM changed."""
    points = sorted({p for start, end, _ in bare + entries for p in (start, end - 1)
                     if not block.base - ROUNDING <= p < block.end + ROUNDING})
    return ["%#x is %s, without the ROM %s" % (p, now, before)
            for p, before, now in zip(points, kinds_at(bare, points), kinds_at(entries, points))
            if before != now]
