#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Overhead of kernels against a baseline, in executed guest instructions.

Usage: bench/quick.py --program build/user/bench [options] NAME=bzImage...
The first kernel is the baseline; it is also measured against itself.

Owns: the command line, running boots side by side, the result files.
Not here: a boot (`boots.py`), statistics and judgement (`compare.py`).
Exit status: 0 all ratios reach the floor, 1 some do not, 2 no result.
"""
import argparse
import concurrent.futures
import json
import os
import sys

import boots
import compare

NOTE = """Ratio of executed guest instructions, baseline / this kernel, so 0.99 means 1 %
more instructions. Instructions are not cycles. QEMU TCG, `-icount shift=0`,
{boots} boots per kernel that differ only in the length of the command line and
of the initramfs. nforkwait, mmap and exec: median over boots, 95 % interval; the
other rows: minimum over single iterations. `A/A` is the baseline against itself.
"""


def floors(text):
    """{row: ratio} of 'getppid=0.94,mmap=0.6'."""
    found = dict(part.split("=", 1) for part in text.split(","))
    unknown = set(found) - set(boots.ROWS)
    if unknown:
        raise argparse.ArgumentTypeError("no row %s; there are %s" % (
            " ".join(sorted(unknown)), " ".join(boots.ROWS)))
    return {row: float(ratio) for row, ratio in found.items()}


def arguments():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--program", required=True, help="the in-guest program")
    p.add_argument("--out", default="build/bench", help="result directory")
    p.add_argument("--boots", type=int, default=6, help="boots per kernel")
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--timeout", type=int, default=120, help="seconds per boot")
    p.add_argument("--floor", type=float, default=0.985, help="lowest ratio")
    p.add_argument("--floors", type=floors, default={}, metavar="ROW=RATIO,...",
                   help="floors of single rows")
    p.add_argument("--label", default="bench-quick", help="begin of the closing lines")
    p.add_argument("--text-most", type=float, default=1.5,
                   help="largest growth of vmlinux text in per cent")
    p.add_argument("kernels", nargs="+", metavar="NAME=bzImage")
    args = p.parse_args()
    if not os.path.isfile(args.program):
        p.error(f"no file {args.program}: build it with "
                "make -C bench/guest O=<absolute directory>")
    if args.boots < 2:
        p.error(f"--boots {args.boots}: an interval needs 2 or more")
    try:
        args.kernels = [boots.Kernel(k) for k in args.kernels]
    except ValueError as e:
        p.error(str(e))
    names = [k.name for k in args.kernels]
    if len(set(names)) < len(names) or "A/A" in names:
        p.error("kernel names must differ, and none may be A/A")
    return args


def measure(args):
    """{name: [boot, ...]}; A/A holds the baseline's second set."""
    work = os.path.join(args.out, "log")
    os.makedirs(work, exist_ok=True)
    plan = [(k.name, k, i) for i in range(args.boots) for k in args.kernels]
    plan += [("A/A", args.kernels[0], args.boots + i) for i in range(args.boots)]
    figures = {}
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        futures = [(name, pool.submit(boots.boot, k, args.program, i, work,
                                      args.timeout))
                   for name, k, i in plan]
        try:
            for name, future in futures:
                figures.setdefault(name, []).append(future.result())
        except boots.BootError:
            pool.shutdown(cancel_futures=True)
            raise
    return figures


def judge(args, results, texts):
    """Lines that say what falls short; empty when nothing does."""
    base = args.kernels[0].name
    short = []
    for name, rows in results.items():
        short += compare.shortfalls(name, rows, args.floor, args.floors)
        if texts.get(base) and texts.get(name):
            growth = (texts[name] / texts[base] - 1) * 100
            if growth > args.text_most:
                short.append(f"{name}: text {texts[base]} -> {texts[name]} bytes, "
                             f"{growth:+.2f} % is above {args.text_most} %")
    return short


def write_results(args, figures, results, texts):
    base = args.kernels[0].name
    text = (NOTE.format(boots=args.boots) + "\n"
            + compare.table(base, results, texts))
    with open(os.path.join(args.out, "quick.md"), "w") as f:
        f.write(text)
    with open(os.path.join(args.out, "quick.json"), "w") as f:
        json.dump({"baseline": base, "boots": args.boots, "floor": args.floor,
                   "results": results, "text_bytes": texts, "figures": figures},
                  f, indent=1)
    print(text, end="")


def main():
    args = arguments()
    try:
        figures = measure(args)
    except boots.BootError as e:
        print(f"{args.label}: {e}", file=sys.stderr)
        return 2
    base = figures[args.kernels[0].name]
    results = {name: compare.compare(base, figures[name])
               for name in ["A/A"] + [k.name for k in args.kernels[1:]]}
    texts = {k.name: compare.text_bytes(k.vmlinux)
             for k in args.kernels if k.vmlinux}
    write_results(args, figures, results, texts)
    short = judge(args, results, texts)
    for line in short:
        print(f"{args.label}: {line}")
    print(f"{args.label}: {len(short)} below the floor" if short else
          f"{args.label}: all ratios reach their floors")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
