#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pellucid beside HotSpot: the small programs of Bench.java, the time of a start, and the peak of resident memory.

    run.py [--rounds N] [--repeats N] [--only name] [--ours HOME] [--peer HOME] [--save]

Each program runs in a process of its own, on Pellucid, on HotSpot with -Xint and on HotSpot as it comes, in turn, so that
what disturbs the machine disturbs all. A program's figure is the CPU time of its fastest repeat in any round; CPU is user and
system time of the whole process, the least of the rounds. --save writes the table to bench/RESULTS.md.
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
TIMEOUT = 120
STARTS = 7


class Machine:
    """One VM with its options."""

    def __init__(self, title, home, *options):
        self.title, self.home, self.options = title, Path(home), list(options)

    def measure(self, classes, *args):
        """Runs Bench. Returns stdout, CPU seconds, wall seconds, peak resident KiB; None where it did not end well."""
        argv = [str(self.home / "bin/java"), *self.options, "-cp", str(classes), "Bench", *args]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            start = time.monotonic()
            process = subprocess.Popen(argv, stdout=out, stderr=err, env=environment())
            code, usage = wait(process, start)
            wall = time.monotonic() - start
            if code != 0:
                err.seek(0)
                said = err.read().decode("utf-8", "replace").strip().splitlines()
                print(f"{self.title} {' '.join(args)}: exit code {code} {said[0] if said else ''}", file=sys.stderr)
                return None
            out.seek(0)
            return out.read().decode(), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss


def environment():
    dropped = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def wait(process, start):
    """Waits with wait4, which tells what this one child used; ends it when it takes too long."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() - start > TIMEOUT:
            process.kill()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = -9
            return "timeout", usage
        time.sleep(0.002)


def run_programs(names, machines, classes, args):
    """Best milliseconds and least CPU of each program on each VM: {(name, title): (ms, cpu)}."""
    best, checks = {}, {}
    for round_number in range(args.rounds):
        for name in names:
            for machine in machines:
                if sys.stderr.isatty():
                    print(f"\rround {round_number + 1}/{args.rounds}: {name} on {machine.title}".ljust(70), end="", file=sys.stderr)
                done = machine.measure(classes, name, str(args.repeats))
                if not done:
                    continue
                _, ms, check = done[0].split()
                if checks.setdefault(name, check) != check:
                    print(f"\n{name} on {machine.title}: checksum {check}, not {checks[name]}", file=sys.stderr)
                    continue
                old = best.get((name, machine.title), (float("inf"), float("inf")))
                best[name, machine.title] = min(old[0], float(ms)), min(old[1], done[1])
    if sys.stderr.isatty():
        print("\r".ljust(71) + "\r", end="", file=sys.stderr)
    return best


def run_starts(machines, classes):
    """Hello World: least CPU and wall seconds, and the median of the peaks of resident memory."""
    seen = {machine.title: [] for machine in machines}
    for _ in range(STARTS):
        for machine in machines:
            done = machine.measure(classes, "hello")
            if done:
                seen[machine.title].append(done[1:])
    result = {}
    for title, runs in seen.items():
        if runs:
            peaks = sorted(run[2] for run in runs)
            result[title] = min(run[0] for run in runs), min(run[1] for run in runs), peaks[len(peaks) // 2]
    return result


def ratio(a, b):
    return f"{a / b:.2f}" if a is not None and b else "-"


def number(value, form):
    return format(value, form) if value is not None else "-"


def table(names, best, starts):
    lines = ["| program | Pellucid ms | HotSpot -Xint ms | ratio | HotSpot ms | ratio | CPU s: Pellucid | -Xint | HotSpot |",
             "|---|---:|---:|---:|---:|---:|---:|---:|---:|"]
    products = [1.0, 1.0]
    counted = 0
    for name in names:
        ours, xint, default = (best.get((name, title), (None, None)) for title in ("Pellucid", "-Xint", "HotSpot"))
        lines.append(f"| {name} | {number(ours[0], '.1f')} | {number(xint[0], '.1f')} | {ratio(ours[0], xint[0])} "
                     f"| {number(default[0], '.1f')} | {ratio(ours[0], default[0])} "
                     f"| {number(ours[1], '.2f')} | {number(xint[1], '.2f')} | {number(default[1], '.2f')} |")
        if ours[0] and xint[0] and default[0]:
            products = [products[0] * ours[0] / xint[0], products[1] * ours[0] / default[0]]
            counted += 1
    if counted:
        means = [product ** (1 / counted) for product in products]
        lines.append(f"| geometric mean | | | {means[0]:.2f} | | {means[1]:.2f} | | | |")
    lines += ["", "| Hello World | CPU s | wall s | peak memory MiB |", "|---|---:|---:|---:|"]
    for title, (cpu, wall, peak) in starts.items():
        lines.append(f"| {title} | {cpu:.3f} | {wall:.3f} | {peak / 1024:.1f} |")
    return "\n".join(lines)


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def peer_home():
    import jdk
    return jdk.find() or sys.exit("run.py: no JDK 17 found; give --peer")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2, help="how often each program runs on each VM (2)")
    parser.add_argument("--repeats", type=int, default=3, help="repeats inside a process, of which the best counts (3)")
    parser.add_argument("--only", action="append", help="this program alone; may be given again")
    parser.add_argument("--ours", default=str(ROOT / "build/jdk"), help="home of the Pellucid image")
    parser.add_argument("--peer", help="home of HotSpot's JDK 17")
    parser.add_argument("--save", action="store_true", help="write bench/RESULTS.md")
    return parser.parse_args()


def main():
    args = parse_arguments()
    peer = args.peer or peer_home()
    machines = [Machine("Pellucid", args.ours), Machine("-Xint", peer, "-Xint"), Machine("HotSpot", peer)]
    with tempfile.TemporaryDirectory(prefix="bench.") as classes:
        subprocess.run([f"{peer}/bin/javac", "-nowarn", "-d", classes, str(ROOT / "bench/Bench.java")], check=True)
        names = subprocess.run([f"{peer}/bin/java", "-cp", classes, "Bench", "list"], check=True, capture_output=True,
                               text=True).stdout.split()
        unknown = [name for name in args.only or [] if name not in names]
        if unknown:
            sys.exit(f"run.py: no program {' '.join(unknown)}; there are {' '.join(names)}")
        names = [name for name in names if not args.only or name in args.only]
        start = time.monotonic()
        best = run_programs(names, machines, classes, args)
        starts = run_starts(machines, classes)
    text = table(names, best, starts)
    print(text)
    if args.save:
        head = (f"# Measured {datetime.date.today().isoformat()}\n\n{processor()}, {os.cpu_count()} cores, "
                f"Linux {platform.release()}. `./dev bench --save` wrote this: {args.rounds} rounds of {args.repeats} repeats, "
                f"{time.monotonic() - start:.0f} s in all. Ratios are Pellucid's time to the other's: less is better.\n\n")
        (ROOT / "bench/RESULTS.md").write_text(head + text + "\n")
    return 0 if all((name, "Pellucid") in best for name in names) else 1


if __name__ == "__main__":
    sys.exit(main())
