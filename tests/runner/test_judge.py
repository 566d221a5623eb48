# SPDX-License-Identifier: GPL-2.0-only
"""The judge of boots, on recorded and on made-up logs.

Owns: one test per way a boot can go wrong; `logs/` holds recordings of real
      guests: good, failing, crashed, silent, rebooting, truncated.
"""
import os
import unittest

import paths
from boottest.judge import facts_of, judge, lines_of
from boottest.rows import Row

LOGS = os.path.join(paths.PROJECT, "tests/runner/logs")
GOOD = "[    0.000001] Linux version 6.1\n1..2\nok 1 - a\nok 2 - b\n"
SITES = ("[    0.100000] paravirt: backend vmi, sites 10: 4 inline, 3 call, 1 jump, 2 nop, "
         "0 indirect, 55 us\n[    0.000100] vmi: bound ROM at 0xca000: ring 1, 60 calls, hole none\n")


def recorded(name):
    with open(os.path.join(LOGS, name + ".log"), encoding="utf-8") as f:
        return f.read()


class Case(unittest.TestCase):
    def passes(self, log, status=33, **keys):
        verdict = judge(Row(name="r", **keys), log, status)
        self.assertEqual(verdict.reasons, [])
        return verdict

    def fails(self, want, log, status=33, timed_out=False, **keys):
        verdict = judge(Row(name="r", **keys), log, status, timed_out)
        self.assertTrue(any(want in r for r in verdict.reasons),
                        "'%s' not in %s" % (want, verdict.reasons))


class Recorded(Case):
    def test_good(self):
        verdict = self.passes(recorded("good"))
        self.assertEqual((verdict.tap.planned, len(verdict.tap.passed)), (3, 2))
        self.assertEqual(verdict.tap.skipped, [("module", "no module msr.ko")])

    def test_failing(self):
        self.fails("not ok: iret_bad_cs: died of signal 11", recorded("failing"), 35)
        self.fails("not ok: iret_bad_cs", recorded("failing"), 33)

    def test_crashed(self):
        self.fails("forbidden: [    0.879430] Kernel panic", recorded("crashed"), 0)
        self.fails("plan of 3, 1 results", recorded("crashed"), 33)

    def test_silent(self):
        self.fails("no end within 120 s", recorded("silent"), None, timed_out=True)
        self.fails("no plan was printed", recorded("silent"), 33)

    def test_rebooting(self):
        self.fails("QEMU ended with 0 instead of 33", recorded("rebooting"), 0)
        self.fails("the guest rebooted", recorded("rebooting") * 2, 33)

    def test_truncated(self):
        self.fails("plan of 3, 2 results", recorded("truncated"), 33)


class Plan(Case):
    def test_missing(self):
        self.fails("no plan was printed", "ok 1 - a\n")

    def test_after_a_result(self):
        self.fails("result 'a' before the plan", "ok 1 - a\n1..1\n")

    def test_twice(self):
        self.fails("a second plan", "1..1\nok 1 - a\n1..1\nok 1 - a\n")

    def test_too_many_results(self):
        self.fails("plan of 2, 3 results", GOOD + "ok 3 - c\n")

    def test_of_nothing(self):
        self.fails("no plan was printed", "1..0\n")

    def test_wrong_number(self):
        self.fails("result 3 where 2 was due", "1..2\nok 1 - a\nok 3 - b\n")

    def test_failure_without_number(self):
        self.fails("not ok: /bench: missing", "1..1\nnot ok - /bench: missing\n")

    def test_bail_out(self):
        self.fails("Bail out!", GOOD + "Bail out! no memory\n")

    def test_skip_without_reason(self):
        self.fails("skipped without a reason: b", "1..2\nok 1 - a\nok 2 - b # SKIP\n")

    def test_not_asked_for(self):
        self.passes("[    0.000001] Linux version 6.1\n", tap=False, expect=["Linux version"])


class Lines(Case):
    def test_kernel_message_inside_a_result(self):
        log = GOOD.replace("ok 2 - b\n", "ok 2 - [    1.000000] tsc: calibrated\n"
                           "[    1.000001] more\nb\n")
        self.assertEqual(self.passes(log).tap.passed, ["a", "b"])

    def test_last_line_without_end(self):
        self.fails("plan of 2, 1 results", GOOD[:-1])

    def test_carriage_returns(self):
        self.passes(GOOD.replace("\n", "\r\n"))


class Patterns(Case):
    def test_literal(self):
        self.passes(GOOD + "a.c (x)\n", expect=["a.c (x)"])
        self.fails("never seen: a.c", GOOD + "abc\n", expect=["a.c"])

    def test_expression(self):
        self.passes(GOOD, expect=["re: ^1[.]{2}2$"])
        self.fails("never seen: re: ^3", GOOD, expect=["re: ^3"])

    def test_debugcon(self):
        row = Row(name="r", expect=["calls: 33"])
        self.assertEqual(judge(row, GOOD, 33, debugcon="calls: 33\n").reasons, [])
        # It is no place for results.
        self.assertNotEqual(judge(Row(name="r"), "", 33, debugcon=GOOD).reasons, [])

    def test_forbidden_and_allowed(self):
        log = GOOD + "[    0.200000] WARNING: CPU: 0\n"
        self.fails("forbidden", log)
        self.passes(log, allow="WARNING: CPU")
        self.fails("forbidden", GOOD + "[    0.200000] odd\n", forbid="odd")
        self.fails("forbidden", log, forbid="odd")

    def test_stopped_by_the_monitor(self):
        text = "vmi-stop: triple fault at 0xc1000000\n"
        self.fails("forbidden: vmi-stop: triple", GOOD + text)
        self.assertEqual(judge(Row(name="r"), GOOD, 33, debugcon=text).reasons,
                         ["forbidden: " + text.strip()])
        self.passes(GOOD + text, allow="vmi-stop: triple fault")

    def test_each_default(self):
        for text in ("BUG: x", "WARNING: x", "Call Trace:", "Kernel panic - x", "Oops: 0000",
                     "unchecked MSR access error", "rcu: INFO: rcu_sched self-detected stall",
                     "INFO: task init:1 blocked for more than 120 seconds",
                     "    not ok 1 - pv_irq"):
            self.fails("forbidden", GOOD + "[    0.200000] " + text + "\n")


class End(Case):
    def test_wrong_status(self):
        self.fails("QEMU ended with 0 instead of 33", GOOD, 0)
        self.fails("QEMU ended with -9 instead of 33", GOOD, -9)

    def test_own_status(self):
        self.passes(GOOD, 35, exit=35)

    def test_time_is_up(self):
        self.fails("no end within 7 s; last line: ok 2 - b", GOOD, None, timed_out=True, timeout=7)


class Cpus(Case):
    LOG = "[    0.100000] smp: Brought up 1 node, %s\n"

    def test_all_came_up(self):
        self.passes(self.LOG % "4 CPUs" + GOOD, cpus=4)
        self.passes(self.LOG % "1 CPU" + GOOD)
        self.passes(GOOD)

    def test_some_did_not(self):
        self.fails("1 CPUs came up instead of 2", self.LOG % "1 CPU" + GOOD, cpus=2)
        self.fails("1 CPUs came up instead of 4", GOOD, cpus=4)
        self.fails("2 CPUs came up instead of 1", self.LOG % "2 CPUs" + GOOD)


class KernelTests(Case):
    KTAP = ("[    0.100000] KTAP version 1\n[    0.100001] 1..2\n[    0.100002]     ok 1 pv_a\n"
            "[    0.100003] ok 1 pv\n[    0.100004] ok 2 list\n")

    def test_good(self):
        self.passes(self.KTAP + GOOD, kunit=True)

    def test_suite_without_end(self):
        self.fails("KUnit planned 2 suites, 1 ended",
                   self.KTAP.replace("[    0.100004] ok 2 list\n", "") + GOOD)

    def test_none_where_wanted(self):
        self.fails("no KUnit result", GOOD, kunit=True)


class Facts(unittest.TestCase):
    def test_all(self):
        facts = facts_of(lines_of(SITES + "[    1.250000] end\n"))
        self.assertEqual(facts["backend"], "vmi")
        self.assertEqual(facts["sites"], "4/3/1/2/0")
        self.assertEqual(facts["ring"], "1")
        self.assertEqual(facts["seconds"], "1.250")

    def test_none(self):
        facts = facts_of(lines_of("SeaBIOS\n"))
        self.assertEqual(set(facts.values()), {"-"})


if __name__ == "__main__":
    unittest.main()
