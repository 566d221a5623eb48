# SPDX-License-Identifier: GPL-2.0-only
"""A tree as a file system image whose bytes depend on the tree alone.

Owns: the ext4 image: fixed identifiers, hash seed and times.
Not here: the tree (`root.py`).
Fails: `ImageError`, one line; no image is left behind.

mke2fs takes the change time of each inode from the tree's own, which nobody can
set, so debugfs sets it afterwards.
"""
import os
import subprocess

EPOCH = 1767225600  # 2026-01-01, as the guest's clock
UUID = "5b1e9c54-0f0e-4a58-9d0c-6d1f3c0a7e11"
FEATURES = "^has_journal,^metadata_csum,^resize_inode,^huge_file,^64bit"
BLOCK = 4096
ROOM = 1.03             # for block bitmaps, inode tables and directories
PATHS = "/usr/sbin:/sbin:"
FULL = ("Could not allocate block", "No space left on device", "short write")


class ImageError(Exception):
    """No image was made."""


def same_times(tree):
    """Set the times of all that the tree holds; (number of files, their blocks)."""
    files = blocks = 0
    for place, directories, names in os.walk(tree):
        for name in [*directories, *names, ""]:
            path = os.path.join(place, name) if name else place
            os.utime(path, (EPOCH, EPOCH), follow_symlinks=False)
            files += 1
            blocks += -(-os.lstat(path).st_size // BLOCK)
    return files, blocks


def run(command, text=None):
    """One tool; its standard error. Its complaint becomes the ImageError."""
    env = dict(os.environ, E2FSPROGS_FAKE_TIME=str(EPOCH), LC_ALL="C",
               PATH=PATHS + os.environ["PATH"])
    try:
        done = subprocess.run(command, input=text, env=env, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except FileNotFoundError:
        raise ImageError("no program %s; install the package e2fsprogs" % command[0]) from None
    said = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode:
        full = [line for line in said if any(f in line for f in FULL)]
        raise ImageError("%s: %s" % (command[0], (full or said or ["failed"])[-1]))
    return done.stdout


def make(tree, path):
    """The image `path` of the tree; the tree's times change."""
    files, blocks = same_times(tree)
    size = int((blocks + files // 8) * ROOM) + 1024
    new = path + ".new"
    try:
        with open(new, "wb") as f:
            f.truncate(size * BLOCK)
        run(["mke2fs", "-q", "-F", "-t", "ext4", "-O", FEATURES, "-b", str(BLOCK), "-m", "0",
             "-N", str(files + 64), "-U", UUID,
             "-E", "hash_seed=%s,root_owner=0:0,lazy_itable_init=0" % UUID, "-d", tree, new])
        used = run(["debugfs", "-R", "stats", new])
        inodes = {line.split(":")[0].strip(): line.split(":")[1].strip()
                  for line in used.splitlines() if line.count(":") == 1}
        last = int(inodes["Inode count"]) - int(inodes["Free inodes"])
        run(["debugfs", "-w", "-f", "-", new],
            "".join("set_inode_field <%d> ctime @%d\n" % (inode, EPOCH)
                    for inode in range(2, last + 1)))
        os.replace(new, path)
    except OSError as why:
        raise ImageError("%s: %s" % (path, why.strerror)) from None
    finally:
        if os.path.exists(new):
            os.unlink(new)
