# SPDX-License-Identifier: GPL-2.0-only
"""Compile and link the table's and the driver's objects outside the kernel build.

Owns: the compiler's command line as the kernel build noted it, a scratch
      directory with its own `asm/pv_list.h` in front of the tree's, the link.
Not here: what is changed and what must come of it (`test_backend.py`).
Fails: Refusal for a build that is missing or not finished.
Writes nothing to the tree nor to the build.
"""
import glob
import os
import re
import shlex
import subprocess

from overlay_plan import Refusal, read

DIRS = ("arch/x86/paravirt", "arch/x86/vmi")
LIST = "arch/x86/include/asm/pv_list.h"
UNDEFINED = re.compile(r"undefined reference to `([^']+)'")
ENV = dict(os.environ, LC_ALL="C")


def run(command, where="."):
    """(exit status, stdout and stderr)"""
    done = subprocess.run(command, cwd=where, text=True, check=False, env=ENV,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def symbols(paths, option):
    """{name: type letter} that nm prints for object files."""
    status, text = run(["nm", "-f", "posix", option, *paths])
    if status:
        raise Refusal("nm: %s" % text.strip().splitlines()[-1])
    return {line.split()[0]: line.split()[1] for line in text.splitlines()
            if line and not line.endswith(":")}


class Build:
    """A finished kernel build: its tree and its O= directory."""

    def __init__(self, tree, odir):
        self.tree, self.odir = os.path.abspath(tree), os.path.abspath(odir)
        for path in (os.path.join(self.tree, LIST), os.path.join(self.odir, "vmlinux")):
            if not os.path.exists(path):
                raise Refusal("no %s; build the kernel first (make kernel)" % path)
        self.list = read(os.path.join(self.tree, LIST)).decode()
        found = [p for d in DIRS for p in sorted(glob.glob(os.path.join(self.odir, d, "*.o")))]
        self.objects = [os.path.relpath(p, self.odir) for p in found]
        ours = symbols(found, "--defined-only")
        # What the rest of the kernel has: nobody else may supply one of ours.
        self.others = set(symbols([os.path.join(self.odir, "vmlinux")], "--defined-only")) - set(ours)

    def has_driver(self):
        return any(p.startswith(DIRS[1]) for p in self.objects)

    def command(self, obj):
        """Words that compiled an object, without ccache and dependency output."""
        where, name = os.path.split(obj)
        note = read(os.path.join(self.odir, where, "." + name + ".cmd"))
        m = re.search(r"^(?:saved)?cmd_\S+ := (.*?)(?: ; .*)?$", (note or b"").decode(), re.M)
        if not m:
            raise Refusal("no command in the .cmd file of %s; build the kernel first" % obj)
        words = shlex.split(m.group(1))
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        return [w for w in words if not w.startswith("-Wp,-M")]


class Scratch:
    """Objects compiled with another op list, linked with the rest of a build."""

    def __init__(self, build, place):
        self.build, self.place = build, place
        self.include = os.path.join(place, "include")
        os.makedirs(os.path.join(self.include, "asm"))
        self.made = {}
        self.set_list(build.list)

    def write(self, name, text):
        path = os.path.join(self.include, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def set_list(self, text):
        self.write("asm/pv_list.h", text)

    def add_op(self, line, group="cpu"):
        """One more line at the end of a group."""
        end = "PV_GROUP_END(%s)" % group
        if self.build.list.count(end + "\n") != 1:
            raise Refusal("%s has not one line %s" % (LIST, end))
        self.set_list(self.build.list.replace(end, line + "\n" + end))

    def compile(self, obj, *options, source=None, extra=False):
        """Compile an object again, from its own source or another.

        It takes the place of the built one in the link; an extra one does not.
        """
        words = self.build.command(obj)
        own, key = words[-1], source if extra else obj
        made = os.path.join(self.place, key.strip("/").replace("/", "-") + ".o")
        words[words.index("-o") + 1], words[-1] = made, source or own
        words[1:1] = ["-I" + self.include, "-I" + os.path.dirname(own), *options]
        status, text = run(words, self.build.odir)
        if not status:
            self.made[key] = made
        return status, text

    def link(self):
        """(symbols that the linker misses, weak ones that it lets pass, its output)

        What the rest of the kernel defines is given by value, so that the link
        finds the symbols that a link of vmlinux would find, and no others.
        """
        objs = [self.made.get(p, os.path.join(self.build.odir, p)) for p in self.build.objects]
        objs += [made for key, made in self.made.items() if key not in self.build.objects]
        needed = symbols(objs, "--undefined-only")
        script = os.path.join(self.place, "kernel.ld")
        with open(script, "w", encoding="ascii") as f:
            f.writelines("%s = 0x1000;\n" % s for s in sorted(set(needed) & self.build.others))
        status, text = run(["ld", "-m", "elf_i386", "-e", "0", "-z", "noexecstack", "-o",
                            os.path.join(self.place, "linked"), *objs, script])
        missing = set(UNDEFINED.findall(text))
        if status and not missing:
            raise Refusal("ld failed for another reason: %s" % text.strip()[-400:])
        weak = {s for s, kind in needed.items() if kind in "wv"} - self.build.others
        return missing, weak - set(symbols(objs, "--defined-only")), text
