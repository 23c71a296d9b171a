# SPDX-License-Identifier: Apache-2.0
"""The ways in which random programs are run, a row each; what of them this tree has; and one run."""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import run as runner  # noqa: E402  the runner of the tests: its builds, environments and processes

UNLOCK = "-XX:+UnlockDiagnosticVMOptions"


EVENTS = "events"  # in flags: the agent that has all calls posted, and switches them off and on again in the midst of them


class Mode:
    """`alone`: what the environment says instead when one program is run by itself, so that chances are better."""

    def __init__(self, name, build, flags=(), env=None, alone=None, turns=8):
        self.name, self.build, self.flags, self.env, self.turns = name, build, list(flags), env or {}, turns
        self.alone = self.env | (alone or {})
        home = runner.PEER_HOME if build == "peer" else runner.image_of(build)
        self.vm = runner.VirtualMachine(home, build)
        self.missing = None  # why it cannot be run

    def argv(self, *words):
        agent = f"-agentpath:{self.vm.tree}/tests/libti_calls.so=switching"
        return [str(self.vm.home / "bin/java"), *[agent if flag == EVENTS else flag for flag in self.flags], *words]


# Graphs, in the evaluator: a call in two; leaving at a state in twenty as well, while objects move.
EVALUATE = {"PELLUCID_EVALUATE": "2", "PELLUCID_GC_STRESS": "1000000"}
LEAVE = {"PELLUCID_EVALUATE": "3:20", "PELLUCID_GC_STRESS": "500"}
# The compiler's own order of what is done by profiles makes no difference: C1 alone starts fastest.
PEER = Mode("hotspot", "peer", ["-XX:TieredStopAtLevel=1", "-XX:-OmitStackTraceInFastThrow"])
ALL = [UNLOCK, "-XX:+JitAll"]
MODES = [
    Mode("interpreter", "release", ["-Xint"]),
    Mode("evaluate", "stress", [UNLOCK], EVALUATE, {"PELLUCID_EVALUATE": "1"}),
    Mode("evaluate-leave", "stress", [UNLOCK], LEAVE, {"PELLUCID_EVALUATE": "1:5", "PELLUCID_GC_STRESS": "50"}),
    Mode("jit-all", "release", ALL),
    Mode("jit-deopt", "release", [*ALL, "-XX:JitDeoptEvery=1"]),
    Mode("jit-deopt-stress", "stress", [*ALL, "-XX:JitDeoptEvery=7"], {"PELLUCID_GC_STRESS": "50"}),
    Mode("jit-hook", "release", [*ALL, "-XX:+JitHookAll"]),
    Mode("jit-hook-stress", "stress", [*ALL, "-XX:+JitHookAll"], {"PELLUCID_GC_STRESS": "50"}),
    Mode("jit-hot", "release", [UNLOCK, "-XX:+JitCompile"], turns=257),
    Mode("jit-inline", "release", [UNLOCK, "-XX:+JitCompile", "-XX:+JitInlineAll"], turns=257),
    Mode("jit-profiled", "release", [UNLOCK, "-XX:+JitSync", "-XX:ProfileThreshold=1", "-XX:CompileThresholdScaling=0.05"], turns=257),
    Mode("jit-inline-all", "release", [*ALL, "-XX:+JitInlineAll"], turns=6),
    Mode("jit-events", "release", [*ALL, EVENTS]),
    Mode("jit-events-deopt", "release", [*ALL, "-XX:JitDeoptEvery=5", EVENTS]),
    Mode("jit-based", "release", [*ALL, "-XX:JitLayout=based"]),
]
WORDS = 12  # lines of stderr that are kept of a run that went wrong
SECONDS = {"start": 60, "program": 3}  # of a run in the release build, and more for each of its programs


def available(names, builds, image, flags):
    """The modes named (or all) of these builds (or all), each with `missing` set. `image`: run instead of the builds' own. `flags`: more of them."""
    unknown = set(names) - {mode.name for mode in MODES}
    if unknown:
        sys.exit(f"no mode {', '.join(sorted(unknown))}: {', '.join(mode.name for mode in MODES)}")
    chosen = [mode for mode in MODES if (not names or mode.name in names) and (not builds or mode.build in builds)]
    for mode in chosen:
        mode.vm.home = Path(image or mode.vm.home)
        mode.flags += flags
        mode.missing = why_missing(mode)
    return chosen


def why_missing(mode):
    if not (mode.vm.tree / "libjvm.so").exists():
        return f"no build of type {mode.build}"
    done = subprocess.run(mode.argv("-version"), env=mode.vm.env, capture_output=True, text=True, check=False)
    refused = re.search(r"Unrecognized VM option '?([^'\n]*)", done.stdout + done.stderr)
    if done.returncode != 0 and refused:
        return f"the VM refuses {refused.group(1)}"
    return None


class Section:
    """What one program printed, and why it did not come to its end (None: it did)."""

    def __init__(self, lines, why=None):
        self.lines, self.why = lines, why


def run(mode, names, folders, turns=None, step=0, alone=False):
    """Runs programs in one VM, and those behind one that ended the VM in another. Their sections by name."""
    sections, left = {}, list(names)
    while left:
        argv = mode.argv("-cp", ":".join(map(str, folders)), f"-Dfuzz.turns={turns or mode.turns}", f"-Dfuzz.step={step}", "Fuzz", *left)
        slowness = runner.SLOWNESS.get(mode.build, 1) * max(1, (turns or mode.turns) / 64)
        timeout = (SECONDS["start"] + SECONDS["program"] * len(left)) * slowness
        outcome = runner.run_program(argv, timeout, mode.vm.env | (mode.alone if alone else mode.env))
        read_sections(outcome, left, sections)
        left = [name for name in left if name not in sections]
    return sections


def read_sections(outcome, names, sections):
    """Adds at least one section: of the first name when nothing was printed."""
    name, lines = names[0], []
    for line in outcome.out.splitlines():
        if line.startswith("program "):
            name, lines = line.removeprefix("program "), []
        elif line == "end":
            sections[name] = Section(lines)
        else:
            lines.append(line)
    if outcome.code != 0:
        words = "\n".join(outcome.err.splitlines()[-WORDS:])
        sections[name] = Section(lines, f"exit code {runner.describe_code(outcome.code)}\n{words}")
    elif name not in sections:
        sections[name] = Section(lines, "it ended early")


def difference(want, got):
    """In words, or None. The shorter one decides how many turns are compared."""
    if got.why:
        return got.why
    for expected, line in zip(want.lines, got.lines):
        if expected != line:
            return f"expected {expected.strip()}\nprinted  {line.strip()}"
    return None
