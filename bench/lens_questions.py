# SPDX-License-Identifier: Apache-2.0
"""How long Lens takes with a large recording: one of 10 million samples in 200,000 stacks of 20 threads is made, opened, and asked what the page asks."""
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from measure import ROOT, environment, save

sys.path.insert(0, str(ROOT / "tests/lens"))
import wire  # noqa: E402

SAMPLES, BLOCKS, STACKS, METHODS, CLASSES, THREADS = 10_000_000, 200, 200_000, 3000, 300, 20
EVERY = 100_000  # ns from one sample to the next
BEGIN = 10**9
METHOD = "com.acme.p18.Class48.method1847"
ROUNDS = 5
# What is asked, and by which call of lens/API.md
QUESTIONS = [("flame graph of all", "flame?data=cpu"), ("flame graph of 10 s of 1,000", "flame?data=cpu&from=100000&to=110000"),
             ("flame graph of one thread", "flame?data=cpu&threads=3"), ("hot methods", "hot?data=cpu"),
             ("callers of a method", f"callers?data=cpu&method={METHOD}"), ("lines and callees of a method", f"method?data=cpu&method={METHOD}")]


def put_z(value):
    return wire.put_u(value << 1 ^ value >> 63)


def definitions():
    """Records of classes, methods, threads and a tree of stacks."""
    u, s, chance = wire.put_u, wire.put_s, random.Random(1)
    for c in range(1, CLASSES + 1):
        yield u(1) + u(c) + s(f"com.acme.p{c % 30}.Class{c}") + s("C.java") + u(0) + u(1)
    for m in range(1, METHODS + 1):
        yield u(2) + u(m) + u(1 + m % CLASSES) + s(f"method{m}") + s("()V") + u(1) + u(100) + u(2) + u(0) + put_z(10) + u(20) + put_z(5)
    for t in range(1, THREADS + 1):
        yield u(3) + u(t) + s(f"worker-{t}") + u(0) + u(100 + t) + s("main")
    for k in range(1, STACKS + 1):
        caller = 0 if k <= 10 else max(1, k - chance.randrange(1, 2000)) if chance.random() < 0.9 else chance.randrange(1, k)
        yield u(4) + u(k) + u(caller) + u(0) + u(chance.randrange(1, METHODS + 1)) + put_z(chance.randrange(40))


def write_recording(path):
    sequence, chance, u = 0, random.Random(2), wire.put_u
    with open(path, "wb") as out:
        def block(kind, payload, at=BEGIN, crc=None):
            nonlocal sequence
            crc = wire.crc32c(payload) if crc is None else crc
            out.write(wire.HEADER.pack(wire.MAGIC, len(payload), wire.TYPE[kind], 0, 0, sequence, at, crc, 0) + payload)
            sequence += 1

        out.write(wire.FILE_MAGIC)
        hello = {"version": "1", "vm.name": "-", "java.command": "-", "pid": "1", "monotonic": str(BEGIN), "realtime": str(17 * 10**17), "cores": "8"}
        block("hello", b"".join(wire.put_s(name) + wire.put_s(value) for name, value in hello.items()))
        pending = b""
        for record in definitions():
            pending += record
            if len(pending) > 500_000:
                block("defs", pending)
                pending = b""
        block("defs", pending)
        each = SAMPLES // BLOCKS
        samples = b"".join(put_z(i * EVERY) + u(chance.randrange(1, THREADS + 1)) + u(chance.randrange(1, STACKS + 1)) + u(0) + u(EVERY) + u(1) + u(0)
                           for i in range(each))
        crc = wire.crc32c(samples)  # the same records again, later
        for number in range(BLOCKS):
            block("samples", samples, BEGIN + number * each * EVERY, crc)


class Front:
    """`lens open` with a page that we ask."""

    def __init__(self, lens, recording, folder):
        began = time.monotonic()
        self.process = subprocess.Popen([lens, "open", recording, "--no-browser"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env=environment() | {"XDG_CACHE_HOME": str(folder)})
        address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"(http://127\.0\.0\.1:\d+)/\?token=\w+", address)
        assert found, address
        self.base = found[1]
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.opener.open(address).read()
        self.ask("session")
        self.opened = time.monotonic() - began

    def ask(self, question):
        """Seconds until the whole answer is there, and its bytes."""
        began = time.monotonic()
        size = len(self.opener.open(f"{self.base}/api/{question}").read())
        return time.monotonic() - began, size

    def resident(self):
        """In MB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def close(self):
        self.process.terminate()
        self.process.wait()


def main(args):
    with tempfile.TemporaryDirectory(prefix="bench.") as folder:
        recording = Path(folder) / "big.lens"
        write_recording(recording)
        front = Front(f"{args.ours}/bin/lens", recording, folder)
        try:
            lines = ["| question | s | answer, MB |", "|---|---:|---:|", f"| opened: the page's first answer | {front.opened:.2f} | - |"]
            for title, question in QUESTIONS:
                seconds, size = min(front.ask(question) for _ in range(ROUNDS))
                lines.append(f"| {title} | {seconds:.2f} | {size / 1e6:.1f} |")
            said = f"{SAMPLES:,} samples in {STACKS:,} stacks, a file of {recording.stat().st_size / 1e6:.0f} MB; the front takes {front.resident():.0f} MB."
        finally:
            front.close()
    text = "\n".join([said, "", *lines])
    print(text)
    if args.save:
        save("Lens: a large recording", f"`./dev bench --lens --only questions --save`, the least of {ROUNDS}.", text)
    return 0
