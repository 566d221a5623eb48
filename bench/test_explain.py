# SPDX-License-Identifier: GPL-2.0-only
"""Host tests of bench-explain: recorded lines of the log, a made kernel, the tables."""
import collections
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

import attribute
import boots
import code_diff
import elf32
import execlog
import explain
import explained
import trace
import units

# Recorded from QEMU 7.2 with `singlestep on`, `log exec,nochain,int`: the row segv on
# the vmi kernel, parts of one iteration. The register dumps are cut to a line each.
RECORDED = """\
Trace 0: 0x7f755c10f880 [00000000/08049ec2/004002b3/ff020201] 
Servicing hardware INT=0xec
     9: v=ec e=0000 i=0 cpl=3 IP=0073:08049ec4 pc=08049ec4 SP=007b:bffffd00 env->regs[R_EAX]=57420966
EAX=57420966 EBX=00000085 ECX=00000000 EDX=00000000
Trace 0: 0x7f755c000100 [00000000/c141fb04/004002b0/ff020201] 
Trace 0: 0x7f755c008d40 [00000000/c1040b8d/004002b0/ff020201] 
cpu_io_recompile: rewound execution of TB to c1040b8d
Trace 0: 0x7f755c008ec0 [00000000/c1040b8d/004002b0/ff038201] 
Trace 0: 0x7f755c009040 [00000000/c1040b8f/004002b0/ff020201] 
Trace 0: 0x7f755c009040 [00000000/c1040b8f/004002b0/ff020201] 
Trace 0: 0x7f755c10f9c0 [00000000/08049ec4/004002b3/ff020201] 
check_exception old: 0xffffffff new 0xe
    10: v=0e e=0004 i=0 cpl=3 IP=0073:08049ec4 pc=08049ec4 SP=007b:bffffd00 CR2=00000000
EAX=57420966 EBX=00000085 ECX=00000000 EDX=00000000
Trace 0: 0x7f755c10fb40 [00000000/c141f830/004002b0/ff020201] 
Trace 0: 0x7f1f3c13f3c0 [00000000/c1133b7a/004002b0/ff020201] 
Stopped execution of TB chain before 0x7f1f3c13f3c0 [c1133b7a] 
Trace 0: 0x7f1f3c13f3c0 [00000000/c1133b7a/004002b0/ff020201] 
Trace 0: 0x7f755c10fc00 [00000000/b7fff563/004002b3/ff020201] 
    11: v=80 e=0000 i=1 cpl=3 IP=0073:b7fff563 pc=b7fff563 SP=007b:bffff980 env->regs[R_EAX]=000000ad
EAX=000000ad EBX=00000085 ECX=00000000 EDX=00000000
Trace 0: 0x7f755c10fd00 [00000000/08049ec6/004002b3/ff020201] 
"""
FIRST, LAST = 0x8049ec2, 0x8049ec6


def cut(text, first=FIRST, last=LAST):
    cutter = execlog.Cutter(first, last)
    for line in text.splitlines():
        cutter.feed(line)
    return [list(path) for path in cutter.done]


class Log(unittest.TestCase):
    def test_counts_what_was_executed(self):
        self.assertEqual(cut(RECORDED), [[
            0x8049ec2, 0xc141fb04,
            0xc1040b8d,                     # a device: the second try
            0xc1040b8f, 0xc1040b8f,         # twice indeed
            0xc141f830,                     # the fault before it was not executed
            0xc1133b7a,                     # begun again
            0xb7fff563]])                   # a software interrupt was

    def test_a_call_of_the_monitor_was_executed(self):
        # Made of the recorded lines: INT $0x1f is a vector of exceptions, but software.
        text = RECORDED.replace("v=80", "v=1f")
        self.assertEqual(cut(text)[0][-1], 0xb7fff563)
        self.assertEqual(cut(text.replace("v=1f e=0000 i=1", "v=01 e=0000 i=0"))[0][-1],
                         0xb7fff563)
        self.assertEqual(cut(text.replace("v=1f e=0000 i=1", "v=0d e=0000 i=0"))[0][-1],
                         0xc1133b7a)

    def test_an_iteration_is_whole_or_not_there(self):
        lines = RECORDED.splitlines(True)
        self.assertEqual(cut("".join(lines[1:])), [])
        self.assertEqual(cut("".join(lines[:-1])), [])
        self.assertEqual(len(cut(RECORDED * 3)), 3)

    def test_the_first_iteration_is_left_out(self):
        cutter = execlog.Cutter(FIRST, LAST)
        for line in (RECORDED * 2).splitlines():
            cutter.feed(line)
        self.assertEqual(len(trace.usable(cutter)), 1)


# A kernel of two functions, three sites and two ops; and its ROM at 0xc00c8000.
KERNEL = """
	.text
	.globl	_stext, _etext, pv_op_info, __parainstructions, __parainstructions_end
_stext:
	.type	work.isra.0, @function
work.isra.0:
	mov	%eax,%ebx
.Ls1:	.byte	0x3e
	call	rom
	inc	%ebx
.Ls2:	.byte	0x3e,0x3e,0x3e,0x3e,0x3e
	cli
.Ls3:	.byte	0x8d,0x76,0
	ret
	.type	backend, @function
backend:
	nop
	ret
	.type	leave, @function
leave:
.Ls4:	jmp	iret
	int3
_etext:
	.set	rom, 0xc00c8100
	.set	iret, 0xc00c8110
	.section .rodata, "a"
.Ln0:	.asciz	"irq.disable"
.Ln1:	.asciz	"mmu.set_pud"
.Ln2:	.asciz	"irq.iret"
.Lconv:	.asciz	"STD"
.Lcli:	cli
.Lcli_end:
.Lir:	iret
.Lir_end:
pv_op_info:
	.long	.Ln0, 0, .Lconv, .Lcli, .Lcli_end
	.long	.Ln1, 1, .Lconv, backend, 0
	.long	.Ln2, 2, .Lconv, .Lir, .Lir_end
	.size	pv_op_info, . - pv_op_info
	.type	pv_op_info, @object
__parainstructions:
	.long	.Ls1
	.byte	1, 6, 0, 0
	.long	.Ls2
	.byte	0, 6, 0, 0
	.long	.Ls3
	.byte	0, 3, 0, 0
	.long	.Ls4
	.byte	2, 6, 0, 0
__parainstructions_end:
"""
ROM = 0xc00c8000
WORK = 0xc1000000
# mov; call; in the ROM: two and its return; inc; cli; lea; ret
PATH = [WORK, WORK + 2, ROM + 0x100, ROM + 0x102, WORK + 8, WORK + 9, WORK + 15, WORK + 18]


def assemble(where):
    """The made kernel's vmlinux."""
    source, obj, out = (os.path.join(where, n) for n in ("k.S", "k.o", "vmlinux"))
    with open(source, "w", encoding="utf-8") as f:
        f.write(KERNEL)
    subprocess.run(["as", "--32", "-o", obj, source], check=True)
    subprocess.run(["ld", "-m", "elf_i386", "-Ttext=0xc1000000", "-Tdata=0xc1100000", "-e", "0",
                    "--no-warn-rwx-segments", "-o", out, obj], check=True)
    return out


class Made(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.dir.cleanup)
        cls.vmlinux = assemble(cls.dir.name)
        cls.elf = elf32.Elf32(cls.vmlinux)

    def side(self, name, path, sites=True):
        start, count = attribute.kernel_text(self.elf)
        rom = bytearray(0x200)
        rom[0x114] = attribute.IRET
        memory = [(start, self.elf.read(start, count)), (ROM, bytes(rom))]
        regions = list(attribute.sections_of(self.elf)) + [attribute.Region(
            ROM, ROM + 0x200, [(ROM + 0x100, "call_SetPxE"), (ROM + 0x110, "call_IRET")], "ROM: ")]
        where = attribute.Map(regions, attribute.sites_of(self.elf) if sites else {}, memory)
        traced = trace.Traced(path, {"min": len(path), "med": len(path) + 1, "n": 9}, 3, 0, memory)
        return types.SimpleNamespace(name=name, traced=traced, where=where,
                                     functions=attribute.by_function(path, where),
                                     sites=attribute.by_site(path, where))


class Attribution(Made):
    def test_reads_ops_and_sites_from_the_kernel(self):
        sites = attribute.sites_of(self.elf)
        self.assertEqual([(s.start, s.end, s.op.name, s.op.form, s.op.native)
                          for s in sites.values()],
                         [(WORK + 2, WORK + 8, "mmu.set_pud", "call", None),
                          (WORK + 9, WORK + 15, "irq.disable", "inline", b"\xfa"),
                          (WORK + 15, WORK + 18, "irq.disable", "inline", b"\xfa"),
                          (WORK + 21, WORK + 27, "irq.iret", "jump", b"\xcf")])

    def test_counts_by_function_without_the_compilers_suffixes(self):
        side = self.side("vmi", PATH + [0x8048000, 0xfc000010])
        self.assertEqual(side.functions, collections.Counter(
            {"work": 6, "ROM: call_SetPxE": 2, "(user)": 1,
             "(no symbols, page 0xfc000000)": 1}))

    def test_a_site_costs_what_it_calls(self):
        costs = {site.start: c for (_, site), c in self.side("vmi", PATH * 2).sites.items()}
        self.assertEqual([(c.times, c.instructions, c.own, dict(c.called)) for c in
                          (costs[WORK + 2], costs[WORK + 9], costs[WORK + 15])],
                         [(2, 6, 2, {"ROM: call_SetPxE": 4}), (2, 2, 2, {}), (2, 2, 2, {})])

    def test_a_jump_ends_with_its_iret(self):
        path = [WORK + 21, ROM + 0x110, ROM + 0x114, WORK, 0x8048000]
        (cost,) = self.side("vmi", path).sites.values()
        self.assertEqual((cost.times, cost.instructions), (1, 3))

    def test_an_interrupt_after_an_inline_site_is_not_its_cost(self):
        (cost, *_) = self.side("vmi", [WORK + 9 + 5, *PATH[:1], WORK + 9, WORK + 19]).sites.values()
        self.assertEqual((cost.times, cost.instructions), (1, 1))

    def test_a_monitors_code_is_read_from_its_file(self):
        with tempfile.TemporaryDirectory() as where:
            os.mkdir(os.path.join(where, "m.img"))
            os.symlink(self.vmlinux, os.path.join(where, "m.img", "image.elf"))
            memory = []
            regions = explain.rom_regions(types.SimpleNamespace(rom=os.path.join(where, "m.rom")),
                                          memory)
        self.assertEqual(attribute.Map(regions, {}, memory).name(WORK), "monitor: work")
        self.assertEqual(attribute.Map(regions, {}, memory).byte(WORK + 14), 0xfa)

    def test_finds_the_rom_by_its_code(self):
        image = bytes([0x55, 0xaa, 3]) + bytes(range(1, 250)) * 4
        memory = [(0xc00c0000, bytes(0x8000) + b"\x55\xaa" + bytes(0x7fe) + image)]
        self.assertEqual(attribute.find_rom(memory, image), 0xc00c8800)
        self.assertIsNone(attribute.find_rom(memory, image[::-1]))


class Tables(Made):
    def shown(self, sides, everything=False):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            explained.show(sides, everything, 5)
        return out.getvalue()

    def test_show_functions_sites_and_code(self):
        bare = [pc for pc in PATH if pc not in (WORK + 2, ROM + 0x100, ROM + 0x102, WORK + 15)]
        text = self.shown([self.side("baseline", bare, False), self.side("vmi", PATH)])
        self.assertIn("vmi: 8 instructions, the shortest of 3 traced iterations; "
                      "the row alone: minimum 8, median 9\n", text)
        self.assertNotIn("against the minimum", text)
        table = [line.split() for line in text.splitlines()]
        at = table.index(["baseline", "vmi", "more", "function"])
        self.assertEqual(table[at + 1:at + 4], [["0", "2", "+2", "ROM:", "call_SetPxE"],
                                                ["4", "6", "+2", "work"],
                                                ["4", "8", "+4", "all,", "ratio", "0.5000"]])
        self.assertIn("     1       3      -  mmu.set_pud, in work: ROM: call_SetPxE 2\n", text)
        self.assertIn("     2       2     +0  irq.disable, in work\n", text)
        self.assertIn("work: 4 -> 6; times, instruction (- baseline, + vmi)\n"
                      "  +     1 c1000002 ds call ROM: call_SetPxE   (mmu.set_pud)\n"
                      "  +     1 c100000f lea 0x0(%esi),%esi   (irq.disable)\n", text)

    def test_say_when_the_path_is_another(self):
        side = self.side("vmi", PATH)
        side.traced.figures["min"] = 7
        self.assertIn("vmi: +1 against the minimum", "\n".join(explained.head(side)))

    def test_say_when_user_code_is_not_traced(self):
        side = self.side("vmi", PATH)
        side.traced.unseen, side.traced.figures["min"] = 92, 100
        self.assertIn("vmi: 100 instructions", explained.head(side)[0])
        self.assertIn("the kernel's 8 leave", explained.head(side)[1])

    def test_padding_is_no_difference(self):
        self.assertEqual(code_diff.shape("ds ds ds mov %edx,%ds:(%eax)"),
                         code_diff.shape("mov %ecx,(%esi)"))
        self.assertNotEqual(code_diff.shape("mov %edx,(%eax)"), code_diff.shape("mov (%eax),%edx"))


class Elf(Made):
    def test_refuses_what_is_no_kernel_with_symbols(self):
        with self.assertRaisesRegex(elf32.ElfError, "no 32-bit ELF file"):
            elf32.Elf32(__file__)
        with self.assertRaisesRegex(elf32.ElfError, "/no/such: No such file"):
            elf32.Elf32("/no/such")
        with open(self.vmlinux, "rb") as f:
            data = f.read()
        with tempfile.NamedTemporaryFile() as f:
            f.write(data[:200])
            f.flush()
            with self.assertRaisesRegex(elf32.ElfError, "cut short"):
                elf32.Elf32(f.name)
        with tempfile.NamedTemporaryFile() as f:
            f.write(data.replace(b"_stext\0", b"_other\0"))
            f.flush()
            with self.assertRaisesRegex(elf32.ElfError, "not a kernel with symbols"):
                attribute.kernel_text(elf32.Elf32(f.name))


class Command(Made):
    """One line and exit 2 for bad input; nothing is booted but where `boot` is faked."""

    def run_it(self, *words, boot=None):
        with tempfile.TemporaryDirectory() as out:
            kernel = os.path.join(out, "linux-6.1/baseline-pae-smp")
            os.makedirs(os.path.join(kernel, "arch/x86/boot"))
            with open(os.path.join(kernel, "arch/x86/boot/bzImage"), "wb"):
                pass
            os.symlink(self.vmlinux, os.path.join(kernel, "vmlinux"))
            said = io.StringIO()
            argv = ["explain.py", "--out", out, *words]
            unit = units.Unit("micro", ("segv",), "/no/program")
            with mock.patch.object(sys, "argv", argv), \
                 mock.patch.object(units, "load", lambda name, out: unit), \
                 mock.patch.object(trace, "row_marks", lambda program, row: [1, 2]), \
                 mock.patch.object(boots, "boot", boot), \
                 contextlib.redirect_stderr(said):
                status = explain.main()
            self.assertEqual(said.getvalue().count("\n"), 1, said.getvalue())
            return status, said.getvalue()

    def test_unknown_row(self):
        status, said = self.run_it("--row", "nope", "--kernel", "baseline")
        self.assertEqual(status, 2)
        self.assertRegex(said, "^explain: no row nope; there are getppid ")

    def test_unknown_configuration_and_rom(self):
        self.assertEqual(self.run_it("--row", "segv", "--kernel", "nope")[0], 2)
        status, said = self.run_it("--row", "segv", "--kernel", "baseline", "--rom", "nope")
        self.assertEqual(status, 2)
        self.assertRegex(said, "^explain: ROM nope: no file .*/rom/nope.rom$")

    def test_kernels_that_cannot_be_explained(self):
        for name, why in (("stock64_on", "not an i386 kernel"), ("vmi", "no file .*bzImage"),
                          ("./" + os.path.basename(__file__), "no file|no vmlinux beside"),
                          (__file__, "no vmlinux beside")):
            status, said = self.run_it("--row", "segv", "--kernel", name, "--base", "baseline")
            self.assertEqual(status, 2, name)
            self.assertRegex(said, "^explain: .*(%s)" % why)

    def test_a_boot_that_fails(self):
        def fail(machine, *rest):
            raise boots.BootError(machine.name + ": QEMU status 1; see a.log")
        status, said = self.run_it("--row", "segv", "--kernel", "baseline", boot=fail)
        self.assertEqual((status, said), (2, "explain: baseline: QEMU status 1; see a.log\n"))


class Marks(unittest.TestCase):
    def test_wants_the_two_rdtsc_of_the_row(self):
        with tempfile.TemporaryDirectory() as where:
            source, obj = os.path.join(where, "p.S"), os.path.join(where, "p")
            with open(source, "w", encoding="utf-8") as f:
                f.write("\t.globl run_a, run_b\n\t.type run_a, @function\nrun_a:\trdtsc\n\tnop\n"
                        "\trdtsc\n\tret\n\t.size run_a, . - run_a\n"
                        "\t.type run_b, @function\nrun_b:\trdtsc\n\tret\n\t.size run_b, . - run_b\n")
            subprocess.run(["as", "--32", "-o", obj, source], check=True)
            self.assertEqual(trace.row_marks(obj, "a"), [0, 3])
            for row, count in (("b", 1), ("c", 0)):
                with self.assertRaisesRegex(trace.TraceError, f"run_{row} has {count} rdtsc"):
                    trace.row_marks(obj, row)


if __name__ == "__main__":
    unittest.main()
