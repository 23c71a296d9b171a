#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the interpreter's handlers and dispatch tables from the definitions in spec/semantics.def, whose head describes them.

usage: gen_handlers.py semantics.def bytecodes.def quick_ops.def fused_ops.def dispatch.inc handlers.inc decoded_ops.c
Fails, and makes nothing, where
- an instruction that decoding or quickening produces has no definition or two;
- the effect, the local, the condition or the flags of a definition are not those of its bytecode's row;
- a body calls what is not listed, or what collects before SAVE(), or checks an operand after something was changed;
- a raw reference is used behind a call that may collect;
- the parts of a fused instruction cannot be composed: one that may be split comes after one that changed something.

What it cannot see, because it reads lines and not C: a reference inside a structure or a macro, one that is copied to a variable of another
type, an order of statements that a loop makes, and whether the functions are listed rightly (tools/check_handlers.py compares that with
the headers).
"""
import itertools
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import gen_bytecodes

TABLES = ("event", "poll")
NO_INSTRUCTION = "-"
# Runs when a frame was pushed: an entry of the tables, but no instruction of any code (src/interp/interp.h).
ENTER = "ENTER"
# The effect of what does something and then what another instruction does.
LIKE = "like"
# kind: type in C, member of Slot, words
KINDS = {"I": ("int32_t ", "i", 1), "J": ("int64_t ", "l", 2), "F": ("float ", "f", 1), "D": ("double ", "d", 2), "A": ("Object *", "ref", 1),
         "R": ("Insn *", "p", 1), "S": ("Slot ", "", 1), "W": ("Slot ", "", 2)}
FIELD_KINDS = "ZBCSIFJDAvw"  # of fields; volatile and watched ones have forms of their own
CHECKS = ("CHECK_NULL", "CHECK_ZERO", "CHECK_ELEMENT")
JUMPS = ("JUMP_IF", "JUMP_BY", "LOOP_BY", "JUMP_TO")
LEAVING = ("NEXT", "DISPATCH", "REDISPATCH", "CALL", "RETURN", "LIKE", "THROW")
VOCABULARY = (*CHECKS, *JUMPS, *LEAVING, "SAVE", "CONTINUE_IF", "REPORTED", "LIKELY", "UNLIKELY", "MTH")
LISTS = ("collects", "stores", "plain")
KEYWORDS = ("if", "while", "for", "switch", "sizeof", "return")
LEAVES = re.compile(r"\b(?:" + "|".join(LEAVING + JUMPS) + r")\(|\bgoto\b")
CHANGES = re.compile(r"\blocals\[insn->a\](?:\.\w+)? [-+|&^]?=[^=]|&locals\[|\)\[i\] =")


@dataclass
class Definition:
    """What some instructions do."""
    line: int
    names: list
    pops: list  # pairs of kind and name, "" where the body finds them by itself
    pushes: list
    others: dict  # table -> label of the handler that stands in it instead
    body: str = ""
    like: bool = False  # it does something, and then what another instruction does

    @property
    def label(self):
        return f"L_{self.names[0]}"

    @property
    def by_hand(self):
        """Its body moves sp and goes on by itself."""
        return self.like or any(not name for _, name in self.pops + self.pushes) or bool(re.search(r"\b(?:NEXT|DISPATCH|REDISPATCH|CALL|RETURN|LIKE)\(", self.body))

    @property
    def jump(self):
        return next((word for word in JUMPS if f"{word}(" in self.body), "")

    @property
    def ends_elsewhere(self):
        return self.by_hand or statements(self.body)[-1:] and statements(self.body)[-1][0].startswith("THROW(")

    @property
    def throws(self):
        return bool(re.search(r"\b(?:CHECK_\w+|THROW|CONTINUE_IF|RETURN|CALL)\(", self.body))


@dataclass
class Fused:
    name: str
    parts: list


@dataclass
class Semantics:
    definitions: list
    decoded: dict  # bytecode -> what decoding makes of it
    functions: dict  # function -> its list
    faults: list

    def by_name(self):
        return {name: definition for definition in self.definitions for name in definition.names}


# ---- reading ----

def parse_values(text):
    return [tuple((value.split() + [""])[:2]) for value in text.split(",") if value.strip()]


def parse_head(number, head):
    names, effect, others, body = head.groups()
    pops, pushes = (parse_values(side) for side in effect.split("--")) if effect != LIKE else ([], [])
    found = Definition(number, names.split(), pops, pushes, dict(pair.split() for pair in others.split(",")) if others else {})
    found.like = effect == LIKE
    found.body = "".join(f"    {statement};\n" for statement in re.split(r"; ?", body or "")[:-1])
    return found


def parse_rule(found, number, line):
    if rule := re.fullmatch(r"decode (\w+|-): ([\w ]+)", line):
        for name in rule.group(2).split():
            if name in found.decoded:
                found.faults.append(f"line {number}: {name} is decoded twice")
            found.decoded[name] = rule.group(1)
    elif rule := re.fullmatch(r"(\w+): ([\w ]+)", line):
        if rule.group(1) not in LISTS:
            found.faults.append(f"line {number}: there is no list {rule.group(1)}")
        found.functions |= dict.fromkeys(rule.group(2).split(), rule.group(1))
    elif line.strip() and not line.startswith("//"):
        found.faults.append(f"line {number}: not a definition: {line}")


def parse_semantics(text):
    found = Semantics([], {}, {}, [])
    current = None
    for number, line in enumerate(text.splitlines(), 1):
        if current is not None:
            if line == "}":
                current = None
            else:
                current.body += line + "\n"
        elif head := re.fullmatch(r"inst ([\w ]+?) \((like|.*--.*?)\)(?: \[([\w ,]+)\])? \{(?: (.*)\})?", line):
            found.definitions.append(parse_head(number, head))
            current = found.definitions[-1] if head.group(4) is None else None
        else:
            parse_rule(found, number, line)
    return found


def parse_quick(text):
    """Names of the engine's own instructions and the bytecodes they stand for."""
    return dict(re.findall(r"^(?:QUICK|FIELD_FORM)\((\w+),\s*(\w+)", text, re.MULTILINE))


def parse_field_forms(text):
    """Triples of a form, its bytecode, and the kinds of fields it is for."""
    return re.findall(r'^FIELD_FORM\((\w+), (\w+), "(\w+)"\)', text, re.MULTILINE)


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


# ---- C, as far as it is read here ----

def statements(text):
    """Pairs of a statement, or what stands before a brace, and the delimiter behind it."""
    text = re.sub(r"//[^\n]*", "", text)
    return [(part.strip(), end) for part, end in re.findall(r"([^;{}]*)([;{}])", text) if part.strip() or end != ";"]


def arguments_of(text, start):
    """What stands between the parenthesis that opens before `start` and the one that closes it, and the place behind that."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at], at + 1
    sys.exit(f"a parenthesis is open: {text}")


def replace_calls(text, name, make):
    """Puts make(arguments) in place of each call of a name, with the semicolon behind it."""
    while found := re.search(rf"\b{name}\(", text):
        arguments, end = arguments_of(text, found.end())
        end += text[end:end + 1] == ";"
        text = text[:found.start()] + make(arguments) + text[end:]
    return text


def calls_in(text):
    return set(re.findall(r"\b([A-Za-z_]\w*)\(", text)) - set(KEYWORDS)


def names_in(text):
    return set(re.findall(r"\b[A-Za-z_]\w*\b", text))


# ---- checking: names ----

def name_faults(semantics, bytecodes, quick, fused):
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
        elif name not in produced and not any(name == run.name for run in fused):
            yield f"line {lines[0]}: there is no instruction {name}"
    for name, target in semantics.decoded.items():
        if name not in bytecodes:
            yield f"decode: there is no bytecode {name}"
        if target != NO_INSTRUCTION and target not in produced:
            yield f"decode: {name} becomes {target}, which is no instruction of decoded code"
    for run in fused:
        if not 2 <= len(run.parts) <= 5:
            yield f"{run.name} has {len(run.parts)} parts"
        for part in set(run.parts) - produced:
            yield f"{run.name}: there is no instruction {part}"
    for definition in semantics.definitions:
        for table_name in set(definition.others) - set(TABLES):
            yield f"line {definition.line}: there is no table {table_name}"


# ---- checking: a definition against the row of a bytecode ----

def fits(kind, letter):
    """Whether a value of a definition's kind may stand for a letter of a row."""
    if letter == "V":
        return kind == "V" or kind in KINDS
    if letter in gen_bytecodes.WORDS or kind == "S":
        return (kind in KINDS and KINDS[kind][2] == 1) and (letter in gen_bytecodes.WORDS or gen_bytecodes.KIND_WORDS.get(letter) == 1)
    return kind == letter or (kind == "W" and letter in "JD")


def same_words(kind, letter):
    return fits(kind, letter) or (kind in KINDS and KINDS[kind][2] == gen_bytecodes.KIND_WORDS.get(letter))


def effect_faults(definition, row, fit):
    for what, values, letters in (("pops", definition.pops, row.pops), ("pushes", definition.pushes, row.pushes)):
        if len(values) != len(letters) or not all(fit(kind, letter) for (kind, _), letter in zip(values, letters)):
            yield f"{what} {''.join(kind for kind, _ in values) or 'nothing'}, its row says {letters or 'nothing'}"
    names = [name for _, name in definition.pops + definition.pushes]
    if row.moves_words and all(names) and len(names) == len(row.pops + row.pushes):
        if len(set(zip(names, row.pops + row.pushes))) != len(set(names)) or len(set(names)) != len(set(row.pops + row.pushes)):
            yield f"moves its operands otherwise than its row, {row.effect}"


def local_faults(definition, row):
    uses = "locals[insn->a]" in definition.body
    writes = bool(re.search(CHANGES, definition.body)) and uses
    if uses != bool(row.local) or writes != (row.local[:1] in ("w", "u")):
        yield f"does to locals what its row, {row.local or 'no local'}, does not"


def flow_faults(definition, row):
    """What the body does next, by its words: jumps, conditions, the end of a block, calls."""
    if bool(definition.jump) != ("BCF_BRANCH" in row.flags):
        yield "jumps and its row has no BCF_BRANCH, or the reverse"
    ends = definition.jump in ("JUMP_BY", "LOOP_BY", "JUMP_TO") or bool(re.search(r"\bRETURN\(", definition.body)) or (
        not definition.by_hand and definition.ends_elsewhere)
    if bool(ends) != ("BCF_END" in row.flags):
        yield "ends a block and its row has no BCF_END, or the reverse"
    if definition.jump == "JUMP_IF" and not re.search(rf" {re.escape(row.condition)} ", definition.body[definition.body.index("JUMP_IF("):]):
        yield f"jumps on another condition than {row.condition}"
    if re.search(r"\bCALL\(", definition.body) and "BCF_CALL" not in row.flags:
        yield "calls and its row has no BCF_CALL"


def row_faults(semantics, rows, quick):
    by_row = {row.name: row for row in rows}
    for definition in semantics.definitions:
        for name in definition.names:
            row = by_row.get(quick.get(name, name))
            if row is None or definition.like:
                continue
            found = [*effect_faults(definition, row, fits), *local_faults(definition, row), *flow_faults(definition, row)]
            throws = "BCF_THROWS" in row.flags
            if definition.throws and not throws or (throws and not definition.throws and name not in quick):
                found.append("throws and its row has no BCF_THROWS, or the reverse")
            yield from (f"line {definition.line}: {name} {fault}" for fault in found)
    for name, target in semantics.decoded.items():
        definition, row = semantics.by_name().get(target), by_row.get(name)
        if definition and row:
            found = [*effect_faults(definition, row, same_words), *local_faults(definition, row), *flow_faults(definition, row)]
            yield from (f"line {definition.line}: {target}, decoded of {name}, {fault}" for fault in found)


def form_faults(semantics, forms):
    """Each access has one form for each kind of field, and the form moves a value of that size."""
    for bytecode in ("getfield", "putfield", "getstatic", "putstatic"):
        given = [kind for _, of, kinds in forms if of == bytecode for kind in kinds]
        for kind in FIELD_KINDS:
            if given.count(kind) != 1:
                yield f"{bytecode} has {given.count(kind)} forms for fields of kind {kind}"
    for name, bytecode, kinds in forms:
        definition = semantics.by_name()[name]
        moved = (definition.pushes if bytecode.startswith("get") else definition.pops)[-1][0]
        for kind in set(kinds) - set("vw"):
            if not same_words(moved, "I" if kind in "ZBCS" else kind) and moved != "V":
                yield f"line {definition.line}: {name} moves {moved} of a field of kind {kind}"


# ---- checking: bodies ----

def word_faults(definition, functions):
    if definition.like and not re.search(r"\b(?:LIKE|REDISPATCH)\(|goto \*", definition.body):
        yield "is like another instruction, but does not go there"
    for name in sorted(calls_in(definition.body) - set(functions) - set(VOCABULARY)):
        yield f"calls {name}, which no list has"
    for kind, _ in definition.pops + definition.pushes:
        if kind not in KINDS and kind not in ("V", "(", ")", "N"):
            yield f"there is no kind {kind}"


def order_faults(definition, functions):
    saved = changed = False
    for text, _ in statements(definition.body):
        called = calls_in(text)
        saved = saved or bool({"SAVE", "THROW"} & called)
        collecting = sorted(name for name in called if functions.get(name) == "collects")
        if collecting and not saved:
            yield f"calls {collecting[0]} before SAVE()"
        if changed and called & set(CHECKS):
            yield "checks an operand after something was changed"
        changed = changed or changes(text, functions)


def changes(text, functions):
    return bool(re.search(CHANGES, text)) or any(functions.get(name) == "stores" for name in calls_in(text))


def reference_faults(definition, functions):
    """Raw references that are used behind a call that may have moved what they refer to."""
    declared = re.findall(r"\bObject \*(\w+)", definition.body)
    references = {name for kind, name in definition.pops + definition.pushes if kind == "A" and name} | set(declared)
    stale, blocks, left = set(), [], False
    for text, end in statements(definition.body):
        target = re.match(r"(?:Object \*)?(\w+) = ", text)
        value = text[target.end():] if target else text
        for name in sorted(names_in(value) & stale):
            yield f"uses the raw reference {name} behind a call that may collect"
        leaves = bool(re.search(LEAVES, text)) or (not text and left)
        if not leaves and any(functions.get(name) == "collects" for name in calls_in(text)):
            stale = set(references)
        if target:
            stale.discard(target.group(1))
        if end == "{":
            blocks.append(set(stale))
        elif end == "}" and blocks:
            before = blocks.pop()
            stale = before if left else stale
        left = leaves
    for name in sorted({name for kind, name in definition.pushes if kind == "A"} - {name for _, name in definition.pops} & stale):
        if name in stale:
            yield f"pushes the raw reference {name}, read before a call that may collect"


def body_faults(semantics):
    for definition in semantics.definitions:
        for check in (word_faults, order_faults, reference_faults):
            yield from (f"line {definition.line}: {definition.names[0]} {fault}" for fault in check(definition, semantics.functions))
    called = set().union(*(calls_in(definition.body) for definition in semantics.definitions))
    yield from (f"{name} is listed, but nothing calls it" for name in sorted(set(semantics.functions) - called))


# ---- making: handlers ----

class Fault(Exception):
    """A run that cannot be composed."""


@dataclass
class Value:
    """What lies on the stack while a handler runs: a slot that is there still, or a variable."""
    kind: str
    depth: int = None  # of its lowest slot under sp
    name: str = ""

    @property
    def words(self):
        return KINDS[self.kind][2]

    def read(self, kind):
        """An expression of it as another kind."""
        member, own = KINDS[kind][1], KINDS[self.kind][1]
        if KINDS[kind][2] != self.words or (own and member and own != member):
            raise Fault(f"{self.kind} cannot be taken as {kind}")
        if self.depth is not None:
            return place(self.depth) + (f".{member}" if member else "")
        if own == member:
            return self.name
        return f"{self.name}.{member}" if member else f"slot_of_{own}({self.name})"


def place(depth):
    return f"sp[{-depth}]"


def store(value, depth):
    """A statement that writes a variable into a slot."""
    member = KINDS[value.kind][1]
    if member in ("i", "f"):
        return f"slot_set_{member}(&{place(depth)}, {value.name});"
    return f"{place(depth)}{'.' if member else ''}{member} = {value.name};"


class Handler:
    """The C of one instruction, or of a run of them: what they push stays in variables until the end."""

    def __init__(self, functions):
        self.functions = functions
        self.lines = []
        self.stack = []
        self.popped = 0  # words
        self.changed = False
        self.jump = ""

    def pop(self, kind):
        if not self.stack:
            self.popped += KINDS[kind][2]
            return Value(kind, depth=self.popped)
        return self.stack.pop()

    def add(self, part, definition, fused):
        """One instruction, the part-th of those the handler does."""
        taken = {name: self.pop(kind) for kind, name in reversed(definition.pops)}
        if fused and self.changed and calls_in(definition.body) & set(CHECKS):
            raise Fault(f"{definition.names[0]} may be split after something was changed")
        self.changed = self.changed or changes(definition.body, self.functions)
        names = {name: f"{name}{part}" if fused else name for _, name in definition.pushes if name not in taken}
        body = self.expand(part, definition, fused)
        for name, variable in names.items():
            body = re.sub(rf"(?<![.>])\b{name}\b", variable, body)
        used = names_in(body)
        made = {name: kind for kind, name in definition.pushes if name in names}
        self.lines += [f"    {KINDS[kind][0]}{names[name]};" for name, kind in made.items()]
        inputs = [f"    {KINDS[kind][0]}{name} = {taken[name].read(kind)};" for kind, name in definition.pops if name in used]
        inner = inputs + ["    " + line if fused else line for line in body.splitlines()]
        self.lines += ["    {", *["    " + line for line in inputs], *inner[len(inputs):], "    }"] if fused and inner else inner
        for kind, name in definition.pushes:
            self.stack.append(taken[name] if name in taken else Value(kind, name=names[name]))

    def expand(self, part, definition, fused):
        """The body with its words replaced by C."""
        text = definition.body
        split = "split" if fused else "null_pointer"

        def check_element(arguments):
            array, index = arguments.split(", ")
            outside = f"(uint32_t){index} >= (uint32_t)array_length({array})"
            if fused:
                return f"if (UNLIKELY(!{array} || {outside})) goto split;"
            return (f"if (UNLIKELY(!{array})) goto null_pointer;\n    if (UNLIKELY({outside})) {{ SAVE(); throw_index(self, {index}, {array});"
                    " goto throw_pending; }")
        text = replace_calls(text, "CHECK_NULL", lambda a: f"if (UNLIKELY(!{a})) goto {split};")
        text = replace_calls(text, "CHECK_ZERO", lambda a: f"if (UNLIKELY({a} == 0)) goto {'split' if fused else 'divide_by_zero'};")
        text = replace_calls(text, "CHECK_ELEMENT", check_element)
        text = replace_calls(text, "THROW", lambda a: f"{{ SAVE(); {a}; goto throw_pending; }}")
        text = replace_calls(text, "CALL", lambda a: "goto enter;" if a == "m" else f"{{ m = {a}; goto enter; }}")
        text = replace_calls(text, "LIKE", lambda a: f"goto L_{a};")
        for word, kind, variable in (("JUMP_IF", "bool ", "taken"), ("JUMP_BY", "int32_t ", "by"), ("LOOP_BY", "int32_t ", "turn"),
                                     ("JUMP_TO", "Insn *", "to")):
            if f"{word}(" in text:
                self.lines.append(f"    {kind}{variable};")
                text = replace_calls(text, word, lambda a, v=variable: f"{v} = {a};")
                self.jump = variable
        text = re.sub(r"\binsn->", "pc->" if part == 0 else f"pc[{part}].", text)
        return re.sub(r"\binsn\b", "pc" if part == 0 else f"(pc + {part})", text)

    def write_stack(self):
        """What lies on the stack now, to memory, and sp behind it."""
        depth, moves = self.popped, []
        for value in self.stack:
            if value.depth is not None and value.depth != depth:
                name = f"at{value.depth}"
                if f"    Slot {name} = {place(value.depth)};" not in self.lines:
                    self.lines.append(f"    Slot {name} = {place(value.depth)};")
                moves.append(store(Value("S", name=name), depth))
            elif value.depth is None:
                moves.append(store(value, depth))
            depth -= value.words
        self.lines += [f"    {move}" for move in moves]
        if depth != 0:
            self.lines.append(f"    sp {'-' if depth > 0 else '+'}= {abs(depth)};")

    def end(self, parts):
        """Goes to the next instruction, `parts` on, or to the target of the last one."""
        self.write_stack()
        last = parts - 1
        on = ["NEXT();"] if parts == 1 else [f"pc += {parts};", "DISPATCH();"]
        ahead = [f"pc += {last};"] if last else []
        if self.jump == "taken":
            on = ["if (!taken) {", *["    " + line for line in on], "}", *ahead, "BRANCH_BY(pc->a);"]
        elif self.jump:
            ways = {"by": [*ahead, "JUMP_BY(by);"], "turn": [*ahead, "BRANCH_BY(turn);"], "to": ["pc = to;", "DISPATCH();"]}
            on = ways[self.jump]
        self.lines += ["    " + line for line in on]


def single(definition, functions, parts=1):
    handler = Handler(functions)
    if definition.by_hand:
        handler.lines = handler.expand(0, definition, False).splitlines()
    else:
        handler.add(0, definition, parts > 1)
        if not definition.ends_elsewhere:
            handler.end(parts)
    return handler


def composed(run, by_name, functions):
    """The handler of a fused instruction: all its parts, or none of them."""
    handler = Handler(functions)
    for part, name in enumerate(run.parts):
        definition = by_name[name]
        last = part == len(run.parts) - 1
        if (definition.by_hand or definition.jump) and not last:
            raise Fault(f"{name} is not the last part and goes on by itself")
        if not definition.by_hand and any(functions.get(called) == "collects" for called in calls_in(definition.body)):
            raise Fault(f"{name} may collect")
        if definition.by_hand:
            handler.write_stack()
            handler.lines += [f"    pc += {part};", *handler.expand(0, definition, False).splitlines()]
        else:
            handler.add(part, definition, True)
            if last:
                handler.end(len(run.parts))
    return handler


def fused_handler(run, by_name, functions):
    own = by_name.get(run.name)
    made = composed(run, by_name, functions)
    if not own:
        return made
    written = single(own, functions, len(run.parts))
    if (written.popped, sum(value.words for value in written.stack)) != (made.popped, sum(value.words for value in made.stack)):
        raise Fault("its definition has another effect than its parts")
    return written


HEAD = "// SPDX-License-Identifier: Apache-2.0\n// Generated by tools/gen_handlers.py from spec/semantics.def: do not edit. {}\n"


def handlers(semantics, fused):
    """The text of all handlers, and the faults of those that cannot be made."""
    by_name, functions = semantics.by_name(), semantics.functions
    runs = {run.name for run in fused}
    lines, found = [HEAD.format("The handlers of interp_run.")], []
    for definition in semantics.definitions:
        if not runs & set(definition.names):
            lines += [f"{definition.label}: {{ // {', '.join(definition.names)}", *single(definition, functions).lines, "}"]
    for run in fused:
        try:
            lines += [f"L_{run.name}: {{ // {', '.join(run.parts)}", *fused_handler(run, by_name, functions).lines, "}"]
        except Fault as fault:
            found.append(f"{run.name} cannot be composed: {fault}")
    return "\n".join(lines + [""]), found


# ---- making: tables ----

def table(name, rows):
    """An array of labels by op; rows are in the order of ops, and neighbours alike become one range."""
    lines = [f"static const void *const {name}[OP_COUNT] = {{"]
    for label, group in itertools.groupby(rows, key=lambda row: row[1]):
        ops = [op for op, _ in group]
        at = ops[0] if len(ops) == 1 else f"{ops[0]} ... {ops[-1]}"
        lines.append(f"    [{at}] = &&{label},")
    return "\n".join(lines + ["};", ""])


def dispatch(semantics, bytecodes, quick, fused):
    """The dispatch tables, to stand in the function that has the labels."""
    by_name = semantics.by_name()
    plain = [(f"BC_{name}", name) for name in bytecodes] + [(f"OP_{name}", name) for name in [*quick, ENTER]]

    def rows(kind, every=None):
        for op, name in plain:
            definition = by_name.get(name)
            own = definition.label if definition else "L_illegal"
            if kind == "trace" and name == ENTER:  # no instruction
                yield op, own
                continue
            yield op, f"L_{definition.others[kind]}" if definition and kind in definition.others else every or own
        for run in fused:  # what a run would do unseen, its parts do one by one
            split = any(kind in by_name[part].others for part in run.parts)
            yield f"OP_{run.name}", every or ("split" if split else f"L_{run.name}")
    tables = [table("normal", rows(None)), table("events", rows("event")), table("polls", rows("poll", "L_poll")),
              table("traces", rows("trace", "L_trace"))]
    return HEAD.format("The dispatch tables of interp_run.") + "\n".join(tables)


def decoded_ops(semantics, bytecodes, quick):
    """What decoding makes of each bytecode."""
    lines = [HEAD.format("What bytecodes become.") + '#include "interp/interp.h"', "", "const uint16_t decoded_op[BC_COUNT] = {"]
    for name in bytecodes:
        target = semantics.decoded.get(name, name)
        if target != NO_INSTRUCTION:
            lines.append(f"    [BC_{name}] = {'OP' if target in quick else 'BC'}_{target},")
    return "\n".join(lines + ["};", ""])


def main():
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    texts = [Path(name).read_text(encoding="utf-8") for name in sys.argv[1:5]]
    semantics, quick, fused = parse_semantics(texts[0]), parse_quick(texts[2]), parse_fused(texts[3])
    rows = sorted(gen_bytecodes.parse(texts[1]), key=lambda row: row.opcode)
    bytecodes = [row.name for row in rows]
    found = [*semantics.faults, *name_faults(semantics, bytecodes, quick, fused), *row_faults(semantics, rows, quick), *body_faults(semantics)]
    found += form_faults(semantics, parse_field_forms(texts[2])) if not found else []
    made = ""
    if not found:
        made, found = handlers(semantics, fused)
    if found:
        sys.exit("\n".join(f"{sys.argv[1]}: {fault}" for fault in found))
    Path(sys.argv[5]).write_text(dispatch(semantics, bytecodes, quick, fused), encoding="utf-8")
    Path(sys.argv[6]).write_text(made, encoding="utf-8")
    Path(sys.argv[7]).write_text(decoded_ops(semantics, bytecodes, quick), encoding="utf-8")


if __name__ == "__main__":
    main()
