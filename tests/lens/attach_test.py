#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @timeout 1800
# @not asan its own memory grows with each turn
"""Lens attaches to a program under load, looks at it, and is sent away, again and again: no request fails, and the program keeps no
descriptor, thread or memory of it. A part of the turns has a second Lens beside it, which must not notice.
Usage: attach_test.py JAVA_HOME WORKDIR, with $LENS and $LENS_AGENT. $LENS_TURNS: how many (60; with run.py --whole 1000)."""
import http.client
import json
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wire

HOME, WORK = sys.argv[1], pathlib.Path(sys.argv[2])
LENS, AGENT = os.environ["LENS"], os.environ["LENS_AGENT"]
TURNS = int(os.environ.get("LENS_TURNS", "60"))
WARM = 20  # turns until caches and compiled code have their size
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": str(WORK / "cache")}
ORDERS = (("metrics", {}), ("cpu", {"hz": "500"}), ("alloc", {"interval": "65536", "live": "1"}), ("locks", {}), ("threads", {}))
QUESTIONS = ("session", "metrics", "thread_cpu", "flame?data=cpu", "hot?data=cpu", "alloc", "locks", "threads", "costs")


class Lens:
    """`lens PID` with its page, asked as a browser does."""

    def __init__(self, pid):
        self.process = subprocess.Popen([LENS, str(pid), "--no-browser"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        address = self.process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)(/\?token=\w+)", address)
        assert found, (address, self.process.stderr.read())
        self.port, self.cookie = int(found[1]), {}
        self.cookie = {"Cookie": self.ask("GET", found[2], status=303).getheader("Set-Cookie").split(";")[0]}

    def ask(self, method, path, value=None, status=200):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        body = None if value is None else json.dumps(value)
        connection.request(method, path, body, {**self.cookie, **({"Content-Type": "application/json"} if body else {})})
        reply = connection.getresponse()
        reply.body = reply.read()
        connection.close()
        assert reply.status == status, (method, path, reply.status, reply.body[:300])
        return reply

    def get(self, what):
        return json.loads(self.ask("GET", f"/api/{what}").body)

    def order(self, verb, args):
        return json.loads(self.ask("POST", "/api/order", {"verb": verb, "args": args}).body)["id"]

    def orders(self):
        """States by id."""
        return {o["id"]: o["state"] for o in self.get("session")["orders"]}

    def samples(self):
        return self.get("flame?data=cpu")["samples"]

    def end(self):
        self.process.terminate()
        errors = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, f"lens ended with {self.process.returncode}: {errors[-2000:]}"


def wait_until(what, condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


def look(pid):
    """A whole visit."""
    lens = Lens(pid)
    mine = [lens.order(verb, args) for verb, args in ORDERS]
    wait_until("orders that run", lambda: all(lens.orders()[o] == "accepted" for o in mine))
    wait_until("samples", lambda: lens.samples() > 0)
    for question in QUESTIONS:
        lens.get(question)
    lens.end()


def send_away(pid):
    with wire.Front(pid) as front:
        front.wait_for(front.order("detach"), "done")
        front.until(lambda: front.all("bye"))


def held(pid):
    """Descriptors, the agent's threads, and resident kB of a process. The program's own threads come and go."""
    agent = [task for task in os.listdir(f"/proc/{pid}/task") if comm(pid, task).startswith("Lens")]
    resident = re.search(r"VmRSS:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())
    return len(os.listdir(f"/proc/{pid}/fd")), len(agent), int(resident[1])


def comm(pid, task):
    try:
        return pathlib.Path(f"/proc/{pid}/task/{task}/comm").read_text()
    except OSError:
        return ""  # it has ended


def turns(pid):
    """What is held at four times: when all is warm, before the second Lens, after it, at the end."""
    assert TURNS > 2 * WARM, TURNS
    second, samples, seen = None, 0, []
    for turn in range(TURNS):
        if turn in (WARM, TURNS // 2, 3 * TURNS // 4):
            if second is not None:
                states = set(second.orders().values())
                assert states <= {"accepted", "progress"}, states
                second.end()
                second = None
                send_away(pid)
            time.sleep(0.5)
            seen.append(held(pid))
        if turn == TURNS // 2:
            second = Lens(pid)
            second.order("cpu", {"hz": "100"})
        look(pid)
        if second is None:
            send_away(pid)
        else:
            now = second.samples()
            assert now > samples, f"turn {turn}: the second Lens has {now} samples, as before"
            samples = now
    time.sleep(0.5)
    return seen + [held(pid)]


def main():
    subprocess.run([f"{HOME}/bin/javac", "-d", WORK, pathlib.Path(__file__).parent / "Loaded.java"], check=True)
    program = subprocess.Popen([f"{HOME}/bin/java", "-Xms64m", "-Xmx64m", "-XX:+AlwaysPreTouch", "-cp", WORK, "Loaded"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout.readline() == "ready\n"
        seen = turns(program.pid)
    finally:
        program.stdin.close()
        code = program.wait(60)
    print(f"{TURNS} turns; descriptors, threads of Lens, kB: {seen}")
    assert code == 0, code
    for before, after in ((seen[0], seen[1]), (seen[2], seen[3])):
        assert after[0] <= seen[0][0] + 1 and after[1] <= seen[0][1], "descriptors or threads are kept"
        assert after[2] - before[2] < 2000 + 5 * TURNS, "memory is kept"


main()
