# SPDX-License-Identifier: Apache-2.0
"""What the checks in tools/check_*.py share: the root, the arguments, the way findings are told."""
import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build_tree(description):
    """Reads --type, which every check takes; the build tree of that type."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--type", default="release", help="the build to look at, where the check needs one")
    return ROOT / "build" / parser.parse_args().type


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def finish(findings, fine):
    """Prints the findings and exits with 1, or says in one line what is fine."""
    for finding in findings:
        print(finding)
    if findings:
        sys.exit(1)
    print(fine)
