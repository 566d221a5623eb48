#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that the documents speak of things that exist.

Owns: names in backticks (files, functions, ops, configuration symbols, make
      targets), links between documents, the list of stock files in
      `docs/porting.md`, and `docs/ops.md`, which is expanded from the op list.
Not here: whether a sentence is true.
Runs: `doccheck.py`; `doccheck.py --write` writes `docs/ops.md` anew.
Fails: exit 1; one line per finding, the closing line counts documents.
"""
import os
import re
import subprocess
import sys

from overlay_plan import overlay_files, read, series, touched

PROJECT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIST, OPS, PORTING = "include/asm/pv_list.h", "docs/ops.md", "docs/porting.md"
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
CALL = re.compile(r"(?<![\w>])(\w+)\(\)")
NAME = re.compile(r"[\w./+-]+")
ENDINGS = (".c", ".h", ".S", ".py", ".md", ".config", ".ini", ".patch", ".lds")
# Made by a build, or part of a running system.
ELSEWHERE = ("build/", "/sys/", "/usr/", "/proc/", ".paravirt-overlay/")
OP = re.compile(r'^PV_OP\((\w+), (\w+), +(\w+), +(\w+), +(\w+), +'
                r'(\([^)]*\)), +("[^"]*"|\w+), +(\w+), +(\w+)\)$', re.M)
GROUPS = ("irq", "cpu", "mmu", "lock")
STOCK_ROW = re.compile(r"^\| `([^`]+)` \| (\d{4}[\d, ]*) \|", re.M)


def text_of(path):
    return (read(os.path.join(PROJECT, path)) or b"").decode("utf-8", "replace")


class Project:
    """What there is to be named."""

    def __init__(self):
        done = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=PROJECT,
                              text=True, capture_output=True, check=True)
        self.files = {p for p in done.stdout.splitlines()
                      if os.path.isfile(os.path.join(PROJECT, p))}
        self.documents = sorted(p for p in self.files
                                if p == "README.md" or re.fullmatch(r"docs/[\w-]+\.md", p))
        self.versions = sorted({p.split("/")[1] for p in self.files if p.startswith("patches/")})
        self.stock = {v: set(touched(series(PROJECT, v))) for v in self.versions}
        self.paths = self.files | set(overlay_files(PROJECT)) | set().union(*self.stock.values())
        self.names = {os.path.basename(p) for p in self.paths}
        source = "\n".join(text_of(p) for p in sorted(self.files - set(self.documents)))
        self.words = set(re.findall(r"\w+", source))
        self.symbols = self.words | {"CONFIG_" + s for s in
                                     re.findall(r"^\+config (\w+)", source, re.M)}
        ops = OP.findall(text_of(LIST))
        self.ops = {"%s.%s" % op[:2] for op in ops}
        self.targets = set(re.findall(r"[\w-]+", " ".join(
            re.findall(r"^\.PHONY:((?:.*\\\n)*.*)", text_of("Makefile"), re.M))))

    def has_path(self, path):
        path = path.rstrip("/")
        if path in self.paths or any(p.startswith(path + "/") for p in self.paths):
            return True
        return "/" not in path and path in self.names


def missing_name(project, span):
    """What is wrong with the text between two backticks, or None."""
    if re.fullmatch(r"[A-Za-z]\w*_\w+", span) and not span.startswith("CONFIG_"):
        known = span in project.words or "CONFIG_" + span in project.symbols
        return None if known else "no name %s" % span
    if re.fullmatch(r"CONFIG_\w+", span):
        return None if span in project.symbols else "no symbol %s" % span
    target = re.match(r"make (?:-C \S+ )?([a-z][\w-]*)", span)
    if target:
        known = project.targets | {"menuconfig", "olddefconfig"}
        return None if target.group(1) in known else "no target: %s" % span
    if re.fullmatch(r"(%s)\.\w+" % "|".join(GROUPS), span) and not span.endswith(ENDINGS):
        return None if span in project.ops else "no op %s" % span
    if not NAME.fullmatch(span) or span.startswith(ELSEWHERE):
        return None
    if span.endswith(ENDINGS) or "/" in span.strip("/") or span.endswith("/"):
        return None if project.has_path(span) else "no file %s" % span
    return None


def check_document(project, path):
    fenced = False
    for number, line in enumerate(text_of(path).splitlines(), 1):
        fenced ^= line.startswith("```")
        if fenced:
            continue
        for name in CALL.findall(line):
            if name not in project.words:
                yield "%s:%d: no function %s()" % (path, number, name)
        for span in SPAN.findall(line):
            why = missing_name(project, span)
            if why:
                yield "%s:%d: %s" % (path, number, why)
        for link in LINK.findall(line):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link))
            if not project.has_path(target):
                yield "%s:%d: link to %s, which does not exist" % (path, number, link)


def patches_by_file(version):
    """{stock file: numbers of the patches that touch it}"""
    found = {}
    for patch in series(PROJECT, version):
        for path in touched([patch]):
            found.setdefault(path, []).append(os.path.basename(patch)[:4])
    return found


def check_stock_files(project):
    """The table of docs/porting.md is that of the series, no more, no less."""
    rows = STOCK_ROW.findall(text_of(PORTING))
    listed = dict(rows)
    for path in sorted({p for p, _ in rows if [q for q, _ in rows].count(p) > 1}):
        yield "%s: the table has %s twice" % (PORTING, path)
    # The table is of the oldest version; a later series gets one of its own.
    real = {p: ", ".join(n) for p, n in patches_by_file(project.versions[0]).items()}
    for path in sorted(set(real) | set(listed)):
        if real.get(path) != listed.get(path):
            yield "%s: %s: the table has patches %s, the series has %s" % (
                PORTING, path, listed.get(path, "none"), real.get(path, "none"))


def params(text):
    """'(2, u32, val, pte_t *, ptep)' -> 'u32 val, pte_t *ptep'"""
    words = [w.strip() for w in text.strip("()").split(",")][1:]
    pairs = zip(words[::2], words[1::2])
    return ", ".join((t + n) if t.endswith("*") else "%s %s" % (t, n) for t, n in pairs)


def condition(stack):
    return " && ".join(stack).replace("CONFIG_", "")


def ops_document():
    """docs/ops.md: the list as tables, a condition column for what is conditional."""
    out = ["<!-- Written by scripts/doccheck.py --write; do not edit. -->", "", "# Ops", "",
           "One row per line of `include/asm/pv_list.h`, which explains the columns.", ""]
    stack = []
    for line in text_of(LIST).splitlines():
        m = re.match(r"#(ifdef|if|ifndef|else|endif)\b *(.*)", line)
        group = re.match(r"PV_GROUP\((\w+)\)", line)
        op = OP.match(line)
        if m and m.group(1) in ("ifdef", "if"):
            stack.append(m.group(2).replace("defined", "").replace("(", "").replace(")", ""))
        elif m and m.group(1) == "ifndef":
            stack.append("!" + m.group(2))
        elif m and m.group(1) == "else":
            stack[-1] = "!" + stack[-1]
        elif m:
            stack.pop()
        elif group:
            out += ["", "## %s" % group.group(1), "",
                    "| op | form | conv | result | parameters | native | under VMI | only if |",
                    "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        elif op:
            g, s, form, conv, result, args, native, vmi, call = op.groups()
            native = "`%s`" % native.strip('"').replace("%%", "%") if native != '""' else "-"
            under = "as native" if vmi == "SAME" else "%s %s" % (vmi, call)
            out.append("| %s.%s | %s | %s | %s | %s | %s | %s | %s |" % (
                g, s, form, conv, result, params(args).replace("|", "\\|") or "-", native,
                under, condition(stack)))
    return "\n".join(out).replace("\n\n\n", "\n\n") + "\n"


def check_ops():
    lines = len(re.findall(r"^PV_OP\(", text_of(LIST), re.M))
    if lines != len(OP.findall(text_of(LIST))):
        yield "%s: a line that this script cannot read" % LIST
    if text_of(OPS) != ops_document():
        yield "%s: differs from %s; run scripts/doccheck.py --write" % (OPS, LIST)


def findings():
    """One line for everything in the documents that does not exist."""
    project = Project()
    found = [f for path in project.documents for f in check_document(project, path)]
    return found + list(check_stock_files(project)) + list(check_ops())


def main():
    if sys.argv[1:] == ["--write"]:
        with open(os.path.join(PROJECT, OPS), "w", encoding="ascii") as f:
            f.write(ops_document())
        return 0
    if sys.argv[1:]:
        print("usage: doccheck.py [--write]", file=sys.stderr)
        return 2
    found = findings()
    for line in found:
        print("doccheck: %s" % line)
    documents = Project().documents
    bad = {line.split(":")[0] for line in found}
    print("doccheck: %d passed, %d failed" % (len(set(documents) - bad), len(bad)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
