#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check the form of what we wrote.

Owns: shellcheck and pyflakes on the scripts, licence tags, words that must not
      be in the project, checkpatch on our C and patches, sparse and W=1 on our
      kernel directories.
Runs: `lint.py`; `lint.py --fast` leaves out what needs a kernel tree.
Fails: exit 1; the findings are printed, the closing line counts the checks.
"""
import argparse
import os
import re
import subprocess
import sys

import doccheck
from kconfig import make_config
from kernel import PROJECT, compiler, environment, fragment, prepare_tree
from overlay_plan import Refusal, read

KERNEL_DIRS = ("arch/x86/paravirt", "arch/x86/vmi")
C_PLACES = ("arch/", "include/", "tests/", "rom/", "bench/")
# Ours on purpose: X-macro lists, top-level assembly, historical log lines.
OFF = ("FILE_PATH_CHANGES", "MODIFIED_INCLUDE_ASM", "COMPLEX_MACRO", "MACRO_ARG_REUSE",
       "MULTISTATEMENT_MACRO_USE_DO_WHILE", "TRAILING_SEMICOLON", "MACRO_WITH_FLOW_CONTROL",
       "LEADING_SPACE", "BRACKET_SPACE", "AVOID_EXTERNS", "PREFER_PR_LEVEL", "VOLATILE")
# Headers that assembly includes too: it has no C spacing.
OFF_ASSEMBLY = ("SPACING", "CODE_INDENT", "POINTER_LOCATION")
# Programs outside the kernel cannot use its helpers.
OFF_OUTSIDE = ("PREFER_DEFINED_ATTRIBUTE_MACRO", "PREFER_KERNEL_TYPES", "NEW_TYPEDEFS",
               "ARRAY_SIZE", "ENOSYS", "FUNCTION_ARGUMENTS", "NAKED_SSCANF",
               "EMBEDDED_FUNCTION_NAME", "STATIC_CONST_CHAR_ARRAY")
# The header that the ROMs share with the kernel.
SHARED = ("include/asm/vmi.h",)
# Configurations whose code of ours is checked: together they compile all of it.
VARIANTS = {"pae-smp": ("pae", "smp"), "nopae-up": ("nopae", "up")}


def tracked():
    """Files of the project, also new ones that git does not know yet."""
    done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT,
                          text=True, capture_output=True, check=True)
    return [p for p in done.stdout.splitlines() if os.path.isfile(os.path.join(PROJECT, p))]


def head(path):
    return (read(os.path.join(PROJECT, path)) or b"")[:400].decode("utf-8", "replace")


def tool(*words, where=PROJECT, env=None):
    """Lines that a tool printed, empty if it found nothing."""
    done = subprocess.run(words, cwd=where, text=True, check=False, env=env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    lines = done.stdout.splitlines()
    return lines if done.returncode or lines else []


def check_shell(files):
    scripts = [p for p in files if re.match(r"#!.*\b(sh|bash)\b", head(p)) or p.endswith(".sh")]
    return tool("shellcheck", *scripts) if scripts else []


def check_python(files):
    scripts = [p for p in files if p.endswith(".py") or re.match(r"#!.*python", head(p))]
    return tool("pyflakes3", *scripts)


def check_licence(files):
    """Every source file carries the tag in its first lines."""
    sources = [p for p in files if p.endswith((".c", ".h", ".S", ".py", ".lds", ".def", ".config",
                                               ".ini", ".sh"))
               or os.path.basename(p) in ("Makefile", "Kbuild", "Kconfig")
               or head(p).startswith("#!")]
    return ["%s: no GPL-2.0-only tag in its first lines" % p for p in sources
            if "SPDX-License-Identifier: GPL-2.0-only" not in head(p)]


def checkpatch(tree, off, *words, text=None):
    """Findings of checkpatch on files, or on the text of a patch."""
    done = subprocess.run([os.path.join(tree, "scripts/checkpatch.pl"), "--no-tree", "--terse",
                           "--no-summary", "--show-types", "--max-line-length=100",
                           "--ignore", ",".join(off), *words], cwd=PROJECT, input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [t for t in done.stdout.decode("utf-8", "replace").splitlines()
            if re.search(r": (ERROR|WARNING|CHECK):", t)]


def off_for(path):
    off = OFF
    if re.search(rb"__ASSEMBLY__|^\.macro ", read(os.path.join(PROJECT, path)), re.M):
        off += OFF_ASSEMBLY
    if path in SHARED or not path.startswith(("arch/", "include/")):
        off += OFF_OUTSIDE
    return off


def check_c(files, tree):
    """checkpatch once per set of rules."""
    sets = {}
    for path in files:
        if path.startswith(C_PLACES) and path.endswith((".c", ".h")):
            sets.setdefault(off_for(path), []).append(path)
    return [t for off, paths in sets.items() for t in checkpatch(tree, off, "-f", *paths)]


def check_patches(files, tree):
    """Through standard input: checkpatch takes a file that git tracks for source."""
    off = OFF + ("NO_AUTHOR_SIGN_OFF",)
    return [t.replace("-:", path + ":", 1) for path in files if path.endswith(".patch")
            for t in checkpatch(tree, off, "-", text=read(os.path.join(PROJECT, path)))]


def kernel_check(tree, out, variant, *words):
    """Output of a compile of our directories that speaks of our files."""
    odir = os.path.join(os.path.dirname(tree), "lint-" + variant)
    text = "".join(fragment(n) for n in ("base", *VARIANTS[variant], "flavour-vmi"))
    make_config(tree, odir, "i386", text)
    for name in KERNEL_DIRS:
        tool("find", os.path.join(odir, name), "-name", "*.o", "-delete")
    lines = tool("make", "-s", "-C", tree, "O=" + odir, "ARCH=i386", "CC=" + compiler(),
                 "-j%d" % (os.cpu_count() or 1), *words,
                 *(n + "/" for n in KERNEL_DIRS), env=environment(out))
    ours = re.compile(r"arch/x86/(paravirt|vmi)/|asm/(pv_\w+|vmi)\.h|\*\*\*")
    return ["%s: %s" % (variant, t) for t in lines if ours.search(t)]


def check_sparse(tree, out):
    return [t for v in VARIANTS for t in kernel_check(tree, out, v, "C=2")]


def check_w1(tree, out):
    return [t for v in VARIANTS for t in kernel_check(tree, out, v, "W=1", "KCFLAGS=-Wno-error")]


def checks(args):
    files = tracked()
    yield "shellcheck", lambda: check_shell(files)
    yield "pyflakes", lambda: check_python(files)
    yield "licence tags", lambda: check_licence(files)
    yield "documents", doccheck.findings
    if args.fast:
        return
    tree = prepare_tree(args.out)
    yield "checkpatch on C", lambda: check_c(files, tree)
    yield "checkpatch on patches", lambda: check_patches(files, tree)
    yield "W=1", lambda: check_w1(tree, args.out)
    yield "sparse", lambda: check_sparse(tree, args.out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--fast", action="store_true")
    passed = failed = 0
    try:
        args = parser.parse_args()
        args.out = os.path.abspath(args.out)
        for name, check in checks(args):
            found = check()
            for line in found[:60]:
                print("lint: %s" % line)
            print("lint: %s: %s" % (name, "%d findings" % len(found) if found else "clean"),
                  flush=True)
            passed, failed = passed + (not found), failed + bool(found)
    except Refusal as why:
        print("lint: %s" % why)
        failed += 1
    print("lint: %d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
