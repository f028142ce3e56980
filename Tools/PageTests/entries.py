"""Pairing with a code, and logging."""

from browser import SHIFT
from harness import check, pair, quiet, same, test
from hub import Device, Hub
import life


@test
def a_hub_without_persons_says_how_to_make_one_and_nothing_else(world):
    with Hub(world.program, people=()) as hub, world.browser(hub) as browser:
        # The user created by `hub init` is removed.
        for person in hub.run("user", "list").get("users", []):
            hub.run("user", "rm", person["name"], "--yes")
        browser.go("/calendar")
        browser.shows("This hub has no users yet")
        browser.shows("trendyd user add")
        same(browser.count("nav"), 0, "navigation")
        quiet(browser, "first run")


@test
def a_browser_comes_in_by_code_and_a_wrong_code_is_told_for_what_it_is(world):
    with world.hub() as hub, world.browser(hub) as browser:
        browser.go("/settings")
        browser.type(".code", "0000-0000")
        browser.press("button[type=submit]")
        browser.shows("This code is wrong, already used, or older than 10 minutes. Create a new one.")
        same(browser.script("return document.activeElement.className"), "input code", "where the focus is")
        browser.type(".code", " ".join(hub.code().split("-")))
        browser.press("button[type=submit]")
        browser.find("main h1", "Settings")
        browser.wait(
            lambda: browser.script("return document.querySelector('[data-key=person-name]')?.value") == "Ada",
            "whose record it is",
        )
        check("trendy-" not in browser.script("return document.cookie"), "no script reads the cookie")
        quiet(browser, "pairing", allowed=["403"])


def phone_types(hub):
    """Number of types on the hub."""
    return len(Device(hub).ask("GET", "/event-types"))


@test
def the_first_types_are_chosen_and_logged(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        where = lambda: browser.script("return document.activeElement.textContent")
        browser.wait(lambda: where() == "What would you like to track?", "whoever is in is told where")
        # The next step requires a choice.
        for _ in range(2):
            for name in ("Mood", "Coffee"):
                browser.press(".templates label", name)
            if not browser.count(".templates input:checked"):
                browser.press("main .button.primary", "Continue")
                browser.shows("Choose at least one.", ".toast")
                same(
                    (browser.text("h1"), phone_types(hub)),
                    ("What would you like to track?", 0),
                    "nothing was made",
                )
        browser.press(".templates label", "Water")
        browser.press("main .button.primary", "Continue")
        browser.wait(lambda: browser.count(".tile") == 3, "three tiles")
        browser.wait(lambda: where() == "Log your first entry", "the next step has the focus")
        # Undo before the first entry removes the chosen types.
        browser.keys("u")
        browser.wait(lambda: where() == "What would you like to track?", "back where something can be done")
        browser.press("main .button.primary", "Continue")
        browser.wait(lambda: browser.count(".tile") == 3, "three tiles")
        browser.press(".tile .press", "Water")
        browser.shows("Water logged at", ".toast")
        phone = Device(hub)
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the event is on the hub")
        same(len(phone.ask("GET", "/property-definitions")), 3, "properties of mood and coffee")
        browser.press("main button", "Skip")
        browser.wait(lambda: where() == browser.text("h1") != "Log your first entry", "Today has the focus")
        quiet(browser, "first types")


@test
def one_press_logs_and_every_act_can_be_taken_back(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type(
            "Coffee", properties=[("count", "Cups", "number", None), ("size", "Size", "select", ["small", "large"])]
        )
        events = lambda: phone.ask("GET", "/events")
        pair(browser, hub)
        browser.press(".tile .press")
        browser.wait(lambda: browser.text(".tile .count") == "1", "the tile counts")
        world.wait(lambda: len(events()) == 1, "it is on the hub")
        same(events()[0]["source_type"], "manual", "where it came from")
        same(events()[0]["time_zone"], life.ZONE_NAME, "its zone")
        browser.press("main .row")
        browser.type("dialog textarea", "oat\nmilk")
        browser.press("dialog .segments label", "large")
        browser.press("dialog button[type=submit]")
        browser.shows("Saved", ".toast")
        world.wait(lambda: events()[0].get("notes") == "oat\nmilk", "the note is on the hub")
        same(events()[0]["properties"], {"size": {"type": "select", "value": "large"}}, "its size")
        browser.shows("oat milk", "main .row")
        browser.keys("u")
        world.wait(lambda: events()[0].get("notes") is None, "the note is taken back")
        same(events()[0]["properties"], {}, "and the size")
        browser.keys(SHIFT + "u")
        world.wait(lambda: events()[0].get("notes") == "oat\nmilk", "and there again")
        browser.shows("oat milk", "main .row")
        browser.press("main .row")
        browser.press("dialog .button", "Delete")
        world.wait(lambda: events() == [], "it is deleted")
        browser.wait(lambda: browser.count("main .row") == 0, "no row")
        browser.press(".toast button", "Undo")
        world.wait(lambda: len(events()) == 1, "it is back")
        same(events()[0]["notes"], "oat\nmilk", "as it was")
        browser.wait(lambda: browser.count("main .row") == 1, "its row")
        browser.go("/")
        browser.find("main .row")
        same(events()[0]["event_type_id"], coffee, "its type")
        quiet(browser, "acts")


@test
def a_form_has_a_field_for_each_kind_of_property(world):
    with world.person() as (hub, phone, browser):
        phone.type(
            "All",
            properties=[
                ("text", "Words", "text", None),
                ("number", "Amount", "number", None),
                ("flag", "Good", "boolean", None),
                ("date", "Due", "date", None),
                ("pick", "Pick", "select", ["a", "b", "c", "d", "e", "f", "g"]),
                ("span", "Took", "duration", None),
                ("link", "Link", "url", None),
                ("mail", "Mail", "email", None),
            ],
        )
        pair(browser, hub)
        browser.press(".log")
        browser.press("dialog .pick button", "All")
        for label, text in (
            ("Words", "héllo"),
            ("Amount", "1.5"),
            ("Took", "1h30m"),
            ("Link", "javascript:alert(1)"),
            ("Mail", "a@b.example"),
        ):
            browser.script(
                "const label = [...document.querySelectorAll('dialog label')].find((l) => l."
                "textContent === arguments[0]);"
                "const input = document.getElementById(label.htmlFor); input.value = arguments[1]; "
                "input.dispatchEvent(new Event('input', { bubbles: true }));",
                label,
                text,
            )
        browser.press("dialog .segments label", "yes")
        browser.script(
            "const s = document.querySelector('dialog select'); s.value = 'f'; "
            "s.dispatchEvent(new Event('change', { bubbles: true }));"
        )
        browser.script("document.querySelector('dialog input[type=date]').value = '2026-11-30'")
        browser.press("dialog button[type=submit]")
        browser.shows("Enter a link that starts with http:// or https://.", "dialog")
        same(
            browser.script("return document.activeElement.value"),
            "javascript:alert(1)",
            "the first wrong field has the focus",
        )
        browser.script("document.activeElement.value = 'https://a.example/b'")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: phone.ask("GET", "/events"), "it is on the hub")
        values = {key: value["value"] for key, value in phone.ask("GET", "/events")[0]["properties"].items()}
        same(
            values,
            {
                "text": "héllo",
                "number": 1.5,
                "flag": True,
                "date": f"2026-11-30T00:00:00{life.ZONE_OFFSET}",
                "pick": "f",
                "span": 5400,
                "link": "https://a.example/b",
                "mail": "a@b.example",
            },
            "values",
        )
        # A second save without changes changes nothing.
        before = phone.ask("GET", "/events")[0]
        browser.press("main .row")
        browser.press("dialog button[type=submit]")
        browser.wait(lambda: browser.count("dialog") == 0, "the sheet is closed")
        same(phone.ask("GET", "/events")[0], before, "a form that was only looked at changes nothing")
        quiet(browser, "form")


@test
def what_is_started_runs_on_all_devices_until_it_is_stopped(world):
    with world.person() as (hub, phone, browser):
        phone.type("Reading")
        pair(browser, hub)
        browser.press(".log")
        browser.press("dialog .pick button", "Reading")
        browser.press("dialog .button", "Start")
        browser.find(".live", "Reading")
        browser.find(".tile.running")
        world.wait(lambda: phone.ask("GET", "/settings"), "it is told")
        mark = phone.ask("GET", "/settings")[0]
        same((mark["key"], mark["value"]), ("running", phone.ask("GET", "/events")[0]["id"]), "what tells of it")
        browser.press(".live .button", "Stop")
        world.wait(lambda: phone.ask("GET", "/events")[0].get("end_date"), "it has an end")
        browser.wait(lambda: browser.count(".live") == 0, "nothing runs")
        browser.keys("u")
        browser.find(".live", "Reading")
        world.wait(lambda: phone.ask("GET", "/settings"), "it runs again, in one step")
        quiet(browser, "timer")


@test
def a_type_is_made_mended_and_deleted_by_its_name(world):
    with world.person() as (hub, phone, browser):
        phone.type("Tea")
        pair(browser, hub)
        browser.go("/types")
        browser.press("main .button", "New type")
        browser.type("dialog input[maxlength='200']", "Soup")
        browser.press("dialog .swatches label", "Olive")
        browser.press("dialog .glyphs label:has([aria-label=Food])")
        browser.press("dialog .button", "Add a property")
        browser.script(
            "const i = [...document.querySelectorAll('dialog input[maxlength=\"200\"]')][1]; "
            "i.value = 'Which one'; i.dispatchEvent(new Event('input', { bubbles: true }))"
        )
        browser.script(
            "const s = document.querySelector('dialog select'); s.value = 'select'; "
            "s.dispatchEvent(new Event('change', { bubbles: true }))"
        )
        browser.press("dialog button[type=submit]")
        browser.shows("Enter a value.", "dialog")
        browser.script("document.activeElement.value = 'pea, tomato'")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: len(phone.ask("GET", "/property-definitions")) == 1, "the property is on the hub")
        made = next(type for type in phone.ask("GET", "/event-types") if type["name"] == "Soup")
        same((made["color"], made["icon"]), ("#645d02", "food"), "its colour and glyph")
        definition = phone.ask("GET", "/property-definitions")[0]
        same(
            (definition["key"], definition["label"], definition["options"]),
            ("which_one", "Which one", ["pea", "tomato"]),
            "its property",
        )
        browser.press("main a", "Soup")
        browser.find("main h1", "Soup")
        # Adding a missing choice keeps the key of the property.
        browser.press("main .button", "Edit type")
        browser.press("dialog [aria-label='Edit: Which one']")
        browser.script("document.activeElement.value = 'Which'")
        browser.script(
            "const one = [...document.querySelectorAll('dialog input')].find((input) => input.value === 'pea, "
            "tomato'); one.value = 'pea, tomato, leek'"
        )
        browser.press("dialog button[type=submit]")
        world.wait(
            lambda: (lambda one: (one["key"], one["label"], one["options"]))(
                phone.ask("GET", "/property-definitions")[0]
            )
            == ("which_one", "Which", ["pea", "tomato", "leek"]),
            "its property is mended",
        )
        browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        browser.press("main .button", "Edit type")
        browser.find("dialog .button", "Delete type")
        sheets = browser.script(
            "[...document.querySelectorAll('dialog .button')].find((button) => button."
            "textContent === 'Delete type').click();"
            "return document.querySelectorAll('dialog').length"
        )
        same(sheets, 1, "one sheet makes room for the next")
        check(
            browser.script("return document.querySelector('dialog button[type=submit]').disabled"),
            "the name has to be typed",
        )
        browser.type("dialog input", "Soup")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: [type["name"] for type in phone.ask("GET", "/event-types")] == ["Tea"], "it is deleted")
        quiet(browser, "type", allowed=["404"])


@test
def a_goal_is_set_with_a_type_and_today_says_what_is_left(world):
    with world.person() as (hub, phone, browser):
        vitamins = phone.type("Vitamins")
        pair(browser, hub)
        browser.go(f"/types/{vitamins}")
        browser.press("main .button", "Edit type")
        browser.type("dialog input[inputmode=numeric]", "many")
        browser.press("dialog button[type=submit]")
        browser.shows("Enter a whole number from 0 to 1,000,000.", "dialog")
        browser.type("dialog input[inputmode=numeric]", "2")
        browser.press("dialog button[type=submit]")
        goal = {"amount": 2, "bound": "at_least", "measure": "count", "period": "day"}
        world.wait(lambda: phone.ask("GET", f"/event-types/{vitamins}").get("goal") == goal, "the goal is on the hub")
        browser.go("/")
        browser.shows("2 of 2 left", "main")
        browser.press("main .plain-row .button", "Log Vitamins")
        browser.shows("1 of 2 left", "main")
        browser.wait(lambda: browser.text(".tile .count").split() == ["1", "/", "2"], "the tile says how much of it")
        browser.press(".tile .press")
        browser.shows("Done: Vitamins.", "main")
        browser.hides("Left today", "main")
        browser.go(f"/types/{vitamins}")
        browser.press("main .button", "Edit type")
        browser.type("dialog input[inputmode=numeric]", "")
        browser.press("dialog button[type=submit]")
        world.wait(lambda: phone.ask("GET", f"/event-types/{vitamins}").get("goal") is None, "the goal is gone")
        quiet(browser, "goal")
