"""Shared parts of the page tests: registration, checks of every page, hubs and browsers."""

import contextlib
import datetime
import os
import tempfile
import time

from axe import Axe
from browser import FONTS, Browser, Driver, Failed
from hub import Device, Hub
import life

TESTS = []
PAGES = [
    "/",
    "/timeline",
    "/calendar",
    "/calendar?view=month",
    "/types",
    "/insights",
    "/trips",
    "/mileage",
    "/places",
    "/devices",
    "/data",
    "/settings",
    "/more",
]
# Text that would be active if it were interpreted as markup.
HOSTILE = "\"><img src=x onerror=window.stung=1><script>window.stung=1</script>'${window.stung=1}{{7*7}}‮&amp;"


def test(function):
    TESTS.append(function)
    return function


def check(truth, words):
    if not truth:
        raise Failed(words)


def same(found, expected, words):
    check(found == expected, f"{words}: expected {expected!r}, found {found!r}")


def pair(browser, hub, then=".tile"):
    browser.go("/")
    browser.type(".code", hub.code())
    browser.press("button[type=submit]")
    if then:
        browser.find(then)


def drive(phone, minutes=120):
    """Posts a trip of ten kilometres to the north within an hour."""
    begin = life.now().replace(microsecond=0) - datetime.timedelta(minutes=minutes)
    if not [type for type in phone.ask("GET", "/event-types") if type["name"] == "Trip"]:
        phone.type("Trip", "#4A6FA5", "⇢")
    kind = next(type["id"] for type in phone.ask("GET", "/event-types") if type["name"] == "Trip")
    return phone.event(
        kind,
        life.iso(begin),
        end_date=life.iso(begin + datetime.timedelta(hours=1)),
        source_type="trip",
        location_latitude=52,
        location_longitude=5,
        properties={
            "distance": {"type": "number", "value": 10000},
            "route": {"type": "text", "value": life.encode([(52 + i * 0.009, 5 + 0.002 * (i % 3)) for i in range(11)])},
        },
    )


def post_drive(phone, stop=0, silent=range(0)):
    """Posts positions as an app does, except during the silent seconds: at rest, a drive of twenty minutes with a stop,
    then at rest long enough to end the trip."""
    begin = life.now().replace(microsecond=0) - datetime.timedelta(minutes=90)
    fixes = []
    for second in (second for second in range(0, 4800, 10) if second not in silent):
        driven = max(0, min(second - 900, 600)) + max(0, min(second - 1500 - stop, 600))
        fixes.append(
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": [5 + driven * 0.0001, 52 + driven * 0.0001]},
                "properties": {
                    "timestamp": life.iso(begin + datetime.timedelta(seconds=second)),
                    "horizontal_accuracy": 5,
                    "speed": 13.1 if 0 < driven < 1200 and not 1500 <= second < 1500 + stop else 0,
                },
            }
        )
    for start in range(0, len(fixes), 100):
        phone.post("/overland", {"locations": fixes[start : start + 100]})


def quiet(browser, where, allowed=()):
    """Checks that nothing was logged to the console and only the hub was asked."""
    complaints = [text for text in browser.complaints() if not any(part in text for part in allowed)]
    same(complaints, [], f"{where}: complaints")
    for address in browser.requests():
        check(
            address.startswith((browser.address, "data:", "blob:", "chrome:", "about:")),
            f"{where}: asked for {address}",
        )


def whole(browser, where):
    """Checks for one heading, a title, and no horizontal overflow."""
    same(browser.count("h1"), 1, f"{where}: headings of first order")
    check(browser.script("return document.title").endswith(" – Trendy"), f"{where}: its title")
    wide = browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(wide <= 0, f"{where}: {wide} px wider than the window")


CSV = """date,type,note,cups
2026-03-01 08:00,Coffee,oat,2
2026-03-02 08:00,Coffee,<img src=x onerror="window.stung=1">,1
2026-03-02 09:00,<b>Tea</b>,"=cmd",1
2026-03-03 09:00,Run,,
what,,,
"""


def choose(browser, name, content):
    """Chooses a file with the given content to import."""
    folder = tempfile.mkdtemp(prefix="trendy-file-", dir=browser.profile)
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    browser.choose(".bring-in input[type=file]", path)


class World:
    def __init__(self, program):
        self.program, self.notes, self.driver, self.axe = program, [], Driver(), Axe()
        self.many = Hub(program)
        self.phone = Device(self.many, "Phone")
        self.types = life.live(self.phone, days=400)
        self.looking = Browser(self.driver, self.many.address)
        pair(self.looking, self.many)

    def stop(self):
        self.looking.__exit__()
        self.many.__exit__()
        self.driver.stop()

    def hub(self):
        return Hub(self.program)

    @contextlib.contextmanager
    def person(self, device="phone"):
        """A hub with a device, and a browser that is not paired yet."""
        with self.hub() as hub, self.browser(hub) as browser:
            yield hub, Device(hub, device), browser

    def browser(self, hub):
        return Browser(self.driver, hub.address)

    @contextlib.contextmanager
    def fonts(self, hub):
        """A paired browser for each system font, by its name."""
        with contextlib.ExitStack() as stack:
            browsers = {}
            for font in FONTS:
                browsers[font] = stack.enter_context(Browser(stack.enter_context(Driver(font)), hub.address))
                pair(browsers[font], hub, then="main.framed")
            yield browsers

    def axe_or_note(self):
        """axe-core, or `None` with a note if it is not available."""
        if self.axe.source:
            return self.axe
        note = f"axe-core was not run: {self.axe.why}"
        if note not in self.notes:
            self.notes.append(note)
        return None

    def all_events(self):
        events, offset = [], 0
        while page := self.phone.ask("GET", f"/events?limit=1000&offset={offset}"):
            events += page
            offset += 1000
        return events

    def wait(self, look, why, seconds=30):
        end = time.monotonic() + seconds
        while not look():
            check(time.monotonic() < end, f"not in {seconds} s: {why}")
            time.sleep(0.03)
