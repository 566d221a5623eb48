#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs the conformance guest on one ROM, by CPUs, models and page formats.

Owns: the QEMU command line of the guest and the judgement of its TAP.
Not here: the tests (in the guest).
Runs: run.py GUEST.elf ROM LOGDIR [partial]. With `partial` the ROM may answer
NONE: rows of such calls are skips; without it each is a failure.
Fails: status 1 if a run was not complete, not good, or not in time; each
run's output stays in LOGDIR/<rom>-<row>.log.

A ROM that counts calls (its product says so) ends with call 36, which must
print the table of counts and reset the machine (QEMU status 0 by -no-reboot).
"""
import os
import re
import subprocess
import sys
import time

TIMEOUT_S = 120
GOOD = 33
# name, CPUs, CPU model, words; EFER.NXE needs a model that has it
ROWS = [("up", 1, "qemu32", ""), ("smp", 2, "qemu32", ""),
        ("up-pae", 1, "qemu32", "pae"), ("smp-pae-max", 2, "max", "pae"),
        ("up-pentium", 1, "pentium", ""), ("smp-max", 2, "max", "")]


def command(guest, rom, cpus, append, model="qemu32"):
    return ["qemu-system-i386", "-accel", "tcg", "-m", "128", "-nic", "none",
            "-display", "none", "-no-reboot", "-smp", str(cpus), "-cpu", model,
            "-option-rom", rom, "-kernel", guest, "-append", append,
            "-debugcon", "stdio", "-serial", "none", "-monitor", "none",
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4"]


def judge_tap(text):
    """Return (reason or None, tests passed, skips) of one run's output."""
    plan = re.match(r"(?:vmi-.*\n)*1\.\.(\d+)\n", text)
    if not plan:
        return "no plan before the results", 0, []
    results = re.findall(r"^(not )?ok (\d+) - (.*)$", text, re.M)
    stopped = re.search(r"^vmi-stop: .*", text, re.M)
    if stopped:
        return stopped.group(), len(results), []
    if "Bail out!" in text:
        return re.search(r"Bail out!.*", text).group(), len(results), []
    failed = [name for bad, _, name in results if bad]
    if failed:
        return "failed: " + "; ".join(failed), len(results) - len(failed), []
    numbers = [int(number) for _, number, _ in results]
    if numbers != list(range(1, int(plan.group(1)) + 1)):
        return f"{len(numbers)} results for a plan of {plan.group(1)}", 0, []
    skips = [name for _, _, name in results if "# SKIP" in name]
    return None, len(results) - len(skips), skips


def judge_counts(text):
    """Return a reason if the counting ROM's table is not as it must be."""
    rows = re.findall(r"^vmi-calls: (\d+) (\w+) (\d+)$", text, re.M)
    seen = {int(number): int(count) for number, _, count in rows}
    missing = [n for n in range(74) if n not in (37, 72) and not seen.get(n)]
    if missing:
        return f"calls without a count: {missing}"
    if seen[36] != 1 or seen[6] != 1:
        return f"36 counted {seen[36]}, 6 counted {seen[6]}, both made once"
    return None


def boot(guest, rom, cpus, append, log, model="qemu32"):
    """Run QEMU once; return (exit status or "timeout", output)."""
    status, output = "timeout", b""
    try:
        done = subprocess.run(command(guest, rom, cpus, append, model), timeout=TIMEOUT_S,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, check=False)
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
    with open(log, "wb") as out:
        out.write(output)
    return status, output.decode("latin-1")


def one_run(guest, rom, row, log_dir, more=""):
    name, cpus, model, words = row
    with open(rom, "rb") as image:
        counting = b"pass-through, counting" in image.read()
    append = f"epoch={int(time.time())} {more}{words}"
    if counting:
        append = "end=reboot " + append
    log = os.path.join(log_dir, f"{os.path.basename(rom)}-{name}.log")
    status, text = boot(guest, rom, cpus, append, log, model)
    reason, passed, skips = judge_tap(text)
    if not reason and counting:
        reason = judge_counts(text)
    if not reason and status != (0 if counting else GOOD):
        reason = f"QEMU ended with {status}"
    what = f"{os.path.basename(rom)} {name}: {passed} passed, {len(skips)} skipped"
    print(what + (f", FAILED: {reason} (see {log})" if reason else ""), flush=True)
    for again in re.findall(r"^# again: (.*)", text, re.M):
        print(f"# tried again: {again}")
    for skip in skips:
        print(f"# skipped: {skip}")
    return reason is None


def main():
    if len(sys.argv) not in (4, 5) or sys.argv[4:] not in ([], ["partial"]):
        sys.exit("usage: run.py GUEST.elf ROM LOGDIR [partial]")
    guest, rom, log_dir = sys.argv[1:4]
    more = "partial " if sys.argv[4:] else ""
    for path in (guest, rom):
        if not os.path.exists(path):
            sys.exit(f"run.py: {path}: no such file, build it first")
    os.makedirs(log_dir, exist_ok=True)
    good = [one_run(guest, rom, row, log_dir, more) for row in ROWS]
    print(f"conformance {os.path.basename(rom)}: {sum(good)} runs good, "
          f"{len(good) - sum(good)} failed")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
