"""Other days, several tabs, history, wrong clocks and other languages."""

import datetime
import subprocess

from browser import ESCAPE, Browser
from harness import check, drive, pair, quiet, same, test
from hub import Device
import life


def field(browser, label, text):
    """Fills in the form field with a label."""
    browser.script(
        "const label = [...document.querySelectorAll('dialog label')].find((l) => l.textContent === arguments[0]);"
        "const input = document.getElementById(label.htmlFor); input.value = arguments[1]; "
        "input.dispatchEvent(new Event('input', { bubbles: true }));",
        label,
        text,
    )


@test
def what_is_added_while_a_day_is_looked_at_is_of_that_day(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        day = life.day(5).date().isoformat()
        recorded = lambda: [event["timestamp"] for event in phone.ask("GET", "/events")]
        on_day = (
            lambda moment: datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
            .astimezone(life.ZONE)
            .date()
            .isoformat()
        )
        pair(browser, hub)
        browser.go(f"/timeline/{day}")
        browser.find("main .empty .button", "Add an entry")
        same(browser.text("main").count("No entries on this day"), 1, "what an empty day says")
        browser.press("main .empty .button", "Add an entry")
        browser.press("dialog .pick button", "Coffee")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(recorded()) == 1, "it is on the hub")
        same(on_day(recorded()[0]), day, "its day")
        browser.find("main .row", "Coffee")
        # Open the form with the key, then with the button of a day that has entries.
        browser.keys("l")
        browser.press("dialog .pick button", "Coffee")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(recorded()) == 2, "the second is on the hub")
        same({on_day(moment) for moment in recorded()}, {day}, "their day")
        browser.size(390)
        browser.press("main .empty .button", "Add an entry")
        browser.keys(ESCAPE)
        browser.size(1280)
        # On a type's page, the form skips the choice of a type.
        browser.press(".rail a", "Coffee")
        browser.press("main .log")
        browser.find("dialog textarea")
        quiet(browser, "adding to a day")


@test
def a_search_goes_through_all_of_the_record(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        at = lambda minutes: life.iso(life.now() - datetime.timedelta(minutes=minutes))
        phone.events(
            [
                {
                    "id": f"e{n}",
                    "event_type_id": coffee,
                    "timestamp": at(n),
                    **({"notes": f"needle {n}"} if n % 100 == 50 else {}),
                }
                for n in range(6100)
            ]
        )
        pair(browser, hub)
        browser.go("/timeline?q=needle")
        browser.shows("Latest 50 entries with “needle”", "main")
        browser.press("main .button", "Show 100 more")
        browser.shows("61 entries with “needle”", "main")
        same(browser.count("main .row"), 61, "rows")
        same(browser.count("main [data-key=more]"), 0, "nothing more to show")
        quiet(browser, "search")


@test
def drives_of_a_full_month_are_all_there(world):
    with world.person() as (hub, phone, browser):
        coffee, trip = phone.type("Coffee"), phone.type("Trip", "#4A6FA5", "⇢")
        begin = datetime.datetime(2025, 5, 2, tzinfo=life.ZONE)
        at = lambda minutes: life.iso(begin + datetime.timedelta(minutes=minutes))
        for start in (60, 40_000):
            phone.event(
                trip,
                at(start),
                end_date=at(start + 30),
                source_type="trip",
                properties={"distance": {"type": "number", "value": 12_000}},
            )
        phone.events([{"id": f"e{n}", "event_type_id": coffee, "timestamp": at(200 + n * 25)} for n in range(1500)])
        pair(browser, hub)
        browser.go("/trips?month=2025-05")
        browser.shows("2 trips, 24.0 km.", "main")
        # An empty month links to the latest trip, whereas an empty record does not.
        browser.go("/trips?month=2025-07")
        browser.shows("The latest trip was on", "main")
        browser.press("main .button", "Show")
        browser.shows("2 trips, 24.0 km.", "main")
        quiet(browser, "a full month")
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then="main.framed")
        browser.go("/trips")
        browser.shows("No trips yet.", "main")
        browser.go("/calendar")
        browser.shows("The calendar starts with your first entry.", "main")
        browser.press("main .button", "Choose types")
        browser.find(".templates")


@test
def visits_stay_with_a_place_that_gets_another_name(world):
    with world.person() as (hub, phone, browser):
        home = phone.type("At home")
        phone.ask("POST", "/geofences", {"id": "g", "name": "Home", "latitude": 52, "longitude": 5, "radius": 100})
        arrived = life.now() - datetime.timedelta(hours=3)
        phone.event(
            home,
            life.iso(arrived),
            end_date=life.iso(arrived + datetime.timedelta(minutes=95)),
            source_type="geofence",
            geofence_id="g",
            location_name="Home",
        )
        phone.ask("PATCH", "/geofences/g", {"name": "Flat"})
        pair(browser, hub)
        browser.go("/places/g")
        browser.find("main h2", "Flat")
        browser.find("main .row")
        browser.shows(f"{arrived:%H:%M} – {arrived + datetime.timedelta(minutes=95):%H:%M}", "main .row")
        browser.shows("1 h 35 min", "main .row")
        quiet(browser, "a place with another name")


@test
def an_entry_of_a_tab_that_was_closed_is_sent_by_another(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.shows("Live updates on", "#sync")
        browser.wait(
            lambda: browser.later(
                "return Boolean((await navigator.serviceWorker.ready).active && (await caches.keys()).length)"
            ),
            "the page is kept",
        )
        second, first = browser.tab()
        browser.go("/")
        browser.find(".tile")
        hub.kill()
        browser.press(".tile .press")
        browser.shows("1 entry pending.", ".sync")
        # The first tab shows the pending entry although the hub is down.
        browser.turn_to(first)
        browser.wait(lambda: browser.text(".tile .count") == "1", "it counts in the first tab")
        browser.turn_to(second)
        browser.close_tab(then=first)
        hub.start()
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "it went out", seconds=60)
        browser.shows("Synced with hub", "#sync")
        same(browser.text(".tile .count"), "1", "it counts once")


@test
def back_closes_what_lies_over_a_page_and_a_slip_loses_nothing(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        phone.event(coffee, life.iso(life.now()))
        pair(browser, hub)
        browser.press(".rail a", "Timeline")
        browser.press("main .row")
        browser.find("dialog textarea")
        browser.script("history.back()")
        browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        browser.wait(lambda: browser.script("return location.pathname") == "/timeline", "the page stays")
        check(browser.script("return document.activeElement.matches('main .row')"), "the focus is on the row again")
        # A form with unsaved changes asks before the page is left.
        browser.press("main .row")
        browser.type("dialog textarea", "begun")
        browser.script("history.back()")
        browser.shows("You have unsaved changes.", "dialog")
        browser.press("dialog .button", "Keep editing")
        same(browser.script("return document.querySelector('dialog textarea').value"), "begun", "what was begun")
        same(browser.script("return location.pathname"), "/timeline", "the page")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: phone.ask("GET", "/events")[0].get("notes") == "begun", "it is saved")
        # Now back opens the previous page, and forward returns to this one.
        browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        browser.script("history.back()")
        browser.find(".tile")
        browser.script("history.forward()")
        browser.find(".days")
        quiet(browser, "back")


@test
def the_focus_finds_its_way_back_although_the_page_was_drawn_anew(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        mine = phone.event(coffee, life.iso(life.now() - datetime.timedelta(minutes=5)))
        pair(browser, hub)
        browser.press("main .row")
        browser.find("dialog textarea")
        phone.event(coffee, life.iso(life.now()))
        browser.wait(lambda: browser.count("main .row") == 2, "the page behind goes on")
        browser.keys(ESCAPE)
        browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        same(browser.script("return document.activeElement.dataset.event"), mine, "the focus")
        quiet(browser, "focus")


@test
def a_clock_that_is_wrong_is_told(world):
    with world.hub() as hub, world.browser(hub) as browser:
        Device(hub).type("Coffee")
        browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            source="""
          const now = Date.now, Real = Date;
          Date = class extends Real { constructor(...parts) { if (parts.length) super(...parts);
          else super(Real.now() + 86400000); } static now() { return now() + 86400000; } };""",
        )
        pair(browser, hub)
        browser.shows("This browser’s clock is 1 day ahead of the hub’s.", "#sync")
        browser.size(390)
        browser.shows("Correct the clock: entries logged in this browser use its time.", ".strip")


@test
def numbers_are_read_as_they_are_written_where_one_is(world):
    for language, typed in (
        ("en-GB", {"1,120": 1120, "1,5": 1.5, "1,120.5": 1120.5, "12,34": 12.34, "0.125": 0.125}),
        ("de-DE", {"1.120,5": 1120.5, "1,120": 1120, "1,5": 1.5, "1.5": 1.5}),
        ("fa-IR", {"۱۲٫۵": 12.5, "12": 12}),
        ("en-IN", {"1,20,000": 120_000}),
    ):
        with world.hub() as hub, Browser(world.driver, hub.address, language=language) as browser:
            phone = Device(hub)
            phone.type("Walk", properties=[("steps", "Steps", "number", None)])
            pair(browser, hub)
            for text, number in typed.items():
                before = len(phone.ask("GET", "/events"))
                browser.script("document.querySelector('.tile .edit').click()")
                browser.find("dialog textarea")
                field(browser, "Steps", text)
                browser.press("dialog button[type=submit]")
                world.wait(lambda: len(phone.ask("GET", "/events")) == before + 1, f"{language}: {text} is logged")
                same(
                    phone.ask("GET", "/events?limit=1")[0]["properties"]["steps"]["value"],
                    number,
                    f"{language}: {text}",
                )


@test
def the_band_of_a_day_tells_the_hours_it_is_of(world):
    with world.hub() as hub, Browser(world.driver, hub.address, language="en-US") as browser:
        phone = Device(hub)
        coffee = phone.type("Coffee")
        phone.ask("POST", "/settings", {"id": "setting-day_starts_at", "key": "day_starts_at", "value": "04:00"})
        phone.event(coffee, life.iso(life.now()))
        for minutes in (400, 100):
            drive(phone, minutes=minutes)
        pair(browser, hub, then="main.framed")
        browser.go("/timeline")
        browser.find(".band")
        hours = browser.script("return [...document.querySelectorAll('.band text')].map((text) => text.textContent)")
        check(hours[0].startswith("4:00") and hours[8].startswith("4:00"), f"from four to four: {hours}")
        check(not [hour for hour in hours if hour == "24:00"], f"by the clock of the person: {hours}")
        same(
            sum(hour.endswith(" mi") or hour.endswith(" km") for hour in hours), 2, f"how far each drive went: {hours}"
        )


@test
def a_command_that_a_page_shows_is_one_that_there_is(world):
    browser = world.looking
    for page in ("/data", "/devices"):
        browser.go(page)
        browser.find("main h1")
        for command in browser.script(
            "return [...document.querySelectorAll('.command span')].map((span) => span.textContent)"
        ):
            program, *words = command.split()
            same(program, "trendyd", f"the program of: {command}")
            ran = subprocess.run([world.program, *words, "--help"], capture_output=True, text=True)
            same(ran.returncode, 0, f"{command}: {ran.stderr}")
            check(ran.stdout.startswith("Usage") or "Usage:" in ran.stdout, f"{command}: {ran.stdout[:100]}")


@test
def a_browser_that_is_removed_while_something_is_written_keeps_it_until_it_is_in_again(world):
    with world.hub() as hub, Browser(world.driver, hub.address, width=390) as browser:
        phone = Device(hub)
        phone.type("Coffee")
        pair(browser, hub)
        browser.shows("Live updates on")
        # The main pages are loaded once, shortly after the start.
        browser.wait(
            lambda: browser.script("return Object.keys(localStorage).some((key) => key.endsWith('/kept'))"),
            "the main pages are kept",
        )
        mine = next(device for device in phone.ask("GET", "/me/devices") if device["name"].startswith("Chrome"))
        browser.press("main .log")
        browser.press("dialog .pick button", "Coffee")
        browser.type("dialog textarea", "while removed")
        phone.ask("DELETE", f"/me/devices/{mine['id']}")
        browser.press("dialog button[type=submit]")
        browser.shows("This browser was removed from the hub.", ".strip")
        browser.shows("1 entry is still stored here.", ".strip")
        browser.wait(lambda: browser.text(".tile .count") == "1", "it is shown")
        # A hub that rejects the browser is not asked repeatedly.
        asked = lambda: browser.script(
            "return performance.getEntriesByType('resource').map((e) => e.name).filter((name) => name."
            "includes('/api/v1/'))"
        )
        before = len(asked())
        browser.later("await new Promise((done) => setTimeout(done, 1500))")
        check(len(asked()) - before < 10, f"requests while nothing happens: {asked()[before:]}")
        browser.press(".strip button", "Pair again")
        browser.shows("1 entry is still stored here.", "main")
        browser.find("main button", "Save to file")
        browser.type(".code", hub.code())
        browser.press("button[type=submit]")
        world.wait(
            lambda: [event.get("notes") for event in phone.ask("GET", "/events")] == ["while removed"],
            "it goes out",
            seconds=40,
        )
        browser.hides("This browser was removed", "body")
        browser.go("/")
        browser.wait(lambda: browser.text(".tile .count") == "1", "it counts once")


@test
def a_browser_that_keeps_nothing_shows_what_the_hub_has(world):
    for broken in (
        "indexedDB.open = () => ({})",
        "indexedDB.open = () => { throw new DOMException('no', 'SecurityError'); }",
    ):
        with world.hub() as hub, world.browser(hub) as browser:
            Device(hub).type("Coffee", "#7A4B2E", "cup")
            browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=broken)
            pair(browser, hub)
            browser.go("/places")
            browser.find("main h1", "Places")
