"""Several rows at once, and the type of an entry."""

import datetime

from browser import ESCAPE, SHIFT
from harness import check, pair, quiet, same, test, whole
import life

SIZE = [("size", "Size", "select", ["small", "large"])]


def at(hour, ago=1):
    return life.iso(life.day(ago, hour))


@test
def several_rows_change_at_once_and_one_undo_takes_it_back(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee", properties=SIZE)
        tea = phone.type("Tea", properties=[*SIZE, ("cups", "Cups", "number", None)])
        trip = phone.type("Trip", "#4A6FA5", "⇢")
        for hour in (8, 9, 10):
            phone.event(coffee, at(hour), time_zone=life.ZONE_NAME)
        phone.event(trip, at(7), end_date=at(8), source_type="trip", time_zone=life.ZONE_NAME)
        day = life.day(1).date().isoformat()
        phone.event(coffee, at(0), is_all_day=True, time_zone=life.ZONE_NAME)
        before = phone.ask("GET", "/events")
        events = lambda: phone.ask("GET", "/events")
        pair(browser, hub)
        browser.go(f"/timeline/{day}")
        pressed = lambda: browser.count("main .row[aria-pressed=true]")

        def act(key):
            """Selects all rows and opens an action on them."""
            browser.press("main [data-key=select]", "Select")
            browser.press("main [data-key=select-all]")
            browser.shows("5 selected", "main .selection")
            browser.press(f"main [data-key={key}]")

        def values(entries):
            return [{**entry, "updated_at": ""} for entry in entries]

        def undone():
            browser.keys("u")
            world.wait(lambda: values(events()) == values(before), "everything is as before")
            browser.shows("Undone", ".toast")

        # A press selects a row instead of opening it. The actions are disabled until a row is selected.
        browser.press("main [data-key=select]", "Select")
        browser.shows("0 selected", "main .selection")
        check(browser.script("return document.querySelector('[data-key=select-delete]').disabled"), "nothing selected")
        browser.press("main .row", "08:00")
        browser.wait(lambda: pressed() == 1, "one row")
        browser.press("main .row", "08:00")
        browser.wait(lambda: pressed() == 0, "no row")
        same(browser.count("dialog"), 0, "sheets")
        browser.keys(ESCAPE)
        browser.wait(lambda: browser.count("main .selection") == 0, "the selection has ended")

        act("select-type")
        browser.script(
            "const s = document.querySelector('dialog select'); s.value = arguments[0]; "
            "s.dispatchEvent(new Event('change'))",
            tea,
        )
        browser.shows("Trips and visits keep their type.", "dialog")
        browser.press("dialog button[type=submit]")
        browser.shows("4 entries changed", ".toast")
        world.wait(lambda: sum(one["event_type_id"] == tea for one in events()) == 4, "four are tea")
        undone()

        # A new zone keeps the time of day, and the date of an all-day entry.
        act("select-zone")
        browser.script("document.querySelector('dialog select').value = 'Asia/Tokyo'")
        browser.press("dialog button[type=submit]")
        browser.shows("5 entries changed", ".toast")
        world.wait(lambda: all(one["time_zone"] == "Asia/Tokyo" for one in events()), "the zone")
        tokyo = datetime.timezone(datetime.timedelta(hours=9))
        clocks = sorted(
            datetime.datetime.fromisoformat(one["timestamp"].replace("Z", "+00:00")).astimezone(tokyo).isoformat()[:16]
            for one in events()
        )
        same(clocks, [f"{day}T{hour:02}:00" for hour in (0, 7, 8, 9, 10)], "times of day")
        undone()
        act("select-zone")
        browser.script("document.querySelector('dialog select').value = 'Asia/Tokyo'")
        browser.press("dialog .segments label", "Exact moment")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: all(one["time_zone"] == "Asia/Tokyo" for one in events()), "the zone again")
        moments = lambda list: sorted(one["timestamp"] for one in list if not one.get("is_all_day"))
        same(moments(events()), moments(before), "moments")
        undone()

        # Edit a property that all selected types have.
        act("select-property")
        browser.shows("The selected entries have no property in common.", "dialog")
        browser.press("dialog button[type=submit]")
        browser.press("main .row", "07:00")
        browser.shows("4 selected", "main .selection")
        browser.press("main [data-key=select-property]")
        browser.press("dialog .segments label", "large")
        browser.press("dialog button[type=submit]")
        large = {"size": {"type": "select", "value": "large"}}
        world.wait(lambda: sum(one.get("properties") == large for one in events()) == 4, "four are large")
        undone()

        act("select-delete")
        browser.shows("5 entries deleted", ".toast")
        world.wait(lambda: events() == [], "all are deleted")
        browser.press(".toast button", "Undo")
        world.wait(lambda: len(events()) == 5, "all are back")
        browser.keys(SHIFT + "u")
        world.wait(lambda: events() == [], "and gone again")
        quiet(browser, "several rows")


@test
def several_rows_of_a_search_change_offline_and_are_sent_later(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        tea = phone.type("Tea")
        phone.events(
            [
                {"id": f"e{n}", "event_type_id": coffee, "timestamp": at(8, ago=n + 1), "notes": "with soup"}
                for n in range(40)
            ]
        )
        pair(browser, hub)
        browser.go("/timeline?q=soup")
        browser.press("main [data-key=select]", "Select")
        browser.press("main [data-key=select-all]")
        browser.shows("40 selected", "main .selection")
        hub.stop()
        browser.press("main [data-key=select-type]")
        browser.script("document.querySelector('dialog select').value = arguments[0]", tea)
        browser.press("dialog button[type=submit]")
        browser.shows("40 entries changed. Stored here", ".toast")
        browser.wait(lambda: browser.count("main .row .glyph") >= 40, "all are pending")
        browser.shows("Tea", "main .row")
        hub.start()
        world.wait(
            lambda: all(one["event_type_id"] == tea for one in phone.ask("GET", "/events")),
            "all arrive",
            seconds=60,
        )
        quiet(browser, "offline", allowed=("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "ERR_EMPTY"))


@test
def the_type_of_an_entry_changes_in_its_form(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee", properties=SIZE)
        tea = phone.type("Tea", properties=[*SIZE, ("cups", "Cups", "number", None)])
        phone.event(coffee, at(8), properties={"size": {"type": "select", "value": "large"}})
        pair(browser, hub)
        browser.go(f"/timeline/{life.day(1).date().isoformat()}")
        browser.press("main .row")
        browser.find("dialog textarea")
        same(browser.count("dialog input[inputmode=decimal]"), 0, "fields of coffee")
        browser.script(
            "const s = [...document.querySelectorAll('dialog select')].at(-1); s.value = arguments[0]; "
            "s.dispatchEvent(new Event('change', { bubbles: true }))",
            tea,
        )
        browser.type("dialog input[inputmode=decimal]", "2")
        browser.press("dialog button[type=submit]")
        one = lambda: phone.ask("GET", "/events")[0]
        world.wait(lambda: one()["event_type_id"] == tea, "it is tea")
        values = {"size": {"type": "select", "value": "large"}, "cups": {"type": "number", "value": 2}}
        same(one()["properties"], values, "its properties")
        browser.shows("Tea", "main .row")
        browser.keys("u")
        world.wait(lambda: one()["event_type_id"] == coffee, "it is coffee again")
        quiet(browser, "the type of an entry")


@test
def the_selection_is_accessible_in_either_theme(world):
    axe = world.axe_or_note()
    browser = world.browser(world.many)
    with browser:
        pair(browser, world.many)
        browser.go(f"/timeline/{life.day(1).date().isoformat()}")
        browser.press("main [data-key=select]", "Select")
        browser.press("main .rows .row")
        for width, dark in ((1280, False), (390, True), (320, False)):
            browser.size(width)
            browser.theme(dark, still=True)
            browser.settle()
            whole(browser, f"selection at {width} px")
            if axe:
                same(axe.run(browser), [], f"selection at {width} px")
