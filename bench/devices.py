# SPDX-License-Identifier: GPL-2.0-only
"""The units that measure programs on devices: io, net, postmark.

Owns: the virtio devices of each, and how their time passes.
Not here: what runs in the guest (`devices/*.c`), the root image (`root.py`), the
      scratch file of a boot (`boots.py`).
Fails: `units.UnitError` for a unit of another file, `catalogue.CatalogueError` for a
       rows file that cannot be used.

The guest counts the instructions that it executes, not those that would fit in
while it waits for a device, so the host's speed is not in the figures. It is in
the path that a request takes, unless
* a disk answers later than the guest has nothing left to do: ANSWER_NS;
* the timers of the guest stand nearly still while it waits for the host: else all
  of them pass by meanwhile. In io another process runs then, in few instructions;
  in postmark virtual time is the host's (sleep=on);
* a request reaches its device at once (ioeventfd=off), and the network sends by
  a timer of virtual time (tx=timer): no other thread takes part in it.
"""
import os

import catalogue
import programs
import root
import units

ANSWER_NS = 1000000
IO_DISK_BYTES = 1 << 30
SCRATCH_MIB = 1024          # PostMark's largest set has 500 MiB, and some grow
TIMEOUT_S = 400


def card(name, mac):
    """A network card on the hub; romfile= keeps its boot ROM out of ROM space."""
    return ("-netdev", "hubport,hubid=0,id=%s" % name,
            "-device", "virtio-net-pci,netdev=%s,mac=52:54:00:00:00:%02x,tx=timer,"
                       "ioeventfd=off,romfile=" % (name, mac))


DEVICES = {
    "io": ("-blockdev", "driver=null-co,node-name=io,size=%d,read-zeroes=on,latency-ns=%d"
                        % (IO_DISK_BYTES, ANSWER_NS),
           "-device", "virtio-blk-pci,drive=io,ioeventfd=off"),
    "net": card("a", 1) + card("b", 2),
    "postmark": ("-drive", "file={scratch},format=raw,if=none,id=scratch,cache=unsafe",
                 "-device", "virtio-blk-pci,drive=scratch,ioeventfd=off"),
}
SLEEP = {"io": "off", "net": "off", "postmark": "on"}


def unit(name, out):
    """The Unit of io, net or postmark; out: the directory `build`."""
    if name not in DEVICES:
        raise units.UnitError("no unit %s; there are %s" % (name, ", ".join(DEVICES)))
    image = root.path(out)
    return units.Unit(name, catalogue.measured(name),
                      os.path.join(out, "bench", "devices", "init"), sleep=SLEEP[name],
                      append="bench_unit=" + name, qemu=programs.disk(image) + DEVICES[name],
                      files=(image,), timeout=TIMEOUT_S,
                      scratch_mib=SCRATCH_MIB if name == "postmark" else 0)
