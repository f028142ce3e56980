"""First run, live trips, and stored preferences."""

import datetime
import urllib.request

from harness import check, pair, quiet, same, test, whole
from hub import Device
import life


@test
def three_steps_lead_in_and_each_can_be_left(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        browser.shows("Step 1 of 3", "main")
        browser.press("main .button", "Continue")
        browser.shows("Step 2 of 3", "main")
        browser.press(".tile .press", "Coffee")
        phone = Device(hub)
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the first entry is on the hub")
        # A reload keeps the step.
        browser.go("/")
        browser.shows("Log your first entry", "main h1")
        browser.press("main .button", "Next")
        browser.shows("Step 3 of 3", "main")
        browser.find(".bring-in .button", "Choose a file")
        browser.press("main .button", "Later")
        browser.shows("So far today", "main")
        quiet(browser, "first steps")
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        browser.press("main .button", "Skip")
        browser.shows("Nothing to log yet. Choose what you want to track.", "main")
        browser.press("main .button", "Choose types")
        browser.find("main h1", "All types")
        quiet(browser, "steps left")


@test
def a_drive_that_goes_on_is_drawn_and_grows_by_itself(world):
    with world.person("Pixel phone") as (hub, phone, browser):
        phone.type("Coffee")
        phone.ask("POST", "/geofences", {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 100})
        begin = life.now().replace(microsecond=0) - datetime.timedelta(minutes=30)

        def post(seconds):
            fixes = []
            for second in seconds:
                driven = max(0, second - 600) * 0.0001
                fixes.append(
                    {
                        "type": "Feature",
                        "geometry": {"type": "Point", "coordinates": [5, 52 + driven]},
                        "properties": {
                            "timestamp": life.iso(begin + datetime.timedelta(seconds=second)),
                            "horizontal_accuracy": 5,
                            "speed": 11 if driven else 0,
                        },
                    }
                )
            phone.post("/overland", {"locations": fixes})

        post(range(0, 1200, 10))
        pair(browser, hub)
        browser.find(".live .sketch polyline")
        browser.shows("Driving from Home", ".live")
        before = browser.text(".live .figure")
        check(before.endswith("km"), before)
        browser.shows("Pixel phone", ".devices-now")
        browser.shows("This browser", ".devices-now")
        post(range(1200, 1700, 10))
        browser.wait(lambda: browser.text(".live .figure") != before, "it goes on without a reload", seconds=60)
        quiet(browser, "a live drive")


@test
def search_and_tables_stay_as_they_were_chosen(world):
    browser = world.looking
    browser.go("/")
    browser.find(".tile")
    browser.press("main .actions a", "Search")
    browser.wait(
        lambda: browser.script("return document.activeElement.type") == "search", "the search field has the focus"
    )
    browser.go(f"/types/{world.types['coffee']}")
    browser.find("figure .tools button", "Table")
    # Another test may have switched charts to tables.
    before = browser.count("figure .table")
    browser.press("figure .tools button", "Table")
    browser.wait(lambda: browser.count("figure .table") == before + 1, "a table")
    browser.go(f"/types/{world.types['coffee']}")
    browser.wait(lambda: browser.count("figure .table") == before + 1, "still a table")
    browser.press("figure .tools button", "Chart")
    browser.wait(lambda: browser.count("figure .table") == before, "a picture again")
    quiet(browser, "choices")


@test
def a_person_is_renamed_and_connects_an_app_by_a_token(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.go("/settings")
        offset = life.ZONE_NAME.removeprefix("Etc/GMT")
        zone = "UTC" if offset == "+0" else "UTC" + ("+" if offset[0] == "-" else "−") + offset[1:]
        browser.shows(f"({zone})", "main")
        browser.type("[data-key=person-name]", "Ada L.")
        browser.press("main h1")
        browser.shows("Name changed to Ada L.", ".toast")
        same(phone.ask("GET", "/session")["person"]["name"], "Ada L.", "on the hub")
        browser.go("/devices")
        browser.press("main .button", "Connect an app")
        browser.press("dialog .button", "Create a token")
        browser.shows("Enter a value.", "dialog")
        browser.type("dialog input", "OwnTracks")
        browser.press("dialog .button", "Create a token")
        browser.shows("Enter this token in OwnTracks", "dialog")
        tracker = Device.__new__(Device)
        tracker.hub, tracker.token = hub, browser.text("dialog .command span")
        same(tracker.ask("GET", "/session")["device"]["name"], "OwnTracks", "the token is good")
        same(hub.address + "/pub" in browser.text("dialog"), True, "where it sends to")
        browser.press("dialog [aria-label=Close]")
        browser.shows("OwnTracks", "main .rows")
        quiet(browser, "name and token")


@test
def what_waits_on_another_device_is_told_as_it_said(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone, laptop = Device(hub, "Old phone"), Device(hub, "Laptop")
        phone.type("Coffee")
        now = life.now().timestamp()
        request = urllib.request.Request(
            f"{hub.address}/api/v1/events",
            headers={
                "Authorization": f"Bearer {laptop.token}",
                "Trendy-Device": f'version="1.2.0", waiting=3, oldest={round((now - 240) * 1000)}, '
                f"now={round((now + 600) * 1000)}",
            },
        )
        urllib.request.urlopen(request, timeout=30).close()
        pair(browser, hub)
        browser.shows("3 pending", ".devices-now")
        browser.go("/devices")
        row = lambda name: browser.script(
            "return [...document.querySelectorAll('main .rows li')].find((row) => row.textContent."
            "includes(arguments[0]))?.innerText ?? ''",
            name,
        )
        browser.wait(lambda: "3 pending, oldest 4 min" in row("Laptop"), "how much, and since when")
        check("clock 10 min ahead" in row("Laptop") and "1.2.0" in row("Laptop"), row("Laptop"))
        check(
            "wait" not in row("Old phone") and "clock" not in row("Old phone"),
            "of one that says nothing, nothing is told",
        )
        quiet(browser, "devices")
        with world.fonts(hub) as browsers:
            for font, browser in browsers.items():
                browser.go("/devices")
                browser.find("main .rows li")
                for width in (320, 390, 1280):
                    browser.size(width)
                    browser.settle()
                    whole(browser, f"devices, {width}, {font}")
                    tall = browser.script(
                        "return Math.max(...[...document.querySelectorAll('main .rows li')]"
                        ".map((row) => row.offsetHeight))"
                    )
                    check(tall < 95, f"devices, {width}, {font}: a row of {tall} px")
