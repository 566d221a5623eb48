# SPDX-License-Identifier: GPL-2.0-only
"""The addresses that one iteration of a row executes.

Owns: the boots that are traced, starting and ending QEMU's execution log, the code as
      it stands in memory.
Not here: what of the log was executed (`execlog.py`), whom an address belongs to
      (`attribute.py`).
Fails: `TraceError` or `boots.BootError`, one line.

From the row's begin every instruction is a block of its own (`singlestep`), and every
block is a line of the log. Every stop lets the clock jump, which disturbs the scheduler
for hundreds of iterations: so there is one stop, at the row's begin. With `sleep=on` the
clock jumps by the time that the stop took, with `sleep=off` to the next timer; if the
scheduler took another path after the one, the other is tried.
"""
import dataclasses
import os
import re
import subprocess
import time

import boots
import execlog
import gdbport

# What is logged at most: 100 bytes and 5 us per instruction, or some more iterations.
MOST_INSTRUCTIONS = 1200000
FEWEST_ITERATIONS = 4
# Of a longer iteration only the kernel's code is logged.
LONG_ITERATION = 3000000
KERNEL_CODE = "0xc0000000+0x40000000"
SLEEPS = ("on", "off", "on")
# Near enough to the row's minimum to be its path: a slab refill may be in it.
NEAR = 1.005
ROM_WINDOW = (0xc00c0000, 0x30000)      # option-ROM space as the kernel maps it
VARIANT = 1                             # of the boots
PATIENCE = 3                            # against a boot of measuring


class TraceError(Exception):
    """No trace; the text says why."""


@dataclasses.dataclass
class Traced:
    """One row on one kernel."""
    path: list              # executed addresses
    figures: dict           # min, med and n of the row alone
    tried: int              # iterations that were traced
    unseen: int             # instructions of user code that are not in `path`
    memory: list            # [(address, bytes)] afterwards


def row_marks(program, row):
    """Addresses of the two RDTSC of a row's loop."""
    done = subprocess.run(["objdump", "-d", f"--disassemble=run_{row}", program],
                          capture_output=True, text=True, check=False)
    marks = [int(m[1], 16) for m in re.finditer(r"^\s*([0-9a-f]+):.*\brdtsc", done.stdout, re.M)]
    if len(marks) != 2:
        raise TraceError(f"{program}: run_{row} has {len(marks)} rdtsc, wanted 2")
    return marks


def trace(machine, unit, row, work, text):
    """Trace a row of a unit. `text`: (address, bytes) of the kernel's code."""
    marks = row_marks(unit.program, row)
    os.makedirs(work, exist_ok=True)
    machine = dataclasses.replace(machine, append=f"{machine.append} bench_row={row}")
    unit = dataclasses.replace(unit, rows=(row,), timeout=PATIENCE * unit.timeout)
    stem = os.path.join(work, machine.name)
    log = boots.boot(machine, unit, VARIANT, stem + "-plain", boots.Running())
    figures = boots.parse(log)[row]
    if figures["min"] > LONG_ITERATION:
        return long_row(machine, unit, stem + "-trace", marks, figures, text)
    best = None
    for sleep in SLEEPS:
        found = traced_boot(machine, dataclasses.replace(unit, sleep=sleep), stem + "-trace",
                            marks, figures, text)
        if found and (not best or len(found.path) < len(best.path)):
            best = found
        if best and len(best.path) <= figures["min"] * NEAR:
            return best
    if not best:
        raise TraceError(f"{machine.name}: no whole iteration of {row} in {len(SLEEPS)} boots; "
                         f"see {stem}-trace.log")
    return best


def long_row(machine, unit, stem, marks, figures, text):
    """Traced with the kernel's code alone; the rest of the row's minimum is user code."""
    words = ",".join([KERNEL_CODE] + [f"{mark:#x}+1" for mark in marks])
    unit = dataclasses.replace(unit, qemu=(*unit.qemu, "-dfilter", words))
    found = traced_boot(machine, unit, stem, marks, figures, text)
    if not found:
        raise TraceError(f"{machine.name}: no whole iteration; see {stem}.log")
    found.unseen = max(0, figures["min"] - len(found.path))
    return found


def traced_boot(machine, unit, stem, marks, figures, text):
    """Traced of one boot, None if it had no whole iteration."""
    with Tracer(machine, unit, stem) as tracer:
        try:
            paths = tracer.follow(marks, figures["min"])
            memory = tracer.memory([text, ROM_WINDOW])
        except (OSError, gdbport.GdbError) as e:
            raise TraceError(f"{machine.name}: {e}; see {stem}.log") from e
    return Traced(min(paths, key=len), figures, len(paths), 0, memory) if paths else None


class Tracer:
    """QEMU with a gdb port and an execution log."""

    def __init__(self, machine, unit, stem):
        self.stem, self.timeout_s = stem, unit.timeout
        self.files = {n: f"{stem}.{n}" for n in ("gdb", "exec", "cpio", "memory")}
        boots.write_initrd(self.files["cpio"], unit.program, boots.padding(VARIANT))
        self.cmd = boots.command(machine, self.files["cpio"], VARIANT, unit) + [
            "-S", "-chardev", f"socket,path={self.files['gdb']},server=on,wait=off,id=g",
            "-gdb", "chardev:g"]
        self.gdb = self.log = None

    def __enter__(self):
        with open(self.stem + ".log", "wb") as log:
            self.qemu = subprocess.Popen(self.cmd, stdin=subprocess.DEVNULL,
                                         stdout=log, stderr=log)
        return self

    def __exit__(self, *unused):
        self.qemu.kill()
        self.qemu.wait()
        if self.log:
            self.log.close()
        for path in self.files.values():
            if os.path.exists(path):
                os.unlink(path)

    def follow(self, marks, wanted):
        """Iterations until one has `wanted` instructions or enough is logged."""
        self.gdb = gdb = gdbport.GdbPort(self.files["gdb"], self.timeout_s)
        for mark in marks:
            gdb.breakpoint(mark, True)
        gdb.resume()
        first = gdb.register("eip")
        for mark in marks:
            gdb.breakpoint(mark, False)
        # The file must be there to be read.
        self.log = open(self.files["exec"], "w+b")
        for command in (f"logfile {self.files['exec']}", "singlestep on",
                        "log exec,nochain,int"):
            gdb.monitor(command)
        gdb.run_out()
        cutter = execlog.Cutter(first, sum(marks) - first)
        self.read_log(cutter, wanted)
        gdb.interrupt()
        gdb.monitor("log none")
        return usable(cutter)

    def read_log(self, cutter, wanted):
        """Feed the log while it grows."""
        most = max(MOST_INSTRUCTIONS, FEWEST_ITERATIONS * wanted)
        deadline = time.monotonic() + self.timeout_s
        rest, lines = b"", 0
        while lines < most and not any(len(p) <= wanted for p in usable(cutter)):
            got = self.log.read(1 << 20)
            if not got:
                if self.qemu.poll() is not None:
                    raise gdbport.GdbError("the row ended before it was traced")
                if time.monotonic() > deadline:
                    raise gdbport.GdbError(f"no iteration within {self.timeout_s} s")
                time.sleep(0.02)
            *whole, rest = (rest + got).split(b"\n")
            lines += len(whole)
            for line in whole:
                cutter.feed(line.decode("latin-1"))

    def memory(self, areas):
        """[(address, bytes)] of what can be read of the areas."""
        found = []
        for address, count in areas:
            path = self.files["memory"]
            self.gdb.monitor(f'memsave {address:#x} {count:#x} "{path}"')
            if os.path.exists(path):
                with open(path, "rb") as f:
                    found.append((address, f.read()))
                os.unlink(path)
        return found


def usable(cutter):
    """Whole iterations but the first, which has in it what the stop left behind."""
    return cutter.done[1:]
