#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pellucid beside HotSpot: the small programs of Bench.java, those of Memory.java, the time of a start, and the peak of
resident memory; with --programs the real programs of tests/programs instead, with --operations those of
Operations.java, each a single operation done many times, with --tools what tools cost (tool_costs.py), with --lens what Lens does (lens_costs.py;
--only questions: how fast it answers, lens_questions.py),
with --loops a minute each of H2, Lucene, TLS and Tomcat (loop_costs.py).

    run.py [--rounds N] [--repeats N] [--only name] [--ours HOME] [--peer HOME] [--programs | --operations | --tools | --lens | --loops] [--save]

Each program runs in a process of its own, on Pellucid interpreted and compiled, on HotSpot with C1 alone and on HotSpot as it comes,
in turn, so that what disturbs the machine disturbs all. A program's steady state is the CPU time of its fastest repeat in any round, its
warm-up the least of the first repeats; CPU is user and system time of the whole process, the least of the rounds. The speed of the
compilers is that of a run of javac, by -XX:+CITime. Pauses are those that -Xlog:gc tells, the longest of the best round.
The real programs (those whose packages are installed) are measured by the CPU and wall time of their whole command, compilers
included, and the peak memory of its largest process.
--save writes the tables of bench/RESULTS.md that were measured anew.
"""
import argparse
import math
import os
import re
import subprocess
import sys
import tempfile

import lens_costs
import loop_costs
import tool_costs
from measure import ROOT, Machine, environment, number, ratio, run, save

sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]
STARTS = 7
C1 = "-XX:TieredStopAtLevel=1"
COMPILED = ("-XX:+UnlockDiagnosticVMOptions", "-XX:+JitCompile")
TITLES = ("interpreted", "Pellucid", "C1", "HotSpot")
REAL_TITLES = ("Pellucid", "C1", "HotSpot")
SERIAL = ("-Xint", "-XX:+UseSerialGC")
# Programs of Memory.java: name, what it does, options for both VMs, options of the peer
MEMORY = (
    ("churn", "20 million small objects die young", ("-Xmx128m", "-Xlog:gc"), SERIAL),
    ("live", "1 GB in use, 10 % of it replaced ten times", ("-Xmx2g", "-Xlog:gc"), SERIAL),
    ("threads", "eight threads allocate", ("-Xmx256m", "-Xlog:gc"), SERIAL),
    ("wait", "200,000 turns by Object.wait and notify", ("-Xmx128m",), ()),
    ("park", "200,000 turns by park and unpark", ("-Xmx128m",), ()),
)


def run_programs(names, machines, classes, rounds, repeats, main="Bench"):
    """Least milliseconds, CPU and milliseconds of the first repeat of each program on each VM: {(name, title): (ms, cpu, first)}."""
    best, checks = {}, {}
    for round_number in range(rounds):
        for name in names:
            for machine in machines:
                if sys.stderr.isatty():
                    print(f"\rround {round_number + 1}/{rounds}: {name} on {machine.title}".ljust(70), end="", file=sys.stderr)
                done = machine.measure(classes, main, name, str(repeats))
                if not done:
                    continue
                _, ms, check, first = done[0].split()
                if checks.setdefault(name, check) != check:
                    print(f"\n{name} on {machine.title}: checksum {check}, not {checks[name]}", file=sys.stderr)
                    continue
                now = float(ms), done[1], float(first)
                best[name, machine.title] = tuple(map(min, best.get((name, machine.title), now), now))
    if sys.stderr.isatty():
        print("\r".ljust(71) + "\r", end="", file=sys.stderr)
    return best


def run_starts(machines, classes):
    """Hello World: least CPU and wall seconds, and the median of the peaks of resident memory."""
    seen = {machine.title: [] for machine in machines}
    for _ in range(STARTS):
        for machine in machines:
            done = machine.measure(classes, "Bench", "hello")
            if done:
                seen[machine.title].append(done[1:])
    result = {}
    for title, runs in seen.items():
        if runs:
            peaks = sorted(run[2] for run in runs)
            result[title] = min(run[0] for run in runs), min(run[1] for run in runs), peaks[len(peaks) // 2]
    return result


def run_memory(ours, peer, classes, names, rounds):
    """Rows: program, then CPU seconds, longest pause in ms and peak KiB on both, each of the round with the least CPU time."""
    best, checks = {}, {}
    for _ in range(rounds):
        for name, _what, options, peer_options in MEMORY:
            interprets = [option for option in peer_options if option == "-Xint"]
            for machine in (Machine("Pellucid", ours, *interprets), Machine("HotSpot", peer, *peer_options)):
                done = name in names and machine.measure(classes, "Memory", name, options=options)
                if not done:
                    continue
                check = re.search(r"^check (.*)$", done[0], re.MULTILINE).group(1)
                if checks.setdefault(name, check) != check:
                    print(f"{name} on {machine.title}: checksum {check}, not {checks[name]}", file=sys.stderr)
                    continue
                pauses = [float(ms) for ms in re.findall(r"Pause .* ([0-9.]+)ms", done[0])]
                now = done[1], max(pauses, default=None), done[3]
                best[name, machine.title] = min(best.get((name, machine.title), now), now, key=lambda figures: figures[0])
    return best


def memory_table(best):
    lines = ["| memory and threads | HotSpot's options | CPU s: Pellucid | HotSpot | ratio | longest pause ms: Pellucid | HotSpot "
             "| peak MiB: Pellucid | HotSpot |", "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for name, what, options, peer_options in MEMORY:
        ours, peer = (best.get((name, title), (None, None, None)) for title in ("Pellucid", "HotSpot"))
        if ours[0] is None:
            continue
        flags = " ".join(option for option in (*peer_options, *options) if not option.startswith("-Xlog"))
        lines.append(f"| {name}: {what} | {flags} | {number(ours[0], '.2f')} | {number(peer[0], '.2f')} | {ratio(ours[0], peer[0])} "
                     f"| {number(ours[1], '.1f')} | {number(peer[1], '.1f')} | {mebibytes(ours[2])} | {mebibytes(peer[2])} |")
    return lines if len(lines) > 2 else []


def mebibytes(kibibytes):
    return number(kibibytes and kibibytes / 1024, ".0f")


def real_programs(only):
    """Name and bash command of the real programs that can run here."""
    import field
    rows = [(name, f"bash {ROOT}/tests/programs/{name}.sh", ["ecj"] if name == "ecj" else []) for name in ("javac_self", "ecj")]
    rows += [(row.name, row.command, row.packages) for row in field.programs()]
    return [(name, command) for name, command, packages in rows if (not only or name in only) and not field.missing(packages)]


def run_real(programs, ours, peer, rounds):
    """The least of each command's CPU seconds, wall seconds and peak KiB with the one JDK and the other: {(name, title): (cpu, wall, peak)}."""
    import field
    best = {}
    for _ in range(rounds):
        for name, command in programs:
            for title in REAL_TITLES:
                home, options = (ours, None) if title == "Pellucid" else (peer, C1 if title == "C1" else None)
                env = environment() | {"JAVA_HOME": str(home), "PATH": f"{home}/bin:{os.environ['PATH']}", "ROOT": str(ROOT),
                                       "IN": str(field.INPUTS), "PEER_HOME": str(peer), "LC_ALL": "C.UTF-8"}
                if options:
                    env["JAVA_TOOL_OPTIONS"] = options
                with tempfile.TemporaryDirectory(prefix="bench.") as folder:
                    done = run(f"{name} on {title}", ["bash", "-c", command], env, folder)
                if done:
                    best[name, title] = tuple(map(min, best.get((name, title), done[1:]), done[1:]))
    return best


def real_table(programs, best):
    lines = ["| real program | CPU s: Pellucid | C1 | ratio | HotSpot | ratio | wall s: Pellucid | HotSpot | ratio "
             "| peak MiB: Pellucid | HotSpot | ratio |", "|---|" + "---:|" * 11]
    sums = {title: (0.0, 0.0, 0.0) for title in REAL_TITLES}
    for name, _ in programs:
        figures = {title: best.get((name, title)) for title in REAL_TITLES}
        if all(figures.values()):
            sums = {title: tuple(map(sum, zip(sums[title], figures[title]))) for title in REAL_TITLES}
        lines.append(real_row(name, figures))
    return "\n".join(lines + [real_row("sum", sums)])


def real_row(name, figures):
    (cpu, wall, peak), (c1, _, _), (peer, peer_wall, peer_peak) = (figures[title] or (None, None, None) for title in REAL_TITLES)
    return (f"| {name} | {number(cpu, '.2f')} | {number(c1, '.2f')} | {ratio(cpu, c1)} | {number(peer, '.2f')} | {ratio(cpu, peer)} "
            f"| {number(wall, '.2f')} | {number(peer_wall, '.2f')} | {ratio(wall, peer_wall)} "
            f"| {mebibytes(peak)} | {mebibytes(peer_peak)} | {ratio(peak, peer_peak)} |")


def run_compilers(machines, classes):
    """Bytes of bytecodes a millisecond of CPU and methods compiled while javac compiles the sources of the VM's tests: {title: (speed, methods)}."""
    sources = sorted(str(path) for path in (ROOT / "tests/java/lang").glob("*.java"))[:100]
    result = {}
    for machine in machines:
        done = machine.measure(classes, "com.sun.tools.javac.Main", "-nowarn", "-d", f"{classes}/javac", *sources,
                               options=("-XX:+CITime", "--add-modules", "jdk.compiler", "-Xlog:disable"))
        found = done and {key: int(value) for key, value in re.findall(r"(methods|speed) +: +([0-9]+) ", done[0])}
        if found:
            result[machine.title] = found["speed"] / 1000, found["methods"]
    return result


def geometric_mean(pairs):
    ratios = [a / b for a, b in pairs if a and b]
    return f"{math.prod(ratios) ** (1 / len(ratios)):.2f}" if ratios else "-"


def table(names, best, memory, starts, compilers):
    lines = ["| program, steady state | interpreted ms | Pellucid ms | ratio | C1 ms | ratio | HotSpot ms | ratio "
             "| warm-up ms: Pellucid | C1 | HotSpot | CPU s: interpreted | Pellucid | C1 | HotSpot |", "|---" + "|---:" * 14 + "|"]
    steady = {title: [best.get((name, title), (None,))[0] for name in names] for title in TITLES}
    for name in names:
        (xint, xint_cpu, _), (ours, cpu, first), (c1, c1_cpu, c1_first), (peer, peer_cpu, peer_first) = (
            best.get((name, title), (None, None, None)) for title in TITLES)
        figures = [number(xint, ".1f"), number(ours, ".1f"), ratio(ours, xint), number(c1, ".1f"), ratio(ours, c1), number(peer, ".1f"), ratio(ours, peer)]
        figures += [number(ms, ".1f") for ms in (first, c1_first, peer_first)]
        figures += [number(seconds, ".2f") for seconds in (xint_cpu, cpu, c1_cpu, peer_cpu)]
        lines.append(f"| {name} | {' | '.join(figures)} |")
    means = {title: geometric_mean(zip(steady["Pellucid"], steady[title])) for title in TITLES}
    lines.append(f"| geometric mean | | | {means['interpreted']} | | {means['C1']} | | {means['HotSpot']} |" + " |" * 7)
    lines += ["", "| compiler, running javac | bytes of bytecodes a ms (C1 by the clock, else CPU) | methods |", "|---|---:|---:|"] if compilers else []
    lines += [f"| {title} | {speed:,.0f} | {methods:,} |" for title, (speed, methods) in compilers.items()]
    lines += ["", *memory_table(memory)] if memory else []
    lines += ["", "| Hello World | CPU s | wall s | peak memory MiB |", "|---|---:|---:|---:|"]
    for title, (cpu, wall, peak) in starts.items():
        lines.append(f"| {title} | {cpu:.3f} | {wall:.3f} | {peak / 1024:.1f} |")
    return "\n".join(lines)


def peer_home():
    import jdk
    return jdk.find() or sys.exit("run.py: no JDK 17 found; give --peer")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, help="how often each program runs on each VM (2)")
    parser.add_argument("--repeats", type=int, default=12, help="repeats inside a process, of which the best counts (12)")
    parser.add_argument("--only", action="append", help="this program alone; may be given again")
    parser.add_argument("--ours", default=str(ROOT / "build/jdk"), help="home of the Pellucid image")
    parser.add_argument("--peer", help="home of HotSpot's JDK 17")
    parser.add_argument("--programs", action="store_true", help="the real programs of tests/programs, once unless --rounds says more")
    parser.add_argument("--operations", action="store_true", help="single operations, compiled")
    parser.add_argument("--tools", action="store_true", help="the cost of the operations of JVM TI")
    parser.add_argument("--lens", action="store_true", help="the cost of Lens")
    parser.add_argument("--loops", action="store_true", help="a minute each of H2, Lucene, TLS and Tomcat under load")
    parser.add_argument("--seconds", type=int, help="how long a loop runs (60)")
    parser.add_argument("--save", action="store_true", help="write bench/RESULTS.md")
    return parser.parse_args()


def compile_programs(peer, classes, main="Bench"):
    sources = [str(ROOT / "bench" / name) for name in ("Bench.java", "Memory.java", "Operations.java")]
    subprocess.run([f"{peer}/bin/javac", "-nowarn", "-d", classes, *sources], check=True)
    return subprocess.run([f"{peer}/bin/java", "-cp", classes, main, "list"], check=True, capture_output=True, text=True).stdout.split()


def main_programs(args, peer):
    rounds = args.rounds or 1
    programs = real_programs(args.only)
    best = run_real(programs, args.ours, peer, rounds)
    text = real_table(programs, best)
    print(text)
    if args.save:
        save("Real programs", f"`./dev bench --programs --save`, {rounds} round(s).", text)
    return 0 if all((name, "Pellucid") in best for name, _ in programs) else 1


def operation_table(names, best):
    lines = ["| operation, steady state | Pellucid ms | C1 ms | ratio | HotSpot ms | ratio |", "|---|---:|---:|---:|---:|---:|"]
    steady = {title: [best.get((name, title), (None,))[0] for name in names] for title in TITLES[1:]}
    for name, ours, c1, peer in zip(names, *steady.values()):
        lines.append(f"| {name} | {number(ours, '.1f')} | {number(c1, '.1f')} | {ratio(ours, c1)} | {number(peer, '.1f')} | {ratio(ours, peer)} |")
    means = {title: geometric_mean(zip(steady["Pellucid"], steady[title])) for title in steady}
    return "\n".join([*lines, f"| geometric mean | | | {means['C1']} | | {means['HotSpot']} |"])


def chosen(names, only):
    unknown = [name for name in only or [] if name not in names]
    if unknown:
        sys.exit(f"run.py: no program {' '.join(unknown)}; there are {' '.join(names)}")
    return only or names


def main_operations(args, peer):
    rounds = args.rounds or 2
    machines = [Machine("Pellucid", args.ours), Machine("C1", peer, C1), Machine("HotSpot", peer)]
    with tempfile.TemporaryDirectory(prefix="bench.") as classes:
        names = chosen(compile_programs(peer, classes, "Operations"), args.only)
        best = run_programs(names, machines, classes, rounds, args.repeats, "Operations")
    text = operation_table(names, best)
    print(text)
    if args.save:
        save("Single operations", f"`./dev bench --operations --save`, {rounds} rounds of {args.repeats} repeats.", text)
    return 0 if all((name, "Pellucid") in best for name in names) else 1


def main_small(args, peer):
    rounds = args.rounds or 2
    machines = [Machine("interpreted", args.ours, "-Xint"), Machine("Pellucid", args.ours, *COMPILED), Machine("C1", peer, C1), Machine("HotSpot", peer)]
    starters = [machines[0], Machine("Pellucid", args.ours), Machine("-Xint", peer, "-Xint"), Machine("-Xint -Xshare:off", peer, "-Xint", "-Xshare:off"),
                machines[3]]
    memory_names = [row[0] for row in MEMORY]
    with tempfile.TemporaryDirectory(prefix="bench.") as classes:
        names = compile_programs(peer, classes)
        wanted = chosen([*names, *memory_names], args.only)
        names = [name for name in names if name in wanted]
        best = run_programs(names, machines, classes, rounds, args.repeats)
        memory = run_memory(args.ours, peer, classes, wanted, rounds)
        starts = run_starts(starters, classes)
        compilers = {} if args.only else run_compilers(machines[1:3], classes)
    text = table(names, best, memory, starts, compilers)
    print(text)
    if args.save:
        save("Small programs", f"`./dev bench --save`, {rounds} rounds of {args.repeats} repeats.", text)
    return 0 if all((name, "Pellucid") in best for name in names) else 1


def main():
    args = parse_arguments()
    peer = args.peer or peer_home()
    if args.tools:
        return tool_costs.main(args, peer)
    if args.lens:
        return lens_costs.main(args, peer)
    if args.loops:
        return loop_costs.main(args, peer)
    if args.operations:
        return main_operations(args, peer)
    return main_programs(args, peer) if args.programs else main_small(args, peer)


if __name__ == "__main__":
    sys.exit(main())
