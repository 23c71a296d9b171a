#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random Java programs for the compiler's fuzzer: generate.py SEED [SIZE] prints one.

A program is deterministic and ends: methods call only those that were made before them (or themselves, to a small depth), loops
have small bounds, and each method keeps within a budget of steps. What it computes is told to Fuzz.java: results at the ends of
methods, exceptions that were caught, all fields and arrays at the end of a turn.

Leaf methods are a kind of their own: they neither call nor allocate, so that the compiler's evaluator, which goes as far as the
first call, runs them to their end.

Some classes come late: they are loaded in a later turn, when code stands that was compiled without them. E is abstract and has one
subclass until then, so a second one that inherits what the first inherited comes as well as one that overrides.

Types: Z B C S I J F D as in descriptors, O Object, T String, LA LB LC LD LE LI the program's classes and its interface, [ before one
an array of them.
"""
import random
import sys

from tree import Block, Expr, Program, Stmt

JAVA = {"Z": "boolean", "B": "byte", "C": "char", "S": "short", "I": "int", "J": "long", "F": "float", "D": "double", "V": "void",
        "O": "Object", "T": "String", "LA": "A", "LB": "B", "LC": "C", "LD": "D", "LE": "E", "LI": "I"}
PRIMITIVE = "ZBCSIJFD"
ARRAYS = ["[" + kind for kind in PRIMITIVE] + ["[O", "[LA", "[[I"]
OBJECTS = ["LA", "LB", "LC", "LD", "LE", "LI"]
# what else a place of a type takes
SUBTYPES = {"LA": ["LB", "LC", "LD", "LE"], "LB": ["LC"], "LI": ["LB", "LC", "LD"], "O": OBJECTS + ["T", "[I", "[O", "[LA"], "[O": ["[LA", "[[I"]}
VARIABLES = list("ZBCSIIIIJJJFFDD") + ["O", "LA", "LB", "LE", "LI", "[I", "[J", "[D", "[B", "[Z", "[O"]
RESULTS = list("ZBCSIIIIJJJFFDDD") + ["LA", "O"]
CLASSES = {"A": ("", ""), "B": ("A", "I"), "C": ("B", ""), "D": ("A", "I"), "E": ("A", ""), "F": ("E", "")}  # extends, implements
LATE = {"LateA": ("A", ""), "LateC": ("C", ""), "LateE": ("E", ""), "LateF": ("F", "I"), "LateI": ("A", "I")}
PLACES = {"LateA": ("A", ["sLA", "aA[1]"]), "LateC": ("C", ["sLA", "sLB", "sLC", "sLI", "aA[0]"]), "LateE": ("E", ["sLE", "sLE", "sLA"]),
          "LateF": ("F", ["sLE", "sLA"]), "LateI": ("I", ["sLI"])}  # for each the type it is given as, where it goes
ABSTRACT = ["E"]
EDGES = {
    "I": ["0", "0", "1", "1", "(-1)", "(-1)", "2", "3", "5", "7", "8", "10", "31", "32", "33", "63", "64", "100", "127", "128", "(-128)", "255", "65535", "32768",
          "Integer.MAX_VALUE", "Integer.MIN_VALUE", "(Integer.MIN_VALUE + 1)", "0x55555555", "1000003"],
    "J": ["0L", "0L", "1L", "1L", "(-1L)", "2L", "3L", "10L", "63L", "64L", "4294967295L", "4294967296L", "2147483648L", "(-2147483649L)", "Long.MAX_VALUE",
          "Long.MIN_VALUE", "9007199254740993L", "1000000007L"],
    "F": ["0.0f", "(-0.0f)", "1.0f", "2.0f", "(-1.5f)", "0.1f", "16777217.0f", "2.14748365E9f", "9.223372E18f", "1e30f", "Float.MIN_VALUE", "Float.MAX_VALUE",
          "Float.NaN", "Float.POSITIVE_INFINITY", "Float.NEGATIVE_INFINITY"],
    "D": ["0.0", "(-0.0)", "1.0", "2.0", "(-1.5)", "0.1", "2147483648.0", "(-2147483649.0)", "9.223372036854775807E18", "1e300", "Double.MIN_VALUE",
          "Double.MAX_VALUE", "Double.NaN", "Double.POSITIVE_INFINITY", "Double.NEGATIVE_INFINITY"],
    "Z": ["true", "false"], "B": ["(byte) 1", "(byte) -128", "(byte) 127"], "C": ["'a'", "(char) 65535"],
    "S": ["(short) -1", "(short) 32767", "(short) -32768"], "T": ['"text"', '""'],
}
SHIFTS = ["0", "1", "3", "8", "16", "24", "31", "32", "33", "56", "63", "64", "(-1)", "(-32)"]
ZERO = {"Z": "false", "B": "(byte) 0", "C": "(char) 0", "S": "(short) 0", "I": "0", "J": "0L", "F": "0.0f", "D": "0.0"}
CAUGHT = ["ArithmeticException", "ArrayIndexOutOfBoundsException", "NullPointerException", "ClassCastException", "ArrayStoreException",
          "NegativeArraySizeException", "IllegalStateException", "Thrown"]

# Operations by the type of their value: weight, text with holes. {I} an expression of a type, {vI} a variable that may be assigned,
# {~I} a simple one, {=} the same once more,
# {xI} a place (variable, field, element) that may be assigned, {i} an index, {s} a count of a shift, {d} {dJ} a divisor.
PURE = """
I 6 ({I} + {I})
I 5 ({I} - {I})
I 5 ({I} * {I})
I 3 ({I} & {I})
I 2 ({I} | {I})
I 3 ({I} ^ {I})
I 3 ({I} << {s})
I 3 ({I} >> {s})
I 3 ({I} >>> {s})
I 1 ({I} << {J})
I 1 ({I} >>> {J})
I 3 ({I} / {d})
I 3 ({I} % {d})
I 2 (- {I})
I 1 (~{I})
I 2 (int) {J}
I 2 (int) {F}
I 3 (int) {D}
I 1 (int) {B}
I 1 (int) {C}
I 1 (int) (byte) {I}
I 1 (int) (short) {I}
I 1 (int) (char) {I}
I 1 (int) (char) {J}
I 2 ({Z} ? {I} : {I})
I 4 {[I}[{i}]
I 2 {[B}[{i}]
I 1 {[S}[{i}]
I 1 {[C}[{i}]
I 1 {[[I}[{i}][{i}]
I 1 {[I}.length
I 1 {[D}.length
I 2 ({xI} += {I})
I 1 ({xI} -= {J})
I 1 ({xI} *= {I})
I 1 ({xI} >>>= {s})
I 1 ({xI} ^= {I})
I 1 ({xI} += {D})
I 1 ({xI} = {I})
I 2 {xI}++
I 1 ++{xI}
I 1 {xI}--
I 1 --{xB}
I 1 {xS}++
I 1 (switch ({I} & 3) { case 0 -> {I}; case 1 -> {I}; default -> {I}; })
I 1 (switch ({I} + 0) { case -1, 0, 31 -> {I}; case 1000003 -> {I}; default -> {I}; })
I 1 ({~I} - {=})
I 1 ({~I} ^ {=})
I 1 ({~I} & {=})
I 1 ({~I} / ({=} | 1))
J 1 ({~J} - {=})
J 1 ({~J} | {=})
F 1 ({~F} - {=})
F 1 ({~F} / {=})
D 1 ({~D} - {=})
D 1 ({~D} + {=})
Z 1 ({~I} <= {=})
Z 1 ({~J} < {=})
Z 1 ({~F} == {=})
Z 1 ({~F} < {=})
Z 1 ({~D} != {=})
Z 1 (!({~D} >= {=}))
Z 1 ({~LA} == {=})
J 5 ({J} + {J})
J 4 ({J} - {J})
J 4 ({J} * {J})
J 2 ({J} & {J})
J 2 ({J} | {J})
J 2 ({J} ^ {J})
J 3 ({J} << {s})
J 3 ({J} >> {s})
J 3 ({J} >>> {s})
J 1 ({J} << {J})
J 3 ({J} / {dJ})
J 3 ({J} % {dJ})
J 1 (- {J})
J 1 (~{J})
J 4 (long) {I}
J 2 (long) {F}
J 2 (long) {D}
J 1 (long) {C}
J 1 ({I} + {J})
J 1 ({Z} ? {J} : {J})
J 4 {[J}[{i}]
J 1 ({xJ} += {J})
J 1 ({xJ} <<= {s})
J 1 ({xJ} ^= {I})
J 1 ({xJ} = {J})
J 1 {xJ}++
J 1 --{xJ}
F 4 ({F} + {F})
F 3 ({F} - {F})
F 4 ({F} * {F})
F 3 ({F} / {F})
F 2 ({F} % {F})
F 1 (- {F})
F 3 (float) {I}
F 2 (float) {J}
F 2 (float) {D}
F 1 ({I} + {F})
F 1 ({Z} ? {F} : {F})
F 2 {[F}[{i}]
F 1 ({xF} += {D})
F 1 {xF}++
D 4 ({D} + {D})
D 3 ({D} - {D})
D 4 ({D} * {D})
D 3 ({D} / {D})
D 2 ({D} % {D})
D 1 (- {D})
D 3 (double) {I}
D 2 (double) {J}
D 3 (double) {F}
D 1 ({J} - {D})
D 1 ({Z} ? {D} : {D})
D 3 {[D}[{i}]
D 1 ({xD} *= {D})
D 1 {xD}--
Z 3 ({I} < {I})
Z 2 ({I} >= {I})
Z 2 ({I} == {I})
Z 2 ({I} != {I})
Z 1 ({I} > {I})
Z 1 ({I} <= {I})
Z 1 ({I} < 0)
Z 1 ({I} != 0)
Z 1 ({J} < {J})
Z 1 ({J} == {J})
Z 1 ({J} >= {J})
Z 1 ({F} < {F})
Z 1 ({F} > {F})
Z 1 (!({F} <= {F}))
Z 1 ({D} < {D})
Z 1 ({D} >= {D})
Z 1 (!({D} > {D}))
Z 1 ({D} != {D})
Z 1 ({F} == {F})
Z 2 ({Z} && {Z})
Z 2 ({Z} || {Z})
Z 1 ({Z} ^ {Z})
Z 1 ({Z} & {Z})
Z 1 (!{Z})
Z 1 {[Z}[{i}]
Z 1 ((A) {LA} == {LB})
Z 1 ((Object) {O} != {LA})
Z 1 ({O} == null)
Z 1 ({LA} != null)
Z 1 ((Object) {O} instanceof A)
Z 1 ((A) {LA} instanceof C)
Z 1 ((A) {LA} instanceof E)
Z 1 ((E) {LE} instanceof F)
Z 1 ((Object) {O} instanceof I)
Z 1 ((Object) {O} instanceof int[])
Z 1 ({xZ} = {Z})
B 5 (byte) {I}
B 1 {[B}[{i}]
B 1 (byte) {D}
B 1 ({xB} += {I})
B 1 {xB}++
C 5 (char) {I}
C 1 {[C}[{i}]
C 1 ({xC} >>= {s})
S 5 (short) {I}
S 1 {[S}[{i}]
S 1 ({xS} *= {I})
LA 6 sLA
LA 4 {[LA}[{i}]
LA 1 ((A) (Object) {O})
LA 1 ({Z} ? {LA} : {LB})
LB 9 sLB
LB 1 ((B) (A) {LA})
LB 1 ((B) (Object) {O})
LC 9 sLC
LC 1 ((C) (B) {LB})
LD 9 sLD
LD 1 ((D) (A) {LA})
LE 9 sLE
LE 1 ((E) (A) {LA})
LI 9 sLI
LI 1 ((I) (A) {LA})
LI 1 ({Z} ? {LB} : {LI})
O 2 {[O}[{i}]
O 1 ({Z} ? {O} : {LA})
[I 1 {[[I}[{i}]
[I 1 ((int[]) (Object) {O})
[I 1 ({Z} ? {[I} : {[I})
[LA 1 ((A[]) (Object[]) {[O})
"""
CALLS = """
I 1 Math.abs({I})
I 1 Math.max({I}, {I})
I 1 Math.addExact({I}, {I})
I 1 Math.floorMod({I}, {d})
I 1 Integer.rotateLeft({I}, {I})
I 1 Integer.compareUnsigned({I}, {I})
I 1 Integer.numberOfTrailingZeros({I})
I 1 Float.compare({F}, {F})
J 1 Math.multiplyHigh({J}, {J})
J 1 Long.rotateRight({J}, {I})
J 1 Math.round({D})
J 1 Double.doubleToLongBits({D})
F 1 Math.max({F}, {F})
F 1 Float.intBitsToFloat({I} & 0x7F7FFFFF)
D 1 Math.sqrt({D})
D 1 Math.min({D}, {D})
D 1 Math.abs({D})
[I 3 (new int[{I} & 7])
[I 1 (new int[{I}%9])
[I 1 (new int[] {{I}, {I}, {I}, {I}})
[I 1 {[I}.clone()
[J 3 (new long[({I} & 7) + 3])
[D 3 (new double[({I} & 7) + 3])
[F 3 (new float[({I} & 7) + 3])
[B 3 (new byte[({I} & 7) + 3])
[Z 3 (new boolean[({I} & 7) + 3])
[C 2 (new char[({I} & 7) + 3])
[S 2 (new short[({I} & 7) + 3])
[O 2 (new Object[({I} & 7) + 3])
[O 1 (new B[({I} & 7) + 3])
[LA 2 (new A[({I} & 7) + 3])
[LA 1 (new B[({I} & 7) + 3])
[LA 1 (new A[] {{LA}, {LB}, {LC}, {LA}})
[[I 1 (new int[({I} & 3) + 1][{I} & 7])
[[I 1 (new int[4][])
LA 2 new A({I})
LB 2 new B({I})
LC 2 new C({I})
LD 2 new D({I})
LE 2 new F({I})
LI 1 new B({I})
O 1 Integer.valueOf({I} & 127)
T 2 ("a" + {I})
T 1 ({T} + {J} + {C})
T 1 ({T} + {D})
T 1 String.valueOf({Z})
I 1 {T}.length()
I 1 {T}.hashCode()
Z 1 {T}.equals({T})
"""


def operations(text):
    """By type: a list of templates, each as often as its weight."""
    table = {}
    for line in text.strip().splitlines():
        kind, weight, template = line.split(" ", 2)
        table.setdefault(kind, []).extend([split_template(template)] * int(weight))
    return table


def split_template(template):
    """Text and holes in turn; a hole is a tuple."""
    parts, at = [], 0
    while at < len(template):
        open_at = template.find("{", at)
        close = template.find("}", open_at)
        if open_at < 0:
            parts.append(template[at:])
            break
        hole = template[open_at + 1:close]
        if hole.isalnum() or hole[:1] in ("[", "~", "="):
            parts += [template[at:open_at], (hole,)]
            at = close + 1
        else:  # a brace of Java
            parts.append(template[at:open_at + 1])
            at = open_at + 1
    return [part for part in parts if part]


PURE_OPS = operations(PURE)
CALL_OPS = operations(CALLS)


class Method:
    """What a caller must know of a method. `where`: static, virtual or interface; `cost`: steps of one call at most."""

    def __init__(self, name, where, owner, result, params, leaf):
        self.name, self.where, self.owner, self.result, self.params, self.leaf = name, where, owner, result, params, leaf
        self.recursive, self.private, self.cost = False, False, 1

    def head(self, prefix):
        params = ", ".join(f"{java(kind)} p{i}" for i, kind in enumerate(self.params))
        return f"{prefix}{java(self.result)} {self.name}({params}) "


def supers(name):
    above = (CLASSES | LATE).get(name, ("",))[0]
    return [above, *supers(above)] if above else []


def java(kind):
    return java(kind[1:]) + "[]" if kind.startswith("[") else JAVA[kind]


def zero(kind):
    return ZERO.get(kind) or f"(({java(kind)}) null)"


class Body:
    """A method's body being made: what is in scope and how much it may cost."""

    def __init__(self, method, budget, this):
        self.method, self.budget, self.this = method, budget, this
        self.cost, self.times = 1, 1  # so far; of one statement here
        self.variables, self.readable = {}, {}  # by type: names
        self.names = 0
        self.labels = []  # of the loops around
        self.above = None  # the overridden method that super.name() calls
        self.in_handler = False

    def declare(self, kind, readable=False, prefix="x"):
        self.names += 1
        name = f"{prefix}{self.names}"
        (self.readable if readable else self.variables).setdefault(kind, []).append(name)
        return name

    def scope(self):
        """To be given back by `leave`: what is declared from here on is known up to there."""
        return [{kind: len(names) for kind, names in known.items()} for known in (self.variables, self.readable)]

    def leave(self, scope):
        for known, counts in zip((self.variables, self.readable), scope):
            for kind, names in known.items():
                del names[counts.get(kind, 0):]


class Generator:
    def __init__(self, seed, size=6):
        self.random = random.Random(seed)
        self.size = size
        self.name = f"P{seed}"
        self.methods = []
        self.places = 0  # numbers of what is told
        self.fields = {kind: [f"f{kind}0", f"f{kind}1"] for kind in PRIMITIVE}  # of A
        self.fields["LA"] = ["next"]
        self.statics = {kind: [f"s{kind}0", f"s{kind}1"] for kind in PRIMITIVE}
        for kind in ARRAYS:
            self.statics[kind] = ["a" + kind.replace("[", "").replace("L", "") + ("2" if kind == "[[I" else "")]
        self.statics["O"], self.statics["T"] = ["sO"], ["sT"]
        for kind in OBJECTS:
            self.statics[kind] = ["s" + kind]
        self.strings = self.chance(0.1)  # concatenation by invokedynamic costs the start of much of the class library
        self.body = None
        self.leaf = False

    # ---- chances ----

    def chance(self, of):
        return self.random.random() < of

    def pick(self, things):
        return things[int(self.random.random() * len(things))]

    def place(self):
        self.places += 1
        return self.places

    # ---- expressions ----

    def expr(self, kind, depth):
        if depth <= 0 or self.chance(0.12):
            return self.simple(kind)
        for _ in range(3):
            if not self.leaf and self.chance(0.25):
                made = self.call(kind, depth) if self.chance(0.6) else self.filled(CALL_OPS, kind, depth)
            else:
                made = self.filled(PURE_OPS, kind, depth)
            if made:
                return made
        return self.simple(kind)

    def filled(self, table, kind, depth):
        if kind not in table:
            return None
        template = self.pick(table[kind])
        if (kind == "T" or ("T",) in template) and not self.strings:
            return None
        parts, last = [], None
        for part in template:
            if not isinstance(part, str):
                last = last if part[0] == "=" else self.hole(part[0], depth - 1)
            parts.append(part if isinstance(part, str) else last)
        return Expr(kind, parts) if None not in parts else None

    def hole(self, what, depth):
        if what == "i":
            return self.index(depth)
        if what[0] == "~":
            return self.simple(what[1:])
        if what == "s":
            return Expr("I", [self.pick(SHIFTS)]) if self.chance(0.5) else self.expr("I", depth)
        if what[0] == "d":
            return self.divisor(what[1:] or "I", depth)
        if what[0] == "x":
            return self.target(what[1:], depth)
        return self.expr(what, depth)

    def index(self, depth):
        r = self.random.random()
        if r < 0.02:
            return self.expr("I", depth)
        if r < 0.4 or depth <= 0:
            return Expr("I", [self.pick("0123")])
        return Expr("I", ["(", self.expr("I", depth), " & 3)"])

    def divisor(self, kind, depth):
        if self.chance(0.04):
            return self.expr(kind, depth)
        if self.chance(0.5):
            return Expr(kind, [self.pick([edge for edge in EDGES[kind] if edge not in ("0", "0L")])])
        return Expr(kind, ["(", self.expr(kind, depth), " | 1)"])

    def target(self, kind, depth):
        """A place that may be assigned, as text or parts; None where there is none."""
        r = self.random.random()
        names = self.body.variables.get(kind)
        if names and r < 0.6:
            return self.pick(names)
        if kind in self.fields and r < 0.75:
            return Expr("", [self.receiver(depth), ".", self.pick(self.fields[kind])])
        if "[" + kind in ARRAYS and r < 0.88:
            return Expr("", [self.array(kind), "[", self.index(depth), "]"])
        return self.pick(self.statics[kind]) if kind in self.statics else None

    def array(self, kind):
        """The name of an array that says `kind` of its elements, whatever it is at run time."""
        return self.pick(self.body.variables.get("[" + kind, []) + self.statics["[" + kind])

    def receiver(self, depth):
        """An A, seldom null."""
        if self.body.this and self.chance(0.4):
            return "this"
        return self.expr("LA", min(depth, 1))

    def simple(self, kind):
        """A variable, field or constant."""
        r = self.random.random()
        if kind in EDGES and r < 0.25:
            return Expr(kind, [self.pick(EDGES[kind])])
        names = self.body.variables.get(kind, []) + self.body.readable.get(kind, [])
        if names and r < 0.8:
            return Expr(kind, [self.pick(names)])
        if kind in SUBTYPES and r < 0.4:
            return Expr(kind, [self.simple(self.pick(SUBTYPES[kind]))])
        if kind in self.fields and self.body.this and r < 0.9:
            return Expr(kind, [self.pick(self.fields[kind])])
        if kind in self.fields and r < 0.9:
            return Expr(kind, [self.pick(self.statics["LA"]), ".", self.pick(self.fields[kind])])
        if kind in self.statics and (r < 0.99 or kind in PRIMITIVE):
            return Expr(kind, [self.pick(self.statics[kind])])
        return Expr(kind, [zero(kind)])

    def call(self, kind, depth):
        """A call of one of the program's methods that gives such a value and whose cost there is budget for."""
        body = self.body
        left = (body.budget - body.cost) / body.times
        fit = [method for method in self.methods if method.result == kind and method.cost < left]
        if body.above and body.above.result == kind and body.above.cost < left and self.chance(0.3):
            return self.call_of(body.above, ["super."], depth)
        if not fit:
            return None
        method = self.pick(fit)
        return self.call_of(method, self.receiver_of(method, depth - 1), depth)

    def receiver_of(self, method, depth):
        """The parts before a method's name."""
        if method.where == "static":
            return []
        receiver = self.expr(method.owner, min(depth, 1))
        return [f"(({java(method.owner)}) ", receiver, ")."] if method.private else [receiver, "."]

    def call_of(self, method, before, depth):
        self.body.cost += method.cost * self.body.times
        parts = before + [method.name + "("]
        for i, kind in enumerate(method.params):
            parts += [", "] if i else []
            parts.append(Expr("I", [self.pick("0123")]) if i == 0 and method.recursive else self.expr(kind, min(depth - 1, 2)))
        return Expr(method.result, parts + [")"])

    # ---- statements ----

    def block(self, count, depth):
        scope = self.body.scope()
        made = Block([stmt for _ in range(count) for stmt in self.statement(depth)])
        self.body.leave(scope)
        return made

    def statement(self, depth):
        """One statement, or a few that belong together. `depth`: how much deeper blocks may be nested."""
        self.body.cost += self.body.times
        kinds = self.NESTED if depth > 0 and self.chance(0.35) else self.FLAT
        return self.pick(kinds)(self, depth) or self.assignment(depth)

    def depth(self):
        return self.pick([1, 2, 2, 3, 3, 4])

    def assignment(self, _):
        kind = self.pick(VARIABLES)
        target = self.target(kind, 1)
        if target is None:
            return []
        return [Stmt([target, " = ", self.expr(kind, self.depth()), ";"])]

    def update(self, _):
        kind = self.pick("BCSIIIJJFD")
        operator = self.pick(["+", "-", "*"] + (["^", "|", "&", "<<", ">>", ">>>"] if kind in "BCSIJ" else []))
        target = self.target(kind, 1)
        value = self.expr("I" if operator in ("<<", ">>", ">>>") else self.pick("I" + kind), self.depth())
        return [Stmt([target, f" {operator}= ", value, ";"])] if target else []

    def increment(self, _):
        target = self.target(self.pick("BCSIIIJFD"), 1)
        return [Stmt([target, self.pick(["++", "--"]), ";"])] if target else []

    def declaration(self, _):
        kind = self.pick(VARIABLES)
        value = self.expr(kind, self.depth())
        name = self.body.declare(kind)
        return [Stmt([f"{java(kind)} {name} = ", value, ";"], name)]

    def store_reference(self, _):
        """Into an array that may be of a narrower class."""
        return [Stmt([self.array("O"), "[", self.index(1), "] = ", self.expr(self.pick(["O", "LA", "LC"]), 1), ";"])]

    def tell(self, _):
        if self.leaf:
            return []
        return [Stmt([f"Fuzz.r({self.place()}, ", self.expr(self.pick(RESULTS), self.depth()), ");"])]

    def early_return(self, _):
        value = self.expr(self.body.method.result, 2)
        if not self.leaf:
            value = Expr(value.type, [f"Fuzz.r({self.place()}, ", value, ")"])
        return [Stmt(["if (", self.unlikely(), ") ", Block([Stmt(["return ", value, ";"])])])]

    def unlikely(self):
        return Expr("Z", ["((", self.expr("I", 2), f" & {self.pick([3, 7, 15])}) == {self.pick([0, 1, 3])})"])

    def now_and_then(self):
        """True so often that code which is made later has met it."""
        return Expr("Z", ["((", self.expr("I", 2), f" & {self.pick([1, 1, 3])}) == {self.pick([0, 1])})"])

    def throw(self, _):
        if self.leaf:
            return []
        made = self.pick(['new IllegalStateException("thrown")', 'new ArithmeticException()', "new Thrown({})", "new Thrown({})", "null"])
        before, _, after = made.partition("{}")
        value = [before, self.expr("I", 2), after] if after else [made]
        return [Stmt(["if (", self.unlikely(), ") ", Block([Stmt(["throw ", *value, ";"])])])]

    def jump(self, _):
        if not self.body.labels:
            return []
        label, loop = self.pick(self.body.labels)
        word = self.pick(["break", "continue"]) if loop else "break"
        return [Stmt(["if (", self.unlikely(), ") ", Block([Stmt([f"{word} {label};"])])])]

    def branch(self, depth):
        parts = ["if (", self.expr("Z", self.depth()), ") ", self.block(self.pick([1, 2, 3]), depth - 1)]
        if self.chance(0.5):
            parts += [" else ", self.block(self.pick([1, 2]), depth - 1)]
        return [Stmt(parts)]

    def loop(self, depth):
        """A counter that only the loop changes, declared before it; a small bound."""
        body = self.body
        most = self.pick([2, 3, 4, 7, 10]) if body.times < 10 else 3
        if body.cost + body.times * most * 6 > body.budget:
            return []
        kind = self.pick("IIIIIJDB")
        name = body.declare(kind, readable=True, prefix="i")
        body.names += 1
        label = f"l{body.names}"
        first, head = self.loop_head(kind, name, most)
        body.labels.append((label, True))
        body.times *= most
        inner = self.block(self.pick([1, 2, 3, 4]), depth - 1)
        body.times //= most
        body.labels.pop()
        before, after = head
        return [Stmt([f"{java(kind)} {name} = {first};"], name), Stmt([f"{label}: {before}", inner, after])]

    def loop_head(self, kind, name, most):
        """The counter's first value, and the loop's text before and behind its block."""
        way = self.random.random()
        also = f" && {self.pick(self.body.variables['Z'])}" if self.chance(0.15) and self.body.variables.get("Z") else ""
        if way < 0.45:
            return 0, (f"for (; {name} < {most}{also}; {name}++) ", "")
        if way < 0.6:
            return most * 3, (f"for (; {name} > 0{also}; {name} -= 3) ", "")
        if way < 0.75 and kind != "B" and self.body.variables.get("I"):
            return 0, (f"for (; {name} < ({self.pick(self.body.variables['I'])} & 7) % {most + 1}{also}; {name}++) ", "")
        if way < 0.88:
            return most, (f"while ({name}-- > 1{also}) ", "")
        return 0, ("do ", f" while (++{name} < {most}{also});")

    def labelled(self, depth):
        self.body.names += 1
        label = f"l{self.body.names}"
        self.body.labels.append((label, False))
        inner = self.block(self.pick([2, 3, 4]), depth - 1)
        self.body.labels.pop()
        return [Stmt([f"{label}: ", inner])]

    def switch(self, depth):
        """Dense keys make a tableswitch, others a lookupswitch; some cases fall through."""
        if self.chance(0.5):
            keys = list(range(self.pick([0, -1, 5]), 12))[:self.pick([3, 4, 6])]
            value = Expr("I", ["(", self.expr("I", 2), f" & 7) + {keys[0]}"])
        else:
            keys = sorted(set(self.pick([-2147483648, -1, 0, 1, 7, 31, 32, 64, 255, 65535, 1000003, 2147483647]) for _ in range(5)))
            value = Expr("I", [self.expr("I", self.depth()), " + 0"])
        cases = []
        for key in keys + ["default"]:
            inner = self.block(self.pick([1, 2]), depth - 1)
            cases.append(Stmt([f"case {key}: " if key != "default" else "default: ", inner, "" if self.chance(0.25) else " break;"]))
        return [Stmt(["switch (", value, ") ", Block(cases)])]

    def attempt(self, depth):
        parts = ["try ", self.block(self.pick([2, 3, 4]), depth - 1)]
        names = [name for name in CAUGHT if self.chance(0.2)]
        if self.chance(0.6) or not names:
            names.append(self.pick(["RuntimeException", "Throwable"]))
        finally_too = self.chance(0.25)
        if finally_too and self.chance(0.3):
            names = []
        for name in names:
            self.body.names += 1
            parts += [f" catch ({name} e{self.body.names}) ", self.handler(f"e{self.body.names}", name, depth)]
        if finally_too:
            parts += [" finally ", self.block(1, depth - 1)]
        return [Stmt(parts)]

    def handler(self, name, caught, depth):
        block = self.block(self.pick([1, 1, 2]), depth - 1)
        block.stmts.insert(0, Stmt([f"sO = {name};" if self.leaf else f"Fuzz.caught({self.place()}, {name});"]))
        if caught != "Throwable" and self.chance(0.15):
            again = [f"throw {name};"] if self.leaf or self.chance(0.6) else ["throw new Thrown(", self.expr("I", 1), ");"]
            block.stmts.append(Stmt(["if (", self.unlikely(), ") ", Block([Stmt(again)])]))
        return block

    def synchronize(self, depth):
        if self.leaf and self.chance(0.8):
            return []
        on = "this" if self.body.this and self.chance(0.5) else self.pick(["LOCK", "LOCK", "sLA", "aI"])
        return [Stmt([f"synchronized ({on}) ", self.block(self.pick([1, 2, 3]), depth - 1)])]

    def function(self, _):
        """A lambda that keeps a variable, called at once."""
        if self.leaf or not self.strings:
            return []
        self.body.names += 1
        kept, name = f"k{self.body.names}", f"g{self.body.names}"
        block = [Stmt([f"final int {kept} = ", self.expr("I", 2), ";"], kept),
                 Stmt([f"java.util.function.LongUnaryOperator {name} = x -> x * 31 + {kept} - ", self.pick(["sI0", "sJ1", "x"]), ";"], name),
                 Stmt([f"Fuzz.r({self.place()}, {name}.applyAsLong(", self.expr("J", 2), "));"])]
        return [Stmt([Block(block)])]

    def handle(self, _):
        """A method handle, variable handles or a string concatenation: their code is found by constants."""
        if self.leaf or not self.strings:
            return []
        self.body.names += 1
        name, place = f"h{self.body.names}", self.place()
        which = self.pick(["handle", "variable", "text"])
        if which == "text":
            return [Stmt([f"Fuzz.r({place}, \"t\" + ", self.expr("I", 2), " + 'c' + ", self.expr("J", 2), " + (Object) null + ", self.expr("D", 1), ");"])]
        if which == "handle":
            call = Stmt([f"Fuzz.r({place}, (long) Fuzz.MIXED.invokeExact((int) (", self.expr("I", 2), "), (long) (", self.expr("J", 2), ")));"])
            return [Stmt(["try ", Block([call]), f" catch (RuntimeException | Error {name}) {{ throw {name}; }}",
                          f" catch (Throwable {name}) {{ throw new IllegalStateException({name}); }}"])]
        block = [Stmt([f"final Fuzz.Cell {name} = new Fuzz.Cell(", self.expr("I", 2), ");"], name),
                 Stmt([f"Fuzz.r({place}, (int) Fuzz.CELL.getAndAdd({name}, (int) (", self.expr("I", 2), ")));"]),
                 Stmt([f"Fuzz.r({place}, Fuzz.CELL.compareAndSet({name}, {name}.value, (int) (", self.expr("I", 1), ")));"]),
                 Stmt([f"Fuzz.r({place}, (int) Fuzz.CELL.getVolatile({name}) + (int) Fuzz.ELEMENT.getAcquire({name}.values, (int) (", self.expr("I", 2), ") & 3));"])]
        return [Stmt([Block(block)])]

    FIELDS_OF_MIXED = {"I": "i", "J": "j", "F": "f", "D": "d", "B": "b", "C": "c", "Z": "z", "O": "o"}

    def mixed_use(self, names):
        """A statement with objects that `mixed` has made."""
        name, other = self.pick(names), self.pick(names)
        kind = self.pick("IIJFDBCZO")
        field = self.FIELDS_OF_MIXED[kind]
        way = self.random.random()
        if way < 0.3:
            return Stmt([f"{name}.{field} = ", self.expr(kind, self.depth()), ";"])
        if way < 0.42:
            number = self.pick("ijbc")
            return Stmt([f"{name}.{number} {self.pick(['+', '-', '*', '^'])}= ", self.expr("I", 2), f" + {other}.{self.pick('ijbc')};"])
        if way < 0.5:
            return Stmt([f"{name}.add({other});"])
        if way < 0.67:
            return Stmt(["if (", self.now_and_then(), ") ", Block([Stmt([f"Fuzz.kept = {name};" if self.chance(0.7) else f"Fuzz.keep({name});"])])])
        if way < 0.72:
            return Stmt([f"{name}.o = {other};"])
        if way < 0.78:
            return Stmt([f"Fuzz.r({self.place()}, {name}.is({other}.o) ? 1 : {name} == {other} ? 2 : {name} instanceof Fuzz.MixedBelow ? 3 : 4);"])
        if way < 0.84:
            return Stmt(["synchronized (", name, ") ", Block([Stmt([f"{name}.j += {other}.i;"])])])
        return Stmt([f"Fuzz.r({self.place()}, {name}.{self.pick(['sum()', 'i', 'j', 'd', 'b', 'c', 'z ? 1 : 0', 'f'])});"])

    def mixed(self, depth):
        """Objects that only some paths let others see, in straight lines, behind branches and in loops."""
        if self.leaf or self.body.cost + self.body.times * 30 > self.body.budget:
            return []
        self.body.names += 2
        names = [f"m{self.body.names - 1}", f"m{self.body.names}"]
        block = [Stmt([f"Fuzz.Mixed {name} = new Fuzz.{self.pick(['Mixed', 'Mixed', 'MixedBelow'])}(", self.expr("I", 2), ");"], name) for name in names]
        for _ in range(self.pick([2, 3, 4, 5, 6])):
            uses = [self.mixed_use(names) for _ in range(self.pick([1, 1, 2, 3]))]
            way = self.random.random()
            if way < 0.25:
                block.append(Stmt(["if (", self.expr("Z", 2), ") ", Block(uses)]))
            elif way < 0.45:
                self.body.names += 1
                turn = f"t{self.body.names}"
                block.append(Stmt([f"for (int {turn} = 0; {turn} < {self.pick([2, 3, 5])}; {turn}++) ", Block(uses)]))
            elif way < 0.6:
                block.append(Stmt(["if (", self.now_and_then(), ") ", Block([Stmt(["return ", self.expr(self.body.method.result, 2), ";"])])]))
            else:
                block += uses
            if self.chance(0.3):
                block.append(Stmt([f"Fuzz.r({self.place()}, Fuzz.seen());"]))
        self.body.cost += self.body.times * 20
        return [Stmt([Block(block)])]

    def own_use(self, name):
        """A statement that reads or writes a field of an object and shows it to nobody."""
        kind = self.pick("IIJJFDBCZ")
        if self.chance(0.7):
            return Stmt([f"{name}.{self.FIELDS_OF_MIXED[kind]} = ", self.expr(kind, 2), ";"])
        return Stmt([f"Fuzz.r({self.place()}, {name}.{self.pick(['sum()', 'i', 'j', 'd', 'b', 'c', 'f'])});"])

    def shown(self, name):
        uses = [self.own_use(name) for _ in range(self.pick([0, 1, 2]))]
        return uses + [Stmt([f"Fuzz.kept = {name};" if self.chance(0.6) else f"Fuzz.keep({name});"])]

    def late(self, _):
        """An object, or one that holds another, that others see on some paths, and nobody uses on the others."""
        if self.leaf or self.body.cost + self.body.times * 20 > self.body.budget:
            return []
        self.body.names += 3
        name, held, turn = f"m{self.body.names - 2}", f"m{self.body.names - 1}", f"t{self.body.names}"
        block = [Stmt([f"Fuzz.Mixed {name} = new Fuzz.Mixed(", self.expr("I", 2), ");"], name)]
        if self.chance(0.4):
            block.append(Stmt([f"Fuzz.Mixed {held} = new Fuzz.MixedBelow(", self.expr("I", 2), ");"], held))
            block += [self.own_use(held), Stmt([f"{name}.o = {held};"])]
        block += [self.own_use(name) for _ in range(self.pick([1, 2, 3]))]
        way = self.random.random()
        if way < 0.3:
            block.append(Stmt(["if (", self.now_and_then(), ") ", Block([Stmt(["return ", self.expr(self.body.method.result, 2), ";"])])]))
            block += [Stmt(["if (", self.now_and_then(), ") ", Block(self.shown(name))]), self.own_use(name)]
        elif way < 0.7:
            block.append(Stmt(["if (", self.now_and_then(), ") ", Block(self.shown(name)), " else ", Block([self.own_use(name)])]))
        else:
            block.append(Stmt([f"for (int {turn} = 0; {turn} < {self.pick([2, 3, 5])}; {turn}++) ", Block([
                self.own_use(name), Stmt(["if (", self.now_and_then(), ") ", Block([*self.shown(name), Stmt(["break;"])])])])]))
        block.append(Stmt([f"Fuzz.r({self.place()}, Fuzz.seen());"]))
        self.body.cost += self.body.times * 12
        return [Stmt([Block(block)])]

    def boxes(self, _):
        """Boxes that are old ones or new ones, summed up in a loop, kept seldom, compared."""
        if self.leaf or self.body.cost + self.body.times * 12 > self.body.budget:
            return []
        self.body.names += 3
        one, two, turn = f"q{self.body.names - 2}", f"q{self.body.names - 1}", f"t{self.body.names}"
        kind, box = self.pick([("I", "Integer"), ("I", "Integer"), ("J", "Long"), ("C", "Character"), ("S", "Short"), ("B", "Byte"), ("Z", "Boolean")])
        small = self.chance(0.5) and kind in "IJ"
        value = lambda depth: Expr(kind, [f"({java(kind)}) (", self.expr(kind, depth), " & 255)" if small else ")"])
        block = [Stmt([f"{box} {one} = ", value(2), f", {two} = ", value(1), ";"], one)]
        if kind in "IJ":
            block.append(Stmt([f"for (int {turn} = 0; {turn} < {self.pick([2, 3, 5])}; {turn}++) ", Block([
                Stmt([f"{one} += {two};"]), Stmt(["if (", self.unlikely(), ") ", Block([Stmt([f"{two} = ", value(1), ";"])])])])]))
        block.append(Stmt(["if (", self.unlikely(), ") ", Block([Stmt([f"Fuzz.kept = {one};"])])]))
        block.append(Stmt([f"Fuzz.r({self.place()}, {one}.equals({two}) ? 1 : {one} == {box}.valueOf({two}) ? 2 : Fuzz.kept == {one} ? 3 : 4);"]))
        block.append(Stmt([f"Fuzz.r({self.place()}, {one});"]))
        self.body.cost += self.body.times * 10
        return [Stmt([Block(block)])]

    def recursion(self, _):
        method = self.body.method
        if not method.recursive or self.body.times > 1 or self.body.recursed:
            return []
        self.body.recursed = True
        parts = [", "] * (2 * len(method.params) - 2)
        parts[1::2] = [self.expr(kind, 2) for kind in method.params[1:]]
        this = "this." if method.where != "static" else ""
        place = self.place()
        call = Stmt([f"Fuzz.r({place}, {this}{method.name}(p0 - 1", *parts, "));"])
        return [Stmt(["if (p0 > 0) ", Block([call])])]

    FLAT = [assignment] * 10 + [update] * 4 + [increment] * 2 + [declaration] * 5 + [store_reference] + [tell] * 2 + [early_return] + [throw] + [jump] * 2 + [
        function, handle, recursion] + [mixed] * 3 + [late] * 3 + [boxes] * 2
    NESTED = [branch] * 6 + [loop] * 7 + [switch] * 2 + [attempt] * 4 + [synchronize] + [labelled]

    # ---- methods ----

    def signature(self):
        count = self.pick([0, 1, 2, 2, 3, 3, 4, 5, 6, 8, 11, 16])
        return [self.pick(VARIABLES + ["[LA", "[S", "[C", "LC"]) for _ in range(count)]

    def body_of(self, method, budget, this=None, above=None):
        """The block of a method; sets what it costs at most."""
        self.body, self.leaf = Body(method, budget, this), method.leaf
        body = self.body
        body.above, body.recursed = above, not method.recursive
        for i, kind in enumerate(method.params):
            into = body.readable if i == 0 and method.recursive else body.variables
            into.setdefault(kind, []).append(f"p{i}")
        stmts = []
        for _ in range(self.pick([1, 2, 4, 6])):
            stmts += self.declaration(0)
        for _ in range(self.pick([3, 4, 6, 8])):
            stmts += self.statement(self.pick([1, 2, 3]))
        stmts += self.mixing()
        stmts += self.recursion(0)
        value = self.expr(method.result, 2)
        stmts.append(Stmt(["return ", value, ";"] if method.leaf else [f"return Fuzz.r({self.place()}, ", value, ");"]))
        method.cost = max(method.cost, body.cost * (4 if method.recursive else 1))
        return Block(stmts)

    def mixing(self):
        """All variables there are go into static fields: a wrong one shows."""
        made = []
        for kind, names in {**self.body.readable, **self.body.variables}.items():
            for name in names:
                if kind in "BCSIJ":
                    made.append(f"sum = sum * 31 + {name};")
                elif kind in "FD":
                    made.append(f"sum = sum * 31 + (long) ({name} * 1000) + (long) (1 / {name});")
                elif kind == "Z":
                    made.append(f"if ({name}) {{ sum++; }}")
        return [Stmt([text]) for text in made]

    def static_method(self, leaf):
        recursive = not leaf and self.chance(0.25)
        params = (["I"] if recursive else []) + self.signature()
        method = Method(f"m{len(self.methods)}", "static", None, self.pick(RESULTS), params, leaf)
        method.recursive = recursive
        block = self.body_of(method, 300 if leaf else 600)
        synchronized = "synchronized " if self.chance(0.1) else ""
        self.methods.append(method)
        return Stmt([method.head(f"static {synchronized}"), block], method.name)

    def virtual_method(self, members, leaf):
        """In A, B or E and, by chance, other bodies in its subclasses; in E perhaps none."""
        method = Method(f"v{len(self.methods)}", "virtual", self.pick(["LA", "LA", "LA", "LB", "LE", "LE"]), self.pick(RESULTS), self.signature(), leaf)
        top = method.owner[1:]
        below = [name for name in CLASSES | LATE if top in supers(name)]
        prefix = "private " if self.chance(0.1) else "synchronized " if self.chance(0.1) else ""
        abstract = top in ABSTRACT and prefix == "" and self.chance(0.4)
        method.private = prefix == "private "
        if abstract:
            members[top].append(Stmt([method.head("abstract ").rstrip() + ";"], method.name))
        else:
            members[top].append(Stmt([method.head(prefix), self.body_of(method, 250, top)], method.name))
        for name in below if not method.private else []:
            needed = abstract and top == (CLASSES | LATE)[name][0]
            if needed or self.chance(0.35):
                block = self.body_of(method, 250, name, None if needed else method)
                members[name].append(Stmt([method.head(prefix), block], method.name))
        self.methods.append(method)

    def interface_method(self, members, leaf):
        """Declared in I, with a body there or none; in those that implement it, by chance in others below."""
        method = Method(f"n{len(self.methods)}", "interface", "LI", self.pick(RESULTS), self.signature(), leaf)
        default = self.chance(0.3)
        if default:
            members["I"].append(Stmt([method.head("default "), self.body_of(method, 250)], method.name))
        else:
            members["I"].append(Stmt([method.head("").rstrip() + ";"], method.name))
        for name in ("B", "D", "C", "LateC", "LateF", "LateI"):
            needed = not default and (CLASSES | LATE)[name][1] == "I"
            if needed or self.chance(0.4):
                members[name].append(Stmt([method.head("public "), self.body_of(method, 250, name)], method.name))
        self.methods.append(method)

    # ---- the program ----

    def fields_of(self, names, prefix):
        for kind, of_kind in names.items():
            for name in of_kind:
                volatile = "volatile " if self.chance(0.1) else ""
                yield Stmt([f"{prefix}{volatile}{java(kind)} {name};"], name)

    def setup(self):
        """The state that turns begin with."""
        edges = {kind: EDGES[kind] for kind in PRIMITIVE}
        made = [Stmt([f"{name} = {self.pick(edges[kind])};"]) for kind in PRIMITIVE for name in self.statics[kind]]
        for kind in ARRAYS[:8]:
            length = self.pick([4, 4, 5, 8, 16])
            name = self.statics[kind][0]
            made.append(Stmt([f"{name} = new {java(kind[1:])}[{length}];"]))
            made += [Stmt([f"{name}[{i}] = {self.pick(edges[kind[1:]])};"]) for i in range(4)]
        made += [Stmt([text]) for text in (
            "aI2 = new int[][] {aI, {1, 2, 3, 4}, aI, {-1, 5, 6, 7, 8}};",
            "sLA = new A(1);", "sLB = new B(2);", "sLC = new C(3);", "sLD = new D(4);", "sLE = new F(5);", f"sLI = {self.pick(['sLB', 'sLC', 'sLD'])};", 'sT = "t";',
            f"aA = new A[] {{sLA, {self.pick(['sLB', 'sLA'])}, {self.pick(['sLC', 'sLA'])}, {self.pick(['sLD', 'sLA', 'sLB'])}}};",
            f"aO = {self.pick(['new Object[] {sLA, sLB, aI, sT}', 'aA', 'new Object[6]', 'new B[] {sLB, sLC, null, sLB}'])};",
            f"sO = {self.pick(['sLA', 'sLC', 'aI', 'sT', 'null'])};",
            f"if (sLA != null) {{ sLA.next = sLB; sLB.next = {self.pick(['sLC', 'sLA', 'null'])}; sLC.next = sLD; sLD.next = sLD; }}")]
        return Stmt(["static void setup() ", Block(made)], "setup")

    def turn(self):
        """Calls all methods with values that depend on the turn's number; then tells all state."""
        method = Method("turn", "virtual", None, "V", ["I"], False)
        stmts = []
        for callee in self.methods:
            self.body, self.leaf = Body(method, 1, None), False
            self.body.readable["I"] = ["n"]
            call = self.receiver_of(callee, 1) + [callee.name + "("]
            for i, kind in enumerate(callee.params):
                call += [", "] if i else []
                call.append(self.argument(kind, i == 0 and callee.recursive))
            told = Stmt([f"Fuzz.r({self.place()}, ", Expr(callee.result, call + [")"]), ");"])
            caught = Block([Stmt([f"Fuzz.caught({self.place()}, e);"])])
            stmts.append(Stmt(["try ", Block([told]), " catch (RuntimeException e) ", caught]))
        stmts.insert(0, Stmt([f"if (n % {self.pick([1, 2, 4])} == 0) ", Block([Stmt(["setup();"])])]))
        stmts[1:1] = self.arrivals()
        stmts += [Stmt([f"Fuzz.r({self.place()}, {name});"]) for kind in PRIMITIVE for name in self.statics[kind]]
        stmts += [Stmt([f"Fuzz.all({self.place()}, {self.statics[kind][0]});"]) for kind in ARRAYS]
        stmts += [Stmt([f"Fuzz.r({self.place()}, {name});"]) for name in ("sum", "sO", "sLA")]
        for name in ("sLA", "sLB"):
            told = Block([Stmt([f"Fuzz.r({self.place()}, {name}.{field});"]) for kind in PRIMITIVE for field in self.fields[kind]])
            stmts.append(Stmt([f"if ({name} != null) ", told]))
        return Stmt(["public void turn(int n) ", Block(stmts)], "Program")  # named so that the reducer keeps it

    def arrivals(self):
        """From some turn on, objects of the classes that come late."""
        for name, (_, places) in PLACES.items():
            since = self.pick([1, 2, 5, 6, 40, 130])
            which = "" if self.chance(0.5) else " && (n & 1) == 0"
            yield Stmt([f"if (n >= {since}{which}) ", Block([Stmt([f"{self.pick(places)} = New{name}.object(n);"])])])

    def argument(self, kind, is_depth):
        if is_depth:
            return Expr("I", [f"(n + {self.pick('0123')} & 3)"])
        if kind in "IJFD":
            return Expr(kind, [f"Fuzz.{kind.lower()}(n * {self.pick([1, 3, 7, 31])} + {int(self.random.random() * 1000)})"])
        return self.expr(kind, 2 if kind in "ZBCS" else 1)

    def classes(self, members):
        yield Stmt(["static final class Thrown extends RuntimeException ", Block([Stmt([
            "final int code; Thrown(int code) { super(\"code \" + code, null, true, true); this.code = code; }"])])], "Thrown")
        yield Stmt(["interface I ", Block(members["I"])], "I")
        for name, (above, interface) in (CLASSES | LATE).items():
            start = ["fI0 = x; fJ1 = x * 3L; fD0 = x / 4.0;"] if name == "A" else ["super(x + 1);"]
            block = Block([Stmt([f"{name}(int x) {{ {start[0]} }}"])] + members[name])
            head = f"static {'abstract ' if name in ABSTRACT else ''}class {name}" + (f" extends {above}" if above else "") + (f" implements {interface}" if interface else "")
            yield Stmt([head + " ", block], name)
        for name, (kind, _) in PLACES.items():  # nothing else names it, so neither calls nor the verifier load it before
            yield Stmt([f"static class New{name} ", Block([Stmt([f"static {kind} object(int x) {{ return new {name}(x); }}"])])], f"New{name}")

    def program(self):
        members = {name: [] for name in [*CLASSES, *LATE, "I"]}
        members["A"] += self.fields_of(self.fields, "")
        statics = list(self.fields_of(self.statics, "static "))
        statics += [Stmt(["static final Object LOCK = new Object();"], "LOCK"), Stmt(["static long sum;"], "sum")]
        methods = []
        for at in range(self.size):
            leaf = at < self.size // 2
            r = self.random.random()
            if r < 0.6:
                methods.append(self.static_method(leaf))
            elif r < 0.82:
                self.virtual_method(members, leaf)
            else:
                self.interface_method(members, leaf)
        methods.append(self.setup())
        methods.append(self.turn())
        return Program(self.name, "public final class @ implements Fuzz.Program ",
                       Block([*statics, *self.classes(members), *methods]))


def generate(seed, size=6):
    return Generator(seed, size).program()


if __name__ == "__main__":
    print(generate(int(sys.argv[1]), *map(int, sys.argv[2:3])).source(), end="")
