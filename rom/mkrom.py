#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes an option ROM image of a linked ROM: lengths and checksums.

Owns: the fields that only a finished image can have.
Not here: deliberate faults (`test/mkbad.py`).
Runs: mkrom.py ELF OUTPUT.
Fails: one line and status 1; no output is left.
"""
import struct
import subprocess
import sys

UNIT = 512
MAX_UNITS = 255
HEADER_LENGTH, HEADER_PCI, HEADER_PNP = 2, 0x18, 0x1A
PCI_IMAGE_LENGTH = 16
PNP_SIZE, PNP_CHECKSUM = 5, 9


def fix_sum(image, start, length, at):
    """Change byte `at` so that `length` bytes from `start` on sum to 0."""
    image[at] = (image[at] - sum(image[start:start + length])) & 0xFF


def finish(image):
    """Fill in lengths and checksums of a whole image (bytearray)."""
    image.extend(bytes(-len(image) % UNIT))
    units = len(image) // UNIT
    if units > MAX_UNITS:
        raise ValueError(f"{len(image)} bytes exceed {MAX_UNITS * UNIT}")
    image[HEADER_LENGTH] = units
    pci, pnp = struct.unpack_from("<HH", image, HEADER_PCI)
    if pci:
        struct.pack_into("<H", image, pci + PCI_IMAGE_LENGTH, units)
    if pnp:
        fix_sum(image, pnp, image[pnp + PNP_SIZE] * 16, pnp + PNP_CHECKSUM)
    fix_sum(image, 0, len(image), len(image) - 1)


def flat(elf):
    """Return the bytes of a linked ROM from offset 0 on."""
    run = subprocess.run(["objcopy", "-O", "binary", elf, "/dev/stdout"],
                         stdout=subprocess.PIPE, check=True)
    return bytearray(run.stdout)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: mkrom.py ELF OUTPUT")
    try:
        image = flat(sys.argv[1])
        finish(image)
    except (ValueError, IndexError, subprocess.CalledProcessError) as error:
        sys.exit(f"mkrom.py: {sys.argv[1]}: {error}")
    with open(sys.argv[2], "wb") as output:
        output.write(image)


if __name__ == "__main__":
    main()
