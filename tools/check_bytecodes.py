#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A table of the instruction set with a mistake is refused: gen_bytecodes.py is given some, each with one."""
import subprocess
import sys
import tempfile
from pathlib import Path

from findings import ROOT, build_tree, finish

TABLE = ROOT / "spec/bytecodes.def"
# name of a row, what stands in it, what is planted in its place ("": the row goes), what the generator must say
MISTAKES = [
    ("iadd", None, "", "opcode 96 has 0 rows"),
    ("iadd", "BYTECODE(96,", "BYTECODE(97,", "opcode 97 has 2 rows"),
    ("swap", "BYTECODE(95,", "BYTECODE(202,", "there is no opcode 202"),
    ("nop", '"", "", 0)', '"", 0)', "not a row"),
    ("iadd", '"II>I"', '"II>Q"', "a letter without a meaning"),
    ("iadd", '"II>I"', '"III"', "no single >"),
    ("dup", '"x>xx"', '"x>xy"', "words are pushed that were not popped"),
    ("swap", '"xy>yx"', '"xI>Ix"', "stand beside kinds"),
    ("iadd", '"II>I"', '"II>V"', "a constant that no operand names"),
    ("invokestatic", '"(>)"', '">)"', "a call pops arguments"),
    ("getstatic", "BCF_THROWS", "BCF_THROWS | BCF_CALL", "a call pops arguments"),
    ("multianewarray", '"N>A"', '"I>A"', "N needs a count"),
    ("iload", '"rI"', '""', "the local column is empty"),
    ("iload", '"rI"', '"rI1"', "the index of the local"),
    ("iload_1", '"rI1"', '"rI"', "the index of the local"),
    ("fstore", '"wF"', '"wI"', "the local is of kind I"),
    ("iload", '"rI"', '"xI"', "has no meaning"),
    ("ifeq", "BCF_BRANCH", "0", "has a target and is none"),
    ("iadd", ", 0)", ", BCF_BRANCH)", "a branch without a target"),
    ("ifeq", '"=="', '""', "has a condition"),
    ("goto", '"", BCF_BRANCH', '"==", BCF_BRANCH', "has a condition"),
    ("ifeq", '"=="', '"="', "the condition = has no meaning"),
    ("jsr", " | BCF_JSR", "", "jsr pushes a return address"),
    ("ret", " | BCF_RET", "", "ret reads one"),
    ("athrow", "BCF_END", "BCF_ENDS", "unknown flags"),
]


def planted(text, name, old, new):
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if f", {name}," in line)
    if old is not None and old not in lines[at]:
        sys.exit(f"{name} has no {old}")
    lines[at] = lines[at].replace(old, new) if old is not None else new
    return "\n".join(lines) + "\n"


def generator_says(text, scratch):
    table = Path(scratch) / "bytecodes.def"
    table.write_text(text, encoding="utf-8")
    made = Path(scratch) / "table.c"
    done = subprocess.run([sys.executable, ROOT / "tools/gen_bytecodes.py", table, made], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "nothing"
    return done.stderr if not made.exists() else "something, but makes a table"


def main():
    build_tree(__doc__)
    text = TABLE.read_text(encoding="utf-8")
    findings = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, old, new, expected in MISTAKES:
            said = generator_says(planted(text, name, old, new), scratch)
            if expected not in said:
                findings.append(f"{name} with {new or 'no row'}: gen_bytecodes.py says {said.strip()}, not {expected}")
    finish(findings, f"bytecodes: {len(MISTAKES)} mistakes are refused")


main()
