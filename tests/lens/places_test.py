# SPDX-License-Identifier: Apache-2.0
# @timeout 120
# @not asan what is tried is the way to the process
"""Lens looks from outside into a program in a container (namespaces of its own for processes, files and network, another /tmp), and, as root, into one of
another user, who in turn is refused root's. Says "skipped" where this user may not make namespaces or is not root.
Usage: places_test.py JAVA_HOME WORKDIR, with $LENS and $LENS_AGENT."""
import os
import pathlib
import pwd
import subprocess
import sys

HOME, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
LENS = os.environ["LENS"]
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": str(WORK / "cache")}
OTHER = "nobody"
INSIDE = """mount --make-rprivate / && mount -t tmpfs tmpfs /tmp && mount -t proc proc /proc && mkdir /tmp/program && cd /tmp/program \
    && tar xf - && exec "$0" -Xmx64m -cp /tmp/program Loaded"""


def lens(*words, code=0, before=()):
    done = subprocess.run([*before, LENS, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


class Program:
    """Loaded in a process of its own, which ends with its standard input."""

    def __init__(self, *words, first=b""):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdin.write(first)
        self.process.stdin.flush()

    def __enter__(self):
        assert self.process.stdout.readline() == b"ready\n"
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        code = self.process.wait(60)
        assert code == 0, code


def java_below(pid):
    """The process of that parent, or itself where it became java."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return java_below(int(children[0])) if children else pid


def sees(pid):
    assert "Loaded.compute" in lens(pid, "cpu", "-d", 2), pid
    assert "process_cpu" in lens(pid, "metrics", "-d", 1), pid


NAMESPACES = ["unshare", "--pid", "--fork", "--mount", "--net", "--ipc", "--uts"]


def may_unshare():
    mounts = "mount --make-rprivate / && mount -t tmpfs tmpfs /tmp && mount -t proc proc /proc"
    return subprocess.run([*NAMESPACES, "bash", "-c", mounts], capture_output=True).returncode == 0


def container():
    if HOME.startswith("/tmp/"):
        print("skipped: the build lies in /tmp, which a container has of its own")
        return
    packed = subprocess.run(["tar", "cf", "-", "--exclude=cache", "-C", WORK / "classes", "."], capture_output=True, check=True).stdout
    with Program(*NAMESPACES, "bash", "-c", INSIDE, f"{HOME}/bin/java", first=packed) as program:
        pid = java_below(program.process.pid)
        assert str(pid) in lens(), "it is not listed"
        sees(pid)


def another_user():
    user = pwd.getpwnam(OTHER)
    as_other = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    if subprocess.run([*as_other, "test", "-x", LENS, "-a", "-x", f"{HOME}/bin/java"]).returncode != 0:
        print("skipped: another user cannot read the build")
        return
    folder = pathlib.Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    try:
        subprocess.run(["cp", "-r", WORK / "classes", folder / "classes"], check=True)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        with Program(*as_other, f"{HOME}/bin/java", "-Xmx64m", "-cp", folder / "classes", "Loaded") as program:
            sees(program.process.pid)
        with Program(f"{HOME}/bin/java", "-Xmx64m", "-cp", WORK / "classes", "Loaded") as program:
            assert "belongs to another user" in lens(program.process.pid, "cpu", "-d", 1, code=1, before=as_other)
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)


def main():
    (WORK / "classes").mkdir()
    subprocess.run([f"{HOME}/bin/javac", "-d", WORK / "classes", pathlib.Path(__file__).parent / "Loaded.java"], check=True)
    if os.geteuid() != 0 or not may_unshare():
        print("skipped: not root, or no namespaces")
        return
    container()
    another_user()


main()
