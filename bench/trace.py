# SPDX-License-Identifier: GPL-2.0-only
"""The addresses that one iteration of a row executes.

Owns: the boot that is traced, starting and ending QEMU's execution log, what of
      the log was executed, the patched code as it stands in memory.
Not here: whom an address belongs to (`attribute.py`).
Fails: `TraceError`, one line.

Every stop lets the clock jump, which disturbs the scheduler for hundreds of iterations:
so there is one stop, at the row's begin. With `sleep=on` the clock jumps by the time
that the stop took, with `sleep=off` to the next timer; if the scheduler took another
path after the one, the other is tried.
From there every instruction is a block of its own (`singlestep`), and every block is
a line of the log.
"""
import array
import os
import re
import subprocess
import time

import boots
import gdbport

# What is logged at most: 100 bytes and 5 us per instruction, or some more iterations.
MOST_INSTRUCTIONS = 1200000
FEWEST_ITERATIONS = 4
# A longer iteration's user code is not logged but counted from the row's figure.
LONG_ITERATION = 3000000
SLEEPS = ("on", "off", "on")
# Near enough to the row's minimum to be its path: a slab refill may be in it.
NEAR = 1.005
ROM_WINDOW = (0xc00c0000, 0x30000)	# option-ROM space as the kernel maps it

CF_LAST_IO = 0x8000		# QEMU 7.2, exec/exec-all.h
FAULT = re.compile(r" v=([01][0-9a-f]) e=\w+ i=0 .* pc=([0-9a-f]+)")
TRAP_DEBUG = 1			# comes after its instruction
STOPPED = re.compile(r"Stopped execution of TB chain before \S+ \[([0-9a-f]+)\]")


class TraceError(Exception):
    """No trace; the text says why."""


def row_marks(program, row):
    """Addresses of the two RDTSC of a row's loop."""
    out = subprocess.run(["objdump", "-d", f"--disassemble=run_{row}", program],
                         capture_output=True, text=True, check=True).stdout
    marks = [int(m[1], 16) for m in re.finditer(r"^\s*([0-9a-f]+):.*\brdtsc", out, re.M)]
    if len(marks) != 2:
        raise TraceError(f"{program}: run_{row} has {len(marks)} rdtsc, wanted 2")
    return marks


class Cutter:
    """Cuts log lines into iterations: lists of executed addresses."""

    def __init__(self, first, last):
        self.first, self.last = first, last
        self.path = None
        self.done = []

    def feed(self, line):
        """One line of the log, without its end."""
        if line.startswith("Trace "):
            fields = line.split("/", 3)
            self._executed(int(fields[1], 16), int(fields[3].split("]", 1)[0], 16))
        elif self.path:
            self._not_executed(line)

    def _executed(self, pc, flags):
        if pc == self.last and self.path is not None:
            self.done.append(self.path)
            self.path = None
        elif pc == self.first:
            self.path = array.array("I", [pc])
        # Devices are touched by a second try, whose block is marked.
        elif self.path and not (flags & CF_LAST_IO and pc == self.path[-1]):
            self.path.append(pc)

    def _not_executed(self, line):
        """A block that faulted or was not begun is logged once more later."""
        found = FAULT.search(line)
        if found and int(found[1], 16) != TRAP_DEBUG:
            pc = int(found[2], 16)
        else:
            found = STOPPED.match(line)
            pc = int(found[1], 16) if found else None
        if pc is not None and self.path[-1] == pc:
            self.path.pop()


class Traced:
    """One row on one kernel: the path, the row's figures, memory afterwards."""

    def __init__(self, path, figures, tried, memory):
        self.path, self.figures, self.tried, self.memory = path, figures, tried, memory


def trace(kernel, program, row, work, timeout_s, text):
    """Trace a row. `text`: (address, bytes) of the kernel's code."""
    marks = row_marks(program, row)
    os.makedirs(work, exist_ok=True)
    kernel.append += f" bench_row={row}"
    figures = plain(kernel, program, row, work, timeout_s)
    best = None
    for sleep in SLEEPS:
        with Machine(kernel, program, work, timeout_s, figures, sleep) as machine:
            try:
                paths = machine.follow(marks, figures)
                memory = machine.memory([text, ROM_WINDOW])
            except (OSError, gdbport.GdbError) as e:
                raise TraceError(f"{kernel.name}: {e}; see {machine.stem}.log") from e
        found = min(paths, key=len, default=None)
        if found and (not best or len(found) < len(best.path)):
            best = Traced(found, figures, len(paths), memory)
        if best and len(best.path) <= figures["min"] * NEAR:
            return best
    if not best:
        raise TraceError(f"{kernel.name}: no whole iteration of {row} within "
                         f"{machine.most} instructions, {len(SLEEPS)} times")
    return best


def plain(kernel, program, row, work, timeout_s):
    """The row's own figures, from a boot that nothing disturbs."""
    stem = os.path.join(work, f"{kernel.name}-plain")
    boots.write_initrd(stem + ".cpio", program, 1)
    with open(stem + ".log", "wb") as log:
        try:
            subprocess.run(boots.command(kernel, stem + ".cpio", 1), stdin=subprocess.DEVNULL,
                           stdout=log, stderr=log, timeout=timeout_s, check=False)
        except subprocess.TimeoutExpired:
            pass
    with open(stem + ".log", errors="replace") as log:
        rows = boots.parse(log.read())
    if row not in rows:
        raise TraceError(f"{kernel.name}: the boot gave no figure for {row}; see {stem}.log")
    return rows[row]


class Machine:
    """QEMU with a gdb port and an execution log."""

    def __init__(self, kernel, program, work, timeout_s, figures, sleep):
        self.stem = os.path.join(work, f"{kernel.name}-trace")
        self.port, self.exec_log = self.stem + ".gdb", self.stem + ".exec"
        self.timeout_s = timeout_s
        self.most = max(MOST_INSTRUCTIONS, FEWEST_ITERATIONS * figures["min"])
        boots.write_initrd(self.stem + ".cpio", program, 1)
        self.cmd = [word.replace("sleep=off", f"sleep={sleep}") for word in
                    boots.command(kernel, self.stem + ".cpio", 1)] + [
            "-S", "-chardev", f"socket,path={self.port},server=on,wait=off,id=g",
            "-gdb", "chardev:g"]
        if figures["min"] > LONG_ITERATION:
            raise TraceError(f"an iteration takes {figures['min']} instructions, traced are "
                             f"at most {LONG_ITERATION}")

    def __enter__(self):
        with open(self.stem + ".log", "wb") as log:
            self.qemu = subprocess.Popen(self.cmd, stdin=subprocess.DEVNULL,
                                         stdout=log, stderr=log)
        return self

    def __exit__(self, *unused):
        self.qemu.kill()
        self.qemu.wait()
        for path in (self.port, self.exec_log, self.stem + ".cpio"):
            if os.path.exists(path):
                os.unlink(path)

    def follow(self, marks, figures):
        """Iterations until one is the row's minimum or enough is logged."""
        self.gdb = gdb = gdbport.GdbPort(self.port, self.timeout_s)
        for mark in marks:
            gdb.breakpoint(mark, True)
        gdb.resume()
        first = gdb.register("eip")
        for mark in marks:
            gdb.breakpoint(mark, False)
        gdb.monitor(f'logfile {self.exec_log}')
        gdb.monitor("singlestep on")
        gdb.monitor("log exec,nochain,int")
        gdb.run_out()
        cutter = Cutter(first, marks[1] if first == marks[0] else marks[0])
        self.read_log(cutter, figures["min"])
        gdb.interrupt()
        gdb.monitor("log none")
        # The first has the tick in it that the stop left behind.
        return cutter.done[1:]

    def read_log(self, cutter, wanted):
        """Feed the log while it grows."""
        deadline = time.monotonic() + self.timeout_s
        rest, lines = b"", 0
        while lines < self.most and not any(len(p) <= wanted for p in cutter.done[1:]):
            got = self.new_bytes()
            if not got and (time.monotonic() > deadline or self.qemu.poll() is not None):
                raise TraceError("the row ended before it was traced" if
                                 self.qemu.poll() is not None else
                                 f"no iteration within {self.timeout_s} s")
            *whole, rest = (rest + got).split(b"\n")
            lines += len(whole)
            for line in whole:
                cutter.feed(line.decode("latin-1"))

    def new_bytes(self):
        if not hasattr(self, "log"):
            if not os.path.exists(self.exec_log):
                return b""
            self.log = open(self.exec_log, "rb")
        got = self.log.read(1 << 20)
        if not got:
            time.sleep(0.02)
        return got

    def memory(self, areas):
        """[(address, bytes)] of what can be read of the areas."""
        found = []
        for address, count in areas:
            path = self.stem + ".memory"
            self.gdb.monitor(f'memsave {address:#x} {count:#x} "{path}"')
            if os.path.exists(path):
                with open(path, "rb") as f:
                    found.append((address, f.read()))
                os.unlink(path)
        return found
