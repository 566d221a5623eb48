# SPDX-License-Identifier: GPL-2.0-only
"""The executed code of one function in two kernels, side by side.

Owns: disassembly of code as it stands in memory, alignment of two codes.
Not here: which functions are shown (`explain.py`).
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
                 if at <= low and high <= at + len(data)), None)
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
    text = re.sub(r"^(ds )+", "", text)
    return NUMBER.sub("N", REGISTER.sub("%r", text))


def show(sides, most):
    """Print the functions that differ most, where both are known."""
    a, b = (s.functions for s in sides)
    keys = sorted((k for k in set(a) | set(b) if a[k] != b[k]),
                  key=lambda k: (-abs(b[k] - a[k]), k))
    for key in keys[:most]:
        codes = [executed(s, key) for s in sides]
        if all(codes):
            print(f"\n{key}: {a[key]} -> {b[key]}; times, instruction "
                  f"(- {sides[0].name}, + {sides[1].name})")
            show_code(sides, codes)


def show_code(sides, codes):
    marks = [{pc: site for site in s.where.sites.values()
              for pc in range(site.start, site.end)} for s in sides]
    shapes = [[shape(text) for _, _, text in code] for code in codes]
    matcher = difflib.SequenceMatcher(None, *shapes, autojunk=False)
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        if tag == "equal":
            for (_, n, _), (_, m, text) in zip(codes[0][i:i_end], codes[1][j:j_end]):
                if n != m:
                    print(f"    {n:5} -> {m:<5} {text}")
            continue
        for sign, code, mark, s, e in (("-", codes[0], marks[0], i, i_end),
                                       ("+", codes[1], marks[1], j, j_end)):
            for pc, n, text in code[s:e]:
                note = f"   ({mark[pc].op.name})" if pc in mark else ""
                print(f"  {sign} {n:5} {pc:x} {text}{note}")
