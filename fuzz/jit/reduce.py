# SPDX-License-Identifier: Apache-2.0
"""Makes a program that fails smaller: a chunk of candidates is compiled and run at a time, each with a cut of its own; those that
still fail are taken, together where they do not touch each other."""
import re
import time

import modes
from generate import zero
from tree import Block, Expr, Stmt, blocks_of, exprs_of

CHUNK = 24  # candidates, of small programs; of big ones fewer, as compiling them costs the most
CHUNK_LINES = 3000
TRIES = 2  # runs to see whether a program fails: some modes leave it to chance


class Cut:
    """Part [start, end) of a list becomes `by`."""

    def __init__(self, parts, start, end, by):
        self.parts, self.start, self.end, self.by = parts, start, end, by

    def touches(self, other):
        return self.parts is other.parts and self.start < other.end and other.start < self.end

    def apply(self):
        """The cut that undoes it."""
        old = self.parts[self.start:self.end]
        self.parts[self.start:self.end] = self.by
        return Cut(self.parts, self.start, self.start + len(self.by), old)


class Reducer:
    def __init__(self, workshop, program, mode, turns):
        self.workshop, self.program, self.mode, self.turns = workshop, program, mode, turns

    def reduce(self, seconds):
        """The text of the smallest program found in the time; None when it does not fail by itself."""
        end = time.monotonic() + seconds
        if not self.failing({"R": self.program.source("R")}):
            return None
        changed = True
        while changed and time.monotonic() < end:
            changed = False
            for cuts in (self.deletions, self.unwrappings, self.simplifications):
                while time.monotonic() < end and self.one_pass(cuts(), end):
                    changed = True
        return self.program.source("Reduced")

    def one_pass(self, cuts, end):
        """Tries cuts, chunk by chunk. True when one was taken."""
        taken = False
        cuts = list(cuts)
        while cuts and time.monotonic() < end:
            count = min(CHUNK, max(4, CHUNK_LINES // self.program.source().count("\n")))
            there = {id(parts) for parts in self.lists()}  # an earlier cut may have taken some away, or shortened them
            chunk = [cut for cut in cuts[:count] if id(cut.parts) in there and cut.end <= len(cut.parts)]
            cuts = cuts[count:]
            taken |= self.try_chunk(chunk)
        return taken

    def lists(self):
        for block in blocks_of(self.program.body):
            yield block.stmts
            for stmt in block.stmts:
                yield stmt.parts
        for parts, at in exprs_of(self.program.body):
            yield parts
            yield parts[at].parts

    def try_chunk(self, cuts):
        texts = {}
        for i, cut in enumerate(cuts):
            undo = cut.apply()
            text = self.program.source(f"R{i}")
            if not any(re.search(rf"\b{stmt.name}\b", text) for stmt in undo.by if isinstance(stmt, Stmt) and self.is_needed(stmt)):
                texts[f"R{i}"] = text
            undo.apply()
        good = [cuts[int(name[1:])] for name in sorted(self.failing(texts), key=lambda name: len(texts[name]))]
        if not good:
            return False
        together = []
        for cut in good:
            if not any(cut.touches(other) for other in together):
                together.append(cut)
        together.sort(key=lambda cut: -cut.start)  # of one list the last first: the others' numbers stay right
        undo = [cut.apply() for cut in together]
        if len(together) > 1 and not self.failing({"R": self.program.source("R")}):
            for cut in reversed(undo):
                cut.apply()
            good[0].apply()
        return True

    @staticmethod
    def is_needed(stmt):
        """Whether a name that is still used keeps it: not a method's that has other bodies."""
        return stmt.name and stmt.name[0] not in "vn"

    def failing(self, texts):
        """The names of those that still fail, and come to their end on HotSpot."""
        if not texts:
            return set()
        folder, refused = self.workshop.compile(texts)
        names = [name for name in texts if name not in refused]
        folders = [self.workshop.common, folder]
        want = modes.run(modes.PEER, names, folders, self.turns)
        names = [name for name in names if not want[name].why]
        found = set()
        for _ in range(TRIES):
            left = [name for name in names if name not in found]
            got = modes.run(self.mode, left, folders, self.turns, alone=True)
            found |= {name for name in left if modes.difference(want[name], got[name])}
            if not self.mode.env or found:
                break
        return found

    # ---- cuts, the biggest first ----

    def deletions(self):
        blocks = list(blocks_of(self.program.body))
        size = max((len(block.stmts) for block in blocks), default=0)
        while size > 0:
            for block in blocks:
                count = len(block.stmts)
                for at in range(0, count if size <= count else 0, size):
                    yield Cut(block.stmts, at, min(at + size, count), [])
            size //= 2

    def unwrappings(self):
        """A statement becomes what stands in its blocks."""
        for block in blocks_of(self.program.body):
            for at, stmt in enumerate(block.stmts):
                for part in stmt.parts:
                    if isinstance(part, Block) and part.stmts and not stmt.name:
                        yield Cut(block.stmts, at, at + 1, [Stmt([part])])
                if len(stmt.parts) == 1 and isinstance(stmt.parts[0], Block):
                    yield Cut(block.stmts, at, at + 1, stmt.parts[0].stmts)

    def simplifications(self):
        """An expression becomes one of its type in it, or the type's zero."""
        for parts, at in exprs_of(self.program.body):
            expr = parts[at]
            if not expr.type:
                continue
            least = zero(expr.type)
            if expr.parts != [least]:
                yield Cut(parts, at, at + 1, [Expr(expr.type, [least])])
            for inner, i in exprs_of(expr):
                if inner[i].type == expr.type and inner[i].parts != [least]:
                    yield Cut(parts, at, at + 1, [inner[i]])
