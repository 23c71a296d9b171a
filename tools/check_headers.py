#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles by itself: a file needs no other include before it."""
import concurrent.futures
import os
import platform
import subprocess

import jdk
from findings import ROOT, build_tree, finish

FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Wno-unused", "-DPELLUCID_DEBUG", "-fsyntax-only",
         "-x", "c"]
OTHERS = tuple(name for name in ("x86_64", "aarch64") if name != platform.machine())  # whose files are for them alone


def compile_alone(path, includes):
    command = [os.environ.get("CC", "gcc"), *FLAGS, *includes, "-include", str(path), "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return []
    first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:200])
    return [f"{path.relative_to(ROOT)} does not compile alone: {first}"]


def main():
    build_tree(__doc__.splitlines()[0])
    home = jdk.find()
    includes = [f"-I{ROOT}/src", f"-I{ROOT}/include", f"-I{ROOT}", f"-I{ROOT}/agents", "-isystem", f"{home}/include", "-isystem",
                f"{home}/include/linux"]
    headers = [path for folder in ("src", "include", "agents") for path in sorted((ROOT / folder).rglob("*.h"))
               if not path.name.startswith(OTHERS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [finding for found in pool.map(lambda path: compile_alone(path, includes), headers) for finding in found]
    finish(findings, f"headers: {len(headers)}")


main()
