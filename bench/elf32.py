# SPDX-License-Identifier: GPL-2.0-only
"""What attribution needs of a 32-bit ELF file.

Owns: symbols of code, contents by address.
Not here: disassembly (`objdump`), what the symbols mean (`attribute.py`).
Fails: `ElfError`, one line that names the file.
Source: System V ABI, ELF header, section header and symbol table.
"""
import struct

SHT_SYMTAB, SHT_NOBITS = 2, 8
SHF_ALLOC, SHF_EXECINSTR = 2, 4
STT_NOTYPE, STT_OBJECT, STT_FUNC = 0, 1, 2


class ElfError(Exception):
    """Not a file that can be read so."""


class Elf32:
    """A little-endian 32-bit ELF file."""

    def __init__(self, path):
        self.path = path
        try:
            with open(path, "rb") as f:
                self.data = f.read()
        except OSError as e:
            raise ElfError(f"{path}: {e.strerror}") from e
        if self.data[:6] != b"\x7fELF\x01\x01":
            raise ElfError(f"{path}: no 32-bit ELF file")
        try:
            self._sections()
        except struct.error as e:
            raise ElfError(f"{path}: cut short") from e

    def _sections(self):
        at, = struct.unpack_from("<I", self.data, 0x20)
        size, count = struct.unpack_from("<HH", self.data, 0x2e)
        # name, type, flags, address, offset, bytes, link, info, alignment, entry
        self.sections = [struct.unpack_from("<10I", self.data, at + i * size)
                         for i in range(count)]
        self.symbols = [s for t in self.sections if t[1] == SHT_SYMTAB
                        for s in self._symbols_of(t)]

    def _symbols_of(self, table):
        strings = self.sections[table[6]][4]
        for at in range(table[4], table[4] + table[5], 16):
            name, value, size, info, _, section = struct.unpack_from("<IIIBBH", self.data, at)
            if 0 < section < len(self.sections):
                yield self._string(strings + name), value, size, info & 15, section

    def _string(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode(errors="replace")

    def code(self):
        """Sorted [(address, name)] of the labels in code, one per address."""
        found = {}
        for name, value, _, kind, section in self.symbols:
            if kind in (STT_NOTYPE, STT_FUNC) and name and \
               self.sections[section][2] & SHF_EXECINSTR:
                # A function's name is better than a label's on the same address.
                if value not in found or kind == STT_FUNC:
                    found[value] = name
        return sorted(found.items())

    def address(self, name):
        """(address, bytes) of a symbol, None if there is none."""
        return next(((s[1], s[2]) for s in self.symbols if s[0] == name), None)

    def read(self, address, count):
        """`count` bytes of the loaded image, None outside it."""
        for s in self.sections:
            if s[2] & SHF_ALLOC and s[1] != SHT_NOBITS and \
               s[3] <= address and address + count <= s[3] + s[5]:
                at = s[4] + address - s[3]
                return self.data[at:at + count]
        return None

    def text(self, address):
        """The string at an address, None if there is none."""
        for s in self.sections:
            if s[2] & SHF_ALLOC and s[1] != SHT_NOBITS and s[3] <= address < s[3] + s[5]:
                return self._string(s[4] + address - s[3])
        return None
