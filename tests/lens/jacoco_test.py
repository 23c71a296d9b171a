#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @only pellucid
# @timeout 300
"""Coverage by Lens beside JaCoCo's in the same run of javac: each line where they differ has one of the reasons that docs/LENS.md names. Skipped where
Debian's libjacoco-java is not installed. jacoco_test.py JAVA_HOME WORKDIR; $LENS and $LENS_AGENT are the program and the library."""
import collections
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HOME, WORK = sys.argv[1], Path(sys.argv[2])
LENS, AGENT = os.environ["LENS"], os.environ["LENS_AGENT"]
JARS = Path("/usr/share/java")
CORE = [str(JARS / f"{name}.jar") for name in ("org.jacoco.core", "asm", "asm-commons", "asm-tree", "asm-analysis")]
PACKAGE = "com/sun/tools/javac"
SOURCE = HERE.parent / "programs/field/Shapes.java"
FEW = 0.01  # of the lines: where JaCoCo leaves out what javac has made, and where a block did not end


def run(*words):
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, timeout=200, check=False, cwd=WORK)
    assert done.returncode == 0, (words, done.stdout[-1000:], done.stderr[-2000:])
    return done.stdout


def compile_with_both():
    """javac runs once, and both look: (Lens' LCOV, JaCoCo's lines)."""
    paths = "\n  ".join(f"file:{jar}" for jar in (JARS / "org.jacoco.agent.rt.jar", *CORE))
    (WORK / "manifest").write_text(f"Premain-Class: org.jacoco.agent.rt.internal.PreMain\nClass-Path: {paths}\n")
    run(f"{HOME}/bin/jar", "--create", "--file", "agent.jar", "--manifest", "manifest")
    run(f"{HOME}/bin/javac", "-cp", ":".join(CORE), "-d", WORK, HERE / "JacocoLines.java")
    name = PACKAGE.replace("/", ".")
    run(f"{HOME}/bin/java", f"-agentpath:{AGENT}=record=run.lens,coverage,include={name}.*", f"-javaagent:agent.jar=destfile=run.exec,includes={name}.*",
        "-m", f"jdk.compiler/{name}.Main", "-d", "out", SOURCE)
    run(LENS, "open", "run.lens", "coverage", "--format", "lcov", "-o", "run.lcov")
    return (WORK / "run.lcov").read_text(), run(f"{HOME}/bin/java", "-cp", ":".join([*CORE, str(WORK)]), "JacocoLines", "run.exec", f"jrt:{PACKAGE}")


def lens_lines(text):
    """{(file, line): whether it was reached}"""
    lines, file = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            file = line[line.index(PACKAGE):]
        elif found := re.match(r"DA:(\d+),(\d+)", line):
            lines[file, int(found[1])] = int(found[2]) > 0
    return lines


def jacoco_lines(text):
    """The same, and the files of which JaCoCo could not take each class."""
    lines, not_whole = {}, set()
    for line in text.splitlines():
        if line.startswith("! "):
            not_whole.add(re.sub(r"(\$.*)?\.class$", "", line[2:]) + ".java")
        else:
            file, number, covered = line.split()
            lines[file, int(number)] = covered == "1"
    return lines, not_whole


def classes_of(file):
    """javap's text of the classes of a source file."""
    outer = file.removesuffix(".java")
    listed = run(f"{HOME}/bin/jimage", "list", "--include", f"regex:/jdk.compiler/{outer}(\\$.*)?\\.class", f"{HOME}/lib/modules")
    names = [outer.rpartition("/")[0].replace("/", ".") + "." + name for name in re.findall(r"([\w$]+)(?:\.class)?$", listed, re.M)
             if name == outer.rpartition("/")[2] or name.startswith(outer.rpartition("/")[2] + "$")]
    assert names, listed[-500:]
    return run(f"{HOME}/bin/javap", "-p", "-l", "-c", "--module", "jdk.compiler", *names)


def entered_within(text):
    """The lines that have code behind a jump's target that is not where the line begins."""
    found = set()
    for method in re.split(r"\n\n", text):
        table = sorted((int(at), int(line)) for line, at in re.findall(r"line (\d+): (\d+)", method))
        targets = {int(t) for t in re.findall(r"^ +\d+: (?:if\w+|goto\w*) +(\d+)", method, re.M)}
        targets |= {int(t) for t in re.findall(r"^ +(?:-?\d+|default): (\d+)$", method, re.M)}
        starts = {at for at, _ in table}
        for target in targets - starts:
            line = next((line for at, line in reversed(table) if at < target), None)
            found.add(line)
    return found


def main():
    if not (JARS / "org.jacoco.agent.rt.jar").exists():
        print("skipped: no libjacoco-java")
        return
    lcov, counted = compile_with_both()
    lens, (jacoco, not_whole) = lens_lines(lcov), jacoco_lines(counted)
    places = {place for place in lens.keys() | jacoco.keys() if place[0] not in not_whole}
    kinds = collections.defaultdict(list)
    for place in sorted(places):
        kinds[lens.get(place), jacoco.get(place)].append(place)
    for (ours, theirs), at in sorted(kinds.items(), key=str):
        print(f"Lens {ours}, JaCoCo {theirs}: {len(at)}")
    both = kinds[True, True] + kinds[False, False]
    assert len(kinds[True, True]) > 5000 and len(kinds[False, False]) > 5000, "too little was covered"
    assert not kinds[None, True], f"lines that JaCoCo alone knows were reached: {kinds[None, True][:9]}"
    unlisted = len(kinds[True, None]) + len(kinds[False, None])
    assert unlisted < FEW * len(both), f"{unlisted} lines are not JaCoCo's"
    assert len(kinds[True, False]) < FEW * len(kinds[True, True]), kinds[True, False][:20]
    texts = {file: entered_within(classes_of(file)) for file in {file for file, _ in kinds[False, True]}}
    wrong = [place for place in kinds[False, True] if place[1] not in texts[place[0]]]
    assert not wrong, f"lines that JaCoCo has as reached, and Lens has not: {wrong[:20]}"


main()
