# SPDX-License-Identifier: GPL-2.0-only
"""The executable sections of a 32-bit relocatable object, for comparing.

Owns: reading ELF32 little-endian: section bytes and what they are relocated to.
Not here: which objects to compare (`check_n.py`).
Fails: ValueError for a file that is no such object.
"""
import struct

SHT_SYMTAB, SHT_REL, SHF_EXECINSTR, STT_SECTION = 2, 9, 4, 3


def text_at(table, offset):
    return table[offset:table.index(b"\0", offset)].decode()


class Object:
    """Sections and symbol names of one object file."""

    def __init__(self, data):
        if data[:6] != b"\x7fELF\x01\x01":
            raise ValueError("no 32-bit ELF object")
        offset, = struct.unpack_from("<I", data, 32)
        size, count, names = struct.unpack_from("<HHH", data, 46)
        heads = [struct.unpack_from("<10I", data, offset + i * size) for i in range(count)]
        self.heads = heads
        self.bodies = [b"" if h[1] == 8 else data[h[4]:h[4] + h[5]] for h in heads]
        self.names = [text_at(self.bodies[names], h[0]) for h in heads]
        self.symbols = self.read_symbols()

    def read_symbols(self):
        for i, head in enumerate(self.heads):
            if head[1] == SHT_SYMTAB:
                strings = self.bodies[head[6]]
                return [self.symbol_name(strings, s)
                        for s in struct.iter_unpack("<IIIBBH", self.bodies[i])]
        return []

    def symbol_name(self, strings, symbol):
        name, _, _, info, _, section = symbol
        if info & 15 == STT_SECTION:
            return self.names[section]
        return text_at(strings, name)

    def code(self):
        """{section: (bytes, relocations)} of everything executable."""
        found = {}
        for i, head in enumerate(self.heads):
            if head[2] & SHF_EXECINSTR and self.bodies[i]:
                # Sections of one name (COMDAT, -ffunction-sections) are added up.
                old = found.get(self.names[i], (b"", ()))
                found[self.names[i]] = (old[0] + self.bodies[i], old[1] + self.relocations(i))
        return found

    def relocations(self, section):
        """((offset, type, symbol name), ...) for one section."""
        result = []
        for i, head in enumerate(self.heads):
            if head[1] == SHT_REL and head[7] == section:
                result += [(at, info & 0xff, self.symbols[info >> 8])
                           for at, info in struct.iter_unpack("<II", self.bodies[i])]
        return tuple(result)


def code_of(path):
    with open(path, "rb") as f:
        return Object(f.read()).code()


def differences(one, other):
    """Names of sections that differ between two results of code()."""
    return sorted(n for n in one.keys() | other.keys() if one.get(n) != other.get(n))
