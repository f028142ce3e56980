"""Empty pages, printing, and the widest screens."""

import base64
import re

from harness import check, pair, quiet, same, test, whole


def box(browser, selector):
    return browser.script(
        "const b = document.querySelector(arguments[0])?.getBoundingClientRect(); "
        "return b ? { x: b.x, y: b.y, width: b.width, height: b.height } : null",
        selector,
    )


def pages_of(pdf):
    """Number of pages of a PDF."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


@test
def the_first_steps_stand_alone_and_types_can_be_chosen_after_they_were_left(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        for width in (1280, 390):
            browser.size(width)
            browser.settle()
            same(
                browser.script(
                    "return [...document.querySelectorAll('nav')].filter((nav) => nav.getClientRects().length).length"
                ),
                0,
                f"navigation in the first step, {width}",
            )
            whole(browser, f"first step, {width}")
        browser.size(1280)
        browser.press("main .button", "Skip")
        browser.find(".rail a")
        browser.press("main .button", "Choose types")
        browser.press(".templates label", "Water")
        browser.press("main .button", "Continue")
        browser.find("main .rows a", "Water")
        browser.go("/mileage")
        browser.shows("No trips in ", "main")
        same(browser.count("main [data-key=print]"), 0, "nothing is there to print")
        quiet(browser, "empty pages")


@test
def paper_is_white_where_dark_was_chosen_and_a_year_of_trips_takes_few_pages(world):
    browser = world.looking
    browser.go("/mileage")
    browser.find(".trip-table")
    trips = browser.count(".trip-table tbody tr")
    check(trips > 300, f"a year of trips: {trips}")
    browser.script("document.documentElement.dataset.theme = 'dark'")
    try:
        browser.devtools("Emulation.setEmulatedMedia", media="print")
        ink = browser.script("return getComputedStyle(document.querySelector('h1')).color")
        same(ink, "rgb(23, 25, 32)", "ink on paper")
        pdf = base64.b64decode(
            browser.devtools("Page.printToPDF", preferCSSPageSize=True, paperWidth=8.27, paperHeight=11.69)["data"]
        )
        check(pages_of(pdf) <= trips / 40 + 2, f"{pages_of(pdf)} pages for {trips} trips")
        browser.go("/timeline")
        browser.find("main .row")
        same(
            browser.script(
                "return [...document.querySelectorAll('main .link, "
                "main .section-head > a')].filter((link) => link.getClientRects().length).length"
            ),
            0,
            "links on paper",
        )
    finally:
        browser.script("delete document.documentElement.dataset.theme")
        browser.devtools("Emulation.setEmulatedMedia", media="")
        browser.theme(False)


@test
def the_map_of_a_trip_takes_what_the_widest_screen_has(world):
    browser = world.looking
    try:
        browser.size(2560, 1300)
        browser.go("/trips")
        browser.find(".map svg")
        browser.settle()
        map = box(browser, ".map")
        check(map["width"] > 1700 and map["height"] > 700, f"the map: {map}")
        check(box(browser, ".map + section")["width"] <= 1000, "text is not wider than can be read")
        whole(browser, "trips, 2560")
        browser.size(390)
        browser.go("/mileage")
        browser.find(".trip-table")
        tall = browser.script(
            "const box = document.querySelector('.trip-table .table'); return [box.clientHeight, box.scrollHeight]"
        )
        same(tall[0], tall[1], "the log of a phone scrolls with its page")
    finally:
        browser.size(1280)
