#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks -Xrunhprof: counts that the source of Work.java gives, the text reports, the binary dump, options.

usage: hprof_test.py JAVA_HOME AGENT.so WORKDIR
The binary dump is walked record by record here, and read by VisualVM's heap library where that is installed. A VM
without JVMPI must be told so in one line. Exit code 0 if all is right, else 1 and a line for each thing that is not.
"""
import os
import re
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "agents/hprof/tests"
VISUALVM = Path("/usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar")
TIMEOUT = 300
FIB_CALLS = 21891  # fib(20)
LONG_BYTES = 52000  # of 1000 arrays of 0 to 9 longs
SIZES = {2: 8, 4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}

failures = []


def check(good, what):
    if not good:
        failures.append(what)


class Runner:
    def __init__(self, home, agent, work):
        self.home, self.work = Path(home), Path(work)
        self.env = dict(os.environ, LD_LIBRARY_PATH=str(Path(agent).parent))

    def run(self, options, *args):
        command = [str(self.home / "bin/java"), f"-Xrunhprof{':' + options if options else ''}", "-cp", str(self.work),
                   "Work", *args]
        return subprocess.run(command, cwd=self.work, env=self.env, capture_output=True, text=True, timeout=TIMEOUT,
                              check=False)

    def report(self, options, *args):
        """The text of the output file."""
        path = self.work / "out.txt"
        done = self.run(f"{options},file={path}", *args)
        check(done.returncode == 0 and done.stdout == "6765\n", f"{options}: {done.stdout}{done.stderr}")
        return path.read_text(errors="replace")


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
        self.strings, self.names, self.classes, self.objects, self.instance_classes = {}, {}, {}, 0, []
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
            self.take(n * SIZES[self.number(1)])
        else:
            raise ValueError(f"record {kind:#x} of the heap dump")

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
    path = run.work / "dump.hprof"
    done = run.run(f"heap=dump,format=b,file={path}")
    check(done.returncode == 0, f"heap=dump,format=b: {done.stderr}")
    data = path.read_bytes()
    check(data.startswith(b"JAVA PROFILE 1.0.2\0"), "head of the binary file")
    dump = Dump(data)
    check({1, 2, 4, 5, 0x0E, 0x1C, 0x2C} <= dump.tags, f"records {sorted(dump.tags)}")
    check(all(c in dump.classes for c in dump.instance_classes), "an object of a class that is not dumped")
    check(all(c in dump.names for c in dump.classes), "a class without a name")
    check("Work" in dump.names.values() and "[J" in dump.names.values(), "names of classes")
    if VISUALVM.exists():
        check_visualvm(run, path, dump)


def check_visualvm(run, path, dump):
    java = subprocess.run([run.home / "bin/java", "-cp", VISUALVM, TESTS / "ReadHeap.java", path], capture_output=True,
                          text=True, timeout=TIMEOUT, check=False)
    expected = [f"instances {dump.objects}", "wrong 0", "roots some", "counter 41", "keep java.util.ArrayList 1000"]
    check(java.stdout.split("\n")[:-1] == expected, f"VisualVM's library: {java.stdout}{java.stderr}, not {expected}")


# ---- the reports ------------------------------------------------------------------------------------

def check_sites(run):
    text = run.report("heap=sites,depth=2")
    found = re.search(r"(\d+) +(\d+) +(\d+) +(\d+) +(\d+) long \[\]\n", section(text, "SITES"))
    check(found and found.groups()[:4] == (str(LONG_BYTES), "1000", str(LONG_BYTES), "1000"), "site of the long arrays")
    trace = found and re.search(rf"^TRACE {found.group(5)}:\n\t(.*)\n\t(.*)\n", text, re.M)
    check(trace and trace.group(1) == "Work.fill(Work.java:17)" and trace.group(2).startswith("Work.main(Work.java:"),
          f"trace of the long arrays: {trace and trace.groups()}")


def check_times(run):
    text = run.report("cpu=times,depth=1,cutoff=0")
    rows = re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\d+ (\S+)$", section(text, "CPU TIME (ms)"), re.M)
    calls = {method: int(count) for count, method in rows}
    check(calls.get("Work.fib") == FIB_CALLS, f"calls of fib: {calls.get('Work.fib')}")
    check(calls.get("Work.fill") == 1 and calls.get("Work.contend") == 2, "calls of fill and contend")
    old = run.report("cpu=old")
    check(re.search(rf"^{FIB_CALLS - 1} Work\.fib\(I\)J Work\.fib\(I\)J \d+$", old, re.M), "cpu=old: calls of fib by fib")


def check_samples(run):
    text = run.report("cpu=samples,depth=3", "1500")
    rows = re.findall(r"^ *\d+ +\S+ +\S+ +(\d+) +\d+ (\S+)$", section(text, "CPU SAMPLES"), re.M)
    total = sum(int(count) for count, _ in rows)
    spun = sum(int(count) for count, method in rows if method in ("Work.spin", "java/lang/System.currentTimeMillis"))
    check(spun > 0 and spun * 2 > total, f"samples of spin: {spun} of {total}")


def check_monitors(run):
    text = run.report("monitor=y")
    found = re.search(r" +(\d+) +(\d+) java/lang/Object \(Java\)$", section(text, "MONITOR TIME"), re.M)
    check(found and 0 < int(found.group(1)) <= 40, "contention of the lock")
    dump = section(text, "MONITOR DUMP")
    check(re.search(r"THREAD \d+, trace \d+, status: ", dump) and 'RAW MONITOR "_hprof"' in dump, "monitor dump")


def check_text_dump(run):
    text = run.report("heap=dump,thread=y,lineno=n")
    dump = section(text, "HEAP DUMP")
    check(len(re.findall(r"^ARR .*nelems=\d, elem type=long\)$", dump, re.M)) >= 1000, "long arrays in the dump")
    check(re.search(r"^CLS \w+ \(name=Work, ", dump, re.M) and re.search(r"^ROOT \w+ \(kind=<thread>, id=\d+\)$", dump, re.M),
          "classes and roots in the dump")
    check(re.search(r"^TRACE \d+: \(thread=1\)\n\tWork\.fill\(Work\.java\)$", text, re.M), "thread=y, lineno=n")


def check_options(run):
    done = run.run("help")
    check(done.returncode == 0 and done.stdout.startswith("HPROF usage: -Xrunhprof[:help]"), "help")
    for bad in ("heap=nothing", "depth=x", "what", "cpu=old,format=b"):
        done = run.run(bad)
        check(done.returncode == 1 and "HPROF ERROR: " in done.stderr and "6765" not in done.stdout, f"{bad} is taken")
    done = run.run("cpu=times,doe=n,file=quiet.txt")
    check(done.returncode == 0 and "CPU TIME" not in (run.work / "quiet.txt").read_text(), "doe=n")


def check_net(run):
    got = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT)

        def receive():
            connection, _ = server.accept()
            while data := connection.recv(1 << 16):
                got.append(data)

        reader = threading.Thread(target=receive)
        reader.start()
        run.run(f"heap=sites,net=127.0.0.1:{server.getsockname()[1]}")
        reader.join()
    check(b"SITES END" in b"".join(got), "net")


def main():
    home, agent, work = sys.argv[1:]
    run = Runner(home, agent, work)
    javac = subprocess.run([f"{home}/bin/javac", "-g", "-d", work, TESTS / "Work.java"], check=False)
    check(javac.returncode == 0, "javac")
    if not (Path(home) / "lib/libhprof.so").exists():  # not an image of this VM
        done = run.run("")
        check(done.returncode == 1 and "HPROF ERROR: this VM has no JVMPI" in done.stderr, "a VM without JVMPI")
    else:
        for part in (check_sites, check_times, check_samples, check_monitors, check_text_dump, check_binary, check_options,
                     check_net):
            part(run)
    for failure in failures:
        print(failure)
    print("hprof: ok" if not failures else f"hprof: {len(failures)} failures")
    sys.exit(1 if failures else 0)


main()
