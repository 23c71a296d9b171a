#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The small rules of CONTRIBUTING.md that a script can see: licence line, size, unique names, no unfinished marks."""
import re

from findings import ROOT, build_tree, finish

MAX_LINES = 2000
FOLDERS = ("src", "include", "agents", "tests", "fuzz", "bench", "tools")
SUFFIXES = {".c", ".h", ".py", ".java", ".sh"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")


def findings_in(path):
    name = path.relative_to(ROOT)
    lines = path.read_text(encoding="utf-8").splitlines()
    if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:3]):
        yield f"{name}: no SPDX line at its head"
    if len(lines) > MAX_LINES and "generated" not in path.parts:
        yield f"{name}: {len(lines)} lines; split it by what it does ({MAX_LINES} at most)"
    if name.parts[0] in ("src", "include", "agents"):
        for number, line in enumerate(lines, 1):
            if UNFINISHED.search(line):
                yield f"{name}:{number}: an unfinished mark; it belongs into docs/STATUS.md"


def main():
    build_tree(__doc__.splitlines()[0])
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]
    findings = [finding for path in paths for finding in findings_in(path)]
    first = {}
    for path in sorted((ROOT / "src").rglob("*.c")):
        if path.name in first:
            findings.append(f"{path.relative_to(ROOT)}: {first[path.name].relative_to(ROOT)} has the same name")
        first.setdefault(path.name, path)
    finish(findings, f"files: {len(paths)}")


main()
