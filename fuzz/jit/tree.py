# SPDX-License-Identifier: Apache-2.0
"""A random program as a tree that still knows its structure, so that the reducer can cut it.

Expressions and statements are lists of parts: text, expressions, blocks. What is a statement is cut as a whole: statements of
methods, but also the methods and fields in a block of a class.
"""
import re


class Expr:
    """An expression: its type (as in generate.py: `I`, `J`, `[B`, `LA` ...) and its parts."""
    __slots__ = ("type", "parts")

    def __init__(self, kind, parts):
        self.type, self.parts = kind, parts

    def write(self, out, indent):
        write_parts(self.parts, out, indent)


class Stmt:
    """A statement or member. `name`: what it declares, which keeps it as long as it is used; None where nothing."""
    __slots__ = ("parts", "name")

    def __init__(self, parts, name=None):
        self.parts, self.name = parts, name

    def write(self, out, indent):
        out.append("    " * indent)
        write_parts(self.parts, out, indent)
        out.append("\n")


class Block:
    """Statements between braces."""
    __slots__ = ("stmts",)

    def __init__(self, stmts=None):
        self.stmts = stmts if stmts is not None else []

    def write(self, out, indent):
        out.append("{\n")
        for stmt in self.stmts:
            stmt.write(out, indent + 1)
        out.append("    " * indent + "}")


def write_parts(parts, out, indent):
    for part in parts:
        if isinstance(part, str):
            out.append(part)
        else:
            part.write(out, indent)


class Program:
    """One source file. `@` in a text stands for the program's name."""

    def __init__(self, name, head, body):
        self.name, self.head, self.body = name, head, body

    def source(self, name=None):
        out = [self.head]
        self.body.write(out, 0)
        return re.sub("@", name or self.name, "".join(out)) + "\n"


def blocks_of(node):
    """All blocks below, the outermost first."""
    if isinstance(node, Block):
        yield node
        for stmt in node.stmts:
            yield from blocks_of(stmt)
    elif not isinstance(node, str):
        for part in node.parts:
            yield from blocks_of(part)


def exprs_of(node):
    """(list of parts, index) of all expressions below, the outermost first."""
    for parts in (stmt.parts for stmt in node.stmts) if isinstance(node, Block) else (node.parts,):
        for i, part in enumerate(parts):
            if isinstance(part, Expr):
                yield parts, i
            if not isinstance(part, str):
                yield from exprs_of(part)
