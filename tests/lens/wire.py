# SPDX-License-Identifier: Apache-2.0
"""The wire of agents/lens/lens_wire.h for tests: a connection to the agent, a reader of recordings, attach. Written from the header
alone, so that it judges both sides."""
import os, select, signal, socket, struct, threading, time

HEADER = struct.Struct("<IIBBHIQII")
MAGIC, VERSION, FILE_MAGIC, MAX_PAYLOAD = 0x534E454C, 1, b"LENSREC1", 1 << 20
TYPES = ("hello defs order answer samples metrics threads allocs locks gc exceptions watches coverage exact dump heap ping bye index "
         "clock").split()
TYPE = {name: number + 1 for number, name in enumerate(TYPES)}
STATES = {1: "accepted", 2: "progress", 3: "done", 4: "failed"}
THREAD_STATES = "unknown running blocked waiting parked sleeping native new ended".split()
METRICS = ("- process_cpu heap_used heap_committed heap_max allocated gc_count gc_nanos classes threads_live threads_running "
           "threads_blocked threads_waiting exception_count contended_count contended_nanos code_cache_used resident thread_cpu "
           "thread_allocated agent_nanos other_agent_nanos other_agent_events").split()
LOCK_KINDS = ("enter", "wait", "park", "blocked")


def _crc_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    return table


CRC_TABLE = _crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def put_u(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def put_s(text):
    data = text.encode()
    return put_u(len(data)) + data


class Reader:
    """The fields of a payload."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def more(self):
        return self.at < len(self.data)

    def u(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            assert shift < 70, "a varint does not end"

    def z(self):
        value = self.u()
        return value >> 1 ^ -(value & 1)

    def s(self):
        length = self.u()
        text = self.data[self.at:self.at + length]
        assert len(text) == length, "a string does not end"
        self.at += length
        return text.decode()  # strict: the wire is UTF-8

    def pairs(self):
        return [(self.s(), self.s()) for _ in range(self.u())]


class Defs:
    """What was defined on one connection. A record that names what was not defined fails."""

    def __init__(self):
        self.classes, self.methods, self.threads, self.stacks = {}, {}, {}, {}
        self.modules, self.points, self.loaders = {}, {}, {}

    def read(self, r):
        while r.more():
            kind, number = r.u(), r.u()
            if kind == 1:
                entry = dict(name=r.s(), source=r.s(), loader=r.u(), modifiers=r.u())
                assert entry["loader"] == 0 or entry["loader"] in self.loaders, "a class comes before its loader"
                self.classes[number] = entry
            elif kind == 2:
                entry = dict(cls=r.u(), name=r.s(), signature=r.s(), modifiers=r.u(), length=r.u(), lines=[])
                assert entry["cls"] in self.classes, "a method comes before its class"
                bci = line = 0
                for _ in range(r.u()):
                    bci, line = bci + r.u(), line + r.z()
                    entry["lines"].append((bci, line))
                self.methods[number] = entry
            elif kind == 3:
                self.threads[number] = dict(name=r.s(), flags=r.u(), tid=r.u(), group=r.s())
            elif kind == 4:
                entry = dict(caller=r.u(), kind=r.u())
                assert entry["caller"] == 0 or entry["caller"] in self.stacks, "a stack comes before its caller"
                if entry["kind"] == 0:
                    entry |= dict(method=r.u(), bci=r.z())
                    assert entry["method"] in self.methods, "a stack comes before its method"
                elif entry["kind"] == 1:
                    entry |= dict(module=r.u(), offset=r.u())
                    assert entry["module"] in self.modules, "a stack comes before its module"
                else:
                    entry |= dict(text=r.s())
                self.stacks[number] = entry
            elif kind == 5:
                self.modules[number] = dict(path=r.s(), build_id=r.s())
            elif kind == 6:
                self.points[number] = dict(order=r.u(), text=r.s())
            elif kind == 7:
                self.loaders[number] = dict(name=r.s(), cls=r.u())
            else:
                raise AssertionError(f"unknown definition {kind}")

    def method(self, number):
        m = self.methods[number]
        return self.classes[m["cls"]]["name"] + "." + m["name"]

    def line(self, method, bci):
        best = 0
        for start, line in self.methods[method]["lines"]:
            if start <= bci:
                best = line
        return best

    def frames(self, stack):
        """The names of its frames, the innermost first."""
        names = []
        while stack:
            s = self.stacks[stack]
            names.append(self.method(s["method"]) if s["kind"] == 0 else
                         os.path.basename(self.modules[s["module"]]["path"]) if s["kind"] == 1 else s["text"])
            stack = s["caller"]
        return names


def _known(table, number, what):
    assert number == 0 or number in table, f"a record names a {what} that was not defined"
    return number


def records(block_type, time_base, payload, defs):
    """The records of a block, as dictionaries."""
    r, out = Reader(payload), []

    def thread():
        return _known(defs.threads, r.u(), "thread")

    def stack():
        return _known(defs.stacks, r.u(), "stack")

    def cls():
        return _known(defs.classes, r.u(), "class")

    name = TYPES[block_type - 1]
    while r.more():
        if name == "samples":
            out.append(dict(t=time_base + r.z(), thread=thread(), stack=stack(), kind=("cpu", "wall")[r.u()], weight=r.u(),
                            state=THREAD_STATES[r.u()], failure=r.u()))
        elif name == "metrics":
            t = time_base + r.z()
            for _ in range(r.u()):
                metric = METRICS[r.u()]
                number = r.u()
                if metric.startswith("thread_"):
                    _known(defs.threads, number, "thread")
                out.append(dict(t=t, metric=metric, thread=number, value=r.z()))
        elif name == "threads":
            out.append(dict(t=time_base + r.z(), thread=thread(), state=THREAD_STATES[r.u()], stack=stack()))
        elif name == "allocs":
            t = time_base + r.z()
            if r.u() == 0:
                out.append(dict(t=t, thread=thread(), stack=stack(), cls=cls(), size=r.u(), weight=r.u(), object=r.u()))
            else:
                out.append(dict(t=t, freed=r.u()))
        elif name == "locks":
            out.append(dict(t=time_base + r.z(), kind=LOCK_KINDS[r.u()], thread=thread(), stack=stack(), ns=r.u(), monitor=r.u(),
                            cls=cls(), owner=thread(), owner_stack=stack()))
        elif name == "gc":
            out.append(dict(t=time_base + r.z(), ns=r.u()))
        elif name == "exceptions":
            out.append(dict(t=time_base + r.z(), thread=thread(), stack=stack(), cls=cls(), message=r.s(),
                            catcher=_known(defs.methods, r.u(), "method"), bci=r.z(), locals=r.pairs(), more=r.u()))
        elif name == "watches":
            out.append(dict(t=time_base + r.z(), point=_known(defs.points, r.u(), "point"), thread=thread(), stack=stack(), kind=r.u(),
                            ns=r.u(), more=r.u(), values=r.pairs()))
        elif name == "coverage":
            kind, method = r.u(), _known(defs.methods, r.u(), "method")
            out.append(dict(kind="line", method=method, bci=r.u(), count=r.u()) if kind == 0 else
                       dict(kind="way", method=method, bci=r.u(), target=r.u(), count=r.u()))
        elif name == "exact":
            out.append(dict(stack=stack(), calls=r.u(), self=r.u(), total=r.u()))
        elif name == "dump":
            out.append(dict(order=r.u(), text=r.s()))
        elif name == "hello":
            out.append((r.s(), r.s()))
        elif name == "answer":
            out.append(dict(order=r.u(), state=STATES[r.u()], permille=r.u(), left=r.u(), text=r.s(), values=r.pairs()))
        elif name == "bye":
            out.append(r.s())
        elif name == "clock":
            out.append((r.u(), r.u()))
        elif name == "index":
            out += [(r.u(), r.u(), r.u()) for _ in range(r.u())]
        else:
            return payload  # heap: its own reader
    return out


class Stream:
    """Takes bytes, checks blocks, keeps what they hold by type: `got["samples"]` and so on."""

    def __init__(self):
        self.buffer, self.defs, self.got, self.lost, self.sequence = b"", Defs(), {}, 0, 0

    def feed(self, data):
        self.buffer += data
        while len(self.buffer) >= HEADER.size:
            magic, length, kind, flags, source, sequence, time_base, crc, lost = HEADER.unpack_from(self.buffer)
            assert magic == MAGIC and length <= MAX_PAYLOAD and flags == 0, "not a block"
            if len(self.buffer) < HEADER.size + length:
                return
            payload = self.buffer[HEADER.size:HEADER.size + length]
            self.buffer = self.buffer[HEADER.size + length:]
            assert crc32c(payload) == crc, f"wrong checksum of a block {kind}"
            assert sequence == self.sequence, "a block is missing"
            self.sequence += 1
            self.lost += lost
            self.take(kind, time_base, payload)

    def take(self, kind, time_base, payload):
        name = TYPES[kind - 1]
        if name == "defs":
            self.defs.read(Reader(payload))
        elif name == "heap":
            self.got.setdefault(name, []).append(payload)
        else:
            self.got.setdefault(name, []).extend(records(kind, time_base, payload, self.defs))

    def all(self, name):
        return self.got.get(name, [])

    def hello(self):
        return dict(self.all("hello"))


def read_file(path):
    stream = Stream()
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == FILE_MAGIC, "not a recording"
    stream.feed(data[8:])
    return stream


def socket_path(pid):
    with open(f"/proc/{pid}/stat") as f:
        start = f.read().rsplit(")", 1)[1].split()[19]
    return f"/tmp/.lens-{os.stat(f'/proc/{pid}').st_uid}/{pid}-{start}.sock"


class Front(Stream):
    """A connection to the agent of process `pid`. A thread keeps it alive, unless `alive` is False."""

    def __init__(self, pid, wait=10.0, alive=True):
        super().__init__()
        self.sending = threading.Lock()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        end = time.monotonic() + wait
        while True:
            try:
                self.socket.connect(socket_path(pid))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        self.orders, self.sent, self.ended = 0, 0, False
        if alive:
            threading.Thread(target=self.ping, daemon=True).start()
        self.until(lambda: self.all("hello"), wait)

    def send(self, kind, payload, descriptor=None):
        with self.sending:
            block = HEADER.pack(MAGIC, len(payload), TYPE[kind], 0, 0, self.sent, time.monotonic_ns(), crc32c(payload), 0) + payload
            self.sent += 1
            if descriptor is None:
                self.socket.sendall(block)
            else:
                socket.send_fds(self.socket, [block], [descriptor])

    def ping(self):
        try:
            while True:
                self.send("ping", b"")
                time.sleep(2)
        except OSError:
            return  # it was closed; who reads will see it

    def order(self, verb, descriptor=None, **args):
        """Gives an order; returns its id."""
        self.orders += 1
        payload = put_u(self.orders) + put_s(verb) + put_u(len(args))
        for name, value in args.items():
            payload += put_s(name) + put_s(str(value))
        self.send("order", payload, descriptor)
        return self.orders

    def pump(self, seconds):
        """Reads what comes within so many seconds."""
        end = time.monotonic() + seconds
        while not self.ended:
            left = end - time.monotonic()
            ready, _, _ = select.select([self.socket], [], [], max(0, min(left, 0.2)))
            if ready:
                try:
                    data = self.socket.recv(1 << 18)
                except ConnectionResetError:
                    data = b""
                self.ended = not data
                self.feed(data)
            if left <= 0:
                return

    def until(self, condition, seconds=20.0):
        """Reads until `condition()` holds; fails after so many seconds."""
        end = time.monotonic() + seconds
        while not condition():
            assert not self.ended, "the agent has closed the connection"
            assert time.monotonic() < end, "what was waited for did not come"
            self.pump(0.02)

    def answers(self, order):
        return [a for a in self.all("answer") if a["order"] == order]

    def wait_for(self, order, *states, seconds=20.0):
        """The first answer of that order with one of these states."""
        self.until(lambda: any(a["state"] in states for a in self.answers(order)), seconds)
        return next(a for a in self.answers(order) if a["state"] in states)

    def begin(self, verb, descriptor=None, **args):
        """Gives an order that runs; its id, once it is accepted."""
        order = self.order(verb, descriptor, **args)
        answer = self.wait_for(order, "accepted", "failed")
        assert answer["state"] == "accepted", f"{verb}: {answer['text']}"
        return order

    def stop(self, order):
        self.order("stop", order=order)
        return self.wait_for(order, "done", "failed")

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()


def attach(pid, library, options="", wait=15.0):
    """Loads an agent by the attach protocol; the VM's reply."""
    path, trigger = f"/tmp/.java_pid{pid}", f"/proc/{pid}/cwd/.attach_pid{pid}"
    if not os.path.exists(path):
        with open(trigger, "w"):
            pass
        try:
            os.kill(pid, signal.SIGQUIT)
            end = time.monotonic() + wait
            while not os.path.exists(path):
                assert time.monotonic() < end, "the VM opened no attach socket"
                time.sleep(0.01)
        finally:
            os.unlink(trigger)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.settimeout(wait)
        s.connect(path)
        s.sendall(b"".join(part.encode() + b"\0" for part in ("1", "load", library, "true", options)))
        reply = b""
        while data := s.recv(4096):
            reply += data
    return reply.decode()
