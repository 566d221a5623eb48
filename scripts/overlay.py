#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Put the overlay into a kernel tree, take it out again.

Owns: the stamp `.paravirt-overlay/` in the tree (state, hashes, stock files),
      and every write to the tree.
Not here: what the tree shall look like (`overlay_plan.py`).
Runs: `overlay.py apply TREE`, `overlay.py unapply TREE`; --force throws away
      changes made to our files inside the tree.
Fails: exit 1 and one line; the tree is as before. Killed half-way it says so
      at the next call, and unapply still restores the stock tree.
"""
import argparse
import hashlib
import json
import os
import shutil
import sys

from overlay_plan import Refusal, plan, read, tree_version

STAMP = ".paravirt-overlay"
PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Left by a build inside the tree, in directories that we brought.
PRODUCTS = (".o", ".cmd", ".ko", ".mod", ".mod.c", ".a", ".order", ".i", ".s", ".d")


def digest(content):
    return None if content is None else hashlib.sha256(content).hexdigest()


class Tree:
    """One kernel tree and its stamp."""

    def __init__(self, top, force):
        self.top, self.force = top, force
        if not os.path.isdir(top):
            raise Refusal("%s is no directory; name an unpacked tree" % top)
        text = read(self.path(STAMP, "state.json"))
        if text is None and os.path.exists(self.path(STAMP)):
            # Killed before the first write: the stock files are untouched.
            shutil.rmtree(self.path(STAMP))
        self.state = json.loads(text) if text else None

    def path(self, *parts):
        return os.path.join(self.top, *parts)

    def original(self, path):
        """Stock content of a path, whether or not the overlay is in."""
        if self.state and path in self.state["files"]:
            return read(self.path(STAMP, "stock", path))
        return read(self.path(path))

    def check_unchanged(self):
        """Refuse to lose what somebody changed in the tree."""
        for path, want in self.state["files"].items():
            now = digest(read(self.path(path)))
            allowed = [want["after"]]
            if self.state["state"] != "applied":
                allowed += [want["before"], want.get("old")]
            if now not in allowed and not self.force:
                raise Refusal("%s was changed in the tree after it was applied; take "
                              "the change out, or use FORCE=1 to lose it" % path)

    def write_state(self):
        temp = self.path(STAMP, "state.new")
        with open(temp, "w", encoding="ascii") as f:
            json.dump(self.state, f, indent=1, sort_keys=True)
            f.write("\n")
            f.flush()
            os.fsync(f.fileno())
        os.replace(temp, self.path(STAMP, "state.json"))

    def begin(self, before, after):
        """Save stock files and say what will be written, before writing."""
        old = self.state["files"] if self.state else {}
        for path, content in before.items():
            if content is not None:
                put(self.path(STAMP, "stock", path), content)
        os.makedirs(self.path(STAMP), exist_ok=True)
        files = {p: {"before": digest(before[p]), "after": digest(after[p]),
                     "old": old.get(p, {}).get("after")} for p in after}
        for path, known in old.items():
            # A path that the new overlay does not have goes back to stock.
            if path not in files:
                files[path] = {"before": known["before"], "after": known["before"],
                               "old": known["after"]}
        dirs = set(self.state["dirs"] if self.state else ())
        dirs |= {d for p in after for d in parents(p) if not os.path.isdir(self.path(d))}
        self.state = {"state": "applying", "version": tree_version(self.top),
                      "files": files, "dirs": sorted(dirs)}
        self.write_state()

    def write(self, path, content):
        """Make a path hold content; count 1 if it did not before."""
        if read(self.path(path)) == content:
            return 0
        if content is None:
            os.unlink(self.path(path))
        else:
            put(self.path(path), content)
        return 1

    def clean_dirs(self):
        """Remove directories that we brought, with what a build left there."""
        for name in sorted(self.state["dirs"], reverse=True):
            top = self.path(name)
            for entry in os.listdir(top) if os.path.isdir(top) else ():
                if entry.endswith(PRODUCTS):
                    os.unlink(os.path.join(top, entry))
            if os.path.isdir(top) and not os.listdir(top):
                os.rmdir(top)


def parents(path):
    while os.path.dirname(path):
        path = os.path.dirname(path)
        yield path


def put(path, content):
    """Write a file, keeping the mode of the one it replaces."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(content)


def apply(tree):
    if tree.state and tree.state["state"] != "applied":
        raise Refusal("half-applied tree: an earlier run was interrupted; "
                      "run unapply on it first")
    fresh = tree.state is None
    before, after = plan(PROJECT, tree.top, tree.original)
    if not fresh:
        tree.check_unchanged()
        known = {p: f["after"] for p, f in tree.state["files"].items()}
        if known == {p: digest(c) for p, c in after.items()}:
            return "already applied, %d files" % len(after)
    gone = [] if fresh else [p for p in tree.state["files"] if p not in after]
    stock = {p: tree.original(p) for p in gone}
    tree.begin(before, after)
    changed = sum(tree.write(p, after[p]) for p in after)
    changed += sum(tree.write(p, stock[p]) for p in gone)
    for path in gone:
        del tree.state["files"][path]
    tree.state["state"] = "applied"
    tree.write_state()
    return "%s, Linux %s: %d files, %d written" % (
        "applied" if fresh else "refreshed", tree.state["version"], len(after), changed)


def unapply(tree):
    if tree.state is None:
        before, _ = plan(PROJECT, tree.top, tree.original)
        return "not applied, nothing to do (%d files looked at)" % len(before)
    tree.check_unchanged()
    stock = {p: tree.original(p) for p in tree.state["files"]}
    for path, want in tree.state["files"].items():
        if digest(stock[path]) != want["before"]:
            raise Refusal("the stamp lost the stock %s; unpack the tree again" % path)
    tree.state["state"] = "unapplying"
    tree.write_state()
    changed = sum(tree.write(p, c) for p, c in stock.items())
    tree.clean_dirs()
    shutil.rmtree(tree.path(STAMP))
    return "unapplied, %d files restored or removed" % changed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("verb", choices=("apply", "unapply"))
    parser.add_argument("tree")
    parser.add_argument("--force", action="store_true")
    args = parser.parse_args()
    try:
        tree = Tree(args.tree, args.force)
        done = (apply if args.verb == "apply" else unapply)(tree)
    except Refusal as why:
        print("overlay: %s: refused: %s" % (args.verb, why), file=sys.stderr)
        return 1
    except OSError as why:
        print("overlay: %s: %s: %s" % (args.verb, why.filename, why.strerror), file=sys.stderr)
        return 1
    print("overlay: %s: %s" % (args.tree, done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
