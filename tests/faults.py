# SPDX-License-Identifier: Apache-2.0
"""Failure injection: the n-th operation of a kind that the VM asks of the system fails, for many n (src/platform/fault.h).

A scenario is a Java program of tests/. It first runs with nothing failing: that tells how many operations there are, and for memory
at which of them the stack of calls is a new one. Then it runs once for each n that is tried: in CI a few spread over the range, with
`--whole` all; of memory one for each stack of calls. Other scenarios leave out what the first one, a mere start, has.

Right is each time: an error in the words of the interface, which the program prints; or an end with a line that says why. Wrong are
a signal, a failed check, a hang, an exit code without a word, and output that is missing without one.
"""
import collections
import concurrent.futures
import re

STRESS_INTERVAL = "1000000"  # allocations between the collections that the stress build adds: it is not what is tried here
TIMEOUT = 120
FEW = 10  # operations of a start that other scenarios try too
# kind of operation: how many n are tried where not all are
KINDS = {"memory": 14, "map": 6, "commit": 6, "thread": 4, "file": 10}
# name: the program, below tests/. The first one is a start and nothing more.
SCENARIOS = {
    "start": "faults/Start.java",
    "classes": "faults/Classes.java",
    "tags": "agents/Tags.java",
    "references": "agents/References.java",
    "life": "agents/Life.java",
    "redefine": "agents/RedefineCorners.java",
    "attach": "faults/Attach.java",
    "dump": "java/management/HeapDump.java",
    "compile": "faults/Compile.java",
}
START = "start"
LINE = re.compile(r"^fault: (?P<site>site )?(?P<kind>\w+) (?P<n>\d+)(?: fails at (?P<stack>.*))?$")
BROKEN = re.compile(r"check failed|# A fatal error|Sanitizer|lock order|illegal instruction|corrupted|double free")


class Faulted:
    """What a run with PELLUCID_FAULT left: its outcome without the lines of the injection, and what those say."""

    def __init__(self, outcome):
        self.code, self.out = outcome.code, outcome.out
        found = [LINE.match(line) for line in outcome.err.splitlines()]
        self.err = "\n".join(line for line, fault in zip(outcome.err.splitlines(), found) if not fault)
        faults = [fault for fault in found if fault]
        self.sites = [int(fault["n"]) for fault in faults if fault["site"]]
        self.stack = next((fault["stack"] for fault in faults if fault["stack"]), None)
        counts = [int(fault["n"]) for fault in faults if not fault["site"] and not fault["stack"]]
        self.count = counts[-1] if counts else 0


def verdict(usual, got):
    """None where a faulted run is right, else what is wrong."""
    if got.code == "timeout":
        return "hangs"
    if got.code < 0 or got.code > 128:
        return f"ends by signal {-got.code if got.code < 0 else got.code - 128}"
    if BROKEN.search(got.out + got.err):
        return "a check failed"
    new = (set(got.out.splitlines()) | set(got.err.splitlines())) - set(usual.out.splitlines()) - set(usual.err.splitlines())
    if got.code != usual.code and not new:
        return "ends without a word"
    missing = collections.Counter(usual.out.splitlines()) - collections.Counter(got.out.splitlines())
    if missing and not new:
        return f"lost without a word: {next(iter(missing))}"
    return None


def spread(numbers, most):
    """`most` of the numbers, over their whole range, first and last included."""
    if len(numbers) <= most:
        return numbers
    return sorted({numbers[i * (len(numbers) - 1) // (most - 1)] for i in range(most)})


class Sweep:
    """One scenario and one kind. `run(setting)` runs it with these variables and gives an outcome; `start(setting)` the first scenario."""

    def __init__(self, kind, run, start=None):
        self.kind, self.run, self.start = kind, run, start

    def faulted(self, given, run=None):
        setting = {"PELLUCID_FAULT": f"{self.kind}:{given}", "PELLUCID_GC_STRESS": STRESS_INTERVAL}
        if given == 0 and self.kind == "memory":
            setting["PELLUCID_FAULT_SITES"] = "1"
        return Faulted((run or self.run)(setting))

    def numbers(self, usual):
        """All n that a whole sweep tries."""
        before = self.faulted(0, self.start).count if self.start else 0
        before = before * 19 // 20 if before > FEW else 0  # two runs differ by some
        if self.kind == "memory":
            return [n for n in usual.sites if n > before]
        return list(range(before + 1, usual.count + 1))

    def __call__(self, whole, jobs=1):
        """How many n were tried, and [(n or "n+", what is wrong, stack, the run)]."""
        usual = self.faulted(0)
        if usual.code != 0:
            return 0, [(0, f"without a fault: exit code {usual.code}", None, usual)]
        numbers = self.numbers(usual)
        tried = [(n, "") for n in numbers] + [(n, "+") for n in numbers]
        if not whole:
            # every other one is followed by failures only
            tried = [(n, "+" if i % 2 else "") for i, n in enumerate(spread(numbers, KINDS[self.kind]))]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            runs = list(pool.map(lambda at: self.faulted(f"{at[0]}{at[1]}"), tried))
        wrong = [(f"{n}{later}", verdict(usual, got), got.stack, got) for (n, later), got in zip(tried, runs)]
        return len(tried), [finding for finding in wrong if finding[1]]
