#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computed nodes that are not what their bytecode does are refused: gen_ir_values.py is given some, each with one mistake."""
import subprocess
import sys
import tempfile
from pathlib import Path

from findings import ROOT, build_tree, finish

TABLES = ("ir_ops.def", "semantics.def")
ADD, ADD_ROW = "inst iadd (I x, I y -- I r) { r = ", 'IR_COMPUTED(AddI, iadd, "II", I, IRF_COMMUTES)'
# the table, what stands in it, what is planted in its place, what the generator must say
MISTAKES = [
    ("ir_ops.def", ADD_ROW, 'IR_COMPUTED(AddI, iadds, "II", I, 0)', "AddI: iadds has no definition"),
    ("ir_ops.def", ADD_ROW, 'IR_COMPUTED(AddI, isub, "II", I, 0)', "isub has two rows"),
    ("ir_ops.def", ADD_ROW, 'IR_COMPUTED(AddI, iadd, "IL", I, 0)', "iadd makes I of II, the row says I of IL"),
    ("ir_ops.def", ADD_ROW, 'IR_COMPUTED(AddI, iadd, "II", L, 0)', "iadd makes I of II, the row says L of II"),
    ("ir_ops.def", ADD_ROW, 'IR_COMPUTED(AddI, iadd)', "a row of IR_COMPUTED cannot be read"),
    ("ir_ops.def", ADD_ROW, 'IR_COMPUTED(AddI, arraylength, "A", I, 0)', "arraylength does more than to give one value"),
    ("semantics.def", ADD, "inst iadd (I y, I x -- I r) { r = ", "iadd does more than to give one value of x and y"),
    ("semantics.def", ADD, "inst iadd (I x, I y -- I r) { x++; r = ", "iadd does more than to give one value of x and y"),
]


def generator_says(texts, scratch):
    for name, text in texts.items():
        (scratch / name).write_text(text, encoding="utf-8")
    made = scratch / "values.inc"
    done = subprocess.run([sys.executable, ROOT / "tools/gen_ir_values.py", *(scratch / name for name in TABLES), made],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "nothing"
    return "something, but makes the file" if made.exists() else done.stderr


def main():
    build_tree(__doc__)
    texts = {name: (ROOT / "spec" / name).read_text(encoding="utf-8") for name in TABLES}
    findings = []
    for name, old, new, expected in MISTAKES:
        if old not in texts[name]:
            sys.exit(f"{name} has no {old}")
        with tempfile.TemporaryDirectory() as scratch:
            said = generator_says(texts | {name: texts[name].replace(old, new, 1)}, Path(scratch))
        if expected not in said:
            findings.append(f"{name} with {new}: gen_ir_values.py says {said.strip()}, not {expected}")
    finish(findings, f"values of nodes: {len(MISTAKES)} mistakes are refused")


main()
