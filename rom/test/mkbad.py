#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes the faulty ROMs of `bad-roms.ini`, each in a carrier.

Owns: the changes that a row may ask for, and the carrier's table.
Not here: good images (`../mkrom.py`).
Runs: mkbad.py LIST BUILD OUTPUT, with the good images in BUILD.
Fails: one line that names row and reason, status 1.

Changes (`set`), made on a finished image; the checksum is right again
afterwards, so that one field is all that is wrong:
  byte|word|long FIELD VALUE   a field of the VMI header
  pciword|pnpword FIELD VALUE  a field of the linked structure
  string FIELD TEXT            the string at a header offset, not longer than it
  code init HEX                bytes at the Init entry
  type CALL N, target CALL N   one answer of GetRelocationInfo
  fill                         512 bytes without a NUL at the end
  sum N                        the byte sum, instead of 0
A VALUE is a number, `fill` (offset of the fill), `end`, `end-N` or `end+N`.
"""
import configparser
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import mkrom  # noqa: E402  (found by the line above)

HEADER = {"length": 0x02, "api_minor": 0x0C, "api_major": 0x0D,
          "virtual_top": 0x10, "licence": 0x16, "pci": 0x18, "pnp": 0x1A,
          "init": 0x80}
PCI = {"vendor": 4, "device": 6}
PNP = {"manufacturer": 14, "product": 16}
FORMATS = {"byte": "<B", "word": "<H", "long": "<I"}
KEYS = {"what", "base", "at", "set", "expect", "field", "then"}
EXPECT = {"refused", "failed", "bound"}
PARAGRAPH, STEP = 16, 2048
WINDOW = range(0xC0000, 0xE0000, STEP)
FILL = 0x41


def symbols(elf):
    text = subprocess.run(["nm", elf], stdout=subprocess.PIPE, check=True,
                          encoding="ascii").stdout
    return {line.split()[2]: int(line.split()[0], 16)
            for line in text.splitlines() if len(line.split()) == 3}


def call_numbers(header):
    """Read the call list out of vmi.h: the one place that has it."""
    with open(header, encoding="ascii") as text:
        rows = re.findall(r"^\tX\((\d+),\s*(\w+),", text.read(), re.M)
    return {name: int(number) for number, name in rows}


class Image:
    """One good image, and the changes a row makes to it."""

    def __init__(self, build, base, calls):
        with open(os.path.join(build, base + ".rom"), "rb") as image:
            self.data = bytearray(image.read())
        self.symbols = symbols(os.path.join(build, base + ".elf"))
        self.calls = calls
        self.covered = len(self.data)
        self.sum = 0
        self.fill_at = None

    def value(self, text):
        if text == "fill":
            return self.fill_at
        if text.startswith("end"):
            return len(self.data) + int(text[3:] or "0", 0)
        return int(text, 0)

    def offset(self, field):
        return struct.unpack_from("<H", self.data, HEADER[field])[0]

    def fill(self):
        self.fill_at = len(self.data)
        self.data.extend([FILL] * mkrom.UNIT)
        mkrom.finish(self.data)
        if self.data[-1] == 0:
            self.data[-2] += 1
            mkrom.finish(self.data)
        self.covered = len(self.data)

    def change(self, words):
        verb, rest = words[0], words[1:]
        if verb in FORMATS:
            struct.pack_into(FORMATS[verb], self.data, HEADER[rest[0]],
                             self.value(rest[1]))
        elif verb == "pciword":
            struct.pack_into("<H", self.data, self.offset("pci") + PCI[rest[0]],
                             self.value(rest[1]))
        elif verb == "pnpword":
            pnp = self.offset("pnp")
            struct.pack_into("<H", self.data, pnp + PNP[rest[0]],
                             self.value(rest[1]))
            mkrom.fix_sum(self.data, pnp, self.data[pnp + mkrom.PNP_SIZE] * 16,
                          pnp + mkrom.PNP_CHECKSUM)
        elif verb == "string":
            text = " ".join(rest[1:]).encode() + b"\0"
            at = self.offset(rest[0])
            if len(text) > self.data.index(0, at) - at + 1:
                raise ValueError(f"{text} is longer than what it replaces")
            self.data[at:at + len(text)] = text
        elif verb == "code":
            code = bytes.fromhex(rest[1])
            self.data[HEADER[rest[0]]:HEADER[rest[0]] + len(code)] = code
        elif verb == "type":
            self.data[self.symbols["reloc_type"] + self.calls[rest[0]]] = int(rest[1])
        elif verb == "target":
            struct.pack_into("<H", self.data, self.symbols["reloc_target"] +
                             2 * self.calls[rest[0]], int(rest[1], 0))
        elif verb == "fill":
            self.fill()
        elif verb == "sum":
            self.sum = int(rest[0], 0)
        else:
            raise ValueError(f"unknown change {verb}")

    def finish(self):
        """Correct the checksum at a byte that no row changes."""
        at = self.covered - 1 if self.fill_at is None else self.fill_at - 1
        mkrom.fix_sum(self.data, 0, self.covered, at)
        self.data[at] = (self.data[at] + self.sum) & 0xFF
        return self.data


def address(text):
    at = int(text, 0)
    if at not in WINDOW:
        raise ValueError(f"{text} is not a 2 KiB step of option-ROM space")
    return at


def carrier(elf, payloads):
    """Return a carrier image with [(address, bytes)]."""
    data = mkrom.flat(elf)
    table = symbols(elf)["carrier_table"]
    size = table + 2 + 8 * len(payloads)
    size += -size % PARAGRAPH
    del data[table:]
    data.extend(struct.pack("<H", len(payloads)))
    for at, payload in payloads:
        if size % STEP == 0:
            raise ValueError("the carrier's copy would be found in a scan")
        data.extend(struct.pack("<HHHH", at // PARAGRAPH, size // PARAGRAPH,
                                len(payload), 1))
        size += len(payload)
    data.extend(bytes(-len(data) % PARAGRAPH))
    for _, payload in payloads:
        data.extend(payload)
    mkrom.finish(data)
    return data


def make(row, build, calls):
    unknown = set(row) - KEYS
    if unknown or row.get("expect") not in EXPECT or not row.get("what"):
        raise ValueError(f"keys {sorted(unknown) or 'what, expect'}: see the list")
    image = Image(build, row["base"], calls)
    for line in row.get("set", "").strip().splitlines():
        image.change(line.split())
    payloads = [(address(row["at"]), image.finish())]
    if "then" in row:
        base, at = row["then"].split()
        payloads.append((address(at), Image(build, base, calls).data))
    return carrier(os.path.join(build, "carrier.elf"), payloads)


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: mkbad.py LIST BUILD OUTPUT")
    path, build, output = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    calls = call_numbers(os.path.join(here, "../../include/asm/vmi.h"))
    rows = configparser.ConfigParser(interpolation=None)
    with open(path, encoding="ascii") as text:
        rows.read_file(text)
    os.makedirs(output, exist_ok=True)
    for name in rows.sections():
        try:
            data = make(dict(rows[name]), build, calls)
        except (ValueError, KeyError, TypeError, struct.error, OSError) as error:
            sys.exit(f"mkbad.py: {path}: [{name}]: {error!r}")
        with open(os.path.join(output, name + ".rom"), "wb") as image:
            image.write(data)


if __name__ == "__main__":
    main()
