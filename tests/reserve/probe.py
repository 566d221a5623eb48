# SPDX-License-Identifier: GPL-2.0-only
"""What INT 15h answers with the ROM, against the answers of the bare BIOS.

Owns: running the boot sector (`probe.S`) in QEMU and Bochs, reading its lines.
Not here: rules for maps (`memmap.py`).
Fails: never; what is wrong is a list of reasons, or why it was left out.
"""
import os
import re
import shutil
import subprocess

from memmap import MIB, RAM, RESERVED, blocks_of, differences, expected_size, map_reasons

TIMEOUT = 90
PASSES = 2
REGISTERS = ("EDI", "ESI", "EBP", "ESP", "EBX", "EDX", "ECX", "EAX", "ES:FLAGS")
TABLE = ("E801h, IF=1 CF=1", "E801h, ZF=1", "88h, AL not 0", "88h, ZF=1", "C0h", "7Fh",
         "E820h without signature")
# In probe.S: IF=1, CF=0; its other registers at the calls of E820h
WALK = {"EDI": 0x123, "ESI": 0x13575555, "EBP": 0x24686666, "EDX": 0x534d4150, "ECX": 20,
        "EAX": 0x534d4150}
FLAGS_CHECKED, FLAGS_GOOD = 0x201, 0x200
TYPES = {1: RAM, 2: RESERVED}
BOCHSRC = """config_interface: textconfig
display_library: rfb, options="timeout=0"
romimage: file=$BXSHARE/BIOS-bochs-latest
vgaromimage: file=$BXSHARE/VGABIOS-lgpl-latest
%(rom)smegs: %(mem)d
cpu: model=core2_penryn_t9600, count=1, ips=50000000, reset_on_triple_fault=0
clock: sync=none, time0=utc
floppya: 1_44=%(probe)s, status=inserted
boot: floppy
port_e9_hack: enabled=1
sound: driver=dummy
panic: action=fatal
log: bochs.log
"""
BOCHS_ROM_ADDRESS = 0xca000
BOCHS_CPUS = 8			# the ROM cannot know: it takes the most


def shell(words, place):
    try:
        done = subprocess.run(words, cwd=place, timeout=TIMEOUT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        return done.stdout.decode("latin-1")
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode("latin-1")


def in_qemu(machine, mem, probe, rom, place):
    words = ["qemu-system-i386", "-accel", "tcg", "-M", machine, "-m", str(mem), "-nic", "none",
             "-display", "none", "-serial", "none", "-monitor", "none", "-debugcon", "stdio",
             "-drive", "file=%s,format=raw,if=ide,snapshot=on" % probe,
             "-device", "isa-debug-exit,iobase=0xf4,iosize=4"]
    return shell(words + (["-option-rom", rom] if rom else []), place)


def in_bochs(mem, probe, rom, place):
    line = "optromimage1: file=%s, address=%#x\n" % (rom, BOCHS_ROM_ADDRESS) if rom else ""
    with open(os.path.join(place, "bochsrc"), "w", encoding="utf-8") as f:
        f.write(BOCHSRC % {"rom": line, "mem": mem, "probe": probe})
    with open(os.path.join(place, "go"), "w", encoding="utf-8") as f:
        f.write("c\n")
    lock = ["unshare", "-rn"]	# its display would open a port
    if subprocess.run(lock + ["true"], stderr=subprocess.DEVNULL, check=False).returncode:
        lock = []
    return shell(lock + ["bochs", "-q", "-f", "bochsrc", "-rc", "go"], place)


def words_of(line):
    return [int(word, 16) for word in line.split()[1:]]


def passes_of(text):
    """[(calls, entries, walk)] per pass: dictionaries of the registers after the
    calls of the table, (start, end, kind), dictionaries after each E820h call."""
    found = []
    for part in re.findall(r"^pass$(.*?)^end$", text, re.M | re.S):
        lines = part.split("\n")
        calls = [dict(zip(REGISTERS, words_of(t))) for t in lines if t.startswith("call ")]
        entries = []
        for words in (words_of(t) for t in lines if t.startswith("entry ")):
            start, length = words[0] | words[1] << 32, words[2] | words[3] << 32
            entries.append((start, start + length, TYPES.get(words[4], "type %d" % words[4])))
        found.append((calls[:len(TABLE)], entries, calls[len(TABLE):]))
    return found


def limited(bare, name, block):
    """The registers that the ROM must return where the BIOS returned bare."""
    want = dict(bare)
    if name.startswith("E801h"):
        for register in ("EBX", "EDX"):
            low = min(bare[register] & 0xffff, (block.base - 16 * MIB) >> 16)
            want[register] = bare[register] & ~0xffff | low
    elif name.startswith("88h"):
        low = min(bare["EAX"] & 0xffff, (block.base - MIB) >> 10)
        want["EAX"] = bare["EAX"] & ~0xffff | low
    return want


def call_reasons(bare, calls, block):
    reasons = []
    for name, before, now in zip(TABLE, bare, calls):
        want = limited(before, name, block)
        reasons += ["%s: %s is %#x, not %#x" % (name, r, now[r], want[r])
                    for r in REGISTERS if now[r] != want[r]]
    return reasons


def walk_reasons(walk):
    reasons = ["E820h: %s is %#x, not %#x" % (r, call[r], value)
               for call in walk for r, value in WALK.items() if call[r] != value]
    reasons += ["E820h: flags %#x" % (call["ES:FLAGS"] & 0xffff) for call in walk
                if call["ES:FLAGS"] & FLAGS_CHECKED != FLAGS_GOOD]
    if not walk or walk[-1]["EBX"]:
        reasons.append("E820h: no end after %d calls" % len(walk))
    return reasons


def compare(bare_text, text, mem, cpus):
    """Reasons why the answers with the ROM are wrong."""
    bare, passes, blocks = passes_of(bare_text), passes_of(text), blocks_of(text)
    if len(bare) != PASSES or len(passes) != PASSES or len(blocks) != PASSES:
        return ["%d passes without, %d with the ROM, %d lines of it; each must be %d"
                % (len(bare), len(passes), len(blocks), PASSES)]
    if passes[0] != passes[1] or blocks[0] != blocks[1]:
        return ["the answers after a reset differ"]
    (calls, entries, walk), block = passes[0], blocks[0]
    size = expected_size(mem * MIB, cpus)
    if (block.size, block.cpus) != (size, cpus):
        return ["block of %#x bytes for %d CPUs, not %#x for %d"
                % (block.size, block.cpus, size, cpus)]
    return (call_reasons(bare[0][0], calls, block) + walk_reasons(walk)
            + map_reasons(entries, block) + differences(bare[0][1], entries, block))


def check(emulator, mem, probe, rom, place):
    """(reasons, why it was left out); emulator is a QEMU machine or 'bochs'."""
    if emulator == "bochs":
        if not shutil.which("bochs"):
            return [], "no bochs; install bochs bochsbios"
        texts = [in_bochs(mem, probe, r, place) for r in (None, rom)]
        cpus = BOCHS_CPUS
    else:
        texts = [in_qemu(emulator, mem, probe, r, place) for r in (None, rom)]
        cpus = 1
    for name, text in zip(("bare.log", "rom.log"), texts):
        with open(os.path.join(place, name), "w", encoding="latin-1") as f:
            f.write(text)
    return compare(*texts, mem, cpus), ""
