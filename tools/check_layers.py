#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes and links go to the same layer or to an earlier one; agents and test libraries see public headers alone.

The order of LAYERS is the order of docs/ARCHITECTURE.md. A file of src/ includes ours as "layer/file.h" and nothing of
ours else; agents include their own folder, agents/common and the public headers. The symbols of the build's object files
show links that no include shows: a name that a lower layer declares and an upper one defines.
"""
import re

from findings import ROOT, build_tree, finish, output_of

LAYERS = ["base", "arch", "platform", "options", "event", "classfile", "verify", "heap", "thread", "frame", "code", "class", "link", "java",
          "redefine", "interp", "jit", "jni", "service", "classlib", "jvmti", "jvmpi", "vm"]
# One circle: a class is linked by code that throws exceptions, which are objects of classes.
CIRCLE = {"class", "link", "java", "redefine"}
SIBLINGS = {("jvmpi", "jvmti")}  # side by side: neither includes the other
# interp/ and jit/ are the engine. What others ask of it stands in java/engine.h; which other headers of it they may include:
ENGINE = {"interp", "jit"}
ENGINE_HEADERS = {
    "jni": {"interp/native_call.h", "interp/watch.h"},
    "service": {"interp/profile.h", "jit/broker.h"},
    "classlib": {"jit/compiled_events.h"},
    "jvmti": {"interp/breakpoint.h", "interp/watch.h", "jit/compiled_events.h"},
    "vm": {"interp/interp.h", "interp/profile.h", "jit/jit.h"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
PUBLIC = {path.name for path in (ROOT / "include").glob("*.h")} | {"jni.h", "jvmti.h", "jni_md.h", "classfile_constants.h"}


def may_know(layer, target):
    upward = LAYERS.index(target) > LAYERS.index(layer) and not {layer, target} <= CIRCLE
    return not upward and (layer, target) not in SIBLINGS


def included(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


def findings_in_layer(path):
    layer = path.relative_to(ROOT / "src").parts[0]
    if layer not in LAYERS:
        yield f"{path.relative_to(ROOT)}: folder '{layer}' is no layer (tools/check_layers.py)"
        return
    for name in included(path):
        target = name.split("/")[0]
        if name in PUBLIC or target == "spec":
            continue
        if "/" not in name:
            yield f'{path.relative_to(ROOT)}: "{name}": say "{layer}/{name}"'
        elif target not in LAYERS:
            yield f'{path.relative_to(ROOT)}: "{name}" is in no layer'
        elif target in ENGINE and layer not in ENGINE and name not in ENGINE_HEADERS.get(layer, ()):
            yield f'{path.relative_to(ROOT)}: "{name}": {layer} asks the engine by java/engine.h'
        elif not may_know(layer, target):
            yield f'{path.relative_to(ROOT)}: "{name}": {layer} may not know {target}'


def findings_outside(path):
    for name in included(path):
        inside = (path.parent / name).exists() or (ROOT / "agents" / name).exists()
        if name not in PUBLIC and not inside:
            yield f'{path.relative_to(ROOT)}: "{name}" is no public header'


def objects_of(tree):
    """{object file: its source below src/}; objects of sources that are gone are left out."""
    folder = tree / "CMakeFiles" / "vm_objects.dir" / "src"
    sources = {path: path.relative_to(folder).with_suffix("") for path in sorted(folder.rglob("*.o"))}
    return {path: source for path, source in sources.items() if (ROOT / "src" / source).exists()}


def symbols_of(objects):
    """What defines each global symbol, and the pairs of a source and a symbol that it uses."""
    definitions, uses = {}, []
    source_of = {str(path): source for path, source in objects.items()}
    for line in output_of("nm", "-A", "-g", *map(str, objects)).splitlines():
        file, _, rest = line.partition(".o:")
        kind, symbol = rest.split()[-2:]
        source = source_of[file + ".o"]
        if kind in "Uwv":
            uses.append((source, symbol))
        else:
            definitions[symbol] = source
    return definitions, uses


def findings_in_links(objects):
    definitions, uses = symbols_of(objects)
    for source, symbol in uses:
        target = definitions.get(symbol, source)
        if not may_know(source.parts[0], target.parts[0]):
            yield f"src/{source}: links {symbol} of src/{target}: {source.parts[0]} may not know {target.parts[0]}"


def main():
    tree = build_tree(__doc__.splitlines()[0])
    findings = []
    inner = sorted((ROOT / "src").rglob("*.[ch]"))
    outer = [path for folder in ("agents", "tests/native", "tests/embed") for path in sorted((ROOT / folder).rglob("*.[ch]"))]
    objects = objects_of(tree)
    for path in inner:
        findings += findings_in_layer(path)
    for path in outer:
        findings += findings_outside(path)
    if not objects:
        findings.append(f"{tree.relative_to(ROOT)}: no objects to read: build first")
    else:
        findings += findings_in_links(objects)
    finish(findings, f"layers: {len(inner)} files of src, {len(outer)} outside, the links of {len(objects)} objects")


main()
