#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The test runner behind `./dev test`.

    run.py [--type release|debug|asan|tsan|stress|aarch64|moving|compiled|jit-...] [--quick] [filter...]

Groups, in this order:
  tools     tools/check_*.py: layers, symbols, generated files, headers
  unit      build/<type>/unit/*, C programs; their own counts are added up
  java      tests/java/<area>/<Name>.java, run on HotSpot and on Pellucid and compared
  agents    the same for those with @agent, and all of tests/agents/;
            tests/agents/<agent>_test.py, run with JAVA_HOME, the agent's library and a work folder, for either JDK
  lens      tests/lens/*_test.py, run with JAVA_HOME and a work folder, for either JDK (`@only pellucid`: for ours); $LENS is the
            front program, $LENS_AGENT the agent's library; with --whole attach_test makes 1,000 turns
  hostile   tests/hostile/*.java likewise; build/<type>/fuzz/*, each for a few seconds; in release and stress fuzz/jit/fuzz.py:
            random programs, those kept; in stress fuzz/jit/planted.py; fuzz/jit/new: new ones in all modes for $PELLUCID_FUZZ_SECONDS
            (600 in a run of all, else 0: none), from the start of the run on beside all groups; what fails is not tried again
  programs  tests/programs/*.sh: whole tools of the JDK, run with JAVA_HOME set to either JDK; the rows of
            tests/programs/field.tsv likewise: programs of Debian packages, those marked `all` when asked for by a filter;
            in the stress build with a small heap
  embed     build/<type>/embed/*: C programs that create a VM, run on either libjvm.so
  faults    the scenarios of tests/faults.py, in the stress and debug builds: what the VM asks of the system fails; a sample,
            with --whole all

What a test asks for stands in comments (`// @name value`, in scripts `# @name value`) at the head of its file:
  @flags -Xmx64m     options of java            @args a b        arguments of the program; in unit tests $CLASSES is
                                                                 the folder of the compiled Java tests
  @expect-exit 1     the exit code to expect    @timeout 60      seconds on one VM, in the release build
  @stderr            compare stderr as well     @mask REGEX      hide what matches, on both sides
  @agent lib[=opts]  run with -agentpath        @javac ...       options of javac
  @xrun lib[:opts]   run with -Xrun, the library on LD_LIBRARY_PATH
  @quick             again in asan and stress,  @modes asan      again in the builds named (aarch64: under qemu-user; moving:
                     with an agent in moving                     the stress build while Java frames move and are resumed,
                                                                 docs/GC.md, docs/INTERPRETER.md)
  @asan option=value options of the address sanitizer besides ours
  @stress 1          allocations from one collection to the next, in the stress build
  @alone             not beside other tests     @only pellucid   do not run HotSpot: <file>.expected has the output
  @skip reason       not run, counted as skipped    @jdk 17.0.19     likewise with an older JDK, which does otherwise
  @not asan reason   likewise in the build or type named; jit-* are several
  @expect-fails G15  rules whose line in the output says FAILS (tests/native/ti_rules.h); any other such line, and one of these
                     that is missing, fails the test
The types `compiled` and `jit-...` (COMPILED, a row each) run another type's build with methods compiled early, or before their first call.
VMs that a script starts get these options by JAVA_TOOL_OPTIONS, and do not say so (tests/native/quiet_options.c).

With neither a filter nor --type all groups run on the release build, the quick ones on asan and stress again, and others
as is said above.

A run without filters (or with --again) runs a test that failed twice more when its group is done, with nothing beside it. If it
passes then, it is unstable: it counts as passed and is named in the last lines, after its first failure was printed like any
other. Each unstable test is a defect still to be found. The closing line is `N passed, N failed, N skipped`.

The output of HotSpot is kept in build/tests/peer under a hash of everything it depends on, after two equal runs.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import difflib
import fcntl
import fnmatch
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import faults  # noqa: E402
import field  # noqa: E402
import jdk  # noqa: E402

TESTS = ROOT / "tests"
COMMON = TESTS / "java/common"  # classes that are compiled into each folder of tests
PARTS = TESTS / "programs/parts"  # what scripts of tests/programs share
BUILD = ROOT / "build"
OUT = BUILD / "tests"
GROUPS = ("tools", "unit", "java", "agents", "lens", "hostile", "programs", "embed", "faults")
# ways to run another type's build with compiled code: the build, how slow it is, its flags
EARLY = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+JitCompile", "-XX:+JitSync", "-XX:CompileThresholdScaling=0.05"]
ALL = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+JitAll"]  # each method before its first call
COMPILED = {
    "compiled": ("debug", 6, EARLY),
    "jit-all": ("release", 4, ALL),
    "jit-based": ("release", 4, [*ALL, "-XX:JitLayout=based"]),  # elsewhere the heap's base is 0, if there is room
    "jit-deopt": ("release", 10, [*ALL, "-XX:JitDeoptEvery=1"]),
    "jit-hook": ("release", 10, [*ALL, "-XX:+JitHookAll"]),
    "jit-debug": ("debug", 10, ALL),
    "jit-asan": ("asan", 15, ALL),
    "jit-stress": ("stress", 20, ALL),
}
SLOWNESS = {"release": 1, "debug": 3, "asan": 5, "tsan": 10, "stress": 10, "aarch64": 10, "moving": 10,
            **{name: slowness for name, (_, slowness, _) in COMPILED.items()}}
TREES = {"moving": "stress", **{name: tree for name, (tree, _, _) in COMPILED.items()}}  # ways to run another type's build
# the variables of one (src/frame/move_stack.h, src/interp/resume_often.h)
MOVING = {"PELLUCID_MOVE_STACK": "8", "PELLUCID_RESUME": "5", "PELLUCID_GC_STRESS": "10000"}
# in moving, too: a high heap (asan has no room for a low one, the others have one), and profiles from the first call on; nothing is
# compiled, as the boundaries of compiled frames stay where they are
MOVING_FLAGS = ["-XX:+UnlockDiagnosticVMOptions", "-XX:JitLayout=based", "-XX:ProfileThreshold=1", "-XX:-JitCompile"]
MOVING_LAST = ["-XX:-JitAll"]  # whatever the test asks for
ARM64 = ROOT / "build/packages/arm64"  # what programs of the aarch64 build find in place of /
DEFAULT_TIMEOUT = 60
FUZZ_SECONDS = 5
NEW_SECONDS = 600  # of new random programs, in a run of all
NEW_FIRST = 20261126  # their first seed: a run of all has the same programs each time, so what fails there fails again
STRESS_INTERVAL = "50"  # allocations from one collection to the next in the stress build, where the environment says no other
PROGRAM_INTERVAL = "200"  # the same for the programs of field.tsv, which run long
PROGRAM_HEAP = "-Xmx64m"  # of the programs in the stress build
REPORT_LINES = 60
DIFF_LINES = 20
AGAIN_TIMES = 2  # runs of a test that failed, by itself
AGAIN_SECONDS = 300  # after which no further failed test is run again: so much is broken, not unstable
LAST_WORDS = 10  # seconds to read what a program said that was ended
RUN_MARK = "PELLUCID_TEST_RUN"  # in the environment of all that a test starts
PEER_RUNS = 3  # at most, until one is as ours at once, or two are equal
ASAN_OPTIONS = ("detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:use_sigaltstack=0:"
                "detect_stack_use_after_return=0:allocator_may_return_null=1")
SANITIZER_ENVIRONMENT = {
    "ASAN_OPTIONS": ASAN_OPTIONS,
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"suppressions={ROOT}/tools/tsan.supp:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:use_sigaltstack=0:"
                    "report_signal_unsafe=0:allocator_may_return_null=1",
}

# What differs from run to run: identity hashes and the names of hidden classes; the name of the VM; in stderr addresses and ids too.
VOLATILE = [(re.compile(pattern), masked) for pattern, masked in (
    (r"(?:(?<=[\w;\])])|(?<=module ))@[0-9a-f]{3,8}\b", "@#"),
    (r"\$\$Lambda\$\d+/0x[0-9a-f]+", "$$Lambda$#"),
    (r"\b(?:OpenJDK|Pellucid) 64-Bit Server VM\b", "(this) VM"),
)]
VOLATILE_STDERR = VOLATILE + [(re.compile(pattern), masked) for pattern, masked in (
    (r"0x[0-9a-fA-F]+", "0x#"),
    (r"\b(nid|tid|pid)=\S+", r"\1=#"),
)]
COUNTS = re.compile(r"(\d+) passed, (\d+) failed, (\d+) skipped")
FAILED_RULE = re.compile(r"(\S*) FAILS\b.*")


class Test:
    """One thing to run in one build type."""

    def __init__(self, group, name, kind, path, build="release"):
        self.group, self.name, self.kind, self.path, self.build = group, name, kind, Path(path), build
        self.asks = read_directives(self.source_path())
        self.source = self.path.read_bytes() if kind in ("java", "script") else b""

    def source_path(self):
        """Where its directives stand: of a compiled program in its C source."""
        folder = {"unit": TESTS / "unit", "embed": TESTS / "embed", "fuzz": ROOT / "fuzz"}.get(self.kind)
        return folder / (self.path.name + ".c") if folder else self.path

    def ask(self, name, default=None):
        values = self.asks.get(name)
        return values[-1] if values else default

    def words(self, name):
        return [word for value in self.asks.get(name, []) for word in shlex.split(value)]

    @property
    def title(self):
        return self.name if self.build == "release" else f"{self.name} [{self.build}]"

    @property
    def timeout(self):
        return float(self.ask("timeout", DEFAULT_TIMEOUT)) * SLOWNESS[self.build]


class NewTest(Test):
    """New random programs for the compiler."""

    def __init__(self, seconds):
        super().__init__("hostile", "fuzz/jit/new", "new", ROOT / "fuzz/jit/fuzz.py", "stress")
        self.seconds = seconds


class FieldTest(Test):
    """A program of tests/programs/field.tsv."""

    def __init__(self, program, build):
        super().__init__("programs", f"programs/field/{program.name}", "field", field.TABLE, build)
        self.program, self.asks = program, {"timeout": ["300"]}
        self.source = program.command.encode() + b"".join(path.read_bytes() for path in sorted(field.INPUTS.iterdir()))


class FaultTest(Test):
    """A scenario of tests/faults.py with one kind of operation failing."""

    def __init__(self, scenario, kind, build):
        super().__init__("faults", f"faults/{scenario}/{kind}", "faults", TESTS / faults.SCENARIOS[scenario], build)
        self.scenario, self.fails = scenario, kind

    @staticmethod
    def program(scenario, build):
        """The scenario's program, as a test that is compiled and has a command line."""
        return Test("faults", scenario, "java", TESTS / faults.SCENARIOS[scenario], build)


class Result:
    def __init__(self, passed=0, failed=0, skipped=0, text=""):
        self.passed, self.failed, self.skipped, self.text = passed, failed, skipped, text


class Outcome:
    """What a finished program left: its exit code (or "timeout") and its two outputs."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class PeerDiffers(Exception):
    """HotSpot's output differs from run to run."""


def read_directives(path):
    asks = {}
    pattern = re.compile(r"^\s*(?://|#|\*)\s*@([a-z-]+)\b[ \t]*(.*?)\s*$")
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines()[:60] if path.exists() else ():
        found = pattern.match(line)
        if found:
            asks.setdefault(found.group(1), []).append(found.group(2))
    return asks


# ---- running programs -------------------------------------------------------------------------------

def clean_environment():
    dropped = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH", "LD_PRELOAD", "JAVA_HOME")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    kept.update(LC_ALL="C.UTF-8", TZ="UTC")
    return kept


def end_all(process, mark):
    """Ends a process, its group, and those of other sessions that it has left behind: they have its mark in their environment."""
    os.killpg(process.pid, signal.SIGKILL)
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)


def run_program(argv, timeout, env=None, cwd=None):
    """Runs until it and all that hold its output have ended; when the time is over they are made to, wherever they are."""
    mark = f"{RUN_MARK}={os.getpid()}.{time.monotonic_ns()}"
    env = dict(env or clean_environment(), **dict([mark.split("=")]))
    process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=env, cwd=cwd, start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
        code = process.returncode
    except subprocess.TimeoutExpired as over:
        code, out, err = "timeout", over.output or b"", over.stderr or b""
        end_all(process, mark)
        with contextlib.suppress(subprocess.TimeoutExpired):
            out, err = process.communicate(timeout=LAST_WORDS)
    return Outcome(code, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


class VirtualMachine:
    """A JDK to run tests on: HotSpot's, or one of our images."""

    def __init__(self, home, build):
        self.home, self.build = Path(home), build
        self.tree = tree_of(build)
        self.env = clean_environment()
        preload = (self.tree / "preload.txt").read_text().strip() if (self.tree / "preload.txt").exists() else ""
        if preload and self.home != Path(PEER_HOME):
            self.env.update(SANITIZER_ENVIRONMENT, LD_PRELOAD=preload)
        if build in ("stress", "jit-stress"):
            self.env.setdefault("PELLUCID_GC_STRESS", STRESS_INTERVAL)
        if build == "moving":
            self.env.update({name: self.env.get(name, value) for name, value in MOVING.items()})
        self.flags = COMPILED[build][2] if build in COMPILED and self.home != Path(PEER_HOME) else []
        self.tool_env = self.env  # of what starts VMs itself, HotSpot's tools among them
        if self.flags:
            quiet = self.tree / "tests/libquiet_options.so"
            options = " ".join(["-XX:+IgnoreUnrecognizedVMOptions", *self.flags])
            self.tool_env = dict(self.env, JAVA_TOOL_OPTIONS=options, TEST_TOOL_OPTIONS=options,
                                 LD_PRELOAD=f"{preload}:{quiet}" if preload else str(quiet))

    def library(self, name):
        for folder in ("tests", "agents"):
            path = self.tree / folder / f"lib{name}.so"
            if path.exists():
                return path
        raise FileNotFoundError(f"no agent or test library '{name}' in {self.tree}")

    def command(self, test):
        """The command line of a test on this VM, and its environment."""
        env = dict(self.env if test.kind == "java" else self.tool_env, TEST_JAVA_HOME=str(self.home))
        if self.tree.name == "stress" and "stress" in test.asks:
            env["PELLUCID_GC_STRESS"] = test.ask("stress")
        if test.kind == "java":
            if "ASAN_OPTIONS" in env:
                env["ASAN_OPTIONS"] = ":".join([env["ASAN_OPTIONS"], *test.words("asan")])
            if "xrun" in test.asks:
                env["LD_LIBRARY_PATH"] = f"{self.tree}/tests:{self.tree}/agents"
            return self.emulator() + [str(self.home / "bin/java")] + self.java_options(test) + test.words("args"), env
        if test.kind in ("script", "field"):
            env.update(JAVA_HOME=str(self.home), ROOT=str(ROOT), PARTS=str(PARTS), PEER_HOME=PEER_HOME, BUILD_TREE=str(self.tree))
            env["PATH"] = f"{self.home}/bin:{env['PATH']}"
            if test.kind == "field":
                if self.tree.name == "stress":
                    env["PELLUCID_GC_STRESS"] = os.environ.get("PELLUCID_GC_STRESS", PROGRAM_INTERVAL)
                    env["JDK_JAVA_OPTIONS"] = PROGRAM_HEAP
                return ["bash", "-c", test.program.command], dict(env, IN=str(field.INPUTS))
            return ["bash", str(test.path)] + test.words("args"), env
        env["LD_LIBRARY_PATH"] = f"{self.home}/lib/server:{self.home}/lib"
        library = self.home / "lib/server/libjvm.so"
        return [str(test.path), str(library), str(OUT / "classes/embed")] + test.words("args"), env

    def emulator(self):
        """What runs this VM's programs, where the processor does not."""
        return ["qemu-aarch64", "-L", str(ARM64)] if self.build == "aarch64" and self.home != Path(PEER_HOME) else []

    def java_options(self, test):
        placed = self.build == "moving" and self.home != Path(PEER_HOME)
        options = (MOVING_FLAGS if placed else []) + self.flags + test.words("flags") + (MOVING_LAST if placed else [])
        for agent in test.asks.get("agent", []):
            name, _, agent_options = agent.partition("=")
            agent_options = "=" + agent_options if agent_options else ""
            options.append(f"-agentpath:{self.library(name)}{agent_options}")
        options += [f"-Xrun{library}" for library in test.asks.get("xrun", [])]
        options.append(f"-Djava.library.path={self.tree}/tests")
        return options + ["-cp", str(class_folder(test)), main_class(test)]

    def run(self, test, setting=None, timeout=None):
        """The outcome of a test, with more variables in its environment."""
        with tempfile.TemporaryDirectory(dir=OUT, prefix="work.") as cwd:
            argv, env = self.command(test)
            outcome = run_program(argv, timeout or test.timeout, env | (setting or {}), cwd)
        for path, name in ((cwd, "<work>"), (str(self.home), "<home>"), (str(self.tree), "<build>")):
            outcome.out, outcome.err = outcome.out.replace(path, name), outcome.err.replace(path, name)
        return outcome


PEER_HOME = jdk.find() or sys.exit("run.py: no JDK 17 found")


def tree_of(build):
    return BUILD / TREES.get(build, build)


def peer_build(build):
    """The build whose agents HotSpot loads: it cannot load those that are made for the thread sanitizer."""
    return "release" if build == "tsan" else build


def image_of(build):
    if build == "release" and os.environ.get("PELLUCID_TEST_IMAGE"):
        return os.environ["PELLUCID_TEST_IMAGE"]
    tree = TREES.get(build, build)
    return BUILD / ("jdk" if tree == "release" else f"jdk-{tree}")


# ---- compiling the Java tests -----------------------------------------------------------------------

def class_folder(test):
    """Classes of the tests of one folder; of a test with javac options of its own, its own folder."""
    relative = test.path.parent.relative_to(TESTS)
    return OUT / "classes" / relative / ("+" + test.path.stem if test.asks.get("javac") else "")


def main_class(test):
    package = re.search(rb"^\s*package\s+([\w.]+)\s*;", test.source, re.M)
    return (package.group(1).decode() + "." if package else "") + test.path.stem


@contextlib.contextmanager
def classes_locked():
    """Only one run at a time compiles: they share the folders of classes. The next finds all as it wants it."""
    with (OUT / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("run.py: waiting for another run in this tree, which compiles tests", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_all(tests):
    """Compiles what changed, a folder at a time. Returns the folders that did not compile, with javac's words."""
    units = {}
    for test in tests:
        if test.kind == "faults":
            for scenario in (test.scenario, faults.START):
                program = FaultTest.program(scenario, test.build)
                units.setdefault(class_folder(program), []).append(program)
        elif test.kind == "java":
            units.setdefault(class_folder(test), []).append(test)
    if any(test.kind == "embed" for test in tests) and (TESTS / "embed").is_dir():
        units.setdefault(OUT / "classes/embed", [])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = pool.map(lambda item: compile_folder(*item), units.items())
    return {folder: text for folder, text in zip(units, said) if text}


def compile_folder(folder, tests):
    options = tests[0].words("javac") if tests else []
    if options:
        sources = [tests[0].path]
    else:
        sources = sorted((TESTS / folder.relative_to(OUT / "classes")).glob("*.java"))
        sources = [path for path in sources if "javac" not in read_directives(path)]
    sources += sorted(COMMON.glob("*.java"))
    stamp = folder / ".stamp"
    hashed = hashlib.sha256(repr((options, jdk.version(PEER_HOME))).encode())
    for path in sources:
        hashed.update(path.name.encode() + b"\0" + path.read_bytes())
    if not sources or (stamp.exists() and stamp.read_text() == hashed.hexdigest()):
        return ""
    for old in folder.rglob("*.class") if folder.exists() else ():
        if "+" not in str(old.relative_to(folder)):
            old.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    done = run_program([f"{PEER_HOME}/bin/javac", "-g", "-nowarn", "-Xlint:none", "-encoding", "UTF-8", "-d", str(folder)]
                       + options + [str(path) for path in sources], 300)
    if done.code != 0:
        stamp.unlink(missing_ok=True)
        return done.out + done.err
    stamp.write_text(hashed.hexdigest())
    return ""


# ---- the peer and the comparison --------------------------------------------------------------------

def peer_key(test, argv, env):
    """A hash of all that HotSpot's output depends on: sources, command, options from the environment, the native libraries named, the
    processors it is held to."""
    processors = len(os.sched_getaffinity(0))
    held = [processors] if processors < os.cpu_count() else []
    tree = tree_of(peer_build(test.build))
    argv = [word.replace(str(tree), "<build>") for word in argv]  # the same question in every build
    hashed = hashlib.sha256(repr((jdk.version(PEER_HOME), argv, env.get("JDK_JAVA_OPTIONS"), *held)).encode() + test.source)
    named = re.findall(rb'loadLibrary\("(\w+)"\)', test.source)
    named += re.findall(rb"/lib(\w+)\.so", test.source)
    named += [agent.partition("=")[0].encode() for agent in test.asks.get("agent", [])]
    for name in sorted(set(named)):
        for folder in ("tests", "agents"):
            path = tree / folder / f"lib{name.decode()}.so"
            hashed.update(path.read_bytes() if path.exists() else b"-")
    for part in re.findall(rb"\$PARTS/([\w.]+)", test.source):
        hashed.update((PARTS / part.decode()).read_bytes())
    if test.kind == "embed":
        hashed.update(test.path.read_bytes())
    return hashed.hexdigest()


peer_locks = collections.defaultdict(threading.Lock)  # by what is asked


def peer_outcome(test, ours):
    """HotSpot's outcome, from the store where it is there; `ours` is that of our VM. Not stored: timeouts, scripts that read the source tree, what no two
    runs gave alike, and an exit code that the test does not expect: a busy machine may be why."""
    peer = VirtualMachine(PEER_HOME, peer_build(test.build))
    argv, env = peer.command(test)
    store = OUT / "peer" / peer_key(test, argv, env)
    reads_tree = b"$ROOT" in test.source
    if reads_tree:
        return peer.run(test)
    with peer_locks[store.name]:  # builds ask the same
        if store.exists():
            return Outcome(*json.loads(store.read_text()))
        outcome = run_until_equal(test, peer, ours)
        if outcome.code == int(test.ask("expect-exit", 0)):
            store.parent.mkdir(parents=True, exist_ok=True)
            fresh = store.with_suffix(f".{os.getpid()}")
            fresh.write_text(json.dumps([outcome.code, outcome.out, outcome.err]))
            fresh.replace(store)
    return outcome


def said_by(test, outcome):
    """What is compared of an outcome."""
    return (outcome.code, *(masked(test, text, volatile) for _, volatile, text in streams_of(test, outcome)))


def run_until_equal(test, peer, ours):
    """The peer's first outcome if it is as ours, else the one that two runs gave alike, of PEER_RUNS at most."""
    seen = {}
    for _ in range(PEER_RUNS):
        outcome = peer.run(test)
        said = said_by(test, outcome)
        if not seen and said == said_by(test, ours):
            return outcome
        if said in seen or outcome.code == "timeout":
            return outcome
        seen[said] = outcome
    first, second = list(seen.values())[:2]
    texts = [f"exit code {describe_code(outcome.code)}\n{outcome.out}" for outcome in (first, second)]
    raise PeerDiffers(f"no two of {PEER_RUNS} runs of the peer are equal\n" + short_diff("peer", *texts))


def expected_outcome(test, ours):
    if test.ask("only") == "pellucid":
        text = test.path.with_suffix(".expected").read_text(encoding="utf-8")
        return Outcome(int(test.ask("expect-exit", 0)), text, "")
    return peer_outcome(test, ours)


def masked(test, text, volatile):
    for pattern in test.asks.get("mask", []):
        text = re.sub(pattern, "#", text)
    for pattern, to in volatile:
        text = pattern.sub(to, text)
    return text


def streams_of(test, outcome):
    """What of an outcome is compared: name, what is masked in it besides the test's own patterns, text."""
    streams = [("stdout", VOLATILE, outcome.out)]
    return streams + [("stderr", VOLATILE_STDERR, outcome.err)] if "stderr" in test.asks else streams


def failed_rules(test, text):
    """What is wrong with the rules that the output says do not hold."""
    lines = {found.group(1): found.group(0) for found in FAILED_RULE.finditer(text)}
    expected = set(test.words("expect-fails"))
    return [line for rule, line in lines.items() if rule not in expected] + [
        f"{rule} is expected to fail and did not" for rule in sorted(expected - lines.keys())]


def short_diff(what, expected, got):
    lines = list(difflib.unified_diff(expected.splitlines(), got.splitlines(), f"{what} expected", f"{what} of Pellucid",
                                      lineterm="", n=1))
    more = [f"... {len(lines) - DIFF_LINES} more lines"] if len(lines) > DIFF_LINES else []
    return "\n".join(line[:200] for line in lines[:DIFF_LINES] + more)


def run_compared(test):
    """Runs a test on our VM and compares it with HotSpot's outcome or the expected file."""
    try:
        got = VirtualMachine(image_of(test.build), test.build).run(test)
        expected = expected_outcome(test, got)
    except (OSError, PeerDiffers) as error:
        return Result(failed=1, text=str(error))
    wanted_code = int(test.ask("expect-exit", 0))
    wrong = []
    if expected.code != wanted_code:
        wrong.append(f"the peer's exit code is {expected.code}, expected {wanted_code}\n{tail(expected.err)}")
    if got.code != wanted_code:
        wrong.append(f"exit code {describe_code(got.code)}, expected {wanted_code}\n{tail(got.err)}")
    for (what, volatile, want), (_, _, have) in zip(streams_of(test, expected), streams_of(test, got)):
        want, have = masked(test, want, volatile), masked(test, have, volatile)
        if want != have:
            wrong.append(short_diff(what, want, have))
    wrong += failed_rules(test, got.out + got.err)
    return Result(failed=1, text="\n".join(wrong)) if wrong else Result(passed=1)


def describe_code(code):
    if isinstance(code, int) and code < 0:
        known = -code in set(signal.Signals)
        return f"{code} ({signal.Signals(-code).name if known else 'signal'})"
    return str(code)


def tail(text, count=8):
    """The last lines of what was printed, or, where the VM has ended by itself, its report's first: they say where and why."""
    lines = text.splitlines()
    report = next((i for i, line in enumerate(lines) if "ends after a fatal error" in line), None)
    shown = lines[-count:] if report is None else lines[report:report + REPORT_LINES]
    return "\n".join("  | " + line[:200] for line in shown)


# ---- the other kinds --------------------------------------------------------------------------------

def run_check(test):
    done = run_program([sys.executable, str(test.path), "--type", test.build], 300, cwd=ROOT)
    if done.code == 0:
        return Result(passed=1)
    return Result(failed=1, text=tail(done.out + done.err, 25))


def run_unit(test):
    """A program that tells its own counts in its last line, as tests/unit/vmtest.h makes it."""
    env = clean_environment() | SANITIZER_ENVIRONMENT
    arguments = [word.replace("$CLASSES", str(OUT / "classes")) for word in test.words("args")]
    done = run_program([str(test.path)] + arguments, test.timeout, env, cwd=ROOT)
    lines = done.out.splitlines()
    counts = COUNTS.fullmatch(lines[-1]) if lines else None
    passed, failed, skipped = map(int, counts.groups()) if counts else (0, 0, 0)
    wrong = failed_rules(test, done.out + done.err) + ([] if passed + failed + skipped else ["no closing counts of what was tested"])
    if done.code == 0 and not wrong and not failed:
        return Result(passed, 0, skipped)
    text = "\n".join([f"exit code {describe_code(done.code)}", *wrong, tail(done.out, 15), tail(done.err, 12)])
    return Result(passed, max(failed, 1), skipped, text)


def run_agent_script(test):
    """tests/agents/<agent>_test.py JAVA_HOME AGENT.so WORKDIR, once with each JDK."""
    name = test.path.stem.removesuffix("_test")
    return run_script_with_each(test, lambda vm: [str(vm.home), str(vm.library(name))], {})


def run_lens_script(test):
    """tests/lens/<name>_test.py JAVA_HOME WORKDIR, once with each JDK."""
    tree = tree_of(test.build)
    env = {"LENS": str(tree / "bin/lens"), "LENS_AGENT": str(tree / "agents/liblens.so")}
    if test.whole:
        env["LENS_TURNS"] = "1000"
    return run_script_with_each(test, lambda vm: [str(vm.home)], env)


def run_script_with_each(test, arguments, env):
    wrong, skipped = [], []
    ours = VirtualMachine(image_of(test.build), test.build)
    vms = [ours] if test.ask("only") == "pellucid" else [VirtualMachine(PEER_HOME, peer_build(test.build)), ours]
    for vm in vms:
        with tempfile.TemporaryDirectory(dir=OUT, prefix="work.") as work:
            done = run_program([sys.executable, str(test.path), *arguments(vm), work], test.timeout, vm.tool_env | env, work)
        if done.code != 0 or failed_rules(test, done.out + done.err):
            wrong.append(f"with {vm.home}: exit code {describe_code(done.code)}\n{tail(done.out, 15)}\n{tail(done.err, 12)}")
        skipped += [line.removeprefix("skipped: ") for line in done.out.splitlines() if line.startswith("skipped: ")]
    for reason in skipped:
        print(f"skipped a part of {test.title}: {reason}", flush=True)
    return Result(passed=len(vms) - len(wrong), failed=len(wrong), skipped=len(skipped), text="\n".join(wrong))


def run_fuzz(test):
    """Inputs to begin with: fuzz/<name>/, or the compiled classes of all Java tests."""
    env = clean_environment() | SANITIZER_ENVIRONMENT
    own = ROOT / "fuzz" / test.path.name
    seeds = own if own.is_dir() else OUT / "classes"
    with tempfile.TemporaryDirectory(dir=OUT, prefix="fuzz.") as cwd:
        done = run_program([str(test.path), f"-max_total_time={FUZZ_SECONDS}", str(seeds)], test.timeout, env, cwd)
        if done.code == 0:
            return Result(passed=1)
        kept = OUT / f"failed-{test.path.name}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(cwd, kept)
        return Result(failed=1, text=f"exit code {describe_code(done.code)}; input kept in {kept.relative_to(ROOT)}\n"
                      + tail(done.out + done.err, 15))


def run_random(test):
    """The compiler's fuzzer with the programs that are kept, or the test of the fuzzer. What fails is kept in build/fuzz-jit."""
    words = ["--builds", test.build, "--jobs", "1"] if test.path.stem == "fuzz" else test.words("args")
    return run_fuzzer([sys.executable, str(test.path), *words], test.timeout)


def run_new(test):
    """More random programs, in every mode, behind what others want of the processors. The last batch is run to its end."""
    words = ["nice", "-n", "5", sys.executable, str(test.path), "--jobs", "1", "--batch", "8", "--failures", "1", "--mutate", "2",
             "--first", str(NEW_FIRST), "--seconds", str(test.seconds)]
    return run_fuzzer(words, test.timeout + 3 * test.seconds)


def run_fuzzer(words, timeout):
    done = run_program(words, timeout)
    if done.code != 0:
        return Result(failed=1, text=f"exit code {describe_code(done.code)}\n" + tail(done.out, 25) + "\n" + tail(done.err))
    return Result(passed=1)


def run_faults(test):
    vm = VirtualMachine(image_of(test.build), test.build)

    def runner(scenario):
        program = FaultTest.program(scenario, test.build)
        return lambda setting: vm.run(program, setting, faults.TIMEOUT)

    start = runner(faults.START) if test.scenario != faults.START else None
    tried, wrong = faults.Sweep(test.fails, runner(test.scenario), start)(test.whole, os.cpu_count() if test.whole else 1)
    if test.whole:
        print(f"{test.title}: {tried} tried, {len(wrong)} wrong", flush=True)
    if not wrong:
        return Result(passed=1)
    library = tree_of(test.build) / "libjvm.so"
    text = []
    for n, what, stack, got in wrong:
        where = run_program(["addr2line", "-pfs", "-e", str(library), *stack.split()], 60).out if stack else ""
        text.append(f"{test.fails}:{n} {what}\n{tail(where, 12)}\n{tail(got.out, 4)}\n{tail(got.err)}")
    return Result(failed=1, text="\n".join(text))


RUNNERS = {"check": run_check, "unit": run_unit, "python": run_agent_script, "lens": run_lens_script, "fuzz": run_fuzz,
           "random": run_random, "new": run_new, "java": run_compared, "script": run_compared, "field": run_compared,
           "embed": run_compared, "faults": run_faults}


# ---- what there is ----------------------------------------------------------------------------------

def executables(folder):
    return sorted(path for path in folder.glob("*") if path.is_file() and os.access(path, os.X_OK)) if folder.is_dir() else []


def discover(build):
    """All tests there are, for one build type."""
    tests = []
    if build == "release":
        tests += [Test("tools", f"tools/{path.stem}", "check", path) for path in sorted((ROOT / "tools").glob("check_*.py"))]
    tree = tree_of(build)
    tests += [Test("unit", f"unit/{path.name}", "unit", path, build) for path in executables(tree / "unit")]
    for top in ("java", "agents", "hostile"):
        for path in sorted((TESTS / top).rglob("*.java")):
            test = Test(top, str(path.relative_to(TESTS).with_suffix("")), "java", path, build)
            # A helper class without a main is compiled with its folder and is no test.
            if b"void main(" in test.source:
                test.group = "agents" if "agent" in test.asks else top
                tests.append(test)
    tests += [Test("agents", f"agents/{path.stem}", "python", path, build)
              for path in sorted((TESTS / "agents").glob("*_test.py"))]
    if (tree / "bin/lens").exists():
        tests += [Test("lens", f"lens/{path.stem}", "lens", path, build) for path in sorted((TESTS / "lens").glob("*_test.py"))]
    tests += [Test("hostile", f"fuzz/{path.name}", "fuzz", path, build) for path in executables(tree / "fuzz")]
    randoms = {"release": ("fuzz",), "stress": ("fuzz", "planted")}.get(build, ())
    tests += [Test("hostile", f"fuzz/jit/{name}", "random", path, build)
              for name in randoms if (path := ROOT / f"fuzz/jit/{name}.py").exists()]
    tests += [Test("programs", f"programs/{path.stem}", "script", path, build)
              for path in sorted((TESTS / "programs").glob("*.sh"))]
    tests += [FieldTest(program, build) for program in field.programs()]
    tests += [Test("embed", f"embed/{path.name}", "embed", path, build) for path in executables(tree / "embed")]
    if build in ("stress", "debug"):
        tests += [FaultTest(scenario, kind, build) for scenario in faults.SCENARIOS for kind in faults.KINDS]
    return tests


def wants_build(test, build):
    if test.kind == "field":
        return build in test.program.builds
    if test.kind in ("unit", "fuzz"):
        return build == "asan"
    if test.kind in ("faults", "random"):
        return build == "stress"
    if "quick" in test.asks and (build in ("asan", "stress") or (build == "moving" and test.group == "agents")):
        return True
    return build in test.words("modes")


def select(args):
    if args.type:
        tests = discover(args.type)
    else:
        tests = discover("release")
        if not args.filters:
            tests = [test for test in tests if test.kind != "field" or test.program.everywhere]
            for build in ("asan", "stress", "moving", "aarch64"):
                if (tree_of(build) / "libjvm.so").exists():
                    tests += [test for test in discover(build) if wants_build(test, build)]
    seconds = float(os.environ.get("PELLUCID_FUZZ_SECONDS", 0 if args.filters or args.type else NEW_SECONDS))
    if seconds and NewTest(seconds).path.exists():
        tests.append(NewTest(seconds))
    if args.filters:
        exact = {test.name for test in tests} & set(args.filters)
        parts = [part for part in args.filters if part not in exact]
        tests = [test for test in tests if test.name in exact or any(part in test.name for part in parts)]
    if args.quick:
        tests = [test for test in tests if "quick" in test.asks]
    return [test for test in tests if not args.group or test.group == args.group]


# ---- running and reporting --------------------------------------------------------------------------

def reason_to_skip(test):
    if "skip" in test.asks:
        return test.ask("skip")
    for build, _, reason in (value.partition(" ") for value in test.asks.get("not", [])):
        if fnmatch.fnmatch(test.build, build) or build == TREES.get(test.build):
            return reason
    if test.kind == "field" and (packages := field.missing(test.program.packages)):
        return f"not installed: {' '.join(packages)}"
    here, least = jdk.version(PEER_HOME), test.ask("jdk", "17")
    if update_of(here) < update_of(least):
        return f"the JDK is {here}, and did otherwise before {least}"
    return None


def update_of(version):
    return [int(number) for number in re.findall(r"\d+", version)]


def run_one(test, uncompiled):
    if reason := reason_to_skip(test):
        print(f"skipped {test.title}: {reason}", flush=True)
        return Result(skipped=1)
    if test.kind == "java" and class_folder(test) in uncompiled:
        return Result(failed=1, text="does not compile\n" + tail(uncompiled[class_folder(test)], 12))
    try:
        return RUNNERS[test.kind](test)
    except Exception as error:  # a defect of the runner must not end the run
        return Result(failed=1, text=f"{type(error).__name__}: {error}")


def report_failure(test, result):
    """Prints why, at once: also of what may turn out to be unstable."""
    option = "" if test.build == "release" else f"--type {test.build} "
    print(f"FAILED {test.title}\n{result.text.rstrip()}\n  again: ./dev test {option}{test.name}\n", flush=True)


def run_timed(test, uncompiled, verbose):
    start = time.monotonic()
    result = run_one(test, uncompiled)
    if verbose:
        said = "FAILED" if result.failed else "skipped" if result.skipped else "ok"
        print(f"{said:8}{test.title}  {time.monotonic() - start:.1f} s", flush=True)
    return result


class Run:
    """A run of tests: what is not compiled, the arguments, and what came out."""

    def __init__(self, uncompiled, args):
        self.uncompiled, self.args = uncompiled, args
        self.total = Result()
        self.failed, self.unstable = [], []  # titles
        self.again_seconds = 0
        self.early = {}  # what runs beside all groups: a future for each test

    def begin(self, tests):
        """Starts the tests that take long and are in nobody's way."""
        pool = concurrent.futures.ThreadPoolExecutor(1)
        for test in tests:
            if test.kind == "new":
                self.early[test] = pool.submit(run_timed, test, self.uncompiled, self.args.verbose)

    def run(self, tests):
        """Runs the tests side by side, one group behind the other, then those that want to be alone, then those that failed again. Prints
        each group's counts."""
        start = time.monotonic()
        results = {}

        def account(test, result):
            results[test] = result
            if result.failed:
                report_failure(test, result)
            of_group = [other for other in tests if other.group == test.group]
            if all(other in results for other in of_group):
                print(f"{test.group + ':':10}ran  ({time.monotonic() - start:.0f} s)", flush=True)

        beside = [test for test in tests if "alone" not in test.asks]
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            running = {self.early.get(test) or pool.submit(run_timed, test, self.uncompiled, self.args.verbose): test for test in beside}
            for future in concurrent.futures.as_completed(running):
                account(running[future], future.result())
        for test in tests:
            if "alone" in test.asks:
                account(test, run_timed(test, self.uncompiled, self.args.verbose))
        for test in [test for test in tests if results[test].failed]:
            results[test] = self.settle(test, results[test])
        self.count(results)

    def count(self, results):
        for group in GROUPS:
            of_group = [result for test, result in results.items() if test.group == group]
            counts = {name: sum(getattr(result, name) for result in of_group) for name in ("passed", "failed", "skipped")}
            for name, count in counts.items():
                setattr(self.total, name, getattr(self.total, name) + count)
            if of_group:
                print(f"{group + ':':10}{counts_of(counts)}", flush=True)

    def settle(self, test, first):
        """The result that counts of a test that failed: it is run again where this run does so."""
        again = []
        if self.args.again and test.kind != "new" and self.again_seconds < AGAIN_SECONDS:
            start = time.monotonic()
            again = [run_timed(test, self.uncompiled, self.args.verbose) for _ in range(AGAIN_TIMES)]
            self.again_seconds += time.monotonic() - start
            said = ", ".join("failed" if result.failed else "passed" for result in again)
            print(f"again by itself: {test.title}: {said}", flush=True)
        passes = [result for result in again if not result.failed]
        if passes:
            self.unstable.append(f"{test.title} (failed beside others, then passed {len(passes)} of {AGAIN_TIMES} by itself)")
            return passes[0]
        self.failed.append(test.title)
        return first

    def report(self):
        """The last lines."""
        for what, titles in (("failed", self.failed), ("unstable", self.unstable)):
            for title in titles:
                print(f"{what}: {title}")
        print(counts_of(vars(self.total)))


def counts_of(counts):
    return "{passed} passed, {failed} failed, {skipped} skipped".format(**counts)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("filters", nargs="*", help="run the tests that have one of these as name, or else contain it")
    parser.add_argument("--type", choices=sorted(SLOWNESS), help="run on this build alone")
    parser.add_argument("--quick", action="store_true", help="those alone that are marked so")
    parser.add_argument("--group", choices=GROUPS, help="this group alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="tests at a time")
    parser.add_argument("--verbose", "-v", action="store_true", help="a line for each test, with its seconds")
    parser.add_argument("--again", action="store_true", help="run again what fails, as a run without filters does")
    parser.add_argument("--whole", action="store_true", help="faults: every number of each kind, not a sample; lens/attach_test: 1,000 turns")
    parser.add_argument("--list", action="store_true", help="print the names, run nothing")
    parser.add_argument("--print-environment", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.again = args.again or not args.filters
    return args


def main():
    args = parse_arguments()
    if args.print_environment:
        for setting in SANITIZER_ENVIRONMENT.items():
            print("=".join(setting))
        return 0
    tests = select(args)
    for test in tests:
        test.whole = args.whole
    if args.list:
        print("\n".join(f"{test.group:10}{test.title}" for test in tests))
        return 0
    if not tests:
        print(f"run.py: no test matches {' '.join(args.filters)}", file=sys.stderr)
        return 1
    OUT.mkdir(parents=True, exist_ok=True)
    # Ignored in a background job, or by nohup: the programs would inherit it. A handler they do not.
    for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGQUIT, lambda *_: None), (signal.SIGHUP, lambda *_: None)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)
    # Unit tests and fuzz targets read the compiled classes of all Java tests.
    everything = discover("release") if any(test.kind in ("unit", "fuzz") for test in tests) else []
    with classes_locked():
        uncompiled = compile_all(tests + everything)
    run = Run(uncompiled, args)
    run.begin(tests)
    run.run(sorted(tests, key=lambda test: GROUPS.index(test.group)))
    run.report()
    return 1 if run.total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
