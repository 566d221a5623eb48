# SPDX-License-Identifier: GPL-2.0-only
"""The executed code of one function in two kernels, side by side.

Owns: disassembly of code as it stands in memory, alignment of two codes.
Not here: the other tables (`explained.py`).
Fails: a function whose code was not read is left out.
"""
import collections
import difflib
import os
import re
import subprocess
import tempfile

INSN = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)$", re.M)
REGISTER = re.compile(r"%(?:e?[abcd]x|[abcd][lh]|e?[sd]i|e?[bs]p)\b")
NUMBER = re.compile(r"\$?-?0x[0-9a-f]+")
PREFIXES = re.compile(r"^(?:ds )+|%ds:")
ADDRESS = re.compile(r"\b(?:0x)?(c[0-9a-f]{7})\b")


def disassemble(code, address):
    """[(address, text)] of bytes that lie at an address."""
    with tempfile.NamedTemporaryFile(delete=False) as f:
        f.write(code)
    try:
        out = subprocess.run(["objdump", "-D", "-b", "binary", "-m", "i386", "-w",
                              f"--adjust-vma={address:#x}", f.name],
                             capture_output=True, text=True, check=True).stdout
    finally:
        os.unlink(f.name)
    return [(int(m[1], 16), re.sub(r"\s+", " ", m[3]).strip()) for m in INSN.finditer(out)]


def count_instructions(code):
    """Instructions of a native form; None for an op that is a function."""
    if code is None:
        return None
    return len(disassemble(code, 0)) if code else 0


def executed(side, function):
    """[(address, times, text)] of a function's executed instructions, by address."""
    times = collections.Counter(pc for pc in side.traced.path
                                if side.where.name(pc) == function)
    if not times:
        return []
    low, high = min(times), max(times) + 16
    code = next((data[low - at:high - at] for at, data in side.where.memory
                 if at <= low < at + len(data)), None)
    if code is None:
        return []
    texts = dict(disassemble(code, low))
    return [(pc, times[pc], symbolic(texts.get(pc, "(?)"), side)) for pc in sorted(times)]


def symbolic(text, side):
    """The text with names for addresses of code."""
    def name(found):
        known = side.where.name(int(found[1], 16))
        return found[0] if known.startswith("(no symbols") else known
    return ADDRESS.sub(name, text)


def shape(text):
    """What two kernels' forms of one instruction have in common: padding is nothing."""
    return NUMBER.sub("N", REGISTER.sub("%r", PREFIXES.sub("", text)))


def lines(sides, most):
    """The code of the functions that differ most, where both sides have it."""
    a, b = (s.functions for s in sides)
    keys = sorted((k for k in set(a) | set(b) if a[k] != b[k]),
                  key=lambda k: (-abs(b[k] - a[k]), k))
    found = []
    for key in keys[:most]:
        codes = [executed(s, key) for s in sides]
        if all(codes):
            found += ["", f"{key}: {a[key]} -> {b[key]}; times, instruction "
                      f"(- {sides[0].name}, + {sides[1].name})"]
            found += differences(codes, [op_names(s) for s in sides])
    return found


def op_names(side):
    """{address: op} of every byte of a site."""
    return {pc: site.op.name for site in side.where.sites.values()
            for pc in range(site.start, site.end)}


def differences(codes, ops):
    """Lines of two executed codes that differ in form or in times."""
    matcher = difflib.SequenceMatcher(None, *([shape(text) for _, _, text in code]
                                              for code in codes), autojunk=False)
    found = []
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            found += [f"    {n:5} -> {m:<5} {text}" for (_, n, _), (_, m, text)
                      in zip(codes[0][i:i_end], codes[1][j:j_end]) if n != m]
            continue
        for sign, part, names in (("-", codes[0][i:i_end], ops[0]),
                                  ("+", codes[1][j:j_end], ops[1])):
            found += [f"  {sign} {n:5} {pc:x} {text}"
                      + (f"   ({names[pc]})" if pc in names else "") for pc, n, text in part]
    return found
