#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 600
"""Points of the Lens agent against a program with known answers: watch and log points, coverage, exceptions, exact calls, heap
walks, the debugger's port. Usage: points_test.py JAVA_HOME WORKDIR, with the agent's library in $LENS_AGENT."""
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import wire

HOME, WORK = sys.argv[1], Path(sys.argv[2])
AGENT = os.environ["LENS_AGENT"]
SOURCES = Path(__file__).parent / "points"
KINDS = ("call", "return", "throw", "log", "note")
wrong = []


def expect(what, is_so, *seen):
    if not is_so:
        wrong.append(f"{what}: {', '.join(map(repr, seen))}")


def equal(what, seen, wanted):
    expect(what, seen == wanted, seen, "wanted", wanted)


class Program:
    """Runs Points: it is told what to do by lines, and answers each by a line that begins with "= "."""

    def __init__(self, late):
        options = [] if late else [f"-agentpath:{AGENT}"]
        command = [f"{HOME}/bin/java", *options, f"-javaagent:{WORK}/points.jar", "-Xmx512m", "-cp", WORK, "Points"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.read()
        if late:
            reply = wire.attach(self.process.pid, AGENT)
            assert "return code: 0" in reply or reply.startswith("0"), reply
        self.front = wire.Front(self.process.pid, 60)

    def read(self):
        line = self.process.stdout.readline()
        while line and not line.startswith("= "):
            line = self.process.stdout.readline()
        assert line, f"the program ended with {self.process.wait()}"
        return line[2:].strip()

    def ask(self, command):
        """What the program answers; the connection is served meanwhile."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        while not select.select([self.process.stdout], [], [], 0)[0]:
            self.front.pump(0.02)
        return self.read()

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(60)
        equal("the program's end", code, 0)


def taken(front, order, name):
    """What has come of a type since the last call; all of it when the order ends."""
    answer = front.stop(order)
    expect("an order ends", answer["state"] == "done", answer)
    records = front.all(name)
    front.got[name] = []
    return sorted(records, key=lambda r: r.get("t", 0))  # they come processor by processor


def watched(front, order):
    return [(KINDS[r["kind"]], dict(r["values"]), r) for r in taken(front, order, "watches")]


# ---- watch and log points ----

def check_calls(p):
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "total", "limit": 1000})
    equal("calls", p.ask("calls 5"), "30")
    equal("calls that throw", p.ask("throwing 2"), "2")
    hits = watched(p.front, order)
    equal("kinds of calls", [kind for kind, _, _ in hits], ["return"] * 5 + ["throw"] * 2)
    equal("arguments and results", [v for _, v, _ in hits[:5]],
          [{"factor": str(i), "currency": '"EUR"', "result": str(3 * i)} for i in range(5)])
    equal("arguments of what throws", hits[6][1], {"factor": "1", "currency": "null"})
    expect("times of calls", all(0 < r["ns"] < 10**10 for _, _, r in hits), hits)
    equal("nothing only counted", sum(r["more"] for _, _, r in hits), 0)
    equal("the stack of a call", p.front.defs.frames(hits[0][2]["stack"])[:2], ["Points$Order.total", "Points.calls"])
    equal("the point's text", p.front.defs.points[hits[0][2]["point"]]["text"], "Points$Order.total")


def check_kinds_of_values(p):
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "*", "values": "all"})
    p.ask("many")
    hits = {p.front.defs.frames(r["stack"])[0]: (kind, v) for kind, v, r in watched(p.front, order)}
    kind, values = hits["Points$Order.wide"]
    equal("values of each type", {k: v for k, v in values.items() if k != "this"},
          {"a": "1099511627776", "b": "2.5", "c": "true", "d": "'x'", "e": "-3", "f": "0.25", "result": "1099511627777"})
    expect("this", values["this"].startswith("Points$Order {id = 9, name = \"order-9\", items = java.util.ArrayList of 12, counts = "
                                             "java.util.HashMap of 1, state = PAID, price = 1.0, next = Points$Order"), values["this"])
    kind, values = hits["Points$Order.linked"]
    expect("an object as result", values["result"].startswith("Points$Order {id = 10"), values)
    kind, values = hits["Points$Order.quiet"]
    expect("no result of void", kind == "return" and "result" not in values, values)


def check_conditions(p):
    cases = {"factor > 2": 7, "items.size == 3 && factor % 2 == 0": 5, "this.name == \"order-7\" && currency.length == 3": 10,
             "currency == null": 0, "!(factor < 9) || items[0] != \"item0\"": 1, "counts.size + items.size() == 4": 10,
             "(factor >= 5 ? 1.5 : 0) > 1": 5, "state == \"NEW\" && getClass().length == 0": None}
    for condition, hits in cases.items():
        state = p.front.order("watch", **{"class": "Points$Order", "method": "total", "limit": 1000, "when": condition})
        answer = p.front.wait_for(state, "accepted", "failed")
        if hits is None:
            expect("a call in a condition is refused", answer["state"] == "failed" and "program" in answer["text"], answer)
            continue
        equal(f"the condition {condition}", answer["state"], "accepted")
        p.ask("calls 10")
        equal(f"hits of {condition}", len(watched(p.front, state)), hits)
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "total", "when": "next.id > 0"})
    p.ask("calls 1")
    kind, values, _ = watched(p.front, order)[0]
    equal("a condition on null", (kind, values), ("note", {"condition": "It is null: .id"}))


def check_limits(p):
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "total", "limit": 5})
    p.ask("calls 5000")
    hits = watched(p.front, order)
    told = [r for kind, _, r in hits if kind == "return"]
    expect("the limit", 5 <= len(told) < 200, len(told))
    equal("hits told and counted", len(told) + sum(r["more"] for _, _, r in hits), 5000)
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "total", "max": 3, "limit": 100})
    p.ask("calls 10")
    p.front.wait_for(order, "done")
    hits = [r for r in p.front.all("watches")]
    p.front.got["watches"] = []
    equal("max hits", len(hits), 3)


def line_of(text, file="Points.java"):
    lines = (SOURCES / file).read_text().splitlines()
    return 1 + next(i for i, line in enumerate(lines) if text in line)


def check_logs(p):
    line = line_of("if (currency == null)")
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "*", "line": line, "limit": 100,
                                      "expr": "{id}: {sum} of {name}, {items[1]} {{{factor * 10}}} {nothing}"})
    p.ask("calls 3")
    hits = watched(p.front, order)
    equal("log texts", [v["log"] for _, v, _ in hits],
          [f"7: {3 * i} of order-7, item1 {{{10 * i}}} {{There is no variable or field nothing here.}}" for i in range(3)])
    equal("kind of a log", {kind for kind, _, _ in hits}, {"log"})
    order = p.front.begin("watch", **{"class": "Points$Order", "method": "total", "line": line, "values": "all"})
    p.ask("calls 1")
    kind, values, _ = watched(p.front, order)[0]
    equal("locals of a line", {k: v for k, v in values.items() if k != "this"}, {"factor": "0", "currency": '"EUR"', "sum": "0"})


def check_later_class(p):
    order = p.front.order("watch", **{"class": "Points$Later", "method": "twice"})
    answer = p.front.wait_for(order, "accepted", "failed")
    expect("a point in a class that is not loaded", answer["state"] == "accepted" and "when one is" in answer["text"], answer)
    p.ask("later 4")
    equal("a class that is loaded later", [v for _, v, _ in watched(p.front, order)], [{"n": "4", "result": "8"}])


def check_points_at_one_place(p):
    """Two points, coverage with counts, and coverage of another front, all at the same method."""
    other = wire.Front(p.process.pid, 20)
    first = p.front.begin("watch", **{"class": "Covered", "method": "half", "limit": 1000})
    second = p.front.begin("watch", **{"class": "Covered", "method": "half", "limit": 1000, "when": "i == 4"})
    counted = p.front.begin("coverage", include="Covered", counts=1, branches=0)
    once = other.begin("coverage", include="Covered", branches=1)
    p.ask("cover 10")
    other.pump(0.3)
    other.stop(once)
    p.ask("cover 10")
    p.front.pump(0.3)
    line = line_of("return i / 2;", "Covered.java")
    hits = [r["count"] for r in other.all("coverage")
            if r["kind"] == "line" and r["count"] and other.defs.line(r["method"], r["bci"]) == line]
    equal("another front's coverage", hits, [1])
    p.front.stop(second)
    p.ask("cover 10")
    p.front.pump(0.3)
    by_order = {}
    for r in p.front.all("watches"):
        number = p.front.defs.points[r["point"]]["order"]
        by_order[number] = by_order.get(number, 0) + 1
    p.front.stop(first)
    equal("hits of two points", by_order, {first: 15, second: 2})
    records = taken(p.front, counted, "coverage")
    p.front.got["watches"] = []
    counts = sum(r["count"] for r in records if p.front.defs.line(r["method"], r["bci"]) == line)
    equal("counts beside other breakpoints", counts, 15)
    other.close()


def check_redefinition(p):
    """The points and the coverage of a class go on in its next version."""
    p.ask("cover 1")
    order = p.front.begin("coverage", include="Covered", branches=1)
    point = p.front.begin("watch", **{"class": "Covered", "method": "half", "limit": 1000})
    p.ask("cover 1")
    equal("redefining", p.ask(f"redefine {WORK}/v2/Covered.class"), "redefined")
    p.front.pump(1.0)
    p.ask("cover 10")
    p.front.pump(0.3)
    calls = [v for kind, v, _ in watched(p.front, point) if kind == "return"]
    equal("calls in both versions", [v["result"] for v in calls], ["0", "0", "1", "2", "3", "4"])
    lines = {}
    for r in taken(p.front, order, "coverage"):
        if r["kind"] == "line" and r["count"] and p.front.defs.methods[r["method"]]["name"] == "half":
            lines[p.front.defs.line(r["method"], r["bci"])] = 1
    wanted = {line: times for line, times in marks("once", "v2/Covered.java").items()
              if 0 <= line - line_of("int doubled", "v2/Covered.java") <= 3 and times}
    old = line_of("return i / 2;", "Covered.java")
    equal("lines of half in both versions", lines, {**wanted, old: 1})
    p.ask(f"redefine {WORK}/Covered.class")


def check_redefinitions_told_late(p):
    """A class changes twice while its front is too slow to be told of it."""
    p.ask("cover 1")
    with wire.Front(p.process.pid, 60) as slow:
        order = slow.begin("coverage", include="Covered")
        slow.pump(0.3)
        for _ in range(1000):  # some 15 MB that wait
            last = slow.order("source", **{"class": "java.util.Collections"})
        p.front.pump(1.0)
        for version in (f"{WORK}/v2/Covered.class", f"{WORK}/Covered.class"):
            equal("redefining", p.ask(f"redefine {version}"), "redefined")
            p.front.pump(0.5)
        slow.wait_for(last, "done")
        slow.stop(order)
        places = [(r["method"], r["bci"]) for r in slow.all("coverage") if r["count"] == 0]
        told = {slow.defs.methods[method]["name"] for method, _ in places}
        expect("methods that are told of", {"run", "half", "choose"} <= told, told)
        equal("places that are told of more than once", len(places) - len(set(places)), 0)


def check_threads_together(p):
    order = p.front.begin("coverage", include="Covered", counts=1, branches=1)
    p.ask("together 8")
    p.front.pump(0.5)
    lines = {}
    for r in taken(p.front, order, "coverage"):
        if r["kind"] == "line":
            line = p.front.defs.line(r["method"], r["bci"])
            lines.setdefault(line, {}).setdefault(r["bci"], 0)
            lines[line][r["bci"]] += r["count"]
    for line, times in marks("counts").items():
        equal(f"times of line {line} in 8 threads", max(lines.get(line, {0: 0}).values()), 1600 * times)
    point = p.front.begin("watch", **{"class": "Covered", "method": "half", "limit": 100000})
    p.ask("together 8")
    p.front.pump(0.5)
    hits = watched(p.front, point)
    equal("calls in 8 threads", len([1 for kind, _, _ in hits if kind == "return"]) + sum(r["more"] for _, _, r in hits), 8000)
    expect("their results", all(int(v["result"]) == int(v["i"]) // 2 for kind, v, _ in hits if kind == "return"), hits[:3])


def check_refused_points(p):
    for args, word in (({"class": "Points$Order", "method": "absent"}, "no method absent"),
                       ({"class": "Points", "line": 1}, "line 1"),
                       ({"class": "Points", "method": "fib", "when": "n >"}, "ends"),
                       ({"class": "Points", "method": "fib", "expr": "{n"}, "} is missing"),
                       ({"class": "", "method": "fib"}, "needs a class"),
                       ({"class": "java.lang.Object", "method": "hashCode"}, "native"),
                       ({"class": "*", "method": "*"}, "more closely")):
        answer = p.front.wait_for(p.front.order("watch", **args), "accepted", "failed", seconds=60)
        expect(f"refusing {args}", answer["state"] == "failed" and word in answer["text"], answer)


# ---- coverage ----

def marks(kind, file="Covered.java"):
    """{line: times} of the marks in a Covered.java; what is never reached is 0."""
    found = {}
    for number, line in enumerate((SOURCES / file).read_text().splitlines(), 1):
        mark = re.search(r"// (\d+|no)$", line)
        if mark:
            found[number] = 0 if mark[1] == "no" else int(mark[1])
    return found if kind == "counts" else {line: min(times, 1) for line, times in found.items()}


def covered(p, args, runs):
    """{line: times} and {(method, line, bci of the jump): {target: times}} of all that is there; times 0: not reached."""
    order = p.front.begin("coverage", include="Covered", **{"branches": 1, **args})
    for n in runs:
        p.ask(f"cover {n}")
    p.front.pump(0.3)
    records = taken(p.front, order, "coverage")
    lines, ways = {}, {}
    for r in records:
        line = p.front.defs.line(r["method"], r["bci"])
        name = p.front.defs.methods[r["method"]]["name"]
        if r["kind"] == "line":
            places = lines.setdefault(line, {})
            places[r["bci"]] = places.get(r["bci"], 0) + r["count"]
        else:
            key = (name, line, r["bci"])
            ways.setdefault(key, {})[r["target"]] = ways.get(key, {}).get(r["target"], 0) + r["count"]
    return {line: max(places.values()) for line, places in lines.items()}, ways


def check_coverage(p):
    lines, ways = covered(p, {}, [10])
    for line, times in marks("once").items():
        equal(f"coverage of line {line}", lines.get(line), times)
    check_ways(p, ways)
    defined = {m["name"] for m in p.front.defs.methods.values() if p.front.defs.classes[m["cls"]]["name"] == "Covered"}
    expect("methods that were never reached are defined", "never" in defined, defined)


def check_ways(p, ways):
    by_line = {}
    for (name, line, bci), targets in ways.items():
        by_line.setdefault(line, []).append((sum(n > 0 for n in targets.values()), len(targets)))
    wanted = {"for (int i": [(2, 2)], "i % 2": [(2, 2)], "i > 100": [(1, 2)], "n > 5": [(1, 2), (1, 2)], "switch (i)": [(3, 4)]}
    for text, counts in wanted.items():
        line = line_of(text, "Covered.java")
        equal(f"ways that were taken, and that are there, in line {line}", sorted(by_line.get(line, [])), counts)


def check_coverage_counts(p):
    lines, ways = covered(p, {"counts": 1}, [10])
    for line, times in marks("counts").items():
        equal(f"times of line {line}", lines.get(line), times)
    for text, counts in {"i % 2": [5, 5], "i > 100": [0, 10]}.items():
        line = line_of(text, "Covered.java")
        found = sorted(c for (_, at, _), targets in ways.items() if at == line for c in targets.values())
        equal(f"times of the ways in line {line}", found, counts)


def check_coverage_without_branches(p):
    lines, ways = covered(p, {"branches": 0}, [10])
    equal("no ways", ways, {})
    equal("lines without ways", {line: lines.get(line, 0) for line in marks("once")}, marks("once"))


def check_coverage_of_rare_ways(p):
    """A way that is taken once in thousands: the jump's group is closed and opened again."""
    order = p.front.begin("coverage", include="Covered", branches=1)
    for _ in range(40):
        p.ask("cover 2000")
    p.front.pump(0.3)
    rare = [r for r in taken(p.front, order, "coverage") if r["kind"] == "way"
            and r["count"] and p.front.defs.line(r["method"], r["bci"]) == line_of("i > 100", "Covered.java")]
    equal("both ways of i > 100", len({r["target"] for r in rare}), 2)


# ---- exceptions ----

def check_exceptions(p):
    order = p.front.begin("exceptions", **{"class": "java.lang.IllegalArgument*", "locals": 1, "limit": 10})
    equal("throwing", p.ask("throwing 2500"), "2500")
    p.front.pump(0.6)
    records = taken(p.front, order, "exceptions")
    defs = p.front.defs
    equal("exceptions in all", sum(1 + r["more"] for r in records), 2500)
    expect("the limit of exceptions", len(records) < 300, len(records))
    first = records[0]
    equal("class", defs.classes[first["cls"]]["name"], "java.lang.IllegalArgumentException")
    equal("message", first["message"], "no currency for 8")
    equal("stack", defs.frames(first["stack"])[:2], ["Points$Order.total", "Points.throwing"])
    equal("place", defs.line(defs.stacks[first["stack"]]["method"], defs.stacks[first["stack"]]["bci"]),
          line_of("throw new IllegalArgumentException"))
    equal("catcher", defs.method(first["catcher"]), "Points.throwing")
    equal("the line that catches", defs.line(first["catcher"], first["bci"]), line_of("} catch (IllegalArgumentException e)"))
    equal("locals", dict(first["locals"]), {"factor": "0", "currency": "null", "sum": "0"})


# ---- exact calls ----

def exact_calls(p, order):
    """The last record of each stack, behind the one that says that the order has begun."""
    records = taken(p.front, order, "exact")
    equal("an order begins with stack 0", [r["stack"] for r in records if r["calls"] == 0 or r is records[0]], [0])
    return {r["stack"]: r for r in records[1:]}  # later sums replace earlier ones


def check_exact(p):
    order = p.front.begin("exact", include="no.Such one.Two three.Four five.Six,seven.* Points")  # spaces part them as commas do
    equal("fib", p.ask("fib 12"), "144")
    p.ask("calls 4")
    records = exact_calls(p, order)
    calls = {}
    for stack, r in records.items():
        names = p.front.defs.frames(stack)
        calls[names[0]] = calls.get(names[0], 0) + r["calls"]
        expect("time of callees", r["total"] >= r["self"], r)
        expect("chosen methods alone", all(name.startswith("Points.") for name in names), names)
    equal("calls of fib", calls["Points.fib"], 465)
    equal("calls of calls", calls["Points.calls"], 1)
    equal("deepest", max(p.front.defs.frames(s).count("Points.fib") for s in records), 12)
    refused = p.front.wait_for(p.front.order("exact"), "failed")
    expect("packages are asked for", "include" in refused["text"], refused)


# ---- heap ----

def read_walk(front, data):
    """{what: ...} of a heap walk, every record against the contract. The connection is kept alive meanwhile."""
    r, records = wire.Reader(data), 0
    walk = {"classes": {}, "objects": {}, "refs": [], "roots": [], "primitives": {}, "strings": {}, "arrays": {}, "class_objects": {}}
    while r.more():
        kind, records = r.u(), records + 1
        if records % 20000 == 0:
            front.pump(0)
        if kind == 1:
            number, name, parent = r.u(), r.s(), r.u()
            fields = [(r.s(), chr(r.u()), r.u()) for _ in range(r.u())]
            assert parent == 0 or parent in walk["classes"], "a class comes before its super class"
            walk["classes"][number] = {"name": name, "super": parent, "fields": fields, "loader": r.u(), "before": r.u()}
        elif kind == 2:
            number = r.u()
            assert number == len(walk["objects"]) + 1, "objects are not in order"
            walk["objects"][number] = (r.u(), r.u(), r.u())
            assert walk["objects"][number][0] in walk["classes"], "an object comes before its class"
        elif kind == 3:
            walk["refs"].append((r.u(), r.u(), r.u(), r.u()))
            assert walk["refs"][-1][0] in walk["objects"] and walk["refs"][-1][1] in walk["objects"], "a reference of no object"
        elif kind == 4:
            walk["roots"].append((r.u(), r.u(), r.u(), r.u(), r.u(), r.u()))
        elif kind == 5:
            place = r.u(), r.u()
            walk["primitives"][place] = (chr(r.u()), r.u())
        elif kind == 6:
            number, length, text = r.u(), r.u(), r.s()
            walk["strings"][number] = (length, text)
        elif kind == 7:
            number, element, size = r.u(), chr(r.u()), r.u()
            walk["arrays"][number] = (element, r.data[r.at:r.at + size])
            r.at += size
        elif kind == 8:
            number = r.u()
            walk["class_objects"][r.u()] = number
        else:
            assert kind == 9, f"record {kind}"
            walk["end"] = (r.u(), r.u(), r.u(), r.u())
            assert not r.more(), "the walk goes on after its end"
    return walk


def first_index(walk, number):
    """The index of the first field of a class among those of its instances."""
    parent = walk["classes"][number]["super"]
    before = 0
    while parent:
        before += len(walk["classes"][parent]["fields"])
        parent = walk["classes"][parent]["super"]
    return walk["classes"][number]["before"] + before


def check_walk(walk, n):
    classes = {c["name"]: number for number, c in walk["classes"].items()}
    node = classes["Points$Node"]
    nodes = [o for o, (cls, _, _) in walk["objects"].items() if cls == node]
    equal("nodes", len(nodes), n)
    first = first_index(walk, node)
    names = [f[0] for f in walk["classes"][node]["fields"]]
    index = {name: first + i for i, name in enumerate(names)}
    members = set(nodes)
    links = {a: b for a, b, kind, i in walk["refs"] if kind == 2 and i == index["next"] and a in members}
    equal("links of the list", len(links), n - 1)
    equal("values of the nodes", sorted(walk["primitives"][o, index["value"]][1] for o in nodes), list(range(n)))
    texts = {a: b for a, b, kind, i in walk["refs"] if kind == 2 and i == index["text"] and a in members}
    for o in nodes[:50]:
        value = walk["primitives"][o, index["value"]][1]
        equal("a node's text", walk["strings"][texts[o]][1], f"node {value}")
    array = [o for o, (cls, _, length) in walk["objects"].items() if cls == classes["Points$Node[]"] and length == n]
    equal("the array", len(array), 1)
    ints = [bytes_ for element, bytes_ in walk["arrays"].values() if element == "I"]
    expect("elements of an int[]", b"".join(i.to_bytes(4, "little") for i in (1, 2, 3)) in ints)
    equal("objects and references of the end", walk["end"][:2], (len(walk["objects"]), len(walk["refs"])))
    equal("a whole walk", walk["end"][3], 0)
    kept = [a for a, b, kind, i in walk["refs"] if kind == 8 and a == walk["class_objects"][classes["Points"]]]
    expect("static fields of Points", len(kept) >= 1)
    expect("roots of frames name their methods", any(kind == 22 or kind == 25 for _, kind, *_ in walk["roots"]),
           {kind for _, kind, *_ in walk["roots"]})
    expect("classes have their super classes", walk["classes"][classes["java.lang.Integer"]]["super"] == classes["java.lang.Number"])


def check_heap(p):
    equal("heap", p.ask("heap 1000"), "3")
    order = p.front.order("heap")
    answer = p.front.wait_for(order, "accepted", "failed")
    expect("the stop is told first", int(dict(answer["values"]).get("stop.ms", 0)) > 0, answer)
    with tempfile.TemporaryFile(dir=WORK) as file:
        order = p.front.order("heap", file.fileno(), confirm=1)
        answer = p.front.wait_for(order, "done", "failed", seconds=120)
        equal("the walk's end", answer["state"], "done")
        file.seek(0)
        data = file.read()
    equal("the walk's begin", data[:8], b"LENSHEA1")
    walk = read_walk(p.front, data[8:])
    check_walk(walk, 1000)
    equal("objects of the answer", int(dict(answer["values"])["objects"]), walk["end"][0])
    threads = {thread for _, kind, thread, *_ in walk["roots"] if kind == 24 and thread}
    expect("threads are known", len(threads) > 2, threads)
    order = p.front.order("heap", confirm=1, contents=1)
    p.front.wait_for(order, "done", "failed", seconds=120)
    walk = read_walk(p.front, b"".join(p.front.all("heap")))
    p.front.got["heap"] = []
    check_walk(walk, 1000)


def check_heap_on_a_full_disk(p):
    with open("/dev/full", "wb") as full:
        answer = p.front.wait_for(p.front.order("heap", full.fileno(), confirm=1), "done", "failed", seconds=60)
    expect("a full disk is told", answer["state"] == "failed" and "No space left" in answer["text"], answer)
    read_end, write_end = os.pipe()
    os.close(read_end)
    answer = p.front.wait_for(p.front.order("heap", write_end, confirm=1), "done", "failed", seconds=60)
    os.close(write_end)
    expect("a reader that is gone is told", answer["state"] == "failed" and "Broken pipe" in answer["text"], answer)
    equal("the program goes on", p.ask("fib 5"), "5")


# ---- debugger ----

def jdwp(port, command_set, command):
    with socket.create_connection(("127.0.0.1", port), 20) as s:
        s.sendall(b"JDWP-Handshake")
        reply = b""
        while len(reply) < 14:
            part = s.recv(14 - len(reply))
            if not part:
                return None
            reply += part
        assert reply == b"JDWP-Handshake", reply
        s.sendall((11).to_bytes(4, "big") + (77).to_bytes(4, "big") + bytes([0, command_set, command]))
        while True:
            head = b""
            while len(head) < 11:
                head += s.recv(11 - len(head))
            body = b""
            size = int.from_bytes(head[:4], "big") - 11
            while len(body) < size:
                body += s.recv(size - len(body))
            if head[8] == 0x80 and head[4:8] == (77).to_bytes(4, "big"):
                assert head[9:11] == b"\0\0", head
                return body


def check_debugger(p):
    for _ in range(3):  # the port is opened and closed again and again
        order = p.front.order("debugger")
        answer = p.front.wait_for(order, "accepted", "failed", seconds=60)
        equal("the debugger's port", answer["state"], "accepted")
        if answer["state"] != "accepted":
            return
        port = int(dict(answer["values"])["port"])
        version = jdwp(port, 1, 1)
        expect("the version of the VM", version and b"Java Debug Wire Protocol" in version, version)
        version = jdwp(port, 1, 1)
        expect("a second debugger after the first", version is not None)
        equal("the program runs", p.ask("fib 6"), "8")
        p.front.order("debugger.stop")
        p.front.wait_for(order, "done")
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            expect("the port is closed", False)
        except ConnectionRefusedError:
            pass


def check_refused_debugger(p):
    answer = p.front.wait_for(p.front.order("debugger"), "accepted", "failed")
    expect("no debugger here", answer["state"] == "failed" and "-agentlib:jdwp" in answer["text"], answer)


def check_refused_late(p):
    for verb, args, word in (("coverage", {}, "JaCoCo"), ("watch", {"class": "Points", "method": "fib"}, "-agentpath"),
                             ("exceptions", {}, "-agentpath"), ("exact", {"include": "Points"}, "-agentpath")):
        answer = p.front.wait_for(p.front.order(verb, **args), "accepted", "failed")
        expect(f"{verb} late", answer["state"] == "failed" and word in answer["text"], answer)


POINTS = [check_calls, check_kinds_of_values, check_conditions, check_limits, check_logs, check_later_class,
          check_refused_points, check_coverage,
          check_coverage_counts, check_coverage_without_branches, check_coverage_of_rare_ways, check_points_at_one_place,
          check_threads_together, check_redefinition, check_redefinitions_told_late, check_exceptions, check_exact]
HEAP = [check_heap, check_heap_on_a_full_disk]


def run(late, checks):
    program = Program(late)
    for check in checks:
        if ONLY and ONLY not in check.__name__:
            continue
        before = len(wrong)
        try:
            check(program)
        except (AssertionError, KeyError, IndexError, ValueError) as error:
            wrong.append(f"{check.__name__}: {type(error).__name__} {error}")
        if len(wrong) > before:
            print(f"{'late' if late else 'from the start'}: {check.__name__} is wrong", file=sys.stderr)
    equal("records that were lost", program.front.lost, 0)
    program.close()


ONLY = os.environ.get("ONLY")
subprocess.run([f"{HOME}/bin/javac", "-g", "-d", WORK, *SOURCES.glob("*.java")], check=True)
subprocess.run([f"{HOME}/bin/javac", "-g", "-d", WORK / "v2", *SOURCES.glob("v2/*.java")], check=True)
(WORK / "manifest").write_text("Premain-Class: Points\nCan-Redefine-Classes: true\n")
subprocess.run([f"{HOME}/bin/jar", "cfm", WORK / "points.jar", WORK / "manifest", "-C", WORK, "Points.class"], check=True)
is_pellucid = "Pellucid" in subprocess.run([f"{HOME}/bin/java", "-version"], capture_output=True, text=True).stderr
if is_pellucid:
    run(False, POINTS + HEAP + [check_debugger])
    run(True, POINTS + HEAP + [check_debugger])
else:
    run(False, POINTS + HEAP)
    run(True, HEAP + [check_refused_late, check_refused_debugger])
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
