"""Accessibility of every sheet and form, and of a route with stops and gaps."""

import datetime

from browser import ESCAPE
from harness import pair, post_drive, quiet, same, test, whole
import life

# A property of each kind, with few and many choices.
PROPERTIES = [
    ("what", "What", "text", None),
    ("cups", "Cups", "number", None),
    ("warm", "Warm", "boolean", None),
    ("bought", "Bought", "date", None),
    ("size", "Size", "select", ["small", "large"]),
    ("kind", "Kind", "select", ["one", "two", "three", "four", "five", "six", "seven"]),
    ("took", "Took", "duration", None),
    ("page", "Page", "url", None),
    ("from", "From", "email", None),
]


@test
def axe_finds_nothing_on_any_sheet_in_either_theme(world):
    axe = world.axe_or_note()
    if not axe:
        return
    with world.person("Phone") as (hub, phone, browser):
        coffee = phone.type("Coffee", properties=PROPERTIES)
        phone.type("Kaffee")
        phone.ask("POST", "/geofences", {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 150})
        for name in ("Octavia", "Van"):
            phone.ask("POST", "/vehicles", {"id": name, "name": name})
        yesterday = life.day(1, 9)
        event = phone.event(
            coffee,
            life.iso(yesterday),
            end_date=life.iso(yesterday + datetime.timedelta(minutes=5)),
            notes="with soup",
            properties={
                "cups": {"type": "number", "value": 2},
                "page": {"type": "url", "value": "https://example.org/"},
            },
        )
        phone.ask(
            "POST",
            "/skips",
            {
                "id": "skip",
                "event_type_id": coffee,
                "from": life.day(3).date().isoformat(),
                "to": life.day(3).date().isoformat(),
                "note": "flu",
            },
        )
        # A trip with a stop and a gap.
        post_drive(phone, stop=150, silent=range(1800, 2100))
        pair(browser, hub)

        def clean(where):
            for width, dark in ((1280, False), (390, True)):
                browser.size(width)
                browser.theme(dark, still=True)
                browser.settle()
                same(axe.run(browser), [], f"{where}, {'dark' if dark else 'light'}")
                whole(browser, where)
            browser.size(1280)

        def sheet(where, path, *presses, there="dialog h2"):
            browser.go(path)
            for press in presses:
                browser.press(*press)
            browser.find(there)
            clean(where)
            browser.keys(ESCAPE)
            browser.wait(lambda: browser.count("dialog") == 0, f"{where}: closed")

        of_type = f"/types/{coffee}"
        sheet(
            "a type becomes another",
            of_type,
            ("[data-key=edit]",),
            ("dialog .button", "Merge into"),
            there="dialog select",
        )
        sheet(
            "a type is deleted", of_type, ("[data-key=edit]",), ("dialog .button", "Delete type"), there="dialog input"
        )
        sheet("a trip by hand", "/trips", ("main .button", "Add a trip"), there="dialog .segments")
        sheet("a reading of the odometer", "/mileage", ("[data-key=odometer]",), there="dialog input")
        sheet("a place", "/places/home", ("[data-key=edit]",), there="dialog input")
        sheet("days off", "/calendar", ("[data-key=days-off]",), there="dialog .rows")
        sheet("pairing", "/devices", ("main .button", "Pair a device"), there="dialog .big-code")
        sheet("a device is removed", "/devices", ("main .rows .button", "Remove"))
        sheet("this browser is removed", "/devices", ("main .button.red",))
        sheet("a new entry", of_type, ("[data-key=log]",), there="dialog textarea")
        sheet("an entry", f"/timeline/{yesterday.date().isoformat()}", ("main .row",), there="dialog textarea")
        sheet("no such type", "/", (".log",), there="dialog .pick button")
        sheet("keys", "/settings", ("main .button", "Show shortcuts"), there="dialog dl")

        browser.go("/devices")
        browser.press("main .button", "Connect an app")
        browser.press("dialog .button", "Create a token")
        browser.shows("Enter a value.", "dialog")
        clean("a token without a name")
        browser.type("dialog input", "OwnTracks")
        browser.press("dialog .button", "Create a token")
        browser.find("dialog .command")
        clean("a token")
        browser.press("dialog [aria-label=Close]")

        browser.go("/timeline?q=soup")
        browser.find("main mark")
        clean("what was found")
        browser.go("/timeline?q=nowhere")
        browser.shows("No results for")
        clean("nothing was found")

        browser.go("/trips")
        browser.find(".map .missing")
        clean("a route")
        quiet(browser, "sheets")
