# SPDX-License-Identifier: GPL-2.0-only
"""Whom the addresses of a trace belong to: functions, and sites of ops.

Owns: the map from addresses to names, the count by function, the count by site.
Not here: getting the trace (`trace.py`), printing (`explained.py`).

A site's cost is everything from its first byte until control is behind its last:
the call, the backend's function, the ROM, the monitor. Interrupts taken meanwhile
count along. A site within another's function counts for the outer one.
"""
import bisect
import collections
import re
import struct

import elf32

USER_END = 0xc0000000
USER = "(user)"
SITE_BYTES, OP_BYTES = 8, 20	# struct paravirt_patch_site, struct pv_op_info
FORMS = ("inline", "call", "jump")
IRET = 0xcf
# The compiler's splits of one function, which differ from build to build.
SPLIT = re.compile(r"(\.(isra|constprop|part|cold)\.?\d*)+$")
ROM_SIGNATURE = b"\x55\xaa"
SCAN_STEP = 2048


class Region:
    """Code with symbols: its place, and a word that stands before its names."""

    def __init__(self, start, end, symbols, prefix=""):
        self.start, self.end, self.prefix = start, end, prefix
        self.addresses = [a for a, _ in symbols]
        self.names = [n for _, n in symbols]

    def name(self, pc):
        at = bisect.bisect_right(self.addresses, pc) - 1
        if at < 0:
            return f"{self.prefix}+{pc - self.start:#x}"
        return self.prefix + SPLIT.sub("", self.names[at])


class Site:
    """A place that is patched."""

    def __init__(self, start, length, op):
        self.start, self.end, self.op = start, start + length, op


class Op:
    """A line of the op list, as the kernel describes it."""

    def __init__(self, name, form, native):
        self.name, self.form, self.native = name, form, native


def kernel_text(elf):
    """(address, bytes) of vmlinux from _stext to _etext."""
    ends = [elf.address(name) for name in ("_stext", "_etext")]
    if None in ends:
        raise elf32.ElfError(f"{elf.path}: no _stext or no _etext: not a kernel with symbols")
    return ends[0][0], ends[1][0] - ends[0][0]


def sections_of(elf, prefix="", base=0):
    """A region per executable section."""
    code = [(a + base, n) for a, n in elf.code()]
    for s in elf.sections:
        if s[2] & elf32.SHF_EXECINSTR and s[2] & elf32.SHF_ALLOC and s[5]:
            start, end = s[3] + base, s[3] + base + s[5]
            yield Region(start, end, [c for c in code if start <= c[0] < end], prefix)


def code_of(elf):
    """[(address, bytes)] of the executable sections, as they were built."""
    return [(s[3], elf.read(s[3], s[5])) for s in elf.sections
            if s[2] & elf32.SHF_EXECINSTR and s[2] & elf32.SHF_ALLOC and s[5]]


def ops_of(elf):
    """The ops of a paravirt kernel, none of another."""
    place = elf.address("pv_op_info")
    ops = []
    for at in range(0, place[1] if place else 0, OP_BYTES):
        name, form, _, native, end = struct.unpack(
            "<5I", elf.read(place[0] + at, OP_BYTES))
        code = elf.read(native, end - native) if end else None
        ops.append(Op(elf.text(name), FORMS[form], code))
    return ops


def sites_of(elf):
    """{first address: Site}"""
    ops = ops_of(elf)
    ends = [elf.address(n) for n in ("__parainstructions", "__parainstructions_end")]
    if not ops or None in ends:
        return {}
    raw = elf.read(ends[0][0], ends[1][0] - ends[0][0])
    records = [struct.unpack_from("<IBB", raw, at) for at in range(0, len(raw), SITE_BYTES)]
    return {start: Site(start, length, ops[nr]) for start, nr, length in records}


def find_rom(memory, image):
    """Where a ROM lies in memory, by its code; None if it does not."""
    # The header's words and the data change, the bulk of the code does not.
    probe = image[0x100:0x200]
    for address, data in memory:
        for at in range(0, len(data), SCAN_STEP):
            if data[at:at + 2] == ROM_SIGNATURE and data[at + 0x100:at + 0x200] == probe:
                return address + at
    return None


class Map:
    """From addresses to names, sites and bytes."""

    def __init__(self, regions, sites, memory):
        self.regions = sorted(regions, key=lambda r: r.start)
        self.starts = [r.start for r in self.regions]
        self.sites, self.memory = sites, memory
        self.known = {}

    def name(self, pc):
        """The function that an address belongs to."""
        if pc not in self.known:
            self.known[pc] = self._name(pc)
        return self.known[pc]

    def _name(self, pc):
        at = bisect.bisect_right(self.starts, pc) - 1
        if at >= 0 and pc < self.regions[at].end:
            return self.regions[at].name(pc)
        if pc < USER_END:
            return USER
        return f"(no symbols, page {pc & ~0xfff:#x})"

    def byte(self, pc):
        """The byte of code at an address, None if it was not read."""
        for address, data in self.memory:
            if address <= pc < address + len(data):
                return data[pc - address]
        return None


class SiteCost:
    """What the uses of an op in one function cost."""

    def __init__(self):
        self.times = self.instructions = self.own = 0
        self.called = collections.Counter()


def by_function(path, where):
    """{function: instructions}"""
    return collections.Counter(where.name(pc) for pc in path)


def by_site(path, where):
    """{(function, Site): SiteCost}, each site by itself."""
    costs = {}
    site = cost = None
    last = 0
    for pc in path:
        if site and left(site, pc, last, where):
            site = None
        if not site and pc in where.sites:
            site = where.sites[pc]
            cost = costs.setdefault(site.start, SiteCost())
            cost.times += 1
        if site:
            cost.instructions += 1
            if site.start <= pc < site.end:
                cost.own += 1
            else:
                cost.called[where.name(pc)] += 1
        last = pc
    return {(where.name(at), where.sites[at]): c for at, c in costs.items()}


def left(site, pc, last, where):
    """Whether control, at `last` before and at `pc` now, is out of a site."""
    if site.start <= pc < site.end:
        return False
    if site.op.form == "jump":
        return pc < USER_END or where.byte(last) == IRET
    if site.start <= last < site.end:
        # Out by a call, whose return address is pushed; else behind it.
        return pc == site.end or where.byte(call_at(site, last, where)) != 0xe8
    return pc == site.end


def call_at(site, last, where):
    """The opcode byte of the instruction at `last`, prefixes skipped."""
    while last < site.end - 1 and where.byte(last) == 0x3e:
        last += 1
    return last
