#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Definitions of instructions with a mistake are refused: gen_handlers.py is given some, each with one."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from findings import ROOT, build_tree, finish

SPEC = ROOT / "spec"
TABLES = ("semantics.def", "bytecodes.def", "quick_ops.def", "fused_ops.def")
# the table, what stands in it, what is planted in its place, what the generator must say
MISTAKES = [
    ("semantics.def", "inst iadd (I x, I y -- I r)", "inst iadd", "not a definition"),
    ("semantics.def", "inst isub ", "inst iadd ", "isub has no definition"),
    ("semantics.def", "inst isub ", "inst iadd ", "iadd has 2 definitions"),
    ("semantics.def", "inst isub ", "inst isub iadds ", "there is no instruction iadds"),
    ("semantics.def", "inst isub ", "inst isub iload ", "iload is decoded to load1 and has a definition"),
    ("semantics.def", "decode iaload: faload", "", "faload has no definition"),
    ("semantics.def", "decode iaload: faload", "decode iaload: faload faload", "faload is decoded twice"),
    ("semantics.def", "decode iaload: faload", "decode ialoads: faload", "faload becomes ialoads"),
    ("semantics.def", "decode iaload: faload", "decode iaload: faload faloads", "there is no bytecode faloads"),
    ("semantics.def", "decode iaload: faload", "decode laload: faload", "laload, decoded of faload, pushes J"),
    ("semantics.def", "[event return_event]", "[events return_event]", "there is no table events"),
    ("semantics.def", "stores: array_set_ref", "store: array_set_ref", "there is no list store"),
    ("quick_ops.def", "QUICK(new_quick,        new)", "", "there is no instruction new_quick"),
    ("quick_ops.def", "QUICK(new_quick,", "QUICK(new_quicker,", "new_quicker has no definition"),
    ("quick_ops.def", 'getfield, "IF")', 'getfield, "I")', "getfield has 0 forms for fields of kind F"),
    ("quick_ops.def", 'getfield, "C")', 'getfield, "CI")', "getfield has 2 forms for fields of kind I"),
    ("quick_ops.def", 'getfield, "IF")', 'getfield, "IJ")', "getfield_int moves I of a field of kind J"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_load1)", "ll has 1 parts"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_load1, OP_load3)", "there is no instruction load3"),
    # effects, locals, flags
    ("semantics.def", "inst iadd (I x, I y -- I r)", "inst iadd (I x, I y -- J r)", "iadd pushes J, its row says I"),
    ("semantics.def", "inst iadd (I x, I y -- I r)", "inst iadd (I y -- I r)", "iadd pops I, its row says II"),
    ("semantics.def", "inst getfield_int (A o -- I r)", "inst getfield_int (I o -- I r)", "getfield_int pops I, its row says A"),
    ("semantics.def", "(S x, S y -- S y, S x)", "(S x, S y -- S x, S y)", "swap moves its operands otherwise"),
    ("semantics.def", "inst iadd (I x", "inst iadd (Q x", "there is no kind Q"),
    ("semantics.def", "{ locals[insn->a] = x; }", "{ }", "store1 does to locals"),
    ("semantics.def", "JUMP_IF(x < 0)", "JUMP_IF(x <= 0)", "iflt jumps on another condition than <"),
    ("semantics.def", "JUMP_IF(x < 0);", "", "iflt jumps and its row has no BCF_BRANCH, or the reverse"),
    ("bytecodes.def", '"II>I", "", "", BCF_THROWS', '"II>I", "", "", 0', "idiv throws and its row"),
    ("semantics.def", "CHECK_ZERO(y); r = java_idiv", "r = java_idiv", "idiv throws and its row"),
    ("semantics.def", "CHECK_NULL(o); THROW(throw_object(self, o));", "CHECK_NULL(o);", "athrow ends a block"),
    ("bytecodes.def", "BCF_THROWS | BCF_CALL", "BCF_THROWS", "calls and its row has no BCF_CALL"),
    ("semantics.def", "inst nop (--) { }", "inst nop (like) { }", "nop is like another instruction, but does not go there"),
    # bodies
    ("semantics.def", "r = java_lcmp(x, y)", "r = java_lcmps(x, y)", "lcmp calls java_lcmps, which no list has"),
    ("semantics.def", "    SAVE();\n    o = array_new_raw", "    o = array_new_raw", "calls array_new_raw before SAVE()"),
    ("semantics.def", "    CONTINUE_IF(frame_enter_monitor(self));\n", "    CONTINUE_IF(frame_enter_monitor(self));\n        held_enter_fast(self, frame, o);\n",
     "monitorenter uses the raw reference o behind"),
    ("semantics.def", "        o = object_new_raw(self, c);\n", "        object_new_raw(self, c);\n", "new_quick pushes the raw reference o"),
    ("semantics.def", "CHECK_NULL(o); object_set_int(o, (uint32_t)insn->b, v);", "object_set_int(o, (uint32_t)insn->b, v); CHECK_NULL(o);",
     "checks an operand after something was changed"),
    ("semantics.def", "plain: array_data", "plain: array_datas array_data", "array_datas is listed, but nothing calls it"),
    # fused instructions
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_store1, BC_idiv)", "idiv may be split after something was changed"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_load1, OP_new_quick)", "new_quick may collect"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, BC_goto, OP_load1)", "goto is not the last part"),
    ("fused_ops.def", "FUSED(ll, OP_load1, OP_load1)", "FUSED(ll, OP_load1, BC_ladd)", "S cannot be taken as J"),
    ("semantics.def", "inst lcmp_ifeq (J x, J y --)", "inst lcmp_ifeq (J x --)", "its definition has another effect than its parts"),
]
# A function of a header that may collect: its name stands behind the mark, before the first parenthesis.
COLLECTING = re.compile(r"\bMAY_GC\b[^;{}()]*?(\w+)\(")


def generator_says(texts, scratch):
    for name, text in texts.items():
        (scratch / name).write_text(text, encoding="utf-8")
    made = [scratch / "dispatch.inc", scratch / "handlers.inc", scratch / "decoded_ops.c"]
    done = subprocess.run([sys.executable, ROOT / "tools/gen_handlers.py", *(scratch / name for name in TABLES), *made],
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return "nothing"
    return done.stderr if not any(path.exists() for path in made) else "something, but makes files"


def list_findings(text):
    """Functions that a header marks MAY_GC and that are not listed so."""
    marked = {name for path in sorted((ROOT / "src").rglob("*.h")) for name in COLLECTING.findall(path.read_text(encoding="utf-8"))}
    for kind, names in re.findall(r"^(stores|plain): (.*)$", text, re.MULTILINE):
        yield from (f"semantics.def lists {name}, which is MAY_GC, under {kind}" for name in names.split() if name in marked)


def main():
    build_tree(__doc__)
    texts = {name: (SPEC / name).read_text(encoding="utf-8") for name in TABLES}
    findings = list(list_findings(texts["semantics.def"]))
    if not list(list_findings("plain: object_new_raw")):
        findings.append("a list with a function that may collect is not found")
    for name, old, new, expected in MISTAKES:
        if old not in texts[name]:
            sys.exit(f"{name} has no {old}")
        with tempfile.TemporaryDirectory() as scratch:
            said = generator_says(texts | {name: texts[name].replace(old, new, 1)}, Path(scratch))
        if expected not in said:
            findings.append(f"{name} with {new or 'no row'}: gen_handlers.py says {said.strip()}, not {expected}")
    finish(findings, f"handlers: {len(MISTAKES)} mistakes are refused")


main()
