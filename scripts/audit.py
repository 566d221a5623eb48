#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Find sensitive instructions of a built kernel that no op and no review covers.

Owns: disassembling, the reviewed list's place, what is printed.
Not here: which instructions count, judging them (`audit_scan.py`).
Runs: `audit.py [--modules DIR] [--list] [--strict] VMLINUX...`, seconds a kernel.
      --list prints every function, --strict takes a line of the list that matches
      in none of the kernels for a failure.
Fails: exit 1; a line names function, address, instruction and what to do.
"""
import argparse
import collections
import functools
import os
import struct
import subprocess
import sys

from audit_scan import Allowed, scan, site_bytes
from objcode import Object
from overlay_plan import Refusal, read

HERE = os.path.dirname(os.path.abspath(__file__))
ALLOW = os.path.join(HERE, "audit_allow.txt")
ADVICE = ("route it through an op, hide the feature that it depends on "
          "(arch/x86/vmi/ring.c), or add a reviewed line to scripts/audit_allow.txt")
EM_386 = 3


def read_list(path):
    text = read(path)
    if text is None:
        raise Refusal("%s: no such file" % path)
    try:
        return Allowed(text.decode("utf-8", "replace").splitlines(), os.path.relpath(path))
    except ValueError as why:
        raise Refusal(str(why)) from None


def read_object(path):
    """An i386 object with symbols; a Refusal says what the file is instead."""
    if not os.path.isfile(path):
        raise Refusal("%s: no such file" % path)
    data = read(path)
    try:
        found = Object(data)
    except (ValueError, IndexError, struct.error) as why:
        raise Refusal("%s: %s" % (path, why)) from None
    if data[18] != EM_386:
        raise Refusal("%s: machine %d, not i386" % (path, data[18]))
    if not found.symbols:
        raise Refusal("%s: no symbols; give the vmlinux of the build directory" % path)
    return found


def sites_of(path):
    """Addresses inside patch sites of a kernel."""
    image = read_object(path)
    if ".parainstructions" not in image.names:
        raise Refusal("%s: no patch sites; is PARAVIRT on?" % path)
    try:
        return site_bytes(image.bodies[image.names.index(".parainstructions")])
    except ValueError as why:
        raise Refusal("%s: %s" % (path, why)) from None


def disassemble(path, *options):
    """Lines of objdump, one by one."""
    words = ["objdump", "-d", "--no-show-raw-insn", *options, path]
    env = dict(os.environ, LC_ALL="C")
    with subprocess.Popen(words, text=True, errors="replace", env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE) as job:
        yield from job.stdout
    if job.returncode:
        raise Refusal("%s: objdump failed" % path)


def modules_in(place):
    found = sorted(os.path.join(where, name) for where, _, names in os.walk(place)
                   for name in names if name.endswith(".ko"))
    if not found:
        raise Refusal("%s: no modules (*.ko) there" % place)
    return found


def complain(name, hits):
    """A line for all instructions of one class in one function."""
    first = hits[0]
    more = " and %d more" % (len(hits) - 1) if len(hits) > 1 else ""
    print("audit: %s: %s+0x%x (0x%x%s): %s: %s" % (name, first.function, first.offset,
                                                   first.address, more, first.text, ADVICE))


def judge(name, hits, allowed, show):
    """Print what is not allowed, and a line per section; number of complaints."""
    counts, functions = collections.Counter(), collections.defaultdict(set)
    bad = collections.defaultdict(list)
    for hit in hits:
        entry = allowed.find(hit)
        if entry:
            counts[entry[0]] += 1
            functions[entry[0]].add((hit.function, hit.cls, entry[3]))
        else:
            bad[hit.function, hit.cls].append(hit)
    for group in bad.values():
        complain(name, group)
    for section in allowed.sections:
        if counts[section]:
            print("audit: %s: %d in %d functions: %s" % (
                name, counts[section], len({f[0] for f in functions[section]}), section))
        for row in sorted(functions[section]) if show else ():
            print("    %s %s: %s" % row)
    return len(bad)


def audit_kernel(path, allowed, show):
    """Number of failures in a vmlinux."""
    hits = list(scan(disassemble(path), sites_of(path), functools.lru_cache(None)(allowed.is_body)))
    if not hits:
        raise Refusal("%s: not one sensitive instruction; is this a kernel?" % path)
    return judge("/".join(os.path.abspath(path).split("/")[-2:]), hits, allowed, show)


def audit_modules(place, allowed, show):
    """Number of failures in all modules below a directory."""
    bad = 0
    for path in modules_in(place):
        read_object(path)
        hits = list(scan(disassemble(path, "-r"), is_body=allowed.is_body))
        if hits:
            bad += judge(os.path.basename(path), hits, allowed, show)
    return bad


def audit(args):
    """(passed, failed): one per kernel, one for the modules, strictly one for the list."""
    allowed = read_list(args.allow)
    results = [audit_kernel(path, allowed, args.list) for path in args.vmlinux]
    results += [audit_modules(place, allowed, args.list) for place in args.modules]
    stale = allowed.stale()
    for section, glob, cls, _, number in stale:
        print("audit: %s:%d: %s%s %s (%s) matches nothing: %s"
              % (os.path.relpath(args.allow), number, "" if args.strict else "warning: ", glob, cls,
                 section, "remove the line" if args.strict else "no such code in this kernel"))
    if args.strict:
        results.append(len(stale))
    failed = sum(1 for bad in results if bad)
    return len(results) - failed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("vmlinux", nargs="+", metavar="VMLINUX")
    parser.add_argument("--allow", default=ALLOW, metavar="FILE")
    parser.add_argument("--modules", action="append", default=[], metavar="DIR")
    parser.add_argument("--list", action="store_true", help="print every function")
    parser.add_argument("--strict", action="store_true", help="stale lines are failures")
    try:
        passed, failed = audit(parser.parse_args())
    except Refusal as why:
        print("audit: %s" % why, file=sys.stderr)
        passed, failed = 0, 1
    print("audit: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
