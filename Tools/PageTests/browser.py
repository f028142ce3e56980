"""Drives Chromium through chromedriver (W3C WebDriver over HTTP), both from Debian."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request
import zlib

import life

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"

# Key codes of W3C WebDriver.
ENTER, ESCAPE, TAB, LEFT, RIGHT, DOWN = "\ue007", "\ue00c", "\ue004", "\ue012", "\ue014", "\ue015"
CONTROL, SHIFT, ALT, DELETE = "\ue009", "\ue008", "\ue00a", "\ue017"


class Failed(AssertionError):
    """An expectation of a test was not met."""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def lightness(png):
    """Mean lightness of a PNG with eight bits per sample, from 0 to 1."""
    width, height, depth, colour = struct.unpack(">IIBB", png[16:26])
    channels = {2: 3, 6: 4}[colour]
    if depth != 8:
        raise Failed(f"a picture of {depth} bits")
    place, packed = 8, b""
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        if kind == b"IDAT":
            packed += png[place + 8 : place + 8 + length]
        place += 12 + length
    rows, stride = zlib.decompress(packed), width * channels
    before, total = bytearray(stride), 0
    for y in range(height):
        method, row = rows[y * (stride + 1)], bytearray(rows[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            left, up, corner = (
                row[i - channels] if i >= channels else 0,
                before[i],
                before[i - channels] if i >= channels else 0,
            )
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            row[i] = (row[i] + (0, left, up, (left + up) // 2, paeth)[method]) & 255
        total += sum(sum(row[channel::channels]) for channel in range(3))
        before = row
    return total / (width * height * 3 * 255)


# System fonts for the tests: folder and family.
FONTS = {"dejavu": "DejaVu Sans", "noto": "Noto Sans", "liberation": "Liberation Sans"}
FONTS_FILE = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/truetype/{folder}</dir>
  <match><edit name="family" mode="append_last"><string>{family}</string></edit></match>
  <cachedir>{cache}</cachedir>
</fontconfig>
"""


class Driver:
    """One chromedriver for any number of browsers. FONT selects the only system font they have."""

    def __init__(self, font=None):
        self.port = free_port()
        self.folder = tempfile.mkdtemp(prefix="trendy-fonts-")
        name = font or os.environ.get("FONT", "liberation")
        with open(self.folder + "/fonts.conf", "w") as file:
            file.write(FONTS_FILE.format(folder=name, family=FONTS[name], cache=self.folder))
        self.process = subprocess.Popen(
            [shutil.which("chromedriver"), f"--port={self.port}", "--silent"],
            env={"FONTCONFIG_FILE": self.folder + "/fonts.conf", **os.environ},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(200):
            try:
                if self.send("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.05)
        raise Failed("chromedriver does not answer")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def send(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Failed(f"{value['error']}: {value['message'].splitlines()[0]}") from None

    def stop(self):
        # chromedriver may have been started with SIGTERM blocked.
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Browser:
    """Context manager for a browser with a temporary profile."""

    def __init__(
        self, driver, address, width=1280, height=900, dark=False, language="en-GB", zone=life.ZONE_NAME, more=()
    ):
        self.driver = driver
        self.address = address
        self.language, self.zone, self.shape, self.is_dark, self.more = language, zone, (width, height), dark, more
        self.open(tempfile.mkdtemp(prefix="trendy-browser-"))

    def open(self, profile):
        """Starts the browser with a profile."""
        self.profile = profile
        width, height = self.shape
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            f"--lang={self.language}",
            f"--user-data-dir={self.profile}",
            f"--window-size={width},{height}",
            "--no-first-run",
            "--disable-extensions",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-default-apps",
            # Only the hub is reachable.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            *self.more,
        ]
        answer = self.driver.send(
            "POST",
            "/session",
            {
                "capabilities": {
                    "alwaysMatch": {
                        "browserName": "chrome",
                        "goog:chromeOptions": {
                            "args": arguments,
                            "binary": shutil.which("chromium") or shutil.which("chromium-browser"),
                        },
                        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                        "timeouts": {"script": 30_000},
                    }
                }
            },
        )
        self.session = f"/session/{answer['sessionId']}"
        self.settle_in()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.driver.send("DELETE", self.session)
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)

    def settle_in(self):
        """Applies settings that hold for one tab."""
        self.size(*self.shape)
        self.theme(self.is_dark)
        self.devtools("Emulation.setTimezoneOverride", timezoneId=self.zone)
        self.devtools("Emulation.setLocaleOverride", locale=self.language)

    def tab(self):
        """Opens a tab and switches to it; returns its handle and the previous one."""
        before = self.send("GET", "/window")
        after = self.send("POST", "/window/new", {"type": "tab"})["handle"]
        self.turn_to(after)
        self.settle_in()
        return after, before

    def turn_to(self, tab):
        self.send("POST", "/window", {"handle": tab})

    def close_tab(self, then):
        self.send("DELETE", "/window")
        self.turn_to(then)

    # Actions

    def send(self, method, path, body=None):
        return self.driver.send(method, self.session + path, body)

    def devtools(self, command, **parameters):
        return self.send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height=900):
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def theme(self, dark, still=False):
        """`still` disables motion, so that colours are measured after transitions."""
        self.devtools(
            "Emulation.setEmulatedMedia",
            features=[
                {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"},
            ],
        )

    def go(self, path="/"):
        self.send("POST", "/url", {"url": self.address + path})

    def script(self, text, *arguments):
        return self.send("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def later(self, text, *arguments):
        """Runs the body of an async function."""
        script = (
            "const done = arguments[arguments.length - 1]; (async (...args) => {" + text + "})(...arguments)"
            ".then((value) => done({ value }), (error) => done({ error: String(error) }));"
        )
        answer = self.send("POST", "/execute/async", {"script": script, "args": list(arguments)})
        if "error" in answer:
            raise Failed(answer["error"])
        return answer.get("value")

    def find(self, selector, text=None):
        """Waits for the first visible element that matches a selector and contains a text."""
        script = """
          const [selector, text] = arguments;
          return [...document.querySelectorAll(selector)].find((element) => element.getClientRects().length > 0
            && (text === null || (element.textContent + ' ' + (element.getAttribute('aria-label') ?? '')).includes(text)
              )) ?? null;"""
        return self.wait(lambda: self.script(script, selector, text), f"{selector} {text or ''} is not there")

    def with_element(self, find, act):
        """Finds an element and acts on it; retries if a redraw has replaced it."""
        for attempt in range(20):
            try:
                return act(find()[ELEMENT])
            except Failed as error:
                if (
                    not any(word in str(error) for word in ("stale", "not interactable", "intercepted"))
                    or attempt == 19
                ):
                    raise

    def press(self, selector, text=None):
        def act(element):
            # WebDriver does not scroll elements out from below a sticky footer.
            self.script("arguments[0].scrollIntoView({ block: 'nearest' })", {ELEMENT: element})
            self.send("POST", f"/element/{element}/click", {})

        self.with_element(lambda: self.find(selector, text), act)

    def type(self, selector, text):
        def act(element):
            self.send("POST", f"/element/{element}/clear", {})
            self.send("POST", f"/element/{element}/value", {"text": text})

        self.with_element(lambda: self.find(selector), act)

    def choose(self, selector, path):
        """Chooses a file in a file input, which may be hidden."""
        find = lambda: self.wait(
            lambda: self.script("return document.querySelector(arguments[0])", selector), f"{selector} is not there"
        )
        self.with_element(find, lambda element: self.send("POST", f"/element/{element}/value", {"text": path}))

    def keys(self, *texts):
        """Types texts one after the other; a text that begins with a modifier is a chord."""
        actions = []
        for text in texts:
            if text[0] in (CONTROL, SHIFT, ALT):
                actions += [{"type": "keyDown", "value": key} for key in text] + [
                    {"type": "keyUp", "value": key} for key in reversed(text)
                ]
            else:
                for key in text:
                    actions += [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.send("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def pointer(self, *actions, kind="mouse"):
        self.send(
            "POST",
            "/actions",
            {
                "actions": [
                    {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": list(actions)}
                ]
            },
        )

    def click_at(self, x, y):
        self.pointer(
            {"type": "pointerMove", "x": x, "y": y},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        )

    def drag(self, start, end):
        self.pointer(
            {"type": "pointerMove", "x": start[0], "y": start[1]},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 100, "x": end[0], "y": end[1]},
            {"type": "pointerUp", "button": 0},
        )

    # Observations

    def text(self, selector="main"):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def settle(self):
        """Waits for two animation frames, so that pending drawing is done."""
        self.later("await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def count(self, selector):
        return self.script("return document.querySelectorAll(arguments[0]).length", selector)

    def wait(self, look, why, seconds=30):
        """Polls `look` and returns its first true value."""
        end = time.monotonic() + seconds
        while True:
            value = look()
            if value:
                return value
            if time.monotonic() > end:
                raise Failed(f"{why}; the page says: {self.text('body')[:600]!r}")
            time.sleep(0.03)

    def shows(self, text, selector="body"):
        return self.wait(lambda: text in self.text(selector), f"{text!r} is not shown")

    def hides(self, text, selector="body"):
        return self.wait(lambda: text not in self.text(selector), f"{text!r} is shown")

    def picture(self, path):
        """Saves a screenshot of the full page."""
        height = self.script("return Math.max(document.documentElement.scrollHeight, 900)")
        width = self.script("return innerWidth")
        before = self.script("return innerHeight")
        self.size(width, min(height, 2600))
        data = self.devtools("Page.captureScreenshot", format="png")["data"]
        self.size(width, before)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def lightness(self, selector):
        """Mean lightness of an element, from 0 (black) to 1 (white)."""
        box = self.script(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect(); "
            "return { x: b.x, y: b.y, width: b.width, height: b.height, scale: 0.1 }",
            selector,
        )
        picture = base64.b64decode(self.devtools("Page.captureScreenshot", format="png", clip=box)["data"])
        return lightness(picture)

    # Console and network

    def complaints(self):
        """Console errors and warnings since the last call."""
        entries = self.send("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Requested URLs since the last call."""
        addresses = []
        for entry in self.send("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return addresses
