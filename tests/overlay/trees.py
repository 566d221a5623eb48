# SPDX-License-Identifier: GPL-2.0-only
"""Small projects and kernel trees for the overlay tests.

Owns: a made-up project with a two-patch series and a made-up stock tree it
      fits; the real series on the few real files it touches.
Not here: the checks.
"""
import os
import shutil
import subprocess
import sys

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARBALL = "/usr/src/linux-source-6.1.tar.xz"

MAKEFILE = "VERSION = 6\nPATCHLEVEL = %s\nSUBLEVEL = 7\n"
STOCK = {
    "Makefile": MAKEFILE % 1,
    ".gitignore": ".*\n*.o\n!.gitignore\n",
    "arch/x86/Kbuild": "obj-y += entry/\nobj-y += mm/\n",
    "arch/x86/kernel/setup.c": "one\ntwo\nthree\nfour\nfive\n",
    "arch/x86/include/asm/paravirt.h": "#define stock\n",
}
PATCHES = {
    "0001-kbuild.patch": """kbuild: build it

--- a/arch/x86/Kbuild
+++ b/arch/x86/Kbuild
@@ -1,2 +1,3 @@
 obj-y += entry/
+obj-y += paravirt/
 obj-y += mm/
--- a/arch/x86/kernel/setup.c
+++ b/arch/x86/kernel/setup.c
@@ -2,2 +2,3 @@
 two
+probe
 three
""",
    # On top of the first: the series must be tried as a whole.
    "0002-setup.patch": """setup: activate

--- a/arch/x86/kernel/setup.c
+++ b/arch/x86/kernel/setup.c
@@ -3,2 +3,3 @@
 probe
+activate
 three
""",
}
OURS = {
    "arch/x86/paravirt/Kbuild": "obj-y += table.o\n",
    "arch/x86/paravirt/table.c": "int table;\n",
    "arch/x86/vmi/rom.c": "int rom;\n",
    "include/asm/vmi.h": "#define VMI\n",
}


def write(top, files):
    for path, text in files.items():
        full = os.path.join(top, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as f:
            f.write(text)


def content(top):
    """{path: bytes} of a tree, git's own files left out."""
    found = {}
    for where, dirs, names in os.walk(top):
        dirs[:] = [d for d in dirs if d != ".git"]
        for name in names + [d + "/" for d in dirs]:
            path = os.path.join(where, name)
            data = None
            if not name.endswith("/"):
                with open(path, "rb") as f:
                    data = f.read()
            found[os.path.relpath(path, top)] = data
    return found


def make_project(top, ours=None, patches=None):
    for name in ("overlay.py", "overlay_plan.py"):
        os.makedirs(os.path.join(top, "scripts"), exist_ok=True)
        shutil.copy(os.path.join(PROJECT, "scripts", name), os.path.join(top, "scripts"))
    write(top, OURS if ours is None else ours)
    write(os.path.join(top, "patches/6.1"), PATCHES if patches is None else patches)


def run(project, verb, tree, *options):
    """(exit status, output) of the overlay script."""
    done = subprocess.run([sys.executable, os.path.join(project, "scripts/overlay.py"),
                           verb, tree, *options], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def git(tree, *words):
    return subprocess.run(["git", "-c", "user.name=t", "-c", "user.email=t@localhost", *words],
                          cwd=tree, check=True, text=True, capture_output=True).stdout


def extract_stock(top, paths):
    """Real stock files out of the Debian tarball."""
    os.makedirs(top, exist_ok=True)
    subprocess.run(["tar", "-xJf", TARBALL, "-C", top, "--strip-components=1",
                    *("linux-source-6.1/" + p for p in paths)], check=True)
