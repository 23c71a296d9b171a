# SPDX-License-Identifier: Apache-2.0
"""A real browser for tests of the page of Lens (page_test.py, whole_test.py): headless Chromium, asked and moved by scripts; and how the page writes
numbers. Checks that fail are gathered in `failures`."""
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

WAIT = 120       # seconds: the machine may be busy

FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1280,900"]
failures = []


def selenium():
    """The webdriver module, or None and why not."""
    if not shutil.which("chromium") or not shutil.which("chromedriver"):
        return None, "no chromium"
    if "/usr/lib/python3/dist-packages" not in sys.path:
        sys.path.append("/usr/lib/python3/dist-packages")
    try:
        from selenium import webdriver
        return webdriver, ""
    except ImportError:
        return None, "no python3-selenium"


def check(what, truth, more=""):
    if not truth:
        failures.append(what)
        print(f"FAILED: {what} {more}")


def same(what, seen, wanted):
    check(what, seen == wanted, f"\n    seen   {seen!r}\n    wanted {wanted!r}")


# Numbers as the page should write them, made from the rules in words: three digits that matter, units in thousands.

def scaled(x, units):
    i = 0
    while x >= 999.5 and i < len(units) - 1:
        x /= 1000
        i += 1
    digits = 0 if i == 0 else 2 if x < 9.995 else 1 if x < 99.95 else 0
    text = f"{x:.{digits}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + " " + units[i]


def size(x):
    return scaled(x, ["B", "kB", "MB", "GB"])


def percent(x):
    return f"{x * 100:.1f} %" if x == 0 or x >= 0.001 else "< 0.1 %"


class Browser:
    def __init__(self, webdriver, profile):
        from selenium.webdriver.chrome.service import Service
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in [*FLAGS, f"--user-data-dir={profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        ours = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # a sanitizer is for the VM
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver"), env=ours), options=options)
        self.driver.set_script_timeout(2 * WAIT)

    def open(self, server, view):
        self.server = server
        self.url = f"http://127.0.0.1:{server.server_port}/"
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}#{view}")

    def api(self, path):
        with urllib.request.urlopen(self.url + "api/" + path) as reply:
            return json.load(reply)

    def js(self, script, *args):
        return self.driver.execute_script(script, *args)

    def until(self, what, script, *args):
        """Waits until the script answers something true; answers that, or None after the time. What is not there yet is no error."""
        end = time.time() + WAIT
        while time.time() < end:
            answer = self.js(f"try {{ {script} }} catch (e) {{ if (e instanceof TypeError) return null; throw e }}", *args)
            if answer:
                return answer
            time.sleep(0.1)
        check(what, False, "(waited in vain)")
        return None

    def text(self, selector):
        return self.js("const n = document.querySelector(arguments[0]); return n ? n.innerText.replaceAll('\\u00a0', ' ') : null", selector)

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def rows(self, label):
        """The texts of the cells of the table of that name."""
        return self.js("""const t = document.querySelector(`table[aria-label="${arguments[0]}"]`);
            return t ? [...t.tBodies[0].rows].filter(r => !r.classList.contains('none')).map(r => [...r.cells].map(c => c.innerText.replaceAll('\\u00a0', ' ').trim())) : []""", label)

    def until_rows(self, label, least=1):
        self.until(f"rows in {label}", """const t = document.querySelector(`table[aria-label="${arguments[0]}"]`);
            return t && [...t.tBodies[0].rows].filter(r => !r.classList.contains('none')).length >= arguments[1]""", label, least)
        return self.rows(label)

    def click(self, text, within="body"):
        """Clicks the button of that text."""
        done = self.js("""const b = [...document.querySelector(arguments[1]).querySelectorAll('button')].filter(x => x.offsetParent || x.closest('dialog'))
            .find(x => x.innerText.trim() === arguments[0] || x.getAttribute('aria-label') === arguments[0] || x.innerText.trim().split(/\\s/)[0] === arguments[0]);
            if (b) b.click(); return Boolean(b)""", text, within)
        check(f"a button {text}", done)

    def press(self, key):
        from selenium.webdriver import ActionChains
        ActionChains(self.driver).send_keys(key).perform()

    def type(self, selector, text):
        node = self.driver.find_element("css selector", selector)
        node.clear()
        node.send_keys(text)

    def tree(self):
        """What the hidden tree of the flame graph says: {name: {total, self, level, hit}} of the widest frame of each name."""
        items = self.js("""return [...document.querySelectorAll('#view [role=tree] [role=treeitem]')].map(n => ({name: n.dataset.name, total: Number(n.dataset.total), self: Number(n.dataset.self),
            level: Number(n.getAttribute('aria-level')), hit: n.dataset.hit === '1', label: n.getAttribute('aria-label').replaceAll('\\u00a0', ' '), selected: n.getAttribute('aria-selected') === 'true'}))""")
        out = {}
        for item in items:
            out.setdefault(item["name"], item)
        return out

    def until_frame(self, name):
        self.until(f"a frame {name}", "return [...document.querySelectorAll('#view [role=tree] [role=treeitem]')].some(n => n.dataset.name === arguments[0])", name)
        return self.tree()

    def quiet(self, where):
        """No error on the console, the policy's refusals among them; a refused request of a test is no error."""
        for line in self.driver.get_log("browser"):
            if line["level"] == "SEVERE" and "the server responded with a status of 4" not in line["message"] and "ERR_" not in line["message"]:
                check(f"a quiet console in {where}", False, line["message"])


class Front:
    """`lens PID`."""

    def __init__(self, lens, pid, work, sources):
        self.words = [str(lens), str(pid), "--no-browser", "--source", str(sources)]
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(work / "cache")}

    def __enter__(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=self.environment)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), (self.address, self.process.stderr.read())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        errors = self.process.communicate(timeout=60)[1]
        check("lens ends in order", self.process.returncode == 0, errors[-2000:])


class Page(Browser):
    """The page of a real front."""

    def begin(self, front):
        self.driver.get(front.address)
        self.until("a page", "return Boolean(document.querySelector('#nav a'))")
        check("the address keeps no token", "token" not in self.driver.current_url, self.driver.current_url)

    def view(self, name):
        self.js("location.hash = arguments[0]", name)
        self.until(f"view {name}", "return document.querySelector('#nav [aria-current]')?.dataset.view === arguments[0]", name)
        self.js("document.activeElement.blur()")

    def api(self, path):
        return self.driver.execute_async_script("fetch('/api/' + arguments[0]).then(r => r.json()).then(arguments[1])", path)

    def record(self, name):
        """Begins what the view records, as its key does."""
        self.view(name)
        self.press("r")
        self.until(f"{name} is recorded", "return document.querySelector('.state').innerText.startsWith('Recording')")
        self.api("classes?match=java.lang.Object")  # the agent answers in turn: it has begun what was ordered before

    def stop(self):
        self.js("document.activeElement.blur()")
        self.press("r")

    def until_api(self, what, path, condition, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            answer = self.api(path)
            if condition(answer):
                return answer
            time.sleep(0.3)
        check(what, False, f"(waited in vain) {str(answer)[:500]}")
        return answer
