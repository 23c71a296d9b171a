#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs in each mode of modes.py, compared with HotSpot (docs/PROVING.md, "Random programs").

    fuzz.py                               the kept programs and the seeds of seeds.txt, as the test suite does
    fuzz.py --seconds 600                 random programs for that long, from a seed that is printed
    fuzz.py --first 4711 --count 100      those of these seeds
    fuzz.py --seconds 600 --mutate        with changed bytecodes (Mutate.java), which javac does not write
    fuzz.py --first 4711 --count 1 --reduce --modes evaluate
                                          a program that failed, made as small as it gets

What fails is kept in build/fuzz-jit/<program>-<mode>/: the source, what was expected and printed with each value that was told,
the reduced program, or the changed classes. The exit code is 1 then.
"""
import argparse
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import modes
from generate import generate
from reduce import Reducer

HERE = Path(__file__).resolve().parent
KEPT = modes.ROOT / "build/fuzz-jit"
BATCH = 24
SHOWN = 6  # lines around the first difference
ALONE_TURNS = 16


class Workshop:
    """A folder to compile programs in."""

    def __init__(self, folder):
        self.folder, self.count = Path(folder), 0
        self.common = self.folder / "common"
        self.javac([HERE / "Fuzz.java"], self.common)
        self.javac([HERE / "Mutate.java"], self.folder / "mutate")

    def javac(self, sources, into):
        into.mkdir(parents=True, exist_ok=True)
        argv = [f"{modes.runner.PEER_HOME}/bin/javac", "-J-XX:TieredStopAtLevel=1", "-g",
                "-nowarn", "-Xlint:none", "-XDrawDiagnostics", "-Xmaxerrs", "10000",
                "-cp", self.common, "-d", into, *sources]
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stdout + done.stderr

    def compile(self, sources):
        """Compiles texts by name. The folder of their classes, and what javac says of those that it refuses, by name."""
        self.count += 1
        into, refused = self.folder / str(self.count), {}
        into.mkdir()
        for name, text in sources.items():
            (into / f"{name}.java").write_text(text, encoding="utf-8")
        left = set(sources)
        while left and (said := self.javac([into / f"{name}.java" for name in sorted(left)], into)):
            wrong = {name: line for line in said.splitlines() for name in re.findall(r"^(?:\S*/)?(\w+)\.java:\d+:", line)}
            if not wrong.keys() & left:
                sys.exit(f"javac failed:\n{said}")
            refused |= wrong
            left -= wrong.keys()
        return into, refused

    def mutate(self, folder, names):
        """Changes the bytecodes of compiled programs, which their names decide. How many changes there are."""
        argv = [f"{modes.runner.PEER_HOME}/bin/java", "-cp", self.folder / "mutate", "Mutate", self.common, folder, *names]
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
        return sum(int(line.split()[1]) for line in done.stdout.splitlines())


class Failure:
    def __init__(self, name, mode, what):
        self.name, self.mode, self.what = name, mode, what


class Run:
    """Compares programs in the modes and keeps what fails."""

    def __init__(self, workshop, chosen, args):
        self.workshop, self.turns, self.most, self.mutate = workshop, args.turns, 1 if args.reduce else args.failures, args.mutate
        self.modes = [mode for mode in chosen if not mode.missing]
        self.pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
        self.batches, self.programs, self.lines, self.changes, self.failures, self.refused = 0, 0, 0, 0, [], []

    def turns_of(self, mode):
        return self.turns or mode.turns

    def batch(self, sources):
        """Runs the programs of these texts by name. The failures among them."""
        folder, refused = self.workshop.compile(sources)
        self.refused += [f"{name}: javac says {said}" for name, said in refused.items()]
        names = [name for name in sources if name not in refused]
        folders = [self.workshop.common, folder]
        self.batches += 1
        if self.mutate and self.batches % self.mutate == 0:
            self.changes += self.workshop.mutate(folder, names)
        most = max(map(self.turns_of, self.modes))
        peer = self.pool.submit(modes.run, modes.PEER, names, folders, most)
        jobs = {mode: self.pool.submit(modes.run, mode, names, folders, self.turns_of(mode)) for mode in self.modes}
        want = peer.result()
        self.refused += [f"{name}: HotSpot: {want[name].why}" for name in names if want[name].why]
        failures = []
        for mode, job in jobs.items():
            got = job.result()
            for name in names:
                self.lines += len(got[name].lines)
                what = None if want[name].why else modes.difference(want[name], got[name])
                if what:
                    failures.append(Failure(name, mode, what))
        self.programs += len(names)
        for failure in failures[:self.most - len(self.failures)]:
            self.keep(failure, sources[failure.name], folders)
        self.failures += failures
        shutil.rmtree(folder)
        return failures

    def keep(self, failure, source, folders):
        """Writes down a failure with all that was told, and prints where it begins."""
        where = KEPT / f"{failure.name}-{failure.mode.name}"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        if self.mutate:
            for path in folders[-1].glob(f"{failure.name}*.class"):
                shutil.copy(path, where)
        turns = max(ALONE_TURNS, self.turns_of(failure.mode))
        want = modes.run(modes.PEER, [failure.name], folders, turns, 1)[failure.name]
        got = modes.run(failure.mode, [failure.name], folders, turns, 1, alone=True)[failure.name]
        for name, text in (("source.java", source), ("expected.txt", "\n".join(want.lines)), ("printed.txt", "\n".join(got.lines)),
                           ("why.txt", failure.what + ("\n" + got.why if got.why else ""))):
            (where / name).write_text(text + "\n", encoding="utf-8")
        print(f"FAILED {failure.name} in {failure.mode.name}: {failure.what}\n{first_difference(want, got, source)}"
              f"  kept in {os.path.relpath(where, modes.ROOT)}", flush=True)


def first_difference(want, got, source):
    """The lines of the first thing that was told otherwise, and the place in the source."""
    for at, (expected, line) in enumerate(zip(want.lines + [""], got.lines + ["(nothing more)"])):
        if expected == line:
            continue
        shown = [f"    {same}\n" for same in want.lines[max(0, at - SHOWN):at]]
        shown += [f"  - {expected}\n", f"  + {line}\n"]
        place = expected.split()[0] if expected.split() else "?"
        lines = [f"  line {number}: {text.strip()}\n" for number, text in enumerate(source.splitlines(), 1)
                 if re.search(rf"\bFuzz\.\w+\({place},", text)]
        return "".join(shown + lines[:1])
    return "  by itself it does not fail\n"


# ---- what is run ----

def kept_programs():
    """Programs that showed a defect once, by name."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted((HERE / "kept").glob("*.java"))}


def listed_seeds():
    lines = (HERE / "seeds.txt").read_text(encoding="utf-8").splitlines()
    return [int(line.split()[0]) for line in lines if line.strip() and not line.startswith("#")]


def batches(args):
    """Texts by name, a batch at a time, until there was enough."""
    if args.files:
        yield {Path(path).stem: Path(path).read_text(encoding="utf-8") for path in args.files}
        return
    if args.first is None and not args.count and not args.seconds:
        programs = kept_programs() | {f"P{seed}": generate(seed, args.size).source() for seed in listed_seeds()}
        yield programs
        return
    seed = random.SystemRandom().randrange(10 ** 9) if args.first is None else args.first
    print(f"from seed {seed}", flush=True)
    end, left = time.monotonic() + (args.seconds or 10 ** 9), args.count or 10 ** 9
    while left > 0 and (not args.seconds or time.monotonic() < end):
        count = min(left, args.batch)
        yield {f"P{number}": generate(number, args.size).source() for number in range(seed, seed + count)}
        seed, left = seed + count, left - count


def reduce_first(run, failures, args):
    """Cuts the first program that failed, where it is one of a seed."""
    failure = failures[0]
    seed = re.fullmatch(r"P(\d+)", failure.name)
    if not seed:
        sys.exit(f"{failure.name} is no program of a seed")
    program = generate(int(seed.group(1)), args.size)
    text = Reducer(run.workshop, program, failure.mode, args.turns or ALONE_TURNS).reduce(args.reduce_seconds)
    if text:
        path = KEPT / f"{failure.name}-{failure.mode.name}" / "Reduced.java"
        path.write_text(text, encoding="utf-8")
        print(f"reduced to {len(text.splitlines())} lines: {os.path.relpath(path, modes.ROOT)}")
    else:
        print("by itself it does not fail often enough to be reduced")


def words(text):
    return [word for word in text.split(",") if word]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="programs to run instead")
    parser.add_argument("--seconds", type=float, default=0, help="random programs for that long")
    parser.add_argument("--count", type=int, default=0, help="that many random programs")
    parser.add_argument("--first", type=int, help="the first seed")
    parser.add_argument("--mutate", type=int, nargs="?", const=1, default=0, help="changes the bytecodes of each batch, or of each n-th")
    parser.add_argument("--size", type=int, default=6, help="how many methods a program has")
    parser.add_argument("--turns", type=int, default=0, help="how often each program is run, instead of what its mode says")
    parser.add_argument("--modes", type=words, default=[], help="names, separated by commas; all without")
    parser.add_argument("--builds", type=words, default=[], help="the modes of these builds alone")
    parser.add_argument("--flags", type=str.split, default=[], help="more options of the VM, separated by blanks")
    parser.add_argument("--image", help="a JDK image to run instead of the builds'")
    parser.add_argument("--batch", type=int, default=BATCH, help="programs compiled and run together")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="VMs at a time")
    parser.add_argument("--failures", type=int, default=10, help="ends after so many")
    parser.add_argument("--reduce", action="store_true", help="cuts the first program that fails, and ends")
    parser.add_argument("--reduce-seconds", type=float, default=300)
    return parser.parse_args()


def main():
    args = arguments()
    if args.mutate and args.reduce:
        sys.exit("--reduce cuts the source of a program: not with --mutate")
    chosen = modes.available(args.modes, args.builds, args.image, args.flags)
    for mode in chosen:
        if mode.missing:
            print(f"skipped: mode {mode.name}: {mode.missing}")
    if all(mode.missing for mode in chosen):
        sys.exit("no mode is left")
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-jit.") as folder:
        run = Run(Workshop(folder), chosen, args)
        for sources in batches(args):
            failures = run.batch(sources)
            if failures and args.reduce:
                reduce_first(run, failures, args)
            if len(run.failures) >= args.failures or (failures and args.reduce):
                break
    for what in run.refused:
        print(f"no program: {what}")
    changes = f"{run.changes} changes of bytecodes, " if args.mutate else ""
    print(f"{run.programs} programs, {changes}{len(run.modes)} modes, {run.lines} lines compared, {len(run.failures)} failures, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if run.failures or run.refused or not run.lines else 0


if __name__ == "__main__":
    sys.exit(main())
