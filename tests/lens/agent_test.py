# SPDX-License-Identifier: Apache-2.0
# @timeout 600
"""The Lens agent at its socket: each verb on a program whose answers are known (LensTarget.java), two fronts at once, coming and
going, recordings, ends of either side. `agent_test.py JAVA_HOME WORKDIR`; $LENS_AGENT is the library."""
import collections, os, pathlib, random, re, select, signal, subprocess, sys, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import wire

HOME, WORK = sys.argv[1], sys.argv[2]
AGENT = os.environ["LENS_AGENT"]
IS_OURS = "Pellucid" in subprocess.run([f"{HOME}/bin/java", "-version"], capture_output=True, text=True).stderr
TESTS = []
ALL_FOLLOWED = 2**64 - 1  # lens_wire.h


def test(function):
    TESTS.append(function)
    return function


class Target:
    """LensTarget in a process of its own."""

    def __init__(self, *flags):
        self.process = subprocess.Popen([f"{HOME}/bin/java", *flags, "-cp", WORK, "LensTarget"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.expect("ready")

    def expect(self, line):
        got = self.process.stdout.readline()
        assert got == line + "\n", f"the program said {got!r}, not {line!r}"

    def do(self, command):
        self.begin(command)
        self.expect(command)

    def begin(self, command):
        """Does it meanwhile: its line is still to be expected."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def attach(self, alive=True):
        reply = wire.attach(self.pid, AGENT)
        assert "return code: 0" in reply, reply
        return wire.Front(self.pid, alive=alive)

    def end(self):
        self.process.stdin.close()
        code = self.process.wait(60)
        assert code == 0, f"the program ended with {code}"

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def thread_name(front, number):
    return front.defs.threads[number]["name"]


def near(value, wanted, tolerance, what):
    assert abs(value - wanted) <= tolerance, f"{what}: {value}, not {wanted} +- {tolerance}"


# ---- what there is ----

@test
def hello_tells_who_it_is():
    with Target() as target, target.attach() as front:
        hello = front.hello()
        assert hello["pid"] == str(target.pid) and hello["agent.late"] == "1" and hello["version"] == "1", hello
        assert hello["java.version"].startswith(("17", "2")) and "LensTarget" in hello["java.command"], hello
        assert hello["asgct"] == "1" and hello["costs"] == str(int(IS_OURS)), hello
        assert hello["allocated"] == ("vm" if IS_OURS else "threads"), hello
        assert hello["cap.tag_objects"] in ("had", "can"), hello
        assert hello["cap.generate_breakpoint_events"] == ("can" if IS_OURS else "no"), hello
        now = time.clock_gettime(time.CLOCK_REALTIME) * 1000
        assert now - 120_000 < int(hello["start.time"]) < now, "start.time"


def main_shares(front, kind):
    """Weights of the planted methods in thread hot, and all of it."""
    shares = collections.Counter()
    for s in front.all("samples"):
        if s["kind"] == kind and thread_name(front, s["thread"]) == "hot":
            frames = front.defs.frames(s["stack"])
            shares["all"] += s["weight"]
            shares["samples"] += 1
            shares["failed"] += s["failure"] != 0
            for name in ("fifty", "thirty", "twenty"):
                shares[name] += s["weight"] * (f"LensTarget.{name}" in frames)
    return shares


@test
def cpu_finds_planted_methods():
    with Target() as target, target.attach() as front:
        target.do("hot")
        metrics = front.begin("metrics", ms=50)
        order = front.begin("cpu", hz=1000)
        front.until(lambda: sum(s["kind"] == "cpu" for s in front.all("samples")) > 3500, 170)
        front.stop(order)
        front.stop(metrics)
        shares = main_shares(front, "cpu")
        for name, share in (("fifty", 50), ("thirty", 30), ("twenty", 20)):
            near(100 * shares[name] / shares["all"], share, 3, f"percent of {name}")
        assert shares["failed"] < 0.05 * shares["samples"], shares
        used = [m["value"] for m in front.all("metrics") if m["metric"] == "thread_cpu" and thread_name(front, m["thread"]) == "hot"]
        near(shares["all"] / (used[-1] - used[0]), 1, 0.1, "CPU time by samples, of that by the thread's clock")
        assert front.lost == 0, front.lost
        stack = next(s["stack"] for s in front.all("samples") if "LensTarget.fifty" in front.defs.frames(s["stack"]))
        names = front.defs.frames(stack)
        assert names[-1] == "java.lang.Thread.run" and "LensTarget.hot" in names, names


@test
def cpu_tells_inlined_methods_apart():
    """The loops of three calls lie next to each other in one piece of code."""
    if not IS_OURS:
        return
    with Target("-XX:+UnlockDiagnosticVMOptions", "-XX:+JitAll") as target, target.attach() as front:
        target.do("hot")
        order = front.begin("cpu", hz=1000)
        front.until(lambda: sum(s["kind"] == "cpu" for s in front.all("samples")) > 2500, 170)
        front.stop(order)
        shares = main_shares(front, "cpu")
        for name, share in (("fifty", 50), ("thirty", 30), ("twenty", 20)):
            near(100 * shares[name] / shares["all"], share, 4, f"percent of {name}")


@test
def samples_belong_to_threads_that_have_ended():
    """The next thread has the address of the one before, whose last samples are still in the ring."""
    with Target() as target, target.attach() as front:
        order = front.begin("cpu", hz=1000)
        target.do("turns")
        front.stop(order)
        seen = collections.Counter()
        for s in front.all("samples"):
            for name in ("even", "odd"):
                if f"LensTarget.{name}" in front.defs.frames(s["stack"]):
                    seen[name, thread_name(front, s["thread"])] += 1
        assert set(seen) == {("even", "even"), ("odd", "odd")}, f"methods by thread: {seen}"


@test
def the_last_samples_have_native_frames():
    with Target() as target, target.attach() as front:
        target.do("deflate")
        order = front.begin("cpu", hz=1000)
        front.until(lambda: len(front.all("samples")) > 200, 60)
        front.stop(order)
        native = [front.defs.stacks[s["stack"]]["kind"] == 1 for s in front.all("samples")
                  if thread_name(front, s["thread"]) == "deflate" and
                  any("Deflater.deflateBytesBytes" in frame for frame in front.defs.frames(s["stack"]))]
        assert len(native) > 100 and sum(native[-10:]) >= 8, f"of {len(native)}, {sum(native)} in all and {sum(native[-10:])} of the last 10"


@test
def wall_time_of_many_is_whole():
    """Of more threads than processors most wait for one, and so do their signals: one for both times."""
    threads = 4 * os.cpu_count()
    with Target() as target, target.attach() as front:
        for _ in range(threads):
            target.do("hot")
        order = front.begin("cpu", hz=1000, mode="both")
        front.pump(2)
        front.stop(order)
        times = collections.defaultdict(list)
        for s in sorted(front.all("samples"), key=lambda s: s["t"]):  # each ring comes by itself
            if s["kind"] == "wall" and thread_name(front, s["thread"]) == "hot":
                times[s["thread"]].append(s)
        assert len(times) == threads and front.lost == 0, f"{len(times)} threads, {front.lost} samples lost"
        known = sum(s["weight"] for of in times.values() for s in of[1:])
        lasted = sum(of[-1]["t"] - of[0]["t"] for of in times.values())
        near(known / lasted, 1, 0.1, f"wall time by samples, of {lasted / 1e9:.1f} s")


@test
def wall_tells_waiting_from_running():
    with Target() as target, target.attach() as front:
        target.do("hot")
        target.do("sleeper")
        order = front.begin("cpu", hz=100, mode="wall")
        front.pump(3)
        front.stop(order)
        by_state = collections.Counter()
        for s in front.all("samples"):
            assert s["kind"] == "wall"
            by_state[thread_name(front, s["thread"]), s["state"]] += s["weight"]
        slept = by_state["sleeper", "sleeping"]
        near(slept / 1e9, 3, 0.8, "seconds asleep")
        top = next(s["stack"] for s in front.all("samples") if thread_name(front, s["thread"]) == "sleeper")
        assert front.defs.frames(top)[0].startswith("java.lang.Thread.sleep"), front.defs.frames(top)
        assert by_state["hot", "running"] > 0, by_state


@test
def metrics_and_collections():
    with Target() as target, target.attach() as front:
        front.begin("metrics", ms=50)
        front.begin("gc")
        front.pump(0.5)
        for _ in range(3):
            target.do("collect")
        front.until(lambda: len(front.all("gc")) >= 3)
        front.pump(0.3)
        last = {m["metric"]: m["value"] for m in front.all("metrics")}
        assert last["gc_count"] >= 3 and 0 < last["gc_nanos"] < 60e9, last
        assert 0 < last["heap_used"] <= last["heap_committed"] <= last["heap_max"], last
        assert last["threads_live"] == len({m["thread"] for m in front.all("metrics") if m["metric"] == "thread_cpu"}), last
        assert 200 < last["classes"] < 20000 and last["process_cpu"] > 0 and last["resident"] > 1 << 20, last
        assert all(g["ns"] > 0 for g in front.all("gc"))


@test
def bytes_of_compiled_code():
    """Code that was there before, and what comes; beside the list of jcmd."""
    with Target() as target:
        target.do("hot")
        time.sleep(1)
        with target.attach() as front:
            front.begin("metrics", ms=50)
            target.do("churn")
            target.do("cold")
            front.pump(2)
            listed = subprocess.run([f"{HOME}/bin/jcmd", str(target.pid), "Compiler.codelist"], capture_output=True, text=True, check=True).stdout
            code = sum(int(end, 16) - int(begin, 16) for begin, end in re.findall(r", 0x([0-9a-f]+) - 0x([0-9a-f]+)\]", listed))
            last = {m["metric"]: m["value"] for m in front.all("metrics")}
            near(last["code_cache_used"] / code, 1, 0.15, "bytes of compiled code, of those listed")


@test
def bytes_allocated():
    """Of 200 threads that allocate a million bytes each and end at once."""
    with Target("-Xmx32m") as target, target.attach() as front:
        front.begin("metrics", ms=10)
        front.pump(0.5)

        def allocated():
            return [m["value"] for m in front.all("metrics") if m["metric"] == "allocated"]

        before = allocated()[-1]
        target.do("flood")
        front.pump(0.5)
        values = allocated()
        assert values == sorted(values), "bytes allocated became less, or readings came out of order"
        near((values[-1] - before) / 200e6, 1, 0.02, "bytes allocated, of 200 million")


# ---- allocation ----

@test
def allocations_are_exact_and_followed():
    with Target() as target, target.attach() as front:
        order = front.begin("alloc", interval=0, live=1)
        target.do("fill")  # a sampling interval takes effect at the next sample
        target.do("allocate")
        target.do("collect")
        target.do("collect")

        def marked():
            return [a for a in front.all("allocs") if "cls" in a and front.defs.classes[a["cls"]]["name"] == "LensTarget$Marked"]

        front.until(lambda: len(marked()) >= 1000)
        ours = {a["object"] for a in marked()}
        assert len(marked()) == 1000 and len(ours) == 1000 and 0 not in ours, len(marked())
        assert all(a["weight"] == a["size"] for a in marked())
        front.until(lambda: len(ours & {a.get("freed") for a in front.all("allocs")}) >= 900)
        assert len(ours & {a.get("freed") for a in front.all("allocs")}) == 900, "objects that are kept were told as freed"
        frames = front.defs.frames(marked()[0]["stack"])
        assert "LensTarget.allocate" in frames, frames
        front.stop(order)
        front.until(lambda: any(a.get("freed") == ALL_FOLLOWED for a in front.all("allocs")))


@test
def ends_that_come_at_once_are_all_told():
    """One collection frees more objects than a ring has room for."""
    with Target() as target, target.attach() as front:
        order = front.begin("alloc", interval=0, live=1)
        target.do("fill")
        target.do("litter")

        def litter():
            return {a["object"] for a in front.all("allocs") if "cls" in a and front.defs.classes[a["cls"]]["name"] == "LensTarget$Litter"}

        front.until(lambda: len(litter()) >= 120_000, 60)
        followed = litter()
        target.do("collect")
        front.until(lambda: len(followed & {a.get("freed") for a in front.all("allocs")}) == len(followed), 60)
        front.stop(order)


@test
def allocations_are_estimated():
    with Target() as target, target.attach() as front:
        order = front.begin("alloc", interval=16384)
        target.do("fill")
        target.do("fill")
        front.pump(0.5)
        front.stop(order)
        bytes_ = [a["weight"] for a in front.all("allocs") if front.defs.classes[a["cls"]]["name"] == "byte[]"
                  and "LensTarget.run" in front.defs.frames(a["stack"])]
        near(sum(bytes_) / 1e6, 8.128, 2, "MB of 8,000 arrays")


# ---- locks ----

@test
def contention_of_known_length():
    with Target() as target, target.attach() as front:
        order = front.begin("locks")
        target.do("contend")
        target.do("wait")
        front.pump(0.5)
        front.stop(order)
        enters = [w for w in front.all("locks") if w["kind"] == "enter" and thread_name(front, w["thread"]) == "waiter"]
        assert len(enters) == 3, enters
        for w in enters:
            assert 200e6 <= w["ns"] < 600e6, w
            assert thread_name(front, w["owner"]) == "main" and front.defs.classes[w["cls"]]["name"] == "java.lang.Object", w
            assert "LensTarget.contend" in front.defs.frames(w["owner_stack"]), front.defs.frames(w["owner_stack"])
        assert len({w["monitor"] for w in enters}) == 1, "one monitor has several ids"
        waits = [w for w in front.all("locks") if w["kind"] == "wait" and thread_name(front, w["thread"]) == "parker"]
        assert len(waits) == 1 and 199e6 <= waits[0]["ns"] < 600e6, waits
        parked = sum(w["ns"] for w in front.all("locks") if w["kind"] == "park" and thread_name(front, w["thread"]) == "parker")
        assert 200e6 < parked < 700e6, parked


@test
def short_waits_are_not_told_as_long():
    with Target() as target, target.attach() as front:
        orders = [front.begin("locks", parks=parks) for parks in (0, 1)]
        target.do("relay")
        for order in orders:
            front.stop(order)
        waits = [w for w in front.all("locks") if thread_name(front, w["thread"]) == "relay"]
        entered = [w["ns"] for w in waits if w["kind"] == "enter"]
        assert len(entered) > 10, f"{len(entered)} waits"
        told = [w["ns"] for w in waits if w["kind"] == "blocked"]
        assert not told or max(entered) > 0.9e9, f"waits of {told} ns, the longest was of {max(entered)}"


@test
def parked_threads_wait_for_who_has_the_lock_now():
    with Target() as target, target.attach() as front:
        order = front.begin("locks")
        target.do("queue")
        front.stop(order)
        told = [(thread_name(front, w["thread"]), thread_name(front, w["owner"])) for w in front.all("locks") if w["kind"] == "blocked"]
        assert told and set(told) == {("queue-2", "queue-1")}, told


@test
def deadlocks_are_told_of():
    with Target() as target, target.attach() as front:
        front.begin("locks")
        target.do("deadlock")
        front.until(lambda: len({w["thread"] for w in front.all("locks") if w["kind"] == "blocked"}) == 2)
        waits = {thread_name(front, w["thread"]): thread_name(front, w["owner"]) for w in front.all("locks") if w["kind"] == "blocked"}
        assert waits == {"dead-0": "dead-1", "dead-1": "dead-0"}, waits
        order = front.order("dump")
        front.wait_for(order, "done")
        text = front.all("dump")[0]["text"]
        assert '"dead-0"' in text and "LensTarget.lockBoth" in text, text
        assert not IS_OURS or "waits for <" in text and "locked <" in text, text


# ---- threads, stacks, classes ----

@test
def threads_and_their_states():
    with Target() as target, target.attach() as front:
        order = front.begin("threads", ms=10, stacks=1)
        target.do("sleeper")
        front.pump(0.5)
        target.do("contend")
        front.pump(0.5)
        states = collections.defaultdict(list)
        for t in front.all("threads"):
            states[thread_name(front, t["thread"])].append(t)
        assert states["sleeper"][-1]["state"] == "sleeping", states["sleeper"]
        assert any(t["state"] == "blocked" for t in states["waiter"]) and states["waiter"][-1]["state"] == "ended", states["waiter"]
        sleeper = states["sleeper"][-1]
        assert front.defs.frames(sleeper["stack"])[-1] == "java.lang.Thread.run", front.defs.frames(sleeper["stack"])
        front.stop(order)
        told = len(front.all("threads"))
        answer = front.wait_for(front.order("stack", thread=sleeper["thread"]), "done", "failed")
        assert answer["state"] == "done", answer  # the id holds though nothing ran meanwhile
        assert len(front.all("threads")) == told + 1 and "LensTarget.sleep" in front.defs.frames(front.all("threads")[-1]["stack"])


@test
def classes_and_source():
    with Target() as target, target.attach() as front:
        values = dict(front.wait_for(front.order("classes", match="lenstarget"), "done")["values"])
        assert any(line.startswith("spin(I)V ") for line in values["LensTarget"].split("\n")), values
        assert len(front.wait_for(front.order("classes", match="java", limit=7), "done")["values"]) == 7
        values = dict(front.wait_for(front.order("source", **{"class": "LensTarget"}), "done")["values"])
        assert values["source"] == "LensTarget.java"
        modifiers, lines, code = values["fifty()V"].split()
        assert int(modifiers) & 8 and lines.startswith("0:") and code.startswith("1032b8") and code.endswith("b1"), values["fifty()V"]
        answer = front.wait_for(front.order("source", **{"class": "NotThere"}), "failed")
        assert "NotThere" in answer["text"], answer


# ---- orders ----

@test
def wrong_orders_are_told_why():
    with Target() as target, target.attach() as front:
        for verb, args, word in (("dance", {}, "dance"), ("cpu", {"hz": 0}, "hz"), ("cpu", {"hz": "10x"}, "hz"),
                                 ("cpu", {"mode": "slow"}, "mode"), ("metrics", {"ms": "-5"}, "ms"), ("stop", {"order": 77}, "77"),
                                 ("stack", {"thread": 9999}, "9999"), ("gc", {"seconds": "x"}, "seconds")):
            answer = front.wait_for(front.order(verb, **args), "failed")
            assert word in answer["text"], answer
        order = front.begin("gc", seconds=1)
        began = time.monotonic()
        assert front.wait_for(order, "done")["permille"] == 1000 and time.monotonic() - began > 0.5
        front.send("order", b"\x01")
        front.pump(0.3)
        assert not front.ended, "a short order closes nothing"
        front.socket.sendall(b"x" * 64)
        front.pump(5)
        assert front.ended, "what is no block must end the connection"


@test
def random_orders_do_no_harm():
    randoms = random.Random(16)
    verbs = ("metrics", "cpu", "alloc", "locks", "threads", "gc", "stack", "source", "classes", "stop", "")
    names = ("hz", "ms", "mode", "interval", "live", "order", "seconds", "class", "depth", "")
    values = ("1", "0", "18446744073709551616", "wall", "both", "-1", "\u2603", "x" * 3000, "")
    with Target() as target, target.attach() as front:
        for turn in range(200):
            args = {randoms.choice(names): randoms.choice(values) for _ in range(randoms.randrange(4))}
            order = front.order(randoms.choice(verbs), **args)
            front.wait_for(order, "accepted", "done", "failed")
            payload = bytearray(wire.put_u(order) + wire.put_s("cpu") + wire.put_u(1) + wire.put_s("hz") + wire.put_s("100"))
            for _ in range(randoms.randrange(1, 4)):
                payload[randoms.randrange(len(payload))] = randoms.randrange(256)
            front.send("order", bytes(payload[:randoms.randrange(len(payload) + 1)]))
        front.pump(1)
        front.wait_for(front.order("detach"), "done")
        target.end()


@test
def silence_ends_a_connection():
    with Target() as target, target.attach(alive=False) as front:
        front.begin("cpu")
        time.sleep(12)  # nothing is sent, nothing is read
        front.pump(3)
        assert front.ended, "a silent front is still connected"
        with wire.Front(target.pid) as other:
            other.begin("gc")


@test
def two_fronts_at_once():
    with Target() as target, target.attach() as one, wire.Front(target.pid) as two:
        target.do("hot")
        order = one.begin("cpu", hz=100)
        one.pump(0.5)
        second = two.begin("cpu", hz=200)

        def samples(front):
            return sum(s["kind"] == "cpu" for s in front.all("samples"))

        one.until(lambda: samples(one) > 20, 60)
        two.until(lambda: samples(two) > 20, 60)
        one.stop(order)
        before, other = samples(one), samples(two)
        two.until(lambda: samples(two) > other + 10, 60)
        one.pump(0.5)
        assert samples(one) == before, "samples after the order was stopped"
        names = [front.defs.frames(front.all("samples")[-1]["stack"]) for front in (one, two)]
        assert all(names), names
        two.stop(second)


# ---- coming and going ----

def resident(target):
    """In kB."""
    with open(f"/proc/{target.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def count(folder):
    return len(os.listdir(folder))


def cpu_ticks_of_agent(pid):
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm") as comm:
            if comm.read().strip() == "Lens":
                with open(f"/proc/{pid}/task/{task}/schedstat") as stat:
                    return int(stat.read().split()[0])
    raise AssertionError("there is no thread Lens")


@test
def coming_and_going():
    with Target() as target:
        target.do("hot")
        for turn in range(50):
            with target.attach() as front:
                front.begin("cpu", hz=200)
                front.begin("alloc", interval=65536, live=1)
                front.begin("locks")
                target.do("threads" if turn % 10 == 0 else "fill")
                front.wait_for(front.order("detach"), "done")
                front.until(lambda: front.all("bye"))
                assert front.all("bye") == ["detached"], front.all("bye")
            if turn == 4:
                time.sleep(0.5)
                first = count(f"/proc/{target.pid}/task"), count(f"/proc/{target.pid}/fd")
        time.sleep(0.5)
        now = count(f"/proc/{target.pid}/task"), count(f"/proc/{target.pid}/fd")
        assert now[0] <= first[0] + 1 and now[1] <= first[1] + 1, f"threads and descriptors: {first}, then {now}"
        idle = cpu_ticks_of_agent(target.pid)
        time.sleep(2)
        assert cpu_ticks_of_agent(target.pid) == idle, "the agent runs though nobody is connected"
        target.do("cold")
        target.end()


@test
def a_slow_front_costs_no_more_and_more():
    """One that never takes all that waits for it: what it has taken is given back."""
    if str(HOME).endswith("-asan"):
        print("skipped: what a slow front costs: asan keeps what was freed")
        return
    with Target("-Xmx16m") as target, target.attach() as front:
        front.begin("alloc", interval=0)
        target.begin("churn")
        time.sleep(3)
        taken, first = 0, 0
        end = time.monotonic() + 120
        while taken < 48 << 20 and time.monotonic() < end:
            for _ in range(16):
                taken += len(front.socket.recv(1 << 16))
            first = first or (resident(target) if taken > 8 << 20 else 0)
            if select.select([target.process.stdout], [], [], 0.2)[0]:
                target.expect("churn")
                target.begin("churn")
        assert taken >= 48 << 20, f"{taken} bytes came"
        growth = resident(target) - first
        assert growth < 16000, f"{growth} kB"


@test
def ended_threads_are_forgotten():
    if not IS_OURS or str(HOME).endswith("-asan"):
        return  # its heap has no size that stays, nor has what the sanitizer keeps of what is freed

    def resident_after_visit(target):
        with target.attach() as front:
            front.begin("threads")
            for _ in range(20):
                target.do("threads")
            front.wait_for(front.order("detach"), "done")
        time.sleep(0.5)
        return resident(target)

    with Target("-Xmx8m") as target:
        kept = [resident_after_visit(target) for _ in range(9)]
        growth = kept[-1] - kept[2]
        assert growth < 3200, f"{growth} kB for 24,000 threads"  # 4100 with their definitions


@test
def children_leave_the_front_alone():
    with Target() as target, target.attach() as front:
        front.begin("cpu", hz=1000, mode="both")
        front.begin("threads")
        target.do("hot")
        target.do("processes")
        told = len(front.all("samples"))
        front.until(lambda: len(front.all("samples")) > told + 10)
        target.do("cold")
        target.end()
        front.pump(2)
        assert front.all("bye") == ["VMDeath"], front.all("bye")


@test
def the_target_dies():
    with Target() as target, target.attach() as front:
        front.begin("cpu")
        os.kill(target.pid, signal.SIGKILL)
        front.until(lambda: front.ended) if not front.ended else None
        assert not front.all("bye"), "a farewell of a process that was killed"


@test
def the_target_ends():
    with Target() as target, target.attach() as front:
        front.begin("cpu", hz=1000)
        front.begin("locks")
        front.begin("alloc", live=1)
        target.do("hot")
        path = wire.socket_path(target.pid)
        target.end()
        front.pump(2)
        assert front.all("bye") == ["VMDeath"], front.all("bye")
        assert not os.path.exists(path), "the socket is still there"


# ---- recordings ----

@test
def a_recording_from_the_start():
    path = f"{WORK}/whole.lens"
    with Target(f"-agentpath:{AGENT}=record={path},cpu,hz=1000,metrics,ms=50,gc,threads") as target:
        target.do("hot")
        target.do("collect")
        time.sleep(3)
        target.do("cold")
        target.end()
    stream = wire.read_file(path)
    assert stream.all("bye") == ["VMDeath"] and not stream.buffer, "the file does not end as it should"
    for kind in ("samples", "metrics", "gc", "threads", "clock"):
        assert stream.all(kind), f"no {kind} in the recording"
    assert any("LensTarget.fifty" in stream.defs.frames(s["stack"]) for s in stream.all("samples"))
    with open(path, "rb") as f:
        data = f.read()
    for offset, kind, _ in stream.all("index"):
        assert data[offset:offset + 4] == b"LENS" and data[offset + 8] == kind, "the index points beside a block"
    assert stream.hello()["agent.late"] == "0"


@test
def a_recording_of_a_killed_program():
    path = f"{WORK}/killed.lens"
    with Target(f"-agentpath:{AGENT}=record={path}") as target:
        target.do("hot")
        time.sleep(3)
        os.kill(target.pid, signal.SIGKILL)
        target.process.wait()
    stream = wire.read_file(path)
    assert stream.all("samples") and not stream.all("bye") and not stream.all("index")


@test
def wrong_options_are_refused():
    for options in ("cpu", "record=x,dance", "record=x,hz=5", "record="):
        done = subprocess.run([f"{HOME}/bin/java", f"-agentpath:{AGENT}={options}", "-cp", WORK, "LensTarget"], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        assert done.returncode != 0 and "lens: " in done.stderr, f"{options}: {done.returncode} {done.stderr}"


@test
def wrong_options_do_no_lasting_harm():
    with Target() as target:
        for options in ("dance", "record=x,dance", "record="):
            reply = wire.attach(target.pid, AGENT, options)
            assert "return code: 0" not in reply, f"{options}: {reply}"
        with target.attach() as front:
            reply = wire.attach(target.pid, AGENT, f"record={WORK}/late.lens")
            assert "return code: 0" not in reply and not os.path.exists(f"{WORK}/late.lens"), reply
            front.stop(front.begin("metrics"))


def main():
    source = pathlib.Path(__file__).parent / "LensTarget.java"
    subprocess.run([f"{HOME}/bin/javac", "-d", WORK, str(source)], check=True)
    wanted = os.environ.get("LENS_TESTS", "").split()
    failed = 0
    for function in TESTS:
        if wanted and function.__name__ not in wanted:
            continue
        began = time.monotonic()
        try:
            function()
            print(f"{function.__name__}: {time.monotonic() - began:.1f} s", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"{function.__name__} FAILED: {error}", flush=True)
    sys.exit(failed > 0)


main()
