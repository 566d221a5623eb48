#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Write the initramfs of a guest, without being root.

Owns: the newc archive: device nodes, /init, /bench, /bin/busybox, modules in
      /modules/<name>.ko, what else the caller names in /bin and /lib.
Not here: building what goes in.
Runs: `initramfs.py OUTPUT --init FILE [--busybox FILE] [--kernel BZIMAGE]`.
Fails: one line; the output is written whole or not at all.
"""
import argparse
import gzip
import os
import stat
import sys

from overlay_plan import Refusal, read

DIRS = ("dev", "proc", "sys", "tmp", "mnt", "bin", "lib", "modules", "etc")


def align(data):
    return data + b"\0" * (-len(data) % 4)


class Archive:
    """A cpio archive in the format the kernel unpacks ("newc")."""

    def __init__(self):
        self.parts, self.inode = [], 0

    def add(self, name, mode, data=b"", device=(0, 0)):
        self.inode += 1
        fields = (self.inode, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0)
        head = b"070701" + b"".join(b"%08x" % f for f in fields)
        self.parts.append(align(head + name.encode() + b"\0") + align(data))

    def bytes(self):
        self.add("TRAILER!!!", 0)
        return b"".join(self.parts)


def modules_of(kernel):
    """Modules built with a bzImage; none for an image without its O= directory."""
    odir = os.path.abspath(kernel).removesuffix("/arch/x86/boot/bzImage")
    order = read(os.path.join(odir, "modules.order")) or b""
    paths = [os.path.join(odir, line) for line in order.decode().split()]
    return [p for p in paths if os.path.exists(p)]


def must_read(path):
    data = read(path)
    if data is None:
        raise Refusal("no %s; build it first" % path)
    return data


def archive(init, programs, modules):
    """programs: {path in the guest: file}."""
    cpio = Archive()
    for name in DIRS:
        cpio.add(name, stat.S_IFDIR | 0o755)
    cpio.add("dev/console", stat.S_IFCHR | 0o600, device=(5, 1))
    cpio.add("dev/null", stat.S_IFCHR | 0o666, device=(1, 3))
    cpio.add("init", stat.S_IFREG | 0o755, must_read(init))
    for name, path in programs.items():
        cpio.add(name, stat.S_IFREG | 0o755, must_read(path))
    for path in modules:
        cpio.add("modules/" + os.path.basename(path), stat.S_IFREG | 0o644, must_read(path))
    return cpio.bytes()


def write(output, init, kernel="", busybox="", bench="", more=None):
    """more: {path in the guest: file}, in directories of DIRS."""
    programs = dict(more or {})
    if busybox:
        programs["bin/busybox"] = busybox
    if bench:
        programs["bench"] = bench
    data = archive(init, programs, modules_of(kernel) if kernel else [])
    os.makedirs(os.path.dirname(os.path.abspath(output)), exist_ok=True)
    with open(output + ".new", "wb") as f:
        f.write(gzip.compress(data, 6, mtime=0))
    os.replace(output + ".new", output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("output")
    parser.add_argument("--init", required=True)
    parser.add_argument("--busybox", default="")
    parser.add_argument("--bench", default="")
    parser.add_argument("--kernel", default="")
    args = parser.parse_args()
    try:
        write(args.output, args.init, args.kernel, args.busybox, args.bench)
    except Refusal as why:
        print("initramfs: %s" % why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
