#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A soak by hand: Tomcat serves changing JSPs to 50 clients while the JDK's tools look at the process.

usage: soak.py [--minutes N] [--pause MILLISECONDS] [--java-home JDK]

Every 10 seconds it asks the process by jcmd, jstack and jstat and prints resident memory, threads and loaded classes. Exit code 0:
no request failed, no tool failed, and the resident memory of the last third is at most a tenth above that of the second one.
Needs Debian's libtomcat10-embed-java, libtomcat10-java and ecj.
"""
import argparse
import glob
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
JARS = ["tomcat10-embed-core", "tomcat10-embed-el", "tomcat10-embed-jasper", "tomcat10-servlet-api", "tomcat10-jsp-api",
        "tomcat10-el-api", "tomcat10-annotations-api", "ecj"]
TOOLS = [["jcmd", "{pid}", "VM.uptime"], ["jcmd", "{pid}", "GC.heap_info"], ["jcmd", "{pid}", "GC.class_histogram"],
         ["jcmd", "{pid}", "Thread.print", "-l"], ["jstack", "-l", "{pid}"], ["jstat", "-gc", "{pid}"], ["jstat", "-class", "{pid}"]]


def class_path():
    found = [f"/usr/share/java/{name}.jar" for name in JARS] + sorted(glob.glob("/usr/share/java/eclipse-jdt-core*.jar"))
    return ":".join(["."] + found)


def resident(pid):
    """Resident memory in MB, and the number of threads."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines() if ":" in line)
    return int(fields["VmRSS"].split()[0]) / 1024, int(fields["Threads"])


def ask(home, tool, pid):
    """Runs one tool on the process; its output, or None after a line on stdout when it failed."""
    argv = [str(home / "bin" / tool[0])] + [word.format(pid=pid) for word in tool[1:]]
    done = subprocess.run(argv, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode != 0:
        print(f"{' '.join(argv[1:])} of {tool[0]}: exit code {done.returncode}\n{done.stdout[-500:]}", flush=True)
        return None
    return done.stdout


def watch(home, process, end):
    """Looks at the process until it ends. (resident memory by time, failures of tools)."""
    memory, failures, turn, began = [], 0, 0, time.monotonic()
    while process.poll() is None:
        time.sleep(10)
        if process.poll() is not None or time.monotonic() > end:
            continue
        failures += ask(home, TOOLS[turn % len(TOOLS)], process.pid) is None
        classes = ask(home, ["jstat", "-class", "{pid}"], process.pid)
        megabytes, threads = resident(process.pid)
        memory.append(megabytes)
        loaded = " ".join(classes.split("\n")[1].split()[::2][:2]) if classes else "?"
        print(f"{time.monotonic() - began:6.0f} s  {megabytes:7.1f} MB  {threads} threads  classes loaded, unloaded: {loaded}", flush=True)
        turn += 1
    return memory, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--pause", type=int, default=20, help="the longest pause of a client between two requests, in milliseconds")
    parser.add_argument("--java-home", type=Path, default=HERE.parent.parent / "build" / "jdk")
    args = parser.parse_args()
    home = args.java_home.resolve()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([home / "bin/javac", "-nowarn", "-cp", class_path(), "-d", folder, HERE / "Soak.java"], check=True)
        seconds = int(args.minutes * 60)
        with subprocess.Popen([home / "bin/java", "-Xmx128m", "-cp", class_path(), "Soak", str(seconds), str(args.pause)], cwd=folder) as process:
            memory, failures = watch(home, process, time.monotonic() + seconds - 15)
    third = len(memory) // 3
    middle, last = (sum(part) / max(len(part), 1) for part in (memory[third:2 * third], memory[2 * third:]))
    print(f"exit code {process.returncode}, {failures} failures of tools, resident {middle:.1f} MB then {last:.1f} MB")
    return 0 if process.returncode == 0 and failures == 0 and last <= 1.1 * middle else 1


if __name__ == "__main__":
    sys.exit(main())
