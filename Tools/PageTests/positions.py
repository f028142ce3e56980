"""Positions of a day, gaps, visits, and the state of devices."""

import datetime

from harness import check, drive, pair, quiet, same, test
import life


def fix(moment, latitude):
    return {
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [5, latitude]},
        "properties": {"timestamp": life.iso(moment), "horizontal_accuracy": 5, "speed": 0},
    }


@test
def what_is_missing_of_a_day_is_told_and_filled_in(world):
    with world.person() as (hub, phone, browser):
        phone.type("Walk", icon="shoe")
        # At rest, then without fixes for half an hour, then at rest elsewhere.
        begin = life.day(1, 10)
        minutes = lambda n: begin + datetime.timedelta(minutes=n)
        phone.post(
            "/overland",
            {
                "locations": [fix(minutes(n), 52) for n in range(0, 20)]
                + [fix(minutes(n), 52.02) for n in range(50, 80)]
            },
        )
        phone.event(phone.ask("GET", "/event-types")[0]["id"], life.iso(minutes(5)), time_zone=life.ZONE_NAME)
        pair(browser, hub)
        browser.go(f"/timeline/{life.day(1).date().isoformat()}")
        browser.shows("1 gap of 31 min.", "main header")
        browser.shows("No position until 10:50", "li.gap")
        browser.shows("31 min missing, 2.2 km apart", "li.gap")
        same(browser.count(".band .gap"), 1, "hatched in the band")
        check(browser.count(".band .tick") >= 10, "ticks for fixes")
        browser.press("li.gap .link", "Fill in")
        browser.press("dialog .pick button", "Walk")
        browser.find("dialog textarea")
        browser.press("dialog button[type=submit]")
        found = lambda: [
            event for event in phone.ask("GET", "/events") if event.get("end_date") and event["source_type"] == "manual"
        ]
        world.wait(lambda: found(), "it is on the hub")
        same(
            (found()[0]["timestamp"], found()[0]["end_date"]),
            (life.iso(minutes(19)), life.iso(minutes(50))),
            "from when until when",
        )
        # A day without positions mentions no gaps.
        browser.go(f"/timeline/{life.day(3).date().isoformat()}")
        browser.find("main .empty")
        check("gap" not in browser.text("main header"), "nothing is known of that day")
        quiet(browser, "gaps")


@test
def a_drive_leads_to_why_it_is_one(world):
    browser = world.looking
    browser.go(f"/timeline/{life.day(1).date().isoformat()}")
    browser.find(".band")
    if browser.count(".explained") == 0:
        # Weekend days have no trips.
        drive(world.phone)
        browser.go("/timeline")
    browser.press(".explained .link", "Why?")
    browser.find(".map")
    check(browser.script("return location.pathname").startswith("/trips/"), "its trip")
    browser.find("main h2", "Why this is a trip")


@test
def a_place_tells_its_hours_and_who_is_there(world):
    with world.person() as (hub, phone, browser):
        home = phone.type("At home", "#036767", "home")
        phone.ask(
            "POST",
            "/geofences",
            {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 120, "event_type_entry_id": home},
        )
        visit = lambda start, end: phone.event(
            home,
            life.iso(start),
            source_type="geofence",
            geofence_id="home",
            location_name="Home",
            **({"end_date": life.iso(end)} if end else {}),
        )
        visit(life.day(8, 9), life.day(8, 11))
        pair(browser, hub, then="#main h1")
        browser.go("/places")
        browser.shows("Hours per week", "main")
        browser.shows("2 h", ".times")
        browser.shows("Last arrived", ".times")
        since = life.now() - datetime.timedelta(hours=1)
        visit(since, None)
        browser.shows(f"Here since {since.strftime('%H:%M')}.", ".times")
        browser.press(".times .tools button", "Table")
        browser.wait(lambda: browser.count(".times tbody tr") == 12, "a row for each week")
        quiet(browser, "a place")


@test
def devices_say_when_they_were_last_here(world):
    with world.person("Pixel") as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.go("/devices")
        browser.shows("last seen", "main .rows")
        browser.shows("0 pending", "main .rows")
        rows = browser.script("return [...document.querySelectorAll('main .rows li')].map((row) => row.innerText)")
        check(any("Pixel" in row and "last seen" in row for row in rows), f"the phone: {rows}")
        check(any("this browser" in row and "clock correct" in row for row in rows), f"this browser: {rows}")
        quiet(browser, "devices")
