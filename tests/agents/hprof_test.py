#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 300
# @modes asan stress
"""Checks -Xrunhprof: counts that the source of Work.java gives, those that agents of JVM TI count in the same process, the text
reports, the binary dump, options.

usage: hprof_test.py JAVA_HOME AGENT.so WORKDIR
The binary dump is walked record by record here, and read by VisualVM's heap library where that is installed. A VM
without JVMPI must be told so in one line. Exit code 0 if all is right, else 1 and a line for each thing that is not.
"""
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
AGENTS = ROOT / "agents"
TESTS = AGENTS / "hprof/tests"
sys.path.insert(0, str(ROOT / "tools"))
import jdk  # noqa: E402

VISUALVM = "usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"  # installed, or as ./dev unpacks it
TIMEOUT = 300
FIB_CALLS = 21891  # fib(20)
FIB_15_CALLS = 1973
HELD_MILLIS = 100  # Work.hold
DEEP = 1000000  # frames of Deep: time that grows with their square is not to be waited for
STILL_RUNNING = {"Calls.forever": 1, "Calls$$Lambda/hidden.run": 1}  # at the end: calltrace counts these, hprof what returned
LONG_BYTES = 52000  # of 1000 arrays of 0 to 9 longs
PRIMITIVES = {"Z": "boolean", "C": "char", "F": "float", "D": "double", "B": "byte", "S": "short", "I": "int", "J": "long"}
KINDS = dict(zip(range(4, 12), PRIMITIVES))  # of arrays in a binary dump
SIZES = {2: 8, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}

failures = []


def check(good, what):
    if not good:
        failures.append(what)


class Runner:
    def __init__(self, home, agent, work):
        self.home, self.work, self.libraries = Path(home), Path(work), Path(agent).parent
        self.env = dict(os.environ, LD_LIBRARY_PATH=str(Path(agent).parent))

    def run(self, options, *args, program="Work", agents=()):
        command = [str(self.home / "bin/java"), f"-Xrunhprof{':' + options if options else ''}", *agents, "-cp", str(self.work),
                   program, *args]
        return subprocess.run(command, cwd=self.work, env=self.env, capture_output=True, text=True, timeout=TIMEOUT,
                              check=False)

    def report(self, options, *args, agents=()):
        """The text of the output file."""
        path = self.work / "out.txt"
        done = self.run(f"{options},file={path}", *args, agents=agents)
        check(done.returncode == 0 and done.stdout == "6765\n", f"{options}: {done.stdout}{done.stderr}")
        return path.read_text(errors="replace")


    def counting(self, path):
        """The option of an agent that writes what IterateThroughHeap counts to `path`."""
        return [f"-agentpath:{self.libraries.parent}/tests/libti_count.so={path}"]


def heap_counts(path):
    """{signature: objects} of what ti_count wrote."""
    return {signature: int(count) for count, signature in (line.split("\t") for line in path.read_text().splitlines())}


def differences(ours, theirs):
    """Some of the names with other counts. Hidden classes are written in two ways."""
    ours, theirs = ({re.sub(r"\.0x", "+0x", name): count for name, count in counts.items() if count} for counts in (ours, theirs))
    return sorted(f"{name}: {ours.get(name, 0)}, not {theirs.get(name, 0)}" for name in {**ours, **theirs}
                  if ours.get(name, 0) != theirs.get(name, 0))[:5]


def section(text, name):
    found = re.search(rf"^{re.escape(name)} BEGIN[^\n]*\n(.*?)^{re.escape(name)} END", text, re.S | re.M)
    return found.group(1) if found else ""


# ---- the binary format ------------------------------------------------------------------------------

class Dump:
    """A walk through all records: every length must fit, every object's class must be there."""

    def __init__(self, data):
        self.data, self.at = data, data.index(b"\0") + 1
        self.size, = struct.unpack(">I", data[self.at:self.at + 4])
        self.at += 12
        self.strings, self.names, self.classes, self.objects, self.instance_classes, self.arrays = {}, {}, {}, 0, [], []
        self.tags = set()
        while self.at < len(data):
            tag, _, length = struct.unpack(">BII", self.take(9))
            self.tags.add(tag)
            end = self.at + length
            if tag == 1:
                key = self.id()
                self.strings[key] = data[self.at:end].decode()
                self.at = end
            elif tag == 2:
                self.take(4)
                cls = self.id()
                self.take(4)
                self.names[cls] = self.strings[self.id()]
            elif tag == 0x1C:
                while self.at < end:
                    self.record()
            else:
                self.at = end
            check(self.at == end, f"record {tag:#x} ends at {self.at}, not at {end}")

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def number(self, n):
        return int.from_bytes(self.take(n), "big")

    def id(self):
        return self.number(self.size)

    def record(self):
        kind = self.number(1)
        roots = {0xFF: 8, 1: 16, 2: 16, 3: 16, 4: 12, 5: 8, 6: 12, 7: 8, 8: 16}
        if kind in roots:
            self.take(roots[kind])
        elif kind == 0x20:
            self.class_dump()
        elif kind == 0x21:
            self.objects += 1
            self.take(12)
            self.instance_classes.append(self.id())
            self.take(self.number(4))
        elif kind == 0x22:
            self.objects += 1
            self.take(12)
            n = self.number(4)
            self.instance_classes.append(self.id())
            self.take(n * 8)
        elif kind == 0x23:
            self.objects += 1
            self.take(12)
            n = self.number(4)
            kind = self.number(1)
            self.take(n * SIZES[kind])
            self.arrays.append(kind)
        else:
            raise ValueError(f"record {kind:#x} of the heap dump")

    def counts(self):
        """{signature: objects}"""
        found = {"Ljava/lang/Class;": len(self.classes)}
        for name in [self.names[c] for c in self.instance_classes] + ["[" + KINDS[kind] for kind in self.arrays]:
            signature = name if name.startswith("[") else f"L{name};"
            found[signature] = found.get(signature, 0) + 1
        return found

    def class_dump(self):
        cls = self.id()
        self.take(4)
        words = [self.id() for _ in range(6)]
        self.classes[cls] = words[0]
        self.take(4)
        for _ in range(self.number(2)):
            self.take(2)
            self.take(SIZES[self.number(1)])
        for _ in range(self.number(2)):
            self.id()
            self.take(SIZES[self.number(1)])
        for _ in range(self.number(2)):
            self.id()
            self.take(1)


def check_binary(run):
    path, counted = run.work / "dump.hprof", run.work / "counts.txt"
    done = run.run(f"heap=dump,format=b,file={path}", agents=run.counting(counted))
    check(done.returncode == 0, f"heap=dump,format=b: {done.stderr}")
    data = path.read_bytes()
    check(data.startswith(b"JAVA PROFILE 1.0.2\0"), "head of the binary file")
    dump = Dump(data)
    check({1, 2, 4, 5, 0x0E, 0x1C, 0x2C} <= dump.tags, f"records {sorted(dump.tags)}")
    check(all(c in dump.classes for c in dump.instance_classes), "an object of a class that is not dumped")
    check(all(c in dump.names for c in dump.classes), "a class without a name")
    check("Work" in dump.names.values() and "[J" in dump.names.values(), "names of classes")
    wrong = differences(dump.counts(), heap_counts(counted))
    check(not wrong, f"objects in the dump, not as IterateThroughHeap counts: {wrong}")
    return path, dump


def check_visualvm(run):
    path, dump = check_binary(run)
    library = next((root / VISUALVM for root in (Path("/"), ROOT / "build/packages/visualvm") if (root / VISUALVM).exists()), None)
    if not library:
        print("skipped: the dump is not read by VisualVM's library: package visualvm is not there")
        return
    java = subprocess.run([f"{jdk.find()}/bin/java", "-cp", library, TESTS / "ReadHeap.java", path], capture_output=True,
                          text=True, timeout=TIMEOUT, check=False)
    expected = [f"instances {dump.objects}", "wrong 0", "roots some", "stacks true", "counter 41", "keep java.util.ArrayList 1000"]
    check(java.stdout.split("\n")[:-1] == expected, f"VisualVM's library: {java.stdout}{java.stderr}, not {expected}")


# ---- the reports ------------------------------------------------------------------------------------

def check_sites(run):
    text = run.report("heap=sites,depth=2")
    found = re.search(r"(\d+) +(\d+) +(\d+) +(\d+) +(\d+) long \[\]\n", section(text, "SITES"))
    check(found and found.groups()[:4] == (str(LONG_BYTES), "1000", str(LONG_BYTES), "1000"), "site of the long arrays")
    trace = found and re.search(rf"^TRACE {found.group(5)}:\n\t(.*)\n\t(.*)\n", text, re.M)
    check(trace and trace.group(1) == "Work.fill(Work.java:17)" and trace.group(2).startswith("Work.main(Work.java:"),
          f"trace of the long arrays: {trace and trace.groups()}")


def site_name(signature):
    """What the table of sites calls a class."""
    if not signature.startswith("["):
        return signature[1:-1]
    element = signature[1:]
    return (PRIMITIVES.get(element) or (element if element.startswith("[") else element[1:-1])) + " []"


def check_live_sites(run):
    """All live objects of all sites, class by class."""
    counted = run.work / "counts.txt"
    text = run.report("heap=sites,depth=1,cutoff=0", agents=run.counting(counted))
    live = {}
    for objects, name in re.findall(r"^ *\d+ +\S+ +\S+ +\d+ +(\d+) +\d+ +\d+ +\d+ (.+)$", section(text, "SITES"), re.M):
        name = name.replace("<unknown>", "java/lang/Class")  # of the object of java.lang.Class itself: see docs/JVMPI.md
        live[name] = live.get(name, 0) + int(objects)
    wrong = differences(live, {site_name(signature): count for signature, count in heap_counts(counted).items()})
    check(live.get("long []", 0) >= 1000 and not wrong, f"live objects of sites, not as IterateThroughHeap counts: {wrong}")


def check_calltrace(run):
    """The calls that agents/calltrace counts in the same process, method by method, of the program's own classes."""
    counted, path = run.work / "calls.txt", run.work / "out.txt"
    done = run.run(f"cpu=times,depth=1,cutoff=0,file={path}", program="Calls",
                   agents=[f"-agentpath:{run.libraries}/libcalltrace.so=counts={counted},output={run.work}/tables.txt"])
    check(done.returncode == 0, f"hprof and calltrace: {done.stderr}")
    ours, theirs = {}, {}
    for count, method in re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\d+ (\S+)$", section(path.read_text(), "CPU TIME (ms)"), re.M):
        method = re.sub(r"\$\$Lambda\$\d+\+0x[0-9a-f]+", "$$Lambda/hidden", method)  # as calltrace names them
        if method.startswith("Calls"):
            ours[method] = ours.get(method, 0) + int(count)
    for count, method in (line.split("\t") for line in counted.read_text().splitlines() if "\tCalls" in line):
        name = re.sub(r"\(.*", "", method)
        theirs[name] = theirs.get(name, 0) + int(count)
    wrong = differences({name: count + STILL_RUNNING.get(name, 0) for name, count in {**dict.fromkeys(theirs, 0), **ours}.items()},
                        theirs)
    check(sum(ours.values()) > 10000 and not wrong, f"calls, not as calltrace counts: {sum(ours.values())} {wrong}")


def check_times(run):
    text = run.report("cpu=times,depth=1,cutoff=0")
    rows = re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\d+ (\S+)$", section(text, "CPU TIME (ms)"), re.M)
    calls = {method: int(count) for count, method in rows}
    check(calls.get("Work.fib") == FIB_CALLS, f"calls of fib: {calls.get('Work.fib')}")
    sums = re.findall(r"^ *\d+ +\S+% +(\S+)% ", section(text, "CPU TIME (ms)"), re.M)
    check(abs(float(sums[-1]) - 100) < 0.01, f"all the times are {sums[-1]} % of their total")
    check(calls.get("Work.fill") == 1 and calls.get("Work.contend") == 2, "calls of fill and contend")
    old = run.report("cpu=old")
    check(re.search(rf"^{FIB_CALLS - 1} Work\.fib\(I\)J Work\.fib\(I\)J \d+$", old, re.M), "cpu=old: calls of fib by fib")


def time_rows(text):
    """{method: (calls, ms)} of each report in the text."""
    reports = []
    for total, rows in re.findall(r"^CPU TIME \(ms\) BEGIN \(total = (\d+)\)[^\n]*\n(.*?)^CPU TIME \(ms\) END", text, re.S | re.M):
        reports.append({})
        for share, count, method in re.findall(r"^ *\d+ +(\S+)% +\S+ +(\d+) +\d+ (\S+)$", rows, re.M):
            calls, spent = reports[-1].get(method, (0, 0))
            reports[-1][method] = calls + int(count), spent + float(share) * int(total) / 100
    return reports


def check_times_of_threads(run):
    """A report while threads of two rounds live, and one at the end: nothing is missing, nothing is counted twice."""
    for options in ("depth=1", "depth=3,thread=y", "depth=256"):
        path = run.work / "out.txt"
        command = [str(run.home / "bin/java"), f"-Xrunhprof:cpu=times,cutoff=0,{options},file={path}", "-cp", str(run.work), "Times"]
        with subprocess.Popen(command, cwd=run.work, env=run.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as java:
            java.stdout.readline()
            java.send_signal(signal.SIGQUIT)
            while "CPU TIME (ms) END" not in path.read_text():
                time.sleep(0.1)  # the file is flushed when the report is complete
            java.communicate("\n", timeout=TIMEOUT)
        check(java.returncode == 0, f"{options}: exit code {java.returncode}")
        reports = time_rows(path.read_text())
        expected = [(16 * FIB_15_CALLS, 800, 2001), (24 * FIB_15_CALLS, 1600, 4002)]
        found = [tuple(r.get(f"Times.{m}", (0, 0))[0] for m in ("fib", "fail", "deep")) for r in reports]
        check(found == expected, f"{options}: calls {found}, not {expected}")
        slept = reports[-1].get("java/lang/Thread.sleep", (0, 0))
        check(slept[0] == 1 and slept[1] < 500, f"{options}: CPU time of sleep(1000): {slept}")


def samples(run, options, millis):
    """[(count, method)] of a program that spins for so long."""
    text = run.report(f"cpu=samples,{options}", str(millis))
    return [(int(count), method) for count, method in
            re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\d+ (\S+)$", section(text, "CPU SAMPLES"), re.M)]


def check_spinning(run):
    rows = samples(run, "depth=3", 500)
    total = sum(count for count, _ in rows)
    spun = sum(count for count, method in rows if method in ("Work.spin", "java/lang/System.currentTimeMillis"))
    check(spun > 0 and spun * 2 > total, f"samples of spin: {spun} of {total}")
    waited = sum(count for count, method in rows if method.endswith(".waitForReferencePendingList"))
    check(waited * 2 < spun, f"samples of the Reference Handler, which mostly waits: {waited}, and {spun} of spin")


def check_intervals(run):
    often, seldom = (sum(count for count, _ in samples(run, f"interval={ms}", 1500)) for ms in (10, 400))
    check(seldom < often, f"interval=400: {seldom} samples, {often} with 10 ms")


def check_monitors(run):
    text = run.report("monitor=y,depth=1")
    found = {trace: (int(count), name) for count, trace, name in
             re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +(\d+) (\S+) \(Java\)$", section(text, "MONITOR TIME"), re.M)}
    traces = dict(re.findall(r"^TRACE (\d+):\n\t(\S+)\(", text, re.M))
    rows = {traces[trace]: row for trace, row in found.items()}
    count, name = rows.get("Work.contend", (0, ""))
    check(name == "java/lang/Object" and 2 <= count <= 40, f"contention of the lock: {count} of {name}")
    check(rows.get("Work.enterHeld") == (1, "java/lang/StringBuilder"), f"the one contention of the held lock: {rows}")
    total = re.search(r"^MONITOR TIME BEGIN \(total = (\d+) ms\)", text, re.M)
    check(total and int(total.group(1)) >= HELD_MILLIS, f"time of contention: {total and total.group(1)} ms")
    dump = section(text, "MONITOR DUMP")
    check(re.search(r"THREAD \d+, trace \d+, status: ", dump) and 'RAW MONITOR "_hprof"' in dump, "monitor dump")


def check_text_dump(run):
    text = run.report("heap=dump,thread=y,lineno=n")
    dump = section(text, "HEAP DUMP")
    check(len(re.findall(r"^ARR .*nelems=\d, elem type=long\)$", dump, re.M)) >= 1000, "long arrays in the dump")
    check(re.search(r"^CLS \w+ \(name=Work, ", dump, re.M) and re.search(r"^ROOT \w+ \(kind=<thread>, id=\d+, trace=\d+\)$", dump, re.M),
          "classes and roots in the dump")
    stack = re.search(r"^TRACE (\d+): \(thread=(\d+)\)\n\tjava/lang/Thread\.sleep\(Thread\.java\)\n\tWork\.sleepForEver\(Work\.java\)\n",
                      text, re.M)
    check(stack and f"(kind=<thread>, id={stack.group(2)}, trace={stack.group(1)})" in dump, "the stack of a thread in the dump")
    check(re.search(r"^TRACE \d+: \(thread=1\)\n\tWork\.fill\(Work\.java\)$", text, re.M), "thread=y, lineno=n")


def check_long_name(run):
    name, source, path = "field" * 100, run.work / "Wide.java", run.work / "out.txt"
    source.write_text(f"public class Wide {{ static Object {name} = \"\"; public static void main(String[] args) {{ }} }}\n")
    subprocess.run([f"{jdk.find()}/bin/javac", "-d", run.work, source], check=True)
    run.run(f"heap=dump,file={path}", program="Wide")
    check(f"\tstatic {name}\t" in path.read_text(), "a static field with a long name in the text dump")


def check_deep_stack(run):
    path = run.work / "deep.txt"
    done = run.run(f"heap=dump,file={path}", str(DEEP), program="Deep")
    roots = path.read_text().count("(kind=<Java stack>)")
    check(done.returncode == 0 and roots >= DEEP, f"{roots} roots of {DEEP} frames {done.stderr}")


BAD_OPTIONS = {
    "heap=nothing": "bad hprof option: heap=nothing; heap is dump, sites or all", "cpu=": "bad hprof option: cpu=; cpu is samples, times or old",
    "depth=x": "bad hprof option: depth=x; depth is 0 to 256 frames", "depth=257": "bad hprof option: depth=257; ",
    "depth=-1": "bad hprof option: depth=-1; ", "cutoff=2": "bad hprof option: cutoff=2; cutoff is 0 to 1",
    "interval=0": "bad hprof option: interval=0; interval is 1 to 2147483647 ms",
    "interval=99999999999": "bad hprof option: interval=99999999999; interval is 1 to 2147483647 ms", "doe": "bad hprof option: doe; doe is y or n",
    "lineno=maybe": "bad hprof option: lineno=maybe; ", "what=y": "unknown hprof option: what=y; -Xrunhprof:help lists all",
    "dept=4": "unknown hprof option: dept=4; ", "heap=sites,,doe=n": "empty hprof option; ", "heap=sites,": "empty hprof option; ",
    "depth=4,heap=sites,depth=5": "hprof option given twice: depth=5", "file=a,file=b": "hprof option given twice: file=b",
    "file=a,net=b:4": "hprof options file and net exclude each other", "net=here": "bad hprof option: net=here; net is host:port",
    "file=": "bad hprof option: file=; ", "net=here:0": "bad hprof option: net=here:0; ",
    "net=localhost:70000": "bad hprof option: net=localhost:70000; ",
    "net=localhost:1": "can't connect to localhost:1: ", "file=/nowhere/x": "can't write profile file /nowhere/x: ",
    "cpu=old,format=b": "cpu=times|old is not supported with format=b",
    "cpu=times,format=b": "cpu=times|old is not supported with format=b",
    "monitor=y,format=b": "monitor=y is not supported with format=b",
}


def check_options(run):
    for help_asked in ("help", "cpu=samples,help"):
        done = run.run(help_asked)
        check(done.returncode == 0 and done.stdout.startswith("HPROF usage: -Xrunhprof[:help]"), help_asked)
    for bad, message in BAD_OPTIONS.items():
        done = run.run(bad)
        check(done.returncode == 1 and done.stderr.startswith(f"HPROF ERROR: {message}") and done.stderr.count("\n") == 1
              and not done.stdout,
              f"{bad}: {done.returncode} {done.stdout}{done.stderr}")
    done = run.run("cpu=times,doe=n,file=quiet.txt")
    check(done.returncode == 0 and "CPU TIME" not in (run.work / "quiet.txt").read_text(), "doe=n")
    done = run.run("")  # heap=all
    text = (run.work / "java.hprof.txt").read_text(errors="replace")
    check(done.returncode == 0 and "SITES END" in text and "HEAP DUMP END" in text,
          f"without options: exit code {done.returncode}, {len(text)} characters {text[-200:]}{done.stdout}{done.stderr}")
    done = run.run("cpu=samples,format=b")
    check(done.returncode == 0 and 0x0D in Dump((run.work / "java.hprof").read_bytes()).tags, "cpu=samples,format=b")


def check_full_disk(run):
    for options in ("heap=sites", "heap=all,format=b"):
        done = run.run(f"{options},file=/dev/full")
        check(done.returncode == 0 and done.stderr == "HPROF ERROR: writing failed: No space left on device\n",
              f"{options}, no room: {done.returncode} {done.stderr}")


def check_signal_at_end(run):
    """SIGQUIT comes while the last report waits for its reader."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT)
        options = f"heap=all,depth=8,net=127.0.0.1:{server.getsockname()[1]}"
        command = [str(run.home / "bin/java"), f"-Xrunhprof:{options}", "-cp", str(run.work), "Work"]
        with subprocess.Popen(command, env=run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as java:
            connection, _ = server.accept()
            java.stdout.readline()
            time.sleep(0.5)
            java.send_signal(signal.SIGQUIT)
            time.sleep(0.5)
            got = bytearray()
            while data := connection.recv(1 << 16):
                got += data
            _, errors = java.communicate(timeout=TIMEOUT)
    check(java.returncode == 0 and not errors and got.endswith(b"SITES END\n"), f"SIGQUIT at the end: {java.returncode} {errors}")


def check_rules(run):
    """The agent keeps the rules of its interface."""
    for options in ("cpu=samples,interval=1,depth=10", "heap=all,cpu=times,monitor=y"):
        done = run.run(f"{options},file=/dev/null", agents=["-Xcheck:jvmpi"])
        check(done.returncode == 0 and not done.stderr, f"-Xcheck:jvmpi, {options}: {done.returncode} {done.stderr}")


def check_net(run):
    for host in ("127.0.0.1", "[127.0.0.1]"):
        check(received(run, host).endswith(b"SITES END\n"), f"net={host}")


def received(run, host):
    """What comes by the network."""
    got = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT)

        def receive():
            connection, _ = server.accept()
            while data := connection.recv(1 << 16):
                got.append(data)

        reader = threading.Thread(target=receive)
        reader.start()
        run.run(f"heap=sites,net={host}:{server.getsockname()[1]}")
        reader.join()
    return b"".join(got)


CORE = (check_times, check_times_of_threads, check_live_sites, check_spinning, check_monitors, check_binary, check_signal_at_end)
REST = (check_visualvm, check_sites, check_calltrace, check_intervals, check_text_dump, check_options, check_net, check_long_name, check_deep_stack,
        check_full_disk, check_rules)
SLOW_IMAGES = ("jdk-asan", "jdk-tsan", "jdk-stress")  # run CORE alone, unless HPROF_ALL is set in the environment


def main():
    home, agent, work = sys.argv[1:]
    run = Runner(home, agent, work)
    if not (Path(home) / "lib/libhprof.so").exists():  # not an image of this VM
        done = run.run("")
        check(done.returncode == 1 and "HPROF ERROR: this VM has no JVMPI" in done.stderr, "a VM without JVMPI")
    else:
        subprocess.run([f"{jdk.find()}/bin/javac", "-g", "-d", work, *TESTS.glob("[DTW]*.java"), AGENTS / "calltrace/tests/Calls.java"],
                       check=True)
        slow = run.home.name in SLOW_IMAGES and not os.environ.get("HPROF_ALL")
        for part in CORE if slow else CORE + REST:
            part(run)
    for failure in failures:
        print(failure)
    print("hprof: ok" if not failures else f"hprof: {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
