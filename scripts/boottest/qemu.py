# SPDX-License-Identifier: GPL-2.0-only
"""Run one row in QEMU.

Owns: the QEMU command line, the row's directory `<out>/boot/<row>/` with
      command, serial.log, debugcon.log and qemu.log, the time limit.
Not here: judging (`judge.py`).
Fails: RowError if QEMU is missing; what a guest does is not an error here.
"""
import os
import shlex
import shutil
import subprocess

from .rows import RowError

# The stock test of the I/O APIC's timer counts ticks while real time passes: on a
# busy host a guest without KVM panics in it now and then, whatever its flavour.
ALWAYS = "console=ttyS0 panic=-1 no_timer_check"


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


def command(row, roms, initramfs, place, console):
    """The QEMU command; console is 'log' or 'terminal'."""
    append = "%s pvtest=%s %s" % (ALWAYS, row.mode, row.cmdline)
    words = [row.emulator, "-accel", "tcg", "-cpu", row.cpu, "-smp", str(row.cpus),
             "-m", str(row.mem), "-no-reboot", "-nic", "none", "-kernel", row.image,
             "-initrd", initramfs, "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
             "-debugcon", "file:" + os.path.join(place, "debugcon.log"),
             "-append", " ".join(append.split())]
    for rom in roms:
        words += ["-option-rom", rom]
    if console == "terminal":
        return words + ["-nographic"]
    return words + ["-display", "none", "-monitor", "none",
                    "-serial", "file:" + os.path.join(place, "serial.log")]


def prepare(row, out):
    """An empty directory for the row."""
    if not shutil.which(row.emulator):
        raise RowError("no %s; install qemu-system-x86" % row.emulator)
    place = os.path.join(out, "boot", row.name)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    return place


def read_log(place, name):
    try:
        with open(os.path.join(place, name), encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def run(row, initramfs, out):
    """Boot; return (serial log, exit status, whether the time was up, debugcon log)."""
    status, late = None, False
    place = prepare(row, out)
    words = command(row, order_roms(row, place), initramfs, place, "log")
    with open(os.path.join(place, "command"), "w", encoding="utf-8") as f:
        f.write(shlex.join(words) + "\n")
    with open(os.path.join(place, "qemu.log"), "wb") as log:
        try:
            status = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=subprocess.STDOUT, timeout=row.timeout,
                                    check=False).returncode
        except subprocess.TimeoutExpired:
            late = True
    return read_log(place, "serial.log"), status, late, read_log(place, "debugcon.log")


def interact(row, initramfs, out):
    """Boot with the console on this terminal."""
    place = prepare(row, out)
    words = command(row, order_roms(row, place), initramfs, place, "terminal")
    print("boot: leave QEMU with Ctrl-A X")
    return subprocess.run(words, check=False).returncode
