"""Trips, their categories and distances, and the mileage log."""

from browser import ENTER, RIGHT, SHIFT
from harness import HOSTILE, check, drive, pair, post_drive, quiet, same, test, whole
import life


@test
def a_trip_is_drawn_and_decided(world):
    browser = world.looking
    browser.go("/trips")
    browser.find(".map .way")
    check(len(browser.script("return document.querySelector('.map .way').getAttribute('d')")) > 200, "its route")
    browser.press(".trip-list a", "classify")
    shown = "return document.querySelector('.trip-list a[aria-current]')?.pathname === location.pathname"
    browser.wait(lambda: browser.script(shown), "the chosen trip is shown")
    browser.find(".map .way")
    decided = browser.count(".trip-list .link")
    browser.press(".segments button", "Private")
    browser.wait(lambda: browser.count(".trip-list .link") == decided - 1, "one less to decide")
    trip = browser.script("return decodeURIComponent(location.pathname.split('/')[2])")
    world.wait(
        lambda: world.phone.ask("GET", f"/events/{trip}")["properties"].get("category", {}).get("value") == "private",
        "the hub knows",
    )
    browser.keys("u")
    world.wait(
        lambda: "category" not in world.phone.ask("GET", f"/events/{trip}")["properties"], "and is told otherwise"
    )
    # The map responds to keys.
    browser.settle()
    before = browser.script("return document.querySelector('.map .way').getAttribute('d')")
    browser.script("document.querySelector('.map svg').focus()")
    browser.keys("+", RIGHT)
    browser.wait(
        lambda: browser.script("return document.querySelector('.map .way').getAttribute('d')") != before, "it moves"
    )
    browser.keys("0")
    browser.wait(
        lambda: browser.script("return document.querySelector('.map .way').getAttribute('d')") == before,
        "and shows all again",
    )


@test
def a_trip_is_split_merged_and_each_taken_back_in_one_step(world):
    with world.person() as (hub, phone, browser):
        trip = drive(phone)
        undivided = phone.ask("GET", f"/events/{trip}")
        pair(browser, hub, then="main.framed")
        # Wait until the offline copy is loaded, because the latest trip may be deleted later.
        browser.wait(
            lambda: browser.script("return Object.keys(localStorage).some((key) => key.endsWith('/kept'))"),
            "the main pages are kept",
        )
        browser.go(f"/trips/{trip}")
        browser.press("main .actions button", "Split")
        browser.shows("unknown place to unknown place", ".cutting")
        # The slider begins at half of the route and responds to keys.
        browser.wait(lambda: browser.text(".cutting ol").count("5.0 km") == 2, "both halves in words")
        same(browser.script("return document.activeElement.type"), "range", "where the focus is")
        before = browser.text(".cutting ol")
        browser.keys(RIGHT, RIGHT)
        browser.wait(lambda: browser.text(".cutting ol") != before, "the halves follow the slider")
        # A press at a quarter of the route selects this point.
        spot = browser.script("""const path = document.querySelector('.map .way'),
            box = document.querySelector('.map svg').getBoundingClientRect();
          const at = path.getPointAtLength(path.getTotalLength() / 4);
          return [Math.round(box.left + at.x), Math.round(box.top + at.y)]""")
        browser.click_at(*spot)
        browser.wait(
            lambda: "2.5 km" in browser.text(".cutting ol") and "7.5 km" in browser.text(".cutting ol"),
            "the halves follow the press",
        )
        # Drags along the route to its middle.
        middle = browser.script("""const path = document.querySelector('.map .way'),
            box = document.querySelector('.map svg').getBoundingClientRect();
          const at = path.getPointAtLength(path.getTotalLength() / 2);
          return [Math.round(box.left + at.x), Math.round(box.top + at.y)]""")
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
        world.wait(
            lambda: phone.ask("GET", f"/events/{trip}")["properties"]["distance"]["value"] == 10000,
            "the first is whole again",
        )
        browser.wait(lambda: browser.count(".trip-list a") == 1, "one in the list")
        browser.keys(SHIFT + "u")
        world.wait(
            lambda: sorted(event["end_date"] for event in phone.ask("GET", "/events"))
            == sorted(event["end_date"] for event in split),
            "and parted once more",
        )
        browser.go(f"/trips/{trip}")
        browser.press("main .actions button", "Merge")
        browser.press("dialog .pick button", "Next trip")
        browser.shows("Trips merged", ".toast")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "one trip")
        same(phone.ask("GET", f"/events/{trip}")["end_date"], undivided["end_date"], "its end")
        browser.keys("u")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 2, "two again, in one step")
        quiet(browser, "split and merge")


@test
def ends_of_a_trip_get_names_and_keys_decide_what_it_was_for(world):
    with world.person() as (hub, phone, browser):
        first, second = drive(phone), drive(phone, minutes=300)
        pair(browser, hub, then="main.framed")
        browser.go(f"/trips/{first}")
        browser.press("main .rows button", "Name")
        browser.type("dialog input", HOSTILE.replace("\u202e", ""))
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(phone.ask("GET", "/geofences")) == 1, "a place is made")
        browser.shows("{{7*7}}", ".trip-list")
        same(browser.count("main img, main script"), 0, "elements made of text")
        browser.press("main .rows button", "Rename")
        browser.type("dialog input", "Home")
        browser.press("dialog button[type=submit]")
        browser.shows("Home to unknown place", ".trip-list")
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
        browser.shows("Enter a distance from 0 to 10.0 km.", ".part")
        browser.type(".part input", "2.5")
        browser.keys(ENTER)
        world.wait(
            lambda: phone.ask("GET", f"/events/{second}")["properties"].get("business_distance", {}).get("value")
            == 2500,
            "a part of it was business",
        )
        quiet(browser, "decided")


@test
def what_the_hub_found_is_told_beside_the_route(world):
    with world.person() as (hub, phone, browser):
        post_drive(phone)
        world.wait(lambda: phone.ask("GET", "/events"), "a trip is found")
        pair(browser, hub, then="main.framed")
        trip = phone.ask("GET", "/events")[0]["id"]
        browser.go(f"/trips/{trip}")
        browser.shows("Why this is a trip")
        browser.wait(lambda: browser.count("main .why li") >= 1, "what was decided")
        browser.shows("Departed:", ".why")
        browser.shows("positions of phone", "main")
        # A manually recorded trip has no details.
        browser.go(f"/trips/{drive(phone)}")
        browser.shows("No details available:")
        quiet(browser, "why")


@test
def how_fast_a_trip_went_and_where_it_stood_is_a_strip_a_map_and_a_table(world):
    with world.person() as (hub, phone, browser):
        post_drive(phone, stop=150)
        world.wait(lambda: phone.ask("GET", "/events"), "a trip is found")
        pair(browser, hub, then="main.framed")
        trip = phone.ask("GET", "/events")[0]["id"]
        browser.go(f"/trips/{trip}")
        browser.find(".plot.speed .line")
        told = phone.ask("GET", f"/trips/{trip}")["speed"]
        same(len(told["stops"]), 1, "the stop on the way")
        check(
            120 <= told["standing_s"] <= 160 and 46 <= told["top_mps"] * 3.6 <= 48,
            f"what the hub tells: {told['standing_s']} s, {told['top_mps']} m/s",
        )
        browser.shows("Top speed 47 km/h. 1 stop of 2 min.", "figure")
        same(browser.count(".map rect.stop"), 1, "the stop on the map")
        same(
            browser.script("return document.querySelector('.map .at-stop').textContent"), "2 min", "and how long it was"
        )
        # Arrow keys show the values as text and a dot on the map.
        browser.script("document.querySelector('.plot.speed').focus()")
        browser.keys(RIGHT)
        browser.find(".map .spot")
        first = browser.script("return document.querySelector('.map .spot').getAttribute('cy')")
        browser.script(
            "document.querySelector('.plot.speed').dispatchEvent(new KeyboardEvent('keydown', {key: 'End', "
            "bubbles: true}))"
        )
        check(
            browser.script("return document.querySelector('.map .spot').getAttribute('cy')") != first,
            "the dot goes along",
        )
        middle = browser.script(
            "const b = document.querySelector('.plot.speed').getBoundingClientRect(); "
            "return [Math.round(b.left + b.width / 2), Math.round(b.top + 20)]"
        )
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
        # A trip without stored positions has no speed chart.
        browser.go(f"/trips/{drive(phone, minutes=300)}")
        browser.shows("No details available:")
        same(browser.count(".plot.speed"), 0, "a strip of nothing")
        quiet(browser, "speed")


@test
def mileage_is_added_up_by_the_hub_warned_of_printed_and_taken_out(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then=".templates")
        browser.go("/mileage?year=2025")
        browser.shows("No trips in 2025.")
        kind, odometer = phone.type("Trip", "#4A6FA5", "⇢"), phone.type("Odometer", "#7A6F5D", "◔")
        phone.ask("POST", "/vehicles", {"id": "v", "name": HOSTILE[:60], "start_odometer_m": 1_000_000})
        number, word = (
            (lambda value: {"type": "number", "value": value}),
            (lambda value: {"type": "text", "value": value}),
        )
        for day, metres, category, vehicle in (
            ("01-10", 50_000, "business", "v"),
            ("01-20", 30_000, "private", "v"),
            ("03-05", 20_000, "mixed", None),
            ("03-06", 10_000, None, None),
        ):
            properties = {"distance": number(metres), "rule": word(HOSTILE)}
            properties |= {"category": {"type": "select", "value": category}} if category else {}
            properties |= {"vehicle": word(vehicle)} if vehicle else {}
            properties |= {"business_distance": number(5000)} if category == "mixed" else {}
            phone.event(
                kind,
                f"2025-{day}T09:00:00{life.ZONE_OFFSET}",
                end_date=f"2025-{day}T10:00:00{life.ZONE_OFFSET}",
                source_type="trip",
                properties=properties,
            )
        for day, metres in (("02-01", 1_081_000), ("04-01", 1_100_000)):
            phone.event(
                odometer, f"2025-{day}T08:00:00Z", properties={"odometer_m": number(metres), "vehicle": word("v")}
            )
        browser.shows("4 trips, 110 km. 10.0 km unclassified.", "main")
        same(
            [browser.text(f".figures > div:nth-child({i}) dd") for i in (1, 2, 3, 4)],
            ["110 km", "55.0 km", "45.0 km", "50 %"],
            "the figures",
        )
        shares = browser.script(
            "return [...document.querySelectorAll('.months li:first-child rect')].map((rect) => [rect."
            "getAttribute('class'), Math.round(parseFloat(rect.getAttribute('width')))])"
        )
        same(shares, [["business", 61], ["private", 37]], "January")
        browser.press("figure .tools button", "Table")
        browser.find("figure table")
        same(
            browser.script(
                "return [...document.querySelectorAll('figure tbody tr')][2].innerText.split('\\t')."
                "map((text) => text.trim())"
            ),
            ["March", "2", "30", "5", "15", "10"],
            "March",
        )
        browser.press("figure .tools button", "Chart")
        # 81 km by odometer for 80 km of trips is acceptable, but 19 km without trips is not.
        browser.shows("The difference is more than 2 %.", "main")
        browser.shows("trips are 19.0 km short (100 %)", ".odometer")
        same(browser.count(".odometer ul li"), 1, "days to look at")
        # The download has the hub's numbers.
        rows = browser.later(
            "return (await (await fetch(document.querySelector('main a[download$=csv]').href)).text()).trim()."
            "split('\\r\\n')"
        )
        same(len(rows), 5, "lines of the table")
        check(
            rows[0].startswith("ID,Date,Departure") and ",2025-01-10,09:00,10:00," in rows[1],
            "its columns, in the zone of the browser",
        )
        taken = browser.later(
            "return await (await fetch(document.querySelector('main a[download$=json]').href)).json()"
        )
        same(taken["total"]["business_m"], 55_000, "the same as JSON")
        browser.script(
            "const s = document.querySelector('main select'); s.value = 'v'; "
            "s.dispatchEvent(new Event('change', { bubbles: true }));"
        )
        browser.shows("2 trips, 80.0 km.", "main")
        same(
            browser.script("return new URLSearchParams(location.search).get('vehicle')"),
            "v",
            "the vehicle is in the address",
        )
        # Text for paper appears only in print.
        check("Signature" not in browser.text("main"), "what is for paper is not on screen")
        browser.devtools("Emulation.setEmulatedMedia", media="print")
        for part in ("Signature", "1 January 2025 – 31 December 2025", "Ada"):
            browser.shows(part, "main")
        same(
            browser.script(
                "return ['.rail', '.bar', '.head .actions', "
                "'.tools-row'].filter((one) => document.querySelector(one)?.getClientRects().length)"
            ),
            [],
            "nothing to press is printed",
        )
        check(len(browser.devtools("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"]) > 5000, "it prints")
        browser.devtools("Emulation.setEmulatedMedia", media="")
        same(browser.count("main img, main script"), 0, "elements made of text")
        readings = lambda: [
            event for event in phone.ask("GET", "/events?limit=100") if event["event_type_id"] == odometer
        ]
        browser.press("main .section-head button", "Log a reading")
        browser.type("dialog input[inputmode=decimal]", "many")
        browser.press("dialog button[type=submit]")
        browser.shows("Enter a number, for example 1.5.", "dialog")
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
        # A month with a large difference is named even if the total is fine.
        phone.event(
            kind,
            f"2025-05-10T09:00:00{life.ZONE_OFFSET}",
            end_date=f"2025-05-10T10:00:00{life.ZONE_OFFSET}",
            source_type="trip",
            properties={"distance": number(21_000), "vehicle": word("v")},
        )
        phone.event(
            odometer, "2025-06-01T08:00:00Z", properties={"odometer_m": number(1_102_000), "vehicle": word("v")}
        )
        browser.go("/mileage?year=2025")
        browser.wait(lambda: browser.count(".odometer ul li") == 2, "both months are named")
        browser.shows("Check the trips of these days", ".odometer")
        check("more than 2 %" not in browser.text(".odometer"), browser.text(".odometer"))


@test
def long_ways_and_long_names_keep_their_columns_on_the_narrowest_phone(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then=".templates")
        name = "Donaudampfschifffahrtsgesellschaftskapitaensmuetze near the old market"
        phone.ask("POST", "/geofences", {"id": "g", "name": name, "latitude": 52, "longitude": 5, "radius": 10_000})
        kind = phone.type("Trip", "#4A6FA5", "⇢")
        for ago in (1, 2):
            phone.event(
                kind,
                life.iso(life.day(ago, 9)),
                end_date=life.iso(life.day(ago, 10)),
                source_type="trip",
                location_latitude=52,
                location_longitude=5,
                properties={
                    "distance": {"type": "number", "value": 1_728_395_000},
                    "route": {"type": "text", "value": life.encode([(52, 5), (53, 5)])},
                    "rule": {"type": "text", "value": name},
                },
            )
        year = life.day(1).year
        browser.size(320)
        browser.go(f"/mileage?year={year}")
        browser.find(".trip-table td")
        whole(browser, "mileage")
        over = browser.script(
            "return [...document.querySelectorAll('.months .num')].filter((one) => one.scrollWidth > one."
            "clientWidth + 1).map((one) => one.textContent)"
        )
        same(over, [], "numbers beside their column")
        widths = browser.script(
            "return [...document.querySelectorAll('.months svg')].map((bar) => Math.round(bar."
            "getBoundingClientRect().width))"
        )
        same(len(set(widths)), 1, "bars of one scale")
        # Dates on the page are formatted for readers, whereas files contain ISO dates.
        day = life.day(1)
        browser.shows(f"{day:%a} {day.day} ", ".trip-table")
        browser.go("/trips")
        browser.find(".trip-list li")
        check(
            browser.script(
                "return [...document.querySelectorAll('.trip-list li')].every((row) => row."
                "getBoundingClientRect().height < 110)"
            ),
            "a long name takes two lines at most",
        )
        browser.go("/places/g")
        browser.shows("10,000 m", ".trip-list")
        whole(browser, "places")
        # Times are never cut to make room for values.
        water = phone.type("Water", properties=[("amount", "Amount", "number", None)])
        phone.event(
            water,
            life.iso(life.day(1, 9)),
            notes="x" * 200,
            properties={"amount": {"type": "number", "value": 123456789012}},
        )
        browser.go(f"/types/{water}")
        browser.find(".row .when")
        check(
            browser.script(
                "const one = document.querySelector('.row .when'); return one.scrollWidth <= one.clientWidth + 1"
            ),
            "the time is whole",
        )
