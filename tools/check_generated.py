#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The committed generated files are what their generators make now.

tools/generators.txt registers them, a line each: `script: inputs -> outputs`, paths from the root, separated by blanks.
The script runs with its inputs and then its outputs as arguments, in a copy of the root that holds tools/, spec/ and the inputs.
`check_generated.py --write` runs all generators in place.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from findings import ROOT, build_tree, finish

REGISTER = ROOT / "tools/generators.txt"


def registered():
    """Yields (script, inputs, outputs)."""
    for line in REGISTER.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            script, _, rest = line.partition(":")
            inputs, _, outputs = rest.partition("->")
            yield script.strip(), inputs.split(), outputs.split()


def run(script, arguments, root):
    done = subprocess.run([sys.executable, script, *arguments], cwd=root, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"{script} failed: {(done.stderr or done.stdout)[-500:]}"


def findings_of(script, inputs, outputs):
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        ignore = shutil.ignore_patterns("__pycache__")
        for folder in ("tools", "spec"):
            shutil.copytree(ROOT / folder, copy / folder, ignore=ignore)
        for name in inputs + outputs:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
        for name in inputs:
            if not (copy / name).exists():
                shutil.copy2(ROOT / name, copy / name)
        failed = run(script, inputs + outputs, copy)
        if failed:
            return [failed]
        return [f"{name} is stale: run tools/check_generated.py --write" for name in outputs
                if not (copy / name).exists() or not (ROOT / name).exists()
                or (copy / name).read_bytes() != (ROOT / name).read_bytes()]


def main():
    if "--write" in sys.argv:
        finish([failed for script, inputs, outputs in registered() if (failed := run(script, inputs + outputs, ROOT))], "generated")
        return
    build_tree(__doc__.splitlines()[0])
    rows = list(registered())
    findings = [finding for row in rows for finding in findings_of(*row)]
    generated = {name for _, _, outputs in rows for name in outputs}
    for path in sorted((ROOT / "src").rglob("generated/*")):
        if str(path.relative_to(ROOT)) not in generated:
            findings.append(f"{path.relative_to(ROOT)} has no generator in tools/generators.txt")
    finish(findings, f"generated: {len(generated)} files of {len(rows)} generators")


main()
