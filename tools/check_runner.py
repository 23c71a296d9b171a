#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/run.py does what it says of tests that fail: a planted tree of tests, and its outcome.

The runner is copied into a folder with planted tests, so that it takes that folder for the source tree.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import jdk
from findings import ROOT, build_tree, finish

# Fails at first, and then every other time: $MEMORY has a line for each run.
EVERY_OTHER = """count=$(wc -l 2>/dev/null <"$MEMORY/{name}" || echo 0)
echo run >>"$MEMORY/{name}"
((count % 2 == 1)) || {{ echo "why {name} failed"; exit 1; }}
"""
UNIT = "#!/usr/bin/env bash\n"
COUNTS = "echo '3 passed, 0 failed, 0 skipped'\n"
ON_OURS = '[[ $JAVA_HOME == "$PEER_HOME" ]] || '

# path in the tree: text
PLANTED = {
    "tests/programs/field.tsv": "",
    "tools/check_good.py": "",
    "tools/check_sometimes.py": "import os, sys\npath = os.environ['MEMORY'] + '/check'\nran = os.path.exists(path)\n"
                                "open(path, 'w').close()\nsys.exit(0 if ran else 'why check failed')\n",
    "build/release/unit/good": UNIT + COUNTS,
    "build/release/unit/silent": UNIT,
    "build/release/unit/empty": UNIT + "echo '0 passed, 0 failed, 0 skipped'\n",
    "build/release/unit/more": UNIT + COUNTS.replace("skipped", "skipped and more"),
    "build/release/unit/rule": UNIT + "echo U1 FAILS here >&2\n" + COUNTS,
    "build/release/unit/killed": UNIT + "echo why killed failed\nkill -40 $$\n",
    "build/release/unit/sometimes": UNIT + EVERY_OTHER.format(name="unit") + COUNTS,
    "build/release/fuzz/sometimes": UNIT + EVERY_OTHER.format(name="fuzz"),
    "tests/agents/probe_test.py": "import os, sys\npath = os.environ['MEMORY'] + '/agent'\nran = os.path.exists(path)\n"
                                  "open(path, 'w').close()\nsys.exit(0 if ran else 'why agent failed')\n",
    "build/release/agents/libprobe.so": "",
    "tests/programs/good.sh": "echo same\n",
    "tests/programs/sometimes.sh": ON_OURS + "{\n" + EVERY_OTHER.format(name="script") + "}\necho same\n",
    "tests/programs/not_here.sh": "# @not release why not_here is skipped\n" + ON_OURS + "echo why not_here ran\n",
    "tests/programs/elsewhere.sh": "# @not asan why elsewhere is skipped\necho same\n",
    "tests/programs/never.sh": ON_OURS + "echo why never failed\n",
    "tests/programs/leaves.sh": ON_OURS + "{ echo why leaves failed; setsid bash -c 'sleep 3; echo >\"$MEMORY/left\"' & }\n# @timeout 1\n",
    "tests/programs/rule_fails.sh": "echo X1 FAILS here\n",
    "tests/programs/rule_expected.sh": "# @expect-fails X2\necho X2 FAILS\n",
    "tests/programs/rule_mended.sh": "# @expect-fails X3\necho X3 ok\n",
    "tests/programs/peer_once.sh": ON_OURS.replace("||", "&&") + "{ echo run >>\"$MEMORY/peer_once\"; }\necho same\n",
    "tests/programs/peer_differs.sh": ON_OURS.replace("||", "&&") + "{ echo run >>\"$MEMORY/peer_differs\"; }\n"
                                      'wc -l <"$MEMORY/peer_differs"\n',
}
UNSTABLE = ["tools/check_sometimes", "unit/sometimes", "agents/probe_test", "fuzz/sometimes", "programs/sometimes"]
FAILED = ["unit/empty", "unit/killed", "unit/more", "unit/rule", "unit/silent", "programs/leaves", "programs/never", "programs/peer_differs", "programs/rule_fails", "programs/rule_mended"]
SAID = ["why check failed", "why unit failed", "why fuzz failed", "why agent failed", "+why script failed", "+why never failed",
        "no closing counts", "X1 FAILS here", "U1 FAILS here", "-40 (signal)", "why killed failed", "programs/not_here: why not_here is skipped", "exit code timeout", "X3 is expected to fail and did not", "no two of 3 runs of the peer are equal"]


def plant(tree):
    for path, text in PLANTED.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
        (tree / path).chmod(0o755)
    (tree / "memory").mkdir()
    for path in ("tests/run.py", "tests/field.py", "tests/faults.py", "tools/jdk.py"):
        shutil.copy(ROOT / path, tree / path)


def run(tree, *arguments):
    """Exit code, output, and the last lines: the titles after "failed: " and "unstable: ", and the closing line."""
    env = dict(os.environ, MEMORY=str(tree / "memory"), PELLUCID_JDK=jdk.find())
    done = subprocess.run([sys.executable, str(tree / "tests/run.py"), *arguments], capture_output=True, text=True, check=False, env=env)
    last = {what: re.findall(rf"^{what}: (\S+)", done.stdout, re.M) for what in ("failed", "unstable")}
    return done.returncode, done.stdout + done.stderr, last, (done.stdout.splitlines() or [""])[-1]


def check_whole(tree):
    code, said, last, closing = run(tree)
    if code != 1 or last["failed"] != FAILED or last["unstable"] != UNSTABLE:
        yield f"a whole run: exit code {code}, failed {last['failed']}, unstable {last['unstable']}\n{said}"
    if closing != "19 passed, 10 failed, 1 skipped":
        yield f"a whole run closes with: {closing}"
    yield from (f"a whole run does not say: {text}" for text in SAID if text not in said)
    if (tree / "memory/left").exists():
        yield "a test left a process behind"
    if (runs := (tree / "memory/peer_once").read_text().count("run")) != 1:  # the first is as ours
        yield f"the peer's answer was stored after {runs} runs"


def check_unstable_alone(tree):
    """What is unstable fails no run; without running again it does."""
    for path in (tree / "memory").iterdir():
        path.unlink()
    code, said, last, closing = run(tree, "--again", "sometimes", "good")
    if code != 0 or last["failed"] or len(last["unstable"]) != 4 or not closing.startswith("11 passed, 0 failed"):
        yield f"a run of unstable tests: exit code {code}\n{said}"
    (tree / "memory/script").unlink()
    code, said, last, _ = run(tree, "programs/sometimes")
    if code != 1 or last["failed"] != ["programs/sometimes"]:
        yield f"a run with a filter: exit code {code}\n{said}"


def check_filters(tree):
    """A filter that is a whole name selects that test alone, beside what the other filters select."""
    (tree / "build/release/unit/good_too").write_text(UNIT + COUNTS)
    (tree / "build/release/unit/good_too").chmod(0o755)
    listed = run(tree, "--list", "unit/good", "tools/")[1].split()[1::2]
    if listed != ["tools/check_good", "tools/check_sometimes", "unit/good"]:
        yield f"two filters select {listed}"


def check_lock(tree):
    """While another run compiles, a run waits and says why."""
    with (tree / "build/tests/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        second = subprocess.Popen([sys.executable, str(tree / "tests/run.py"), "programs/good"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, env=dict(os.environ, PELLUCID_JDK=jdk.find()))
        told = second.stderr.readline()
        waits = second.poll() is None
    said = second.communicate()[0]
    if "waiting for another run" not in told or not waits or not said.endswith("1 passed, 0 failed, 0 skipped\n"):
        yield f"a run beside another that compiles says: {told}{said}"


def main():
    build_tree(__doc__)
    with tempfile.TemporaryDirectory(prefix="runner.") as folder:
        tree = Path(folder).resolve()
        plant(tree)
        findings = [*check_whole(tree), *check_unstable_alone(tree), *check_filters(tree), *check_lock(tree)]
    finish(findings, "the runner tells failed from unstable")


main()
