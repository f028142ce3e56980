"""A new user's first day, without a manual."""

import datetime
import re

from browser import CONTROL, ENTER, ESCAPE, TAB, Browser
from harness import check, choose, drive, pair, post_drive, quiet, same, test, whole
from hub import Device
import life


def field(browser, label):
    """Selector of the form field with a label."""
    return "#" + browser.wait(
        lambda: browser.script(
            "return [...document.querySelectorAll('dialog label')].find((one) => one."
            "textContent === arguments[0] && one.getClientRects().length)?.htmlFor",
            label,
        ),
        f"a field {label}",
    )


@test
def a_type_of_ones_own_is_begun_with_beside_those_that_were_chosen(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        browser.press(".templates label", "Mood")
        browser.press("main .button", "Custom")
        browser.type("dialog input[type=text]", "Swim")
        browser.press("dialog button[type=submit]")
        browser.find(".templates button", "Swim")
        browser.shows("Step 1 of 3", "main")
        same(
            browser.script(
                "return [...document.querySelectorAll('.templates label:has(:checked)')].map((one) => one.textContent)"
            ),
            ["Coffee"],
            "what was chosen",
        )
        whole(browser, "the first step")
        browser.press("main .button.primary", "Continue")
        browser.shows("Step 2 of 3", "main")
        same(
            sorted(
                browser.script("return [...document.querySelectorAll('.tile .name')].map((one) => one.textContent)")
            ),
            ["Coffee", "Swim"],
            "the tiles",
        )
        browser.shows("not yet", ".tile")
    # A custom type is sufficient without any template.
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        for name in ("Mood", "Coffee"):
            browser.press(".templates label", name)
        browser.press("main .button", "Custom")
        browser.type("dialog input[type=text]", "Swim")
        browser.press("dialog button[type=submit]")
        browser.find(".templates button", "Swim")
        browser.press("main .button.primary", "Continue")
        browser.shows("Step 2 of 3", "main")
        same([type["name"] for type in Device(hub).ask("GET", "/event-types")], ["Swim"], "the types")
        quiet(browser, "a type of one's own")


@test
def a_form_shows_the_field_that_has_the_focus_and_is_saved_by_its_keys(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        for width, height in ((1280, 900), (390, 700), (320, 568)):
            browser.size(width, height)
            browser.go("/types")
            browser.press("main .button", "New type")
            browser.type("dialog input[type=text]", f"Type {width}")
            for _ in range(3):
                browser.script(
                    "[...document.querySelectorAll('dialog .button')].find((one) => one.textContent."
                    "includes('Add a property')).click()"
                )
                below = browser.script(
                    "return document.activeElement.getBoundingClientRect().bottom - document."
                    "querySelector('dialog footer').getBoundingClientRect().top"
                )
                check(below <= 0, f"at {width} the field lies {below} px below the buttons")
            browser.keys(TAB)
            browser.keys(CONTROL + ENTER)
            browser.wait(lambda: browser.count("dialog") == 0, "it is saved and closed")
            browser.find("main .plain-row", f"Type {width}")
        quiet(browser, "a long form")


@test
def a_timer_is_started_with_what_was_told_of_it(world):
    with world.person() as (hub, phone, browser):
        phone.type("Swim", properties=[("lane", "Lane", "number", None)])
        events = lambda: phone.ask("GET", "/events")
        pair(browser, hub)
        browser.script("document.querySelector('.tile .edit').click()")
        browser.type(field(browser, "Lane"), "3")
        browser.type("dialog textarea", "with Mika")
        browser.press("dialog .button", "Start")
        browser.shows("Swim started", ".toast")
        world.wait(lambda: len(events()) == 1, "it is on the hub")
        same(
            (events()[0].get("notes"), events()[0]["properties"]["lane"]["value"], events()[0].get("end_date")),
            ("with Mika", 3, None),
            "what was told of it",
        )
        began = datetime.datetime.fromisoformat(events()[0]["timestamp"].replace("Z", "+00:00"))
        check(abs((life.now() - began).total_seconds()) < 30, "it began now")
        browser.press(".tile .press")
        world.wait(lambda: events()[0].get("end_date"), "it is stopped")
        earlier = (life.now() - datetime.timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M")
        browser.wait(lambda: browser.count(".live") == 0, "nothing runs")
        browser.script("document.querySelector('.tile .edit').click()")
        browser.script(
            "const one = document.querySelector(arguments[0]); one.value = arguments[1]; "
            "one.dispatchEvent(new Event('input', { bubbles: true }))",
            field(browser, "When"),
            earlier,
        )
        browser.press("dialog .button", "Start")
        browser.wait(lambda: browser.text(".live .figure") in ("0:20", "0:21"), "it runs since then")
        quiet(browser, "a timer")


@test
def a_press_on_a_drive_shows_its_route_and_its_form_speaks_as_a_person_does(world):
    with world.person("Phone") as (hub, phone, browser):
        first, second = drive(phone, minutes=300), drive(phone, minutes=120)
        phone.ask("POST", "/vehicles", {"id": "v", "name": "Octavia"})
        phone.ask(
            "POST",
            "/geofences",
            {"id": "pool", "name": "The old swimming pool", "latitude": 52, "longitude": 5, "radius": 100},
        )
        phone.ask(
            "PATCH",
            f"/events/{first}",
            {
                "properties": {
                    "average_speed": {"type": "number", "value": 2.8},
                    "duration": {"type": "duration", "value": 3600},
                    "rule": {"type": "text", "value": "office"},
                }
            },
        )
        pair(browser, hub, then="main.framed")
        browser.go("/timeline")
        browser.press(".explained .row")
        browser.find(".map .way")
        same(browser.script("return location.pathname"), f"/trips/{first}", "the first drive of the day")
        browser.press("main .button", "Edit")
        # Internal values such as metres, metres per second and ids must not be visible.
        same(
            browser.script(
                "return [...document.querySelectorAll('dialog label, dialog .label')].map((one) => one.textContent)"
            ),
            ["When", "Until", "All day", "Distance (km)", "Vehicle", "Note", "Place"],
            "its fields",
        )
        same(
            browser.script("return document.querySelector(arguments[0]).value", field(browser, "Distance (km)")),
            "10",
            "how far it was",
        )
        browser.type(field(browser, "Distance (km)"), "12.6")
        browser.script(
            "const one = document.querySelector(arguments[0]); one.value = 'v'; "
            "one.dispatchEvent(new Event('change', { bubbles: true }))",
            field(browser, "Vehicle"),
        )
        browser.press("dialog button[type=submit]")
        properties = lambda: phone.ask("GET", f"/events/{first}")["properties"]
        world.wait(lambda: properties()["distance"]["value"] == 12_600, "how far is on the hub")
        same(
            (
                properties()["vehicle"]["value"],
                properties()["car"]["value"],
                properties()["average_speed"]["value"],
                properties()["rule"]["value"],
            ),
            ("v", "Octavia", 3.5, "office"),
            "what goes along",
        )
        # The edit key opens the row that has the focus.
        browser.go("/timeline")
        browser.find(".explained .row")
        browser.script("document.querySelector('.explained .row').focus()")
        browser.keys("e")
        browser.find("dialog", "Distance (km)")
        browser.keys(ESCAPE)
        # On a phone the distance is visible.
        browser.size(390)
        browser.find(".explained .value", "12.6 km")
        check(
            browser.script(
                "return [...document.querySelectorAll('.explained .value:not(.rest)')].every((one) => one."
                "scrollWidth <= one.clientWidth + 1)"
            ),
            "how far it was is not cut",
        )
        # B classifies the visible trip and moves on to the next trip in the list.
        browser.size(1280)
        browser.go(f"/trips/{first}")
        browser.find(".trip-list [aria-current]")
        same(
            browser.script("return [...document.querySelectorAll('.trip-list a')].map((one) => one.dataset.key)"),
            [first, second],
            "the list",
        )
        third = drive(phone, minutes=20)
        browser.wait(lambda: browser.count(".trip-list a") == 3, "the third")
        browser.keys("b")
        browser.wait(lambda: second in browser.script("return location.pathname"), "the next in the list")
        check(
            browser.script(
                "return [...document.querySelectorAll('.trip-list .sub')].every((one) => one."
                "getBoundingClientRect().height < 20)"
            ),
            "one line says how long and what for",
        )
        # The mileage table links unclassified trips.
        browser.go("/mileage")
        browser.press(".trip-table a", "classify")
        browser.wait(
            lambda: browser.script("return location.pathname") in (f"/trips/{second}", f"/trips/{third}"),
            "the trip to decide",
        )
        quiet(browser, "a drive")


@test
def the_clock_and_the_calendar_are_those_of_the_locale(world):
    day = life.day(1).date()
    for language, title, short in (
        ("en-US", f"{day:%A, %B} {day.day}", f"{day:%a, %b} {day.day}"),
        ("en-GB", f"{day:%A} {day.day} {day:%B}", f"{day:%a} {day.day} "),
    ):
        with world.hub() as hub, Browser(world.driver, hub.address, language=language) as browser:
            phone = Device(hub)
            coffee = phone.type("Coffee")
            post_drive(phone)
            phone.event(coffee, life.iso(life.day(1, 12) + datetime.timedelta(minutes=48)))
            pair(browser, hub, then="main.framed")
            browser.go(f"/timeline/{day.isoformat()}")
            browser.find("main h1", title)
            for width in (1280, 390):
                browser.size(width)
                browser.find(".row .time")
                beside = browser.script(
                    "const row = document.querySelector('main .row'); const range = document.createRange(); "
                    "range.selectNodeContents(row.querySelector('.time')); "
                    "return row.querySelector('.disc').getBoundingClientRect().left - range."
                    "getBoundingClientRect().right"
                )
                check(beside >= 4, f"{language}, {width}: {beside} px between time and glyph")
            browser.shows(short, "main h1")
            browser.size(1280)
            trip = next(event["id"] for event in phone.ask("GET", "/events") if event["source_type"] == "trip")
            browser.go(f"/trips/{trip}")
            moments = browser.wait(
                lambda: browser.script(
                    "return [...document.querySelectorAll('.why time')].map((one) => one.textContent)"
                ),
                "why it is a trip",
            )
            form = r"\d{1,2}:\d\d:\d\d\s[ap]m" if language == "en-US" else r"\d\d:\d\d:\d\d"
            same([text for text in moments if not re.fullmatch(form, text)], [], f"{language}: times to the second")


@test
def what_is_brought_in_looks_like_what_was_made_here(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then=".templates")
        browser.go("/data")
        choose(
            browser,
            "old.csv",
            "date,type,Weight (kg)\n2026-01-05 08:00,Weight,72.5\n2026-01-06 08:00,Coffee,\n2026-01-07 08:00,Plants,\n",
        )
        browser.press(".bring-in .button.primary", "Import 3")
        browser.shows("3 entries imported.", "main")
        browser.go("/")
        browser.wait(lambda: browser.count(".tile") == 3, "three tiles")
        faces = browser.script(
            "return Object.fromEntries([...document.querySelectorAll('.tile')].map((one) => [one."
            "querySelector('.name').textContent, one.querySelector('.disc .glyph') ? 'glyph' : one."
            "querySelector('.disc').textContent]))"
        )
        same(faces, {"Weight": "W", "Coffee": "glyph", "Plants": "P"}, "what stands for each")
        same(
            len(
                set(
                    browser.script(
                        "return [...document.querySelectorAll('.tile')].map((one) => one.style."
                        "getPropertyValue('--tl'))"
                    )
                )
            ),
            3,
            "each has a colour of its own",
        )
        browser.go("/timeline/2026-01-05")
        browser.shows("72.5 kg", "main .row")
        check("Weight (kg)" not in browser.text("main .row"), "its unit stands behind the number")
        quiet(browser, "brought in")


@test
def a_tile_shows_its_count_whatever_else_has_no_room_with_any_font(world):
    with world.hub() as hub:
        phone = Device(hub)
        for name, goal in (
            ("Medication", {"amount": 1, "measure": "count"}),
            ("Reading aloud", {"amount": 5400, "measure": "duration"}),
        ):
            phone.ask(
                "PATCH", f"/event-types/{phone.type(name)}", {"goal": {"bound": "at_least", "period": "day", **goal}}
            )
        with world.fonts(hub) as browsers:
            for font, browser in browsers.items():
                tiles_have_room(browser, font)


def tiles_have_room(browser, font):
    browser.find(".tile .unit")
    texts = browser.script("return [...document.querySelectorAll('.tile .count')].map((one) => one.textContent)")
    same(sorted(texts), ["0/ 1", "0/ 1 h 30 min"], "nothing of a goal is 0, not 0 s")
    for width in (1280, 390, 320):
        browser.size(width)
        browser.settle()
        words = browser.script("""return [...document.querySelectorAll('.tile')].flatMap((tile) => {
          const [name, count, range] = [tile.querySelector('.name'), tile.querySelector('.count'),
            document.createRange()];
          range.selectNode(count.firstChild);
          const number = range.getBoundingClientRect();
          const box = count.getBoundingClientRect();
          return [number.top >= box.top - 1 && number.bottom <= box.bottom + 1 && number.right <= box.right + 1 ?
          [] : ['its count is cut'],
            name.getClientRects().length &&
              name.getBoundingClientRect().right > number.left ? ['its name lies under its count'] : [],
            (innerWidth > 800 || name.textContent === 'Medication') &&
              name.getBoundingClientRect().height > 24 ? ['its name is broken'] : []].flat();
        })""")
        same(words, [], f"tiles at {width}, {font}")
    # The tile's second button must not cover any content.
    browser.size(1280)
    covers = browser.script(
        "const [button, count] = ['.edit', '.count'].map((one) => document.querySelector('.tile ' + one)."
        "getBoundingClientRect()); return button.bottom - count.top - (count.height - 26) / 2"
    )
    check(covers <= 2, f"{font}: the button covers {covers} px of the count")


@test
def what_was_done_is_said_in_full_on_the_narrowest_phone(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        for width in (320, 390, 768, 1280):
            browser.size(width)
            browser.press(".tile .press")
            browser.shows("Coffee logged at", ".toast")
            browser.settle()
            said = browser.script("""
              const [box, words, button] = ['.toast', '.toast .words', '.toast button'].map((one) =>
                document.querySelector(one));
              return { cut: words.scrollWidth - words.clientWidth, high: button.getBoundingClientRect().height,
                left: box.getBoundingClientRect().left,
                beside: box.getBoundingClientRect().right - document.documentElement.clientWidth }""")
            check(said["cut"] <= 0, f"at {width} {said['cut']} px of what was done are cut")
            check(said["high"] < 50 and said["left"] >= 8 and said["beside"] <= -8, f"at {width}: {said}")
