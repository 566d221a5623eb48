#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Build a kernel: unpack, apply the overlay, configure, compile.

Owns: the names of kernels and their O= directories
      `<out>/linux-6.1/<flavour>-<pae|nopae>-<smp|up>/`, of the x86-64 peers of the
      stock tree in `<out>/linux-6.1/stock64-<off|on>/`, compiling with progress.
Not here: unpacking (`unpack.py`), overlay (`overlay.py`), `.config` (`kconfig.py`).
Runs: `kernel.py --flavour vmi --pae y --smp y [--config FILE]`.
Fails: one line, then the errors of the compiler; warnings count as errors.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

from kconfig import make_config
from overlay_plan import Refusal, read
from unpack import unpack

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAVOURS = ("baseline", "paravirt", "vmi")
PEERS = ("stock64_off", "stock64_on")
# (flavour, PAE) of the kernels that `make check` builds whole, all with SMP.
CHECKED = (("baseline", "y"), ("paravirt", "y"), ("vmi", "y"), ("vmi", "n"))
# Compiled files of a full build, for the estimate before there is a log.
USUAL_STEPS = 1450
STEP = re.compile(r"^  (?:CC|AS|LD|AR)(?: \[M\])? ")
NOISE = re.compile(r"warning: (?:setlocale|Clock skew)")


def fragment(name):
    path = os.path.join(PROJECT, "configs", name + ".config")
    text = read(path)
    if text is None:
        raise Refusal("no fragment %s" % path)
    return text.decode()


def environment(out):
    """Same source, same image: no user, host or time in it."""
    env = dict(os.environ, LC_ALL="C", KBUILD_BUILD_TIMESTAMP="Thu Jan  1 00:00:00 UTC 2026",
               KBUILD_BUILD_USER="builder", KBUILD_BUILD_HOST="localhost",
               KBUILD_BUILD_VERSION="1")
    env.setdefault("CCACHE_DIR", os.path.join(os.path.abspath(out), "ccache"))
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "O"):
        env.pop(name, None)
    return env


def compiler():
    return "ccache gcc" if shutil.which("ccache") else "gcc"


class Progress:
    """One rewritten line on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, name, total):
        self.name, self.total, self.steps = name, total, 0
        self.start = self.last = time.monotonic()

    def line(self, text):
        if not STEP.match(text):
            return
        self.steps += 1
        now = time.monotonic()
        if now - self.last < (0.5 if sys.stdout.isatty() else 10):
            return
        self.last = now
        share = ", about %d %%" % min(99, 100 * self.steps / self.total) if self.total else ""
        print("kernel: %s: %d files%s" % (self.name, self.steps, share),
              end="\r" if sys.stdout.isatty() else "\n", flush=True)

    def end(self):
        print("kernel: %s: built, %d files, %d s"
              % (self.name, self.steps, time.monotonic() - self.start), flush=True)


def expected(log, usual):
    """Steps of the last full build of this kernel, or the usual number."""
    old = (read(log + ".full") or b"").decode("utf-8", "replace")
    return sum(1 for line in old.splitlines() if STEP.match(line)) or usual


def compile_tree(tree, odir, arch, goals, out, extra=(), usual=USUAL_STEPS):
    """Run make; show progress; Refusal on an error or a warning."""
    name = os.path.basename(odir)
    log = odir + ".log"
    progress = Progress(name, expected(log, usual))
    command = ["make", "-C", tree, "O=" + os.path.abspath(odir), "ARCH=" + arch,
               "CC=" + compiler(), "-j%d" % ((os.cpu_count() or 1) + 1), *extra, *goals]
    fresh = not os.path.exists(os.path.join(odir, "vmlinux"))
    warnings = []
    with open(log, "w", encoding="utf-8") as f, \
         subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", stdin=subprocess.DEVNULL,
                          env=environment(out)) as job:
        for line in job.stdout:
            f.write(line)
            progress.line(line)
            if "warning:" in line.lower() and not NOISE.search(line):
                warnings.append(line.strip())
    if job.returncode or warnings:
        tell_failure(log, warnings)
        # What compiled with a warning must be compiled, and refused, again.
        if warnings:
            shutil.rmtree(odir, ignore_errors=True)
        raise Refusal("%s: %s; whole output in %s" % (
            name, "%d warnings" % len(warnings) if warnings else "build failed", log))
    if fresh:
        shutil.copy(log, log + ".full")
    progress.end()


def tell_failure(log, warnings):
    lines = warnings or [t for t in read(log).decode("utf-8", "replace").splitlines()
                         if re.search(r"error|undefined reference|\*\*\*", t, re.I)]
    for line in lines[:20]:
        print(line, file=sys.stderr)


def kernel_name(flavour, pae, smp):
    return "%s-%s-%s" % (flavour, "pae" if pae == "y" else "nopae",
                         "smp" if smp == "y" else "up")


def full_kernel(flavour, pae, smp):
    """Text of the fragments of a kernel of ours."""
    return "".join(fragment(n) for n in ("base", "pae" if pae != "n" else "nopae",
                                         "smp" if smp != "n" else "up", "flavour-" + flavour))


def fragments_for(args):
    """Text of the fragments; a configuration of the user's keeps its own PAE and SMP."""
    if not args.config:
        return full_kernel(args.flavour, args.pae, args.smp)
    names = ["flavour-" + args.flavour]
    if args.pae:
        names.append("pae" if args.pae == "y" else "nopae")
    if args.smp:
        names.append("smp" if args.smp == "y" else "up")
    return "".join(fragment(n) for n in names)


def prepare_tree(out, overlay=True):
    """The kernel source under out, with or without the overlay."""
    if not overlay:
        return unpack(out, name="stock")
    tree = unpack(out)
    done = subprocess.run([os.path.join(PROJECT, "scripts/overlay.py"), "apply", tree],
                          check=False, text=True, capture_output=True)
    if done.returncode:
        raise Refusal(done.stderr.strip().removeprefix("overlay: "))
    if "already" not in done.stdout:
        print(done.stdout, end="", flush=True)
    return tree


def build_peer(args):
    """A 64-bit kernel of the stock tree, with or without the stock table."""
    if args.pae or args.smp or args.config or args.menuconfig or args.name:
        raise Refusal("flavour %s is one kernel: it takes no other option than --out"
                      % args.flavour)
    tree = prepare_tree(args.out, overlay=False)
    odir = os.path.join(os.path.dirname(tree), args.flavour.replace("_", "-"))
    make_config(tree, odir, "x86_64", "".join(
        fragment(n) for n in ("base", "stock64", "flavour-" + args.flavour)))
    compile_tree(tree, odir, "x86_64", ["bzImage"], args.out)
    return os.path.join(odir, "arch/x86/boot/bzImage")


def build(args):
    """Everything from the tarball to the bzImage; returns its path."""
    if args.flavour in PEERS:
        return build_peer(args)
    tree = prepare_tree(args.out, not args.no_overlay)
    name = args.name or kernel_name(args.flavour, args.pae or "y", args.smp or "y")
    if args.config and not args.name:
        name = "%s-%s" % (args.flavour, os.path.basename(args.config).replace(".", "-"))
    odir = os.path.join(os.path.dirname(tree), name)
    make_config(tree, odir, "i386", fragments_for(args), args.config)
    if args.menuconfig:
        return menuconfig(tree, odir)
    compile_tree(tree, odir, "i386", ["bzImage", "modules"], args.out,
                 usual=0 if args.config else USUAL_STEPS)
    return os.path.join(odir, "arch/x86/boot/bzImage")


def menuconfig(tree, odir):
    """Let the user edit; hand the result back through CONFIG=."""
    subprocess.run(["make", "-C", tree, "O=" + os.path.abspath(odir), "ARCH=i386",
                    "menuconfig"], check=True)
    os.unlink(os.path.join(odir, ".config.from"))
    kept = odir + ".menuconfig"
    shutil.copy(os.path.join(odir, ".config"), kept)
    return "%s; build it with make kernel CONFIG=%s" % (kept, kept)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--flavour", choices=FLAVOURS + PEERS, default="vmi")
    parser.add_argument("--pae", choices=("y", "n", ""), default="")
    parser.add_argument("--smp", choices=("y", "n", ""), default="")
    parser.add_argument("--config", default="")
    parser.add_argument("--name", default="", help="of the O= directory")
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--menuconfig", action="store_true")
    parser.add_argument("--no-overlay", action="store_true", help="stock tree")
    return parser.parse_args()


def main():
    try:
        print("kernel: %s" % build(arguments()))
    except Refusal as why:
        print("kernel: %s" % why, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as why:
        print("kernel: %s" % why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
