#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the front program `lens`, for tests of its page alone: it serves lens/page and answers every question of lens/API.md with
generated data, the same at each start. Nothing it says was measured. `lens` itself has no part of it.

mock_front.py [--port N] [--mode live|file|none|ended|cannot] [--nodes N] [--page FOLDER]
"""
import argparse
import json
import math
import random
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2"}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
LENGTH = 41_000  # ms recorded before the page comes
COMP = "com.sun.tools.javac.comp"
PARSER = "com.sun.tools.javac.parser"
MAIN = "com.sun.tools.javac.main"
JVM = "com.sun.tools.javac.jvm"

# (name, group, share of the parent, children); what children leave is self time
TREE = ("all", "", 1.0, [
    ("main", "", 0.93, [
        (f"{MAIN}.JavaCompiler.compile", MAIN, 0.995, [
            (f"{MAIN}.JavaCompiler.parseFiles", MAIN, 0.22, [
                (f"{PARSER}.JavacParser.parseCompilationUnit", PARSER, 0.94, [
                    (f"{PARSER}.JavacParser.classOrInterfaceBody", PARSER, 0.8, [
                        (f"{PARSER}.JavacParser.blockStatement", PARSER, 0.64, [
                            (f"{PARSER}.JavacParser.term3", PARSER, 0.7, [(f"{PARSER}.JavaTokenizer.readToken", PARSER, 0.6, [])])]),
                        (f"{PARSER}.JavacParser.modifiersOpt", PARSER, 0.2, [])])])]),
            (f"{MAIN}.JavaCompiler.attribute", MAIN, 0.43, [
                (f"{COMP}.Attr.attribClass", COMP, 0.97, [
                    (f"{COMP}.Attr.visitMethodDef", COMP, 0.86, [
                        (f"{COMP}.Attr.visitBlock", COMP, 0.93, [
                            (f"{COMP}.Attr.visitApply", COMP, 0.66, [
                                (f"{COMP}.Resolve.resolveMethod", COMP, 0.69, [
                                    (f"{COMP}.Resolve.findMethod", COMP, 0.88, [
                                        (f"{COMP}.Resolve.selectBest", COMP, 0.73, [
                                            (f"{COMP}.Infer.instantiateMethod", COMP, 0.6, [("com.sun.tools.javac.code.Types.isSubtype", "com.sun.tools.javac.code", 0.55, [])]),
                                            ("com.sun.tools.javac.code.Types.asSuper", "com.sun.tools.javac.code", 0.2, [])])])]),
                                (f"{COMP}.Attr.checkId", COMP, 0.2, [("com.sun.tools.javac.code.Types.memberType", "com.sun.tools.javac.code", 0.6, [])])]),
                            (f"{COMP}.Attr.visitNewClass", COMP, 0.2, [("java.util.HashMap.putVal", "java.util", 0.4, [])])])]),
                    (f"{COMP}.Check.checkAllDefined", COMP, 0.1, [])])]),
            (f"{MAIN}.JavaCompiler.flow", MAIN, 0.1, [(f"{COMP}.Flow$AssignAnalyzer.visitMethodDef", COMP, 0.9, [("java.util.HashMap.getNode", "java.util", 0.36, [])])]),
            (f"{MAIN}.JavaCompiler.desugar", MAIN, 0.09, [(f"{COMP}.Lower.translateTopLevelClass", COMP, 0.85, [(f"{COMP}.Lower.visitClassDef", COMP, 0.72, [])])]),
            (f"{MAIN}.JavaCompiler.generate", MAIN, 0.13, [
                (f"{JVM}.Gen.genClass", JVM, 0.7, [(f"{JVM}.Gen.genMethod", JVM, 0.88, [(f"{JVM}.Code.emitop", JVM, 0.35, [])])]),
                (f"{JVM}.ClassWriter.writeClassFile", JVM, 0.27, [("write", "native", 0.5, [])])])])]),
    ("GC", "vm", 0.05, [("young collection", "vm", 0.8, [])]),
    ("Compiler thread", "vm", 0.015, [])])


def columns():
    return {"names": [], "groups": [], "parent": [], "name": [], "self": [], "total": []}


class Flame:
    """A flame graph in columns, made from TREE or at random."""

    def __init__(self):
        self.out = columns()
        self.ids = {}

    def name(self, text, group):
        if text not in self.ids:
            self.ids[text] = len(self.out["names"])
            self.out["names"].append(text)
            self.out["groups"].append(group)
        return self.ids[text]

    def add(self, parent, text, group, total):
        self.out["parent"].append(parent)
        self.out["name"].append(self.name(text, group))
        self.out["total"].append(total)
        self.out["self"].append(total)
        if parent >= 0 and len(self.out["parent"]) > 1:
            self.out["self"][parent] -= total
        return len(self.out["parent"]) - 1

    def tree(self, node, parent, total):
        text, group, _, children = node
        at = self.add(parent, text, group, total)
        for child in children:
            self.tree(child, at, int(total * child[2]))

    def chance(self, count, total):
        rng = random.Random(7)
        self.add(-1, "all", "", total)
        groups = ["com.acme.shop", "com.acme.order", "com.acme.web", "org.db.driver", "java.util", "java.lang"]
        roomy = [0]
        while len(self.out["parent"]) < count:
            place = rng.randrange(max(0, len(roomy) - 400), len(roomy))
            at = roomy[place]
            room = self.out["self"][at]
            if room < 4:
                roomy[place] = roomy[-1]
                roomy.pop()
                continue
            group = rng.choice(groups)
            roomy.append(self.add(at, f"{group}.Class{rng.randrange(90)}.method{rng.randrange(200)}", group, max(1, int(room * rng.uniform(0.05, 0.7)))))

    def answer(self, unit, how, samples, rate=998):
        return {**self.out, "samples": samples, "failed": 83, "unit": unit, "rate": rate, "how": how}


def flame(total, unit, how, samples):
    f = Flame()
    f.tree(TREE, -1, int(total))
    return f.answer(unit, how, samples)


class World:
    """What the mock knows: a recording that goes on, orders, marks, hits."""

    def __init__(self, mode, nodes):
        self.mode = mode
        self.pid = 4711
        self.nodes = nodes
        self.lock = threading.Condition()
        self.begin = time.time() - LENGTH / 1000
        self.orders = []
        self.events = []
        self.next_order = 1
        self.made = None
        self.mark = None
        self.snapshots = [snapshot(1, 9_000, 1.0, "walk"), snapshot(2, 33_000, 1.31, "walk")]
        self.hits = [hit(i, 30_000 + i * 211) for i in range(40)]
        if mode in ("live", "cannot"):
            for verb, args in (("metrics", {}), ("cpu", {"hz": "1000", "mode": "both"}), ("alloc", {}), ("locks", {}), ("threads", {}), ("exceptions", {}), ("coverage", {}),
                               ("watch", {"class": f"{COMP}.Attr", "method": "visitApply", "limit": "20"}), ("watch", {"class": f"{COMP}.Lower", "line": "2214", "expr": "tree {tree.name}"})):
                self.order(verb, args)

    def big(self):
        if not self.made:
            f = Flame()
            f.chance(self.nodes, 10**12)
            self.made = json.dumps(f.answer("ns", f"{self.nodes:,} nodes, made for a test.", 10_000)).encode()
        return self.made

    def now(self):
        return LENGTH if self.mode in ("file", "ended") else int((time.time() - self.begin) * 1000)

    def tell(self, event, data):
        with self.lock:
            self.events.append((event, data))
            self.lock.notify_all()

    def order(self, verb, args):
        o = {"id": self.next_order, "verb": verb, "args": args, "state": "accepted", "permille": 0, "left": 0, "text": "", "values": {}, "since": max(0, self.now() - 31_200)}
        self.next_order += 1
        self.orders.append(o)
        self.tell("order", dict(o))
        if verb == "watch" and args.get("class") == "no.such.Class":
            self.end(o, "failed", "no.such.Class is not loaded. Its name is completed while you type; a class that is not loaded yet is armed when it is loaded if you write its whole name.")
        if verb == "debugger":
            o.update(state="progress", values={"port": "5005"})
            self.tell("order", dict(o))
        if verb in ("heap", "import"):
            threading.Thread(target=self.walk, args=(o,), daemon=True).start()
        return o["id"]

    def walk(self, o):
        for permille in range(0, 1000, 50):
            time.sleep(0.1)
            if o["state"] == "done":
                return
            o.update(state="progress", permille=permille, left=(1000 - permille) * 2, text=f"Walking the heap: {permille * 9567:,} objects")
            self.tell("order", dict(o))
        self.snapshots.append(snapshot(len(self.snapshots) + 1, self.now(), 1.4, "walk" if o["verb"] == "heap" else "hprof"))
        o["values"] = {"snapshot": str(self.snapshots[-1]["id"])}
        self.end(o, "done", "")

    def end(self, o, state, text):
        o.update(state=state, text=text, permille=1000)
        self.tell("order", dict(o))

    def stop(self, order_id):
        for o in self.orders:
            if o["id"] == order_id and o["state"] in ("accepted", "progress"):
                self.end(o, "done", "stopped")

    def session(self):
        views = {v: {"ok": True, "why": ""} for v in "overview cpu alloc locks threads heap exceptions watch coverage debugger".split()}
        vm, version = "Pellucid", "0.1.0"
        if self.mode == "cannot":
            vm, version = "HotSpot", "17.0.21"
            for v in ("exceptions", "watch", "coverage", "debugger"):
                views[v] = {"ok": False, "why": "An agent that is loaded late gets no breakpoints and no exceptions there.\nStart the program with -agentpath:/usr/lib/liblens.so and this view works."}
        s = {"mode": {"ended": "live", "cannot": "live"}.get(self.mode, self.mode), "pid": self.pid, "main": "com.sun.tools.javac.Main", "vm": vm, "version": version, "java": "17.0.21", "cores": 2,
             "started": int(self.begin * 1000), "now": self.now(), "up": self.now() + 4000, "ended": None, "recorded": 2_400_000, "file": "javac.lens" if self.mode == "file" else "",
             "views": views, "orders": self.orders, "lost": 0}
        if self.mode == "ended":
            s["ended"] = {"t": LENGTH, "why": "exit status 137 (killed by signal 9)", "crash": None}
        return s


def snapshot(number, t, k, origin):
    return {"id": number, "t": t, "objects": int(1_204_331 * k), "bytes": int(68_400_000 * k), "stop_ns": 271_000_000, "analysed_ms": 388, "whole": True, "from": origin}


def hit(i, t):
    kinds = ["call", "return", "call", "return", "log"]
    kind = kinds[i % 5]
    values = {"call": [{"name": "tree", "value": f"JCMethodInvocation#{9000 + i}"}], "return": [{"name": "result", "value": "void"}], "log": [{"name": "", "value": f"tree Handler${i}"}]}[kind]
    return {"t": t, "point": 2 if kind == "log" else 1, "thread": 1, "kind": kind, "ns": 84_000 + i * 1700 if kind == "return" else 0, "values": values, "stack": 3}


def wave(i, a, b, c):
    return (math.sin(i / a) + math.sin(i / b + 1) + math.sin(i / c + 2)) / 3


CLASSES = [("byte[]", 48_211_000, 310_220), ("com.sun.tools.javac.util.List", 21_903_000, 684_470), ("java.util.HashMap$Node", 14_112_000, 441_000), ("java.lang.String", 9_871_200, 411_300), ("java.lang.Object[]", 8_660_000, 120_400),
           ("com.sun.tools.javac.code.Type$ClassType", 6_402_100, 80_026), ("com.sun.tools.javac.tree.JCTree$JCIdent", 5_204_480, 108_426), ("com.sun.tools.javac.code.Symbol$MethodSymbol", 4_402_560, 45_860),
           ("int[]", 3_880_100, 22_000), ("com.sun.tools.javac.util.Name", 2_950_000, 73_750), ("com.sun.tools.javac.code.Scope$ScopeImpl", 2_201_000, 39_300), ("java.util.ArrayList", 1_802_400, 75_100)]
THREADS = [(1, "main", False, False), (2, "worker-1", True, False), (3, "worker-2", True, False), (4, "Reference Handler", True, False), (5, "Finalizer", True, False), (6, "Signal Dispatcher", True, False), (7, "http-1", False, False),
           (8, "http-2", False, False), (9, "GC", True, True), (10, "Compiler 1", True, True)]
STATES = {1: ["running", "running", "native", "running", "blocked"], 2: ["running", "parked", "blocked"], 3: ["running", "parked"], 4: ["waiting"], 5: ["waiting"], 6: ["native"], 7: ["running", "waiting", "blocked"], 8: ["native", "sleeping"],
          9: ["running", "waiting"], 10: ["running", "waiting"]}
STACK = [(f"{COMP}.Attr.visitApply", f"{COMP}.Attr", 2214, False), (f"{COMP}.Attr.visitBlock", f"{COMP}.Attr", 1390, False), (f"{COMP}.Attr.visitMethodDef", f"{COMP}.Attr", 1104, False), (f"{COMP}.Attr.attribClass", f"{COMP}.Attr", 5321, False),
         (f"{MAIN}.JavaCompiler.attribute", f"{MAIN}.JavaCompiler", 1326, False), (f"{MAIN}.JavaCompiler.compile", f"{MAIN}.JavaCompiler", 947, False), ("start_thread", "", 0, True)]
SOURCE = """package com.acme.order;

import java.util.List;

/** An order and what is in it.
 *  Made by the shop. */
public final class Order {
    private static final int LIMIT = 10;   // more is refused
    private final String name;
    private final List<Item> items;

    public Order(String name, List<Item> items) {
        this.name = name;
        this.items = List.copyOf(items);
    }

    @Override
    public String toString() {
        return "Order " + name + " of " + items.size() + " items";
    }

    public boolean fits() {
        if (items.size() > LIMIT || name.isEmpty()) {
            return false;
        }
        for (Item item : items) {
            if (item.price() < 0x0) {
                throw new IllegalStateException("negative price: \\"" + item + "\\"");
            }
        }
        return true;
    }

    String text() {
        return \"\"\"
            An order
            of things
            \"\"\";
    }
}
"""


class Answers:
    """One method for each question: query -> answer. Names are the paths of lens/API.md."""

    def __init__(self, world):
        self.w = world

    def range(self, q):
        a, b = float(q.get("from", 0)), float(q.get("to", self.w.now()))
        return a, max(a + 1, b)

    def session(self, q):
        return self.w.session()

    def jvms(self, q):
        return {"jvms": [{"pid": 4711, "main": "com.sun.tools.javac.Main", "vm": "Pellucid 0.1.0", "user": "me", "started": int(self.w.begin * 1000), "attachable": True, "why": ""},
                         {"pid": 812, "main": "org.apache.catalina.startup.Bootstrap", "vm": "HotSpot 17.0.21", "user": "me", "started": int(self.w.begin * 1000) - 7_200_000, "attachable": True, "why": ""},
                         {"pid": 99, "main": "jenkins.war", "vm": "HotSpot 11", "user": "ci", "started": 0, "attachable": False, "why": "belongs to another user"}]}

    def metrics(self, q):
        a, b = self.range(q)
        n = int(q.get("points", 600))
        t = [a + (b - a) * i / (n - 1) for i in range(n)]
        k = [x / 100 for x in t]
        cpu = [max(0.05, 1.15 + 0.75 * wave(i, 9, 23, 41)) for i in k]
        alloc = [max(0, 110e6 + 90e6 * wave(i, 13, 31, 67)) for i in k]
        gcs = [{"t": x, "ns": 18_000_000 + (x % 7) * 4_000_000} for x in range(3100, int(b), 5900) if x >= a]
        heap = [22e6 + x * 320 + (x % 5900) / 5900 * 46e6 for x in t]
        zero = [0] * n
        series = {"process_cpu": cpu, "allocation_rate": alloc, "heap_used": heap, "heap_committed": [128e6] * n, "heap_max": [512e6] * n, "gc_nanos": [60e6 if any(0 <= x - g["t"] < 200 for g in gcs) else 0 for x in t],
                  "gc_count": zero, "classes": [2344 + min(600, x / 50) for x in t], "threads_live": [10] * n, "threads_running": [round(2 + wave(i, 9, 19, 7)) for i in k],
                  "threads_blocked": [max(0, round(wave(i, 11, 17, 5) * 2)) for i in k], "threads_waiting": [5] * n, "exception_count": [max(0, 40 * wave(i, 8, 20, 14)) for i in k],
                  "contended_count": [max(0, 90 * wave(i, 6, 22, 17)) for i in k], "contended_nanos": zero, "code_cache_used": [6e6 + x * 40 for x in t], "resident": [210e6] * n}
        return {"t": t, "series": series, "collections": gcs, "how": f"Read by the agent each 250 ms; {n} points from the {(b - a) / 1000:.1f} s shown, each the mean of its interval."}

    def thread_cpu(self, q):
        a, b = self.range(q)
        shares = [0.71, 0.14, 0.06, 0.0, 0.0, 0.001, 0.03, 0.02, 0.03, 0.009]
        return {"threads": [{"id": t[0], "name": t[1], "cpu_ns": int((b - a) * 1.2e6 * s), "share": s} for t, s in zip(THREADS, shares)]}

    def costs(self, q):
        return {"lens": {"ns": 480_000_000, "share": 0.014}, "agents": [{"name": "jdwp", "ns": 2_100_000, "events": 812}], "how": "CPU time of the agent's threads, handlers and callbacks since it was loaded."}

    def flame(self, q):
        a, b = self.range(q)
        data = q.get("data", "cpu")
        if self.w.nodes and data == "cpu":
            return self.w.big()
        if data in ("alloc", "live"):
            return flame(184e6, "bytes", "Bytes estimated from 1,204 samples, one each 512 kB.", 1204)
        if data == "exact":
            return flame((b - a) * 1e6, "ns", "Exact: entries and exits of com.sun.tools.javac.comp.* since 00:12.", 1)
        if data == "locks":
            return flame(3.4e9, "ns", "Exact: every wait in the range, by where it waited.", 412)
        seconds = (b - a) / 1000
        kind = "Wall" if data == "wall" else "CPU"
        n = int(seconds * 912)
        return flame(seconds * 0.912e9, "ns", f"{kind} time, sampled at 998 Hz (1,000 asked): {n:,} samples in the {seconds:.1f} s shown, {seconds * 0.912:.1f} s of CPU. A share of 10 % is right within 0.6 points. 83 samples (0.8 %) without a stack.", n)

    def flame_diff(self, q):
        one = flame(9e9, "ns", "Two ranges, 9.0 and 7.2 s of CPU.", 9000)
        rng = random.Random(3)
        total2, self2 = list(one["total"]), list(one["self"])
        factor = [1.0] * len(total2)
        for i in range(1, len(total2)):
            factor[i] = factor[one["parent"][i]] * rng.uniform(0.6, 1.5)
            total2[i] = int(min(total2[one["parent"][i]] * 0.9, one["total"][i] * factor[i]))
        return {**one, "total2": total2, "self2": self2}

    def method_sums(self, data):
        f = self.flame({"data": data, "from": 0, "to": self.w.now()})
        sums = {}
        for i in range(1, len(f["parent"])):
            name = f["names"][f["name"][i]]
            if "." in name:
                s = sums.setdefault(name, [0, 0, f["groups"][f["name"][i]]])
                s[0] += f["self"][i]
                s[1] += f["total"][i]
        return f, sums

    def hot(self, q):
        data = q.get("data", "cpu")
        saved, self.w.nodes = self.w.nodes, 0
        f, sums = self.method_sums(data)
        self.w.nodes = saved
        all_ = f["total"][0]
        rows = [{"method": m, "class": m.rsplit(".", 1)[0], "package": g, "self": s, "total": t, "share_self": s / all_, "share_total": t / all_} for m, (s, t, g) in sums.items()]
        rows.sort(key=lambda r: -r["self"])
        return {"rows": rows[:int(q.get("limit", 200))], "unit": f["unit"], "how": f["how"]}

    def method(self, q):
        row = next((r for r in self.hot(q)["rows"] if r["method"] == q["method"]), None)
        if row is None:
            return {"self": 0, "total": 0, "lines": [], "callers": [], "callees": []}
        return {"self": row["self"], "total": row["total"], "unit": "ns", "lines": [{"line": 24, "self": int(row["self"] * 0.61)}, {"line": 28, "self": int(row["self"] * 0.22)}, {"line": 19, "self": int(row["self"] * 0.1)}],
                "callers": [{"method": f"{COMP}.Attr.visitBlock", "value": int(row["total"] * 0.8)}, {"method": f"{COMP}.Attr.attribClass", "value": int(row["total"] * 0.2)}], "callees": [{"method": "java.util.HashMap.putVal", "value": int(row["total"] * 0.3)}]}

    def callers(self, q):
        f = Flame()
        total = 2_000_000_000
        f.add(-1, "all", "", total)
        top = f.add(0, q["method"], COMP, total)
        a = f.add(top, f"{COMP}.Attr.visitBlock", COMP, int(total * 0.8))
        f.add(a, f"{COMP}.Attr.visitMethodDef", COMP, int(total * 0.8))
        f.add(top, f"{COMP}.Attr.attribClass", COMP, int(total * 0.2))
        return f.answer("ns", "From the same samples.", 2000)

    def alloc(self, q):
        k = 0.3 if q.get("since") else 1
        return {"rows": [{"class": c, "bytes": int(b * k), "count": int(n * k), "live_bytes": int(b * k * 0.18), "live_count": int(n * k * 0.2)} for c, b, n in CLASSES],
                "how": "Estimated: 1,204 samples, one each 512 kB allocated, weighted by that; “still living” by the objects sampled that were not collected."}

    def alloc_sites(self, q):
        return flame(20e6, "bytes", "Bytes estimated from 212 samples.", 212)

    def locks(self, q):
        a, b = self.range(q)
        rng = random.Random(5)
        waits = []
        for i in range(160):
            t = rng.uniform(2000, LENGTH)
            monitor = rng.choice([11, 11, 11, 12, 13])
            waits.append({"t": t, "ns": int(rng.expovariate(1 / 180e6)) + 1_000_000, "thread": rng.choice([2, 3, 7, 8]), "kind": {11: "enter", 12: "park", 13: "wait"}[monitor], "monitor": monitor,
                          "class": {11: "com.acme.order.Inventory", 12: "java.util.concurrent.locks.ReentrantLock$NonfairSync", 13: "java.util.LinkedList"}[monitor], "stack": 3, "owner": 1 if monitor != 13 else 0, "owner_stack": 3 if monitor != 13 else 0})
        waits = sorted((w for w in waits if a <= w["t"] <= b), key=lambda w: w["t"])
        rows = {}
        for w in waits:
            r = rows.setdefault(w["monitor"], {"monitor": w["monitor"], "class": w["class"], "waits": 0, "total_ns": 0, "max_ns": 0, "threads": 0, "set": set()})
            r["waits"] += 1
            r["total_ns"] += w["ns"]
            r["max_ns"] = max(r["max_ns"], w["ns"])
            r["set"].add(w["thread"])
            r["threads"] = len(r["set"])
        for r in rows.values():
            del r["set"]
        dead = [[{"thread": 7, "waits_for": 8, "monitor": "com.acme.Account#31", "stack": 3}, {"thread": 8, "waits_for": 7, "monitor": "com.acme.Account#32", "stack": 3}]]
        return {"rows": list(rows.values()), "waits": waits, "deadlocks": dead, "how": f"Exact: every wait that ended in the range, {len(waits)} in all; the times are from the moment the thread had to wait until it went on."}

    def threads(self, q):
        a, b = self.range(q)
        out = []
        for tid, name, daemon, vm in THREADS:
            rng = random.Random(tid)
            lanes, t = [], 400.0 * (tid - 1)
            while t < b:
                state = rng.choice(STATES[tid])
                if not lanes or lanes[-1] != state:
                    lanes += [round(t), state]
                t += rng.uniform(60, 1800) if len(STATES[tid]) > 1 else 1e9
            out.append({"id": tid, "name": name, "daemon": daemon, "vm": vm, "start": 400 * (tid - 1), "end": 30_000 if tid == 8 else None, "lanes": lanes})
        return {"threads": out, "how": "The state of every thread, looked at each 50 ms: what was shorter can be missing."}

    def frames(self, q):
        return {"frames": [{"method": m, "class": c, "line": line, "native": n} for m, c, line, n in STACK]}

    def stack(self, q):
        return {**self.frames(q), "t": float(q["t"]) + 12, "state": "running"}

    def heap_snapshots(self, q):
        return {"snapshots": self.w.snapshots}

    def heap_histogram(self, q):
        base = q.get("base")
        return {"rows": [{"class": c, "count": n, "bytes": b, "retained": int(b * 2.4), **({"d_count": n // 7 - 2000, "d_bytes": b // 7 - 90_000} if base else {})} for c, b, n in CLASSES], "how": "Retained is what its objects keep alive together."}

    OBJECTS = [(101, "com.acme.order.Cache", "4,096 entries", 64, 24_300_000), (102, "com.sun.tools.javac.code.Symtab", "", 1800, 9_800_000), (103, "com.sun.tools.javac.util.Names", "", 96, 6_100_000), (104, "java.lang.Thread", "main", 376, 3_900_000),
               (105, "com.sun.tools.javac.file.JavacFileManager", "", 240, 2_420_000), (106, "java.lang.Class", "java.lang.invoke.MethodHandles", 104, 900_000), (107, "java.util.Properties", "", 48, 310_000)]

    def heap_dominators(self, q):
        parent = int(q.get("object", 0))
        if parent == 0:
            rows = self.OBJECTS
        else:
            size = next((o[4] for o in self.OBJECTS if o[0] == parent), max(200, 20_000_000 // parent))
            rows = [(parent * 10 + i, ["java.util.HashMap", "java.util.HashMap$Node[]", "com.acme.order.Order", "byte[]"][i % 4], "", 48, int(size * (0.9 if i == 0 else 0.02))) for i in range(4)]
        return {"rows": [{"object": o, "class": c, "label": label, "bytes": b, "retained": r, "children": 4 if o < 10**7 else 0} for o, c, label, b, r in rows]}

    def heap_suspects(self, q):
        return {"rows": [{"object": 101, "class": "com.acme.order.Cache", "label": "", "instances": 1, "retained": 24_300_000, "share": 0.271, "gathers": 1010, "gathers_class": "java.util.HashMap",
                          "text": "One com.acme.order.Cache keeps 24.3 MB; most of it gathers in a java.util.HashMap below it."}]}

    def heap_object(self, q):
        o = int(q["object"])
        known = next((x for x in self.OBJECTS if x[0] == o), (o, "java.util.HashMap", "", 48, 8_800_000))
        return {"object": o, "class": known[1], "bytes": known[3], "retained": known[4], "label": known[2], "more": 12, "dominator": 101,
                "fields": [{"name": "size", "class": "int", "value": "4096", "object": 0}, {"name": "table", "class": "java.util.HashMap$Node[]", "value": "HashMap$Node[8192]", "object": o * 10 + 1},
                           {"name": "name", "class": "java.lang.String", "value": "\"orders\"", "object": o * 10 + 2}, {"name": "loadFactor", "class": "float", "value": "0.75", "object": 0}, {"name": "next", "class": "java.lang.Object", "value": "null", "object": 0}]}

    def heap_path(self, q):
        o = int(q["object"])
        return {"paths": [[{"object": o, "class": "java.util.HashMap", "via": "map"}, {"object": 101, "class": "com.acme.order.Cache", "via": "CACHE"}, {"root": {"kind": "static field", "thread": "", "method": "com.acme.order.Shop"}}],
                          [{"object": o, "class": "java.util.HashMap", "via": "local 3"}, {"root": {"kind": "stack", "thread": "worker-1", "method": "com.acme.order.Shop.fill"}}]]}

    def heap_instances(self, q):
        return {"rows": [{"object": 500 + i, "label": f"object {i} of {q['class']}", "bytes": 48 + i % 3 * 8, "retained": 9_000_000 // (i + 1)} for i in range(60)], "of": 4211}

    def heap_referrers(self, q):
        return {"rows": [{"object": 101, "class": "com.acme.order.Cache", "via": "map"}, {"object": 105, "class": "com.sun.tools.javac.file.JavacFileManager", "via": "contents"}], "of": 5}

    def heap_strings(self, q):
        texts = ["java/lang/Object", "utf-8", "", "com.acme.order.Order is a rather long text that will have to be cut somewhere", "()V"]
        rows = [{"text": x, "count": 9000 // (i + 1), "bytes": 9000 // (i + 1) * (24 + len(x)), "wasted": (9000 // (i + 1) - 1) * (24 + len(x))} for i, x in enumerate(texts)]
        return {"rows": rows, "wasted": sum(r["wasted"] for r in rows), "how": "Strings whose first 1,000 characters and lengths are equal."}

    def heap_collections(self, q):
        return {"rows": [{"class": "java.util.HashMap", "count": 21_400, "capacity": 684_800, "used": 201_300, "empty": 8200, "wasted": 3_868_000}, {"class": "java.util.ArrayList", "count": 75_100, "capacity": 751_000, "used": 302_000, "empty": 40_100, "wasted": 3_592_000}],
                "how": "Places in the arrays behind them, and how many are used."}

    EXCEPTIONS = [("java.lang.ClassNotFoundException", "java.net.URLClassLoader.findClass", 445, 2811, 2811, "com.acme.Missing", "k1"),
                  (f"{COMP}.Resolve$InapplicableMethodException", f"{COMP}.Infer.instantiateMethod", 221, 1290, 1203, "", "k2"),
                  ("java.io.FileNotFoundException", "java.io.FileInputStream.open0", -1, 12, 0, "conf/shop.xml (No such file or directory)", "k3")]

    def exceptions(self, q):
        return {"rows": [{"class": c, "place": p, "line": line, "count": n, "caught": k, "last_message": m, "key": key} for c, p, line, n, k, m, key in self.EXCEPTIONS], "how": "Exact: each throw in the range; stacks of up to 1,000 a second, none was only counted."}

    def exception(self, q):
        c, p, line, n, _, m, _ = next(e for e in self.EXCEPTIONS if e[6] == q["key"])
        f = Flame()
        f.add(-1, "all", "", n)
        a = f.add(0, f"{MAIN}.JavaCompiler.compile", MAIN, n)
        b = f.add(a, f"{COMP}.Attr.visitApply", COMP, int(n * 0.7))
        f.add(b, p, "java.net", int(n * 0.7))
        f.add(a, p, "java.net", n - int(n * 0.7))
        return {"messages": [{"text": m, "count": n - 3}, {"text": "com.acme.Other", "count": 3}], "stacks": f.answer("throws", "Each throw.", n),
                "recent": [{"t": 40_000 - i * 310, "thread": 1, "message": m, "locals": [{"name": "name", "value": "\"com.acme.Missing\""}, {"name": "res", "value": "null"}]} for i in range(3)]}

    def watch(self, q):
        points = []
        for number, o in enumerate((o for o in self.w.orders if o["verb"] == "watch" and o["state"] != "failed"), 1):
            a = o["args"]
            text = f"log at {a['class']}:{a['line']}: {a.get('expr', '')}" if "line" in a else f"calls of {a['class']}.{a.get('method', '*')}" + (f" when {a['when']}" if "when" in a else "")
            points.append({"id": number, "order": o["id"], "text": text, "hits": 1204 // number, "suppressed": 311 * (number - 1), "state": "armed" if o["state"] == "accepted" else "removed"})
        return {"points": points, "hits": self.w.hits}

    def classes(self, q):
        names = {"com.acme.order.Order": ["fits", "text", "toString"], "com.acme.order.Shop": ["fill", "open"], f"{COMP}.Attr": ["visitApply", "visitBlock"]}
        m = q.get("match", "").lower()
        return {"classes": [{"name": c, "methods": [{"name": x, "signature": "()V", "lines": [10, 20]} for x in methods if m in f"{c}.{x}".lower()]} for c, methods in names.items() if any(m in f"{c}.{x}".lower() for x in methods)]}

    def coverage(self, q):
        k = 0.4 if q.get("since") else 1
        rng = random.Random(2)
        packages = []
        for p, names in (("com.acme.order", ["Order", "Shop", "Cache", "Inventory"]), ("com.acme.web", ["Server", "Handler", "Handler$1"]), ("com.acme.util", ["Text", "Json"])):
            classes = []
            for c in names:
                lines = 19 if c == "Order" else rng.randrange(40, 400)
                branches = rng.randrange(4, 90)
                classes.append({"name": f"{p}.{c}", "source": f"{c}.java", "lines": lines, "hit": int((15 if c == "Order" else lines * rng.uniform(0.3, 1)) * k), "branches": branches, "taken": int(branches * rng.uniform(0.2, 0.9) * k)})
            packages.append({"name": p, "classes": classes})
        return {"packages": packages, "how": "Exact: each line since the recording began at 14:02:10; breakpoints that are removed at their first hit, 50,075 set, 26,372 hit."}

    def coverage_source(self, q):
        if not q["class"].endswith(".Order"):
            return {"source": None, "looked": ["/usr/lib/jvm/src.zip", "./src"], "lines": [{"nr": n, "state": "hit" if n % 3 else "missed", "count": 1, "branches": [0, 0]} for n in range(10, 60)]}
        missed, part = {24, 28, 35, 36}, {23: [2, 4], 27: [1, 2]}
        lines = [n for n in (12, 13, 14, 15, 19, 23, 24, 26, 27, 28, 31, 35, 36)]
        return {"source": SOURCE, "looked": [], "lines": [{"nr": n, "state": "missed" if n in missed else "part" if n in part else "hit", "count": 1, "branches": part.get(n, [0, 0])} for n in lines]}

    def source(self, q):
        return {"text": SOURCE, "path": "src/com/acme/order/Order.java"}

    def search(self, q):
        return {"methods": [r["method"] for r in self.hot({})["rows"] if q["q"].lower() in r["method"].lower()], "classes": [c for c, _, _ in CLASSES if q["q"].lower() in c.lower()]}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def send(self, body, kind, status=200, more=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        for name, value in more:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def json(self, answer, status=200):
        self.send(json.dumps(answer).encode(), "application/json", status)

    def do_GET(self):
        url = urlsplit(self.path)
        q = dict(parse_qsl(url.query, keep_blank_values=True))
        if url.path == "/api/events":
            return self.stream()
        if url.path == "/api/export" or url.path == "/api/heap/hprof":
            return self.send(b"made by a test\n", "application/octet-stream", more=[("Content-Disposition", f"attachment; filename=mock.{q.get('format', 'hprof')}")])
        if url.path.startswith("/api/"):
            name = url.path[5:].replace("/", "_")
            answer = getattr(self.server.answers, name, None)
            if answer is None or name.startswith("_"):
                return self.json({"error": f"There is no {url.path}.", "do": ""}, 404)
            answer = answer(q)
            return self.send(answer, "application/json") if isinstance(answer, bytes) else self.json(answer)
        return self.file(url.path.lstrip("/") or "index.html")

    def file(self, name):
        path = self.server.page / name
        if "/" in name or path.suffix not in TYPES or not path.is_file():
            return self.json({"error": f"There is no {name}.", "do": ""}, 404)
        return self.send(path.read_bytes(), TYPES[path.suffix])

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        w = self.server.world
        path = urlsplit(self.path).path[5:]
        if path == "order":
            return self.json({"id": w.order(body["verb"], body.get("args", {}))})
        if path == "stop":
            w.stop(body["id"])
            return self.json({})
        if path == "open":
            w.mode = "live"
            return self.json(w.session())
        if path == "mark":
            w.mark = w.now()
            return self.json({"t": w.mark})
        if path == "dump":
            return self.json({"text": "\n".join(f'"{name}" #{tid}\n   java.lang.Thread.State: RUNNABLE\n\tat {COMP}.Attr.visitApply(Attr.java:2214)\n' for tid, name, _, _ in THREADS)})
        if path == "heap/snapshot":
            return self.json({"id": w.order("heap", {"confirm": "1"})} if body.get("confirm") else {"stop_ms": 290, "text": "An estimate from 1,204,331 objects. The program needs 19 MB more during the walk."})
        if path == "heap/import":
            if body["file"].endswith(".missing"):
                return self.json({"error": f"{body['file']} is not there.", "do": "Give the path of an HPROF file that Lens can read."}, 400)
            return self.json({"id": w.order("import", {"file": body["file"]})})
        return self.json({"error": f"There is no {path}.", "do": ""}, 404)

    def stream(self):
        w = self.server.world
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        seen = len(w.events)
        number = 40
        try:
            while True:
                with w.lock:
                    w.lock.wait(0.5)
                    new, seen = w.events[seen:], len(w.events)
                out = [(event, data) for event, data in new]
                if w.mode in ("live", "cannot"):
                    m = Answers(w).metrics({"from": w.now() - 250, "to": w.now(), "points": 2})
                    out.append(("metrics", {"t": w.now(), "values": {k: v[-1] for k, v in m["series"].items()}}))
                    if any(o["verb"] == "watch" and o["state"] == "accepted" for o in w.orders):
                        w.hits.append(hit(number, w.now()))
                        out.append(("watch", w.hits[-1]))
                        number += 1
                for event, data in out:
                    self.wfile.write(f"event: {event}\ndata: {json.dumps(data)}\n\n".encode())
                self.wfile.flush()
        except OSError:
            pass


def serve(page, mode="live", nodes=0, port=0):
    """A server in a thread of its own; answers it, its address is http://127.0.0.1:server.server_port."""
    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    server.page = Path(page)
    server.world = World(mode, nodes)
    server.answers = Answers(server.world)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--port", type=int, default=0)
    ap.add_argument("--mode", default="live", choices=["live", "file", "none", "ended", "cannot"])
    ap.add_argument("--nodes", type=int, default=0)
    ap.add_argument("--page", default=Path(__file__).resolve().parents[2] / "lens" / "page")
    a = ap.parse_args()
    server = serve(a.page, a.mode, a.nodes, a.port)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
