"""Exports of a period in several formats, and of the whole record, which another hub imports."""

import json
import urllib.request

from harness import choose, pair, post_drive, quiet, same, test, whole
from hub import Device
import life


def watch_downloads(browser):
    """Records downloads."""
    browser.script(
        "window.taken = []; const make = URL.createObjectURL; "
        "URL.createObjectURL = (blob) => { window.taken.push(blob); return make.call(URL, blob); }"
    )


def put(browser, key, value):
    browser.script(
        "const i = document.querySelector(`[data-key='${arguments[0]}']`); i.value = arguments[1]; "
        "i.dispatchEvent(new Event('change', { bubbles: true }))",
        key,
        value,
    )


def take(browser, form):
    """Downloads an export in a format and returns its text."""
    before = browser.script("return window.taken.length")
    browser.press("main form .segments label", form)
    browser.press("main form button[type=submit]")
    browser.wait(lambda: browser.script("return window.taken.length") == before + 1, f"a file: {form}")
    return browser.later("return await window.taken.at(-1).text()")


@test
def entries_of_a_time_and_a_type_are_taken_out(world):
    with world.person() as (hub, phone, browser):
        coffee, tea = phone.type("Coffee", properties=[("cups", "Cups", "number", None)]), phone.type("Tea")
        for ago in range(10):
            phone.event(
                coffee,
                life.iso(life.day(ago, 8)),
                time_zone=life.ZONE_NAME,
                properties={"cups": {"type": "number", "value": ago}},
            )
            phone.event(tea, life.iso(life.day(ago, 9)), time_zone=life.ZONE_NAME)
        pair(browser, hub)
        browser.go("/data")
        browser.find("[data-key=out-From]")
        watch_downloads(browser)
        put(browser, "out-From", life.day(3).date().isoformat())
        put(browser, "out-To", life.day(5).date().isoformat())
        browser.press("main form button[type=submit]")
        browser.wait(
            lambda: browser.script("return window.taken.length") == 0
            and "The end is before the start. Enter a later end." in browser.text("main"),
            "refused",
        )
        put(browser, "out-From", life.day(5).date().isoformat())
        put(browser, "out-To", life.day(3).date().isoformat())
        put(browser, "out-type", coffee)
        rows = [line.split(",") for line in take(browser, "CSV").splitlines()]
        browser.shows(f"trendy-{life.day(5).date()}-{life.day(3).date()}.csv downloaded", ".toast")
        same(
            [rows[0][-1]] + [row[-1] for row in rows[1:]],
            ["Property: cups", "3", "4", "5"],
            "of those days and that type",
        )
        put(browser, "out-type", "")
        same(len(json.loads(take(browser, "JSON"))), 6, "of both types")
        same(take(browser, "ICS").count("BEGIN:VEVENT"), 6, "as a calendar")
        # Without positions the page shows a message instead of an empty file.
        browser.press("main form .segments label", "GPX")
        browser.wait(
            lambda: not browser.script("return document.querySelector('[data-key=out-type]').checkVisibility()"),
            "fixes are of no type",
        )
        browser.press("main form button[type=submit]")
        browser.shows("No positions in this period.", ".toast")
        same(browser.script("return window.taken.length"), 3, "no file")
        browser.script("document.querySelector('.toast')?.remove()")
        put(browser, "out-From", "2020-01-01")
        put(browser, "out-To", "2020-01-02")
        browser.press("main form .segments label", "CSV")
        browser.press("main form button[type=submit]")
        browser.shows("No entries in this period.", ".toast")
        for width in (320, 390, 1280):
            browser.size(width)
            browser.settle()
            whole(browser, f"data, {width}")
        quiet(browser, "taking out", allowed=["404"])


@test
def tracks_are_taken_out_and_the_whole_record_is_brought_in_elsewhere(world):
    with world.hub() as hub, world.hub() as other, world.browser(hub) as browser, world.browser(other) as elsewhere:
        phone = Device(hub, "Phone")
        coffee = phone.type("Coffee", properties=[("cups", "Cups", "number", None)])
        phone.ask(
            "POST",
            "/geofences",
            {
                "id": "home",
                "name": "Home",
                "latitude": 52,
                "longitude": 5,
                "radius": 150,
                "is_active": True,
                "notify_on_entry": False,
                "notify_on_exit": False,
            },
        )
        phone.event(
            coffee,
            life.iso(life.day(1, 8)),
            time_zone=life.ZONE_NAME,
            is_all_day=False,
            source_type="manual",
            notes='oat, "large"',
            properties={"cups": {"type": "number", "value": 2}},
        )
        post_drive(phone)
        world.wait(
            lambda: any(event["source_type"] == "trip" for event in phone.ask("GET", "/events")), "the drive is found"
        )
        pair(browser, hub)
        browser.go("/data")
        browser.find("[data-key=out-From]")
        watch_downloads(browser)
        track = take(browser, "GPX")
        same(
            (track.count("<trk>"), track.count("<trkpt"), "<name>Phone</name>" in track),
            (1, 480, True),
            "the fixes as they were posted",
        )
        # The backup is a link, so that large records are written to disk directly.
        path = browser.script("return document.querySelector('a[download]').getAttribute('href')")
        request = urllib.request.Request(hub.address + path, headers={"Authorization": f"Bearer {phone.token}"})
        backup = urllib.request.urlopen(request, timeout=30).read()
        pair(elsewhere, other, then="main h1")
        elsewhere.go("/data")
        elsewhere.find(".bring-in .button")
        choose(elsewhere, "trendy.ndjson", backup)
        elsewhere.press(".bring-in .button.primary")
        elsewhere.shows("imported", ".bring-in")
        there = Device(other, "Laptop")
        plain = lambda list: sorted(
            json.dumps(
                {
                    name: value
                    for name, value in one.items()
                    if name not in ("user_id", "created_at", "updated_at", "event_type")
                },
                sort_keys=True,
            )
            for one in list
        )
        for kind in ("/event-types", "/property-definitions", "/geofences", "/events"):
            same(plain(there.ask("GET", kind)), plain(phone.ask("GET", kind)), f"{kind} are as they were")
        elsewhere.go("/data")
        elsewhere.find("[data-key=out-From]")
        watch_downloads(elsewhere)
        same(take(elsewhere, "GPX").count("<trkpt"), 480, "and so are the fixes")
        quiet(browser, "a backup")
