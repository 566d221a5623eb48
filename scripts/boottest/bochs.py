# SPDX-License-Identifier: GPL-2.0-only
"""Run one row in Bochs, from the GRUB ISO.

Owns: bochsrc, the places of the ROMs, what an end of Bochs means.
Not here: judging (`judge.py`), the ISO (`media.py`).
Fails: RowError if Bochs is missing or cannot have what the row asks for.

Bochs checks segment limits, which QEMU's TCG does not. It has no exit device
with a status: every end is 1. A guest that was shut down by its program counts
as what the program printed, so that a row's `exit` means the same in both.
"""
import functools
import os
import re
import shutil
import subprocess

from . import media
from .place import prepare, read_log, run as run_in, write
from .rows import RowError

PACKAGES = "bochs bochsbios"
RC = """config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file=$BXSHARE/BIOS-bochs-latest
vgaromimage: file=$BXSHARE/VGABIOS-lgpl-latest
%(roms)smemory: guest=%(mem)d, host=%(host)d
cpu: model=%(cpu)s, count=%(cpus)d, ips=50000000, reset_on_triple_fault=0
clock: sync=none, time0=utc
ata0-master: type=cdrom, path=%(iso)s, status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev=%(serial)s
port_e9_hack: enabled=1
sound: driver=dummy
panic: action=fatal
log: %(log)s
"""
# On a machine without a sound card its ALSA thread aborts the emulator: hence dummy.
# The BIOS has nothing above 4 GiB; more than 15 processors do not start.
MEM_MAX, CPUS_MAX, HOST_MEM_MAX = 4096, 15, 2048
# Behind the VGA BIOS; the end is where a kernel stops looking for a VMI ROM. The
# monitor has five pages of data behind its image, which end below the BIOS.
ROM_FIRST, ROM_END, ROM_STEP, ROMS_MAX = 0xca000, 0xe0000, 0x800, 4
VERDICT = re.compile(r"^# verdict: (passed|failed)\r?$", re.M)
STARTED = re.compile(r"\] Linux version .*\n")
# isa-debug-exit gives 2 * value + 1.
STATUS = {"passed": 33, "failed": 35}


def place_roms(row):
    """[(address, file)]; the BIOS runs them upwards."""
    places, at = [], ROM_FIRST
    for rom in row.roms:
        places.append((at, os.path.abspath(rom)))
        at += -(-os.path.getsize(rom) // ROM_STEP) * ROM_STEP
    if at > ROM_END or len(places) > ROMS_MAX:
        raise RowError("row %s: %d ROMs end at %#x; Bochs has room for %d up to %#x"
                       % (row.name, len(places), at, ROMS_MAX, ROM_END))
    return places


def check(row):
    for key, value, limit in ("mem", row.mem, MEM_MAX), ("cpus", row.cpus, CPUS_MAX):
        if value > limit:
            raise RowError("row %s: %s = %d; Bochs has at most %d" % (row.name, key, value, limit))


def config(row, iso, place):
    """Text of bochsrc."""
    roms = "".join("optromimage%d: file=%s, address=%#x\n" % (i, path, at)
                   for i, (at, path) in enumerate(place_roms(row), 1))
    return RC % dict(roms=roms, mem=row.mem, host=min(row.mem, HOST_MEM_MAX), cpu=row.cpu,
                     cpus=row.cpus, iso=iso, serial=os.path.join(place, "serial.log"),
                     log=os.path.join(place, "bochs.log"))


@functools.cache
def no_network():
    """Words that shut off the display's TCP port, where this machine allows it."""
    words = ["unshare", "-rn"]
    if shutil.which(words[0]) and not subprocess.run(
            words + ["true"], stderr=subprocess.DEVNULL, check=False).returncode:
        return words
    return []


def status_of(status, serial, log):
    """The exit status in QEMU's terms; Bochs's own if no program ended the guest."""
    told = VERDICT.findall(serial)
    if "hutdown requested" in log and len(told) == 1:
        return STATUS[told[0]]
    return status


def run(row, initramfs, out):
    """Boot; return (serial log, exit status, whether the time was up, port 0xE9)."""
    check(row)
    place = os.path.abspath(prepare(row, out, "bochs", PACKAGES))
    write(place, "bochsrc", config(row, media.iso(row, initramfs, place), place))
    # Debian builds the debugger in: it waits for this word.
    write(place, "go", "c\n")
    words = no_network() + ["bochs", "-q", "-f", "bochsrc", "-rc", "go"]
    # Bochs has no -no-reboot.
    status, late = run_in(words, place, row.timeout, "debugcon.log", "bochs.err",
                          lambda: len(STARTED.findall(read_log(place, "serial.log"))) > 1)
    serial = read_log(place, "serial.log")
    return (serial, status_of(status, serial, read_log(place, "bochs.log")), late,
            read_log(place, "debugcon.log"))
