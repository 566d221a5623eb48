# SPDX-License-Identifier: GPL-2.0-only
"""Runs the escape guest once, in QEMU or in Bochs.

Owns: command lines, the disk image for Bochs, logs in <place>/<name>.log.
Not here: which cases there are, and what is right (`run.py`).
Fails: never; an end that is none of the guest's is its `end`.

Bochs boots by GRUB. The disk is made once: a copy for each run has its own
command line in the place of a filler of the same length.
"""
import os
import re
import shutil
import subprocess

TIMEOUT = 60
GOOD, BAD, STOPPED = 33, 35, 85
FILLER = "@" * 480
BOCHS_ROM_ADDRESS = 0xca000
GRUB = "set timeout=0\nmenuentry k { multiboot /boot/k.elf %s\n boot }\n" % FILLER
BOCHSRC = """config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file=$BXSHARE/BIOS-bochs-latest
vgaromimage: file=$BXSHARE/VGABIOS-lgpl-latest
optromimage1: file=%(rom)s, address=%(at)#x
megs: 128
cpu: model=corei7_icelake_u, count=%(cpus)d, ips=50000000, reset_on_triple_fault=0
ata0-master: type=cdrom, path=%(disk)s, status=inserted
boot: cdrom
port_e9_hack: enabled=1
sound: driver=dummy
panic: action=fatal
log: %(log)s
clock: sync=none, time0=utc
"""


def missing(emulator):
    """The tools that a run needs and that are not there."""
    tools = {"qemu": ("qemu-system-i386",),
             "bochs": ("bochs", "grub-mkrescue", "xorriso", "mformat")}
    return [t for t in tools[emulator] if not shutil.which(t)]


def execute(words, log):
    """(exit status or 'timeout', output)"""
    try:
        done = subprocess.run(words, timeout=TIMEOUT, stdin=subprocess.DEVNULL, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        status, text = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        status, text = "timeout", late.stdout or b""
    with open(log, "wb") as f:
        f.write(text)
    return status, text.decode("latin-1")


class Emulator:
    """One of the two, for a guest and a ROM."""

    def __init__(self, name, guest, rom, place):
        self.name, self.guest, self.rom = name, guest, os.path.abspath(rom)
        self.place = os.path.join(os.path.abspath(place), name)
        os.makedirs(self.place, exist_ok=True)
        self.disk = self._disk() if name == "bochs" else b""

    def _disk(self):
        tree = os.path.join(self.place, "iso")
        os.makedirs(os.path.join(tree, "boot/grub"), exist_ok=True)
        shutil.copy(self.guest, os.path.join(tree, "boot/k.elf"))
        with open(os.path.join(tree, "boot/grub/grub.cfg"), "w", encoding="ascii") as f:
            f.write(GRUB)
        image = os.path.join(self.place, "guest.iso")
        subprocess.run(["grub-mkrescue", "-o", image, tree], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(image, "rb") as f:
            return f.read()

    def run(self, name, append, pae, words):
        """(end, output): end is 'good', 'bad', 'stopped' or another text."""
        log = os.path.join(self.place, name + ".log")
        append += " pae" if pae else ""
        return (self._qemu if self.name == "qemu" else self._bochs)(log, append, pae, words)

    def _qemu(self, log, append, pae, words):
        memory = ([w[4:] for w in words if w.startswith("mem=")] or ["128"])[0]
        status, text = execute(
            ["qemu-system-i386", "-accel", "tcg", "-m", memory, "-nic", "none", "-display",
             "none", "-no-reboot", "-cpu", "max" if pae else "qemu32", "-smp",
             "2" if "smp" in words else "1", "-option-rom", self.rom, "-kernel", self.guest,
             "-append", append, "-debugcon", "stdio", "-serial", "none", "-monitor", "none",
             "-device", "isa-debug-exit,iobase=0xf4,iosize=4"], log)
        ends = {GOOD: "good", BAD: "bad", STOPPED: "stopped", "timeout": "it hangs",
                0: "the machine was reset or triple-faulted"}
        return ends.get(status, "QEMU ended with %s" % status), text

    def _bochs(self, log, append, _pae, words):
        base = log[:-len(".log")]
        for old in (base + ".bochs.log",):
            if os.path.exists(old):
                os.remove(old)
        with open(base + ".iso", "wb") as f:
            f.write(self.disk.replace(FILLER.encode(), append.ljust(len(FILLER)).encode()))
        with open(base + ".bochsrc", "w", encoding="ascii") as f:
            f.write(BOCHSRC % {"rom": self.rom, "at": BOCHS_ROM_ADDRESS, "disk": base + ".iso",
                               "log": base + ".bochs.log", "cpus": 2 if "smp" in words else 1})
        with open(base + ".go", "w", encoding="ascii") as f:
            f.write("c\n")
        words = ["bochs", "-q", "-f", base + ".bochsrc", "-rc", base + ".go"]
        lock = ["unshare", "-rn"]	# its display would open a port
        if subprocess.run(lock + ["true"], stderr=subprocess.DEVNULL, check=False).returncode:
            lock = []
        status, text = execute(lock + words, log)
        os.remove(base + ".iso")
        return self._bochs_end(status, text, base + ".bochs.log"), text

    @staticmethod
    def _bochs_end(status, text, log):
        with open(log, encoding="latin-1") as f:
            last = f.read()
        if status == "timeout":
            return "it hangs"
        if "exception with no resolution" in last:
            return "the machine triple-faulted"
        if "Shutdown port: shutdown requested" not in last:
            return "Bochs: " + " ".join(re.findall(r">>PANIC<<.*", last)[:1] or ["no shutdown"])
        if "vmi-stop:" in text:
            return "stopped"
        return "bad" if ": bad:" in text else "good"
