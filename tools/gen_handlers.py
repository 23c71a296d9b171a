#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the interpreter's handlers and dispatch tables from the definitions in spec/semantics.def, whose head describes them.

usage: gen_handlers.py semantics.def bytecodes.def quick_ops.def fused_ops.def dispatch.inc handlers.inc
Fails, and makes nothing, where an instruction that decoding or quickening produces has no definition or two.
"""
import itertools
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

import gen_bytecodes

TABLES = ("event", "poll")
NO_INSTRUCTION = "-"
# Runs when a frame was pushed: an entry of the tables, but no instruction of any code (src/interp/interp.h).
ENTER = "ENTER"


@dataclass
class Definition:
    """What some instructions do."""
    line: int
    names: list
    others: dict  # table -> label of the handler that stands in it instead
    body: list = field(default_factory=list)

    @property
    def label(self):
        return f"L_{self.names[0]}"


@dataclass
class Fused:
    name: str
    parts: list


@dataclass
class Semantics:
    definitions: list
    decoded: dict  # bytecode -> what decoding makes of it
    faults: list


# ---- reading ----

def parse_others(text):
    return dict(pair.split() for pair in text.split(",")) if text else {}


def parse_semantics(text):
    found = Semantics([], {}, [])
    current = None
    for number, line in enumerate(text.splitlines(), 1):
        if current is not None:
            if line == "}":
                current = None
            else:
                current.body.append(line)
        elif head := re.fullmatch(r"inst ([\w ]+?)(?: \[([\w ,]+)\])? \{", line):
            current = Definition(number, head.group(1).split(), parse_others(head.group(2)))
            found.definitions.append(current)
        elif rule := re.fullmatch(r"decode (\w+|-): ([\w ]+)", line):
            for name in rule.group(2).split():
                if name in found.decoded:
                    found.faults.append(f"line {number}: {name} is decoded twice")
                found.decoded[name] = rule.group(1)
        elif line.strip() and not line.startswith("//"):
            found.faults.append(f"line {number}: not a definition: {line}")
    return found


def parse_quick(text):
    """Names of the engine's own instructions and the bytecodes they stand for."""
    return dict(re.findall(r"^QUICK\((\w+),\s*(\w+)\)", text, re.MULTILINE))


def expand_rows(text):
    """The rows of a table, with those that its own one-argument macros make."""
    text = re.sub(r"\\\n", " ", text)
    macros = dict(re.findall(r"^#define (\w+)\(op\) *(.*)$", text, re.MULTILINE))
    rows = []
    for line in text.splitlines():
        use = re.fullmatch(r"(\w+)\((\w+)\)", line.strip())
        if use and use.group(1) in macros:
            rows.append(re.sub(r"##op##|##op|\bop##", use.group(2), macros[use.group(1)]))
        elif not line.startswith(("#", "//")):
            rows.append(line)
    return "\n".join(rows)


def parse_fused(text):
    rows = re.findall(r"FUSED\((\w+), ([\w, ]+)\)", expand_rows(text))
    return [Fused(name, [re.sub(r"^(?:BC|OP)_", "", part) for part in parts.split(", ")]) for name, parts in rows]


# ---- checking ----

def name_faults(semantics, bytecodes, quick):
    """Each instruction that code can hold has one definition, and each definition is of such an instruction."""
    produced = (set(bytecodes) - set(semantics.decoded)) | set(quick) | {ENTER}
    places = {}
    for definition in semantics.definitions:
        for name in definition.names:
            places.setdefault(name, []).append(definition.line)
    for name in sorted(produced - set(places)):
        yield f"{name} has no definition"
    for name, lines in places.items():
        if len(lines) > 1:
            yield f"{name} has {len(lines)} definitions: lines {', '.join(map(str, lines))}"
        if name in semantics.decoded:
            yield f"line {lines[0]}: {name} is decoded to {semantics.decoded[name]} and has a definition"
        elif name not in produced:
            yield f"line {lines[0]}: there is no instruction {name}"
    for name, target in semantics.decoded.items():
        if name not in bytecodes:
            yield f"decode: there is no bytecode {name}"
        if target != NO_INSTRUCTION and target not in produced:
            yield f"decode: {name} becomes {target}, which is no instruction of decoded code"


def fused_faults(fused, produced):
    for row in fused:
        if not 2 <= len(row.parts) <= 5:
            yield f"{row.name} has {len(row.parts)} parts"
        for part in row.parts:
            if part not in produced:
                yield f"{row.name}: there is no instruction {part}"


def table_faults(semantics):
    for definition in semantics.definitions:
        for table in set(definition.others) - set(TABLES):
            yield f"line {definition.line}: there is no table {table}"


# ---- making ----

HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Generated by tools/gen_handlers.py from spec/semantics.def: do not edit. {}\n"


def table(name, rows):
    """An array of labels by op; rows are in the order of ops, and neighbours alike become one range."""
    lines = [f"static const void *const {name}[OP_COUNT] = {{"]
    for label, group in itertools.groupby(rows, key=lambda row: row[1]):
        ops = [op for op, _ in group]
        place = ops[0] if len(ops) == 1 else f"{ops[0]} ... {ops[-1]}"
        lines.append(f"    [{place}] = &&{label},")
    return "\n".join(lines + ["};", ""])


def dispatch(semantics, bytecodes, quick, fused):
    """The dispatch tables, to stand in the function that has the labels."""
    by_name = {name: definition for definition in semantics.definitions for name in definition.names}
    plain = [(f"BC_{name}", name) for name in bytecodes] + [(f"OP_{name}", name) for name in [*quick, ENTER]]

    def rows(kind, every=None):
        for op, name in plain:
            definition = by_name.get(name)
            own = definition.label if definition else "L_illegal"
            yield op, f"L_{definition.others[kind]}" if definition and kind in definition.others else every or own
        for run in fused:  # what a run would do unseen, its parts do one by one
            apart = any(kind in by_name[part].others for part in run.parts)
            yield f"OP_{run.name}", every or ("apart" if apart else f"L_{run.name}")
    tables = [table("normal", rows(None)), table("events", rows("event")), table("polls", rows("poll", "L_poll"))]
    return HEAD.format("The dispatch tables of interp_run.") + "\n".join(tables)


def handlers(semantics):
    lines = [HEAD.format("The handlers of interp_run.")]
    for definition in semantics.definitions:
        lines += [f"{definition.label}: {{ // {', '.join(definition.names)}", *definition.body, "}"]
    return "\n".join(lines + [""])


def main():
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    texts = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:5]]
    semantics, quick, fused = parse_semantics(texts[0]), parse_quick(texts[2]), parse_fused(texts[3])
    bytecodes = [row.name for row in sorted(gen_bytecodes.parse(texts[1]), key=lambda row: row.opcode)]
    produced = set(bytecodes) | set(quick)
    found = [*semantics.faults, *name_faults(semantics, bytecodes, quick), *fused_faults(fused, produced), *table_faults(semantics)]
    if found:
        sys.exit("\n".join(f"{sys.argv[1]}: {fault}" for fault in found))
    Path(sys.argv[5]).write_text(dispatch(semantics, bytecodes, quick, fused), encoding="utf-8")
    Path(sys.argv[6]).write_text(handlers(semantics), encoding="utf-8")


if __name__ == "__main__":
    main()
