# SPDX-License-Identifier: GPL-2.0-only
"""The Debian packages whose programs are measured.

Owns: their list, fetching and unpacking them, their versions.
Not here: what of them the guest sees (`contents.py`).
Fails: `PackageError`, one line that names the package.
"""
import glob
import os
import subprocess
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
FETCH = os.path.join(os.path.dirname(HERE), "scripts", "guest_packages")

PACKAGES = (
    # what runs the others
    "dash", "coreutils", "make",
    # unit cpu
    "perl-base", "bzip2", "cpp-12", "glpk-utils", "gnugo", "hmmer2", "sjeng", "libquantum-dev",
    "x264", "ns2", "routino", "xsltproc",
    # unit macro
    "sqlite3", "stress-ng", "gcc-12", "binutils", "vorbis-tools", "dbench",
    # units io, net, postmark
    "postmark", "fio", "iperf3", "iproute2", "e2fsprogs",
)


class PackageError(Exception):
    """A package that cannot be had."""


def place(out):
    """Where packages are fetched to and unpacked; out: the directory `build`."""
    return os.path.join(out, "bench", "guest")


def unpacked(out):
    """The tree of all packages."""
    return os.path.join(place(out), "guest-root")


def fetch(out, packages=PACKAGES):
    """Unpack the packages and all that they need; nothing is fetched twice."""
    done = subprocess.run([FETCH, "--closure", place(out), *packages], text=True,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["guest_packages failed"]
        raise PackageError(lines[-1])


def versions(out, packages=PACKAGES):
    """{package: version} of the fetched packages."""
    found = {}
    for package in packages:
        debs = glob.glob(os.path.join(place(out), "apt", "debs", package + "_*.deb"))
        if len(debs) != 1:
            raise PackageError("package %s: %d files are fetched, wanted 1"
                               % (package, len(debs)))
        found[package] = urllib.parse.unquote(os.path.basename(debs[0]).split("_")[1])
    return found
