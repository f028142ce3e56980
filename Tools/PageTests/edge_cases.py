"""Mistyped addresses, dropped files, a lost cookie, touch screens, forced colours, tiny windows and icons."""

import json
import urllib.error
import urllib.request

import life
from harness import check, pair, post_drive, same, test


@test
def a_mistyped_address_shows_a_page_and_not_a_document_for_programs(world):
    browser = world.looking
    for path in ("/timelin", "/type/", "/a/b/c"):
        browser.go(path)
        browser.find("main h1")
        check("urn:trendy" not in browser.text("body"), f"{path}: {browser.text('body')[:200]}")
    request = urllib.request.Request(world.many.address + "/api/nothing", headers={"Accept": "text/html"})
    try:
        urllib.request.urlopen(request, timeout=30)
        check(False, "an address of the API is a page")
    except urllib.error.HTTPError as error:
        check("json" in error.headers["Content-Type"], f"the API answers {error.headers['Content-Type']}")


@test
def a_search_over_all_years_has_a_heading_of_its_own(world):
    browser = world.looking
    browser.go("/timeline?q=oat")
    browser.find("main [role=status]")
    same(browser.text("main h1"), "Search", "its heading")
    same(browser.count(".days"), 0, "weeks above a search")


@test
def a_night_that_began_the_day_before_counts_on_that_day_on_all_pages(world):
    with world.person() as (hub, phone, browser):
        sleep = phone.type("Sleep")
        phone.event(sleep, life.iso(life.day(1, 23)), end_date=life.iso(life.day(0, 7)))
        phone.event(sleep, life.iso(life.now()))
        pair(browser, hub)
        browser.shows("1 entry so far", "main .head")
        browser.go("/timeline")
        browser.wait(lambda: browser.count("main .row") == 2, "both are listed")
        browser.shows("1 entry", "main .head")
        browser.go(f"/timeline/{life.day(1).date().isoformat()}")
        browser.shows("1 entry", "main .head")


@test
def a_file_that_is_dropped_beside_its_place_is_not_opened(world):
    browser = world.looking
    for path in ("/data", "/"):
        browser.go(path)
        browser.find("main h1")
        prevented = browser.script("""
          const transfer = new DataTransfer();
          transfer.items.add(new File(['date,type'], 'a.csv'));
          return ['dragover', 'drop'].map((name) => !document.querySelector('main h1').dispatchEvent(
            new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: transfer })));""")
        same(prevented, [True, True], f"{path}: what the browser would do is prevented")


@test
def a_browser_that_lost_its_cookie_is_signed_out_and_not_removed(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.devtools("Network.clearBrowserCookies")
        browser.press(".tile .press")
        browser.press(".rail a[href='/calendar']")
        browser.shows("This browser is signed out.", ".strip")
        check("removed" not in browser.text("body"), "it is said to be removed")
        browser.go("/")
        browser.shows("This browser is signed out.", "main")
        browser.type(".code", hub.code())
        browser.press("button[type=submit]")
        browser.find(".tile")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "what was pending is sent")


@test
def a_tile_has_a_visible_control_for_its_form_on_a_touch_screen(world):
    browser = world.looking
    browser.size(390, 844)
    try:
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "hover", "value": "none"}])
        browser.go("/")
        browser.find(".tile")
        same(
            browser.script("return getComputedStyle(document.querySelector('.tile .edit')).opacity"), "1", "its control"
        )
        browser.press(".tile .edit")
        browser.find("dialog form")
    finally:
        browser.devtools("Emulation.setEmulatedMedia", features=[])
        browser.settle_in()
        browser.go("/")


@test
def a_map_leaves_the_wheel_to_the_page_until_it_is_pressed(world):
    with world.person() as (hub, phone, browser):
        phone.ask("POST", "/geofences", {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 150})
        pair(browser, hub, then=None)
        browser.find("main")
        browser.go("/places")
        browser.find(".map circle.place")
        wheel = """return !document.querySelector('.map svg.ground').dispatchEvent(
          new WheelEvent('wheel', { deltaY: 100, bubbles: true, cancelable: true, ctrlKey: arguments[0] }))"""
        same(browser.script(wheel, False), False, "the map takes the wheel")
        same(browser.script(wheel, True), True, "the map takes two fingers")
        browser.press(".map svg.ground")
        same(browser.script(wheel, False), True, "the map takes the wheel after a press")
        same(
            browser.script("return getComputedStyle(document.querySelector('.map')).touchAction"),
            "none",
            "after a press",
        )


# Selected and unselected elements.
CHOICES = {
    "/": ".rail a.item",
    "/calendar": ".chip, .segments > *",
    "/timeline": ".days a",
    "/insights": ".segments > *",
}


@test
def what_is_chosen_is_seen_in_forced_colours(world):
    browser = world.looking
    try:
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
        for path, selector in CHOICES.items():
            browser.go(path)
            browser.find(selector.split(",")[0])
            grounds = browser.script(
                """
              const isChosen = (one) => one.matches('[aria-current], [aria-pressed=true], :has(input:checked)');
              const all = [...document.querySelectorAll(arguments[0])];
              return [true, false].map((wanted) => [...new Set(all.filter((one) => isChosen(one) === wanted)
                .map((one) => getComputedStyle(one).backgroundColor))]);""",
                selector,
            )
            check(grounds[0], f"{path}: nothing is chosen")
            check(not set(grounds[0]) & set(grounds[1]), f"{path}: chosen and others have one ground: {grounds}")
    finally:
        browser.devtools("Emulation.setEmulatedMedia", features=[])


@test
def maps_are_drawn_in_tiny_windows_and_at_the_largest_zoom(world):
    with world.person() as (hub, phone, browser):
        phone.ask("POST", "/geofences", {"id": "home", "name": "Home", "latitude": 52, "longitude": 5, "radius": 150})
        post_drive(phone)
        pair(browser, hub, then=None)
        browser.find("main h1")
        for width, height in ((150, 300), (256, 180), (64, 64)):
            browser.size(width, height)
            for path in ("/places", "/timeline"):
                browser.go(path)
                browser.find("main h1")
            browser.go("/places")
            browser.find(".map")
            browser.settle()
            check(browser.count(".map .graticule") < 200, f"{width} px: {browser.count('.map .graticule')} lines")


@test
def a_browser_that_refuses_to_keep_entries_is_named_on_settings(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            source="window.asked = 0; navigator.storage.persist = async () => { window.asked += 1; return false; };",
        )
        pair(browser, hub)
        same(browser.script("return window.asked"), 0, "asked before anything depends on it")
        hub.stop()
        browser.press(".tile .press")
        browser.wait(lambda: browser.script("return window.asked") == 1, "the browser is asked once")
        browser.press(".rail a[href='/settings']")
        browser.shows("may delete pending entries", "main")
        hub.start()
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the entry is sent", seconds=40)


@test
def the_page_has_icons_for_tabs_home_screens_and_installed_apps(world):
    address = world.many.address
    with urllib.request.urlopen(address + "/manifest.webmanifest", timeout=30) as answer:
        manifest = json.load(answer)
    same((manifest["id"], manifest["scope"], manifest["start_url"]), ("/", "/", "/"), "where it begins")
    for icon in [{"src": "/favicon.ico", "type": "image/x-icon"}, *manifest["icons"]]:
        with urllib.request.urlopen(address + icon["src"], timeout=30) as answer:
            same(answer.headers["Content-Type"], icon["type"], icon["src"])
            if icon["type"] == "image/png":
                data = answer.read()
                size = int.from_bytes(data[16:20], "big")
                same(f"{size}x{size}", icon["sizes"], icon["src"])
    links = world.looking.script(
        "return [...document.querySelectorAll('link[rel*=icon]')].map((link) => [link.rel, link.href])"
    )
    for rel, href in links:
        with urllib.request.urlopen(href, timeout=30) as answer:
            check(answer.headers["Content-Type"].startswith("image/"), f"{rel}: {answer.headers['Content-Type']}")
    check(any(rel == "apple-touch-icon" for rel, _ in links), f"no touch icon in {links}")
