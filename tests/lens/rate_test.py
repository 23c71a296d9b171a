#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 300
"""The allocation rate of a program that allocates 100 MB a second in a small heap: a collection comes between any two readings.
Usage: rate_test.py JAVA_HOME WORKDIR, with $LENS."""
import json, os, pathlib, subprocess, sys

HOME, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
LENS = os.environ["LENS"]
RATE = 100e6
SOURCE = """public class Rate {
    static volatile byte[] sink;
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        long start = System.nanoTime(), done = 0; // pieces of 100 kB
        while (System.in.available() == 0) {
            for (long due = (System.nanoTime() - start) / 1_000_000; done < due; done++)
                sink = new byte[100_000 - 16];
            Thread.sleep(1);
        }
    }
}
"""


def measured(program):
    done = subprocess.run([LENS, str(program.pid), "metrics", "-d", "5", "--json"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def main():
    (WORK / "Rate.java").write_text(SOURCE)
    subprocess.run([f"{HOME}/bin/javac", "-d", WORK, WORK / "Rate.java"], check=True)
    program = subprocess.Popen([f"{HOME}/bin/java", "-Xmx16m", "-XX:+UseSerialGC", "-cp", WORK, "Rate"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        answer = measured(program)
    finally:
        program.communicate("end")
    rates = [r for r in answer["series"]["allocation_rate"] if r is not None]
    collections = [r for r in answer["series"]["gc_count"] if r is not None]
    mean = sum(rates) / len(rates)
    assert len(rates) >= 10 and sum(collections) / len(collections) > 4, (rates, collections)
    assert abs(mean / RATE - 1) < 0.05, f"{mean / 1e6:.1f} MB/s, not {RATE / 1e6:.0f}"
    is_ours = "Pellucid" in subprocess.run([f"{HOME}/bin/java", "-version"], capture_output=True, text=True, check=True).stderr
    assert ("the VM's own count" if is_ours else "ThreadMXBean's count") in answer["how"], answer["how"]


main()
