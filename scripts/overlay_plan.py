# SPDX-License-Identifier: GPL-2.0-only
"""What an overlaid tree must look like, computed without touching the tree.

Owns: the map from our files to places in the tree, the version check, and the
      trial run of the patch series on copies of the files it touches.
Not here: writing to the tree and the stamp (`overlay.py`).
Fails: Refusal with one line that names the cause and what to do.
"""
import os
import re
import subprocess
import tempfile

# Source directory (or file) of the project -> directory of the kernel tree.
MAP = (
    ("arch/x86/paravirt", "arch/x86/paravirt"),
    ("arch/x86/vmi", "arch/x86/vmi"),
    ("include/asm", "arch/x86/include/asm"),
    ("Kconfig", "arch/x86/paravirt"),
)
SUFFIXES = (".c", ".h", ".S", ".lds")
NAMES = ("Kbuild", "Makefile", "Kconfig")


class Refusal(Exception):
    """The one line a user gets when nothing was done."""


def read(path):
    """Content of a file, None where there is none."""
    try:
        with open(path, "rb") as f:
            return f.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def tree_version(tree):
    """'6.1' of a tree whose Makefile says VERSION = 6, PATCHLEVEL = 1."""
    text = (read(os.path.join(tree, "Makefile")) or b"").decode("utf-8", "replace")
    found = {}
    for key in ("VERSION", "PATCHLEVEL", "SUBLEVEL"):
        m = re.search(r"^%s = *(\d+)" % key, text, re.M)
        if m:
            found[key] = m.group(1)
    if len(found) < 3 or not os.path.isdir(os.path.join(tree, "arch/x86")):
        raise Refusal("%s is no Linux source tree: no version in its Makefile, "
                      "or no arch/x86; name the top of an unpacked tree" % tree)
    return "%(VERSION)s.%(PATCHLEVEL)s" % found


def series(project, version):
    """The patch files for a version, in order."""
    place = os.path.join(project, "patches", version)
    names = sorted(os.listdir(place)) if os.path.isdir(place) else []
    found = [os.path.join(place, n) for n in names if n.endswith(".patch")]
    if not found:
        known = os.path.join(project, "patches")
        known = sorted(os.listdir(known)) if os.path.isdir(known) else []
        raise Refusal("the tree is Linux %s and there are patches for %s only; "
                      "use such a tree or see docs/porting.md"
                      % (version, ", ".join(known) or "no version"))
    return found


def overlay_files(project):
    """Our own files: {path in the tree: path in the project}."""
    found = {}
    for source, dest in MAP:
        top = os.path.join(project, source)
        if os.path.isfile(top):
            found[os.path.join(dest, source)] = top
        for where, dirs, names in os.walk(top):
            dirs.sort()
            for name in sorted(names):
                if name in NAMES or name.endswith(SUFFIXES):
                    rel = os.path.relpath(os.path.join(where, name), top)
                    add_file(found, os.path.join(dest, rel), os.path.join(where, name))
    return found


def add_file(found, dest, source):
    """Refuse two of our files in one place; the later would win silently."""
    if dest in found:
        raise Refusal("%s and %s both go to %s; rename one" % (found[dest], source, dest))
    found[dest] = source


def touched(patches):
    """Files of the tree that the series touches."""
    paths = set()
    for patch in patches:
        text = read(patch).decode("utf-8", "replace")
        for m in re.finditer(r"^(?:---|\+\+\+) [ab]/(\S+)", text, re.M):
            paths.add(m.group(1))
    return sorted(paths)


def run_patch(patch, where, *options):
    return subprocess.run(["patch", "-p1", "-F0", "-f", "-s", "--no-backup-if-mismatch",
                           "-r", "-", "-i", os.path.abspath(patch), *options],
                          cwd=where, text=True, capture_output=True, check=False,
                          env=dict(os.environ, LC_ALL="C"))


def why_not(patch, where, output):
    """One line for a patch that does not apply."""
    name = os.path.basename(patch)
    if run_patch(patch, where, "-R", "--dry-run").returncode == 0:
        return ("half-applied tree: %s is in it already, our stamp is not; "
                "restore the stock files first" % name)
    m = re.search(r"No such line|can't find file|FAILED at \d+", output)
    f = re.search(r"(?:saving rejects to|ignored) .*|file (\S+)", output)
    files = touched([patch])
    return ("%s does not apply (%s%s); use an unchanged stock tree"
            % (name, "" if not m else m.group(0) + " in ",
               f.group(1) if f and f.group(1) else " ".join(files)))


def patched(patches, base):
    """Contents after the series, from {path: content before}."""
    with tempfile.TemporaryDirectory(prefix="overlay.") as trial:
        for path, content in base.items():
            if content is not None:
                os.makedirs(os.path.dirname(os.path.join(trial, path)), exist_ok=True)
                with open(os.path.join(trial, path), "wb") as f:
                    f.write(content)
        for patch in patches:
            done = run_patch(patch, trial)
            if done.returncode:
                raise Refusal(why_not(patch, trial, done.stdout + done.stderr))
        return {path: read(os.path.join(trial, path)) for path in base}


def plan(project, tree, original):
    """({path: content before}, {path: content after}) for an overlaid tree.

    original(path) gives the stock content of a path, None where there is none.
    Touches nothing.
    """
    patches = series(project, tree_version(tree))
    ours = overlay_files(project)
    if not ours:
        raise Refusal("no overlay sources under %s; use a complete clone" % project)
    before = {path: original(path) for path in ours}
    taken = [path for path, content in before.items() if content is not None]
    if taken:
        raise Refusal("half-applied tree: it has %s, our stamp is missing; "
                      "remove it or unpack the tree again" % taken[0])
    stock = {path: original(path) for path in touched(patches)}
    after = {path: read(source) for path, source in ours.items()}
    after.update(patched(patches, stock))
    before.update(stock)
    return before, after
