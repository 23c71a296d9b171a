#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of tests/programs/field.tsv: what the table says, and which of their packages are missing.

    field.py --missing ci|all     prints the packages that the programs need and that are not installed
"""
import subprocess
import sys
from pathlib import Path

TABLE = Path(__file__).resolve().parent / "programs" / "field.tsv"
INPUTS = TABLE.parent / "field"


class Program:
    """A row: `everywhere` says that a run of all tests includes it, `builds` in which builds besides release, `packages` what it needs,
    `command` is for bash."""

    def __init__(self, line):
        self.name, where, packages, self.command = line.split("\t")
        where, *self.builds = where.split("+")
        self.everywhere = where == "ci"
        self.packages = [package for package in packages.split(",") if package]


def programs():
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return [Program(line) for line in lines if line and not line.startswith("#")]


def missing(packages):
    """Those of the packages that are not installed."""
    if not packages:
        return []
    done = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${db:Status-Abbrev}\n"] + packages, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    installed = {line.split()[0] for line in done.stdout.splitlines() if line.split()[1:] == ["ii"]}
    return [package for package in packages if package not in installed]


if __name__ == "__main__":
    if sys.argv[1:2] != ["--missing"] or sys.argv[2:] not in (["ci"], ["all"]):
        sys.exit(__doc__)
    wanted = {package for row in programs() if row.everywhere or sys.argv[2] == "all" for package in row.packages}
    print("\n".join(missing(sorted(wanted))))
