"""Requirements of every page: escaping, layout, keyboard and screen readers."""

import datetime
import os

from browser import CONTROL, ENTER, ESCAPE, TAB
from harness import CSV, HOSTILE, PAGES, check, choose, pair, quiet, same, test, whole
import life


@test
def text_that_a_person_typed_is_text_wherever_it_appears(world):
    with world.person(HOSTILE[:120]) as (hub, phone, browser):
        typed = HOSTILE
        type = phone.type(
            typed,
            color='"><img src=x onerror=window.stung=1>'[:60],
            icon="<b>x",
            properties=[
                ("k" + typed[:200], typed, "select", [typed, "b"]),
                ("t", typed, "text", None),
                ("u", "Link", "url", None),
            ],
        )
        place = phone.ask(
            "POST", "/geofences", {"id": "g", "name": typed, "latitude": 52, "longitude": 5, "radius": 100}
        )
        moment = life.iso(life.now() - datetime.timedelta(minutes=2))
        phone.event(
            type,
            moment,
            notes=typed,
            location_name=typed,
            properties={
                "k" + typed[:200]: {"type": "select", "value": typed},
                "t": {"type": "text", "value": typed},
                "u": {"type": "url", "value": "javascript:window.stung=1"},
                "stranger": {"type": typed[:40], "value": {"a": [typed]}},
            },
        )
        phone.event(
            type,
            moment,
            source_type="geofence",
            geofence_id=place["id"],
            location_name=typed,
            end_date=life.iso(life.now()),
        )
        phone.event(
            type,
            moment,
            source_type="trip",
            end_date=life.iso(life.now()),
            location_latitude=52,
            location_longitude=5,
            properties={
                "route": {"type": "text", "value": "_p~iF~ps|U_ulLnnqC_mqNvxq`@"},
                "car": {"type": "text", "value": typed},
                "rule": {"type": "text", "value": typed},
                "category": {"type": "select", "value": typed},
                "distance": {"type": "number", "value": 5000},
            },
        )
        phone.ask("POST", "/vehicles", {"id": "v", "name": typed})
        phone.ask("POST", "/settings", {"id": "setting-hours", "key": "hours", "value": typed})
        pair(browser, hub, then="main.framed")
        for page in [
            *PAGES,
            f"/types/{type}",
            "/timeline?q=img",
            "/places/g",
            f"/types/{'%22%3E%3Cimg%20src=x%20onerror=window.stung=1%3E'}",
        ]:
            browser.go(page)
            browser.find("main h1")
            same(
                browser.count("img, main script, body > script, iframe, b > script"),
                0,
                f"{page}: elements made of text",
            )
            check(browser.script("return window.stung") is None, f"{page}: a script ran")
            check(
                "{{7*7}}" in browser.text("body")
                or page in ("/data", "/settings", "/trips", "/more", "/calendar")
                or "/types/%" in page
                or "q=" in page,
                f"{page}: the text is shown as it is",
            )
        browser.go("/")
        for row in range(browser.count("main .row")):
            browser.script("document.querySelectorAll('main .row')[arguments[0]].click()", row)
            browser.find("dialog h2")
            same(browser.count("img, dialog script, iframe"), 0, "the form")
            browser.keys(ESCAPE)
            browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        browser.press(".log")
        browser.type("dialog input", typed.replace("\u202e", ""))
        same(browser.count("img, dialog script"), 0, "what is looked for")
        check(browser.script("return window.stung") is None, "a script ran")
        quiet(browser, "hostile text", allowed=["404"])


@test
def every_page_is_whole_with_nothing_one_entry_and_many(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then="main.framed")
        for page in [*PAGES, "/trips/none", "/types/none", "/nowhere", "/timeline/2019-02-30", "/places/none"]:
            browser.go(page)
            if page == "/nowhere":
                continue
            browser.find("main h1")
            whole(browser, f"nothing, {page}")
        quiet(browser, "nothing", allowed=["404"])
        type = phone.type("A type whose name is so long that no tile, row or heading has room for it at once")
        phone.event(type, life.iso(life.now() - datetime.timedelta(minutes=1)), notes="A note of many words. " * 40)
        for page in [*PAGES, f"/types/{type}"]:
            browser.go(page)
            browser.find("main h1")
            for width in (320, 390, 820, 1280, 2560):
                browser.size(width)
                browser.settle()
                whole(browser, f"one entry, {width}, {page}")
        quiet(browser, "one entry")
    browser = world.looking
    for page in [*PAGES, f"/types/{world.types['coffee']}"]:
        browser.go(page)
        browser.find("main h1")
        for width in (320, 390, 820, 1280, 1920):
            browser.size(width)
            browser.settle()
            whole(browser, f"many, {width}, {page}")
    browser.size(1280)
    quiet(browser, "many")


# Words broken across lines, and truncated values.
BROKEN = """
const broken = [];
for (const element of document.querySelectorAll('main h1, main h2, main td, main .explained .value')) {
  if (element.getClientRects().length === 0) continue;
  for (const node of [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)) {
    for (const { index, 0: word } of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(word);
    }
  }
  if (element.matches('.value') && element.scrollWidth > element.clientWidth)
    broken.push(`cut: ${element.textContent}`);
}
return [...new Set(broken)];"""


@test
def no_word_is_broken_and_no_value_cut_on_the_narrowest_phone_with_any_font(world):
    yesterday = life.day(1).date().isoformat()
    with world.fonts(world.many) as browsers:
        for font, browser in browsers.items():
            browser.size(320)
            for page in [*PAGES, f"/types/{world.types['coffee']}", f"/timeline/{yesterday}"]:
                browser.go(page)
                # A page that loads slowly shows only its title.
                browser.wait(
                    lambda: browser.script(
                        "return document.querySelector('main h1') && document.querySelector('main .head p')?."
                        "textContent !== '…'"
                    ),
                    f"{page} is drawn",
                )
                browser.settle()
                same(browser.script(BROKEN), [], f"{page}, {font}: words")
                whole(browser, f"{page}, {font}")


@test
def a_page_is_named_while_its_content_is_awaited(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.find(".tile")
        browser.script("window.fetch = () => new Promise(() => {})")
        browser.press("nav a", "Calendar")
        browser.find("main h1", "Calendar")
        whole(browser, "while its content is awaited")
        same(browser.script("return document.title"), "Calendar – Trendy", "the title")


@test
def nothing_moves_once_it_is_drawn(world):
    browser = world.looking
    for page in ["/", "/timeline", "/calendar", f"/types/{world.types['coffee']}", "/trips"]:
        browser.go(page)
        browser.find("main h1")
        browser.later("await new Promise((done) => setTimeout(done, 300))")
        shift = browser.later("""
          return await new Promise((done) => { let sum = 0;
            new PerformanceObserver((list) =>
              { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; })
            .observe({ type: 'layout-shift', buffered: true }); setTimeout(() => done(sum), 100); });""")
        check(shift < 0.02, f"{page}: a layout shift of {shift:.3f}")
        first = browser.script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        if page == "/":
            world.notes.append(f"first picture of Today with {len(world.all_events())} entries: {first:.0f} ms")


@test
def the_keyboard_alone_logs_and_goes_everywhere(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.keys("l")
        browser.find("dialog .pick button")
        browser.keys("cof", ENTER)
        browser.find("dialog textarea")
        browser.script("document.querySelector('dialog textarea').focus()")
        browser.keys("by hand", CONTROL + ENTER)
        world.wait(lambda: [event["notes"] for event in phone.ask("GET", "/events")] == ["by hand"], "it is logged")
        browser.wait(lambda: browser.count("dialog") == 0, "the sheet is closed")
        browser.keys("1")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 2, "a tile by its number")
        for key, path in (
            ("l", "/timeline"),
            ("c", "/calendar"),
            ("i", "/insights"),
            ("r", "/trips"),
            ("m", "/mileage"),
            ("p", "/places"),
            ("d", "/devices"),
            ("t", "/"),
        ):
            browser.keys("g", key)
            browser.wait(lambda: browser.script("return location.pathname") == path, f"G {key}")
            browser.wait(
                lambda: browser.script("return document.activeElement.tagName") == "H1",
                f"{path}: the focus is on its name",
            )
        browser.keys("?")
        browser.shows("log that tile", "dialog")
        browser.keys(ESCAPE)
        browser.wait(lambda: browser.count("dialog") == 0, "closed")
        browser.keys("/")
        browser.wait(
            lambda: browser.script("return document.activeElement.type") == "search", "the search field has the focus"
        )
        browser.keys(ESCAPE)
        browser.wait(
            lambda: browser.script("return document.activeElement.tagName") == "H1", "and Escape leads out of it"
        )
        # A form with changes is not closed by accident.
        browser.keys("g", "t")
        browser.find(".tile")
        browser.press("main .row")
        browser.type("dialog textarea", "begun")
        browser.keys(ESCAPE)
        browser.shows("You have unsaved changes.", "dialog")
        browser.press("dialog .button", "Discard")
        browser.wait(lambda: browser.count("dialog") == 0, "closed")


@test
def a_colour_of_a_person_is_fitted_as_in_a_report(world):
    with open(os.path.join(os.path.dirname(__file__), "colours.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if not line.startswith("# ")]
    check(len(rows) > 200, "the table")
    browser = world.looking
    browser.go("/")
    found = browser.later(
        """
      const { colours } = await import(new URL('parts/colour.js',
        document.querySelector('script[type=module]').src).href);
      return args[0].map((text) => { const of = colours(text); return [of.mark, of.ink, of.darkMark, of.darkInk];
      });""",
        [row[0] for row in rows],
    )
    for row, fitted in zip(rows, found):
        same(fitted, row[1:], row[0])


@test
def a_number_is_told_with_what_it_is_of_as_a_person_says_it(world):
    browser = world.looking
    browser.go("/")
    told = [
        (5, "Glasses", "5 glasses"),
        (1, "Glasses", "1 glass"),
        (-1, "Cups", "-1 cup"),
        (1, "Pages", "1 page"),
        (0.5, "Pages", "0.5 pages"),
        (1, "Calories", "Calories 1"),
        (1, "Boxes", "1 box"),
        (1, "Matches", "1 match"),
        (1, "Doses", "Doses 1"),
        (1, "Headaches", "Headaches 1"),
        (2, "APIs", "2 APIs"),
        (4, "Score", "Score 4"),
        (4, "Progress", "Progress 4"),
        (4, "Status", "Status 4"),
        (6.2, "km", "6.2 km"),
        (72.5, "Kg", "72.5 kg"),
        (3, "kWh", "3 kWh"),
        (37, "°C", "37 °C"),
        (31, "km/h", "31 km/h"),
        (5, "Gläser", "Gläser 5"),
        (7, "", "7"),
    ]
    found = browser.later(
        """
      const { amountText } = await import(new URL('parts/amount.js',
        document.querySelector('script[type=module]').src).href);
      return args[0].map(([value, label]) => amountText(value, label));""",
        told,
    )
    same(found, [text for _, _, text in told], "numbers and their labels")


@test
def what_has_the_focus_on_a_phone_is_not_under_the_bar(world):
    browser = world.looking
    browser.size(320, 640)
    try:
        for page, most in (("/", 40), ("/settings", 20)):
            browser.go(page)
            browser.find("main h1")
            browser.settle()
            for _ in range(most):
                browser.keys(TAB)
                hidden = browser.script("""
                  const [one, bar] = [document.activeElement, document.querySelector('.bar').getBoundingClientRect()];
                  const box = one.getBoundingClientRect();
                  return one.closest('main') && box.bottom > bar.top + 1 && box.height < bar.top
                    ? one.outerHTML.slice(0, 100) : '';""")
                same(hidden, "", f"{page}: under the bar")
    finally:
        browser.size(1280)


@test
def axe_finds_nothing_on_any_page_in_either_theme(world):
    axe = world.axe_or_note()
    if not axe:
        return
    browser = world.looking

    def clean(where):
        for dark in (False, True):
            browser.theme(dark, still=True)
            same(axe.run(browser), [], f"{where}, {'dark' if dark else 'light'}")

    yesterday = life.day(1).date().isoformat()
    for page in [*PAGES, f"/types/{world.types['coffee']}", f"/timeline/{yesterday}", "/timeline?q=soup"]:
        browser.go(page)
        browser.find("main mark" if "?q=" in page else "main h1")
        clean(page)
    browser.go("/trips")
    browser.press("main .actions button", "Split")
    browser.find(".cutting ol li")
    clean("a trip that is about to be split")
    browser.keys(ESCAPE)
    browser.press("main .actions button", "Merge")
    browser.find("dialog .pick button")
    clean("what a trip is merged with")
    browser.keys(ESCAPE)
    browser.size(390)
    for page in PAGES[:3]:
        browser.go(page)
        browser.find("main h1")
        clean(f"{page} on a phone")
    browser.size(1280)
    browser.go("/")
    browser.press(".log")
    browser.find("dialog .pick button")
    clean("the log sheet")
    browser.press("dialog .pick button", "Mood")
    browser.find("dialog textarea")
    clean("a form")
    browser.keys(ESCAPE)
    browser.go(f"/types/{world.types['coffee']}")
    browser.press("main .button", "Edit type")
    browser.find("dialog .swatches")
    clean("the form of a type")
    browser.keys(ESCAPE)
    browser.press(".tools button", "Table")
    browser.find("figure table")
    clean("a table")
    browser.go("/data")
    choose(browser, "cups.csv", CSV)
    browser.find(".type-list")
    browser.press(".bring-in summary")
    clean("what a file would bring")
    browser.press(".bring-in .button", "Discard")
    browser.find(".drop")
    browser.go(f"/types/{world.types['coffee']}")
    browser.press(".tools button", "Table")
    browser.press(".tools button", "Chart")
    browser.theme(False)
    with world.hub() as hub, world.browser(hub) as stranger:
        stranger.go("/")
        stranger.find(".code")
        same(axe.run(stranger), [], "pairing")


@test
def a_choice_of_theme_stays_and_a_day_begins_when_it_is_said(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.go("/settings")
        browser.press(".segments label", "Dark")
        browser.press(".segments label", "20:30")
        world.wait(
            lambda: any(
                setting["key"] == "hours" and setting.get("value") == "24" for setting in phone.ask("GET", "/settings")
            ),
            "the clock is the person's on all devices",
        )
        same(
            [setting["id"] for setting in phone.ask("GET", "/settings")],
            ["setting-hours"],
            "by the id that devices use",
        )
        browser.go("/")
        browser.find(".tile")
        browser.go("/settings")
        browser.press(".segments label", "15 min")
        world.wait(
            lambda: any(
                setting["id"] == "setting-trips.stop" and setting.get("value") == "15m"
                for setting in phone.ask("GET", "/settings")
            ),
            "how long a stop ends a trip",
        )
        browser.keys("u")
        world.wait(
            lambda: any(
                setting["id"] == "setting-trips.stop" and setting.get("value") is None
                for setting in phone.ask("GET", "/settings")
            ),
            "and is taken back",
        )
        browser.go("/")
        browser.find(".tile")
        same(
            browser.script("return getComputedStyle(document.documentElement).backgroundColor"),
            "rgb(16, 17, 20)",
            "the ground",
        )
        quiet(browser, "settings")
