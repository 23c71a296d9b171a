#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of tests/java on HotSpot and on Pellucid under an agent that writes down every event of a
kind, and prints the lines that the two have in different numbers, with the programs they come from. By hand: what
depends on the order of threads, on addresses, or on what HotSpot does inside differs in every run.

usage: python3 tests/soak/sweep.py allocations|exceptions|steps|objects [filter...]
"""
import collections
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import run  # noqa: E402

MASKS = ((r"\$\$Lambda\$[^;]*", "$$Lambda"), (r"LambdaForm\$[^;]*", "LambdaForm"), (r"0x[0-9a-f]{6,}", "0x"))
SECONDS = 30


def events(vm, test, kind, options):
    """Counts the lines that the agent wrote while the test ran."""
    with tempfile.TemporaryDirectory(dir=run.OUT, prefix="sweep.") as folder:
        argv, env = vm.command(test)
        env["JAVA_TOOL_OPTIONS"] = f"{options} -agentpath:{vm.library('ti_sweep')}={kind},{folder}"
        if run.run_program(argv, SECONDS, env, folder).code == "timeout":
            return None
        lines = collections.Counter()
        for path in Path(folder).glob("[0-9]*"):
            for line in path.read_text(errors="replace").splitlines():
                for pattern, instead in MASKS:
                    line = re.sub(pattern, instead, line)
                lines[line] += 1
    return lines


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    kind, filters = sys.argv[1], sys.argv[2:]
    tests = [t for t in run.discover("release") if t.group == "java" and t.kind == "java" and "skip" not in t.asks
             and (not filters or any(f in t.title for f in filters))]
    run.OUT.mkdir(parents=True, exist_ok=True)
    uncompiled = run.compile_all(tests)
    peer = run.VirtualMachine(run.PEER_HOME, "release")
    own = run.VirtualMachine(run.image_of("release"), "release")
    sums = collections.defaultdict(lambda: [0, 0, []])
    for test in tests:
        if run.class_folder(test) in uncompiled:
            continue
        theirs, ours = events(peer, test, kind, "-Xint"), events(own, test, kind, "")
        if theirs is None or ours is None:
            print(f"{test.title}: not done after {SECONDS} s", file=sys.stderr)
            continue
        for line in set(theirs) | set(ours):
            if theirs[line] != ours[line]:
                row = sums[line]
                row[0] += theirs[line]
                row[1] += ours[line]
                row[2].append(test.path.stem)
    print("HotSpot Pellucid event [programs]")
    for line, (theirs, ours, names) in sorted(sums.items(), key=lambda item: -abs(item[1][0] - item[1][1])):
        print(f"{theirs:7} {ours:8} {line} [{' '.join(names[:4])}]")


if __name__ == "__main__":
    main()
