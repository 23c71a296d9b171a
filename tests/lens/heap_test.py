#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 600
"""The heap's analysis against a program whose heap is known (heap/Leaky.java): HPROF files of `jcmd GC.heap_dump`, plain and gzip, and
a walk of the agent. Usage: heap_test.py JAVA_HOME WORKDIR, with $LENS (in its build unit/lens_heap_test) and $LENS_AGENT."""
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import wire

HOME, WORK = sys.argv[1], Path(sys.argv[2])
READER = Path(os.environ["LENS"]).parent.parent / "unit/lens_heap_test"
AGENT = os.environ["LENS_AGENT"]
ENTRIES, PAYLOAD = 1000, 10_000
wrong = []


def expect(what, is_so, *seen):
    if not is_so:
        wrong.append(f"{what}: {', '.join(map(repr, seen))}")


def equal(what, seen, wanted):
    expect(what, seen == wanted, seen, "wanted", wanted)


def describe(path, *out):
    """What the reader says of a file: its lines by their first word. out: where it is written as HPROF."""
    done = subprocess.run([READER, "describe", "--", path, "Leaky", "leaked", *out], capture_output=True, text=True)
    expect(f"{path.name} is read", done.returncode == 0, done.stdout[-500:], done.stderr[-500:])
    lines = {}
    for line in done.stdout.splitlines():
        word, _, rest = line.strip().partition(" ")
        lines.setdefault(word, []).append(rest)
    return lines


def check_sizes(name, lines):
    """The list retains itself, its array and all entries with their payloads: to the byte."""
    classes = {row[0]: [int(n) for n in row[1:4]] for row in (line.split(" ")[:4] for line in lines["class"])}
    count, bytes_of_entries, retained_by_entries = classes["Leaky$Entry"]
    equal(f"{name}: entries", count, ENTRIES)
    payload = (retained_by_entries - bytes_of_entries) / ENTRIES
    expect(f"{name}: an array of {PAYLOAD} bytes", PAYLOAD + 8 <= payload <= PAYLOAD + 32, payload)
    found = re.fullmatch(r"java.util.ArrayList \| 1000 entries \| (\d+) bytes, retains (\d+)", lines["found"][0])
    array = re.fullmatch(r"java.lang.Object\[\] \| java.lang.Object\[1000\] \| (\d+) children 1000", lines["dominates"][0])
    expect(f"{name}: the list and its array", found and array, lines["found"], lines["dominates"])
    if found and array:
        own = int(array[1]) - retained_by_entries
        equal(f"{name}: retained by the list", int(found[2]), int(found[1]) + int(array[1]))
        expect(f"{name}: an array of {ENTRIES} references", 4 * ENTRIES + 8 <= own <= 8 * ENTRIES + 32, own)
    equal(f"{name}: what only a local holds", classes["Leaky$OnlyLocal"][0], 1)


def check_meaning(name, lines, has_methods):
    expect(f"{name}: the field", f"leaked java.util.ArrayList {ENTRIES} entries" in lines["field"], lines["field"])
    expect(f"{name}: a way to a root", ".static leaked " in lines["path"][0], lines["path"])
    expect(f"{name}: copies of a text", any(re.fullmatch(r"500 \d+ \d+ copied text", line) for line in lines["string"]),
           lines["string"])
    expect(f"{name}: half full lists", "Leaky$Half count 10 empty 0 used 100 of 200" in lines["collection"], lines["collection"])
    suspect = r"The static fields of Leaky .*java\.lang\.Object\[\].*1000 objects"
    expect(f"{name}: a suspect", any(re.match(suspect, line) for line in lines.get("suspect", [])), lines.get("suspect"))
    expect(f"{name}: the file is whole", " whole 1 lost" in lines["info"][0] + " ", lines["info"])
    local = [line for line in lines["top"] if line.startswith("Leaky$OnlyLocal")]
    expect(f"{name}: a local is a root", len(local) == 1, lines["top"])
    thread = 'stack local | "main" | ' + ("Leaky.hold" if has_methods else "")
    expect(f"{name}: its thread", any(line.startswith(thread.strip()) for line in lines["root"]), lines["root"])


def check(path, has_methods, *out):
    lines = describe(path, *out)
    if "found" not in lines or "string" not in lines:
        wrong.append(f"{path.name}: {lines.get('info')} {lines.get('field')}")
        return
    check_sizes(path.name, lines)
    check_meaning(path.name, lines, has_methods)


def dump(pid, path, *options):
    path.unlink(missing_ok=True)
    done = subprocess.run([f"{HOME}/bin/jcmd", str(pid), "GC.heap_dump", *options, str(path)], capture_output=True, text=True)
    expect("jcmd", done.returncode == 0 and path.exists(), done.stdout, done.stderr)


def walk(pid, path):
    reply = wire.attach(pid, AGENT)
    expect("the agent is loaded", "return code: 0" in reply or reply.startswith("0"), reply)
    with wire.Front(pid, 60) as front, open(path, "w+b") as file:
        answer = front.wait_for(front.order("heap", file.fileno(), confirm=1), "done", "failed", seconds=120)
        equal("the walk's end", answer["state"], "done")


def main():
    subprocess.run([f"{HOME}/bin/javac", "-g", "-d", WORK, Path(__file__).parent / "heap/Leaky.java"], check=True)
    # Compiled code holds what final fields do, and is no root for tools.
    program = subprocess.Popen([f"{HOME}/bin/java", "-Xmx256m", "-Xcomp", "-cp", WORK, "Leaky"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        equal("the program", program.stdout.readline().strip(), "ready")
        for name, options in (("plain.hprof", ()), ("packed.hprof.gz", ("-gz=1",))):
            dump(program.pid, WORK / name, *options)
            check(WORK / name, True)
        walk(program.pid, WORK / "leaky.walk")
        check(WORK / "leaky.walk", False, WORK / "walk.hprof")
        check(WORK / "walk.hprof", False)
        done = subprocess.run([os.environ["LENS"], str(program.pid), "heap", "--format", "hprof", "-o", str(WORK / "terminal.hprof")],
                              capture_output=True, text=True, timeout=120, check=False)
        equal("lens heap --format hprof", (done.returncode, done.stderr), (0, ""))
        check(WORK / "terminal.hprof", False)
    finally:
        program.stdin.close()
        program.wait()
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
