# SPDX-License-Identifier: GPL-2.0-only
"""The directory of a row, `<out>/boot/<row>/`.

Owns: making it empty, its file of the command, reading its logs, the time limit.
Not here: what an emulator is told (`qemu.py`, `bochs.py`).
Fails: RowError if the emulator is missing.
"""
import os
import shlex
import shutil
import subprocess
import time

from .rows import RowError


STEP_S = 1


def prepare(row, out, program, package):
    """An empty directory for the row, once its emulator is known to be there."""
    if not shutil.which(program):
        raise RowError("row %s: no %s; install %s" % (row.name, program, package))
    place = os.path.join(out, "boot", row.name)
    shutil.rmtree(place, ignore_errors=True)
    os.makedirs(place)
    return place


def read_log(place, name):
    """Text of a log; empty if nobody wrote one."""
    try:
        with open(os.path.join(place, name), encoding="utf-8", errors="replace") as f:
            return f.read()
    except FileNotFoundError:
        return ""


def write(place, name, text):
    with open(os.path.join(place, name), "w", encoding="utf-8") as f:
        f.write(text)


def wait(job, timeout, stop):
    """End of a process, of its time, or of the reason to go on; whether time was up."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        try:
            job.wait(min(STEP_S, max(end - time.monotonic(), 0)))
            return False
        except subprocess.TimeoutExpired:
            if stop():
                return False
    return True


def run(words, place, timeout, stdout, stderr, stop=lambda: False):
    """Run an emulator, its output into new files; (exit status, whether time was up).

    stop() is asked every second whether waiting is of no use any more.
    """
    write(place, "command", shlex.join(words) + "\n")
    with open(os.path.join(place, stdout), "ab") as out, \
         open(os.path.join(place, stderr), "ab") as err, \
         subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                          cwd=place) as job:
        late = wait(job, timeout, stop)
        if job.poll() is None:
            job.kill()
    return None if late else job.returncode, late
