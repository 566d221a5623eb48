# SPDX-License-Identifier: GPL-2.0-only
"""Run one row in QEMU.

Owns: the QEMU command line; serial.log, debugcon.log and qemu.log.
Not here: judging (`judge.py`), images (`media.py`), the row's directory (`place.py`).
Fails: RowError if QEMU is missing; what a guest does is not an error here.
"""
import os
import subprocess

from . import media
from .place import prepare, read_log
from .place import run as run_in

PACKAGE = "qemu-system-x86"


def order_roms(row, place):
    """Links whose names make the BIOS run the ROMs in the row's order.

    SeaBIOS runs `-option-rom` files by name, descending; vmi* comes before the
    loader ROMs that QEMU adds.
    """
    links = []
    for i, rom in enumerate(row.roms):
        link = os.path.join(place, "vmi%d-%s" % (9 - i, os.path.basename(rom)[-40:]))
        os.symlink(os.path.abspath(rom), link)
        links.append(link)
    return links


def boot_words(row, initramfs, place):
    """What is booted: an ISO, also as a disk, or the kernel by QEMU's own loader."""
    if row.media == "iso":
        return ["-boot", "d", "-cdrom", media.iso(row, initramfs, place)]
    if row.media == "disk":
        return ["-boot", "c", "-drive",
                "if=ide,format=raw,file=" + media.iso(row, initramfs, place)]
    return ["-kernel", row.image, "-initrd", initramfs, "-append", media.cmdline(row)]


def command(row, roms, initramfs, place, console):
    """The QEMU command; console is 'log' or 'terminal'."""
    # One socket each: the BIOS's MP table, for kernels without ACPI, lists no cores.
    words = [row.emulator, "-accel", "tcg", "-cpu", row.cpu,
             "-smp", "%d,sockets=%d" % (row.cpus, row.cpus), "-m", str(row.mem),
             "-no-reboot", "-nic", "none", "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
             "-debugcon", "file:" + os.path.join(place, "debugcon.log")]
    words += boot_words(row, initramfs, place)
    for rom in roms:
        words += ["-option-rom", rom]
    if console == "terminal":
        return words + ["-nographic"]
    return words + ["-display", "none", "-monitor", "none",
                    "-serial", "file:" + os.path.join(place, "serial.log")]


def run(row, initramfs, out):
    """Boot; return (serial log, exit status, whether the time was up, debugcon log)."""
    place = os.path.abspath(prepare(row, out, row.emulator, PACKAGE))
    words = command(row, order_roms(row, place), os.path.abspath(initramfs), place, "log")
    status, late = run_in(words, place, row.timeout, "qemu.log", "qemu.log")
    return read_log(place, "serial.log"), status, late, read_log(place, "debugcon.log")


def interact(row, initramfs, out):
    """Boot with the console on this terminal."""
    place = os.path.abspath(prepare(row, out, row.emulator, PACKAGE))
    words = command(row, order_roms(row, place), initramfs, place, "terminal")
    print("boot: leave QEMU with Ctrl-A X")
    return subprocess.run(words, check=False).returncode
