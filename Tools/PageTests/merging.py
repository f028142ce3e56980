"""Merging and deleting of types, and trips added manually."""

from browser import SHIFT
from harness import check, drive, pair, quiet, same, test
import life


@test
def a_type_becomes_another_and_is_parted_from_it_again(world):
    with world.person() as (hub, phone, browser):
        kaffee, coffee = phone.type("Kaffee", properties=[("bean", "Bean", "text", None)]), phone.type("Coffee")
        for ago in (1, 2, 3):
            phone.event(kaffee, life.iso(life.day(ago, 8)), time_zone=life.ZONE_NAME)
        phone.event(coffee, life.iso(life.day(1, 9)), time_zone=life.ZONE_NAME)
        of = lambda type: len(
            [event for event in phone.ask("GET", "/events?limit=100") if event["event_type_id"] == type]
        )
        pair(browser, hub)
        browser.go(f"/types/{kaffee}")
        browser.press("main .button", "Edit type")
        browser.press("dialog .button", "Merge into…")
        check(
            browser.script("return document.querySelector('dialog button[type=submit]').disabled"),
            "a type has to be chosen",
        )
        browser.shows("3 entries of Kaffee move to the other type", "dialog")
        browser.script(
            "const s = document.querySelector('dialog select'); s.value = arguments[0]; "
            "s.dispatchEvent(new Event('change', { bubbles: true }))",
            coffee,
        )
        browser.shows("3 entries of Kaffee move to Coffee", "dialog")
        browser.press("dialog .button", "Merge")
        browser.shows("Kaffee merged into Coffee, 3 entries moved", ".toast")
        browser.find("main h1", "Coffee")
        browser.wait(lambda: browser.count("main .row") == 4, "all entries are there")
        same((of(coffee), [type["name"] for type in phone.ask("GET", "/event-types")]), (4, ["Coffee"]), "on the hub")
        browser.wait(lambda: "Kaffee" not in browser.text(".rail"), "it is gone from the rail")
        browser.keys("u")
        world.wait(lambda: of(kaffee) == 3 and of(coffee) == 1, "parted again, in one step")
        same(
            [definition["key"] for definition in phone.ask("GET", "/property-definitions")],
            ["bean"],
            "with its property",
        )
        browser.wait(lambda: "Kaffee" in browser.text(".rail"), "it is in the rail again")
        browser.keys(SHIFT + "u")
        world.wait(lambda: of(coffee) == 4, "and once more")
        browser.keys("u")
        world.wait(lambda: of(kaffee) == 3, "and back")
        quiet(browser, "merging types")


@test
def two_types_of_one_name_are_offered_to_be_made_one(world):
    with world.person() as (hub, phone, browser):
        first, second, _ = sorted([phone.type("Walk"), phone.type("walk")]) + [phone.type("Tea")]
        phone.event(second, life.iso(life.day(1, 8)), time_zone=life.ZONE_NAME)
        pair(browser, hub)
        browser.go("/types")
        browser.shows("2 types are named", "main")
        browser.press("main .button", "Merge")
        same(browser.script("return document.querySelector('dialog select').value"), first, "the older one remains")
        browser.press("dialog .button", "Merge")
        browser.find("main h1")
        world.wait(
            lambda: [event["event_type_id"] for event in phone.ask("GET", "/events?limit=9")] == [first],
            "its entry is moved",
        )
        # Entries that another device has recorded in the meantime move as well.
        phone.event(second, life.iso(life.day(1, 9)), time_zone=life.ZONE_NAME)
        same({event["event_type_id"] for event in phone.ask("GET", "/events?limit=9")}, {first}, "forwarded")
        browser.go("/types")
        browser.shows("Tea", "main")
        check("are named" not in browser.text("main"), "nothing is offered any more")
        quiet(browser, "two types of one name")


@test
def a_deletion_of_a_type_says_how_much_goes_along_and_brings_it_back(world):
    with world.person() as (hub, phone, browser):
        tea = phone.type("Tea", properties=[("pot", "Pot", "text", None)])
        phone.events(
            [{"id": f"t{i}", "event_type_id": tea, "timestamp": life.iso(life.day(i % 30, 8))} for i in range(1234)]
        )
        pair(browser, hub)
        browser.go(f"/types/{tea}")
        browser.press("main .button", "Edit type")
        browser.press("dialog .button", "Delete type")
        browser.shows("Deleting Tea also deletes its 1,234 entries on all your devices.", "dialog")
        browser.type("dialog input", "Tea")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: not phone.ask("GET", "/event-types"), "it is deleted")
        browser.press(".toast button", "Undo")
        world.wait(lambda: phone.ask("GET", "/me/storage")["rows"] == 1236, "it is back, with all its entries")
        browser.go(f"/types/{tea}")
        browser.shows("1,234 entries in total", "main")
        quiet(browser, "a type deleted", allowed=["404"])


@test
def a_trip_is_told_by_hand_and_trips_are_of_one_vehicle(world):
    with world.person() as (hub, phone, browser):
        for name, latitude in (("Home", 52), ("Office", 52.09)):
            phone.ask(
                "POST", "/geofences", {"id": name, "name": name, "latitude": latitude, "longitude": 5, "radius": 100}
            )
        for name in ("Octavia", "Van"):
            phone.ask("POST", "/vehicles", {"id": name, "name": name})
        pair(browser, hub, then="main.framed")
        browser.go("/trips")
        browser.shows("No trips yet.", "main")
        browser.press("main .button", "Add a trip")
        browser.press("dialog button[type=submit]")
        browser.shows("Enter a number, for example 1.5.", "dialog")
        browser.type("dialog input[inputmode=decimal]", "12.5")
        choose = lambda place, value: browser.script(
            "const s = document.querySelectorAll('dialog select')[arguments[0]]; s.value = arguments[1]; "
            "s.dispatchEvent(new Event('change', { bubbles: true }))",
            place,
            value,
        )
        choose(1, "Office")
        browser.press("dialog button[type=submit]")
        browser.shows("Choose the start of the trip as well.", "dialog")
        choose(0, "Home")
        choose(2, "Octavia")
        browser.press("dialog button[type=submit]")
        browser.shows("Trip of 12.5 km added", ".toast")
        browser.find(".trip-list a", "Home to Office")
        trip = phone.ask("GET", "/events")[0]
        same(
            (trip["source_type"], trip["properties"]["distance"]["value"], trip["properties"]["car"]["value"]),
            ("trip", 12500, "Octavia"),
            "as the hub has it",
        )
        browser.shows("1.25", "dl.figures")
        browser.shows("detour", "dl.figures")
        # The vehicle filter is kept when the month changes.
        drive(phone)
        browser.wait(lambda: browser.count(".trip-list a") == 2, "two trips")
        for vehicle, count in (("Octavia", 1), ("Van", 0), ("", 2)):
            browser.script(
                "const s = document.querySelector('.vehicle select'); s.value = arguments[0]; "
                "s.dispatchEvent(new Event('change', { bubbles: true }))",
                vehicle,
            )
            browser.wait(lambda: browser.count(".trip-list a") == count, f"{count} of {vehicle or 'all'}")
        browser.go("/trips?vehicle=Octavia")
        browser.find(".trip-list a", "Home to Office")
        browser.keys("b")
        world.wait(
            lambda: phone.ask("GET", f"/events/{trip['id']}")["properties"].get("category", {}).get("value")
            == "business",
            "decided",
        )
        check("vehicle=Octavia" in browser.script("return location.search"), "the filter stays")
        browser.keys("u")
        world.wait(lambda: "category" not in phone.ask("GET", f"/events/{trip['id']}")["properties"], "taken back")
        browser.keys("u")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "and the trip itself")
        # The page may be requesting the trip at this moment.
        quiet(
            browser,
            "trips by hand",
            allowed=[f"/trips/{trip['id']} - Failed to load resource: the server responded with a status of 404"],
        )


@test
def the_calendar_says_on_which_weekday_most_lies(world):
    with world.person() as (hub, phone, browser):
        run, tea = phone.type("Run", icon="shoe"), phone.type("Tea")
        for type, times in ((run, 8), (tea, 3)):
            for _ in range(times):
                phone.event(type, life.iso(life.now()), time_zone=life.ZONE_NAME)
        pair(browser, hub)
        browser.go(f"/calendar?types={run},{tea}")
        browser.shows(f"Most often on {life.now().strftime('%A')}s.", "main")
        same(browser.text("main").count("Most often on"), 1, "not of what there is too little of")
        quiet(browser, "most on")
