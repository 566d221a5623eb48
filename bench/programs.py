# SPDX-License-Identifier: GPL-2.0-only
"""The units that run real programs of the root image.

Owns: their Unit: memory, the disk with the image, the time that a boot may take.
Not here: the commands (`programs/*.table`), the image (`root.py`).
Fails: `catalogue.CatalogueError` for a rows file that cannot be used.
"""
import os

import catalogue
import packages
import root
import units

TIMEOUT_S = {"macro": 400, "cpu": 400}


def disk(image):
    """Words of QEMU that make the image /dev/vda, read-only."""
    return ("-drive", "file=%s,format=raw,if=none,id=root,readonly=on" % image,
            "-device", "virtio-blk-pci,drive=root")


def unit(name, out):
    """The Unit of macro or cpu."""
    if name not in TIMEOUT_S:
        raise units.UnitError("no unit %s; there are %s" % (name, ", ".join(TIMEOUT_S)))
    image = root.path(out)
    return units.Unit(name, catalogue.measured(name),
                      os.path.join(out, "bench", "programs", name + "-init"), mem=1024,
                      qemu=disk(image), files=(image,), timeout=TIMEOUT_S[name])


def versions(out):
    """{package: version} of what the root image is made of."""
    return packages.versions(out)
