# SPDX-License-Identifier: Apache-2.0
"""What the measurements share: running a VM and counting what it uses, and the file of results."""
import datetime
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/RESULTS.md"
TIMEOUT = 1200


class Machine:
    """One VM with its options."""

    def __init__(self, title, home, *options):
        self.title, self.home, self.options = title, Path(home), list(options)

    def measure(self, classes, program, *args, options=(), meanwhile=None):
        """Runs a Java class. Returns what `run` does."""
        argv = [str(self.home / "bin/java"), *self.options, *options, "-cp", str(classes), program, *args]
        return run(f"{self.title} {' '.join(args)}", argv, environment(), meanwhile=meanwhile)


def environment():
    dropped = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")
    return {name: value for name, value in os.environ.items() if name not in dropped}


def run(what, argv, env, folder=None, meanwhile=None):
    """Returns stdout, CPU seconds, wall seconds, peak resident KiB of a command; None where it did not end well.
    `meanwhile` is called with its process id when it has begun."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=env, cwd=folder)
        if meanwhile:
            meanwhile(process.pid)
        code, usage = wait(process, start)
        wall = time.monotonic() - start
        if code != 0:
            err.seek(0)
            said = err.read().decode("utf-8", "replace").strip().splitlines()
            print(f"{what}: exit code {code} {said[0] if said else ''}", file=sys.stderr)
            return None
        out.seek(0)
        return out.read().decode("utf-8", "replace"), usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss


def wait(process, start):
    """Waits with wait4, which tells what this one child used; ends it when it takes too long."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.monotonic() - start > TIMEOUT:
            process.kill()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = -9
            return "timeout", usage
        time.sleep(0.002)


def ratio(a, b):
    return f"{a / b:.2f}" if a is not None and b else "-"


def number(value, form):
    return format(value, form) if value is not None else "-"


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def save(heading, how, text):
    """Replaces the part of RESULTS.md that begins with this heading, or adds it."""
    parts = re.split(r"(?m)^(?=## )", RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    head = (f"## {heading}\n\n{datetime.date.today().isoformat()}, {processor()}, {os.cpu_count()} cores, Linux {platform.release()}, "
            f"{how} Ratios are Pellucid's time to the other's: less is better.\n\n")
    kept = [part.rstrip() + "\n" for part in parts if part.startswith("## ") and not part.startswith(f"## {heading}\n")]
    RESULTS.write_text("\n".join(["# Pellucid beside HotSpot\n", *sorted([*kept, head + text + "\n"], reverse=True)]), encoding="utf-8")
