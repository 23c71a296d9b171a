# SPDX-License-Identifier: Apache-2.0
# @only pellucid
# @timeout 600
"""The front program `lens`: who may ask, orders end to end, exports that other tools read, recordings that are cut off, and an agent
that dies or says nonsense. `front_test.py JAVA_HOME WORKDIR [TEST...]`; $LENS is the program. The agent is fake_agent.py, so the numbers are
known and no VM is needed; that the real agents speak the same is for agent_test.py and points_test.py."""
import gzip, http.client, http.server, json, os, pathlib, re, resource, shutil, signal, struct, subprocess, sys, threading, time, xml.dom.minidom

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fake_agent, wire

WORK = pathlib.Path(sys.argv[2])
LENS = os.environ["LENS"]
ENVIRONMENT = {**os.environ, "XDG_CACHE_HOME": str(WORK / "cache")}
ENVIRONMENT.pop("DISPLAY", None)
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Fake:
    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        self.process = subprocess.Popen([sys.executable, fake_agent.__file__, str(WORK), *self.words], stdout=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline().split()[1])
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)
        self.process.stdout.close()


class Page:
    """lens with a page, and a browser of ours."""

    def __init__(self, *words, before=None):
        self.process = subprocess.Popen([LENS, *map(str, words), "--no-browser"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, preexec_fn=before,
                                        restore_signals=before is None)
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        assert found, (self.address, self.process.stderr.read())
        self.port, self.token = int(found[1]), found[2]
        self.cookie = None

    def __enter__(self):
        reply = self.ask("GET", f"/?token={self.token}", cookie=False)[0]
        assert reply.status == 303 and reply.getheader("Location") == "/", reply.status
        self.set_cookie = reply.getheader("Set-Cookie")
        self.cookie = self.set_cookie.split(";")[0]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        errors = self.process.communicate(timeout=60)[1]
        assert self.process.returncode == 0, f"lens ended with {self.process.returncode}: {errors[-4000:]}"

    def ask(self, method, path, body=None, cookie=True, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie and self.cookie:
            headers["Cookie"] = self.cookie
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        data = reply.read()
        connection.close()
        return reply, data

    def get(self, path, status=200):
        reply, data = self.ask("GET", path)
        assert reply.status == status, (path, reply.status, data[:300])
        return json.loads(data)

    def post(self, path, value, status=200):
        reply, data = self.ask("POST", path, json.dumps(value), Content_Type="application/json")
        assert reply.status == status, (path, reply.status, data[:300])
        return json.loads(data)

    def order(self, verb, **args):
        return self.post("/api/order", {"verb": verb, "args": args})["id"]

    def until(self, what, condition):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            session = self.get("/api/session")
            if condition(session):
                return session
            time.sleep(0.05)
        raise AssertionError(f"never: {what}; {session}")

    def state(self, order):
        return next(o for o in self.get("/api/session")["orders"] if o["id"] == order)

    def until_order(self, order, state):
        self.until(f"order {order} {state}", lambda s: any(o["id"] == order and o["state"] == state for o in s["orders"]))

    def recorded(self):
        self.order("cpu", hz=100)
        self.until("samples", lambda _: self.get("/api/flame?data=cpu")["samples"] >= 1000)


@test
def who_may_ask():
    with Fake() as fake, Page(fake.pid) as page:
        assert "HttpOnly" in page.set_cookie and "SameSite=Strict" in page.set_cookie, page.set_cookie
        statuses = {
            "the token again": page.ask("GET", f"/?token={page.token}", cookie=False)[0].status,
            "a wrong token": page.ask("GET", "/?token=" + "0" * 32, cookie=False)[0].status,
            "no cookie": page.ask("GET", "/api/session", cookie=False)[0].status,
            "a wrong cookie": page.ask("GET", "/api/session", cookie=False, Cookie=f"lens{page.port}=" + "0" * 32)[0].status,
            "another host": page.ask("GET", "/api/session", Host="evil.example")[0].status,
            "another port": page.ask("GET", "/api/session", Host="127.0.0.1:1")[0].status,
            "another origin": page.ask("GET", "/api/session", Origin="http://evil.example")[0].status,
            "null origin": page.ask("GET", "/api/session", Origin="null")[0].status,
            "another site": page.ask("GET", "/api/session", Sec_Fetch_Site="cross-site")[0].status,
            "the page without a cookie": page.ask("GET", "/", cookie=False)[0].status,
        }
        assert set(statuses.values()) == {403}, statuses
        assert page.ask("GET", "/api/session", Origin=f"http://127.0.0.1:{page.port}")[0].status == 200
        assert page.ask("GET", "/api/session", Host=f"localhost:{page.port}")[0].status == 200
        assert page.ask("POST", "/api/mark", "{}", Content_Type="text/plain")[0].status == 400
        assert page.ask("POST", "/api/mark", "[1", Content_Type="application/json")[0].status == 400
        assert page.ask("GET", "/api/mark")[0].status == 405
        assert page.ask("GET", "/api/nothing")[0].status == 404
        assert page.ask("OPTIONS", "/api/session")[0].status in (405, 501)
        assert page.ask("GET", "/../lens.css")[0].status == 404
        assert page.ask("GET", "/metrics", cookie=False)[0].status == 403
        assert page.ask("GET", "/metrics", cookie=False, Authorization=f"Bearer {page.token}")[0].status == 200
        assert page.ask("GET", "/api/session", cookie=False, Authorization=f"Bearer {page.token}")[0].status == 403
        try:
            status = page.ask("GET", "/api/session", X_Long="x" * 100000)[0].status
            assert status >= 400, status
        except (ConnectionError, http.client.HTTPException):
            pass
        try:
            status = page.ask("POST", "/api/mark", "x" * (3 << 20), Content_Type="application/json")[0].status
            assert status >= 400, status
        except (ConnectionError, http.client.HTTPException):
            pass
        assert page.get("/api/session")["mode"] == "live"


@test
def headers_of_the_page():
    with Fake() as fake, Page(fake.pid) as page:
        reply, data = page.ask("GET", "/")
        policy = reply.getheader("Content-Security-Policy")
        assert b"<html" in data and reply.getheader("Content-Type").startswith("text/html")
        assert "default-src 'none'" in policy and "unsafe" not in policy and "*" not in policy, policy
        assert reply.getheader("X-Content-Type-Options") == "nosniff" and reply.getheader("Referrer-Policy") == "no-referrer"
        assert reply.getheader("Access-Control-Allow-Origin") is None
        packed = page.ask("GET", "/lens.css", Accept_Encoding="gzip")
        assert packed[0].getheader("Content-Encoding") == "gzip"
        assert gzip.decompress(packed[1]) == page.ask("GET", "/lens.css")[1]


@test
def orders_and_known_numbers():
    with Fake() as fake, Page(fake.pid) as page:
        session = page.get("/api/session")
        assert session["main"] == "com.acme.Hot" or session["pid"] == fake.pid, session
        assert session["views"]["coverage"]["ok"] is False and "agentpath" in session["views"]["coverage"]["why"], session["views"]
        page.recorded()
        hot = {row["method"]: row["share_self"] for row in page.get("/api/hot?data=cpu")["rows"]}
        for name, share in fake_agent.PLANTED.items():
            assert abs(hot[f"com.acme.Hot.{name}"] - share / 100) < 1e-6, hot
        flame = page.get("/api/flame?data=cpu")
        assert flame["unit"] == "ns" and flame["total"][0] == 10_000_000 * flame["samples"], flame
        assert all(parent < i or i == 0 for i, parent in enumerate(flame["parent"]))
        assert sum(flame["self"]) == flame["total"][0]
        reverse = page.get("/api/flame?data=cpu&reverse=1")
        top = {reverse["names"][reverse["name"][i]] for i in range(1, len(reverse["parent"])) if reverse["parent"][i] == 0}
        assert top == {f"com.acme.Hot.{name}" for name in fake_agent.PLANTED}, top
        assert page.get("/api/flame?data=cpu&from=900000&to=900001")["samples"] == 0
        assert page.get("/api/flame?data=cpu&threads=2")["samples"] == 0
        method = page.get("/api/method?data=cpu&method=com.acme.Hot.half")
        assert method["callers"][0]["method"] == "com.acme.Hot.main" and method["lines"][0]["line"] == 21, method
        assert page.get("/api/method?data=cpu&method=no.Such.one", 404)["do"]
        diff = page.get("/api/flame_diff?data=cpu&from1=0&to1=900000&from2=0&to2=900000")
        assert diff["total"] == diff["total2"], diff
        refused = page.order("nonsense")
        page.until_order(refused, "failed")
        assert "does not know" in page.state(refused)["text"]
        cpu = page.get("/api/session")["orders"][0]["id"]
        page.post("/api/stop", {"id": cpu})
        page.until_order(cpu, "done")
        assert page.post("/api/stop", {"id": 999}, 404)["error"]
        assert "<script>" in page.post("/api/dump", {})["text"]
        assert b"<script>" not in page.ask("POST", "/api/dump", "{}", Content_Type="application/json")[1]
        assert page.get("/api/classes?match=hot")["classes"][0]["name"] == "com.acme.Hot"
        assert page.get("/api/search?q=half")["methods"] == ["com.acme.Hot.half"]
        page.order("metrics")
        page.until("metrics", lambda _: len(page.get("/api/metrics")["t"]) > 5)
        series = page.get("/api/metrics?points=20")["series"]
        assert series["heap_used"][-1] == 5_000_000 or 5_000_000 in series["heap_used"], series
        assert page.get("/api/thread_cpu")["threads"][0]["name"] == "main"


@test
def what_lives_is_counted_whatever_comes_first():
    with Fake() as fake, Page(fake.pid) as page:
        page.order("alloc", interval=0, live=1)
        page.until("allocations", lambda _: page.get("/api/alloc")["rows"])
        rows = page.get("/api/alloc")["rows"]
        told = [(row["class"], row["count"], row["live_count"], row["live_bytes"]) for row in rows]
        assert told == [("com.acme.Hot", 400, 200, 4800), ("com.acme.Lock", 10, None, None)], rows


@test
def sites_are_those_of_all_classes_of_a_name():
    with Fake() as fake, Page(fake.pid) as page:
        def total(query):
            return page.get(f"/api/alloc_sites?class=com.acme.{query}")["total"][0]
        page.order("alloc", interval=0, live=1)
        page.until("allocations", lambda _: page.get("/api/alloc")["rows"])
        assert (total("Hot"), total("Hot&live=1"), total("Lock"), total("Never")) == (9600, 4800, 160, 0)
        time.sleep(0.3)
        page.post("/api/mark", {})
        assert total("Hot&since=mark") == 0 and page.get("/api/flame?data=alloc&since=mark")["total"][0] == 0
        assert page.get("/api/alloc?since=mark")["rows"] == []


@test
def exact_calls_are_those_of_the_last_order():
    def times(page):
        return {row["method"]: row["self"] for row in page.get("/api/hot?data=exact")["rows"] if row["self"]}
    path = WORK / "exact.lens"
    with Fake() as fake, Page(fake.pid, "-o", path) as page:
        first = page.order("exact", include="first")
        page.until("exact calls", lambda _: times(page) == {"com.acme.Hot.half": 700, "com.acme.Hot.third": 200})
        page.post("/api/stop", {"id": first})
        page.until_order(first, "done")
        page.order("exact", include="second")
        page.until("those of the second order", lambda _: times(page) == {"com.acme.Hot.half": 50})
    with Page("open", path) as page:
        assert times(page) == {"com.acme.Hot.half": 50}


@test
def a_system_id_that_is_not_known_is_not_told():
    with Fake() as fake, Page(fake.pid) as page:
        assert {t["name"]: t["tid"] for t in page.get("/api/threads")["threads"]} == {"main": 1, "left": 2, "right": None}


@test
def deadlock_is_found():
    with Fake() as fake, Page(fake.pid) as page:
        page.order("locks")
        page.until("deadlock", lambda _: page.get("/api/locks")["deadlocks"])
        rings = page.get("/api/locks")["deadlocks"]
        assert len(rings) == 1 and {r["thread_name"] for r in rings[0]} == {"left", "right"}, rings


@test
def what_waited_is_no_deadlock():
    for then in ("parked", "entered"):
        with Fake() as fake, Page(fake.pid) as page:
            page.order("locks", then=then)
            page.until("a wait", lambda _: page.get("/api/locks")["waits"])
            time.sleep(0.3)  # what else the agent had to say
            assert page.get("/api/locks")["deadlocks"] == [], then


@test
def stream_of_events():
    with Fake() as fake, Page(fake.pid) as page:
        connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=30)
        connection.request("GET", "/api/events", headers={"Cookie": page.cookie})
        reply = connection.getresponse()
        assert reply.getheader("Content-Type") == "text/event-stream"
        order = page.order("cpu")
        seen, name = {}, None
        while not {"session", "order", "metrics", "data"} <= set(seen):
            line = reply.readline().decode().strip()
            if line.startswith("event: "):
                name = line[7:]
            elif line.startswith("data: "):
                seen.setdefault(name, json.loads(line[6:]))
        assert seen["session"]["mode"] == "live" and seen["order"]["id"] == order, seen
        assert "heap_used" in seen["metrics"]["values"], seen["metrics"]
        connection.close()
        page.get("/api/session")


def pprof_tool():
    """pprof, or the one that older Go installations bring; newer ones would have to compile it first."""
    found = shutil.which("pprof")
    if found is None and shutil.which("go") is not None:
        folder = subprocess.run(["go", "env", "GOTOOLDIR"], capture_output=True, text=True, check=False).stdout.strip()
        found = shutil.which("pprof", path=folder)
    return found


def read_by_pprof(path):
    tool = pprof_tool()
    if tool is None:
        print("skipped: no pprof, its files are read by this test alone")
        return
    done = subprocess.run([tool, "-top", "-sample_index=cpu", str(path)], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and re.search(r"50(\.0+)?% .*com\.acme\.Hot\.half", done.stdout), done.stdout + done.stderr


def check_pprof(data):
    plain = gzip.decompress(data)
    r, strings, sample_count = wire.Reader(plain), [], 0
    while r.more():
        key = r.u()
        if key & 7 == 0:
            r.u()
            continue
        assert key & 7 == 2, key
        length = r.u()
        value, r.at = plain[r.at:r.at + length], r.at + length
        if key >> 3 == 6:
            strings.append(value.decode())
        sample_count += key >> 3 == 2
    assert strings[0] == "" and "com.acme.Hot.half" in strings and sample_count == len(fake_agent.PLANTED), (strings, sample_count)


@test
def exports():
    with Fake() as fake, Page(fake.pid) as page:
        page.recorded()
        files = {}
        for name in "collapsed pprof speedscope firefox chrome csv lcov jacoco html json lens".split():
            reply, files[name] = page.ask("GET", f"/api/export?format={name}&data=cpu")
            assert reply.status == 200 and "attachment" in reply.getheader("Content-Disposition"), (name, reply.status, files[name][:200])
        collapsed = dict(line.rsplit(" ", 1) for line in files["collapsed"].decode().splitlines())
        total = sum(map(int, collapsed.values()))
        assert int(collapsed["com.acme.Hot.main;com.acme.Hot.half"]) * 2 == total, collapsed
        check_pprof(files["pprof"])
        (WORK / "cpu.pb.gz").write_bytes(files["pprof"])
        read_by_pprof(WORK / "cpu.pb.gz")
        scope = json.loads(files["speedscope"])
        profile = scope["profiles"][0]
        assert profile["type"] == "sampled" and len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"] and max(map(max, profile["samples"])) < len(scope["shared"]["frames"])
        firefox = json.loads(files["firefox"])
        thread = firefox["threads"][0]
        for table in ("samples", "stackTable", "frameTable", "funcTable"):
            for column, values in thread[table].items():
                assert not isinstance(values, list) or len(values) == thread[table]["length"], (table, column)
        assert "com.acme.Hot.third" in thread["stringArray"] and firefox["meta"]["preprocessedProfileVersion"] > 0
        slices = [e for e in json.loads(files["chrome"])["traceEvents"] if e["ph"] == "X"]
        assert {"com.acme.Hot.half", "com.acme.Hot.main"} <= {e["name"] for e in slices}
        assert files["csv"].splitlines()[0].startswith(b"method,class,package,self_ns")
        xml.dom.minidom.parseString(re.sub(rb"<!DOCTYPE[^>]*>", b"", files["jacoco"]))
        one = files["html"].decode()
        answers = json.loads(re.search(r'id="lens-data">(.*?)</script>', one, re.S)[1])
        assert answers["GET /api/flame?data=cpu&reverse=0"]["samples"] >= 1000 and answers["GET /api/session"]["main"]
        assert "src=" not in one and "http-equiv=\"Content-Security-Policy\"" in one and "'unsafe" not in one
        (WORK / "copy.lens").write_bytes(files["lens"])
        assert page.get("/api/export?format=none", 400)["do"]


def opened(path):
    with Page("open", path) as page:
        session = page.get("/api/session")
        return session, page.get("/api/flame?data=cpu")["samples"]


@test
def recordings_cut_off_and_damaged():
    path = WORK / "whole.lens"
    with Fake() as fake, Page(fake.pid, "-o", path) as page:
        page.recorded()
        page.order("metrics")
        page.until("metrics", lambda _: page.get("/api/metrics")["t"])
        time.sleep(0.5)
    session, samples = opened(path)
    assert session["mode"] == "file" and samples >= 1000 and session["damaged"] == 0, session
    assert "closed while the program ran" in session["ended"]["why"], session["ended"]
    assert session["views"]["watch"]["ok"] is False, session["views"]
    with Page("open", path) as page:  # more parameters than are kept
        assert page.get("/api/classes?" + "&".join(["more=1"] * 120))["classes"]
    data = path.read_bytes()
    assert data[:8] == wire.FILE_MAGIC
    cut = WORK / "cut.lens"
    cut.write_bytes(data[:len(data) - 40])
    session, again = opened(cut)
    assert again == samples and "cut off" in session["ended"]["why"], session["ended"]
    cut.write_bytes(data[:8] + b"\xff" * 100 + data[8:])
    session, again = opened(cut)
    assert again == samples and session["damaged"] > 0, session
    at = data.index(struct.pack("<I", wire.MAGIC), len(data) // 2)
    cut.write_bytes(data[:at + 20] + b"\0\0\0\0" + data[at + 24:])
    opened(cut)
    for bad in (b"", b"LENSREC1", b"not a recording at all", data[:8]):
        cut.write_bytes(bad)
        done = subprocess.run([LENS, "open", cut, "cpu"], capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False)
        assert done.returncode == 1 and done.stderr.startswith("lens: cannot open"), done


def no_large_files():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))


@test
def what_cannot_be_written_is_said():
    heap = pathlib.Path(__file__).resolve().parents[2] / "fuzz/lens_hprof/kinds.hprof"
    with Page("open", heap, before=no_large_files) as page:
        page.until("heap", lambda _: page.get("/api/heap/snapshots")["snapshots"])
        said = page.get("/api/heap/hprof", 409)["error"]
        assert "cannot be written" in said, said
        assert not list((WORK / "cache/lens").glob("heap-*")), "a part of a file is left"


@test
def the_agent_dies():
    with Fake() as fake, Page(fake.pid) as page:
        page.recorded()
        page.order("die")
        session = page.until("ended", lambda s: s["ended"])
        assert "without farewell" in session["ended"]["why"], session["ended"]
        assert page.get("/api/flame?data=cpu")["samples"] >= 1000
        assert page.post("/api/order", {"verb": "cpu"}, 409)["do"]
        assert all(o["state"] in ("done", "failed") for o in session["orders"]), session["orders"]
    with Fake() as fake, Page(fake.pid) as page:
        page.order("bye")
        session = page.until("ended", lambda s: s["ended"])
        assert "the program ended" in session["ended"]["why"] and session["ended"]["crash"] is None, session["ended"]
    with Fake("brief") as fake:
        said = lens(fake.pid, "cpu", "-d", 1, code=1).stderr
        assert "closed the connection" in said, said


@test
def hostile_blocks():
    for how, survives in {"varint": True, "count": True, "ids": True, "type": True, "random": True, "length": False, "crc": False,
                          "magic": False}.items():
        with Fake() as fake, Page(fake.pid) as page:
            page.recorded()
            order = page.order("hostile", how=how)
            if survives:
                page.until(f"hostile {how}", lambda s: s["ended"] or any(o["id"] == order and o["state"] == "done" for o in s["orders"]))
            else:
                session = page.until("closed", lambda s: s["ended"])
                assert "connection to the agent was closed" in session["ended"]["why"], session["ended"]
            for path in ("flame?data=cpu", "hot?data=wall", "metrics", "locks", "threads", "exceptions", "watch", "coverage", "alloc"):
                page.get(f"/api/{path}")
            page.get("/api/session")


def lens(*words, code=0):
    done = subprocess.run([LENS, *map(str, words)], capture_output=True, text=True, env=ENVIRONMENT, timeout=120, check=False)
    assert done.returncode == code, (words, done)
    return done


class Receiver(http.server.BaseHTTPRequestHandler):
    got = {}

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got[self.path.split("?")[0]] = (self.path, body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def received(path):
    """What comes next to that path."""
    end = time.monotonic() + 60
    while path not in Receiver.got:
        assert time.monotonic() < end, f"nothing came to {path}"
        time.sleep(0.2)
    return Receiver.got.pop(path)


@test
def pushes():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    with Fake() as fake, Fake() as other, Page(fake.pid, "--push", url + "/pyro/", "--otlp", url) as page:
        path, body = received("/pyro/ingest")
        assert "format=pprof" in path and "from=" in path and ".cpu&" in path, path
        check_pprof(body)
        resource = json.loads(received("/v1/metrics")[1])["resourceMetrics"][0]
        page.post("/api/open", {"pid": other.pid})
        page.recorded()
        page.order("bye")
        check_pprof(received("/pyro/ingest")[1])  # another program, whose time begins anew, to its end
        time.sleep(12)  # all is told of it
        Receiver.got.clear()
        time.sleep(12)
        assert not Receiver.got, Receiver.got
    server.shutdown()
    metrics = {m["name"]: m for m in resource["scopeMetrics"][0]["metrics"]}
    assert metrics["jvm_heap_used_bytes"]["gauge"]["dataPoints"][0]["asDouble"] == 5_000_000, metrics
    assert metrics["jvm_process_cpu_seconds"]["sum"]["isMonotonic"], metrics


@test
def command_line():
    with Fake() as fake:
        assert str(fake.pid) in lens().stdout
        text = lens(fake.pid, "cpu", "-d", 1).stdout
        assert re.search(r"50\.0 % .*com\.acme\.Hot\.half", text), text
        rows = json.loads(lens(fake.pid, "cpu", "-d", 1, "--json").stdout)["rows"]
        assert rows[0]["method"] == "com.acme.Hot.half", rows
        lens(fake.pid, "cpu", "-d", 1, "--html", WORK / "view.html")
        assert 'id="lens-data"' in (WORK / "view.html").read_text()
        assert "com.acme.Hot.main;com.acme.Hot.half" in lens(fake.pid, "cpu", "-d", 1, "--format", "collapsed").stdout
        assert "process_cpu" in lens(fake.pid, "metrics", "-d", 1).stdout
        lens("record", fake.pid, "-o", WORK / "r.lens", "-d", 1)
        assert "com.acme.Hot.half" in lens("open", WORK / "r.lens", "cpu").stdout
        assert "does not know" in lens(fake.pid, "exceptions", "-d", 1, code=1).stderr
    assert "not a Java VM" in lens(os.getpid(), code=1).stderr
    assert "no such process" in lens(2 ** 22 + 1, code=1).stderr
    assert "no view" in lens(1, "nonsense", code=2).stderr
    assert "no PID" in lens("nonsense", code=2).stderr
    assert "lens PID" in lens("--help").stdout


for function in [f for f in TESTS if len(sys.argv) < 4 or f.__name__ in sys.argv[3:]]:
    started = time.monotonic()
    function()
    print(f"{function.__name__}: {time.monotonic() - started:.1f} s")
