#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the build says when a backend lacks a function.

Owns: one test per thing that may be forgotten when an op is added, and the
      positive controls that the same change links when it is complete.
Not here: compiling and linking (`objects.py`).
Runs: `test_backend.py [--out OUT | --tree DIR --odir DIR]`, default the vmi kernel
      that `make kernel` builds. Compiles `table.o`, `native.o` and `bind.o`, which
      hold what is expanded from the list, and takes the other objects as built.
Fails: exit 1; the closing line is `backend: N passed, N failed`.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(PROJECT, "scripts"))

from objects import Build, Scratch, run  # noqa: E402  (needs the path above)
from overlay_plan import Refusal, read  # noqa: E402

BUILD = None
GUIDE = "docs/backend.md"
TABLE, NATIVE = "arch/x86/paravirt/table.o", "arch/x86/paravirt/native.o"
BIND, CPU = "arch/x86/vmi/bind.o", "arch/x86/vmi/cpu.o"


def documented(place):
    """A directory with the files of the guide's diff, patched."""
    text = read(os.path.join(PROJECT, GUIDE)).decode()
    diff = text.split("```diff\n")[1].split("```")[0]
    place = os.path.join(place, "documented")
    for path in re.findall(r"^--- a/(\S+)", diff, re.M):
        os.makedirs(os.path.dirname(os.path.join(place, path)), exist_ok=True)
        shutil.copy(os.path.join(PROJECT, path), os.path.join(place, path))
    patch = os.path.join(place, "diff")
    with open(patch, "w", encoding="utf-8") as f:
        f.write(diff)
    status, output = run(["patch", "-p1", "-F0", "-f", "-s", "-i", patch], place)
    if status:
        raise Refusal("the diff in %s does not apply: %s" % (GUIDE, " ".join(output.split())))
    return place


class Case(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory(prefix="backend-test.")
        self.addCleanup(temp.cleanup)
        self.scratch = Scratch(BUILD, temp.name)

    def declare(self, text):
        return ["-include", self.scratch.write("declared.h", text + "\n")]

    def compiles(self, *objs, options=()):
        for obj in objs:
            status, text = self.scratch.compile(obj, *options)
            self.assertEqual(status, 0, text)

    def does_not_compile(self, obj, says, options=()):
        status, text = self.scratch.compile(obj, *options)
        self.assertNotEqual(status, 0, "%s compiled" % obj)
        self.assertRegex(text, says)

    def misses(self, *names):
        missing, weak, text = self.scratch.link()
        self.assertEqual(weak, set(), "weak references: a NULL in a slot")
        self.assertEqual(missing, set(names), text)

    def links(self):
        self.misses()


class Native(Case):
    """The table and the native backend."""

    def test_unchanged_links(self):
        self.compiles(TABLE, NATIVE)
        self.links()

    def test_inline_op_is_one_line(self):
        self.scratch.add_op('PV_OP(cpu, probe, INLINE, SAVE, void, (0), "nop", SAME, WBINVD)')
        self.compiles(TABLE, NATIVE)
        self.links()

    def test_inline_entry_comes_from_the_list_alone(self):
        self.scratch.add_op('PV_OP(cpu, probe, INLINE, SAVE, void, (0), "nop", SAME, WBINVD)')
        self.compiles(TABLE)
        self.misses("pv_native_cpu_probe", "pv_native_cpu_probe_end")

    def test_undeclared_function_does_not_compile(self):
        self.scratch.add_op("PV_OP(cpu, probe, CALL, STD, void, (0), native_probe, SAME, WBINVD)")
        self.does_not_compile(TABLE, "native_probe.* undeclared")

    def test_missing_function_does_not_link(self):
        self.scratch.add_op("PV_OP(cpu, probe, CALL, STD, void, (0), native_probe, SAME, WBINVD)")
        self.compiles(TABLE, NATIVE, options=self.declare("extern void native_probe(void);"))
        self.misses("native_probe")

    def test_wrong_type_does_not_compile(self):
        self.scratch.add_op("PV_OP(cpu, probe, CALL, STD, void, (0), native_probe, SAME, WBINVD)")
        self.does_not_compile(TABLE, "incompatible pointer type",
                              self.declare("extern int native_probe(long, long);"))

    def test_a_known_function_will_do(self):
        self.scratch.add_op("PV_OP(cpu, probe, CALL, STD, void, (0), native_halt, SAME, WBINVD)")
        self.compiles(TABLE, NATIVE)
        self.links()


class Driver(Case):
    """The VMI driver, as any backend that is expanded from the list."""

    FN = "PV_OP(cpu, probe, %s, FN, WBINVD)"
    STD = FN % "CALL, STD, void, (0), native_halt"
    SAVE = FN % 'INLINE, SAVE, void, (0), "nop"'
    WORD = FN % 'INLINE, SAVE, word, (1, unsigned long, val), "nop"'
    U64 = FN % 'INLINE, SAVE, u64, (0), "rdtsc"'
    ASM = SAVE.replace("FN,", "ASM,")

    def setUp(self):
        super().setUp()
        if not BUILD.has_driver():
            self.skipTest("the kernel in %s has no VMI driver" % BUILD.odir)

    def with_op(self, line):
        self.scratch.add_op(line)
        self.compiles(TABLE, NATIVE, BIND)

    def add_function(self, text):
        source = self.scratch.write("probe.c", '#include "ops.h"\n%s\n' % text)
        return self.scratch.compile(CPU, source=source, extra=True)

    def test_missing_function_does_not_link(self):
        for line in (self.STD, self.SAVE, self.WORD, self.U64, self.ASM):
            with self.subTest(line):
                self.with_op(line)
                self.misses("vmi_cpu_probe")

    def test_complete_op_links(self):
        for line, function in ((self.STD, "void vmi_cpu_probe(void) { }"),
                               (self.U64, "u64 vmi_cpu_probe(void) { return 0; }"),
                               (self.ASM, 'asm(".globl vmi_cpu_probe; vmi_cpu_probe: ret");')):
            with self.subTest(line):
                self.with_op(line)
                status, text = self.add_function(function)
                self.assertEqual(status, 0, text)
                self.links()

    def test_same_as_native_needs_no_function(self):
        self.with_op('PV_OP(cpu, probe, INLINE, SAVE, void, (0), "nop", SAME, WBINVD)')
        self.links()

    def test_rom_entry_needs_no_function(self):
        self.with_op('PV_OP(cpu, probe, INLINE, SAVE, void, (0), "nop", ROM, WBINVD)')
        self.links()

    def test_unknown_call_does_not_compile(self):
        self.scratch.add_op('PV_OP(cpu, probe, INLINE, SAVE, void, (0), "nop", ROM, NoSuchCall)')
        self.does_not_compile(BIND, "VMI_CALL_NoSuchCall.* undeclared")

    def test_no_word_for_the_driver_does_not_compile(self):
        self.scratch.add_op('PV_OP(cpu, probe, INLINE, SAVE, void, (0), "nop", , WBINVD)')
        self.does_not_compile(BIND, "error:")

    def test_wrong_type_does_not_compile(self):
        self.scratch.add_op(self.STD)
        status, text = self.add_function("int vmi_cpu_probe(long a) { return a; }")
        self.assertNotEqual(status, 0, "it compiled")
        self.assertRegex(text, "conflicting types for .vmi_cpu_probe")

    def test_documented_diff(self):
        """What the guide shows applies, misses its function, links with it."""
        place = documented(self.scratch.place)
        self.scratch.set_list(read(os.path.join(place, "include/asm/pv_list.h")).decode())
        self.compiles(TABLE, NATIVE, BIND)
        self.misses("vmi_cpu_store_idt")
        status, text = self.scratch.compile(CPU, source=os.path.join(place, "arch/x86/vmi/cpu.c"))
        self.assertEqual(status, 0, text)
        self.links()

    def test_removed_function_does_not_link(self):
        self.compiles(CPU, options=["-Dvmi_cpu_set_ldt=vmi_cpu_set_ldt_gone"])
        self.misses("vmi_cpu_set_ldt")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", default=os.path.join(PROJECT, "build"))
    parser.add_argument("--tree", help="patched source, default OUT/linux-6.1/src")
    parser.add_argument("--odir", help="its O= directory, default OUT/linux-6.1/vmi-pae-smp")
    args = parser.parse_args()
    args.tree = args.tree or os.path.join(args.out, "linux-6.1/src")
    args.odir = args.odir or os.path.join(args.out, "linux-6.1/vmi-pae-smp")
    return args


def main():
    global BUILD
    args = arguments()
    try:
        BUILD = Build(args.tree, args.odir)
    except Refusal as why:
        print("backend: %s" % why)
        print("backend: 0 passed, 1 failed")
        return 1
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    failed = {str(getattr(test, "test_case", test)) for test, _ in
              result.failures + result.errors}
    for test, why in result.skipped:
        print("backend: skipped %s: %s" % (test.id().removeprefix("__main__."), why))
    skipped = len(result.skipped)
    print("backend: %d passed, %d failed%s" % (
        result.testsRun - len(failed) - skipped, len(failed),
        ", %d skipped" % skipped if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
