#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 600
"""What Lens writes of real programs, read by those for whom it is written: CPU profiles by pprof, heap dumps by VisualVM's library,
/metrics by Prometheus' client library and by a Prometheus. Each is skipped with a word where it is not installed. (genhtml reads LCOV in
files_test.py.) Usage: readers_test.py JAVA_HOME WORKDIR, with $LENS."""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME, WORK = sys.argv[1], Path(sys.argv[2])
LENS = os.environ["LENS"]
VISUALVM = "usr/share/visualvm/visualvm/modules/org-graalvm-visualvm-lib-jfluid-heap.jar"  # installed, or as ./dev unpacks it
SCRAPE_CONFIG = """
scrape_configs:
  - job_name: lens
    scrape_interval: 1s
    authorization: {credentials: %s}
    static_configs: [{targets: ["127.0.0.1:%d"]}]
"""


class Program:
    """A test program that says "ready" and ends with its input."""

    def __init__(self, name, *flags):
        self.process = subprocess.Popen([f"{HOME}/bin/java", *flags, "-cp", WORK, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.pid = self.process.pid
        assert self.process.stdout.readline() == "ready\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(60)

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == command + "\n"


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


# ---- pprof ----

def pprof_tool():
    """pprof, or the one that older Go installations bring; newer ones would have to compile it first."""
    found = shutil.which("pprof")
    if found is None and shutil.which("go") is not None:
        found = shutil.which("pprof", path=run("go", "env", "GOTOOLDIR").strip())
    return found


def check_pprof():
    tool = pprof_tool()
    if tool is None:
        print("skipped: no pprof")
        return
    with Program("LensTarget") as program:
        program.do("hot")
        out = WORK / "cpu.pb.gz"
        run(LENS, program.pid, "cpu", "-d", 6, "--hz", 500, "--format", "pprof", "-o", out)
    text = run(tool, "-top", "-cum", "-nodecount=10000", "-nodefraction=0", "-sample_index=cpu", "-unit=ms", out)
    rows = re.findall(r"^ *\S+ +\S+% +\S+% +\S+ +(\S+)% +(\S+)", text, re.M)  # flat flat% sum% cum cum% name
    shares = {name: float(share) for share, name in rows}
    planted = {name: shares[f"LensTarget.{name}"] for name in ("fifty", "thirty", "twenty")}
    whole = sum(planted.values())
    assert whole > 50, (planted, text[:2000])
    for name, share in (("fifty", 50), ("thirty", 30), ("twenty", 20)):
        assert abs(100 * planted[name] / whole - share) < 4, planted


# ---- VisualVM's heap library ----

def check_heap():
    library = next((root / VISUALVM for root in (Path("/"), HERE.parents[1] / "build/packages/visualvm") if (root / VISUALVM).exists()), None)
    if library is None:
        print("skipped: no visualvm")
        return
    with Program("Leaky", "-Xmx256m") as program:
        out = WORK / "leaky.hprof"
        run(LENS, program.pid, "heap", "--format", "hprof", "-o", out)
    seen = run(f"{HOME}/bin/java", "-cp", library, HERE / "heap/ReadLeaky.java", out).splitlines()
    assert seen == ["wrong 0", "roots some", "entries 1000 of 10000000 bytes, numbers 499500", "leaked java.util.ArrayList 1000"], seen


# ---- OpenMetrics ----

def scrape(port, token):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return reply.read().decode()


def check_client_library(text):
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        print("skipped: no python3-prometheus-client")
        return
    families = {family.name: family for family in text_string_to_metric_families(text)}
    used, allocated = families["jvm_heap_used_bytes"], families["jvm_allocated_bytes"]
    assert used.type == "gauge" and used.unit == "bytes" and 1e5 < used.samples[0].value < 256e6, used
    assert allocated.type == "counter" and allocated.samples[0].name == "jvm_allocated_bytes_total", allocated
    assert used.samples[0].labels["main"] == "LensTarget", used


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(port, expression):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v1/query?query={expression}", timeout=10) as reply:
        return json.load(reply)["data"]["result"]


def check_prometheus(port, token):
    if shutil.which("prometheus") is None:
        print("skipped: no prometheus")
        return
    config, own = WORK / "prometheus.yml", free_port()
    config.write_text(SCRAPE_CONFIG % (token, port))
    server = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={WORK}/tsdb",
                               f"--web.listen-address=127.0.0.1:{own}"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        seen, end = [], time.monotonic() + 60
        while not seen and time.monotonic() < end:
            time.sleep(0.5)
            try:
                seen = ask(own, "jvm_allocated_bytes_total")
            except OSError:
                continue  # it does not listen yet
        assert seen and seen[0]["metric"]["main"] == "LensTarget" and float(seen[0]["value"][1]) > 0, seen
        assert ask(own, "up")[0]["value"][1] == "1"
    finally:
        server.terminate()
        server.wait(30)


def check_metrics():
    with Program("LensTarget") as program:
        lens = subprocess.Popen([LENS, str(program.pid), "--no-browser"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, env={**os.environ, "XDG_CACHE_HOME": str(WORK / "cache")})
        try:
            port, token = re.search(r":(\d+)/\?token=(\w+)", lens.stdout.readline()).groups()
            end = time.monotonic() + 60
            while "jvm_allocated_bytes_total{" not in (text := scrape(port, token)):
                assert time.monotonic() < end, text
                time.sleep(0.1)
            check_client_library(text)
            check_prometheus(int(port), token)
        finally:
            lens.terminate()
            lens.wait(60)


def main():
    run(f"{HOME}/bin/javac", "-g", "-d", WORK, HERE / "LensTarget.java", HERE / "heap/Leaky.java")
    check_pprof()
    check_heap()
    check_metrics()


main()
