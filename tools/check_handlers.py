#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Definitions of instructions with a mistake are refused: gen_handlers.py is given some, each with one."""
import subprocess
import sys
import tempfile
from pathlib import Path

from findings import ROOT, build_tree, finish

SPEC = ROOT / "spec"
TABLES = ("semantics.def", "bytecodes.def", "quick_ops.def", "fused_ops.def")
# the table, what stands in it, what is planted in its place, what the generator must say
MISTAKES = [
    ("semantics.def", "inst iadd {", "inst {", "not a definition"),
    ("semantics.def", "inst isub {", "inst iadd {", "isub has no definition"),
    ("semantics.def", "inst isub {", "inst iadd {", "iadd has 2 definitions"),
    ("semantics.def", "inst isub {", "inst isub iadds {", "there is no instruction iadds"),
    ("semantics.def", "inst isub {", "inst isub iload {", "iload is decoded to load1 and has a definition"),
    ("semantics.def", "decode iaload: faload", "", "faload has no definition"),
    ("semantics.def", "decode iaload: faload", "decode iaload: faload faload", "faload is decoded twice"),
    ("semantics.def", "decode iaload: faload", "decode ialoads: faload", "faload becomes ialoads"),
    ("semantics.def", "decode iaload: faload", "decode iaload: faload faloads", "there is no bytecode faloads"),
    ("semantics.def", "[event return_event]", "[events return_event]", "there is no table events"),
    ("quick_ops.def", "QUICK(new_quick,        new)", "", "there is no instruction new_quick"),
    ("quick_ops.def", "QUICK(new_quick,", "QUICK(new_quicker,", "new_quicker has no definition"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_load1)", "ll has 1 parts"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_load1, OP_load3)", "there is no instruction load3"),
]


def generator_says(texts, scratch):
    for name, text in texts.items():
        (scratch / name).write_text(text, encoding="utf-8")
    made = [scratch / "dispatch.inc", scratch / "handlers.inc"]
    done = subprocess.run([sys.executable, ROOT / "tools/gen_handlers.py", *(scratch / name for name in TABLES), *made],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "nothing"
    return done.stderr if not any(path.exists() for path in made) else "something, but makes files"


def main():
    build_tree(__doc__)
    texts = {name: (SPEC / name).read_text(encoding="utf-8") for name in TABLES}
    findings = []
    for name, old, new, expected in MISTAKES:
        if old not in texts[name]:
            sys.exit(f"{name} has no {old}")
        with tempfile.TemporaryDirectory() as scratch:
            said = generator_says(texts | {name: texts[name].replace(old, new, 1)}, Path(scratch))
        if expected not in said:
            findings.append(f"{name} with {new or 'no row'}: gen_handlers.py says {said.strip()}, not {expected}")
    finish(findings, f"handlers: {len(MISTAKES)} mistakes are refused")


main()
