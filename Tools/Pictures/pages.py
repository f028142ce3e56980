#!/usr/bin/env python3
"""Takes pictures of the hub's pages, identical on every run: stopped clocks, one zone, language and font, no animation.

usage: pages.py PROGRAMS FOLDER [--docs FOLDER] [--only NAME ...] [--years N]
PROGRAMS has trendy and trendyd, linked dynamically. FOLDER gets PAGE-WIDTH-THEME.png; --docs names the
folder of the README's pictures, --only the pictures of FOLDER to take, such as today-390-light, and --years the length
of the record.
"""

import argparse
import base64
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../PageTests"))

from browser import Browser, Driver  # noqa: E402
from harness import pair  # noqa: E402
from hub import Device, Hub  # noqa: E402
from record import NOW, ZONE, SampleRecord  # noqa: E402

SIZES = {1280: 900, 390: 844}
THEMES = ["light", "dark"]
# Path of each page, and an element that appears once the page has loaded its data.
PAGES = {
    "today": ("/", ".tile"),
    "timeline": ("/timeline/2026-11-19", "main .row"),
    "calendar": ("/calendar", ".heat svg"),
    "insights": ("/insights", "main section"),
    "trips": (None, ".map svg"),
    "type": (None, ".plot"),
}
# Entries recorded manually on the day of the pictures.
ENTRIES = [
    ["log", "mood", "4", "--at", "12:40", "-n", "lunch in the sun"],
    ["log", "coffee", "1", "size=large", "--at", "14:05", "-n", "oat milk"],
    ["start", "reading", "--at", "17:15"],
]
TILES = [
    "coffee",
    "mood",
    "medication",
    "run",
    "reading",
    "sleep",
    "meditation",
    "headache",
    "journal",
    "wine",
    "stretching",
    "television",
    "plants",
    "call mum",
]
# The README shows pages 880 px wide. Dense screens need twice as many pixels.
DOCS_SCALE = 2 * 880 / 1280
PHONE_SCALE = 2

# Chromium positions glyphs at fractions of a pixel only on high-density screens.
SMOOTH = ("--force-device-scale-factor=2",)

FIXED_CLOCK = f"""(() => {{
  const Running = Date;
  globalThis.Date = class Date extends Running {{
    constructor(...parts) {{ parts.length ? super(...parts) : super({NOW * 1000}); }}
    static now() {{ return {NOW * 1000}; }}
  }};
}})();"""

# Whether the sync indicator below the navigation shows a tick, which means that the page is up to date.
SYNCED = "return document.querySelector('#sync path')?.getAttribute('d').startsWith('M4.5 10.5')"

FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts/opentype/inter</dir>
  <dir>/usr/share/fonts/truetype/dejavu</dir>
  <match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit></match>
  <cachedir>{folder}/fontconfig</cachedir>
</fontconfig>
"""


class Camera:
    def __init__(self, browser):
        self.browser = browser

    def size(self, width, scale=1):
        self.browser.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=SIZES[width],
            deviceScaleFactor=scale,
            mobile=False,
        )

    def show(self, path, element, theme):
        self.browser.theme(theme == "dark", still=True)
        self.browser.go(path)
        self.browser.find(element)
        self.browser.wait(lambda: self.browser.script(SYNCED), "the page does not follow the hub")
        self.browser.later("await document.fonts.ready")
        self.wait_until_quiet()

    def wait_until_quiet(self):
        """Waits until no request has been answered and nothing drawn for a tenth of a second, three times in a row."""
        state = "return [performance.getEntriesByType('resource').length, document.body.innerHTML]"
        last, equal = None, 0
        while equal < 3:
            self.browser.later("await new Promise((done) => setTimeout(done, 100))")
            now = self.browser.script(state)
            last, equal = now, equal + 1 if now == last else 0
        self.browser.script("document.activeElement?.blur()")
        self.browser.settle()

    def png(self):
        return base64.b64decode(self.browser.devtools("Page.captureScreenshot", format="png")["data"])


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def small(png):
    """The picture with 256 colours."""
    return subprocess.run(
        ["pngquant", "--speed", "1", "--strip", "-"], input=png, capture_output=True, check=True
    ).stdout


def side_by_side(browser, pictures):
    """Pictures of phones beside each other on a transparent background."""
    images = "".join(f'<img src="data:image/png;base64,{base64.b64encode(picture).decode()}">' for picture in pictures)
    style = (
        "body{margin:0;display:flex;gap:26px;padding:1px}img{width:276px;border-radius:22px;box-shadow:0 0 0 1px #8888}"
    )
    browser.send("POST", "/url", {"url": "about:blank"})
    browser.script("document.documentElement.innerHTML = arguments[0]", f"<style>{style}</style>{images}")
    browser.later("await Promise.all([...document.images].map((image) => image.decode()))")
    browser.devtools(
        "Emulation.setDeviceMetricsOverride", width=882, height=600, deviceScaleFactor=PHONE_SCALE, mobile=False
    )
    browser.devtools("Emulation.setDefaultBackgroundColorOverride", color={"r": 0, "g": 0, "b": 0, "a": 0})
    browser.settle()
    return base64.b64decode(browser.devtools("Page.captureScreenshot", format="png")["data"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("programs")
    parser.add_argument("folder")
    parser.add_argument("--docs")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--years", type=int, default=3)
    options = parser.parse_args()
    with SampleRecord(options.programs, options.years) as record:
        fonts = record.folder + "/fonts.conf"
        with open(fonts, "w") as file:
            file.write(FONTS.format(folder=record.folder))
        os.environ["FONTCONFIG_FILE"] = fonts
        with Hub(record.programs + "/trendyd", environment=record.clock) as hub:
            for words in ENTRIES:
                record.trendy(*words)
            record.trendy("connect", hub.address, hub.code(), "--name", "Laptop")
            driver = Driver()
            try:
                with Browser(driver, hub.address, zone=ZONE, more=SMOOTH) as browser:
                    take(record, hub, browser, options)
            finally:
                driver.stop()


def take(record, hub, browser, options):
    camera = Camera(browser)
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=FIXED_CLOCK)
    phone = Device(hub, "Phone")
    types = {type["name"]: type["id"] for type in phone.ask("GET", "/event-types")}
    phone.ask("POST", "/settings", {"id": "setting-tiles.order", "key": "tiles.order"})
    phone.ask("PATCH", "/settings/setting-tiles.order", {"value": [types[name] for name in TILES]})
    pair(browser, hub)
    day = phone.ask("GET", "/events?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z")
    trip = max(
        (event for event in day if event["event_type_id"] == types["Trip"]), key=lambda event: event["timestamp"]
    )
    paths = {"type": f"/types/{types['coffee']}", "trips": f"/trips/{trip['id']}"}
    pages = {name: (paths.get(name, path), element) for name, (path, element) in PAGES.items()}
    names = {f"{page}-{width}-{theme}": (page, width, theme) for page in pages for width in SIZES for theme in THEMES}
    for name in options.only or names:
        page, width, theme = names[name]
        camera.size(width)
        camera.show(*pages[page], theme)
        write(f"{options.folder}/{name}.png", camera.png())
        print(f"{options.folder}/{name}.png", flush=True)
    if not options.docs:
        return
    for name, page, theme in [
        ("today-light", "today", "light"),
        ("today-dark", "today", "dark"),
        ("trips-light", "trips", "light"),
    ]:
        camera.size(1280, DOCS_SCALE)
        camera.show(*pages[page], theme)
        write(f"{options.docs}/{name}.png", small(camera.png()))
    phones = []
    for page, theme in [("today", "light"), ("insights", "dark"), ("trips", "light")]:
        camera.size(390, PHONE_SCALE)
        camera.show(*pages[page], theme)
        phones.append(camera.png())
    write(f"{options.docs}/phone.png", small(side_by_side(browser, phones)))


main()
