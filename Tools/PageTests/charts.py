"""Timeline, calendar, charts and insights."""

import datetime

from browser import ENTER
from harness import check, pair, quiet, same, test
import life


@test
def yesterday_is_found_by_day_by_search_and_by_bookmark(world):
    hub, browser = world.many, world.looking
    yesterday = life.day(1).date().isoformat()
    browser.go("/timeline")
    browser.find(".days")
    browser.keys("[")
    browser.wait(lambda: browser.script("return location.pathname") == f"/timeline/{yesterday}", "the day before")
    browser.find(".band")
    check(browser.count("main .row") >= 4, "a day's entries")
    browser.go(f"/timeline/{yesterday}?q=good+soup")
    browser.find("main mark", "good soup")
    check(browser.count("main section") > 3, "found on several days")
    browser.type("main input[type=search]", "nothing like it")
    browser.shows("No results for “nothing like it”.")
    browser.press("main .button", "Clear")
    browser.find(".band")
    browser.go("/")
    browser.press(".rail a", "Calendar")
    browser.find(".heat")
    browser.press(".rail a", "Trips")
    browser.find(".map")
    browser.script("history.back()")
    browser.find(".heat")
    browser.script("history.forward()")
    browser.find(".map")
    quiet(browser, "looking back")


@test
def a_year_is_walked_by_arrow_keys_and_a_day_of_it_opens(world):
    browser = world.looking
    browser.go("/calendar")
    browser.find(".heat")
    browser.script("document.querySelector('.heat [tabindex=\"0\"]').focus()")
    browser.keys("\ue013")
    name = browser.wait(
        lambda: browser.script("return document.activeElement.getAttribute('aria-label')"), "a cell has the focus"
    )
    browser.shows(name, ".heat .reading")
    browser.keys(ENTER)
    browser.find(".days")
    same(browser.script("return location.pathname"), f"/timeline/{life.day(1).date().isoformat()}", "where it leads")
    browser.go(f"/calendar?types={world.types['run']},{world.types['coffee']}")
    browser.find(".heat .skip")
    browser.shows("days skipped.")
    browser.press(".chip[aria-pressed=true]")
    browser.wait(lambda: browser.count(".heat") == 1, "one is left")
    before = browser.count(".heat")
    browser.go(browser.script("return location.pathname + location.search"))
    browser.wait(lambda: browser.count(".heat") == before, "a bookmark shows the same")


@test
def a_chart_has_its_numbers_as_a_table(world):
    browser = world.looking
    browser.go(f"/types/{world.types['coffee']}")
    browser.find(".plot")
    label = browser.script("return document.querySelector('figure').getAttribute('aria-label')")
    check("over the last 14 days" in label, f"its finding: {label}")
    browser.press(".tools button", "Table")
    browser.wait(lambda: browser.count("figure tbody tr") == 84, "a row for each day")
    sum_of_table = browser.script(
        "return [...document.querySelectorAll('figure td:nth-child(2)')].reduce((sum, "
        "cell) => sum + Number(cell.textContent), 0)"
    )
    phone = world.phone
    since = life.day(83)
    found = [
        event
        for event in world.all_events()
        if event["event_type_id"] == world.types["coffee"] and event["timestamp"] >= life.iso(since)
    ]
    same(sum_of_table, len(found), "the table adds up to what was recorded")
    browser.press(".tools button", "Chart")
    browser.press(".segments button", "1 y")
    browser.find(".plot")
    check(phone is not None, "a device")


def days_ago(ago, hour=8):
    """Timestamp of an hour of an earlier day."""
    return life.iso(life.day(ago, hour))


@test
def insights_tell_what_goes_together_and_what_they_rest_on(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then=".templates")
        browser.go("/insights")
        browser.shows("Insights appear after your first entries.", "main")
        coffee, mood = phone.type("Coffee"), phone.type("Mood", icon="smile")
        phone.ask(
            "PATCH",
            f"/event-types/{coffee}",
            {"goal": {"amount": 1, "bound": "at_least", "measure": "count", "period": "day"}},
        )
        phone.events(
            [
                {"id": f"c{ago}", "event_type_id": coffee, "timestamp": days_ago(ago), "time_zone": life.ZONE_NAME}
                for ago in range(1, 41)
            ]
        )
        phone.events(
            [
                {"id": f"m{ago}", "event_type_id": mood, "timestamp": days_ago(ago), "time_zone": life.ZONE_NAME}
                for ago in (6, 8)
            ]
        )
        browser.shows("Correlations need 5 more days with two types.", "main")
        # Two correlated types, recorded by another device.
        phone.events(
            [
                {"id": f"d{ago}", "event_type_id": coffee, "timestamp": days_ago(ago, 13), "time_zone": life.ZONE_NAME}
                for ago in range(1, 41, 3)
            ]
        )
        phone.events(
            [
                {"id": f"n{ago}", "event_type_id": mood, "timestamp": days_ago(ago, 14), "time_zone": life.ZONE_NAME}
                for ago in range(1, 41, 3)
                if ago != 10
            ]
        )
        # The type with the lower id is named first.
        first, second = ("Coffee", "Mood") if coffee < mood else ("Mood", "Coffee")
        browser.shows(f"{first} and {second} are most strongly related. Correlation is not causation.", "main")
        browser.shows(f"More {second} on days with more {first} (strong correlation).", ".relations")
        browser.shows("high, 41 days", ".relations")
        browser.shows("Coffee: 40 days in a row.", "main")
        # Odometer readings and visits are not habits.
        for name, source in (("Odometer", "manual"), ("At work", "geofence")):
            kind = phone.type(name)
            phone.events(
                [
                    {
                        "id": f"{name}{ago}",
                        "event_type_id": kind,
                        "timestamp": days_ago(ago),
                        "time_zone": life.ZONE_NAME,
                        "source_type": source,
                    }
                    for ago in range(1, 8)
                ]
            )
        browser.shows("At work", ".weeks")
        check("Odometer" not in browser.text("main"), "readings of a meter are no habit")
        check(
            "At work" not in browser.text(".streak-row") and browser.count(".streak-row") == 2,
            "where one was has no streak",
        )
        browser.press("figure .tools button", "Table")
        browser.find("figure table td", "high")
        browser.press("figure .tools button", "Chart")
        browser.press(".segments button", "30 d")
        # 30 days are not enough for high confidence.
        browser.shows("medium, 30 days", ".relations")
        same(browser.script("return location.search"), "?days=30", "the range is in the address")
        # Today shows a type's streak only if the type has a goal.
        browser.go("/")
        browser.find(".tile", "40 days in a row")
        check(
            "in a row"
            not in browser.script(
                "return [...document.querySelectorAll('.tile')].find((t) => t.textContent.includes('Mood')).textContent"
            ),
            "no streak without a goal",
        )
        browser.go(f"/types/{coffee}")
        browser.find("figure h2", "When")
        browser.shows("Usually at 08:00.", "main")
        browser.wait(
            lambda: "40 days" in browser.text(".figures") and "score out of 100" in browser.text(".figures"),
            "streak and score",
        )
        browser.press("figure[aria-label^=When] .tools button", "Table")
        browser.wait(lambda: browser.count("figure[aria-label^=When] tbody tr") == 7, "a row for each weekday")
        same(
            browser.script(
                "return [...document.querySelectorAll('figure[aria-label^=When] td.num')].reduce((sum, "
                "cell) => sum + Number(cell.textContent), 0)"
            ),
            54,
            "the table adds up",
        )
        browser.press("figure[aria-label^=When] .tools button", "Chart")
        browser.go(f"/types/{mood}")
        browser.find("figure h2", "When")
        check("score" not in browser.text(".figures"), "no score without a goal")
        quiet(browser, "insights")


@test
def patterns_are_hours_and_a_month_shows_amounts(world):
    browser = world.looking
    browser.go("/insights")
    browser.find(".patterns li")
    same(browser.count(".patterns rect"), 24 * browser.count(".patterns li"), "bars")
    same(browser.count(".patterns rect.now") > 0, True, "hours that stand out")
    check(browser.count(".weeks li") <= 7, "types of the week")
    browser.go("/calendar?view=month")
    browser.find(".month .amount")
    amounts = browser.script("return [...document.querySelectorAll('.month .amount')].map((one) => one.textContent)")
    check(any(text.isdigit() and int(text) > 1 for text in amounts), f"amounts: {amounts}")


@test
def the_list_of_types_follows_the_hour_and_shows_last_values(world):
    with world.person() as (hub, phone, browser):
        names = ("Coffee", "Tea", "Water")
        types = {name: phone.type(name, properties=[("size", "Size", "text", None)]) for name in names}
        for ago in (1, 2, 3):
            phone.event(types["Water"], life.iso(life.now() - datetime.timedelta(days=ago, hours=5)))
        tea = {"properties": {"size": {"type": "text", "value": "large"}}}
        phone.event(types["Tea"], life.iso(life.now() - datetime.timedelta(days=1, minutes=-20)), **tea)
        pair(browser, hub)
        browser.press(".log")
        browser.find("dialog .pick button", "Tea")
        buttons = "[...document.querySelectorAll('dialog .pick button')]"
        rows = browser.script(f"return {buttons}.map((row) => row.innerText)")
        same([row.split("\n")[0] for row in rows], ["Tea", "Water", "Coffee", "New type"], "order")
        check("large" in rows[0], f"last values: {rows}")
        quiet(browser, "the list of types")
