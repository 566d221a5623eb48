# SPDX-License-Identifier: GPL-2.0-only
"""Sensitive instructions in a disassembly, and the list of those that are allowed.

Owns: which instructions are sensitive and what they are called; reading objdump's
      text, patch-site records and the allow list; judging hits against the list.
Not here: running objdump, files, what is printed (`audit.py`).
Runs: on text and bytes only, so that the tests need no kernel.
Fails: ValueError with one line for a list or records that cannot be read.

Left out on purpose: RDTSC (right at any ring unless CR4.TSD is set, and CR4 is
written through an op), VERW (wanted for its side effect only), PUSH of a segment
register (its RPL is visible, but stock code tests it with masks).
"""
import collections
import fnmatch
import re
import struct

# Mnemonics that are a class of their own; an operand size may follow.
PLAIN = """cli sti popf pushf hlt lgdt lidt lldt ltr sgdt sidt sldt str smsw lmsw clts
	invlpg invpcid invd rdmsr wrmsr rdpmc cpuid xsetbv xgetbv stac clac lar lsl verr
	sysenter sysexit syscall sysret lret ljmp lcall umwait tpause umonitor rsm getsec
	swapgs wrmsrns rdmsrlist wrmsrlist lkgs pconfig enqcmds rdpkru wrpkru""".split()
# Mnemonics that share a class.
GROUPS = {
    "iret": "iret", "wbinvd": "wbinvd wbnoinvd", "load-ss": "lss",
    "xsaves": "xsaves xsaves64", "xrstors": "xrstors xrstors64",
    "monitor": "monitor monitorx", "mwait": "mwait mwaitx", "io": "in out ins outs",
    "virt": "vmcall vmmcall vmxon vmxoff vmlaunch vmresume vmread vmwrite vmptrld vmptrst "
            "vmclear vmfunc vmrun vmload vmsave stgi clgi skinit invept invvpid tdcall "
            "seamcall encls enclu enclv",
}
PREFIXES = frozenset("lock rep repz repnz repe repne cs ds es fs gs ss data16 addr16 addr32 "
                     "notrack bnd".split())
CALL = "call"
CLASSES = frozenset(PLAIN) | frozenset(GROUPS) | {CALL} | {
    "%s-%s" % (way, register) for way in ("read", "write")
    for register in ("cr0", "cr2", "cr3", "cr4", "dr", "tr")}
# Functions of this section of the list are reached through the op table; a direct
# call of one is a bypass.
BODIES = "op bodies"

LABEL = re.compile(r"([0-9a-f]+) <(.+)>:$")
SPECIAL = re.compile(r"%(cr\d|[dt]r|db)")
TARGET = re.compile(r"(?:call|j[a-z]+)\s.*<([^>+]+)>$")
RELOCATED = re.compile(r"R_386_(PC|PLT)32$")
# What gcc appends to the name of a function that it split or specialised.
SUFFIX = re.compile(r"\.(?:isra|constprop|part|cold|lto_priv)\b.*$")

Hit = collections.namedtuple("Hit", "function offset address cls text")


def _mnemonics():
    table = {}
    for cls, words in [(w, w) for w in PLAIN] + list(GROUPS.items()):
        for word in words.split():
            for size in ("", "b", "w", "l", "d", "q"):
                table.setdefault(word + size, cls)
    return table


MNEMONICS = _mnemonics()


def classify(text):
    """Class of a sensitive instruction as objdump prints it, None for any other."""
    words = text.split()
    while len(words) > 1 and words[0] in PREFIXES:
        words.pop(0)
    name, operands = words[0], "".join(words[1:])
    if name in MNEMONICS:
        return MNEMONICS[name]
    if name.startswith("mov"):
        if operands.endswith(",%ss"):
            return "load-ss"
        register = SPECIAL.search(operands)
        if register:
            way = "write" if register.start() else "read"
            return "%s-%s" % (way, "dr" if register[1] == "db" else register[1])
    elif name.startswith("pop") and operands == "%ss":
        return "load-ss"
    return None


def callee(where, text):
    """Name of the function that a line calls or jumps to, by its text or relocation."""
    if RELOCATED.search(where):
        return SUFFIX.sub("", text)
    target = TARGET.match(text) if text[0] in "cj" else None
    return SUFFIX.sub("", target[1]) if target else None


def scan(lines, sites=frozenset(), is_body=lambda name: False):
    """Hits in objdump's text; `sites` are the addresses of all bytes of patch sites."""
    function, start, in_body = "", 0, False
    for line in lines:
        line = line.strip()
        label = LABEL.match(line) if line.endswith(">:") else None
        if label:
            start, function = int(label[1], 16), SUFFIX.sub("", label[2])
            in_body = is_body(function)
            continue
        where, tab, text = line.partition("\t")
        if not tab:
            continue
        called = callee(where, text)
        if called and not in_body and is_body(called):
            cls, text = CALL, "call of " + called
        else:
            cls = None if "R_386_" in where else classify(text)
        if cls:
            address = int(where.split(":")[0], 16)
            if address not in sites:
                yield Hit(function, address - start, address, cls, " ".join(text.split()))


def site_bytes(records):
    """Addresses covered by the records of `.parainstructions` (`pv_site.h`)."""
    if len(records) % 8:
        raise ValueError("%d bytes of site records are no multiple of 8" % len(records))
    return frozenset(address for first, _, size in struct.iter_unpack("<IBBxx", records)
                     for address in range(first, first + size))


class Allowed:
    """The reviewed list: sections of lines `function-glob class[,class] reason`."""

    def __init__(self, lines, name="allow list"):
        self.sections = []
        self.entries = []        # (section, glob, class, reason, line number)
        self.used = set()        # numbers of entries that matched
        self.known = {}
        for number, line in enumerate(lines, 1):
            text = line.strip()
            if text and not text.startswith("#"):
                try:
                    self.read_line(text, number)
                except ValueError as why:
                    raise ValueError("%s:%d: %s" % (name, number, why)) from None

    def read_line(self, text, number):
        title = re.fullmatch(r"\[(.+)\]", text)
        if title:
            self.sections.append(title[1])
            return
        if not self.sections:
            raise ValueError("an entry before the first [section]")
        fields = text.split(None, 2)
        if len(fields) < 3:
            raise ValueError("an entry is `function-glob class[,class] reason`")
        for cls in fields[1].split(","):
            if cls not in CLASSES:
                raise ValueError("'%s' is no class of instructions" % cls)
            if any(e[1:3] == (fields[0], cls) for e in self.entries):
                raise ValueError("%s %s stands there twice" % (fields[0], cls))
            self.entries.append((self.sections[-1], fields[0], cls, fields[2], number))

    def is_body(self, function):
        """Is this function in the section of op bodies?"""
        return any(e[0] == BODIES and fnmatch.fnmatchcase(function, e[1]) for e in self.entries)

    def find(self, hit):
        """The first entry for a hit, None if there is none; remembers that it matched."""
        key = hit.function, hit.cls
        if key not in self.known:
            self.known[key] = next((n for n, e in enumerate(self.entries) if e[2] == hit.cls
                                    and fnmatch.fnmatchcase(hit.function, e[1])), None)
        number = self.known[key]
        if number is None:
            return None
        self.used.add(number)
        return self.entries[number]

    def stale(self):
        """Entries that have matched nothing so far."""
        return [e for n, e in enumerate(self.entries) if n not in self.used]
