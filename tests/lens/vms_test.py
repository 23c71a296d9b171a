#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @only pellucid
# @timeout 600
# @not asan HotSpot runs with the agent of this build, too
"""What the Lens agent can do on which VM: the table of docs/LENS.md is what is found here, of Pellucid, of the JDK below it, and of a newer
JDK where one is installed (for which JDK: the table's last column). Each row is tried on a program whose answers are known, in a process that
runs already; where the VM refuses it, in one that had the agent from its start.

vms_test.py JAVA_HOME WORKDIR; $LENS_AGENT is the library. With $LENS_WRITE=1 the table is written anew."""
import glob
import os
import re
import select
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tools")]
import jdk  # noqa: E402
import wire  # noqa: E402

HOME, WORK = sys.argv[1], Path(sys.argv[2])
AGENT = os.environ["LENS_AGENT"]
DOCUMENT = ROOT / "docs/LENS.md"
PLAIN, AT_START, NO = "yes", "from the start", "no"
FEATURES = []  # (what the table says, the program, how it is tried)


class Refused(Exception):
    """The agent has said why not."""


def feature(text, program="LensTarget"):
    def add(function):
        FEATURES.append((text, program, function))
        return function
    return add


class Program:
    """A program that is told what to do by lines and answers each by one, with the agent in it."""

    def __init__(self, home, name, late):
        options = [] if late else [f"-agentpath:{AGENT}"]
        self.process = subprocess.Popen([f"{home}/bin/java", *options, "-Xmx256m", "-cp", WORK, name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1)
        try:
            self.read()
            if late:
                reply = wire.attach(self.process.pid, AGENT)
                assert "return code: 0" in reply or reply.startswith("0"), reply
            self.front = wire.Front(self.process.pid, 60)
        except BaseException:
            self.kill()
            raise

    def kill(self):
        self.process.kill()
        self.process.wait()

    def read(self):
        line = self.process.stdout.readline()
        assert line, f"the program ended with {self.process.wait()}"
        return line.removeprefix("= ").strip()

    def ask(self, command):
        """What the program answers; the connection is served meanwhile, so that no ring is full."""
        self.process.stdin.write(command + "\n")
        while not select.select([self.process.stdout], [], [], 0)[0]:
            self.front.pump(0.02)
        return self.read()

    def begin(self, verb, **args):
        order = self.front.order(verb, **args)
        answer = self.front.wait_for(order, "accepted", "done", "failed", seconds=60)
        if answer["state"] == "failed":
            raise Refused(answer["text"])
        return order

    def taken(self, order, name):
        """What came of a type until the order ended."""
        self.front.pump(0.3)
        self.front.stop(order)
        records = sorted(self.front.all(name), key=lambda r: r.get("t", 0))  # they come processor by processor
        self.front.got[name] = []
        return records

    def thread(self, record):
        return self.front.defs.threads[record["thread"]]["name"]

    def frames(self, record):
        return self.front.defs.frames(record["stack"])


def sampled(p, seconds, **args):
    order = p.begin("cpu", **args)
    p.front.pump(seconds)
    samples = p.taken(order, "samples")
    assert p.front.lost == 0, p.front.lost
    return samples


# ---- time ----

@feature("CPU time, sampled")
def cpu(p):
    p.ask("hot")
    samples = [s for s in sampled(p, 2, hz=500) if p.thread(s) == "hot"]
    whole = sum("LensTarget.hot" in p.frames(s) for s in samples)
    assert whole > 100 and whole > 0.9 * len(samples), f"{whole} of {len(samples)} samples have the thread's method"
    p.ask("cold")


@feature("native frames by name")
def native(p):
    p.ask("deflate")
    time.sleep(0.5)
    samples = [s for s in sampled(p, 2, hz=500) if p.thread(s) == "deflate"]
    named = sum(p.front.defs.stacks[s["stack"]]["kind"] == 1 for s in samples if s["stack"])
    assert named > 50, f"{named} of {len(samples)} samples have a native frame"
    p.ask("cold")


@feature("wall time with what threads wait for")
def wall(p):
    p.ask("sleeper")
    asleep = [s for s in sampled(p, 2, hz=100, mode="wall") if p.thread(s) == "sleeper" and s["state"] == "sleeping"]
    assert 1e9 < sum(s["weight"] for s in asleep) < 3e9, asleep[:3]


@feature("calls of chosen packages, exact", "Points")
def exact(p):
    order = p.begin("exact", include="Points")
    p.ask("fib 12")
    last = {r["stack"]: r for r in p.taken(order, "exact")}
    assert sum(r["calls"] for r in last.values() if r["stack"] and p.frames(r)[0] == "Points.fib") == 465, last


# ---- objects ----

@feature("allocation, sampled")
def alloc(p):
    order = p.begin("alloc", interval=131072)  # 12,000 samples: a busy machine takes them in time
    p.ask("churn")
    mine = [a for a in p.taken(order, "allocs") if "LensTarget.churn" in p.frames(a)]
    megabytes = sum(a["weight"] for a in mine) / 1e6
    assert 1500 < megabytes < 1700, (megabytes, p.front.lost)


@feature("allocation, exact, and what still lives")
def live(p):
    order = p.begin("alloc", interval=0, live=1)
    p.ask("fill")  # a sampling interval takes effect at the next sample
    p.ask("allocate")
    p.ask("collect")
    p.ask("collect")
    p.front.pump(1)
    records = p.taken(order, "allocs")
    ours = {a["object"] for a in records if "cls" in a and p.front.defs.classes[a["cls"]]["name"] == "LensTarget$Marked"}
    freed = ours & {a.get("freed") for a in records}
    assert (len(ours), len(freed)) == (1000, 900), (len(ours), len(freed))


@feature("the heap, with fields and strings", "Points")
def heap(p):
    p.ask("heap 1000")
    order = p.begin("heap", confirm=1, contents=1)
    assert p.front.wait_for(order, "done", "failed", seconds=60)["state"] == "done"
    walk = b"".join(p.front.all("heap"))
    p.front.got["heap"] = []
    assert sum(f"node {i}".encode() in walk for i in range(1000)) == 1000, "strings of the nodes"


# ---- threads ----

@feature("contended locks: who waited how long for whom")
def locks(p):
    order = p.begin("locks")
    p.ask("contend")
    waits = [w for w in p.taken(order, "locks") if w["kind"] == "enter" and p.thread(w) == "waiter"]
    owners = {p.front.defs.threads[w["owner"]]["name"] for w in waits if w["owner"]}
    assert len(waits) == 3 and owners == {"main"} and all(w["ns"] >= 199e6 for w in waits), waits


@feature("deadlocks")
def deadlocks(p):
    order = p.begin("locks")
    p.ask("deadlock")
    p.front.until(lambda: {p.thread(w) for w in p.front.all("locks") if w["kind"] == "blocked"} >= {"dead-0", "dead-1"})
    p.taken(order, "locks")


@feature("threads: states over time, stacks")
def threads(p):
    order = p.begin("threads", ms=10, stacks=1)
    p.ask("sleeper")
    mine = [t for t in p.taken(order, "threads") if p.thread(t) == "sleeper" and t["state"] == "sleeping"]
    assert mine and "LensTarget.sleep" in p.frames(mine[-1]), mine


@feature("thread dump")
def dump(p):
    p.front.wait_for(p.begin("dump"), "done")
    assert '"main"' in p.front.all("dump")[-1]["text"]


# ---- events ----

@feature("exceptions, exact, with the locals of who throws", "Points")
def exceptions(p):
    order = p.begin("exceptions", **{"class": "java.lang.IllegalArgument*", "locals": 1})
    p.ask("throwing 50")
    records = p.taken(order, "exceptions")
    assert sum(1 + r["more"] for r in records) == 50 and dict(records[0]["locals"])["factor"] == "0", records[:2]


@feature("watch points with conditions and results", "Points")
def watch(p):
    order = p.begin("watch", **{"class": "Points$Order", "method": "total", "limit": 100, "when": "factor > 1"})
    p.ask("calls 5")
    results = [dict(r["values"])["result"] for r in p.taken(order, "watches")]
    assert results == ["6", "9", "12"], results


@feature("log points", "Points")
def log(p):
    order = p.begin("watch", **{"class": "Points$Order", "method": "total", "limit": 100, "expr": "{name}: {factor}"})
    p.ask("calls 3")
    texts = [dict(r["values"])["log"] for r in p.taken(order, "watches")]
    assert texts == [f"order-7: {i}" for i in range(3)], texts


@feature("coverage of lines and branches", "Points")
def coverage(p):
    order = p.begin("coverage", include="Covered", branches=1)
    p.ask("cover 10")
    records = p.taken(order, "coverage")
    lines = {p.front.defs.line(r["method"], r["bci"]): 0 for r in records if r["kind"] == "line"}
    lines |= {p.front.defs.line(r["method"], r["bci"]): 1 for r in records if r["kind"] == "line" and r["count"]}
    marks = {}
    for number, line in enumerate((HERE / "points/Covered.java").read_text().splitlines(), 1):
        if mark := re.search(r"// (\d+|no)$", line):
            marks[number] = int(mark[1] != "no" and mark[1] != "0")
    assert {line: lines.get(line) for line in marks} == marks, lines
    assert sum(r["kind"] == "way" and r["count"] > 0 for r in records) > 5, "ways"


@feature("a debugger's port", "Points")
def debugger(p):
    order = p.begin("debugger")
    port = int(dict(p.front.answers(order)[0]["values"])["port"])
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.sendall(b"JDWP-Handshake")
        assert s.recv(14) == b"JDWP-Handshake"
    p.front.order("debugger.stop")
    p.front.wait_for(order, "done")


# ---- numbers ----

def metrics_of(p, *commands):
    order = p.begin("metrics", ms=50)
    for command in commands:
        p.ask(command)
    return {m["metric"]: m["value"] for m in p.taken(order, "metrics")}


@feature("metrics: CPU, heap, collections, threads, classes")
def metrics(p):
    last = metrics_of(p, "collect", "collect")
    assert last["gc_count"] >= 2 and 0 < last["heap_used"] <= last["heap_max"] and last["classes"] > 200, last
    assert last["process_cpu"] > 0 and last["threads_live"] > 1, last


@feature("metrics: bytes of compiled code")
def code(p):
    p.ask("churn")
    if metrics_of(p, "churn").get("code_cache_used", 0) <= 0:
        raise Refused("This VM does not tell.")


# ---- VMs ----

def tried(home, late):
    """{what: None, or why not}"""
    found = {}
    for name in ("LensTarget", "Points"):
        program = Program(home, name, late)
        try:
            for text, of, function in FEATURES:
                if of != name:
                    continue
                try:
                    function(program)
                    found[text] = None
                except Refused as refused:
                    found[text] = str(refused)
                except AssertionError as error:
                    raise AssertionError(f"{home}, {'late' if late else 'from the start'}: {text}: {error}") from error
        finally:
            program.kill()
    return found


def column(home):
    """{what: PLAIN | AT_START | NO}, and why not, in words."""
    late = tried(home, True)
    early = tried(home, False) if any(late.values()) else {}
    cells = {text: PLAIN if not why else AT_START if early[text] is None else NO for text, why in late.items()}
    return cells, {text: early[text] or why for text, why in late.items() if why}


def newer(version):
    """The home of another JDK of that version, or None."""
    homes = [home for home in sorted(glob.glob("/usr/lib/jvm/*")) if (jdk.version(home) or "").split(".")[0] == version]
    return os.path.realpath(homes[0]) if homes else None


def table_of(text):
    """The table's lines in the document: (first, behind the last)."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| what | Pellucid | HotSpot 17 |"))
    behind = next(i for i in range(first, len(lines) + 1) if i == len(lines) or not lines[i].startswith("|"))
    return first, behind


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def main():
    subprocess.run([f"{HOME}/bin/javac", "-g", "-d", WORK, HERE / "LensTarget.java", *HERE.glob("points/*.java")], check=True)
    lines = DOCUMENT.read_text().splitlines()
    first, behind = table_of(DOCUMENT.read_text())
    heads = cells_of(lines[first])
    said = {cells[0]: dict(zip(heads[1:], cells[1:])) for cells in map(cells_of, lines[first + 2:behind])}
    homes = {"Pellucid": HOME, "HotSpot 17": jdk.find(), **{head: newer(head.split()[1]) for head in heads[3:]}}
    for head, home in homes.items():
        if not home:
            print(f"skipped: {head}: no such JDK is installed")
            continue
        cells, reasons = column(home)
        for text, why in reasons.items():
            print(f"{head}: {text}: {why}")
        for text, cell in cells.items():
            said.setdefault(text, {})
            if os.environ.get("LENS_WRITE"):
                said[text][head] = cell
            assert said[text].get(head) == cell, f"{head}: {text}: docs/LENS.md says {said[text].get(head)!r}, found was {cell!r}"
    order = [text for text, _, _ in FEATURES]
    assert list(said) == order or os.environ.get("LENS_WRITE"), f"docs/LENS.md has the rows {list(said)}"
    if os.environ.get("LENS_WRITE"):
        rows = [f"| {text} | {' | '.join(said[text].get(head, '') for head in heads[1:])} |" for text in order]
        DOCUMENT.write_text("\n".join(lines[:first + 2] + rows + lines[behind:]) + "\n")


main()
