# SPDX-License-Identifier: GPL-2.0-only
"""Make a kernel configuration from fragments, and check that it is what we asked.

Owns: `.config` of an O= directory and the note of what it was made from.
Not here: which fragments make which kernel (`kernel.py`), compiling.
Fails: Refusal with one line that lists every symbol that did not take effect.
"""
import hashlib
import os
import re
import subprocess

from overlay_plan import Refusal, read


def wanted(text):
    """{symbol: value} of a fragment, 'n' for one that shall be off."""
    found = {}
    for line in text.splitlines():
        off = re.fullmatch(r"# (CONFIG_\w+) is not set", line)
        if off:
            found[off.group(1)] = "n"
        elif line.strip() and not line.startswith("#"):
            m = re.fullmatch(r"(CONFIG_\w+)=(\S.*)", line)
            if not m:
                raise Refusal("not a configuration line: '%s'" % line)
            found[m.group(1)] = m.group(2)
    return found


def missed(want, config):
    """Symbols of want that config does not have so: 'CONFIG_X=y (is n)'."""
    have = wanted(config)
    return ["%s=%s (is %s)" % (s, v, have.get(s, "n"))
            for s, v in want.items() if have.get(s, "n") != v]


def make_config(tree, odir, arch, text, base=None):
    """Write odir/.config from fragments over allnoconfig, or over a file.

    text: the fragments, later lines win. base: a complete configuration.
    Skipped when the same inputs made the present one.
    """
    os.makedirs(odir, exist_ok=True)
    stamp = read(os.path.join(tree, ".paravirt-overlay/state.json")) or b""
    start = read(base) if base else b""
    if start is None:
        raise Refusal("no configuration file %s" % base)
    key = hashlib.sha256(b"\0".join((arch.encode(), text.encode(), start, stamp))).hexdigest()
    note = os.path.join(odir, ".config.from")
    if (read(note) or b"").decode() == key and os.path.exists(os.path.join(odir, ".config")):
        return
    fragments = os.path.join(odir, ".config.fragments")
    with open(fragments, "w", encoding="utf-8") as f:
        f.write(text)
    goal = "allnoconfig"
    if base:
        goal = "olddefconfig"
        with open(os.path.join(odir, ".config"), "wb") as f:
            f.write(start + b"\n" + text.encode())
    done = subprocess.run(["make", "-s", "-C", tree, "O=" + os.path.abspath(odir),
                           "ARCH=" + arch, "KCONFIG_ALLCONFIG=" + os.path.abspath(fragments),
                           goal], text=True, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Refusal("make %s: %s" % (goal, (done.stderr.strip().splitlines() or ["?"])[-1]))
    bad = missed(wanted(text), read(os.path.join(odir, ".config")).decode())
    if bad:
        os.unlink(os.path.join(odir, ".config"))
        raise Refusal("symbols without effect: " + ", ".join(bad))
    with open(note, "w", encoding="ascii") as f:
        f.write(key)
