#!/usr/bin/env python3
"""The hub's pages in a real browser, against the program that is shipped. usage: suite.py TRENDYD [PART OF A NAME ...]"""

import datetime
import json
import os
import socket
import struct
import sys
import tempfile
import threading
import time
import traceback
import zlib

from axe import Axe
from browser import CONTROL, DOWN, ENTER, ESCAPE, RIGHT, Browser, Driver, Failed, free_port
from hub import Device, Hub
import life

TESTS = []
PAGES = ["/", "/timeline", "/calendar", "/calendar?view=month", "/types", "/insights", "/trips", "/mileage", "/places", "/devices", "/data", "/settings", "/more"]
# Text that would be a picture, a script or an end of something, wherever it were taken for markup.
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
    """A trip of ten kilometres to the north in an hour that began some minutes ago."""
    begin = life.now().replace(microsecond=0) - datetime.timedelta(minutes=minutes)
    if not [type for type in phone.ask("GET", "/event-types") if type["name"] == "Trip"]:
        phone.type("Trip", "#4A6FA5", "⇢")
    kind = next(type["id"] for type in phone.ask("GET", "/event-types") if type["name"] == "Trip")
    return phone.event(kind, life.iso(begin), end_date=life.iso(begin + datetime.timedelta(hours=1)), source_type="trip", location_latitude=52, location_longitude=5, properties={
        "distance": {"type": "number", "value": 10000}, "route": {"type": "text", "value": life.encode([(52 + i * 0.009, 5 + 0.002 * (i % 3)) for i in range(11)])}})


def post_drive(phone, stop=0):
    """Fixes as an app posts them: at rest, twenty minutes on the way, half of it before some seconds of standing, at rest again for longer than ends a trip."""
    begin = life.now().replace(microsecond=0) - datetime.timedelta(minutes=90)
    fixes = []
    for second in range(0, 4800, 10):
        driven = max(0, min(second - 900, 600)) + max(0, min(second - 1500 - stop, 600))
        fixes.append({"type": "Feature", "geometry": {"type": "Point", "coordinates": [5 + driven * 0.0001, 52 + driven * 0.0001]},
                      "properties": {"timestamp": life.iso(begin + datetime.timedelta(seconds=second)), "horizontal_accuracy": 5, "speed": 13.1 if 0 < driven < 1200 and not 1500 <= second < 1500 + stop else 0}})
    for start in range(0, len(fixes), 100):
        phone.post("/overland", {"locations": fixes[start:start + 100]})


def quiet(browser, where, allowed=()):
    """No complaint of the console or the policy, and no request but to the hub."""
    complaints = [text for text in browser.complaints() if not any(part in text for part in allowed)]
    same(complaints, [], f"{where}: complaints")
    for address in browser.requests():
        check(address.startswith((browser.address, "data:", "blob:", "chrome:", "about:")), f"{where}: asked for {address}")


def whole(browser, where):
    """What every page owes: one heading, a title, a main, nothing beside the window."""
    same(browser.count("h1"), 1, f"{where}: headings of first order")
    check(browser.script("return document.title").endswith(". Trendy"), f"{where}: its title")
    wide = browser.script("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(wide <= 0, f"{where}: {wide} px wider than the window")


# MARK: Coming in


@test
def a_hub_without_persons_says_how_to_make_one_and_nothing_else(world):
    with Hub(world.program, people=()) as hub, world.browser(hub) as browser:
        # Whoever `hub init` made is removed, as by hand.
        for person in hub.run("user", "list").get("users", []):
            hub.run("user", "rm", person["name"], "--yes")
        browser.go("/calendar")
        browser.shows("This hub has no person yet")
        browser.shows("trendyd user add")
        same(browser.count("nav"), 0, "navigation")
        quiet(browser, "first run")


@test
def a_browser_comes_in_by_code_and_a_wrong_code_is_told_for_what_it_is(world):
    with world.hub() as hub, world.browser(hub) as browser:
        browser.go("/settings")
        browser.type(".code", "0000-0000")
        browser.press("button[type=submit]")
        browser.shows("This code is wrong, was used, or is older than ten minutes.")
        same(browser.script("return document.activeElement.className"), "input code", "where the focus is")
        browser.type(".code", " ".join(hub.code().split("-")))
        browser.press("button[type=submit]")
        browser.find("main h1", "Settings")
        browser.shows("Ada")
        check("trendy-" not in browser.script("return document.cookie"), "no script reads the cookie")
        quiet(browser, "pairing", allowed=["403"])


@test
def the_first_types_are_chosen_and_logged(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        browser.press(".templates label", "Water")
        browser.press("main .button.primary", "Begin")
        browser.wait(lambda: browser.count(".tile") == 3, "three tiles")
        browser.press(".tile .press", "Water")
        browser.shows("Water logged at", ".toast")
        phone = Device(hub)
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the event is on the hub")
        same(len(phone.ask("GET", "/property-definitions")), 2, "properties of mood and coffee")
        quiet(browser, "first types")


# MARK: Recording


@test
def one_press_logs_and_every_act_can_be_taken_back(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        coffee = phone.type("Coffee", properties=[("size", "Size", "select", ["small", "large"])])
        events = lambda: phone.ask("GET", "/events")
        pair(browser, hub)
        browser.press(".tile .press")
        browser.wait(lambda: browser.text(".tile .count") == "1", "the tile counts")
        world.wait(lambda: len(events()) == 1, "it is on the hub")
        same(events()[0]["source_type"], "manual", "where it came from")
        same(events()[0]["time_zone"], life.ZONE_NAME, "its zone")
        # Mended.
        browser.press("main .row")
        browser.type("dialog textarea", "oat\nmilk")
        browser.press("dialog .segments label", "large")
        browser.press("dialog button[type=submit]")
        browser.shows("Saved", ".toast")
        world.wait(lambda: events()[0].get("notes") == "oat\nmilk", "the note is on the hub")
        same(events()[0]["properties"], {"size": {"type": "select", "value": "large"}}, "its size")
        browser.shows("oat milk", "main .row")
        # Taken back, by key, and done again.
        browser.keys("u")
        world.wait(lambda: events()[0].get("notes") is None, "the note is taken back")
        same(events()[0]["properties"], {}, "and the size")
        from browser import SHIFT
        browser.keys(SHIFT + "u")
        world.wait(lambda: events()[0].get("notes") == "oat\nmilk", "and there again")
        # Deleted, and brought back by the button.
        browser.shows("oat milk", "main .row")
        browser.press("main .row")
        browser.press("dialog .button", "Delete")
        world.wait(lambda: events() == [], "it is deleted")
        browser.wait(lambda: browser.count("main .row") == 0, "no row")
        browser.press(".toast button", "Undo")
        world.wait(lambda: len(events()) == 1, "it is back")
        same(events()[0]["notes"], "oat\nmilk", "as it was")
        browser.wait(lambda: browser.count("main .row") == 1, "its row")
        browser.go("/")
        browser.find("main .row")
        same(events()[0]["event_type_id"], coffee, "its type")
        quiet(browser, "acts")


@test
def a_form_has_a_field_for_each_kind_of_property(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("All", properties=[
            ("text", "Words", "text", None), ("number", "Amount", "number", None), ("flag", "Good", "boolean", None), ("date", "Due", "date", None),
            ("pick", "Pick", "select", ["a", "b", "c", "d", "e", "f", "g"]), ("span", "Took", "duration", None), ("link", "Link", "url", None), ("mail", "Mail", "email", None)])
        pair(browser, hub)
        browser.press(".log")
        browser.press("dialog .pick button", "All")
        for label, text in (("Words", "héllo"), ("Amount", "1.5"), ("Took", "1h30m"), ("Link", "javascript:alert(1)"), ("Mail", "a@b.example")):
            browser.script("const label = [...document.querySelectorAll('dialog label')].find((l) => l.textContent === arguments[0]);"
                           "const input = document.getElementById(label.htmlFor); input.value = arguments[1]; input.dispatchEvent(new Event('input', { bubbles: true }));", label, text)
        browser.press("dialog .segments label", "yes")
        browser.script("const s = document.querySelector('dialog select'); s.value = 'f'; s.dispatchEvent(new Event('change', { bubbles: true }));")
        browser.script("document.querySelector('dialog input[type=date]').value = '2026-11-30'")
        browser.press("dialog button[type=submit]")
        browser.shows("A link begins with http:// or https://.", "dialog")
        same(browser.script("return document.activeElement.value"), "javascript:alert(1)", "the first wrong field has the focus")
        browser.script("document.activeElement.value = 'https://a.example/b'")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: phone.ask("GET", "/events"), "it is on the hub")
        values = {key: value["value"] for key, value in phone.ask("GET", "/events")[0]["properties"].items()}
        same(values, {"text": "héllo", "number": 1.5, "flag": True, "date": f"2026-11-30T00:00:00{life.ZONE_OFFSET}", "pick": "f", "span": 5400, "link": "https://a.example/b", "mail": "a@b.example"}, "values")
        # As the fields show them, they are unchanged by a second save.
        before = phone.ask("GET", "/events")[0]
        browser.press("main .row")
        browser.press("dialog button[type=submit]")
        browser.wait(lambda: browser.count("dialog") == 0, "the sheet is closed")
        same(phone.ask("GET", "/events")[0], before, "a form that was only looked at changes nothing")
        quiet(browser, "form")


@test
def what_is_started_runs_on_all_devices_until_it_is_stopped(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Reading")
        pair(browser, hub)
        browser.press(".log")
        browser.press("dialog .pick button", "Reading")
        browser.press("dialog .button", "Start")
        browser.find(".live", "Reading")
        browser.find(".tile.running")
        world.wait(lambda: phone.ask("GET", "/settings"), "it is told")
        mark = phone.ask("GET", "/settings")[0]
        same((mark["key"], mark["value"]), ("running", phone.ask("GET", "/events")[0]["id"]), "what tells of it")
        browser.press(".live .button", "Stop")
        world.wait(lambda: phone.ask("GET", "/events")[0].get("end_date"), "it has an end")
        browser.wait(lambda: browser.count(".live") == 0, "nothing runs")
        browser.keys("u")
        browser.find(".live", "Reading")
        world.wait(lambda: phone.ask("GET", "/settings"), "it runs again, in one step")
        quiet(browser, "timer")


@test
def a_type_is_made_mended_and_deleted_by_its_name(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Tea")
        pair(browser, hub)
        browser.go("/types")
        browser.press("main .button", "New type")
        browser.type("dialog input[maxlength='200']", "Soup")
        browser.press("dialog .swatches label", "olive")
        browser.press("dialog .glyphs label:has([aria-label=food])")
        browser.press("dialog .button", "Add a property")
        browser.script("const i = [...document.querySelectorAll('dialog input[maxlength=\"200\"]')][1]; i.value = 'Which one'; i.dispatchEvent(new Event('input', { bubbles: true }))")
        browser.script("const s = document.querySelector('dialog select'); s.value = 'select'; s.dispatchEvent(new Event('change', { bubbles: true }))")
        browser.press("dialog button[type=submit]")
        browser.shows("Needs a value.", "dialog")
        browser.script("document.activeElement.value = 'pea, tomato'")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(phone.ask("GET", "/property-definitions")) == 1, "the property is on the hub")
        made = next(type for type in phone.ask("GET", "/event-types") if type["name"] == "Soup")
        same((made["color"], made["icon"]), ("#645d02", "food"), "its colour and glyph")
        definition = phone.ask("GET", "/property-definitions")[0]
        same((definition["key"], definition["label"], definition["options"]), ("which_one", "Which one", ["pea", "tomato"]), "its property")
        browser.press("main a", "Soup")
        browser.find("main h1", "Soup")
        browser.press("main .button", "Edit type")
        browser.find("dialog .button", "Delete type")
        sheets = browser.script("[...document.querySelectorAll('dialog .button')].find((button) => button.textContent === 'Delete type').click();"
                                "return document.querySelectorAll('dialog').length")
        same(sheets, 1, "one sheet makes room for the next")
        check(browser.script("return document.querySelector('dialog button[type=submit]').disabled"), "the name has to be typed")
        browser.type("dialog input", "Soup")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: [type["name"] for type in phone.ask("GET", "/event-types")] == ["Tea"], "it is deleted")
        quiet(browser, "type", allowed=["404"])


@test
def a_goal_is_set_with_a_type_and_today_says_what_is_left(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        vitamins = phone.type("Vitamins")
        pair(browser, hub)
        browser.go(f"/types/{vitamins}")
        browser.press("main .button", "Edit type")
        browser.type("dialog input[inputmode=numeric]", "many")
        browser.press("dialog button[type=submit]")
        browser.shows("A whole number from 0 to 1,000,000.", "dialog")
        browser.type("dialog input[inputmode=numeric]", "2")
        browser.press("dialog button[type=submit]")
        goal = {"amount": 2, "bound": "at_least", "measure": "count", "period": "day"}
        world.wait(lambda: phone.ask("GET", f"/event-types/{vitamins}").get("goal") == goal, "the goal is on the hub")
        browser.go("/")
        browser.shows("2 of 2 left", "main")
        browser.press("main .plain-row .button", "Log Vitamins")
        browser.shows("1 of 2 left", "main")
        browser.wait(lambda: browser.text(".tile .count").split() == ["1", "/", "2"], "the tile says how much of it")
        browser.press(".tile .press")
        browser.shows("Vitamins is done.", "main")
        browser.hides("Left today", "main")
        # Taken away again.
        browser.go(f"/types/{vitamins}")
        browser.press("main .button", "Edit type")
        browser.type("dialog input[inputmode=numeric]", "")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: phone.ask("GET", f"/event-types/{vitamins}").get("goal") is None, "the goal is gone")
        quiet(browser, "goal")


# MARK: Looking back


@test
def yesterday_is_found_by_day_by_search_and_by_bookmark(world):
    hub, browser = world.many, world.looking
    yesterday = life.day(1).date().isoformat()
    browser.go("/timeline")
    browser.find(".days")
    browser.keys("[")
    browser.wait(lambda: browser.script("return location.pathname") == f"/timeline/{yesterday}", "the day before")
    browser.find(".band")
    check(browser.count("main .row") >= 4, "a day's entries")
    browser.go(f"/timeline/{yesterday}?q=good+soup")
    browser.find("main mark", "good soup")
    check(browser.count("main section") > 3, "found on several days")
    browser.type("main input[type=search]", "nothing like it")
    browser.shows("Nothing has “nothing like it” in it.")
    browser.press("main .button", "Clear")
    browser.find(".band")
    browser.go("/")
    browser.press(".rail a", "Calendar")
    browser.find(".heat")
    browser.press(".rail a", "Trips")
    browser.find(".map")
    browser.script("history.back()")
    browser.find(".heat")
    browser.script("history.forward()")
    browser.find(".map")
    quiet(browser, "looking back")


@test
def a_year_is_walked_by_arrow_keys_and_a_day_of_it_opens(world):
    browser = world.looking
    browser.go("/calendar")
    browser.find(".heat")
    browser.script("document.querySelector('.heat [tabindex=\"0\"]').focus()")
    browser.keys("\ue013")
    name = browser.wait(lambda: browser.script("return document.activeElement.getAttribute('aria-label')"), "a cell has the focus")
    browser.shows(name, ".heat .reading")
    browser.keys(ENTER)
    browser.find(".days")
    same(browser.script("return location.pathname"), f"/timeline/{life.day(1).date().isoformat()}", "where it leads")
    browser.go(f"/calendar?types={world.types['run']},{world.types['coffee']}")
    browser.find(".heat .skip")
    browser.shows("days skipped.")
    browser.press(".chip[aria-pressed=true]")
    browser.wait(lambda: browser.count(".heat") == 1, "one is left")
    before = browser.count(".heat")
    browser.go(browser.script("return location.pathname + location.search"))
    browser.wait(lambda: browser.count(".heat") == before, "a bookmark shows the same")


@test
def a_chart_has_its_numbers_as_a_table(world):
    browser = world.looking
    browser.go(f"/types/{world.types['coffee']}")
    browser.find(".plot")
    label = browser.script("return document.querySelector('figure').getAttribute('aria-label')")
    check("in the last 14 days" in label, f"its finding: {label}")
    browser.press(".tools button", "Table")
    browser.wait(lambda: browser.count("figure tbody tr") == 84, "a row for each day")
    sum_of_table = browser.script("return [...document.querySelectorAll('figure td.num')].reduce((sum, cell) => sum + Number(cell.textContent), 0)")
    phone = world.phone
    since = life.day(83)
    found = [event for event in world.all_events() if event["event_type_id"] == world.types["coffee"] and event["timestamp"] >= life.iso(since)]
    same(sum_of_table, len(found), "the table adds up to what was recorded")
    browser.press(".tools button", "Chart")
    browser.press(".segments button", "1 y")
    browser.find(".plot")
    check(phone is not None, "a device")


@test
def a_trip_is_drawn_and_decided(world):
    browser = world.looking
    browser.go("/trips")
    browser.find(".map .way")
    check(len(browser.script("return document.querySelector('.map .way').getAttribute('d')")) > 200, "its route")
    browser.press(".trip-list a", "decide")
    browser.find(".map .way")
    decided = browser.count(".trip-list .link")
    browser.press(".segments button", "Private")
    browser.wait(lambda: browser.count(".trip-list .link") == decided - 1, "one less to decide")
    trip = browser.script("return decodeURIComponent(location.pathname.split('/')[2])")
    world.wait(lambda: world.phone.ask("GET", f"/events/{trip}")["properties"].get("category", {}).get("value") == "private", "the hub knows")
    browser.keys("u")
    world.wait(lambda: "category" not in world.phone.ask("GET", f"/events/{trip}")["properties"], "and is told otherwise")
    # The map by keys.
    browser.settle()
    before = browser.script("return document.querySelector('.map .way').getAttribute('d')")
    browser.script("document.querySelector('.map svg').focus()")
    browser.keys("+", RIGHT)
    browser.wait(lambda: browser.script("return document.querySelector('.map .way').getAttribute('d')") != before, "it moves")
    browser.keys("0")
    browser.wait(lambda: browser.script("return document.querySelector('.map .way').getAttribute('d')") == before, "and shows all again")


def map_tile():
    """A picture of 256 × 256 that looks a little like streets: green ground, white lines, a grey frame."""
    rows = [b"\0" + b"".join(b"\x8f\x97\xa0" if 0 in (x, y) else b"\xff\xff\xff" if (x + y) % 64 < 8 or x % 90 < 5 else b"\x9c\xc8\x8d" for x in range(256)) for y in range(256)]
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"".join(rows))) + chunk(b"IEND", b"")


@test
def a_map_has_the_tiles_of_a_folder_where_they_are_and_blank_ground_elsewhere(world):
    with tempfile.TemporaryDirectory() as folder:
        # All of zoom 12 but one column of the drive, which goes north at 5 degrees east.
        for column in range(2090, 2120):
            os.makedirs(f"{folder}/12/{column}")
            for row in range(1330, 1370):
                if column != 2105:
                    with open(f"{folder}/12/{column}/{row}.png", "wb") as file:
                        file.write(map_tile())
        with Hub(world.program, told=("--tiles", folder, "--tiles-credit", "© The street next door")) as hub, world.browser(hub) as browser:
            drive(Device(hub))
            pair(browser, hub, then="nav")
            browser.go("/trips")
            browser.find(".map .way")
            browser.wait(lambda: browser.count(".map .tiles image") > 3, "tiles")
            same(browser.text(".map .credit"), "© The street next door", "who made them")
            got = lambda status: browser.script("return performance.getEntriesByType('resource').filter((e) => e.name.includes('/api/v1/tiles/12/') && e.responseStatus === arguments[0]).length", status)
            browser.wait(lambda: got(200) > 3 and got(404) > 0, "those that are there, and those that are not")
            missing = lambda: browser.script("return [...document.querySelectorAll('.map image')].filter((e) => e.getAttribute('href').includes('/2105/')).length")
            browser.wait(lambda: missing() == 0, "no picture is left where none came")
            # They lie below everything, and where the graticule says.
            same(browser.script("return document.querySelector('.map svg').firstElementChild.getAttribute('class')"), "tiles", "what lies lowest")
            place = lambda: browser.script("""
              const image = document.querySelector('.map image'), [z, x, y] = image.getAttribute('href').match(/\\d+(?=[/.])/g).slice(-3).map(Number), n = 2 ** z;
              const d = document.querySelector('.map .start'), size = Number(image.getAttribute('width')) - 0.5;
              const column = (5 + 180) / 360 * n, row = (1 - Math.asinh(Math.tan(52 * Math.PI / 180)) / Math.PI) / 2 * n;
              return [Number(image.getAttribute('x')) + (column - x) * size - Number(d.getAttribute('cx')), Number(image.getAttribute('y')) + (row - y) * size - Number(d.getAttribute('cy'))]""")
            check(all(abs(off) < 0.01 for off in place()), f"tile and route fit: {place()}")
            browser.script("document.querySelector('.map svg').focus()")
            browser.keys("-", "+", "+", RIGHT)
            check(all(abs(off) < 0.01 for off in place()), f"also when it was moved: {place()}")
            browser.keys("0")
            for dark in (False, True):
                browser.theme(dark, still=True)
                if world.axe.source:
                    same(world.axe.run(browser), [], "a map with tiles")
            quiet(browser, "a map with tiles", allowed=("404",))
            # Without the hub, and without the folder, the ground is blank.
            hub.stop()
            os.rename(f"{folder}/12", f"{folder}/away")
            hub.start()
            browser.go("/trips")
            browser.find(".map .way")
            same(browser.count(".map .tiles"), 0, "tiles of a folder that is empty")
            os.rename(f"{folder}/away", f"{folder}/12")


@test
def a_trip_is_split_merged_and_each_taken_back_in_one_step(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        trip = drive(phone)
        undivided = phone.ask("GET", f"/events/{trip}")
        pair(browser, hub, then="nav")
        browser.go(f"/trips/{trip}")
        browser.press("main .actions button", "Split")
        browser.shows("Somewhere to somewhere".lower(), ".cutting")
        # Half of the way, unless told otherwise; then by the keys of the slider, and told anew by the hub.
        browser.wait(lambda: browser.text(".cutting ol").count("5.0 km") == 2, "both halves in words")
        same(browser.script("return document.activeElement.type"), "range", "where the focus is")
        before = browser.text(".cutting ol")
        browser.keys(RIGHT, RIGHT)
        browser.wait(lambda: browser.text(".cutting ol") != before, "the halves follow the slider")
        # By a press on the route: a quarter of it.
        spot = browser.script("""const path = document.querySelector('.map .way'), box = document.querySelector('.map svg').getBoundingClientRect();
          const at = path.getPointAtLength(path.getTotalLength() / 4); return [Math.round(box.left + at.x), Math.round(box.top + at.y)]""")
        browser.click_at(*spot)
        browser.wait(lambda: "2.5 km" in browser.text(".cutting ol") and "7.5 km" in browser.text(".cutting ol"), "the halves follow the press")
        # And pulled along the route to its middle.
        middle = browser.script("""const path = document.querySelector('.map .way'), box = document.querySelector('.map svg').getBoundingClientRect();
          const at = path.getPointAtLength(path.getTotalLength() / 2); return [Math.round(box.left + at.x), Math.round(box.top + at.y)]""")
        browser.drag(spot, middle)
        browser.wait(lambda: browser.text(".cutting ol").count("5.0 km") == 2, "the halves follow the mark")
        same(len(phone.ask("GET", "/events")), 1, "nothing is written")
        for width in (320, 390, 820, 2560, 1280):
            browser.size(width)
            browser.settle()
            whole(browser, f"about to be split, {width}")
        browser.press(".cutting .button", "Split")
        browser.shows("Trip split", ".toast")
        browser.wait(lambda: browser.count(".trip-list a") == 2, "two in the list")
        split = sorted(phone.ask("GET", "/events"), key=lambda event: event["timestamp"])
        same([event["id"] == trip for event in split], [True, False], "the first keeps its id")
        browser.keys("u")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the second is gone")
        world.wait(lambda: phone.ask("GET", f"/events/{trip}")["properties"]["distance"]["value"] == 10000, "the first is whole again")
        browser.wait(lambda: browser.count(".trip-list a") == 1, "one in the list")
        from browser import SHIFT
        browser.keys(SHIFT + "u")
        world.wait(lambda: sorted(event["end_date"] for event in phone.ask("GET", "/events")) == sorted(event["end_date"] for event in split), "and parted once more")
        # Made one again, with the one after it.
        browser.go(f"/trips/{trip}")
        browser.press("main .actions button", "Merge")
        browser.press("dialog .pick button", "The trip after")
        browser.shows("Trips merged", ".toast")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "one trip")
        same(phone.ask("GET", f"/events/{trip}")["end_date"], undivided["end_date"], "its end")
        browser.keys("u")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 2, "two again, in one step")
        quiet(browser, "split and merge")


@test
def ends_of_a_trip_get_names_and_keys_decide_what_it_was_for(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        first, second = drive(phone), drive(phone, minutes=300)
        pair(browser, hub, then="nav")
        browser.go(f"/trips/{first}")
        browser.press("main .rows button", "Name it")
        browser.type("dialog input", HOSTILE.replace("\u202e", ""))
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(phone.ask("GET", "/geofences")) == 1, "a place is made")
        browser.shows("{{7*7}}", ".trip-list")
        same(browser.count("main img, main script"), 0, "elements made of text")
        browser.press("main .rows button", "Rename")
        browser.type("dialog input", "Home")
        browser.press("dialog button[type=submit]")
        browser.shows("Home to somewhere", ".trip-list")
        browser.keys("u")
        browser.shows("{{7*7}}", ".trip-list")
        category = lambda id: phone.ask("GET", f"/events/{id}")["properties"].get("category", {}).get("value")
        browser.keys("b")
        world.wait(lambda: category(first) == "business", "B decides")
        browser.wait(lambda: second in browser.script("return location.pathname"), "and goes on to the next")
        browser.keys("p")
        world.wait(lambda: category(second) == "private", "P decides")
        browser.press(".segments button", "Mixed")
        browser.type(".part input", "99")
        browser.keys(ENTER)
        browser.shows("From 0 to 10.0 km.", ".part")
        browser.type(".part input", "2.5")
        browser.keys(ENTER)
        world.wait(lambda: phone.ask("GET", f"/events/{second}")["properties"].get("business_distance", {}).get("value") == 2500, "a part of it was business")
        quiet(browser, "decided")


@test
def what_the_hub_found_is_told_beside_the_route(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        post_drive(phone)
        world.wait(lambda: phone.ask("GET", "/events"), "a trip is found")
        pair(browser, hub, then="nav")
        trip = phone.ask("GET", "/events")[0]["id"]
        browser.go(f"/trips/{trip}")
        browser.shows("Why this trip")
        browser.wait(lambda: browser.count("main .why li") >= 1, "what was decided")
        browser.shows("left the place of rest", ".why")
        browser.shows("readings of phone", "main")
        # One that was recorded by hand.
        browser.go(f"/trips/{drive(phone)}")
        browser.shows("Nothing is kept here of how it was found")
        quiet(browser, "why")


@test
def how_fast_a_trip_went_and_where_it_stood_is_a_strip_a_map_and_a_table(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        post_drive(phone, stop=150)
        world.wait(lambda: phone.ask("GET", "/events"), "a trip is found")
        pair(browser, hub, then="nav")
        trip = phone.ask("GET", "/events")[0]["id"]
        browser.go(f"/trips/{trip}")
        browser.find(".plot.speed .line")
        told = phone.ask("GET", f"/trips/{trip}")["speed"]
        same(len(told["stops"]), 1, "the stop on the way")
        check(120 <= told["standing_s"] <= 160 and 46 <= told["top_mps"] * 3.6 <= 48, f"what the hub tells: {told['standing_s']} s, {told['top_mps']} m/s")
        browser.shows("At most 47 km/h. 1 stop, 2 min in all.", "figure")
        same(browser.count(".map rect.stop"), 1, "the stop on the map")
        same(browser.script("return document.querySelector('.map .at-stop').textContent"), "2 min", "and how long it was")
        # Read by keys: words, and a dot where it was.
        browser.script("document.querySelector('.plot.speed').focus()")
        browser.keys(RIGHT)
        browser.find(".map .spot")
        first = browser.script("return document.querySelector('.map .spot').getAttribute('cy')")
        browser.script("document.querySelector('.plot.speed').dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))")
        check(browser.script("return document.querySelector('.map .spot').getAttribute('cy')") != first, "the dot goes along")
        middle = browser.script("const b = document.querySelector('.plot.speed').getBoundingClientRect(); return [Math.round(b.left + b.width / 2), Math.round(b.top + 20)]")
        browser.click_at(*middle)
        browser.shows("stopped for 2 min", "figure .reading")
        for width in (390, 1280):
            browser.size(width)
            for dark in (False, True):
                browser.theme(dark, still=True)
                whole(browser, f"speed at {width}")
                if world.axe.source:
                    same(world.axe.run(browser), [], f"speed at {width}")
        browser.press(".tools button", "Table")
        browser.find(".table td")
        same(browser.count(".table tbody tr"), len(told["steps"]), "each step")
        browser.shows("stopped for 2 min", ".table")
        browser.press(".tools button", "Chart")
        # A trip of which no fixes are kept has no strip.
        browser.go(f"/trips/{drive(phone, minutes=300)}")
        browser.shows("Nothing is kept here of how it was found")
        same(browser.count(".plot.speed"), 0, "a strip of nothing")
        quiet(browser, "speed")


@test
def mileage_is_added_up_by_the_hub_warned_of_printed_and_taken_out(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        pair(browser, hub, then=".templates")
        browser.go("/mileage?year=2025")
        browser.shows("No trips in 2025.")
        kind, odometer = phone.type("Trip", "#4A6FA5", "⇢"), phone.type("Odometer", "#7A6F5D", "◔")
        phone.ask("POST", "/vehicles", {"id": "v", "name": HOSTILE[:60], "start_odometer_m": 1_000_000})
        number, word = (lambda value: {"type": "number", "value": value}), (lambda value: {"type": "text", "value": value})
        for day, metres, category, vehicle in (("01-10", 50_000, "business", "v"), ("01-20", 30_000, "private", "v"), ("03-05", 20_000, "mixed", None), ("03-06", 10_000, None, None)):
            properties = {"distance": number(metres), "rule": word(HOSTILE)}
            properties |= {"category": {"type": "select", "value": category}} if category else {}
            properties |= {"vehicle": word(vehicle)} if vehicle else {}
            properties |= {"business_distance": number(5000)} if category == "mixed" else {}
            phone.event(kind, f"2025-{day}T09:00:00{life.ZONE_OFFSET}", end_date=f"2025-{day}T10:00:00{life.ZONE_OFFSET}", source_type="trip", properties=properties)
        for day, metres in (("02-01", 1_081_000), ("04-01", 1_100_000)):
            phone.event(odometer, f"2025-{day}T08:00:00Z", properties={"odometer_m": number(metres), "vehicle": word("v")})
        browser.shows("4 trips, 110 km. 10.0 km are not decided yet.", "main")
        same([browser.text(f".figures > div:nth-child({i}) dd") for i in (1, 2, 3, 4)], ["110 km", "55.0 km", "45.0 km", "50 %"], "the figures")
        # The months as bars, and the same as a table.
        shares = browser.script("return [...document.querySelectorAll('.months li:first-child rect')].map((rect) => [rect.getAttribute('class'), Math.round(parseFloat(rect.getAttribute('width')))])")
        same(shares, [["business", 61], ["private", 37]], "January")
        browser.press("figure .tools button", "Table")
        browser.find("figure table")
        same(browser.script("return [...document.querySelectorAll('figure tbody tr')][2].innerText.split('\\t').map((text) => text.trim())"), ["March", "2", "30", "5", "15", "10"], "March")
        browser.press("figure .tools button", "Chart")
        # 81 km on the clock for 80 km of trips is well; 19 km for none is not.
        browser.shows("More than 2 % apart.", "main")
        browser.shows("19.0 km are missing (100 %)", ".odometer")
        same(browser.count(".odometer ul li"), 1, "days to look at")
        # What is taken out is what the hub has.
        rows = browser.later("return (await (await fetch(document.querySelector('main a[download$=csv]').href)).text()).trim().split('\\r\\n')")
        same(len(rows), 5, "lines of the table")
        check(rows[0].startswith("ID,Date,Departure") and ",2025-01-10,09:00,10:00," in rows[1], "its columns, in the zone of the browser")
        taken = browser.later("return await (await fetch(document.querySelector('main a[download$=json]').href)).json()")
        same(taken["total"]["business_m"], 55_000, "the same as JSON")
        # One vehicle.
        browser.script("const s = document.querySelector('main select'); s.value = 'v'; s.dispatchEvent(new Event('change', { bubbles: true }));")
        browser.shows("2 trips, 80.0 km.", "main")
        same(browser.script("return new URLSearchParams(location.search).get('vehicle')"), "v", "the vehicle is in the address")
        # On paper.
        check("Signature" not in browser.text("main"), "what is for paper is not on screen")
        browser.devtools("Emulation.setEmulatedMedia", media="print")
        for part in ("Signature", "1 January to 31 December 2025", "Ada"):
            browser.shows(part, "main")
        same(browser.script("return ['.rail', '.bar', '.head .actions', '.tools-row'].filter((one) => document.querySelector(one)?.getClientRects().length)"), [], "nothing to press is printed")
        check(len(browser.devtools("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"]) > 5000, "it prints")
        browser.devtools("Emulation.setEmulatedMedia", media="")
        same(browser.count("main img, main script"), 0, "elements made of text")
        # A reading of the odometer, as it stands there, and taken back.
        readings = lambda: [event for event in phone.ask("GET", "/events?limit=100") if event["event_type_id"] == odometer]
        browser.press("main .section-head button", "Log a reading")
        browser.type("dialog input[inputmode=decimal]", "many")
        browser.press("dialog button[type=submit]")
        browser.shows("This is not a number.", "dialog")
        browser.type("dialog input[inputmode=decimal]", "1,120.5")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(readings()) == 3, "it is on the hub, under the type that was there")
        same(readings()[0]["properties"]["odometer_m"]["value"], 1_120_500, "in metres")
        same(readings()[0]["properties"]["vehicle"]["value"], "v", "its vehicle")
        browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        browser.keys("u")
        world.wait(lambda: len(readings()) == 2, "it is taken back")
        same(browser.count("img, main script"), 0, "elements made of text")
        quiet(browser, "mileage")


# MARK: Several, and none


@test
def what_one_browser_logs_another_shows_without_being_asked(world):
    with world.hub() as hub, world.browser(hub) as one, world.browser(hub) as other:
        phone = Device(hub)
        coffee = phone.type("Coffee")
        pair(one, hub)
        pair(other, hub)
        other.shows("Live", "#sync")
        one.press(".tile .press")
        other.wait(lambda: other.text(".tile .count") == "1", "it is there")
        # How long it takes from a device to the screen.
        other.script("window.seen = 0; new MutationObserver(() => { if (document.querySelector('.tile .count').textContent === '2') window.seen ||= Date.now(); })"
                     ".observe(document.getElementById('main'), { childList: true, subtree: true });")
        sent = time.time() * 1000
        phone.event(coffee, life.iso(life.now()))
        seen = other.wait(lambda: other.script("return window.seen"), "the phone's entry is there")
        world.notes.append(f"from a device's request to another browser's screen: {seen - sent:.0f} ms")
        check(seen - sent < 1000, f"it took {seen - sent:.0f} ms")
        one.wait(lambda: one.text(".tile .count") == "2", "and in the first browser")
        quiet(one, "one")
        quiet(other, "other")


@test
def a_removed_browser_is_told_and_keeps_what_waits(world):
    with world.hub() as hub, world.browser(hub) as one, world.browser(hub) as other:
        phone = Device(hub)
        phone.type("Coffee")
        pair(one, hub)
        pair(other, hub)
        one.go("/devices")
        one.press("main .button", "Remove")
        one.press("dialog .button", "Remove")
        one.shows("removed", ".toast")
        names = [device["name"] for device in Device(hub, "second").ask("GET", "/me/devices")]
        check(len(names) < 4, f"one of {names} is gone")
        quiet(one, "removing", allowed=["401"])


@test
def a_device_is_paired_from_the_page(world):
    with world.hub() as hub, world.browser(hub) as browser:
        Device(hub).type("Coffee")
        pair(browser, hub)
        browser.go("/devices")
        browser.press("main .button", "Pair a device")
        code = browser.find(".big-code") and browser.text(".big-code")
        # Nothing but this machine is known to reach the hub: no camera is sent there.
        browser.shows("tell the hub its address", "dialog")
        same(browser.count("dialog .qr"), 0, "a picture")
        Device(hub, "Watch", code=code)
        browser.shows("Watch is in.", "dialog")
        browser.keys(ESCAPE)
        browser.find("main li", "Watch")
        quiet(browser, "pairing another")


@test
def a_hub_that_knows_its_address_shows_the_code_to_a_camera(world):
    with Hub(world.program, told=("--host", "hub.example")) as hub, world.browser(hub) as browser:
        pair(browser, hub, then="nav")
        browser.go("/devices")
        browser.press("main .button", "Pair a device")
        code = browser.find(".big-code") and browser.text(".big-code")
        same(browser.text(".qr figcaption"), f"trendy://connect?hub=http://hub.example:{hub.port}&code={code}", "what is in the picture")
        box = browser.script("const b = document.querySelector('.qr path').getBBox(); return [b.x, b.y, b.width, b.height, ...document.querySelector('.qr svg').getAttribute('viewBox').split(' ').map(Number)]")
        side = box[2]
        # Finders in three corners, and four light modules around.
        same(box, [0, 0, side, side, -4, -4, side + 8, side + 8], "the picture and its quiet zone")
        check(side in range(21, 58, 4), f"a side of {side} modules")
        for dark in (False, True):
            browser.theme(dark, still=True)
            same(browser.script("return [getComputedStyle(document.querySelector('.qr svg')).backgroundColor, getComputedStyle(document.querySelector('.qr path')).fill]"), ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], "dark on light in both themes")
            if world.axe.source:
                same(world.axe.run(browser), [], "pairing by a picture")
        quiet(browser, "pairing by a picture")


@test
def without_the_hub_the_page_stays_and_what_is_logged_goes_out_once(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Coffee")
        pair(browser, hub)
        browser.press(".tile .press")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the first is on the hub")
        browser.wait(lambda: browser.later("""
          const open = indexedDB.open('trendy'); await new Promise((done) => { open.onsuccess = done; });
          const keys = open.result.transaction('answers').objectStore('answers').getAllKeys(); await new Promise((done) => { keys.onsuccess = done; });
          return keys.result.filter((key) => key.startsWith('/events/days')).length >= 3;"""), "the main pages are kept")
        browser.wait(lambda: browser.later("return Boolean((await navigator.serviceWorker.ready).active && (await caches.keys()).length)"), "the page is kept")
        hub.kill()
        browser.press(".tile .press")
        browser.shows("Offline since", ".sync")
        browser.wait(lambda: browser.text(".tile .count") == "2", "it counts although it waits")
        browser.press(".tile .press")
        browser.shows("2 entries wait here.", ".sync")
        # The whole page anew, with nobody there to ask.
        browser.go("/")
        browser.wait(lambda: browser.text(".tile .count") == "3", "all three are shown")
        browser.shows("2 entries wait here.", ".sync")
        browser.go("/timeline")
        browser.wait(lambda: browser.count("main .row") == 3, "on another page too")
        browser.go("/")
        hub.start()
        world.wait(lambda: len(phone.ask("GET", "/events")) == 3, "they went out", seconds=40)
        browser.shows("Everything is on the hub", ".sync")
        same(len({event["id"] for event in phone.ask("GET", "/events")}), 3, "events")
        browser.go("/")
        browser.wait(lambda: browser.text(".tile .count") == "3", "the same three")


class Eater(threading.Thread):
    """Between a browser and its hub: hands everything on, and eats the answer to the first event that is made."""

    def __init__(self, hub):
        super().__init__(daemon=True)
        self.hub, self.eaten = hub, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.hub.port))
            threading.Thread(target=self.upwards, args=(client, server), daemon=True).start()

    def upwards(self, client, server):
        state = {"eat": False}
        threading.Thread(target=self.downwards, args=(server, client, state), daemon=True).start()
        try:
            while data := client.recv(65536):
                if data.startswith(b"POST /api/v1/events ") and not self.eaten:
                    self.eaten, state["eat"] = 1, True
                server.sendall(data)
        except OSError:
            pass
        for one in (client, server):
            one.close()

    def downwards(self, server, client, state):
        try:
            while data := server.recv(65536):
                if state["eat"]:
                    # The hub has done it; whoever asked never hears.
                    break
                client.sendall(data)
        except OSError:
            pass
        for one in (client, server):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


@test
def an_answer_that_is_lost_on_its_way_doubles_nothing(world):
    with world.hub() as hub:
        eater = Eater(hub)
        phone = Device(hub)
        phone.type("Coffee")
        with Browser(world.driver, eater.address) as browser:
            pair(browser, hub)
            browser.press(".tile .press")
            world.wait(lambda: eater.eaten and len(phone.ask("GET", "/events")) == 1, "the hub has it")
            browser.wait(lambda: browser.later("""
              const open = indexedDB.open('trendy'); await new Promise((done) => { open.onsuccess = done; });
              const all = open.result.transaction('queue').objectStore('queue').getAll(); await new Promise((done) => { all.onsuccess = done; });
              return all.result.length === 0;"""), "the queue is empty", seconds=40)
            same(len(phone.ask("GET", "/events")), 1, "events")
            browser.wait(lambda: browser.text(".tile .count") == "1", "the tile counts one")
        eater.listener.close()


@test
def an_entry_that_the_hub_refuses_is_shown_with_the_reason(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        coffee = phone.type("Coffee")
        pair(browser, hub)
        hub.stop()
        browser.press(".tile .press")
        browser.shows("Offline since", ".sync")
        hub.start()
        # Meanwhile its type went; what hangs on it cannot be made.
        hub_events = lambda: phone.ask("GET", "/events")
        phone.ask("DELETE", f"/event-types/{coffee}")
        browser.wait(lambda: "refused" in browser.text(".sync") or hub_events(), "an end", seconds=40)
        if not hub_events():
            browser.go("/devices")
            browser.find("main h2", "Refused by the hub")
            browser.press("main .button", "Put aside")
            browser.hides("Refused by the hub", "main")
            browser.shows("Everything is on the hub", ".sync")


# MARK: Everywhere


@test
def text_that_a_person_typed_is_text_wherever_it_appears(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub, HOSTILE[:120])
        typed = HOSTILE
        type = phone.type(typed, color="\"><img src=x onerror=window.stung=1>"[:60], icon="<b>x", properties=[("k" + typed[:200], typed, "select", [typed, "b"]), ("t", typed, "text", None), ("u", "Link", "url", None)])
        place = phone.ask("POST", "/geofences", {"id": "g", "name": typed, "latitude": 52, "longitude": 5, "radius": 100})
        moment = life.iso(life.now() - datetime.timedelta(minutes=2))
        phone.event(type, moment, notes=typed, location_name=typed, properties={
            "k" + typed[:200]: {"type": "select", "value": typed}, "t": {"type": "text", "value": typed}, "u": {"type": "url", "value": "javascript:window.stung=1"}, "stranger": {"type": typed[:40], "value": {"a": [typed]}}})
        phone.event(type, moment, source_type="geofence", geofence_id=place["id"], location_name=typed, end_date=life.iso(life.now()))
        phone.event(type, moment, source_type="trip", end_date=life.iso(life.now()), location_latitude=52, location_longitude=5,
                    properties={"route": {"type": "text", "value": "_p~iF~ps|U_ulLnnqC_mqNvxq`@"}, "car": {"type": "text", "value": typed}, "rule": {"type": "text", "value": typed}, "category": {"type": "select", "value": typed}, "distance": {"type": "number", "value": 5000}})
        phone.ask("POST", "/vehicles", {"id": "v", "name": typed})
        phone.ask("POST", "/settings", {"id": "setting-hours", "key": "hours", "value": typed})
        pair(browser, hub, then="nav")
        for page in [*PAGES, f"/types/{type}", "/timeline?q=img", "/places/g", f"/types/{'%22%3E%3Cimg%20src=x%20onerror=window.stung=1%3E'}"]:
            browser.go(page)
            browser.find("main h1")
            same(browser.count("img, main script, body > script, iframe, b > script"), 0, f"{page}: elements made of text")
            check(browser.script("return window.stung") is None, f"{page}: a script ran")
            check("{{7*7}}" in browser.text("body") or page in ("/data", "/settings", "/trips", "/more", "/calendar") or "/types/%" in page or "q=" in page, f"{page}: the text is shown as it is")
        browser.go("/")
        for row in range(browser.count("main .row")):
            browser.script("document.querySelectorAll('main .row')[arguments[0]].click()", row)
            browser.find("dialog h2")
            same(browser.count("img, dialog script, iframe"), 0, "the form")
            browser.keys(ESCAPE)
            browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        browser.press(".log")
        browser.type("dialog input", typed.replace("\u202e", ""))
        same(browser.count("img, dialog script"), 0, "what is looked for")
        check(browser.script("return window.stung") is None, "a script ran")
        quiet(browser, "hostile text", allowed=["404"])


@test
def every_page_is_whole_with_nothing_one_entry_and_many(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        pair(browser, hub, then="nav")
        for page in [*PAGES, "/trips/none", "/types/none", "/nowhere", "/timeline/2019-02-30", "/places/none"]:
            browser.go(page)
            if page == "/nowhere":
                continue
            browser.find("main h1")
            whole(browser, f"nothing, {page}")
        quiet(browser, "nothing", allowed=["404"])
        type = phone.type("A type whose name is so long that no tile, row or heading has room for it at once")
        phone.event(type, life.iso(life.now() - datetime.timedelta(minutes=1)), notes="A note of many words. " * 40)
        for page in [*PAGES, f"/types/{type}"]:
            browser.go(page)
            browser.find("main h1")
            for width in (320, 390, 820, 1280, 2560):
                browser.size(width)
                browser.settle()
                whole(browser, f"one entry, {width}, {page}")
        quiet(browser, "one entry")
    browser = world.looking
    for page in [*PAGES, f"/types/{world.types['coffee']}"]:
        browser.go(page)
        browser.find("main h1")
        for width in (320, 390, 820, 1280, 1920):
            browser.size(width)
            browser.settle()
            whole(browser, f"many, {width}, {page}")
    browser.size(1280)
    quiet(browser, "many")


@test
def a_page_is_named_while_its_content_is_awaited(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then="nav")
        browser.script("window.fetch = () => new Promise(() => {})")
        browser.press("nav a", "Calendar")
        browser.find("main h1", "Calendar")
        whole(browser, "while its content is awaited")
        same(browser.script("return document.title"), "Calendar. Trendy", "the title")


@test
def nothing_moves_once_it_is_drawn(world):
    browser = world.looking
    for page in ["/", "/timeline", "/calendar", f"/types/{world.types['coffee']}", "/trips"]:
        browser.go(page)
        browser.find("main h1")
        browser.later("await new Promise((done) => setTimeout(done, 300))")
        shift = browser.later("""
          return await new Promise((done) => { let sum = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; })
            .observe({ type: 'layout-shift', buffered: true }); setTimeout(() => done(sum), 100); });""")
        check(shift < 0.02, f"{page}: a layout shift of {shift:.3f}")
        first = browser.script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        if page == "/":
            world.notes.append(f"first picture of Today with {len(world.all_events())} entries: {first:.0f} ms")


@test
def the_keyboard_alone_logs_and_goes_everywhere(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Coffee")
        pair(browser, hub)
        browser.keys("l")
        browser.find("dialog .pick button")
        browser.keys("cof", ENTER)
        browser.find("dialog textarea")
        browser.script("document.querySelector('dialog textarea').focus()")
        browser.keys("by hand", CONTROL + ENTER)
        world.wait(lambda: [event["notes"] for event in phone.ask("GET", "/events")] == ["by hand"], "it is logged")
        browser.wait(lambda: browser.count("dialog") == 0, "the sheet is closed")
        browser.keys("1")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 2, "a tile by its number")
        for key, path in (("l", "/timeline"), ("c", "/calendar"), ("i", "/insights"), ("r", "/trips"), ("m", "/mileage"), ("p", "/places"), ("d", "/devices"), ("t", "/")):
            browser.keys("g", key)
            browser.wait(lambda: browser.script("return location.pathname") == path, f"G {key}")
            browser.wait(lambda: browser.script("return document.activeElement.tagName") == "H1", f"{path}: the focus is on its name")
        browser.keys("?")
        browser.shows("log that tile", "dialog")
        browser.keys(ESCAPE)
        browser.wait(lambda: browser.count("dialog") == 0, "closed")
        browser.keys("/")
        browser.find("main input[type=search]")
        # What was begun in a form is not lost by a slip.
        browser.keys("g", "t")
        browser.find(".tile")
        browser.press("main .row")
        browser.type("dialog textarea", "begun")
        browser.keys(ESCAPE)
        browser.shows("Not saved yet", "dialog")
        browser.press("dialog .button", "Discard")
        browser.wait(lambda: browser.count("dialog") == 0, "closed")


@test
def axe_finds_nothing_on_any_page_in_either_theme(world):
    axe = world.axe
    if not axe.source:
        world.notes.append(f"axe-core was not run: {axe.why}")
        return
    browser = world.looking

    def clean(where):
        for dark in (False, True):
            browser.theme(dark, still=True)
            same(axe.run(browser), [], f"{where}, {'dark' if dark else 'light'}")

    yesterday = life.day(1).date().isoformat()
    for page in [*PAGES, f"/types/{world.types['coffee']}", f"/timeline/{yesterday}", "/timeline?q=soup"]:
        browser.go(page)
        browser.find("main mark" if "?q=" in page else "main h1")
        clean(page)
    browser.go("/trips")
    browser.press("main .actions button", "Split")
    browser.find(".cutting ol li")
    clean("a trip that is about to be split")
    browser.keys(ESCAPE)
    browser.press("main .actions button", "Merge")
    browser.find("dialog .pick button")
    clean("what a trip is merged with")
    browser.keys(ESCAPE)
    browser.size(390)
    for page in PAGES[:3]:
        browser.go(page)
        browser.find("main h1")
        clean(f"{page} on a phone")
    browser.size(1280)
    browser.go("/")
    browser.press(".log")
    browser.find("dialog .pick button")
    clean("the log sheet")
    browser.press("dialog .pick button", "Mood")
    browser.find("dialog textarea")
    clean("a form")
    browser.keys(ESCAPE)
    browser.go(f"/types/{world.types['coffee']}")
    browser.press("main .button", "Edit type")
    browser.find("dialog .swatches")
    clean("the form of a type")
    browser.keys(ESCAPE)
    browser.press(".tools button", "Table")
    browser.find("figure table")
    clean("a table")
    browser.go("/data")
    choose(browser, "cups.csv", CSV)
    browser.find(".type-list")
    browser.press(".bring-in summary")
    clean("what a file would bring")
    browser.press(".bring-in .button", "Discard")
    browser.find(".drop")
    browser.go(f"/types/{world.types['coffee']}")
    browser.press(".tools button", "Table")
    browser.press(".tools button", "Chart")
    browser.theme(False)
    with world.hub() as hub, world.browser(hub) as stranger:
        stranger.go("/")
        stranger.find(".code")
        same(axe.run(stranger), [], "pairing")


@test
def a_choice_of_theme_stays_and_a_day_begins_when_it_is_said(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Coffee")
        pair(browser, hub)
        browser.go("/settings")
        browser.press(".segments label", "Dark")
        browser.press(".segments label", "20:30")
        world.wait(lambda: any(setting["key"] == "hours" and setting.get("value") == "24" for setting in phone.ask("GET", "/settings")), "the clock is the person's on all devices")
        same([setting["id"] for setting in phone.ask("GET", "/settings")], ["setting-hours"], "by the id that devices use")
        browser.go("/")
        browser.find(".tile")
        browser.go("/settings")
        browser.press(".segments label", "15 min")
        world.wait(lambda: any(setting["id"] == "setting-trips.stop" and setting.get("value") == "15m" for setting in phone.ask("GET", "/settings")), "how long a stop ends a trip")
        browser.keys("u")
        world.wait(lambda: any(setting["id"] == "setting-trips.stop" and setting.get("value") is None for setting in phone.ask("GET", "/settings")), "and is taken back")
        browser.go("/")
        browser.find(".tile")
        same(browser.script("return getComputedStyle(document.documentElement).backgroundColor"), "rgb(16, 17, 20)", "the ground")
        quiet(browser, "settings")


# MARK: Bringing in


CSV = """date,type,note,cups
2026-03-01 08:00,Coffee,oat,2
2026-03-02 08:00,Coffee,<img src=x onerror="window.stung=1">,1
2026-03-02 09:00,<b>Tea</b>,"=cmd",1
2026-03-03 09:00,Run,,
what,,,
"""


def choose(browser, name, content):
    """As if the person had chosen a file, or dropped one."""
    folder = tempfile.mkdtemp(prefix="trendy-file-", dir=browser.profile)
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    browser.choose(".bring-in input[type=file]", path)


@test
def a_file_is_shown_before_it_is_brought_in_and_taken_back(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Coffee", id="coffee")
        pair(browser, hub)
        browser.go("/data")
        choose(browser, "<i>cups.csv", CSV)
        browser.shows("4 new, 0 known, 1 not understood.", ".bring-in")
        browser.shows("Nothing is written yet.", ".bring-in")
        same(phone.ask("GET", "/events"), [], "nothing is written")
        same(len(phone.ask("GET", "/event-types")), 1, "no type is made")
        browser.shows("<b>Tea</b>", ".type-list")
        browser.shows('<img src=x onerror="window.stung=1">', ".bring-in")
        browser.shows("<i>cups.csv", ".bring-in")
        same(browser.count("main img, main i, .bring-in .type-list b b"), 0, "text is text")
        check(browser.script("return window.stung") is None, "a script ran")
        browser.press(".bring-in summary")
        browser.find(".bring-in details .plain-row")
        # Without one of the types.
        browser.press(".type-list label", "Run")
        browser.press(".bring-in .button", "Bring in 3")
        browser.shows("3 entries brought in.", ".bring-in")
        events = phone.ask("GET", "/events")
        same(len(events), 3, "they are on the hub")
        check({event["event_type_id"] for event in events} > {"coffee"}, "the type that was there is theirs")
        same(sorted(event["timestamp"] for event in events)[0], life.iso(datetime.datetime(2026, 3, 1, 8, tzinfo=life.ZONE)), "in the zone of the browser")
        browser.shows("today, 3 entries", "main")
        # The same once more, with what was left out.
        browser.press(".bring-in .button", "Another file")
        choose(browser, "again.csv", CSV)
        browser.shows("1 new, 3 known, 1 not understood.", ".bring-in")
        browser.press(".bring-in .button", "Bring in 1")
        browser.shows("1 entry brought in, 3 known before.", ".bring-in")
        # The first is taken back; what was edited stays.
        edited = next(event for event in events if event.get("notes") == "oat")
        phone.ask("PATCH", f"/events/{edited['id']}", {"notes": "mine"})
        browser.press("main .plain-row .button", "Undo: <i>cups.csv")
        browser.shows("1 stay, as they were edited since or are in use.", ".bring-in")
        world.wait(lambda: sorted((event.get("notes") or "") for event in phone.ask("GET", "/events")) == ["", "mine"], "the rest is gone")
        browser.shows("3 entries, taken back", "main")
        quiet(browser, "bringing in")


@test
def types_of_a_file_are_brought_in_as_types_that_are_there(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Infusion", id="infusion")
        pair(browser, hub)
        browser.go("/data")
        choose(browser, "cups.csv", CSV)
        browser.shows("Nothing is written yet.", ".bring-in")
        # The preview is drawn anew while it is looked at: a choice is there or not yet.
        script = "const select = [...document.querySelectorAll('.type-list select')].find((each) => each.getAttribute('aria-label').includes('Tea')); if (!select) return false; select.value = arguments[0]; select.dispatchEvent(new Event('change')); return true"
        pick = lambda value: browser.wait(lambda: browser.script(script, value), f"a choice for '{value}'")
        pick("Infusion")
        browser.shows("as Infusion", ".type-list")
        browser.wait(lambda: browser.count(".bring-in .example") and "Infusion" in browser.text(".bring-in ul.rows:not(.type-list)"), "the examples are shown as they would be")
        same(phone.ask("GET", "/events"), [], "nothing is written")
        # Taken back before anything is written, and chosen again.
        pick("")
        browser.wait(lambda: browser.count(".bring-in .example") and "Infusion" not in browser.text(".bring-in ul.rows:not(.type-list)"), "as it is called")
        pick("Infusion")
        browser.wait(lambda: browser.count(".bring-in .example") and "Infusion" in browser.text(".bring-in ul.rows:not(.type-list)"), "as the other once more")
        for dark in (False, True):
            browser.theme(dark, still=True)
            if world.axe.source:
                same(world.axe.run(browser), [], "a file with types")
        browser.press(".bring-in .button.primary")
        browser.shows("entries brought in", ".bring-in")
        check("infusion" in {event["event_type_id"] for event in phone.ask("GET", "/events")}, "it is of the type that was chosen")
        check(not [type for type in phone.ask("GET", "/event-types") if "Tea" in type["name"]], "and no other was made")
        quiet(browser, "types of a file")


@test
def a_file_that_cannot_be_read_says_why_and_dates_are_asked_for(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        pair(browser, hub, then=".templates")
        browser.go("/data")
        choose(browser, "letter.txt", "Dear reader,")
        browser.find(".bring-in .problem")
        browser.press(".bring-in .button", "Another file")
        choose(browser, "days.csv", "date,type\n3/4/2026 08:00,Coffee\n3/5/2026 08:00,Coffee\n")
        browser.shows("is 2026-04-03 or 2026-03-04", ".bring-in")
        browser.press(".bring-in .button", "Day first")
        browser.shows("2 new, 0 known.", ".bring-in")
        # Another zone moves the moments of times that name none.
        browser.script("const s = document.querySelector('.zone select'); s.value = 'Asia/Tokyo'; s.dispatchEvent(new Event('change', { bubbles: true }))")
        browser.wait(lambda: browser.script("return document.querySelector('.zone select')?.value") == "Asia/Tokyo", "the zone")
        browser.press(".bring-in .button", "Bring in 2")
        browser.shows("2 entries brought in.", ".bring-in")
        same(sorted(event["timestamp"] for event in phone.ask("GET", "/events")), ["2026-04-02T23:00:00.000Z", "2026-05-02T23:00:00.000Z"], "the moments")
        quiet(browser, "files that cannot be read")


@test
def a_file_waits_for_a_hub_that_is_away_and_a_preview_outlives_the_page(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        pair(browser, hub, then=".templates")
        browser.go("/data")
        rows = "".join(f"2026-{1 + n // 28 % 12:02}-{1 + n % 28:02} {n % 24:02}:{n % 60:02},Type {n % 40},{'x' * 400} {n}\n" for n in range(3000))
        choose(browser, "many.csv", "date,type,note\n" + rows)
        browser.wait(lambda: phone.ask("GET", "/imports"), "it is on its way")
        browser.shows("new, 0 known.", ".bring-in")
        check(browser.count(".type-list li") == 40, "types of the file")
        browser.go("/")
        browser.go("/data")
        browser.shows("new, 0 known.", ".bring-in")
        hub.stop()
        hub.start()
        browser.press(".bring-in .button", "Bring in")
        # The file went with the process that had it.
        browser.shows("send it again", ".bring-in")
        browser.press(".bring-in .button", "Another file")
        choose(browser, "many.csv", "date,type,note\n" + rows)
        browser.press(".bring-in .button.primary", "Bring in")
        browser.shows("entries brought in.", ".bring-in")
        quiet(browser, "a hub that was away", allowed=["404", "ERR_", "Failed to fetch"])


# MARK: Insights


def days_ago(ago, hour=8):
    """Some day's hour in the browser's zone, as the hub is told it."""
    return life.iso(life.day(ago, hour))


@test
def insights_tell_what_goes_together_and_what_they_rest_on(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        pair(browser, hub, then=".templates")
        browser.go("/insights")
        browser.shows("Nothing recorded yet. Insights begin with the first entries.", "main")
        coffee, mood = phone.type("Coffee"), phone.type("Mood", icon="smile")
        phone.ask("PATCH", f"/event-types/{coffee}", {"goal": {"amount": 1, "bound": "at_least", "measure": "count", "period": "day"}})
        phone.events([{"id": f"c{ago}", "event_type_id": coffee, "timestamp": days_ago(ago), "time_zone": life.ZONE_NAME} for ago in range(1, 41)])
        phone.events([{"id": f"m{ago}", "event_type_id": mood, "timestamp": days_ago(ago), "time_zone": life.ZONE_NAME} for ago in (6, 8)])
        browser.shows("5 more days of two types, then this can be told.", "main")
        # Two that go together, as they are recorded from another device.
        phone.events([{"id": f"d{ago}", "event_type_id": coffee, "timestamp": days_ago(ago, 13), "time_zone": life.ZONE_NAME} for ago in range(1, 41, 3)])
        phone.events([{"id": f"n{ago}", "event_type_id": mood, "timestamp": days_ago(ago, 14), "time_zone": life.ZONE_NAME} for ago in range(1, 41, 3) if ago != 10])
        # Of two on one day the one with the lower id is told first.
        first, second = ("Coffee", "Mood") if coffee < mood else ("Mood", "Coffee")
        browser.shows(f"{first} and {second} are tied most. A tie is not a cause.", "main")
        browser.shows(f"More {first} goes strongly with more {second} on the same day.", ".relations")
        browser.shows("high, 41 days", ".relations")
        browser.shows("Coffee has been logged 40 days in a row.", "main")
        # The same numbers as a table.
        browser.press("figure .tools button", "Table")
        browser.find("figure table td", "high")
        browser.press("figure .tools button", "Chart")
        browser.press(".segments button", "30 d")
        # Of 30 days none is held for certain: that takes more.
        browser.shows("medium, 30 days", ".relations")
        same(browser.script("return location.search"), "?days=30", "the range is in the address")
        # Today says the streak where there is a goal, and there alone.
        browser.go("/")
        browser.find(".tile", "40 days in a row")
        check("in a row" not in browser.script("return [...document.querySelectorAll('.tile')].find((t) => t.textContent.includes('Mood')).textContent"), "no streak without a goal")
        quiet(browser, "insights")


# MARK: Running


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

    def browser(self, hub):
        return Browser(self.driver, hub.address)

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


def main():
    program, *wanted = sys.argv[1:]
    begun = time.monotonic()
    world = World(os.path.abspath(program))
    tried = failures = 0
    try:
        for function in TESTS:
            name = function.__name__.replace("_", " ")
            if wanted and not any(part in name for part in wanted):
                continue
            tried += 1
            start = time.monotonic()
            try:
                function(world)
                print(f"ok    {time.monotonic() - start:5.1f} s  {name}", flush=True)
            except Exception as error:
                failures += 1
                print(f"FAIL  {time.monotonic() - start:5.1f} s  {name}\n      {error}", flush=True)
                if not isinstance(error, Failed):
                    traceback.print_exc()
                if os.environ.get("PICTURES"):
                    world.looking.picture(os.path.join(os.environ["PICTURES"], f"failed-{failures}.png"))
    finally:
        world.stop()
    for note in world.notes:
        print(f"      {note}")
    if not tried:
        sys.exit(f"No test has {' or '.join(wanted)} in its name.")
    print(f"{'FAILED' if failures else 'All well'}: {failures} of {tried} failed, {time.monotonic() - begun:.0f} s")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
