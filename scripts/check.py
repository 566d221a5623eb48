#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run every check of the project and print one closing line.

Owns: the list of stages, their order, adding up what they count.
Not here: any check; each stage is a command of its own with its own closing
      line `<name>: N passed, M failed[, K skipped]`.
Runs: `check.py [--only NAME...]`; logs in `<out>/check/<stage>.log`.
Fails: exit 1 if anything failed. A stage that ends badly or without its
      closing line counts as one failure.
"""
import argparse
import os
import re
import subprocess
import sys
import time

from kernel import CHECKED, PROJECT

CLOSING = re.compile(r"^(?:[\w -]+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", re.M)
SKIP = re.compile(r"^\S+: skipped .*", re.M)


def kernel_stage(flavour, pae):
    """A kernel prints no counts: it is built or not."""
    return ("kernel-%s-%s" % (flavour, "pae" if pae == "y" else "nopae"),
            ["scripts/kernel.py", "--flavour", flavour, "--pae", pae, "--smp", "y"])


def stages(out):
    """(name, command) in the order that fails soonest."""
    make = ["make", "--no-print-directory", "O=" + out]
    python = [sys.executable]
    found = [("runner", python + ["scripts/unittests.py"]),
             ("unit", make + ["unit"]),
             ("rom", make + ["rom"]), ("user", make + ["user"]),
             ("conformance", make + ["conformance"])]
    found += [(n, python + c + ["--out", out]) for n, c in (kernel_stage(*k) for k in CHECKED)]
    found += [
        audit_stage(out),
        ("configs", python + ["scripts/configs.py", "--out", out, "compile"]),
        ("x86-64", python + ["scripts/configs.py", "--out", out, "tiny64"]),
        ("backend", python + ["tests/backend/test_backend.py", "--out", out]),
        ("reserve", make + ["reserve"]),
        ("escape", make + ["escape", "QUICK=1"]),
        ("boot", ["sh", "-c", "scripts/boot.py --out '%s' rows --complete tests/boot/*.ini" % out]),
        ("monitor", python + ["scripts/boot.py", "--out", out, "--label", "monitor", "rows",
                              "tests/boot/monitor/check.ini"]),
        ("soak", python + ["scripts/soak.py", "--out", out, "--minutes", "2"]),
        ("bench", make + ["bench-check"]),
        ("check-n", python + ["scripts/check_n.py", "--out", out, "--part", "pae-smp"]),
        ("lint", python + ["scripts/lint.py", "--out", out])]
    return found


def audit_stage(out):
    """All vmi kernels together: a line of the list that none of them needs is a failure."""
    dirs = [os.path.join(out, "linux-6.1", "vmi-%s-smp" % pae) for pae in ("pae", "nopae")]
    return ("audit", [sys.executable, "scripts/audit.py", "--strict",
                      *(w for d in dirs for w in ("--modules", d)),
                      *(os.path.join(d, "vmlinux") for d in dirs)])


BUILD_ONLY = ("rom", "user", "kernel-")


def counts(name, output, status):
    """(passed, failed, skipped) of a stage."""
    if name.startswith(BUILD_ONLY):
        return (0, 1, 0) if status else (1, 0, 0)
    last = None
    for last in CLOSING.finditer(output):
        pass
    if not last:
        return 0, 1, 0
    passed, failed, skipped = (int(n or 0) for n in last.groups())
    if status and not failed or not passed + failed:
        failed += 1
    return passed, failed, skipped


def run_stage(name, command, out):
    """Run one stage, show what it prints; (output, exit status)."""
    log = os.path.join(out, "check", name + ".log")
    os.makedirs(os.path.dirname(log), exist_ok=True)
    lines = []
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    with open(log, "w", encoding="utf-8") as f, \
         subprocess.Popen(command, cwd=PROJECT, env=env, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as job:
        for line in job.stdout:
            f.write(line)
            lines.append(line)
            print(line, end="", flush=True)
    return "".join(lines), job.returncode


def run(chosen, out):
    total, skips, report = [0, 0], {}, []
    begin = time.monotonic()
    for number, (name, command) in enumerate(chosen, 1):
        start = time.monotonic()
        print("check: %d/%d %s, %d min so far" % (number, len(chosen), name,
                                                  (start - begin) / 60), flush=True)
        output, status = run_stage(name, command, out)
        passed, failed, left_out = counts(name, output, status)
        total[0] += passed
        total[1] += failed
        skips.update(dict.fromkeys(SKIP.findall(output)))
        report.append("%-24s %5d passed %4d failed %4d skipped %6d s"
                      % (name, passed, failed, left_out, time.monotonic() - start))
    print("\n" + "\n".join(report) + "\n")
    for skip in skips:
        print(skip)
    print("%d passed, %d failed" % tuple(total))
    return 1 if total[1] else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--only", nargs="+", help="stages to run")
    args = parser.parse_args()
    out = os.path.abspath(args.out)
    known = stages(out)
    unknown = set(args.only or ()) - {name for name, _ in known}
    if unknown:
        print("check: no stage %s; there are %s"
              % (" ".join(unknown), " ".join(n for n, _ in known)), file=sys.stderr)
        return 2
    return run([s for s in known if not args.only or s[0] in args.only], out)


if __name__ == "__main__":
    sys.exit(main())
