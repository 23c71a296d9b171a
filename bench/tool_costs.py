# SPDX-License-Identifier: Apache-2.0
"""What tools cost: the table of Tools.java, on Pellucid and on HotSpot as it comes (`./dev bench --tools`).

Each row runs in processes of its own, on the two VMs in turn, --rounds times. Costs are CPU time of the process: with the event
less without it, or of a loop over a function, divided by the operations; each the least of the repeats in all rounds, as what else
the machine does only adds. Of code that no tool looks at, the time with the tool there is divided by the time without.
"""
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

from measure import ROOT, Machine, number, save


class Row:
    """A row of the table of Tools.java, and the least nanoseconds of an operation so far: {(VM, with the tool?): ns}."""

    def __init__(self, line):
        self.kind, self.name, self.title, self.target, self.capabilities, self.options = line.split("\t")
        self.least = {}

    def note(self, title, with_tool, nanos):
        self.least[title, with_tool] = min(self.least.get((title, with_tool), nanos), nanos)

    def figure(self, title):
        """Nanoseconds of an operation, or the ratio of code to itself; None when it was not measured."""
        on, off = self.least.get((title, True)), self.least.get((title, False))
        if on is None or off is None:
            return None
        return on / off if self.is_ratio() else on - off

    def is_ratio(self):
        return self.kind in ("SELF", "START")

    def at_most(self):
        return None if self.target == "-" else float(Fraction(self.target))


def build(peer, folder):
    """Compiles Tools.java and its agent. Returns the agent's path and the rows."""
    agent = Path(folder) / "libtools_agent.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", f"-I{peer}/include", f"-I{peer}/include/linux", "-o", str(agent),
                    str(ROOT / "bench/tools_agent.c")], check=True)
    subprocess.run([f"{peer}/bin/javac", "-nowarn", "-d", folder, str(ROOT / "bench/Tools.java")], check=True)
    listed = subprocess.run([f"{peer}/bin/java", "-cp", folder, "Tools", "list"], check=True, capture_output=True, text=True)
    return agent, [Row(line) for line in listed.stdout.splitlines()]


def measure(row, machine, folder, agent, repeats):
    """One process, or two where the tool is a matter of options."""
    loads = [f"-agentpath:{agent}={row.capabilities}"] if row.capabilities or row.kind != "START" else []
    tool = [*loads, *row.options.split()]
    for options in ([], tool) if row.kind == "START" else (tool,):
        done = machine.measure(folder, "Tools", row.name, str(repeats), options=[f"-Dagent={agent}", *options])
        results = [line.split()[1:] for line in done[0].splitlines() if line.startswith("result ")] if done else []
        if not results:
            continue
        operations, off, on = (int(word) for word in results[0])
        if row.kind == "START":
            row.note(machine.title, bool(options), on / max(operations, 1))
        else:
            row.note(machine.title, False, off / max(operations, 1))
            row.note(machine.title, True, on / max(operations, 1))


def misses(row):
    ours, peer, at_most = row.figure("Pellucid"), row.figure("HotSpot"), row.at_most()
    if at_most is None:
        return False
    if ours is None or (peer is None and not row.is_ratio()):
        return True
    return ours > at_most * (1 if row.is_ratio() else peer)


def table(rows):
    lines = ["| operation | Pellucid ns | HotSpot ns | ratio | at most | |", "|---|---:|---:|---:|---:|---|"]
    for row in rows:
        if not row.is_ratio():
            ours, peer = row.figure("Pellucid"), row.figure("HotSpot")
            ratio = f"{ours / peer:.4f}" if ours is not None and peer and peer > 0 else "-"
            lines.append(f"| {row.title} | {number(ours, ',.1f')} | {number(peer, ',.1f')} | {ratio} | {row.target} | {mark(row)} |")
    lines += ["", "| of itself without | Pellucid | HotSpot | at most | |", "|---|---:|---:|---:|---|"]
    for row in rows:
        if row.is_ratio():
            lines.append(f"| {row.title} | {number(row.figure('Pellucid'), '.3f')} | {number(row.figure('HotSpot'), '.3f')} "
                         f"| {row.target} | {mark(row)} |")
    return "\n".join(lines)


def mark(row):
    return "misses" if misses(row) else ""


def main(args, peer):
    rounds = args.rounds or 3
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        agent, rows = build(peer, folder)
        unknown = set(args.only or []) - {row.name for row in rows}
        if unknown:
            sys.exit(f"run.py: no row {' '.join(sorted(unknown))}; there are {' '.join(row.name for row in rows)}")
        rows = [row for row in rows if not args.only or row.name in args.only]
        for round_number in range(rounds):
            for row in rows:
                for machine in (Machine("Pellucid", args.ours), Machine("HotSpot", peer)):
                    if sys.stderr.isatty():
                        print(f"\rround {round_number + 1}/{rounds}: {row.name} on {machine.title}".ljust(70), end="", file=sys.stderr)
                    measure(row, machine, folder, agent, args.repeats)
            if args.save:
                save("Tools", f"`./dev bench --tools --save`, {round_number + 1} round(s) of {args.repeats} repeats.", table(rows))
    print(table(rows))
    return 0 if not any(misses(row) for row in rows) else 1
