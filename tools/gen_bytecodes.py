#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the rows of spec/bytecodes.def, whose head describes its format, and makes the table of the instruction set from them.

usage: gen_bytecodes.py spec/bytecodes.def src/classfile/generated/bytecode_table.c
Fails, and makes nothing, where an opcode has no row or two, or where the columns of a row do not fit together.
"""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

OPCODES = range(202)
OPERAND_BYTES = {"b": 1, "s": 2, "k": 1, "K": 2, "v": 1, "o": 2, "O": 4, "c": 1, "z": 1, "t": 1}
KIND_WORDS = {"I": 1, "J": 2, "F": 1, "D": 2, "A": 1, "R": 1}
BY_OPERAND = "V()N"
WORDS = "wxyz"
CONDITIONS = {"": "NONE", "==": "EQ", "!=": "NE", "<": "LT", ">=": "GE", ">": "GT", "<=": "LE"}
USES = {"r": "LOCAL_READ", "w": "LOCAL_WRITE", "u": "LOCAL_READ | LOCAL_WRITE"}
FLAGS = ["BCF_BRANCH", "BCF_END", "BCF_THROWS", "BCF_CALL", "BCF_JSR", "BCF_RET"]


@dataclass
class Row:
    opcode: int
    name: str
    format: str
    effect: str
    local: str
    condition: str
    flags: list

    @property
    def pops(self):
        return self.effect.partition(">")[0]

    @property
    def pushes(self):
        return self.effect.partition(">")[2]

    @property
    def switches(self):
        return self.format in ("T", "L")

    @property
    def moves_words(self):
        return self.pops != "" and self.pops[0] in WORDS


def parse(text):
    rows = []
    for line in text.splitlines():
        if not line.startswith("BYTECODE("):
            continue
        found = re.fullmatch(r'BYTECODE\((\d+), (\w+), "(\w*)", "([^"]*)", "(\w*)", "([^"]*)", ([\w |]+)\)', line)
        if not found:
            sys.exit(f"not a row: {line}")
        opcode, name, operands, effect, local, condition, flags = found.groups()
        rows.append(Row(int(opcode), name, operands, effect, local, condition, [] if flags == "0" else flags.split(" | ")))
    return rows


def effect_faults(row):
    if row.effect.count(">") != 1:
        yield "the effect has no single >"
    letters = row.pops + row.pushes
    if set(letters) - set(KIND_WORDS) - set(BY_OPERAND) - set(WORDS):
        yield f"the effect {row.effect} has a letter without a meaning"
    if set(row.pushes) & set(WORDS) - set(row.pops) or (row.moves_words and set(letters) - set(WORDS)):
        yield "words are pushed that were not popped, or stand beside kinds"
    names_method = "BCF_CALL" in row.flags
    if names_method != ("(" in row.pops and row.pushes == ")"):
        yield "a call pops arguments and pushes a result, and nothing else does"
    if ("V" in letters or names_method) and row.format[:1] not in ("k", "K"):
        yield "the effect depends on a constant that no operand names"
    if ("N" in letters) != (row.format == "Kc" and not names_method):
        yield "N needs a count, and the count N"


def local_faults(row):
    if not row.local:
        if "v" in row.format:
            yield "an operand names a local, but the local column is empty"
        return
    found = re.fullmatch(r"([rwu])([IJFDAR])([0-3]?)", row.local)
    if not found:
        yield f"the local column {row.local} has no meaning"
        return
    use, kind, index = found.groups()
    if (index == "") != row.format.startswith("v"):
        yield "the index of the local stands in an operand or in the local column"
    moved = {"r": row.pushes or "R", "w": row.pops, "u": "I"}[use]
    if kind != moved:
        yield f"the local is of kind {kind}, the effect moves {moved}"


def flow_faults(row):
    unknown = set(row.flags) - set(FLAGS)
    if unknown:
        yield f"unknown flags {sorted(unknown)}"
    ret = "BCF_RET" in row.flags
    if ("BCF_BRANCH" in row.flags) != (row.format in ("o", "O", "T", "L") or ret):
        yield "it is a branch without a target, or has a target and is none"
    if ret != (row.local[:2] == "rR") or ("BCF_JSR" in row.flags) != (row.pushes == "R"):
        yield "jsr pushes a return address, ret reads one, and nothing else does"
    if row.condition not in CONDITIONS:
        yield f"the condition {row.condition} has no meaning"
    if (row.condition != "") != ("BCF_BRANCH" in row.flags and "BCF_END" not in row.flags):
        yield "a branch that may fall through has a condition, and nothing else has"


def faults(rows):
    for opcode in OPCODES:
        count = sum(row.opcode == opcode for row in rows)
        if count != 1:
            yield f"opcode {opcode} has {count} rows"
    for row in rows:
        if row.opcode not in OPCODES:
            yield f"{row.name}: there is no opcode {row.opcode}"
        if set(row.format) - set(OPERAND_BYTES) - set("TLW"):
            yield f"{row.name}: the operand format {row.format} has a letter without a meaning"
        for check in (effect_faults, local_faults, flow_faults):
            yield from (f"{row.name}: {fault}" for fault in check(row))


def length(row):
    return 0 if row.switches or row.format == "W" else 1 + sum(OPERAND_BYTES[letter] for letter in row.format)


def words(letters):
    if set(letters) & set(BY_OPERAND):
        return "BY_OPERAND"
    return str(sum(KIND_WORDS.get(letter, 1) for letter in letters))


def initializer(row):
    parts = [f'"{row.name}"', f'"{row.format}"', f'"{row.pops}"', f'"{row.pushes}"', str(length(row)), words(row.pops), words(row.pushes)]
    flags = row.flags + ["BCF_WORDS"] * row.moves_words + ["BCF_SWITCH"] * row.switches
    parts.append(" | ".join(flags) or "0")
    parts.append(f"CONDITION_{CONDITIONS[row.condition]}")
    if row.local:
        index = row.local[2:] or "BY_OPERAND"
        parts.append(f"{{{USES[row.local[0]]}, '{row.local[1]}', {index}}}")
    else:
        parts.append("{0}")
    return f"    [BC_{row.name}] = {{{', '.join(parts)}}},"


def table(rows):
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "// Generated by tools/gen_bytecodes.py from spec/bytecodes.def: do not edit. The instruction set.",
             '#include "classfile/bytecode.h"', "",
             f'_Static_assert(BC_COUNT == {len(rows)}, "one row an opcode");',
             "const BytecodeInfo bytecode_info[BC_COUNT] = {"]
    return "\n".join(lines + [initializer(row) for row in rows] + ["};", ""])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    rows = parse(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = list(faults(rows))
    if found:
        sys.exit("\n".join(f"{sys.argv[1]}: {fault}" for fault in found))
    Path(sys.argv[2]).write_text(table(sorted(rows, key=lambda row: row.opcode)), encoding="utf-8")


if __name__ == "__main__":
    main()
