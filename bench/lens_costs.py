# SPDX-License-Identifier: Apache-2.0
"""What Lens costs: javac over generated sources with the agent idle, sampling, recording all, and with coverage; both VMs, CPU time of the whole process.
Each run has one without the agent right before it, as machines drift by more than is asked for: the medians of --rounds (5) such ratios.
A second table has async-profiler beside it, on HotSpot at the same rates; Maven fetches it, else the table is left out."""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple

import lens_questions
from measure import ROOT, Machine, save

sys.path.insert(0, str(ROOT / "tools"))
from demo_sources import write_sources  # noqa: E402

FILES = 1200
BUSY_FILES = 400  # beside three threads that want the processors, too
LATE = 1.0        # seconds after which an order is sent to the running program
JAVAC = "com.sun.tools.javac.*"
PEER_PROFILER = "tools.profiler:async-profiler:4.5"


class Row(NamedTuple):
    """What is recorded meanwhile: by the agent's options, or `late` by an order to the running program. `busy`: beside three busy threads; wall time."""
    title: str
    what: str
    most: float | None = None  # times itself without
    late: bool = False
    busy: bool = False
    on_hotspot: bool = True


COVERAGE = f"coverage,include={JAVAC}"
# No coverage on HotSpot: breakpoints there make it interpret, which takes minutes.
ROWS = [Row("idle", "", 1.01),
        Row("CPU, 100 Hz", "cpu,hz=100", 1.02),
        Row("CPU, 1,000 Hz", "cpu,hz=1000", 1.06),
        Row("metrics, CPU, allocation, locks, threads", "metrics,gc,cpu,alloc,locks,threads"),
        Row("coverage of javac from its start", COVERAGE, 1.08, on_hotspot=False),
        Row("coverage of javac after its first second", JAVAC, 1.02, late=True, on_hotspot=False),
        Row("coverage of javac from its start beside three busy threads, wall s", COVERAGE, 1.15, busy=True, on_hotspot=False)]
# async-profiler's intervals, by the titles of the rows of the same rate
INTERVALS = [("CPU, 100 Hz", "10ms"), ("CPU, 1,000 Hz", "1ms")]


class Bench:
    """Where the sources and the compiled classes are, and what both were made with."""

    def __init__(self, folder, ours, peer):
        self.folder, self.ours = folder, ours
        self.classes = folder / "classes"
        self.classes.mkdir()
        self.sources = [str(path) for path in write_sources(folder / "sources", FILES)]
        self.recording = folder / "run.lens"
        subprocess.run([f"{peer}/bin/javac", "-nowarn", "-d", str(self.classes), str(ROOT / "bench/Busy.java")], check=True)

    def compile(self, machine, options=(), busy=False, meanwhile=None):
        """CPU seconds of a javac, or its wall seconds beside busy threads; None where it failed."""
        program, sources = ("Busy", self.sources[:BUSY_FILES]) if busy else ("com.sun.tools.javac.Main", self.sources)
        done = machine.measure(self.classes, program, "-nowarn", "-proc:none", "-d", str(self.classes), *sources,
                               options=["--add-modules", "jdk.compiler", *options], meanwhile=meanwhile)
        return done and (done[2] if busy else done[1])

    def agent(self, what):
        """The option for what Lens' agent records from the start."""
        self.recording.unlink(missing_ok=True)
        return f"-agentpath:{self.ours}/lib/liblens.so" + (f"=record={self.recording},{what}" if what else "")

    def compile_covered_late(self, machine, patterns):
        """CPU seconds of a javac whose coverage is asked for when it runs already; None where no line was told."""
        order = None

        def send(pid):
            nonlocal order
            time.sleep(LATE)
            order = subprocess.Popen([f"{self.ours}/bin/lens", str(pid), "coverage", "--include", patterns, "-d", "1000", "--json"],
                                     stdout=subprocess.PIPE, text=True)

        seconds = self.compile(machine, meanwhile=send)
        told = order.communicate()[0]
        if order.returncode != 0 or '"lines"' not in told:
            print("coverage was not told", file=sys.stderr)
            return None
        return seconds

    def row(self, machine, row):
        """Seconds of a javac without and with what a row records, one right behind the other."""
        without = self.compile(machine, busy=row.busy)
        if row.late:
            return without, self.compile_covered_late(machine, row.what)
        return without, self.compile(machine, [self.agent(row.what)], row.busy)

    def beside(self, machine, profiler, interval):
        """As `row`, with async-profiler; and the samples a second of CPU time that were reached."""
        counts = self.folder / "counts"
        without = self.compile(machine)
        seconds = self.compile(machine, [f"-agentpath:{profiler}=start,event=cpu,interval={interval},collapsed,file={counts}"])
        samples = sum(int(line.rpartition(" ")[2]) for line in counts.read_text(encoding="utf-8").splitlines())
        return (without, seconds), f"{samples / seconds:.0f} samples a second of CPU time" if seconds else "-"

    def rate(self):
        """Samples a second of CPU time that were reached, in Lens' words."""
        told = subprocess.run([f"{self.ours}/bin/lens", "open", self.recording, "cpu", "--json"], capture_output=True, text=True, check=False).stdout
        try:
            return json.loads(told)["how"]
        except (ValueError, KeyError):
            return "-"


def peer_profiler(folder):
    """async-profiler's library, unpacked into a folder; None, with a word, where Maven does not bring it."""
    try:
        subprocess.run(["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={PEER_PROFILER}", f"-DoutputDirectory={folder}"],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)
        with zipfile.ZipFile(next(folder.glob("async-profiler-*.jar"))) as jar:
            return jar.extract(f"linux-{'x64' if os.uname().machine == 'x86_64' else 'arm64'}/libasyncProfiler.so", folder)
    except (OSError, subprocess.CalledProcessError, StopIteration) as why:
        print(f"beside async-profiler: skipped, {PEER_PROFILER} was not fetched ({why})", file=sys.stderr)
        return None


def main(args, peer):
    return lens_questions.main(args) if args.only == ["questions"] else costs(args, peer)


def costs(args, peer):
    rounds = args.rounds or 5
    machines = [Machine("Pellucid", args.ours), Machine("HotSpot", peer)]
    pairs, rates = {}, {}
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        folder = Path(folder)
        bench = Bench(folder, Path(args.ours), peer)
        profiler = peer_profiler(folder)
        for _ in range(rounds):
            for row in ROWS:
                for machine in machines[:2 if row.on_hotspot else 1]:
                    pairs.setdefault((row.title, machine.title), []).append(bench.row(machine, row))
                    if row.what.startswith("cpu"):
                        rates[f"{machine.title}, {row.title}"] = bench.rate()
            for title, interval in INTERVALS if profiler else ():
                pair, rates[f"HotSpot, async-profiler, {title}"] = bench.beside(machines[1], profiler, interval)
                pairs.setdefault((title, "async-profiler"), []).append(pair)
    text = table(pairs) + ("\n\n" + peer_table(pairs) if profiler else "")
    print(text)
    for what, reached in rates.items():
        print(f"{what}: {reached}")
    if args.save:
        save("Lens", f"`./dev bench --lens --save`, {rounds} rounds: what javac takes with Lens' agent.", text)
    return 0


def table(pairs):
    lines = ["| javac with Lens | Pellucid CPU s | of itself without | at most | HotSpot CPU s | of itself without |", "|---|---:|---:|---:|---:|---:|"]
    for row in ROWS:
        ours, theirs = (figures(pairs, row.title, vm) for vm in ("Pellucid", "HotSpot"))
        lines.append(f"| {row.title} | {ours} | {row.most or '-'} | {theirs} |")
    return "\n".join(lines)


def peer_table(pairs):
    lines = ["| javac on HotSpot | Lens CPU s | of itself without | async-profiler CPU s | of itself without |", "|---|---:|---:|---:|---:|"]
    return "\n".join([*lines, *(f"| {title} | {figures(pairs, title, 'HotSpot')} | {figures(pairs, title, 'async-profiler')} |" for title, _ in INTERVALS)])


def figures(pairs, title, who):
    """Seconds with the agent, and of those without: the medians of the pairs that ended well."""
    good = [pair for pair in pairs.get((title, who), ()) if all(pair)]
    if not good:
        return "- | -"
    return f"{statistics.median(b for _, b in good):.2f} | {statistics.median(b / a for a, b in good):.3f}"
