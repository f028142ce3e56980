"""What a person does who reads no manual, on the first day with a hub of their own, and what misled them once."""

import datetime
import re

from browser import CONTROL, ENTER, ESCAPE, TAB, Browser
from harness import check, choose, drive, pair, post_drive, quiet, same, test, whole
from hub import Device
import life


def field(browser, label):
    """The field of a form that has a label; its selector."""
    return "#" + browser.wait(lambda: browser.script(
        "return [...document.querySelectorAll('dialog label')].find((one) => one.textContent === arguments[0] && one.getClientRects().length)?.htmlFor", label), f"a field {label}")


@test
def a_type_of_ones_own_is_begun_with_beside_those_that_were_chosen(world):
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        browser.press(".templates label", "Mood")
        browser.press("main .button", "My own")
        browser.type("dialog input[type=text]", "Swim")
        browser.press("dialog button[type=submit]")
        browser.find(".templates button", "Swim")
        browser.shows("Step 1 of 3", "main")
        same(browser.script("return [...document.querySelectorAll('.templates label:has(:checked)')].map((one) => one.textContent)"), ["Coffee"], "what was chosen")
        whole(browser, "the first step")
        browser.press("main .button.primary", "Begin")
        browser.shows("Step 2 of 3", "main")
        same(sorted(browser.script("return [...document.querySelectorAll('.tile .name')].map((one) => one.textContent)")), ["Coffee", "Swim"], "the tiles")
        browser.shows("not yet", ".tile")
    # It is enough by itself.
    with world.hub() as hub, world.browser(hub) as browser:
        pair(browser, hub, then=".templates")
        for name in ("Mood", "Coffee"):
            browser.press(".templates label", name)
        browser.press("main .button", "My own")
        browser.type("dialog input[type=text]", "Swim")
        browser.press("dialog button[type=submit]")
        browser.find(".templates button", "Swim")
        browser.press("main .button.primary", "Begin")
        browser.shows("Step 2 of 3", "main")
        same([type["name"] for type in Device(hub).ask("GET", "/event-types")], ["Swim"], "the types")
        quiet(browser, "a type of one's own")


@test
def a_form_shows_the_field_that_has_the_focus_and_is_saved_by_its_keys(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        for width, height in ((1280, 900), (390, 700), (320, 568)):
            browser.size(width, height)
            browser.go("/types")
            browser.press("main .button", "New type")
            browser.type("dialog input[type=text]", f"Type {width}")
            for _ in range(3):
                browser.script("[...document.querySelectorAll('dialog .button')].find((one) => one.textContent.includes('Add a property')).click()")
                below = browser.script("return document.activeElement.getBoundingClientRect().bottom - document.querySelector('dialog footer').getBoundingClientRect().top")
                check(below <= 0, f"at {width} the field lies {below} px below the buttons")
            browser.keys(TAB)
            browser.keys(CONTROL + ENTER)
            browser.wait(lambda: browser.count("dialog") == 0, "it is saved and closed")
            browser.find("main .plain-row", f"Type {width}")
        quiet(browser, "a long form")


@test
def a_timer_is_started_with_what_was_told_of_it(world):
    with world.person() as (hub, phone, browser):
        phone.type("Swim", properties=[("lane", "Lane", "number", None)])
        events = lambda: phone.ask("GET", "/events")
        pair(browser, hub)
        browser.script("document.querySelector('.tile .edit').click()")
        browser.type(field(browser, "Lane"), "3")
        browser.type("dialog textarea", "with Mika")
        browser.press("dialog .button", "Start")
        browser.shows("Swim started", ".toast")
        world.wait(lambda: len(events()) == 1, "it is on the hub")
        same((events()[0].get("notes"), events()[0]["properties"]["lane"]["value"], events()[0].get("end_date")), ("with Mika", 3, None), "what was told of it")
        began = datetime.datetime.fromisoformat(events()[0]["timestamp"].replace("Z", "+00:00"))
        check(abs((life.now() - began).total_seconds()) < 30, "it began now")
        browser.press(".tile .press")
        world.wait(lambda: events()[0].get("end_date"), "it is stopped")
        # What began earlier.
        earlier = (life.now() - datetime.timedelta(minutes=20)).strftime("%Y-%m-%dT%H:%M")
        browser.wait(lambda: browser.count(".live") == 0, "nothing runs")
        browser.script("document.querySelector('.tile .edit').click()")
        browser.script("const one = document.querySelector(arguments[0]); one.value = arguments[1]; one.dispatchEvent(new Event('input', { bubbles: true }))", field(browser, "When"), earlier)
        browser.press("dialog .button", "Start")
        browser.wait(lambda: browser.text(".live .figure") in ("0:20", "0:21"), "it runs since then")
        quiet(browser, "a timer")
