# SPDX-License-Identifier: GPL-2.0-only
"""The scan for sensitive instructions: on objdump's text, and on small linked files."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import paths
from audit_scan import MNEMONICS, Allowed, classify, scan, site_bytes

AUDIT = os.path.join(paths.PROJECT, "scripts/audit.py")
# As objdump -d --no-show-raw-insn prints them.
KERNEL = """
/x/vmlinux:     file format elf32-i386


Disassembly of section .text:

c1000000 <native_halt>:
c1000000:\thlt
c1000001:\tret

c1000010 <quiet>:
c1000010:\tpush   %ebp
c1000011:\tmov    %cs,%ax
c1000013:\tcall   *0xc150d08c
c1000019:\tjmp    c1000013 <quiet+0x3>
\t...

c1000020 <bad_one.isra.0>:
c1000020:\tmov    0xc150d1c4,%eax
c1000025:\tcli
c1000026:\tmov    %cr3,%eax

c1000030 <caller>:
c1000030:\tcall   c1000000 <native_halt>
""".splitlines(keepends=True)
LIST = "[op bodies]\nnative_* hlt bodies\n[reviewed]\nbad_* cli looked at\n".splitlines()
MODULE = """
00000000 <init_module>:
   0:\tcall   1 <init_module+0x1>
\t\t\t1: R_386_PC32\tnative_halt
   5:\twbinvd
""".splitlines(keepends=True)


def names(hits):
    return [(h.function, h.cls) for h in hits]


class Classify(unittest.TestCase):
    def check(self, cls, *texts):
        for text in texts:
            self.assertEqual(classify(text), cls, text)

    def test_sizes_and_prefixes(self):
        self.check("popf", "popf", "popfw", "popfl")
        self.check("sgdt", "sgdtl  -0x24(%ebp)")
        self.check("io", "in     (%dx),%al", "rep insl (%dx),%es:(%edi)", "out    %al,$0x80",
                   "cs outsb %ds:(%esi),(%dx)")
        self.check("load-ss", "lss    0x30(%esp),%esp", "mov    %eax,%ss", "pop    %ss")
        self.check("hlt", "repz hlt", "hlt")
        self.check("lret", "lret", "lret   $0x4")
        self.check("virt", "vmcall", "stgi")

    def test_special_registers(self):
        self.check("read-cr4", "mov    %cr4,%eax")
        self.check("write-cr3", "mov    %edi,%cr3")
        self.check("read-dr", "mov    %db7,%eax", "mov    %dr6,%eax")
        self.check("write-dr", "mov    %edx,%db0")

    def test_harmless(self):
        self.check(None, "mov    %ss,%eax", "mov    %eax,%ss:0x10(%ebx)", "movl   $0x0,0x10(%ebp)",
                   "rep stos %al,%es:(%edi)", "string", "pop    %eax", "rdtsc", "ret", "lock",
                   "verw   0xc150d1c0", "insertps $0x0,%xmm0,%xmm1", "lods   %ds:(%esi),%al",
                   "jmp    c1000000 <cli>", "(bad)", "strcmp")

    def test_size_letters_hide_nothing(self):
        for real in ("verw", "lods", "stos", "call", "ret", "int", "push", "insertps"):
            self.assertNotIn(real, MNEMONICS)


class Scan(unittest.TestCase):
    def setUp(self):
        self.allowed = Allowed(LIST)

    def scan(self, lines, **words):
        return list(scan(lines, is_body=self.allowed.is_body, **words))

    def test_hits(self):
        hits = self.scan(KERNEL)
        self.assertEqual(names(hits), [("native_halt", "hlt"), ("bad_one", "cli"),
                                       ("bad_one", "read-cr3"), ("caller", "call")])
        self.assertEqual((hits[1].offset, hits[1].address), (5, 0xc1000025))
        self.assertEqual(hits[2].text, "mov %cr3,%eax")
        self.assertEqual(hits[3].text, "call of native_halt")

    def test_allowed_or_not(self):
        found = {h.cls: self.allowed.find(h) for h in self.scan(KERNEL)}
        self.assertEqual(found["cli"][:4], ("reviewed", "bad_*", "cli", "looked at"))
        self.assertEqual(found["hlt"][0], "op bodies")
        self.assertIsNone(found["read-cr3"])
        self.assertIsNone(found["call"])

    def test_stale(self):
        self.assertEqual(len(self.allowed.stale()), 2)
        for hit in self.scan(KERNEL):
            self.allowed.find(hit)
        self.assertEqual(self.allowed.stale(), [])
        other = Allowed(LIST + ["gone cli,sti no longer"])
        for hit in self.scan(KERNEL):
            other.find(hit)
        self.assertEqual([e[1:3] for e in other.stale()], [("gone", "cli"), ("gone", "sti")])

    def test_sites_are_left_out(self):
        sites = site_bytes(struct.pack("<IBBH", 0xc1000025, 2, 6, 0xffff))
        self.assertEqual(names(self.scan(KERNEL, sites=sites)),
                         [("native_halt", "hlt"), ("caller", "call")])
        short = site_bytes(struct.pack("<IBBH", 0xc1000025, 2, 1, 0))
        self.assertIn(("bad_one", "read-cr3"), names(self.scan(KERNEL, sites=short)))
        with self.assertRaisesRegex(ValueError, "9 bytes"):
            site_bytes(b"\0" * 9)

    def test_module(self):
        self.assertEqual(names(self.scan(MODULE)), [("init_module", "call"),
                                                    ("init_module", "wbinvd")])


class List(unittest.TestCase):
    def refused(self, why, *lines):
        with self.assertRaisesRegex(ValueError, why):
            Allowed(lines, "list")

    def test_refused(self):
        self.refused("list:1: an entry before", "f cli reason")
        self.refused("list:3: an entry is", "[s]", "", "f cli")
        self.refused("list:2: 'clu' is no class", "[s]", "f clu reason")
        self.refused("list:3: f cli stands there twice", "[s]", "f cli,sti x", "f cli y")

    def test_our_list_can_be_read(self):
        with open(os.path.join(paths.PROJECT, "scripts/audit_allow.txt"), encoding="utf-8") as f:
            self.assertGreater(len(Allowed(f.readlines()).entries), 100)


SOURCE = """
.text
.globl _start, native_halt
_start: cli
771: sti; .skip 5, 0x90
772: ret
native_halt: hlt
%s
.section .parainstructions, "a"
.long 771b
.byte 1, 772b - 771b
.balign 4
"""


class Program(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.vmlinux = os.path.join(temp.name, "vmlinux")
        self.list = os.path.join(temp.name, "list")
        with open(self.list, "w", encoding="utf-8") as f:
            f.write("[op bodies]\nnative_* hlt body\n[start]\n_start cli first\n")

    def build(self, source, *options):
        subprocess.run(["gcc", "-m32", "-static", "-nostdlib", "-x", "assembler", "-o",
                        self.vmlinux, "-", *options], input=source, text=True, check=True)

    def run_audit(self, *words, status):
        done = subprocess.run([sys.executable, AUDIT, "--allow", self.list, *words], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout, done.stderr.splitlines()

    def test_clean(self):
        self.build(SOURCE % "")
        out, _ = self.run_audit("--strict", self.vmlinux, status=0)
        self.assertIn("1 in 1 functions: start", out)
        self.assertTrue(out.endswith("audit: 2 passed, 0 failed\n"), out)

    def test_new_instruction(self):
        self.build(SOURCE % "fresh: nop; lidt (%eax); lidt (%ebx)")
        out, _ = self.run_audit(self.vmlinux, status=1)
        self.assertRegex(out, r"fresh\+0x1 \(0x[0-9a-f]+ and 1 more\): lidtl \(%eax\): route it")
        self.assertIn("audit: 0 passed, 1 failed", out)

    def test_stale_line(self):
        self.build(SOURCE % "")
        with open(self.list, "a", encoding="utf-8") as f:
            f.write("gone_* clts no longer\n")
        out, _ = self.run_audit(self.vmlinux, status=0)
        self.assertRegex(out, r":5: warning: gone_\* clts \(start\) matches nothing")
        out, _ = self.run_audit("--strict", self.vmlinux, status=1)
        self.assertRegex(out, r":5: gone_\* clts \(start\) matches nothing: remove")

    def test_refused(self):
        def refused(why, *words):
            _, lines = self.run_audit(*words, status=1)
            self.assertEqual(len(lines), 1, lines)
            self.assertRegex(lines[0], why)
        refused("/no/vmlinux: no such file", "/no/vmlinux")
        refused("no 32-bit ELF", __file__)
        refused("no 32-bit ELF", sys.executable)
        self.build(".text\n.globl _start\n_start: cli\n")
        refused("no patch sites", self.vmlinux)
        self.build(SOURCE % "", "-s")
        refused("no symbols", self.vmlinux)
        self.build(SOURCE % "")
        refused("no modules", self.vmlinux, "--modules", os.path.dirname(self.vmlinux))
        with open(self.vmlinux, "r+b") as f:
            f.truncate(400)
        refused("vmlinux: ", self.vmlinux)


if __name__ == "__main__":
    unittest.main()
