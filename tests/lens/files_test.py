#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that the terminal writes of a running program: LCOV names sources where they lie, the one-file page opens with the view asked
for. Usage: files_test.py JAVA_HOME WORKDIR, with $LENS."""
# @only pellucid
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HOME, WORK = sys.argv[1], Path(sys.argv[2])
LENS = os.environ["LENS"]
SOURCE = """package shop;
public class Loop {
    static int work(int n) {
        return n % 2 == 0
            ? n
            : n + 1; // line 6
    }
    static int never() {
        return 1; // line 9
    }
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        long sum = 0;
        while (System.in.available() == 0 && sum >= 0) {
            for (int i = 0; i < 1000; i++)
                sum += work(i);
            Thread.sleep(1);
        }
    }
}
"""


def lens(program, *words):
    done = subprocess.run([LENS, str(program.pid), *map(str, words)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-2000:])


def check_lcov(program, source):
    out = WORK / "loop.info"
    lens(program, "coverage", "--include", "shop.*", "--source", WORK / "src", "-d", 2, "--format", "lcov", "-o", out)
    lines = out.read_text().splitlines()
    assert f"SF:{source.resolve()}" in lines, lines
    counts = dict(re.match(r"DA:(\d+),(\d+)", line).groups() for line in lines if line.startswith("DA:"))
    assert counts["6"] != "0" and counts["9"] == "0", counts
    if shutil.which("genhtml"):
        subprocess.run(["genhtml", "-q", "-o", WORK / "html", out], check=True)
        assert list((WORK / "html").rglob("Loop.java.gcov.html"))
    else:
        print("skipped: no genhtml")


def check_html(program):
    for view, opens in (("cpu", "cpu"), ("trace", "watch"), ("top", "overview")):
        out = WORK / f"{view}.html"
        more = ["--method", "shop.Loop.work"] if view == "trace" else []
        lens(program, view, *more, "-d", 1, "--html", out)
        assert re.search(rf'<script [^>]*data-view="{opens}" id="lens-data">', out.read_text()), view


def main():
    source = WORK / "src/shop/Loop.java"
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(SOURCE)
    subprocess.run([f"{HOME}/bin/javac", "-g", "-d", WORK / "classes", source], check=True)
    program = subprocess.Popen([f"{HOME}/bin/java", "-cp", WORK / "classes", "shop.Loop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        check_lcov(program, source)
        check_html(program)
    finally:
        program.stdin.write("end")
        program.stdin.close()
        program.wait()


main()
