#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @not asan a browser runs beside it
# @only pellucid
# @timeout 900
"""All of Lens together: the page in a real browser, the front, the agent, and a program whose answers are known (LensTarget.java). What stands on the page
is compared with what the program does, with jcmd and with the debugger's handshake. Says "skipped" where there is no chromium.

whole_test.py JAVA_HOME WORKDIR; $LENS is the front program, $LENS_AGENT the agent.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from browser import Front, Page, check, failures, same, selenium, size  # noqa: E402

HOME, WORK = Path(sys.argv[1]), Path(sys.argv[2])
LENS = os.environ["LENS"]
ARRAY_HEAD = 16  # bytes


class Target:
    """LensTarget in a process of its own."""

    def __enter__(self):
        subprocess.run([f"{HOME}/bin/javac", "-g", "-d", WORK, HERE / "LensTarget.java"], check=True)
        self.process = subprocess.Popen([f"{HOME}/bin/java", "-cp", WORK, "LensTarget"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.expect("ready")
        return self

    def expect(self, line):
        said = self.process.stdout.readline()
        assert said == line + "\n", f"the program said {said!r}, not {line!r}"

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        self.expect(command)

    def jcmd(self, *words):
        return subprocess.run([f"{HOME}/bin/jcmd", str(self.process.pid), *words], capture_output=True, text=True, check=True).stdout

    def __exit__(self, *_):
        self.process.stdin.close()
        check("the program ends as if nobody had looked", self.process.wait(60) == 0)


def near(what, value, wanted, tolerance):
    check(what, abs(value - wanted) <= tolerance, f"{value}, not {wanted} +- {tolerance}")


def overview(b, target):
    target.do("hot")
    b.view("overview")
    b.until("the busiest thread comes first", "const t = document.querySelector('table[aria-label=\"CPU by thread\"]'); return t && t.tBodies[0].rows[0]?.cells[0].innerText === 'hot'")
    names = {r[0] for r in b.rows("CPU by thread")}
    dump = target.jcmd("Thread.print")
    check("overview: threads are those of jcmd", {"main", "hot"} <= names and all(f'"{n}"' in dump for n in ("main", "hot")), names)


def cpu(b, target):
    b.record("cpu")
    b.until_api("samples", "flame?data=cpu", lambda f: f.get("samples", 0) > 3000, 240)
    b.stop()
    tree = b.until_frame("LensTarget.fifty")
    for name, share in (("fifty", 50), ("thirty", 30), ("twenty", 20)):
        near(f"cpu: percent of {name} on the page", 100 * tree[f"LensTarget.{name}"]["total"] / tree["LensTarget.hot"]["total"], share, 3)
    same("cpu: the hottest method", b.until_rows("Hot methods")[0][0].split()[0], "LensTarget.spin")
    target.do("cold")


def alloc(b, target):
    b.record("alloc")
    target.do("churn")
    b.until_api("bytes are seen", "alloc", lambda a: any(r["class"] == "byte[]" and r["bytes"] > 1.4e9 for r in a["rows"]))
    b.stop()
    b.until("it is stopped", "return document.querySelector('.state').innerText === 'Not recording'")
    arrays = next(r for r in b.api("alloc")["rows"] if r["class"] == "byte[]")
    near("alloc: bytes of arrays", arrays["bytes"] / 1.6e9, 1, 0.08)
    b.until("the page has them", "const t = document.querySelector('table[aria-label=\"Classes allocated\"]'); return t.tBodies[0].rows[0].cells[2].innerText.replaceAll('\\u00a0', ' ').trim() === arguments[0]", size(arrays["bytes"]))
    tree = b.until_frame("LensTarget.threeQuarters")
    of = tree["LensTarget.threeQuarters"]["total"] + tree["LensTarget.oneQuarter"]["total"]
    near("alloc: percent of the site of three quarters", 100 * tree["LensTarget.threeQuarters"]["total"] / of, 75, 3)


def locks(b, target):
    b.record("locks")
    target.do("contend")
    b.until_api("three waits", "locks", lambda a: any(r["waits"] == 3 and r["class"].endswith("Object") for r in a["rows"]))
    seen = b.until("three waits on the page", "const t = document.querySelector('table[aria-label=Locks]'); const r = t && [...t.tBodies[0].rows].find(r => r.cells[1].innerText === '3'); return r && [...r.cells].map(c => c.innerText.replaceAll('\\u00a0', ' ').trim())")
    row = next(r for r in b.api("locks")["rows"] if r["waits"] == 3)
    check("locks: each wait lasts 200 ms or more", row["total_ns"] >= 590e6 and row["max_ns"] >= 195e6, row)
    check("locks: by whom", seen and seen[4] == "3", seen)  # three threads of one name
    target.do("deadlock")
    b.until("a deadlock is drawn", "return document.querySelectorAll('.deadlock svg .ring-node').length === 2")
    words = b.js("return document.querySelector('.deadlock ol').innerText")
    check("locks: the deadlock in words", "dead-0 waits for" in words and "held by dead-1" in words, words)
    check("locks: jcmd says so, too", "Found one Java-level deadlock" in target.jcmd("Thread.print"))
    b.stop()


def threads(b, target):
    target.do("sleeper")
    b.record("threads")
    b.until("the sleeper", "const t = document.querySelector('table[aria-label=Threads]'); return t && [...t.tBodies[0].rows].some(r => r.cells[0].innerText === 'sleeper')")
    time.sleep(2)
    lane = next(t for t in b.api("threads")["threads"] if t["name"] == "sleeper")
    same("threads: what the sleeper does", lane["lanes"][-1], "sleeping")
    blocked = {t["name"]: t["lanes"][-1] for t in b.api("threads")["threads"] if t["lanes"]}
    same("threads: the deadlocked", [blocked.get("dead-0"), blocked.get("dead-1")], ["blocked", "blocked"])
    b.js("document.activeElement.blur()")
    b.press("t")
    dump = b.until("a dump", "return document.querySelector('dialog pre')?.innerText")
    check("threads: the dump has its stack", dump and "LensTarget.sleep" in dump and '"sleeper"' in dump)
    b.press("\ue00c")
    b.stop()


def heap(b, target):
    target.do("allocate")
    target.do("leak")
    b.view("heap")
    b.press("r")
    b.until("the stop is said before", "return document.querySelector('dialog')?.innerText.includes('The program stands for about')")
    b.click("Take it", "dialog")
    rows = b.until_rows("Dominators")
    snapshot = b.api("heap/snapshots")["snapshots"][0]["id"]
    whole = 1000 * (10_000 + ARRAY_HEAD)
    top = b.api(f"heap/dominators?id={snapshot}&object=0")["rows"]
    holder = max(top, key=lambda r: r["retained"])  # the class, whose static field has the list
    check("heap: what retains most", "LensTarget$Leak" in holder["label"], holder)
    check("heap: on the page", size(holder["retained"]) in rows[0], rows[:3])
    check("heap: what stands out, in words", "The static fields of LensTarget$Leak retain" in b.text(".suspects"), b.text(".suspects"))
    leak = b.api(f"heap/dominators?id={snapshot}&object={holder['object']}")["rows"][0]
    same("heap: what it has", leak["class"], "java.util.ArrayList")
    check("heap: its retained size", whole < leak["retained"] < whole + 16_000, leak)  # the list and its array of 1,000 to 2,000 references
    b.js("document.querySelector('table[aria-label=Dominators] tbody tr').focus()")
    b.press("\ue014")
    b.until("the list below it", "return document.querySelectorAll('table[aria-label=Dominators] tbody tr[aria-level=\"2\"]').length > 0")
    b.js("document.querySelector('table[aria-label=Dominators] tbody tr[aria-level=\"2\"]').click()")
    b.click("Kept", ".card.right")
    b.until("what keeps it", "return document.querySelector('.card.right .path')?.innerText.includes('held')")
    b.click("Histogram", ".tools")
    b.until_rows("Histogram", 10)
    b.type("input[type=search]", "Marked")
    b.until("the class is found", "const t = document.querySelector('table[aria-label=Histogram]'); return t.tBodies[0].rows.length === 1 && t.tBodies[0].rows[0].innerText.includes('Marked')")
    jcmd = re.search(r"(\d+)\s+(\d+)\s+LensTarget\$Marked", target.jcmd("GC.class_histogram"))
    same("heap: objects of a class as jcmd counts them", b.rows("Histogram")[0][1], f"{int(jcmd[1]):,}")
    same("heap: their bytes", b.rows("Histogram")[0][3], size(int(jcmd[2])))


def exceptions(b, target):
    b.record("exceptions")
    time.sleep(0.5)
    target.do("throw")
    b.until_api("all are seen", "exceptions", lambda a: any(r["count"] == 123 for r in a["rows"]))
    seen = b.until("on the page", "const t = document.querySelector('table[aria-label=Exceptions]'); const r = t && [...t.tBodies[0].rows].find(r => r.cells[2].innerText === '123'); return r && [...r.cells].map(c => c.innerText.trim())")
    line = 1 + next(i for i, text in enumerate((HERE / "LensTarget.java").read_text().splitlines()) if "throw new IllegalStateException(\"planted" in text)
    check("exceptions: class and place", seen and seen[0].startswith("IllegalStateException") and seen[1] == f"LensTarget.fail:{line}" and seen[4] == "all", seen)
    b.js("[...document.querySelector('table[aria-label=Exceptions]').tBodies[0].rows].find(r => r.cells[2].innerText === '123').click()")
    same("exceptions: messages", sorted((r[0], r[1]) for r in b.until_rows("Messages", 3)), [("planted 0", "41"), ("planted 1", "41"), ("planted 2", "41")])
    b.stop()


def watch(b, target):
    b.view("watch")
    b.type("input[role=combobox]", "LensTarget.priced")
    b.press("\ue00c")
    b.click("Add")
    b.until("it is armed", "return document.querySelector('table[aria-label=\"Watch and log points\"]')?.tBodies[0].rows[0]?.cells[1].innerText === 'armed'")
    target.do("call")
    b.until_api("five calls", "watch", lambda a: sum(h["kind"] == "return" for h in a["hits"]) == 5)
    b.until("hits on the page", "return document.querySelectorAll('table[aria-label=Hits] tbody tr').length >= 5")
    shown = " ".join(" ".join(r) for r in b.rows("Hits"))
    check("watch: arguments and results", "apple" in shown and "25" in shown, shown[:600])
    b.js("document.querySelector('table[aria-label=\"Watch and log points\"] tbody button').click()")
    b.until("removed", "return document.querySelector('table[aria-label=\"Watch and log points\"] tbody tr').cells[1].innerText === 'removed'")


def coverage(b, target):
    b.record("coverage")
    time.sleep(0.5)
    target.do("cover")
    b.until_api("the class is covered", "coverage", lambda a: any(c["name"] == "LensTarget$Covered" and c["hit"] for p in a["packages"] for c in p["classes"]))
    b.type("input[type=search]", "Covered")
    b.until("the class is found", "return [...document.querySelectorAll('table[aria-label=\"Packages and classes\"] tbody tr')].some(r => r.getAttribute('aria-level') === '2' && r.innerText.includes('Covered'))")
    b.js("[...document.querySelectorAll('table[aria-label=\"Packages and classes\"] tbody tr')].find(r => r.getAttribute('aria-level') === '2').click()")
    b.until("its source", "return document.querySelector('.listing')?.innerText.includes('static int sign(int x)')")
    text = (HERE / "LensTarget.java").read_text().splitlines()
    first = next(i for i, line in enumerate(text) if "static int sign" in line) + 2
    lines = {state: b.js("return [...document.querySelectorAll('.listing tr.l-' + arguments[0])].map(r => Number(r.dataset.line))", state) for state in ("hit", "missed")}
    same("coverage: lines reached", [n for n in lines["hit"] if first <= n < first + 6], [first, first + 3, first + 4])
    same("coverage: the line that is never reached", [n for n in lines["missed"] if first <= n < first + 6], [first + 1])
    b.js("document.activeElement.blur()")
    b.stop()


def debugger(b, target):
    b.view("debugger")
    b.until("a button", "return document.querySelector('.debugger button')")
    b.click("Open the debugger port")
    words = b.until("the command", "return /jdb -attach 127.0.0.1:[0-9]+/.test(document.querySelector('.debugger').innerText) && document.querySelector('.debugger').innerText")
    port = int(re.search(r"jdb -attach 127\.0\.0\.1:(\d+)", words or "jdb -attach 127.0.0.1:0")[1])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(b"JDWP-Handshake")
        same("debugger: somebody answers there", connection.recv(14), b"JDWP-Handshake")
    b.click("Close the port")
    b.until("closed", "return document.querySelector('.debugger').innerText.includes('Not open')")


VIEWS = [overview, cpu, alloc, locks, threads, heap, exceptions, watch, coverage, debugger]


def main():
    webdriver, why = selenium()
    if webdriver is None:
        print(f"skipped: {why}")
        return 0
    profile = WORK / "chromium"
    only = sys.argv[3:]
    with Target() as target, Front(LENS, target.process.pid, WORK, HERE) as front:
        b = Page(webdriver, profile)
        try:
            b.begin(front)
            for view in VIEWS:
                if only and view.__name__ not in only:
                    continue
                before, begin = len(failures), time.monotonic()
                try:
                    view(b, target)
                    b.quiet(view.__name__)
                except Exception as e:  # of the driver: what it is says its first line
                    check(f"{view.__name__} to its end", False, f"{type(e).__name__} {str(e)[:300]}")
                print(f"{view.__name__}: {'as it should be' if len(failures) == before else 'FAILED'}, {time.monotonic() - begin:.0f} s", flush=True)
        finally:
            b.driver.quit()
            shutil.rmtree(profile, ignore_errors=True)
    print(f"{len(failures)} failed" if failures else "all together: as it should be")
    return 1 if failures else 0


sys.exit(main())
