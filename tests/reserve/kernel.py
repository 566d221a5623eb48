# SPDX-License-Identifier: GPL-2.0-only
"""What a kernel that QEMU loads makes of the reserved block.

Owns: the QEMU command line, what a kernel's log must say.
Not here: rules for maps (`memmap.py`), the cases (`test_reserve.py`).
Fails: never; what is wrong is a list of reasons.

The kernel finds no root and panics: how far it came is seen in its log.
"""
import os
import re
import subprocess

from memmap import GIB4, MIB, RAM, blocks_of, expected_size, map_reasons, meets

TIMEOUT = 90
# QEMU: RAM below 4 GiB, once there is too much for all to be there
LOW_MAX = {"pc": (0xe0000000, 0xc0000000), "q35": (0xb0000000, 0x80000000)}
ENTRY = re.compile(r"BIOS-e820: \[mem 0x(\w+)-0x(\w+)\] (.*)")
RAMDISK = re.compile(r"RAMDISK: \[mem 0x(\w+)-0x(\w+)\]")
BOUND = re.compile(r"vmi: bound ROM at 0x")
REFUSAL = ("vmi monitor: %d MiB of memory, at least 64 MiB needed: booting natively")
NATIVE = "vmi: ROM at 0xca000: Init returned 0x1, not 0, booting natively"
END = "Kernel panic - not syncing: VFS"


def initrd(place, size):
    """A file that no kernel takes for an archive; its last page is not full."""
    path = os.path.join(place, "initrd")
    with open(path, "wb") as f:
        f.truncate(size * MIB + 577)
    return path


def boot(case, image, rom, place):
    """(serial log, debug port)."""
    serial, debug = os.path.join(place, "serial.log"), os.path.join(place, "debugcon.log")
    words = ["qemu-system-i386", "-accel", "tcg", "-M", case.machine, "-m", str(case.mem),
             "-smp", str(case.cpus), "-nic", "none", "-display", "none", "-monitor", "none",
             "-no-reboot", "-option-rom", rom, "-kernel", image,
             "-initrd", initrd(place, case.initrd), "-serial", "file:" + serial,
             "-debugcon", "file:" + debug,
             "-append", "console=ttyS0 panic=-1 no_timer_check pti=off"]
    with open(os.path.join(place, "qemu.log"), "wb") as log:
        try:
            subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                           timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            log.write(b"timeout\n")
    texts = []
    for path in serial, debug:
        with open(path, encoding="latin-1") as f:
            texts.append(f.read().replace("\r", ""))
    return texts


def entries_of(serial):
    return [(int(start, 16), int(end, 16) + 1, kind) for start, end, kind in ENTRY.findall(serial)]


def expected_words(case):
    """(size, frames, top, cpus) of the ROM's line."""
    ram = case.mem * MIB
    limit, low = LOW_MAX[case.machine.split(",")[0]]
    top = ram if ram < limit else low
    end = ram if ram < limit else GIB4 + ram - low
    return expected_size(top, case.cpus), end // 4096, top, case.cpus


def reserved_reasons(case, serial, block):
    words = (block.size, block.frames, block.top, block.cpus)
    reasons = map_reasons(entries_of(serial), block)
    if words != expected_words(case) or block.base % 4096:
        reasons.append("the ROM says %s, expected %s" % (block, expected_words(case)))
    disks = [(int(a, 16), int(b, 16) + 1) for a, b in RAMDISK.findall(serial)]
    reasons += ["initrd %#x-%#x meets the block" % d for d in disks if meets(*d, block)]
    if not disks:
        reasons.append("no initrd")
    if not BOUND.search(serial):
        reasons.append("the kernel did not bind the ROM")
    return reasons


def refused_reasons(case, serial, debug):
    """The BIOS copies its screen to the serial port: two lines there."""
    line, reasons = REFUSAL % case.mem, []
    for what, text, times in ("serial port", serial, 2), ("debug port", debug, 1):
        if text.count(line) != times:
            reasons.append("%d lines on the %s, not %d" % (text.count(line), what, times))
    usable = sum(end - start for start, end, kind in entries_of(serial) if kind == RAM)
    if usable < (case.mem - 1) * MIB:
        reasons.append("only %#x bytes are usable" % usable)
    if NATIVE not in serial:
        reasons.append("never seen: " + NATIVE)
    return reasons


def check(case, image, rom, place):
    """Reasons why the boot was not as it must be."""
    serial, debug = boot(case, image, rom, place)
    blocks = blocks_of(debug)
    reasons = [] if END in serial else ["the kernel did not come to its end"]
    if case.refused:
        if blocks:
            reasons.append("a block was reserved")
        return reasons + refused_reasons(case, serial, debug)
    if len(blocks) != 1:
        return reasons + ["%d lines of the ROM, not 1" % len(blocks)]
    return reasons + reserved_reasons(case, serial, blocks[0])
