# SPDX-License-Identifier: GPL-2.0-only
"""What a row boots from.

Owns: the kernel's command line, the GRUB ISO (also bootable as a disk).
Not here: starting it (`qemu.py`, `bochs.py`).
Fails: RowError with one line; no image is left behind then.
"""
import os
import shlex
import shutil
import subprocess

from .place import read_log, write
from .rows import RowError

# The stock test of the I/O APIC's timer counts ticks while real time passes: on a
# busy host a guest without KVM panics in it now and then, whatever its flavour.
ALWAYS = "console=ttyS0 panic=-1 no_timer_check"
PACKAGES = "grub-common grub-pc-bin xorriso mtools"
MENU = """set timeout=0
menuentry row {
	linux /boot/bzImage %s
	initrd /boot/initrd
}
"""


def cmdline(row):
    """The kernel's command line."""
    stats = "pvtest_stats=1" if row.emulated_only else ""
    return " ".join(" ".join((ALWAYS, "pvtest=" + row.mode, stats, row.cmdline)).split())


def grub_config(row):
    """GRUB splits, expands and unquotes the line as a shell does."""
    return MENU % " ".join(shlex.quote(word) for word in cmdline(row).split())


def iso(row, initramfs, place):
    """Write `boot.iso` into the row's directory; its path."""
    if not shutil.which("grub-mkrescue"):
        raise RowError("row %s: no grub-mkrescue; install %s" % (row.name, PACKAGES))
    tree, image = os.path.join(place, "iso"), os.path.join(place, "boot.iso")
    boot = os.path.join(tree, "boot")
    os.makedirs(os.path.join(boot, "grub"))
    shutil.copyfile(row.image, os.path.join(boot, "bzImage"))
    shutil.copyfile(initramfs, os.path.join(boot, "initrd"))
    write(boot, "grub/grub.cfg", grub_config(row))
    # The log lies outside the tree: a file that changes in it makes xorriso fail.
    with open(os.path.join(place, "mkrescue.log"), "wb") as log:
        status = subprocess.run(["grub-mkrescue", "-o", image, tree], stdin=subprocess.DEVNULL,
                                stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    shutil.rmtree(tree)
    if status or not os.path.exists(image):
        said = read_log(place, "mkrescue.log").strip().split("\n")[-1]
        raise RowError("row %s: grub-mkrescue ended with %d: %s" % (row.name, status, said))
    return image
