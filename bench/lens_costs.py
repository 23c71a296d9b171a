# SPDX-License-Identifier: Apache-2.0
"""What Lens costs: javac over generated sources with the agent idle, sampling, recording all, and with coverage; both VMs, CPU time of the whole process.
Each run has one without the agent right before it, as machines drift by more than is asked for: the medians of --rounds (5) such ratios."""
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import lens_questions
from measure import ROOT, Machine, save

sys.path.insert(0, str(ROOT / "tools"))
from demo_sources import write_sources  # noqa: E402

# title, what is recorded, at most times itself without
ROWS = [("idle", "", 1.01),
        ("CPU, 100 Hz", "cpu,hz=100", 1.02),
        ("CPU, 1,000 Hz", "cpu,hz=1000", 1.06),
        ("metrics, CPU, allocation, locks, threads", "metrics,gc,cpu,alloc,locks,threads", None),
        ("coverage of javac from its start", "coverage,include=com.sun.tools.javac.*", 1.08)]
FILES = 400
NOT_ON_HOTSPOT = ["coverage of javac from its start"]  # breakpoints there make it interpret: minutes


def compile_once(machine, agent, recording, sources, classes, what):
    options = ["--add-modules", "jdk.compiler"]
    if what is not None:
        options.append(f"-agentpath:{agent}" + (f"=record={recording},{what}" if what else ""))
    done = machine.measure(classes, "com.sun.tools.javac.Main", "-nowarn", "-proc:none", "-d", str(classes), *sources, options=options)
    return done and done[1]


def rate(home, recording):
    """Samples a second of CPU time that were reached."""
    told = subprocess.run([f"{home}/bin/lens", "open", recording, "cpu", "--json"], capture_output=True, text=True, check=False).stdout
    try:
        return json.loads(told)["how"]
    except (ValueError, KeyError):
        return "-"


def main(args, peer):
    return lens_questions.main(args) if args.only == ["questions"] else costs(args, peer)


def costs(args, peer):
    rounds = args.rounds or 5
    ours = Path(args.ours)
    machines = [Machine("Pellucid", ours), Machine("HotSpot", peer)]
    seen, rates = {}, {}
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        folder = Path(folder)
        sources = [str(path) for path in write_sources(folder / "sources", FILES)]
        (folder / "classes").mkdir()
        for _ in range(rounds):
            for title, what, _ in ROWS:
                for machine in machines:
                    if machine.title == "HotSpot" and title in NOT_ON_HOTSPOT:
                        continue
                    recording = folder / "run.lens"
                    recording.unlink(missing_ok=True)
                    pair = [compile_once(machine, ours / "lib/liblens.so", recording, sources, folder / "classes", w) for w in (None, what)]
                    if all(pair):
                        seen.setdefault((title, machine.title), []).append(pair)
                    if what.startswith("cpu"):
                        rates[title, machine.title] = rate(ours, recording)
    text = table(seen)
    print(text)
    for (title, machine), how in rates.items():
        print(f"{machine}, {title}: {how}")
    if args.save:
        save("Lens", f"`./dev bench --lens --save`, {rounds} rounds: what javac takes with Lens' agent.", text)
    return 0


def table(seen):
    lines = ["| javac with Lens | Pellucid CPU s | of itself without | at most | HotSpot CPU s | of itself without |", "|---|---:|---:|---:|---:|---:|"]
    for title, _, most in ROWS:
        ours, theirs = (figures(seen.get((title, vm))) for vm in ("Pellucid", "HotSpot"))
        lines.append(f"| {title} | {ours} | {most or '-'} | {theirs} |")
    return "\n".join(lines)


def figures(pairs):
    """CPU seconds with the agent, and of those without."""
    if not pairs:
        return "- | -"
    return f"{statistics.median(b for _, b in pairs):.2f} | {statistics.median(b / a for a, b in pairs):.3f}"
