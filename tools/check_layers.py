#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes go to the same layer or to an earlier one; agents and test libraries see public headers alone.

The order of LAYERS is the order of docs/ARCHITECTURE.md. A file of src/ includes ours as "layer/file.h" and nothing of
ours else; agents include their own folder, agents/common and the public headers.
"""
import re

from findings import ROOT, build_tree, finish

LAYERS = ["base", "platform", "event", "classfile", "verify", "heap", "thread", "runtime", "interp", "jni", "classlib",
          "jvmti", "jvmpi", "vm"]
SIBLINGS = {("jvmpi", "jvmti")}  # side by side: neither includes the other
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
PUBLIC = {path.name for path in (ROOT / "include").glob("*.h")} | {"jni.h", "jvmti.h", "jni_md.h", "classfile_constants.h"}


def included(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def findings_in_layer(path):
    layer = path.relative_to(ROOT / "src").parts[0]
    if layer not in LAYERS:
        yield f"{path.relative_to(ROOT)}: folder '{layer}' is no layer (tools/check_layers.py)"
        return
    for name in included(path):
        target = name.split("/")[0]
        if name in PUBLIC or target == "spec" or name.startswith("../../spec/"):
            continue
        if "/" not in name:
            yield f'{path.relative_to(ROOT)}: "{name}": say "{layer}/{name}"'
        elif target not in LAYERS:
            yield f'{path.relative_to(ROOT)}: "{name}" is in no layer'
        elif LAYERS.index(target) > LAYERS.index(layer) or (layer, target) in SIBLINGS:
            yield f'{path.relative_to(ROOT)}: "{name}": {layer} may not know {target}'


def findings_outside(path):
    for name in included(path):
        inside = (path.parent / name).exists() or (ROOT / "agents" / name).exists()
        if name not in PUBLIC and not inside:
            yield f'{path.relative_to(ROOT)}: "{name}" is no public header'


def main():
    build_tree(__doc__.splitlines()[0])
    findings = []
    inner = sorted((ROOT / "src").rglob("*.[ch]"))
    outer = [path for folder in ("agents", "tests/native", "tests/embed") for path in sorted((ROOT / folder).rglob("*.[ch]"))]
    for path in inner:
        findings += findings_in_layer(path)
    for path in outer:
        findings += findings_outside(path)
    finish(findings, f"layers: {len(inner)} files of src, {len(outer)} outside")


main()
