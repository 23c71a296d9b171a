#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""libjvm.so exports what the JDK's libraries import, under their version node, and nothing that spec/exports.txt lacks.

The imports are read from the libraries of the JDK on this machine, so that another update's wishes show.
"""
import re

import jdk
from findings import ROOT, build_tree, finish, output_of

NODE = "SUNWprivate_1.1"
OURS = re.compile(r"^(JVM|JNI|jio)_\w+$")
# The launcher looks these up by name.
BY_NAME = {"JNI_CreateJavaVM", "JNI_GetDefaultJavaVMInitArgs", "JNI_GetCreatedJavaVMs", "JVM_FindClassFromBootLoader"}


def dynamic_symbols(library, which):
    """{name: version node or ""} of the defined or undefined dynamic symbols."""
    symbols = {}
    for line in output_of("nm", "-D", f"--{which}-only", str(library)).splitlines():
        name, _, version = line.split()[-1].partition("@")
        symbols[name] = version.lstrip("@")
    return symbols


def imported_from_vm(home):
    """{symbol: the libraries that import it}; what another library of the JDK exports is not wanted of the VM."""
    libraries = sorted((home / "lib").glob("*.so"))
    elsewhere = {"JVM_begin_signal_setting", "JVM_end_signal_setting", "JVM_get_signal_action"}
    wanted = {}
    for library in libraries:
        for name in dynamic_symbols(library.resolve(), "undefined"):
            if OURS.match(name) and name not in elsewhere:
                wanted.setdefault(name, []).append(library.name)
    return wanted


def main():
    tree = build_tree(__doc__.splitlines()[0])
    library = tree / "libjvm.so"
    table = (ROOT / "spec/exports.txt").read_text().splitlines()
    allowed = {line.strip() for line in table if line.strip() and not line.startswith("#")}
    exported = {name: node for name, node in dynamic_symbols(library, "defined").items() if name != NODE}
    wanted = imported_from_vm(type(ROOT)(jdk.find()))
    wanted.update({name: ["the launcher"] for name in BY_NAME})

    findings = [f"{name} is exported and not in spec/exports.txt" for name in sorted(exported) if name not in allowed]
    findings += [f"{name} is exported without version node {NODE}" for name in sorted(exported) if exported[name] != NODE]
    findings += [f"{name} is missing, imported by {', '.join(by)}" for name, by in sorted(wanted.items())
                 if name not in exported]
    if "Library soname: [libjvm.so]" not in output_of("readelf", "-d", str(library)):
        findings.append("the SONAME is not libjvm.so")
    finish(findings, f"symbols: {len(exported)} exported, {len(wanted)} imported by the JDK")


main()
