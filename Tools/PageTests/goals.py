"""Goals, the order of tiles, charts of a type, and skipped days."""

from browser import ALT, ENTER, RIGHT
from harness import check, pair, quiet, same, test
import life


def set_goal(phone, type, amount, period="day", measure="count"):
    phone.ask(
        "PATCH",
        f"/event-types/{type}",
        {"goal": {"amount": amount, "bound": "at_least", "measure": measure, "period": period}},
    )


@test
def a_goal_counts_what_an_entry_says_of_itself_and_shows_its_score(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee", properties=[("count", "Cups", "number", None)])
        run, mood = phone.type("Run", icon="shoe"), phone.type("Mood", icon="smile")
        set_goal(phone, coffee, 3)
        set_goal(phone, run, 3600, "week", "duration")
        phone.events(
            [
                {
                    "id": f"c{ago}",
                    "event_type_id": coffee,
                    "timestamp": life.iso(life.day(ago, 8)),
                    "time_zone": life.ZONE_NAME,
                }
                for ago in range(1, 31)
            ]
        )
        phone.event(
            coffee,
            life.iso(life.day(0, 1)),
            time_zone=life.ZONE_NAME,
            properties={"count": {"type": "number", "value": 2}},
        )
        start = life.day(0, 2)
        phone.event(run, life.iso(start), end_date=life.iso(start.replace(minute=20)), time_zone=life.ZONE_NAME)
        phone.event(mood, life.iso(life.day(1, 9)), time_zone=life.ZONE_NAME)
        pair(browser, hub)
        tile = lambda name: browser.script(
            "return [...document.querySelectorAll('.tile')].find((tile) => tile.textContent."
            "includes(arguments[0])).innerText",
            name,
        )
        browser.wait(lambda: "2\n/ 3" in tile("Coffee"), "two cups of one entry")
        check("20 min/1 h" in tile("Run"), f"a week's time: {tile('Run')}")
        browser.wait(lambda: browser.count(".tile .ring svg") == 2, "a ring for each goal")
        label = lambda type: browser.script(
            "return document.querySelector(`[data-key='tile-${arguments[0]}']`).getAttribute('aria-label')", type
        )
        browser.wait(lambda: "Score" in label(coffee), "the score is said")
        check("Score" not in label(mood), "none without a goal")
        browser.shows("1 of 3 left, usually 08:00", "main")
        # A new entry counts immediately and only once.
        browser.keys("1")
        browser.wait(lambda: "3\n/ 3" in tile("Coffee"), "one more")
        world.wait(lambda: len(phone.ask("GET", "/events?limit=100")) == 34, "it is on the hub")
        browser.hides("Left today", "main")
        check("3\n/ 3" in tile("Coffee"), f"counted once: {tile('Coffee')}")
        browser.keys("u")
        browser.wait(lambda: "2\n/ 3" in tile("Coffee"), "taken back")
        # The calendar shows the score, and why the types without a score have none.
        browser.go(f"/calendar?types={coffee},{mood}")
        browser.wait(
            lambda: "31 now" in browser.text("main") and "31 longest" in browser.text("main"),
            "the streak in the calendar",
        )
        browser.shows("No goal set, so no streak", "main")
        quiet(browser, "goals")


@test
def tiles_stay_where_they_are_put(world):
    with world.person() as (hub, phone, browser):
        for name in ("Coffee", "Mood", "Run"):
            phone.type(name)
        pair(browser, hub)
        names = lambda: browser.script(
            "return [...document.querySelectorAll('.tile .name')].map((name) => name.textContent)"
        )
        same(names(), ["Coffee", "Mood", "Run"], "as they were made")
        browser.script("document.querySelector('.tile .press').focus()")
        browser.keys(ALT + RIGHT)
        browser.wait(lambda: names() == ["Mood", "Coffee", "Run"], "one on")
        browser.wait(
            lambda: "Coffee moved to position 2 of 3"
            in browser.script("return document.getElementById('said').textContent"),
            "it is said",
        )
        check(
            "Coffee" in browser.script("return document.activeElement.getAttribute('aria-label')"),
            "the focus goes along",
        )
        browser.keys("2")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "its number goes along")
        browser.script("""
          const [first, , last] = document.querySelectorAll('.tile');
          const data = new DataTransfer();
          last.dispatchEvent(new DragEvent('dragstart', { dataTransfer: data, bubbles: true }));
          first.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));""")
        browser.wait(lambda: names() == ["Run", "Mood", "Coffee"], "pulled to the front")
        world.wait(
            lambda: any(
                setting["key"] == "tiles.order" and len(setting.get("value") or []) == 3
                for setting in phone.ask("GET", "/settings")
            ),
            "on all devices",
        )
        browser.go("/")
        browser.find(".tile")
        same(names(), ["Run", "Mood", "Coffee"], "after a reload")
        browser.keys("u")
        browser.wait(lambda: names() == ["Mood", "Coffee", "Run"], "taken back")
        quiet(browser, "tiles")


@test
def the_most_used_types_have_tiles_and_the_rest_are_found_by_search(world):
    with world.person() as (hub, phone, browser):
        ids = [phone.type(f"Type {n:03}", id=f"t{n:03}") for n in range(40)]
        phone.events(
            [
                {
                    "id": f"e{n}-{i}",
                    "event_type_id": ids[n],
                    "timestamp": life.iso(life.day(1, 8 + i)),
                    "time_zone": life.ZONE_NAME,
                }
                for n in range(20, 40)
                for i in range(2)
            ]
        )
        pair(browser, hub)
        names = browser.script("return [...document.querySelectorAll('.tile .name')].map((name) => name.textContent)")
        same(len(names), 24, "tiles")
        same(names, sorted(names), "tiles are in their order")
        check({f"Type {n:03}" for n in range(20, 40)} <= set(names), f"used types have tiles: {names}")
        browser.press("main .button", "Search 16 more types")
        browser.type("dialog input[type=search]", "type 010")
        browser.press("dialog .pick button", "Type 010")
        browser.press("dialog button[type=submit]")
        browser.shows("Type 010 logged at", ".toast")
        browser.wait(lambda: "Type 010" in browser.text(".tiles"), "a used type gets a tile")
        same(browser.count(".tile"), 24, "tiles")


@test
def a_type_is_told_by_a_line_a_band_and_its_values(world):
    browser = world.looking
    browser.go(f"/types/{world.types['coffee']}")
    browser.find(".plot .line-of")
    browser.find(".plot .band-of")
    browser.shows("14-day mean", "main")
    check(
        "a day over the last 14 days"
        in browser.script("return document.querySelector('figure').getAttribute('aria-label')"),
        "its finding",
    )
    values = "figure[aria-label^=Size]"
    check(
        "have a value."
        in browser.script("return document.querySelector(arguments[0]).getAttribute('aria-label')", values),
        "how many have it",
    )
    same(browser.count(f"{values} .shares li"), 2, "small and large")
    shares = browser.script(
        "return [...document.querySelectorAll(arguments[0] + ' .shares li')].map((row) => row.innerText."
        "replaceAll('\\n', ' '))",
        values,
    )
    # The chart must match the entries that the phone recorded on those days.
    since = life.iso(life.day(83))
    found = [
        event
        for event in world.all_events()
        if event["event_type_id"] == world.types["coffee"] and event["timestamp"] >= since
    ]
    large = sum(1 for event in found if event["properties"]["size"]["value"] == "large")
    check(any(row.startswith("large") and row.endswith(str(large)) for row in shares), f"{large} large: {shares}")
    # Skipped days are hatched and break the line.
    browser.go(f"/types/{world.types['run']}?range=12w")
    browser.find(".plot .skipped")
    browser.wait(lambda: browser.count(".plot .line-of") >= 2, "broken where days are off")
    browser.press(".segments button", "All")
    browser.shows("Entries per month", "main")
    browser.find(".plot rect")
    same(browser.script("return location.search"), "?range=all", "the range is in the address")
    quiet(browser, "a type")


@test
def a_quarter_has_three_months_and_its_days_open(world):
    browser = world.looking
    browser.go("/calendar")
    browser.find(".heat")
    browser.press(".segments button", "Quarter")
    browser.wait(
        lambda: "view=quarter" in browser.script("return location.search") and browser.count(".quarters .heat") > 1,
        "the quarter",
    )
    now = life.now()
    days = browser.script("return document.querySelector('.heat').querySelectorAll('[role=gridcell]').length")
    check(90 <= days <= 92, f"{days} days")
    browser.keys("[")
    first = (now.month - 1) // 3 * 3 + 1 - 3
    year = now.year if first > 0 else now.year - 1
    browser.wait(
        lambda: browser.text("main h1").endswith(str(year)) and browser.count(".heat .future") == 0, "the one before"
    )
    browser.script("document.querySelector('.heat [tabindex=\"0\"]').focus()")
    browser.keys(ENTER)
    browser.find(".days")
    # On a phone a year has two halves that fill the width, with readable labels.
    browser.size(390, 844)
    browser.go("/calendar")
    browser.find(".heat svg[role=grid]")
    wide, tall = browser.script(
        "const svg = document.querySelector('.heat svg[role=grid]'); "
        "return [svg.getBoundingClientRect().width, svg.querySelector('text').getBoundingClientRect().height]"
    )
    browser.size(1280)
    check(wide > 330 and tall >= 11, f"{wide} px wide, names {tall} px tall")
    quiet(browser, "a quarter")


@test
def days_off_are_set_hatched_and_taken_back(world):
    with world.person() as (hub, phone, browser):
        coffee, run = phone.type("Coffee"), phone.type("Run", icon="shoe")
        for ago in (1, 2, 5, 6):
            phone.event(coffee, life.iso(life.day(ago, 8)), time_zone=life.ZONE_NAME)
        set_goal(phone, coffee, 1)
        pair(browser, hub)
        browser.go(f"/calendar?types={coffee}")
        browser.wait(lambda: "2 now" in browser.text("main"), "the streak is broken")
        browser.press(".legend .link", "Skip days")
        for place, ago in ((1, 4), (2, 3)):
            browser.script(
                "const input = document.querySelectorAll('dialog input[type=date]')[arguments[0] - 1]; "
                "input.value = arguments[1]; input.dispatchEvent(new Event('input', { bubbles: true }))",
                place,
                life.day(ago).date().isoformat(),
            )
        browser.type("dialog input[type=text]", "flu")
        browser.press("dialog button[type=submit]")
        browser.shows("Saved", ".toast")
        world.wait(
            lambda: [
                (skip["event_type_id"], skip.get("note"), skip["from"], skip["to"])
                for skip in phone.ask("GET", "/skips")
            ]
            == [(coffee, "flu", life.day(4).date().isoformat(), life.day(3).date().isoformat())],
            "of the type that was shown",
        )
        browser.wait(lambda: browser.count(".heat .skip") == 2, "hatched")
        browser.wait(lambda: "4 now" in browser.text("main"), "the streak goes over them")
        browser.press(".legend .link", "Skip days")
        browser.shows("flu", "dialog")
        browser.press("dialog .plain-row .button", "Remove")
        world.wait(lambda: phone.ask("GET", "/skips") == [], "removed")
        browser.keys("u")
        world.wait(lambda: len(phone.ask("GET", "/skips")) == 1, "and back")
        check(run is not None, "another type is left alone")
        quiet(browser, "days off")
