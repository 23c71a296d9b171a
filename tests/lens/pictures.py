#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of docs/lens anew: a shop on an embedded Tomcat (Shop.java) under load, looked at in a real browser. Needs Debian's
libtomcat10-embed-java, chromium-driver and python3-selenium.

pictures.py OUT [WIDTH HEIGHT [dark]]; the image of the release build is used.
"""
import glob
import http.client
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
from browser import Front, Page, failures, selenium  # noqa: E402

HOME = ROOT / "build/jdk"
JARS = [*glob.glob("/usr/share/java/tomcat10-embed-core.jar"), *glob.glob("/usr/share/java/tomcat10-servlet-api.jar"),
        *glob.glob("/usr/share/java/tomcat10-annotations-api.jar")]
CLIENTS = 6


class Shop:
    def __init__(self, work):
        path = ":".join([str(work), *JARS])
        subprocess.run([f"{HOME}/bin/javac", "-g", "-cp", path, "-d", work, HERE / "Shop.java"], check=True)
        self.process = subprocess.Popen([f"{HOME}/bin/java", "-Xmx256m", "-cp", path, "Shop", str(work / "tomcat")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.ends = False
        self.clients = [threading.Thread(target=self.ask, args=(i,), daemon=True) for i in range(CLIENTS)]
        for client in self.clients:
            client.start()

    def ask(self, number):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        n = number
        while not self.ends:
            n += CLIENTS
            if n % 3:
                connection.request("POST", f"/orders?n={n}")
            else:
                connection.request("GET", f"/orders?q={n % 97}")
            connection.getresponse().read()
            time.sleep(0.004)

    def end(self):
        self.ends = True
        for client in self.clients:
            client.join()
        self.process.stdin.close()
        self.process.wait(60)


def click_row(b, label, words=""):
    b.until(f"a row of {label}", """const t = document.querySelector(`table[aria-label="${arguments[0]}"]`);
        const r = [...t.tBodies[0].rows].find(r => !r.classList.contains('none') && r.innerText.includes(arguments[1])); if (r) r.click(); return Boolean(r)""", label, words)


def overview(b):
    b.view("overview")


def cpu(b):
    click_row(b, "Hot methods")


def alloc(b):
    b.until_rows("Classes allocated", 5)


def locks(b):
    click_row(b, "Locks", "Inventory")


def threads(b):
    b.js("document.querySelector('.lane-names').focus()")
    b.press("\ue015")


def heap(b):
    b.press("r")
    b.until("the stop is said before", "return document.querySelector('dialog')?.innerText.includes('stands for about')")
    b.click("Take it", "dialog")
    b.until_rows("Dominators", 3)
    click_row(b, "Dominators")


def exceptions(b):
    click_row(b, "Exceptions", "OutOfStock")


def watch(b):
    b.type("input[role=combobox]", "Shop$Inventory.reserve")
    b.press("\ue00c")
    b.click("Add")
    b.until_rows("Hits", 10)
    click_row(b, "Hits", "returned")


def coverage(b):
    b.record("coverage")
    b.until_rows("Packages and classes", 3)
    b.type("input[type=search]", "Shop$Order")
    time.sleep(2)
    b.js("[...document.querySelectorAll('table[aria-label=\"Packages and classes\"] tbody tr')].find(r => r.getAttribute('aria-level') === '2').click()")
    b.until("its source", "return document.querySelector('.listing')?.innerText.includes('boolean fits')")


def debugger(b):
    b.click("Open the debugger port")
    b.until("the command", "return document.querySelector('.debugger').innerText.includes('jdb -attach')")


RECORDED = [cpu, alloc, locks, threads, exceptions]
VIEWS = [overview, *RECORDED, heap, watch, coverage, debugger]


def main():
    out = Path(sys.argv[1])
    width, height = map(int, sys.argv[2:4] or (1280, 900))
    webdriver, why = selenium()
    if webdriver is None or len(JARS) < 3:
        sys.exit(f"pictures.py: {why or 'no Tomcat'}")
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        shop = Shop(work)
        time.sleep(10)
        with Front(HOME / "bin/lens", shop.process.pid, work, HERE) as front:
            b = Page(webdriver, work / "chromium")
            try:
                b.driver.set_window_size(width, height)
                b.begin(front)
                b.js("document.documentElement.dataset.theme = arguments[0]", sys.argv[4] if len(sys.argv) > 4 else "light")
                for view in RECORDED:
                    b.record(view.__name__)
                time.sleep(25)
                for view in VIEWS:
                    b.view(view.__name__)
                    time.sleep(2)
                    view(b)
                    time.sleep(3)
                    b.driver.save_screenshot(str(out / f"{view.__name__}.png"))
            finally:
                b.driver.quit()
        shop.end()
    print(f"{len(failures)} steps failed" if failures else "all pictures are made")


main()
