# SPDX-License-Identifier: GPL-2.0-only
"""Boots kernels for measuring and reads what the guest printed.

Owns: the QEMU command of exact counting, the initramfs, one boot's figures.
Not here: comparing (`compare.py`), the command line (`quick.py`).
Fails: `BootError`, one line that names the boot and its log.
"""
import os
import re
import subprocess

ROWS = ["getppid", "divzero", "segv", "lat_pipe", "switch", "nforkwait", "mmap",
        "exec", "cpu"]
PASSED = 33
APPEND = ("console=ttyS0 panic=-1 quiet norandmaps nokaslr "
          "randomize_kstack_offset=off mitigations=off")
LINE = re.compile(r"^bench: (\w+) min=(\d+) med=(\d+) n=(\d+)\s*$", re.M)


class BootError(Exception):
    """A boot that gave no full set of figures."""


class Kernel:
    """One kernel under test: name=bzImage[,vmlinux=F][,rom=F][,append=WORDS]"""

    def __init__(self, text):
        name, equals, rest = text.partition("=")
        parts = rest.split(",")
        if not equals or not name or not parts[0]:
            raise ValueError(f"'{text}': use name=bzImage[,vmlinux=F][,rom=F]"
                             "[,append=WORDS]")
        self.name, self.image = name, parts[0]
        options = {"vmlinux": None, "rom": None, "append": ""}
        for part in parts[1:]:
            key, equals, value = part.partition("=")
            if key not in options or not equals:
                raise ValueError(f"'{text}': unknown option '{part}'")
            options[key] = value
        self.rom, self.append = options["rom"], options["append"]
        self.vmlinux = options["vmlinux"] or self._beside()
        for path in filter(None, [self.image, self.rom, self.vmlinux]):
            if not os.path.isfile(path):
                raise ValueError(f"kernel {name}: no file {path}")

    def _beside(self):
        """A kernel tree keeps vmlinux three directories above its bzImage."""
        at = os.path.normpath(os.path.join(os.path.dirname(self.image),
                                           "../../..", "vmlinux"))
        return at if os.path.isfile(at) else None


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


def command(kernel, initrd, variant):
    """The QEMU command of boot number `variant`."""
    append = f"{APPEND} {kernel.append} pvpad={'x' * (7 * variant % 97 + 1)}"
    cmd = ["qemu-system-i386", "-accel", "tcg", "-cpu", "qemu32",
           "-icount", "shift=0,sleep=off",
           "-rtc", "base=2026-01-01T00:00:00,clock=vm", "-m", "256",
           "-nographic", "-no-reboot", "-net", "none",
           "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
           "-kernel", kernel.image, "-initrd", initrd, "-append", append]
    return cmd + (["-option-rom", kernel.rom] if kernel.rom else [])


def parse(text):
    """{row: {min, med, n}} of a log; rows that are missing are missing."""
    return {m[1]: {"min": int(m[2]), "med": int(m[3]), "n": int(m[4])}
            for m in LINE.finditer(text.replace("\r", ""))}


def boot(kernel, program, variant, work, timeout_s):
    """Boot once; variants differ in ways that must not matter."""
    stem = os.path.join(work, f"{kernel.name}-{variant}")
    write_initrd(stem + ".cpio", program, 1 + 5003 * variant)
    cmd = command(kernel, stem + ".cpio", variant)
    with open(stem + ".log", "wb") as log:
        try:
            status = subprocess.run(cmd, stdin=subprocess.DEVNULL, stdout=log,
                                    stderr=log, timeout=timeout_s,
                                    check=False).returncode
        except subprocess.TimeoutExpired:
            status = f"none within {timeout_s} s"
        finally:
            os.unlink(stem + ".cpio")
    with open(stem + ".log", errors="replace") as log:
        rows = parse(log.read())
    missing = [r for r in ROWS if r not in rows]
    if status != PASSED or missing:
        raise BootError(f"{kernel.name}, boot {variant}: QEMU status {status}, "
                        f"rows missing: {', '.join(missing) or 'none'}; "
                        f"see {stem}.log")
    return rows
