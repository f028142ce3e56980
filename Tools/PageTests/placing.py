"""Places made on the map, from the browser's location, from a visit and from the end of a trip."""

import math

from browser import ENTER
from harness import check, drive, pair, quiet, same, test, whole
import life

# Metres in a degree of longitude at the equator.
DEGREE = 6_371_000 * math.pi / 180


def circle(browser, scope):
    """Middle and radius of the first place on a map, in pixels of the window."""
    return browser.script(
        "const c = document.querySelector(arguments[0] + ' circle.place'), b = c.getBoundingClientRect(); "
        "return [b.x + b.width / 2, b.y + b.height / 2, Number(c.getAttribute('r'))]",
        scope,
    )


@test
def a_place_is_made_where_its_map_is_pressed(world):
    with world.person() as (hub, phone, browser):
        phone.ask("POST", "/geofences", {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 150})
        pair(browser, hub, then="main.framed")
        places = lambda: {place["name"]: place for place in phone.ask("GET", "/geofences")}
        browser.go("/places")
        browser.find("main circle.place")

        def named(name, east, press):
            """Saves the place of the open sheet, EAST pixels beside the circle on the map that was pressed."""
            browser.find("dialog .map circle.chosen")
            same(browser.count("dialog"), 1, f"{name}: sheets")
            browser.type("dialog input", name)
            browser.press("dialog button[type=submit]")
            world.wait(lambda: name in places(), f"{name} is made")
            expected = 5 + press * east / (DEGREE * math.cos(math.radians(52)))
            close = (places()[name]["latitude"] - 52, places()[name]["longitude"] - expected)
            check(max(map(abs, close)) < 0.00003, f"{name}: off by {close}")
            browser.wait(lambda: browser.count("dialog") == 0, "the sheet is closed")
            browser.shows(name, "main h2")
            browser.go("/places/home")
            browser.find("main circle.chosen")

        # Tries the right mouse button, a long press and a key.
        x, y, radius = circle(browser, "main")
        for name, east, kind, press in (
            ("Bakery", 90, "mouse", [{"type": "pointerDown", "button": 2}, {"type": "pointerUp", "button": 2}]),
            (
                "Club",
                -120,
                "touch",
                [
                    {"type": "pointerDown", "button": 0},
                    {"type": "pause", "duration": 1000},
                    {"type": "pointerUp", "button": 0},
                ],
            ),
        ):
            browser.pointer({"type": "pointerMove", "x": round(x) + east, "y": round(y)}, *press, kind=kind)
            named(name, round(x) + east - x, 150 / radius)
        browser.script("document.querySelector('main .map svg').focus()")
        browser.keys(ENTER)
        middle = browser.script(
            "const b = document.querySelector('main .map').getBoundingClientRect(); return b.x + b.width / 2"
        )
        named("Middle", middle - x, 150 / radius)
        quiet(browser, "a press on the map", allowed=("404",))


@test
def the_position_of_a_place_is_set_and_moved_in_its_sheet(world):
    with world.person() as (hub, phone, browser):
        phone.ask("POST", "/geofences", {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 150})
        pair(browser, hub, then="main.framed")
        place = lambda name: next((one for one in phone.ask("GET", "/geofences") if one["name"] == name), None)
        browser.size(390)
        browser.go("/places")
        browser.press("main [data-key=add]")
        browser.type("dialog input", "Gym")
        browser.press("dialog button[type=submit]")
        browser.shows("Press on the map, or use your location.", "dialog .wrong")
        same(browser.script("return document.querySelector('dialog details').open"), False, "coordinates are advanced")
        whole(browser, "a new place")
        x, y, radius = circle(browser, "dialog")
        browser.click_at(round(x) + 40, round(y) - 30)
        browser.find("dialog .map circle.chosen")
        browser.click_at(round(x) + 60, round(y))
        browser.press("dialog button[type=submit]")
        world.wait(lambda: place("Gym"), "it is made")
        expected = 5 + 150 / radius * (round(x) + 60 - x) / (DEGREE * math.cos(math.radians(52)))
        check(abs(place("Gym")["longitude"] - expected) < 0.00003, f"where: {place('Gym')}, not {expected}")
        # Coordinates can be entered as numbers, and the map shows them.
        browser.find("main h2", "Gym")
        browser.press("main [data-key=edit]")
        browser.press("dialog summary")
        browser.type("dialog details .field input", "91")
        browser.press("dialog button[type=submit]")
        browser.shows("Enter a number from −90 to 90.", "dialog")
        browser.type("dialog details .field input", "52.5")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: place("Gym")["latitude"] == 52.5, "it is moved")
        browser.find("main h2", "Gym")
        browser.keys("u")
        world.wait(lambda: abs(place("Gym")["latitude"] - 52) < 0.001, "and back")
        # The page requests the place before the hub has stored it.
        quiet(browser, "the position of a place", allowed=("404",))


@test
def a_place_is_made_where_the_browser_is(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub, then="main.framed")
        policy = lambda path: browser.later(
            "const [path] = args; return (await fetch(path)).headers.get('Permissions-Policy')", path
        )
        for path, sources in (("/", ""), ("/trips", ""), ("/places", "self"), ("/places/home", "self")):
            check(f"geolocation=({sources})" in policy(path), f"policy of {path}: {policy(path)}")
        # Only the document of the places page may request the location, so this document is loaded. The typed values
        # are kept.
        for state, error in (("denied", "does not share its location"), ("granted", None)):
            browser.devtools("Browser.setPermission", permission={"name": "geolocation"}, setting=state)
            browser.devtools("Emulation.setGeolocationOverride", latitude=52.379, longitude=4.9, accuracy=12.4)
            browser.go("/")
            browser.find("main h1")
            browser.press("nav a[href='/places']")
            browser.press("main [data-key=add]")
            browser.type("dialog input", "Here")
            browser.press("dialog .button", "Use my location")
            browser.shows(error or "Accurate to 13 m.", "dialog")
            same(browser.script("return location.pathname + location.search"), "/places/", "address")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: phone.ask("GET", "/geofences"), "the place is made")
        place = phone.ask("GET", "/geofences")[0]
        same((place["name"], place["latitude"], place["longitude"]), ("Here", 52.379, 4.9), "what was made")
        quiet(browser, "here", allowed=("404",))


@test
def a_place_is_made_from_a_visit_and_from_the_end_of_a_trip(world):
    with world.person() as (hub, phone, browser):
        trip = drive(phone)
        visit = phone.type("Visit", "#7A6F5D", "⌂")
        phone.event(
            visit,
            life.iso(life.day(1, 9)),
            end_date=life.iso(life.day(1, 11)),
            source_type="imported",
            location_name="Pool",
            location_latitude=52.5,
            location_longitude=5.5,
        )
        pair(browser, hub, then="main.framed")
        places = lambda: {one["name"]: (one["latitude"], one["longitude"]) for one in phone.ask("GET", "/geofences")}
        browser.go(f"/timeline/{life.day(1).date().isoformat()}")
        browser.press("main .rows .row")
        browser.press("dialog .button", "Make this a place")
        browser.wait(lambda: browser.count("dialog") == 2, "the sheet of the place")
        browser.press("dialog:last-of-type button[type=submit]")
        world.wait(lambda: places() == {"Pool": (52.5, 5.5)}, "the place of the visit")
        browser.wait(lambda: browser.count("dialog") == 1, "the entry is still open")
        browser.hides("Make this a place", "dialog")
        browser.go(f"/trips/{trip}")
        browser.press("main .rows button", "Name")
        browser.type("dialog input", "Station")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: places().get("Station") == (52, 5), "the place of the start")
        browser.shows("Station to unknown place", ".trip-list")
        quiet(browser, "a place of something recorded")
