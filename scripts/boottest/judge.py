# SPDX-License-Identifier: GPL-2.0-only
"""Judge one boot from its serial log and the emulator's end.

Owns: what makes a boot pass, the TAP and KTAP rules, the facts for the table.
Not here: rows (`rows.py`), running them (`qemu.py`, `bochs.py`). Reads no file.
Fails: never; whatever is wrong with a log is a reason in the verdict.
"""
import re
from dataclasses import dataclass, field

from .stats import emulated_reasons, read_stats

FORBID = (r"BUG:|WARNING:|Call Trace:|Kernel panic|unchecked MSR|Oops|kernel BUG at"
          r"|rcu: INFO:|blocked for more than|nobody cared|general protection fault:"
          r"|double fault|^\[[ 0-9.]+\] +not ok ")
# The monitor's line on screen, serial port and port 0xE9.
STOPPED = re.compile(r"\bvmi-stop:")
PLAN = re.compile(r"1\.\.(\d+)$")
RESULT = re.compile(r"(not )?ok\b(?: (\d+))?(?: - )?([^#]*)(?:# *(.*))?$")
STAMP = re.compile(r"\[ *(\d+\.\d{6})\] ")
SITES = re.compile(r"paravirt: backend (\S+), sites (\d+): (\d+) inline, (\d+) call, "
                   r"(\d+) jump, (\d+) nop, (\d+) indirect")
BROUGHT_UP = re.compile(r"\] smp: Brought up \d+ nodes?, (\d+) CPUs?$")
BOUND = re.compile(r"vmi: bound ROM at (0x[0-9a-f]+): ring (\d)")


@dataclass
class Tap:
    """Results between the plan and the end of a log."""
    planned: int = 0
    passed: list = field(default_factory=list)
    failed: list = field(default_factory=list)
    skipped: list = field(default_factory=list)
    wrong: list = field(default_factory=list)

    @property
    def seen(self):
        return len(self.passed) + len(self.failed) + len(self.skipped)


@dataclass
class Verdict:
    """reasons is empty for a boot that passed."""
    reasons: list
    tap: Tap
    facts: dict


def lines_of(log):
    """Whole lines. What the kernel printed into a line of the program is taken
    out of it again; a line without its end is none."""
    lines, head = [], ""
    for line in log.replace("\r", "").split("\n")[:-1]:
        inside = STAMP.search(line)
        if inside and inside.start() > 0:
            head += line[:inside.start()]
            line = line[inside.start():]
        elif not inside:
            line, head = head + line, ""
        lines.append(line.rstrip())
    return lines


def read_tap(lines):
    """TAP of the test program; the kernel's own lines carry a time stamp."""
    tap = Tap()
    for line in lines:
        plan = PLAN.match(line)
        if plan:
            if tap.planned:
                tap.wrong.append("a second plan: the guest started again")
            elif tap.seen:
                tap.wrong.append("results before the plan")
            tap.planned = int(plan.group(1))
        elif line.startswith("Bail out!"):
            tap.wrong.append(line)
        elif RESULT.match(line):
            read_result(tap, RESULT.match(line))
    return tap


def read_result(tap, m):
    number, name, comment = m.group(2), m.group(3).strip(), m.group(4) or ""
    if not tap.planned:
        tap.wrong.append("result '%s' before the plan" % name)
    if int(number or 0) != tap.seen + 1:
        tap.wrong.append("result %s where %d was due" % (number, tap.seen + 1))
    if m.group(1):
        tap.failed.append("%s: %s" % (name, comment) if comment else name)
    elif comment.upper().startswith("SKIP"):
        tap.skipped.append((name, comment[4:].strip() or "no reason given"))
    else:
        tap.passed.append(name)


def tap_reasons(tap):
    reasons = list(dict.fromkeys(tap.wrong))[:3]
    reasons += ["not ok: " + name for name in tap.failed]
    if not tap.planned:
        reasons.append("no plan was printed")
    elif tap.seen != tap.planned:
        reasons.append("plan of %d, %d results" % (tap.planned, tap.seen))
    reasons += ["skipped without a reason: " + n for n, why in tap.skipped
                if why == "no reason given"]
    return reasons


def expected(lines, pattern):
    """Is pattern in the log? Literal text, or a regular expression after 're:'."""
    if pattern.startswith("re:"):
        want = re.compile(pattern[3:].strip())
        return any(want.search(line) for line in lines)
    return any(pattern in line for line in lines)


def ktap_reasons(lines):
    """The kernel's own tests: a suite that began must have ended."""
    text = [re.sub(r"^\[[ 0-9.]+\] ", "", line) for line in lines if STAMP.match(line)]
    top = [re.match(r"1\.\.(\d+)$", t) for t in text]
    planned = [int(m.group(1)) for m in top if m]
    ended = [t for t in text if re.match(r"(not )?ok \d+ ", t)]
    if planned and len(ended) != planned[0]:
        return ["KUnit planned %d suites, %d ended" % (planned[0], len(ended))]
    return []


def cpu_reasons(lines, cpus):
    """Did the kernel find the row's CPUs? One that cannot say so has one."""
    found = [int(m.group(1)) for m in map(BROUGHT_UP.search, lines) if m] or [1]
    if found[0] == cpus:
        return []
    return ["%d CPUs came up instead of %d" % (found[0], cpus)]


def facts_of(lines):
    """What the table shows; '-' for what the kernel did not say."""
    facts = dict(backend="-", sites="-", ring="-", seconds="-", kunit="-")
    stamps = [m for m in map(STAMP.match, lines) if m]
    if stamps:
        facts["seconds"] = stamps[-1].group(1)[:-3].rstrip(".") or "0"
    for line in lines:
        sites, bound = SITES.search(line), BOUND.search(line)
        if sites:
            facts["backend"] = sites.group(1)
            facts["sites"] = "/".join(sites.groups()[2:])
        if bound:
            facts["ring"] = bound.group(2)
    inner = [t for t in lines if re.match(r"\[[ 0-9.]+\] {5,}(not )?ok \d+ ", t)]
    if inner:
        facts["kunit"] = "%d/%d" % (sum(" not ok " not in t for t in inner), len(inner))
    return facts


def judge(row, log, status, timed_out=False, debugcon=""):
    """Verdict on a boot. row has expect, forbid, allow, exit, tap, timeout, kunit.

    log is the serial console; debugcon, what was written to port 0xE9, counts
    for expect, and for the hypervisor's line that it stopped the guest.
    """
    lines, seen = lines_of(log), lines_of(log + "\n" + debugcon + "\n")
    tap = read_tap(lines) if row.tap else Tap()
    reasons = []
    if timed_out:
        last = next((t for t in reversed(lines) if t), "nothing")
        reasons.append("no end within %d s; last line: %s" % (row.timeout, last[:100]))
    elif status != row.exit:
        reasons.append("%s ended with %s instead of %d" % (
            "Bochs" if row.media == "bochs" else "QEMU", status, row.exit))
    if sum("] Linux version " in t for t in lines) > 1:
        reasons.append("the guest rebooted")
    forbid = re.compile("|".join((FORBID, row.forbid)) if row.forbid else FORBID)
    allow = re.compile(row.allow) if row.allow else None
    bad = [t for t in lines if forbid.search(t) or STOPPED.search(t)]
    bad += [t for t in lines_of(debugcon + "\n") if STOPPED.search(t)]
    bad = [t for t in bad if not (allow and allow.search(t))]
    reasons += ["forbidden: " + t[:120] for t in bad[:3]]
    reasons += ["never seen: " + p for p in row.expect if not expected(seen, p)]
    reasons += ktap_reasons(lines) + cpu_reasons(lines, row.cpus)
    facts = facts_of(lines)
    if row.kunit and facts["kunit"] == "-":
        reasons.append("no KUnit result")
    if row.tap:
        reasons += tap_reasons(tap)
    if row.emulated_only:
        reasons += emulated_reasons(read_stats(debugcon), row.emulated_only)
    return Verdict(reasons, tap, facts)
