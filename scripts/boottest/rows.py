# SPDX-License-Identifier: GPL-2.0-only
"""Rows of the boot tests: read, check, expand.

Owns: the keys of a row, their defaults and checks, what `|` means.
Not here: running and judging.
Fails: RowError with one line naming file, row and key; before any boot.

A section of `tests/boot/*.ini` is a row. The keys in VARYING may name
alternatives, `cpus = 1 | 2 | 4`: every combination is a row of its own, its
name extended by the values. Several words in `rom` are several ROMs, executed
in that order; `none` is no ROM.

`media` is what the row boots from: `kernel` by QEMU's loader, `iso` a GRUB ISO
in QEMU, `disk` the same image as a hard disk, `bochs` that ISO in Bochs, where
`cpu` is one of Bochs's models.
"""
import configparser
import itertools
import os
import re
from dataclasses import dataclass, field, fields, replace

VARYING = ("kernel", "rom", "cpus", "cpu", "mode", "mem", "media")
MODES = ("all", "quick", "mutate", "bench", "soak")
EMULATORS = ("qemu-system-i386", "qemu-system-x86_64")
# Media, and the processor that a row without `cpu` gets.
MEDIA = {"kernel": "qemu32", "iso": "qemu32", "disk": "qemu32", "bochs": "core2_penryn_t9600"}


class RowError(Exception):
    """The one line that stops the run."""


@dataclass
class Row:
    """One boot. expect: one pattern a line, literal or `re: <regex>`.

    forbid adds to what is always forbidden, allow exempts lines from it.
    kunit: results of the kernel's own tests must be there.
    same_as, differs: see `twins.py`. emulated_only: kinds of instructions that
    the monitor may emulate during the tests, or `none`; see `stats.py`.
    """
    name: str
    kernel: str = "vmi-pae-smp"
    rom: str = "none"
    cmdline: str = ""
    cpus: int = 1
    mem: int = 256
    cpu: str = ""
    media: str = "kernel"
    timeout: int = 120
    expect: list = field(default_factory=list)
    forbid: str = ""
    allow: str = ""
    exit: int = 33
    mode: str = "quick"
    tap: bool = True
    kunit: bool = False
    emulator: str = "qemu-system-i386"
    same_as: str = ""
    differs: list = field(default_factory=list)
    emulated_only: str = ""
    # Files, found by resolve()
    image: str = ""
    roms: list = field(default_factory=list)

    def __post_init__(self):
        self.cpu = self.cpu or MEDIA.get(self.media, "")


KEYS = {f.name: f.type for f in fields(Row)}
for internal in ("name", "image", "roms"):
    del KEYS[internal]


def convert(where, key, text):
    """The value of a key, of the right type."""
    kind = KEYS.get(key)
    if kind is None:
        raise RowError("%s: unknown key '%s'; known: %s" % (where, key, " ".join(sorted(KEYS))))
    if kind is list:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if kind is bool:
        if text not in ("yes", "no"):
            raise RowError("%s: %s = %s; use yes or no" % (where, key, text))
        return text == "yes"
    if kind is int:
        if not text.isdigit():
            raise RowError("%s: %s = %s; use a number" % (where, key, text))
        return int(text)
    return " ".join(text.split())


def check_row(where, row):
    patterns = [p[3:].strip() for p in row.expect if p.startswith("re:")]
    for pattern in patterns + [row.forbid, row.allow]:
        try:
            re.compile(pattern)
        except re.error as why:
            raise RowError("%s: bad expression '%s': %s" % (where, pattern, why)) from why
    if row.mode not in MODES:
        raise RowError("%s: mode = %s; use one of %s" % (where, row.mode, " ".join(MODES)))
    if row.emulator not in EMULATORS:
        raise RowError("%s: emulator = %s; use one of %s"
                       % (where, row.emulator, " ".join(EMULATORS)))
    if row.media not in MEDIA:
        raise RowError("%s: media = %s; use one of %s" % (where, row.media, " ".join(MEDIA)))
    if row.media == "bochs" and row.emulator != EMULATORS[0]:
        raise RowError("%s: emulator = %s with media = bochs; leave one out"
                       % (where, row.emulator))
    for text in row.differs:
        if not re.match(r"[\w-]+: \S", text) or not row.same_as:
            raise RowError("%s: differs: '%s'; use '<test>: <reason>', together with same_as"
                           % (where, text))
    if not row.expect and not row.tap:
        raise RowError("%s: neither tap nor expect: nothing to check" % where)


def expand(where, name, section):
    """All rows of a section."""
    varied = {k: [v.strip() for v in section[k].split("|")]
              for k in VARYING if "|" in section.get(k, "")}
    for combination in itertools.product(*varied.values()):
        chosen = dict(section) | dict(zip(varied, combination))
        # Names are directories; QEMU splits some of its arguments at commas and equal signs.
        parts = [re.sub(r"[/=]", "-", re.sub(r"[ ,]\+?", "+", re.sub(r"\.rom\b", "-rom", v)))
                 for v in combination]
        values = {key: convert(where, key, text) for key, text in chosen.items()}
        row = Row(name=".".join([name, *parts]), **values)
        check_row(where, row)
        yield row


def load_text(text, source):
    parser = configparser.ConfigParser(interpolation=None, strict=True,
                                       default_section="defaults",
                                       inline_comment_prefixes=None)
    try:
        parser.read_string(text, source)
    except configparser.Error as why:
        raise RowError(" ".join(str(why).split())) from why
    rows = []
    for name in parser.sections():
        rows += expand("%s [%s]" % (source, name), name, parser[name])
    return rows


def load(paths):
    """Rows of the files; a name may occur once."""
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as f:
            rows += load_text(f.read(), path)
    seen = set()
    for row in rows:
        if row.name in seen:
            raise RowError("row %s occurs twice" % row.name)
        seen.add(row.name)
    return rows


def kernel_file(out, name):
    if "/" in name:
        return name
    return os.path.join(out, "linux-6.1", name, "arch/x86/boot/bzImage")


def rom_file(out, name):
    """native and native.rom are the built ROM; a name with a / may be any file."""
    built = os.path.join(out, "rom", name if name.endswith(".rom") else name + ".rom")
    return built if os.path.exists(built) or "/" not in name else name


def resolve(row, out):
    """Find the files of a row."""
    image = kernel_file(out, row.kernel)
    roms = [] if row.rom == "none" else [rom_file(out, n) for n in row.rom.split()]
    for path, hint in [(image, "make kernel")] + [(r, "make rom") for r in roms]:
        if not os.path.isfile(path):
            raise RowError("row %s: no %s; build it (%s)" % (row.name, path, hint))
    return replace(row, image=image, roms=roms)


def unlisted_roms(rows, out):
    """Bad ROMs that were built and that no row boots."""
    place = os.path.join(out, "rom", "bad")
    built = sorted(os.listdir(place)) if os.path.isdir(place) else []
    used = {os.path.abspath(r) for row in rows for r in row.roms}
    return [n for n in built if n.endswith(".rom")
            and os.path.abspath(os.path.join(place, n)) not in used]
