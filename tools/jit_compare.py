#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares two traces of -XX:JitTrace (docs/TRACE.md) and shows the first difference of each thread, with what came before it.

    java -XX:+UnlockDiagnosticVMOptions -XX:JitTrace=int.trace -Xint Main
    java -XX:+UnlockDiagnosticVMOptions -XX:JitTrace=jit.trace -XX:+JitAll Main
    tools/jit_compare.py int.trace jit.trace [--context 5]

Exit code: 0 no difference, 1 some, 2 a trace cannot be read. Lines that repeat the one before are one: an instruction that is begun again
is written down again, by one engine and not by the other.
"""
import argparse
import itertools
import sys
from collections import defaultdict, deque

FIELDS = 5  # thread, method, bci, line, values


class Unreadable(Exception):
    """A file is no trace."""


def lines_of(path):
    """Yields (thread, line) without those that repeat the thread's one before."""
    last = {}
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\n").split("\t")
            if len(fields) != FIELDS or not line.endswith("\n"):
                raise Unreadable(f"{path}:{number}: no line of a trace")
            thread, rest = fields[0], tuple(fields[1:])
            if last.get(thread) != rest:
                last[thread] = rest
                yield thread, rest


def by_thread(path):
    threads = defaultdict(list)
    for thread, rest in lines_of(path):
        threads[thread].append(rest)
    return threads


def place(rest):
    method, bci, line, _ = rest
    return f"{method} @{bci}" + (f" line {line}" if int(line) > 0 else "")


def values(rest):
    return dict(word.partition("=")[::2] for word in rest[3].split())


NAMES = {"l": "local", "o": "operand"}


def show_difference(number, mine, other, before, out):
    """mine and other: what each trace has there; None: it has ended."""
    print(f"line {number} of the thread, after", file=out)
    for rest in before:
        print(f"    {place(rest)}  {rest[3].strip()}", file=out)
    if mine is None or other is None:
        print(f"  {'first' if mine is None else 'second'} trace ends; the other goes on: {place(other if mine is None else mine)}", file=out)
        return
    if mine[:2] != other[:2]:
        print(f"  first:  {place(mine)}  {mine[3].strip()}\n  second: {place(other)}  {other[3].strip()}", file=out)
        return
    print(f"  {place(mine)}", file=out)
    a, b = values(mine), values(other)
    for slot in [*a, *(s for s in b if s not in a)]:
        if a.get(slot) != b.get(slot):
            print(f"    {NAMES[slot[0]]} {slot[1:]}: first {a.get(slot, 'nothing')}, second {b.get(slot, 'nothing')}", file=out)


def compare(first, second, context=5, out=sys.stdout):
    """True if the traces say the same."""
    mine, other = by_thread(first), by_thread(second)
    same = True
    for thread in sorted(mine.keys() | other.keys(), key=int):
        before = deque(maxlen=context)
        pairs = itertools.zip_longest(mine.get(thread, []), other.get(thread, []))
        for number, (a, b) in enumerate(pairs, 1):
            if a != b:
                print(f"thread {thread}: ", end="", file=out)
                show_difference(number, a, b, before, out)
                same = False
                break
            before.append(a)
    if same:
        print(f"no difference: {sum(map(len, mine.values()))} lines, {len(mine)} threads", file=out)
    return same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--context", type=int, default=5, help="lines before a difference")
    args = parser.parse_args()
    try:
        return 0 if compare(args.first, args.second, args.context) else 1
    except (OSError, Unreadable) as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
