#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# @not asan the page and the browser run here, and no code of the VM
# @only pellucid
# @timeout 600
"""The page of Lens in a real browser: every view against the stand-in of its front (mock_front.py). What stands in the page's tables and hidden trees
is compared with what the front was asked for, by sums made here. Says "skipped" where there is no chromium.

page_test.py JAVA_HOME WORKDIR
"""
import gzip
import json
import os
import re
import shutil
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGE = ROOT / "lens" / "page"
sys.path.insert(0, str(HERE))
import mock_front  # noqa: E402
from browser import Browser, check, failures, percent, same, scaled, selenium, size  # noqa: E402

LIMIT = 150_000  # bytes of the whole page, gzipped
# The views

def overview(b):
    b.open(b.server, "overview")
    api = b.api("thread_cpu")
    rows = b.until_rows("CPU by thread", 10)
    same("overview: threads", [r[0] for r in rows][:3], [t["name"] for t in sorted(api["threads"], key=lambda t: -t["cpu_ns"])][:3])
    same("overview: share of main", rows[0][2], percent(api["threads"][0]["share"]))
    same("overview: eight plots", b.count(".plot"), 8)
    check("overview: says how", "Read by the agent each 250 ms" in b.text(".how"))
    costs = b.api("costs")
    same("overview: costs", [r[2] for r in b.until_rows("Costs of agents", 2)], [percent(costs["lens"]["share"]), f"{costs['agents'][0]['events']} events"])
    check("overview: what stands out", b.until("a deadlock told", "return document.querySelector('.standout')?.innerText.includes('deadlock')"))
    b.click("See who waits for whom")
    b.until("the link leads to locks", "return location.hash === '#locks'")


def sums(flame, words):
    """Frames whose names have the words, and the share of those that no other match covers."""
    covered, frames, value = [], 0, 0
    for i, parent in enumerate(flame["parent"]):
        hit = words.lower() in flame["names"][flame["name"][i]].lower()
        above = covered[parent] if i else False
        frames += hit
        if hit and not above:
            value += flame["total"][i]
        covered.append(above or hit)
    return frames, value / flame["total"][0]


def cpu(b):
    b.open(b.server, "cpu")
    tree = b.until_frame("com.sun.tools.javac.comp.Attr.attribClass")
    api = b.api("flame?data=cpu&from=0&to=41000")
    share = api["total"][api["name"].index(api["names"].index("com.sun.tools.javac.comp.Attr.attribClass"))] / api["total"][0]
    seen = tree["com.sun.tools.javac.comp.Attr.attribClass"]
    check("cpu: share in the tree", abs(seen["total"] / tree["all"]["total"] - share) < 1e-4, seen)
    check("cpu: share in words", percent(share) in seen["label"], seen)
    hot = b.api("hot?data=cpu&from=0&to=41000")["rows"]
    rows = b.until_rows("Hot methods", len(hot))
    same("cpu: hottest method", rows[0][0].split()[0], hot[0]["method"].removeprefix("com.sun.tools.javac.comp."))
    same("cpu: its share", rows[0][2], percent(hot[0]["share_self"]))
    check("cpu: details of the hottest", "line 24 (61.0 %)" in (b.until("details", "return document.querySelector('.details .facts')?.innerText.includes('hottest') && document.querySelector('.details').innerText.replaceAll('\\u00a0', ' ')") or ""))
    cpu_search(b, api)
    cpu_keys(b)
    cpu_forms(b)


def cpu_search(b, api):
    b.press("/")
    b.press("types.")
    frames, share = sums(api, "types.")
    b.until("a search is counted", "return document.querySelector('.found').innerText.includes('frames')")
    same("cpu: what the search found", b.text(".found"), f"{frames} frames, {percent(share)}")
    b.until("matches are marked", "return document.querySelectorAll('[role=treeitem][data-hit]').length === arguments[0]", frames)
    b.press("\ue00c")
    b.until("Escape takes the search away", "return document.querySelector('.found').innerText === ''")


def cpu_keys(b):
    b.js("document.querySelector('.flame').focus()")
    for key in "\ue015\ue015\ue015":  # down three times: the widest child each time
        b.press(key)
    b.until("arrows move", "return document.querySelector('[role=treeitem][aria-selected=true]')?.dataset.name === 'com.sun.tools.javac.main.JavaCompiler.attribute'")
    before = b.count("[role=treeitem]")
    b.press("\ue007")
    b.until("Enter zooms", "return !document.querySelector('[role=treeitem][data-name=\"com.sun.tools.javac.main.JavaCompiler.generate\"]')")
    b.press("\ue00c")
    b.until("Escape zooms out", "return document.querySelectorAll('[role=treeitem]').length === arguments[0]", before)


def cpu_forms(b):
    b.click("Call tree", ".tools")
    rows = b.until_rows("Call tree", 3)
    same("cpu: call tree's roots", [r[0].split()[-1] for r in rows], ["main", "GC", "thread"])
    b.js("document.querySelector('table[aria-label=\"Call tree\"] tbody tr').focus()")
    b.press("\ue007")
    b.until("Enter opens the heavy path as far as a child has half of it", "return [...document.querySelectorAll('table[aria-label=\"Call tree\"] tbody tr')].some(r => Number(r.getAttribute('aria-level')) === 3)")
    b.click("Callers", ".tools")
    b.until("callers", "return document.querySelector('.how').innerText.startsWith('Who called')")
    b.click("Flame graph", ".tools")
    b.js("document.activeElement.blur()")
    b.press("b")
    b.until("B brushes", "return !document.querySelector('.brush').hidden")
    b.until("the brush narrows", "const m = / samples in the ([0-9.]+) s shown/.exec(document.querySelector('.how').innerText); return m && m[1] * 1000 < arguments[0] / 2", b.api("session")["now"])
    b.js("document.activeElement.blur()")
    b.press("d")
    b.until("compare", "return document.querySelector('.how').innerText.startsWith('Base:')")
    label = b.until("a comparison in the tree", "return [...document.querySelectorAll('[role=treeitem]')].map(n => n.getAttribute('aria-label')).find(t => t.includes('before') && t.includes('after'))")
    check("cpu: comparison in words", label)
    b.js("document.activeElement.blur()")
    b.press("d")
    b.until("D ends comparing", "return !document.querySelector('.how').innerText.startsWith('Base:')")


def alloc(b):
    b.open(b.server, "alloc")
    api = b.api("alloc")["rows"]
    rows = b.until_rows("Classes allocated", len(api))
    same("alloc: first class", rows[0], ["byte[]", f"{api[0]['count']:,}", size(api[0]["bytes"]), percent(api[0]["bytes"] / sum(r["bytes"] for r in api)), size(api[0]["live_bytes"])])
    b.until_frame("com.sun.tools.javac.main.JavaCompiler.compile")
    b.click("objects")
    rows = b.rows("Classes allocated")
    same("alloc: sorted by objects", rows[0][1], f"{max(r['count'] for r in api):,}")
    b.type("input[type=search]", "HashMap")
    b.until("found classes", "return document.querySelector('.found').innerText === '1 of 12 classes'")
    b.click("Sites", ".tools")
    b.until("bytes in the tree", "return [...document.querySelectorAll('[role=treeitem]')].some(n => n.getAttribute('aria-label').includes('MB'))")
    b.press("m")
    b.js("[...document.querySelectorAll('#view label.check')].find(l => l.innerText.includes('since mark')).querySelector('input').click()")
    b.until("the graph since the mark", "return performance.getEntriesByType('resource').some(e => e.name.includes('flame?data=alloc') && e.name.includes('since=mark'))")


def locks(b):
    b.open(b.server, "locks")
    api = b.api("locks")
    rows = b.until_rows("Locks", len(api["rows"]))
    worst = max(api["rows"], key=lambda r: r["total_ns"])
    same("locks: the worst", [rows[0][0].split()[0] + " " + rows[0][0].split()[1], rows[0][1]], [f"Inventory #{worst['monitor']}", str(worst["waits"])])
    same("locks: time waited", rows[0][2], scaled(worst["total_ns"], ["ns", "µs", "ms", "s"]))
    same("locks: lanes", b.count(".lane-names li"), len({w["thread"] for w in api["waits"]}))
    check("locks: a deadlock drawn", b.count(".deadlock svg .ring-node") == 2)
    b.until("locks: a deadlock in words", "const n = document.querySelector('.deadlock ol'); return n && n.innerText.replaceAll('\\u00a0', ' ').includes(arguments[0])",
            "http-1 waits for com.acme.Account#31, held by http-2")
    b.until("both stacks", "return document.querySelectorAll('.details .stack').length === 2")


def threads(b):
    b.open(b.server, "threads")
    b.until_rows("Threads", 8)
    same("threads: without those of the VM", b.count(".lane-names li"), 8)
    b.js("document.querySelector('.tools input[type=checkbox]').click()")
    same("threads: with those of the VM", b.count(".lane-names li"), 10)
    lane = next(t for t in b.api("threads")["threads"] if t["name"] == "worker-2")
    check("threads: time in a state", any(r[0] == "worker-2" and abs(float(r[1].split()[0]) - running_share(lane, b.api("session")["now"])) < 8 for r in b.rows("Threads")), b.rows("Threads"))
    b.js("document.querySelector('.lane-names').focus()")
    b.press("\ue015")
    b.until("a stack at a moment", "return document.querySelectorAll('.details .stack li').length === 7")
    b.press("t")
    b.until("a dump", "return document.querySelector('dialog pre')?.innerText.includes('Reference Handler')")
    b.press("\ue00c")
    b.until("Escape closes", "return !document.querySelector('dialog')")


def running_share(lane, now):
    pairs = list(zip(lane["lanes"][::2], lane["lanes"][1::2])) + [(now, "")]
    return 100 * sum(b[0] - a[0] for a, b in zip(pairs, pairs[1:]) if a[1] == "running") / (now - lane["start"])


def heap(b):
    b.open(b.server, "heap")
    api = b.api("heap/dominators?id=2&object=0")["rows"]
    rows = b.until_rows("Dominators", len(api))
    whole = b.api("heap/snapshots")["snapshots"][1]["bytes"]
    same("heap: first dominator", rows[0][1:3], [size(api[0]["retained"]), percent(api[0]["retained"] / whole)])
    check("heap: a suspect in words", "27.1 %" in b.text(".suspects") and "gathers in a java.util.HashMap" in b.text(".suspects"))
    b.js("document.querySelector('table[aria-label=Dominators] tbody tr').focus()")
    b.press("\ue014")
    b.until("Right opens", "return document.querySelectorAll('table[aria-label=Dominators] tbody tr[aria-level=\"2\"]').length === 4")
    b.until_rows("Fields", 5)
    b.click("Kept", ".card.right")
    b.until("paths to roots", "return document.querySelectorAll('.card.right .path').length === 2 && document.querySelector('.card.right .path').innerText.includes('root: static field')")
    heap_histogram(b)
    heap_snapshot(b)


def heap_histogram(b):
    b.click("Histogram", ".tools")
    b.until_rows("Histogram", 12)
    b.js("const s = document.querySelector('select[aria-label=\"Compare with\"]'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    b.until("a difference", "return document.querySelector('table[aria-label=Histogram] tbody tr').cells[4].innerText.startsWith('+')")
    row = next(r for r in b.api("heap/histogram?id=2&base=1")["rows"] if r["class"] == "byte[]")
    seen = next(r for r in b.rows("Histogram") if r[0] == "byte[]")
    same("heap: histogram", seen, ["byte[]", f"{row['count']:,}", f"+{row['d_count']:,}", size(row["bytes"]), "+" + size(row["d_bytes"]), size(row["retained"])])
    b.click("Duplicate", ".tools")
    b.until_rows("Duplicate strings", 5)
    b.click("Collections", ".tools")
    b.until_rows("Collections", 2)


def heap_snapshot(b):
    b.js("document.activeElement.blur()")
    b.press("r")
    b.until("a walk says its stop first", "return document.querySelector('dialog')?.innerText.replaceAll('\\u00a0', ' ').includes('290 ms')")
    before = len(b.api("heap/snapshots")["snapshots"])
    b.click("Take it", "dialog")
    b.until("progress", "const p = document.querySelector('#jobs progress'); return p && p.value > 0 && document.querySelector('#jobs').innerText.includes('objects')")
    b.until("a new snapshot is chosen", "return document.querySelectorAll('select[aria-label=Snapshot] option').length === arguments[0] + 1", before)
    b.click("Read", ".tools")
    b.until("a question", "return document.querySelector('dialog input')")
    b.type("dialog input", "/nowhere/x.missing")
    b.click("Read it", "dialog")
    b.until("a failure in words", "return document.getElementById('toast').innerText.includes('is not there')")


def exceptions(b):
    b.open(b.server, "exceptions")
    api = b.api("exceptions")["rows"]
    rows = b.until_rows("Exceptions", len(api))
    same("exceptions: first", [rows[0][0].split()[0], rows[0][1], rows[0][2], rows[0][4], rows[0][5]], ["ClassNotFoundException", "URLClassLoader.findClass:445", f"{api[0]['count']:,}", "all", "com.acme.Missing"])
    same("exceptions: caught", [r[4] for r in rows], ["all", "1,203", "none"])
    same("exceptions: messages", [r[1] for r in b.until_rows("Messages", 2)], ["2,808", "3"])
    check("exceptions: locals", "com.acme.Missing" in b.text(".locals"))
    b.until_frame("java.net.URLClassLoader.findClass")


def watch(b):
    b.open(b.server, "watch")
    same("watch: points", [r[1] for r in b.until_rows("Watch and log points", 2)], ["armed", "armed"])
    rows = b.until_rows("Hits", 20)
    check("watch: newest on top", rows[0][0] > rows[5][0], rows[:6])
    b.type("input[role=combobox]", "order.fi")
    b.until("completion", "return [...document.querySelectorAll('[role=option]')].some(o => o.dataset.name === 'com.acme.order.Order.fits')")
    b.press("\ue015")
    b.press("\ue007")
    same("watch: completed", b.js("return document.querySelector('input[role=combobox]').value"), "com.acme.order.Order.fits")
    b.type("input[placeholder^='order.items']", "items.size > 3")
    b.click("Add")
    b.until("a third point", "return document.querySelectorAll('table[aria-label=\"Watch and log points\"] tbody tr').length === 3")
    order = [o for o in b.server.world.orders if o["verb"] == "watch"][-1]
    same("watch: the order", {k: order["args"].get(k) for k in ("class", "method", "when", "limit")}, {"class": "com.acme.order.Order", "method": "fits", "when": "items.size > 3", "limit": "20"})
    b.click("Pause", ".tools")
    held = b.count("table[aria-label=Hits] tbody tr")
    time.sleep(1.5)
    same("watch: paused", b.count("table[aria-label=Hits] tbody tr"), held)
    b.js("[...document.querySelectorAll('table[aria-label=\"Watch and log points\"] tbody button')][2].click()")
    b.until("removed", "return [...document.querySelectorAll('table[aria-label=\"Watch and log points\"] tbody tr')].some(r => r.cells[1].innerText === 'removed')")
    b.type("input[role=combobox]", "no.such.Class.method")
    b.click("Add")
    b.until("a failed order says why", "return document.getElementById('notice').innerText.includes('no.such.Class is not loaded')")


def coverage(b):
    b.open(b.server, "coverage")
    api = b.api("coverage")["packages"]
    rows = b.until_rows("Packages and classes", 3)
    classes = [c for p in api for c in p["classes"]]
    lines, hit = sum(c["lines"] for c in classes), sum(c["hit"] for c in classes)
    check("coverage: the sum", b.text(".found").startswith(f"{percent(hit / lines)} of {lines:,} lines"), b.text(".found"))
    first = max(api, key=lambda p: sum(c["lines"] - c["hit"] for c in p["classes"]))
    same("coverage: most missed first", rows[0][0].split()[-1], first["name"])
    b.type("input[type=search]", "order.Order")
    b.until("a class found", "return [...document.querySelectorAll('table[aria-label=\"Packages and classes\"] tbody tr')].some(r => r.innerText.includes('Order'))")
    b.js("[...document.querySelectorAll('table[aria-label=\"Packages and classes\"] tbody tr')].find(r => r.getAttribute('aria-level') === '2').click()")
    b.until("its source", "return document.querySelector('.listing')?.innerText.includes('public boolean fits()')")
    api = b.api("coverage_source?class=com.acme.order.Order")["lines"]
    for state in ("hit", "part", "missed"):
        seen = b.js("return [...document.querySelectorAll('.listing tr.l-' + arguments[0])].map(r => Number(r.dataset.line))", state)
        same(f"coverage: lines {state}", seen, [x["nr"] for x in api if x["state"] == state])
    same("coverage: Java is coloured", b.js("return document.querySelector('.listing tr[data-line=\"24\"] .j-word').innerText"), "return")
    b.js("document.activeElement.blur()")
    b.press("n")
    b.until("N goes to what was missed", "return document.querySelector('.listing tr.here')?.dataset.line === '23'")


def debugger(b):
    b.open(b.server, "debugger")
    b.until("a button", "return document.querySelector('.debugger button')")
    b.click("Open the debugger port")
    b.until("the command", "return document.querySelector('.debugger')?.innerText.includes('jdb -attach 127.0.0.1:5005')")
    b.click("Close the port")
    b.until("closed", "return document.querySelector('.debugger')?.innerText.includes('Not open')")


VIEWS = [overview, cpu, alloc, locks, threads, heap, exceptions, watch, coverage, debugger]


def keys(b):
    b.open(b.server, "overview")
    b.until_rows("CPU by thread")
    for key, view in zip("2345678901", ["cpu", "alloc", "locks", "threads", "heap", "exceptions", "watch", "coverage", "debugger", "overview"]):
        b.press(key)
        b.until(f"key {key}", "return location.hash === '#' + arguments[0] && document.querySelector('#nav [aria-current]').dataset.view === arguments[0] && Boolean(document.querySelector('#view .v-' + arguments[0]))", view)
    b.press("?")
    b.until("all keys", "return document.querySelector('dialog')?.innerText.includes('record or stop')")
    b.press("\ue00c")
    b.until("closed", "return !document.querySelector('dialog')")
    for theme in ("light", "dark"):
        b.press("l")
        b.until(f"theme {theme}", "return document.documentElement.dataset.theme === arguments[0]", theme)
    b.press("2")
    b.press("e")
    b.until("export", "return document.querySelector('[role=menu]:not([hidden])')?.innerText.includes('pprof')")
    b.press("\ue00c")


def states(b, serve):
    b.open(serve("none"), "overview")
    b.until("programs to choose", "return document.querySelector('table[aria-label=\"Java programs\"]')?.tBodies[0].rows.length === 3")
    check("none: why not", "belongs to another user" in b.text("#view"))
    b.js("document.querySelector('#view td button').click()")
    b.until("chosen", "return document.querySelector('.plots')")

    b.open(serve("cannot"), "coverage")
    b.until("cannot", "return document.querySelector('#view .cannot')?.innerText.includes('-agentpath')")
    same("cannot: marked in the bar", b.count("#nav a.cannot"), 4)

    b.open(serve("ended"), "cpu")
    b.until("ended is told", "return document.getElementById('notice').innerText.includes('exit status 137')")
    b.until_frame("com.sun.tools.javac.main.JavaCompiler.compile")
    same("ended: no button to record", b.text(".mainbutton"), "")

    b.open(serve("file"), "cpu")
    b.until("a file's name", "return document.querySelector('.proc')?.innerText.includes('javac.lens')")
    same("file: state", b.text(".state"), "Recorded")

    server = serve("live")
    server.world.orders.clear()
    server.answers.alloc = lambda q: {"rows": [], "how": "Nothing was sampled."}
    b.open(server, "alloc")
    b.until("idle", "return document.querySelector('#view .idle')?.innerText.includes('Record Allocation')")
    b.press("r")
    b.until("R records", "return document.querySelector('.state').innerText.startsWith('Recording Allocation')")
    same("idle: the order", [o["args"] for o in server.world.orders if o["verb"] == "alloc"], [{"interval": "524288", "live": "1"}])
    b.press("r")
    b.until("R stops", "return document.querySelector('.state').innerText === 'Not recording'")

    server.answers.alloc = lambda q: 1 / 0
    b.press("1")
    b.press("3")
    b.until("a failure stays readable", "return document.querySelector('.warning:not([hidden])')?.innerText.length > 20")


def another(b, serve):
    """Another program is chosen elsewhere: times and threads of the one before are not those of this one."""
    server = serve("live")
    b.open(server, "cpu")
    b.until_frame("com.sun.tools.javac.main.JavaCompiler.compile")
    b.press("b")
    b.until("a brush", "return !document.querySelector('.timeline .brush').hidden")
    server.world.pid = 4712
    server.world.tell("session", server.world.session())
    b.until("no brush", "return document.querySelector('.timeline .brush').hidden")


def big(b, serve):
    """200,000 nodes: laid out once, drawn in frames."""
    server = serve("live", 200_000)
    server.world.big()
    b.open(server, "debugger")
    b.until("a page", "return document.querySelector('.debugger button')")
    took = b.driver.execute_async_script("""const done = arguments[0];
        Promise.all([import('/flame.js'), import('/api.js')]).then(async ([{FlameGraph}, {get}]) => {
          const data = await get('flame', {data: 'cpu'});
          const graph = new FlameGraph({label: 'test'});
          document.querySelector('#view').append(graph.node);
          const begin = performance.now();
          graph.set(data);
          const laid = performance.now() - begin;
          const draws = [];
          for (let i = 0; i < 20; i++) { const t = performance.now(); graph.surface.draw(); draws.push(performance.now() - t); }
          const t = performance.now(); graph.find('method7'); graph.surface.draw(); const search = performance.now() - t;
          graph.destroy(); graph.node.remove();
          draws.sort((a, b) => a - b);
          done({nodes: data.parent.length, laid, draw: draws[10], search});
        }, (e) => done({error: String(e)}));""")
    if "error" in took:
        return check("big: drawn", False, took)
    print(f"a graph of {took.get('nodes'):,} nodes: laid out in {took['laid']:.0f} ms, drawn in {took['draw']:.1f} ms (median of 20), searched and drawn in {took['search']:.0f} ms")
    same("big: nodes", took["nodes"], 200_000)
    check("big: a drawing takes less than 200 ms", took["draw"] < 200, took)


def files():
    total = 0
    for path in sorted(PAGE.iterdir()):
        text = path.read_text(encoding="utf-8")
        total += len(gzip.compress(path.read_bytes(), 9))
        check(f"{path.name} begins with its licence", "SPDX-License-Identifier: Apache-2.0" in "\n".join(text.splitlines()[:2]))
        for match in re.finditer(r"https?://(?!www\.w3\.org/2000/svg)[\w.]+", text):
            check(f"{path.name} names no address", False, match.group())
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    check("no inline style or script", not re.search(r"<style|style=|<script(?![^>]*src=)|\son\w+=", html))
    check("the page is small", total < LIMIT, f"{total} bytes")
    print(f"the page: {total:,} bytes gzipped")


def run(b, part, *args):
    """Runs a part of the test and says how it went."""
    before, begin = len(failures), time.time()
    try:
        part(*args)
    except (IndexError, KeyError, StopIteration, ValueError) as e:
        check(f"{part.__name__} to its end", False, repr(e))
    b.quiet(part.__name__)
    print(f"{part.__name__}: {'as it should be' if len(failures) == before else 'FAILED'}, {time.time() - begin:.0f} s", flush=True)


def main():
    workdir = Path(sys.argv[2]) if len(sys.argv) > 2 else Path("/tmp")
    only = sys.argv[3:]
    files()
    webdriver, why = selenium()
    if webdriver is None:
        print(f"skipped: {why}")
        return 1 if failures else 0
    profile = workdir / "chromium"
    shutil.rmtree(profile, ignore_errors=True)
    servers = []

    def serve(mode, nodes=0):
        servers.append(mock_front.serve(PAGE, mode, nodes))
        return servers[-1]

    b = Browser(webdriver, profile)
    try:
        for view in VIEWS + [keys]:
            if not only or view.__name__ in only:
                b.server = serve("live")
                run(b, view, b)
        for part in (states, another, big):
            if not only or part.__name__ in only:
                run(b, part, b, serve)
    finally:
        b.driver.quit()
        for server in servers:
            server.shutdown()
        shutil.rmtree(profile, ignore_errors=True)
    print("the page: all views as they should be" if not failures else f"{len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
