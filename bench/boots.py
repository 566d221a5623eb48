# SPDX-License-Identifier: GPL-2.0-only
"""Boots kernels for measuring and reads what the guest printed.

Owns: the QEMU command of exact counting, the initramfs, one boot's figures. What is
      in this file belongs to the identity of a cell (`cells.py`).
Not here: which boots (`runner.py`), comparing (`compare.py`).
Fails: `BootError`, one line that names the boot and its log; `Stopped` after
       `Running.stop()`.
"""
import dataclasses
import os
import re
import subprocess
import threading

import catalogue

ROWS = list(catalogue.measured("micro"))
PASSED = 33
APPEND = ("console=ttyS0 panic=-1 quiet norandmaps nokaslr "
          "randomize_kstack_offset=off mitigations=off")
LINE = re.compile(r"^bench: (\w+) min=(\d+) med=(\d+) n=(\d+)\s*$", re.M)
PATCHED = re.compile(r"paravirt: backend (\w+), sites (\d+): .*, (\d+) us\s*$", re.M)
COMPLAINT = re.compile(r"^(?:qemu-system-\w+: .*|bench: (?!\w+ min=).*|.*Kernel panic.*"
                       r"|vmi: (?:no usable|ROM at).*)$", re.M)
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[A-Za-z]|c)")


class BootError(Exception):
    """A boot that gave no full set of figures."""


class Stopped(Exception):
    """The run was stopped while this boot ran."""


@dataclasses.dataclass
class Machine:
    """What is booted, apart from the unit."""
    name: str
    image: str
    rom: str = None
    append: str = ""
    qemu: str = "qemu-system-i386"
    cpu: str = "qemu32"
    vmlinux: str = None

    def __post_init__(self):
        self.vmlinux = self.vmlinux or self._beside()
        for path in filter(None, [self.image, self.rom, self.vmlinux]):
            if not os.path.isfile(path):
                raise ValueError(f"kernel {self.name}: no file {path}")

    def _beside(self):
        """A kernel tree keeps vmlinux three directories above its bzImage."""
        at = os.path.normpath(os.path.join(os.path.dirname(self.image),
                                           "../../..", "vmlinux"))
        return at if os.path.isfile(at) else None


class Kernel(Machine):
    """One kernel under test: name=bzImage[,vmlinux=F][,rom=F][,append=WORDS]"""

    def __init__(self, text):
        name, equals, rest = text.partition("=")
        parts = rest.split(",")
        if not equals or not name or not parts[0]:
            raise ValueError(f"'{text}': use name=bzImage[,vmlinux=F][,rom=F]"
                             "[,append=WORDS]")
        options = {}
        for part in parts[1:]:
            key, equals, value = part.partition("=")
            if key not in ("vmlinux", "rom", "append") or not equals:
                raise ValueError(f"'{text}': unknown option '{part}'")
            options[key] = value
        super().__init__(name, parts[0], **options)


class Running:
    """QEMU processes, which another thread can end."""

    def __init__(self):
        self.lock, self.processes, self.stopped = threading.Lock(), set(), False

    def run(self, cmd, log, timeout_s):
        """Exit status, or text that says there was none in time."""
        with self.lock:
            if self.stopped:
                raise Stopped
            # A session of its own: Ctrl-C ends the runner, which then ends QEMU.
            process = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log, start_new_session=True)
            self.processes.add(process)
        try:
            status = process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = f"none within {timeout_s} s"
        with self.lock:
            self.processes.discard(process)
            if self.stopped:
                raise Stopped
        return status

    def stop(self):
        """End all of them; what runs them gets Stopped."""
        with self.lock:
            self.stopped = True
            for process in self.processes:
                process.kill()


def newc_file(name, mode, data):
    """One member of a newc archive."""
    head = "070701" + "".join(f"{v:08x}" for v in (
        0, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0))
    blob = head.encode() + name.encode() + b"\0"
    blob += b"\0" * (-len(blob) % 4) + data
    return blob + b"\0" * (-len(blob) % 4)


def write_initrd(path, program, padding_bytes):
    """An initramfs with the program as /init and a file that only takes room."""
    with open(program, "rb") as f:
        blob = newc_file("init", 0o100755, f.read())
    blob += newc_file("padding", 0o100644, b"p" * padding_bytes)
    blob += newc_file("TRAILER!!!", 0, b"")
    with open(path, "wb") as f:
        f.write(blob)


def padding(variant):
    """Bytes in the initramfs of boot number `variant`."""
    return 1 + 5003 * variant


def scratch(initrd):
    """The disk of a boot, beside its initramfs."""
    return os.path.splitext(initrd)[0] + ".disk"


def command(kernel, initrd, variant, unit=None):
    """The QEMU command of boot number `variant`: boots differ in what must not matter."""
    append = f"{APPEND} {kernel.append} {unit.append if unit else ''} "
    append += f"pvpad={'x' * (7 * variant % 97 + 1)}"
    cmd = [kernel.qemu, "-accel", "tcg", "-cpu", kernel.cpu,
           "-icount", f"shift=0,sleep={unit.sleep if unit else 'off'}",
           "-rtc", "base=2026-01-01T00:00:00,clock=vm",
           "-m", str(unit.mem if unit else 256),
           "-nographic", "-no-reboot", "-net", "none",
           "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
           "-kernel", kernel.image, "-initrd", initrd, "-append", append]
    return (cmd + (["-option-rom", kernel.rom] if kernel.rom else [])
            + [w.replace("{scratch}", scratch(initrd)) for w in (unit.qemu if unit else ())])


def parse(text):
    """{row: {min, med, n}} of a log; rows that are missing are missing."""
    return {m[1]: {"min": int(m[2]), "med": int(m[3]), "n": int(m[4])}
            for m in LINE.finditer(text.replace("\r", ""))}


def patching(text):
    """{sites, patch_us} of a log, empty if the kernel patched nothing or was quiet."""
    found = PATCHED.search(text.replace("\r", ""))
    return {"sites": int(found[2]), "patch_us": int(found[3])} if found else {}


def complaint(text):
    """The last line of a log that sounds like a reason, else its last line."""
    text = ESCAPES.sub("", text).replace("\r", "")
    found = COMPLAINT.findall(text) or text.split("\n")
    return next((line.strip()[:120] for line in reversed(found) if line.strip()), "")


def boot(machine, unit, variant, stem, running):
    """Boot once; what the console showed. The log stays in <stem>.log."""
    initrd = stem + ".cpio"
    try:
        write_initrd(initrd, unit.program, padding(variant))
        if unit.scratch_mib:
            with open(scratch(initrd), "wb") as disk:
                disk.truncate(unit.scratch_mib << 20)
        with open(stem + ".log", "wb") as log:
            status = running.run(command(machine, initrd, variant, unit), log, unit.timeout)
    finally:
        for path in filter(os.path.exists, (initrd, scratch(initrd))):
            os.unlink(path)
    with open(stem + ".log", errors="replace") as log:
        text = log.read()
    missing = [r for r in unit.rows if r not in parse(text)]
    if status != PASSED or missing:
        why = complaint(text)
        raise BootError(f"{machine.name}, {unit.name}, boot {variant}: QEMU status {status}, "
                        f"rows missing: {', '.join(missing) or 'none'}"
                        f"{'; last words: ' + why if why else ''}; see {stem}.log")
    return text
