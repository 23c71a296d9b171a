# SPDX-License-Identifier: Apache-2.0
"""A process that looks like a Java VM with the Lens agent in it, for tests of the front: it maps a file named libjvm.so, listens at the
agent's socket, and answers orders with known numbers. `fake_agent.py FOLDER`; it prints "ready" and its PID.

Planted: samples of Hot.half, Hot.third and Hot.fifth by 50, 30 and 20; two threads that wait for each other (`locks`; with `then` parked
or entered one of them no longer does, and entered is told before what it ends); orders `die` (ends without farewell), `bye` (VMDeath
first), `hostile` with `how` (one of HOSTILE below)."""
import mmap, os, pathlib, random, select, signal, socket, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wire

PLANTED = {"half": 50, "third": 30, "fifth": 20}
FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None


def put_z(value):
    return wire.put_u(value << 1 if value >= 0 else (-value << 1) - 1)


def block(kind, payload, when=None, length=None, crc=None, magic=wire.MAGIC):
    when = time.monotonic_ns() if when is None else when
    return wire.HEADER.pack(magic, len(payload) if length is None else length, wire.TYPE.get(kind, kind), 0, 1, 0, when,
                            wire.crc32c(payload) if crc is None else crc, 0) + payload


def numbers(*values):
    return b"".join(wire.put_u(v) for v in values)


def definitions():
    """Classes 1 Hot, 2 Lock, 3 Hot of another loader; methods 1 main, 2.. planted; threads 1 main, 2 and 3, whose system id is not known;
    stacks 1 main, 2.. planted on it."""
    out = numbers(1, 1) + wire.put_s("com.acme.Hot") + wire.put_s("Hot.java") + numbers(0, 1)
    out += numbers(1, 2) + wire.put_s("com.acme.Lock") + wire.put_s("") + numbers(0, 1)
    out += numbers(1, 3) + wire.put_s("com.acme.Hot") + wire.put_s("Hot.java") + numbers(0, 1)
    for number, name in enumerate(["main", *PLANTED], 1):
        out += numbers(2, number, 1) + wire.put_s(name) + wire.put_s("()V") + numbers(8, 20, 2, 0) + put_z(10 * number) + numbers(5) + put_z(1)
    for number, name in enumerate(["main", "left", "right"], 1):
        out += numbers(3, number) + wire.put_s(name) + numbers(0, number % 3) + wire.put_s("main")
    out += numbers(4, 1, 0, 0, 1) + put_z(3)
    for number in range(2, 2 + len(PLANTED)):
        out += numbers(4, number, 1, 0, number) + put_z(6)
    return out


def samples(count):
    out, now = b"", time.monotonic_ns()
    for i in range(count):
        for stack, weight in enumerate(PLANTED.values(), 2):
            for _ in range(weight):
                out += put_z(-i) + numbers(1, stack, 0, 10_000_000, 1, 0)
    return block("samples", out, now)


def metrics(cpu):
    out = put_z(0) + numbers(3, 1, 0) + put_z(cpu) + numbers(2, 0) + put_z(5_000_000) + numbers(18, 1) + put_z(cpu)
    return block("metrics", out)


def deadlock():
    """left holds monitor 1 and waits for 2; right holds 2 and waits for 1."""
    out = put_z(0) + numbers(3, 2, 1, 2_000_000_000, 2, 2, 3, 1)
    out += put_z(0) + numbers(3, 3, 1, 2_000_000_000, 1, 2, 2, 1)
    return block("locks", out)


def wait_over(kind, later_ns=0):
    """left's wait for monitor 2 has ended by now."""
    return block("locks", put_z(later_ns) + numbers(wire.LOCK_KINDS.index(kind), 2, 1, 2_000_000_000, 2, 2, 3, 1))


def allocations():
    """Objects 7 to 9 of class Hot; 7 was freed, and that comes first, and 9. One of the other Hot, and one Lock that is not followed."""
    made = b"".join(put_z(0) + numbers(0, 1, 2, 1, 24, 2400, object) for object in (7, 8, 9))
    made += put_z(0) + numbers(0, 1, 3, 3, 24, 2400, 10) + put_z(0) + numbers(0, 1, 2, 2, 16, 160, 0)
    freed = [put_z(0) + numbers(1, object) for object in (7, 9)]
    return block("allocs", freed[0] + made + freed[1])


def exact(first):
    """Sums of Hot.half and, of the first order, of Hot.third."""
    sums = numbers(0, 0, 0, 0) + (numbers(2, 1, 999, 999) + numbers(2, 10, 700, 900) + numbers(3, 1, 200, 200) if first else numbers(2, 4, 50, 60))
    return block("exact", sums)


def hello():
    now = time.monotonic_ns()
    names = {"version": "1", "vm.name": "Pellucid Fake VM", "vm.version": "0", "java.version": "17", "java.command": "com.acme.Hot x",
             "pid": str(os.getpid()), "user": "tester", "monotonic": str(now), "realtime": str(time.time_ns()), "cores": "2",
             "agent.late": "1", "costs": "0", "cap.generate_breakpoint_events": "no"}
    return block("hello", b"".join(wire.put_s(k) + wire.put_s(v) for k, v in names.items()), now)


HOSTILE = {
    "length": lambda: block("samples", b"x", length=1 << 30),
    "crc": lambda: block("samples", b"\0" * 9, crc=1),
    "magic": lambda: block("samples", b"", magic=0x12345678),
    "varint": lambda: block("samples", b"\xff" * 40),
    "count": lambda: block("watches", put_z(0) + numbers(1, 1, 0, 0, 0, 0, (1 << 60))),
    "ids": lambda: block("samples", put_z(0) + numbers(1 << 50, 1 << 60, 9, 1 << 63, 77, 1)),
    "type": lambda: block(200, b"anything"),
    "random": lambda: b"".join(block(random.randrange(1, 22), random.randbytes(random.randrange(400))) for _ in range(3000)),
}


class Agent:
    def __init__(self, connection):
        self.connection, self.buffer, self.running = connection, b"", {}
        self.cpu = 0
        connection.sendall(hello() + block("defs", definitions()))

    def answer(self, order, state, text="", **values):
        pairs = b"".join(wire.put_s(k.replace("_", ".")) + wire.put_s(str(v)) for k, v in values.items())
        self.connection.sendall(block("answer", numbers(order, state, 0, 0) + wire.put_s(text) + numbers(len(values)) + pairs))

    def obey(self, payload):
        r = wire.Reader(payload)
        order, verb = r.u(), r.s()
        args = dict(r.pairs())
        if verb == "stop":
            self.answer(int(args["order"]), 3)
            self.running.pop(int(args["order"]), None)
            return self.answer(order, 3)
        if verb == "die":
            os._exit(9)
        if verb == "bye":
            self.connection.sendall(block("bye", wire.put_s("VMDeath")))
            os._exit(0)
        if verb == "hostile":
            self.connection.sendall(HOSTILE[args["how"]]())
            return self.answer(order, 3)
        if verb == "dump":
            self.connection.sendall(block("dump", numbers(order) + wire.put_s('"main" <script>\n\tat com.acme.Hot.main')))
            return self.answer(order, 3)
        if verb not in ("metrics", "gc", "cpu", "locks", "alloc", "exact"):
            return self.answer(order, 4, "the fake agent does not know it")
        self.running[order] = verb
        self.answer(order, 1)
        if verb == "cpu":
            self.connection.sendall(samples(10))
        if verb == "alloc":
            self.connection.sendall(allocations())
        if verb == "exact":
            self.connection.sendall(exact(args["include"] == "first"))
        if verb == "locks":
            self.connection.sendall({"parked": deadlock() + wait_over("park"), "entered": wait_over("enter", 1_000_000_000) + deadlock(),
                                     "": deadlock()}[args.get("then", "")])

    def read(self):
        data = self.connection.recv(65536)
        if not data:
            return False
        self.buffer += data
        while len(self.buffer) >= 32:
            magic, length, kind, *_ = wire.HEADER.unpack(self.buffer[:32])
            assert magic == wire.MAGIC
            if len(self.buffer) < 32 + length:
                break
            payload, self.buffer = self.buffer[32:32 + length], self.buffer[32 + length:]
            if kind == wire.TYPE["order"]:
                self.obey(payload)
        return True

    def tick(self):
        if "metrics" in self.running.values():
            self.cpu += 50_000_000
            self.connection.sendall(metrics(self.cpu))


def start_time():
    return int(open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19])


def main():
    library = FOLDER / "libjvm.so"
    library.write_bytes(b"\0" * 4096)
    with open(library, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ)
    signal.signal(signal.SIGQUIT, lambda *_: None)
    folder = pathlib.Path(f"/tmp/.lens-{os.getuid()}")
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / f"{os.getpid()}-{start_time()}.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        os.chmod(path, 0o600)
        listener.listen(4)
        print("ready", os.getpid(), flush=True)
        try:
            while True:
                connection, _ = listener.accept()
                if "brief" in sys.argv:
                    connection.sendall(hello())
                    connection.close()
                    continue
                agent = Agent(connection)
                try:
                    while not select.select([connection], [], [], 0.1)[0] or agent.read():
                        agent.tick()
                except OSError:
                    pass
                connection.close()
        except KeyboardInterrupt:
            pass
        finally:
            path.unlink()
            mapped.close()


if __name__ == "__main__":
    main()
