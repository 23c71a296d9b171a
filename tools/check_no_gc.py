#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Has clang's thread-safety analysis see that no NO_GC_SCOPE of src/ calls a function that is declared MAY_GC.

Scopes end by a cleanup attribute, which the analysis follows from clang 18 on: without such a compiler it says so and is
content. It sees direct calls alone; what happens deeper is found at run time (src/heap/no_gc.h). A scope of our own
that allocates is compiled first: an analysis that does not find that is of no use.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess

import jdk
from findings import ROOT, build_tree, finish

COMPILERS = ("clang-19", "clang-18", "clang-20", "clang")
LEAST_MAJOR = 18
FINDING = re.compile(r"(?:warning|error): ")
PLANTED = """#include "heap/heap.h"
void planted(Thread *self, Layout *l);
void planted(Thread *self, Layout *l) { NO_GC_SCOPE(); (void)!heap_alloc(self, l, 16); }
"""


def compiler():
    for name in COMPILERS:
        if shutil.which(name):
            version = subprocess.run([name, "--version"], check=True, capture_output=True, text=True).stdout
            if int(re.search(r"version (\d+)", version).group(1)) >= LEAST_MAJOR:
                return name
    return None


def analyse(command, source, text=None):
    done = subprocess.run([*command, source], input=text, capture_output=True, text=True, check=False)
    return [line for line in done.stderr.splitlines() if FINDING.search(line)]


def main():
    build_tree(__doc__.splitlines()[0])
    clang = compiler()
    if not clang:
        finish([], f"no-GC scopes: not analysed, there is no clang {LEAST_MAJOR} or later")
        return
    home = jdk.find()
    command = [clang, "-fsyntax-only", "-std=gnu17", "-Wthread-safety-analysis", "-DPELLUCID_DEBUG", "-DPELLUCID_GC_ANALYSIS",
               f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{ROOT}", "-isystem", f"{home}/include", "-isystem", f"{home}/include/linux"]
    if not analyse([*command, "-x", "c"], "-", PLANTED):
        finish([f"{clang} does not find an allocation in a no-GC scope"], "")
    sources = [path for path in sorted((ROOT / "src").rglob("*.c")) if "NO_GC_SCOPE()" in path.read_text(encoding="utf-8")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [line for found in pool.map(lambda path: analyse(command, str(path)), sources) for line in found]
    finish(findings, f"no-GC scopes: {len(sources)} files analysed by {clang}")


main()
