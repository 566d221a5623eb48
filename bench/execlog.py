# SPDX-License-Identifier: GPL-2.0-only
"""What of QEMU's execution log was executed, iteration by iteration.

Owns: the lines of `-d exec,nochain,int` where every block is one instruction.
Not here: getting the log (`trace.py`).
Fails: not at all; lines that it does not know are passed over.
Source: QEMU 7.2, `log_cpu_exec()`, `cpu_tb_exec()`, `do_interrupt_all()`.
"""
import array
import re

CF_LAST_IO = 0x8000     # flag of a block that touches a device, exec/exec-all.h
FAULT = re.compile(r" v=([01][0-9a-f]) e=\w+ i=0 .* pc=([0-9a-f]+)")
STOPPED = re.compile(r"Stopped execution of TB chain before \S+ \[([0-9a-f]+)\]")
DEBUG_TRAP = 1          # comes after its instruction


class Cutter:
    """Cuts log lines into iterations: lists of executed addresses.

    An iteration begins with the instruction at `first` and ends before that at `last`.
    """

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
        if pc == self.last and self.path:
            self.done.append(self.path)
            self.path = None
        elif pc == self.first:
            self.path = array.array("I", [pc])
        # A device is touched in a second try, whose block is marked.
        elif self.path and not (flags & CF_LAST_IO and pc == self.path[-1]):
            self.path.append(pc)

    def _not_executed(self, line):
        """A block that faulted or was not begun is logged once more later."""
        found = FAULT.search(line)
        if found:
            pc = None if int(found[1], 16) == DEBUG_TRAP else int(found[2], 16)
        else:
            found = STOPPED.match(line)
            pc = int(found[1], 16) if found else None
        if self.path[-1] == pc:
            self.path.pop()
