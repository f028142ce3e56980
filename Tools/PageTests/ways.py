"""Ways that people take: the wrong day, another tab, back out of a form, a clock or a language that is not the hub's."""

import datetime
import subprocess

from browser import ESCAPE, Browser
from harness import check, drive, pair, quiet, same, test
from hub import Device
import life


def field(browser, label, text):
    """Fills in the field of a form that has a label."""
    browser.script("const label = [...document.querySelectorAll('dialog label')].find((l) => l.textContent === arguments[0]);"
                   "const input = document.getElementById(label.htmlFor); input.value = arguments[1]; input.dispatchEvent(new Event('input', { bubbles: true }));", label, text)


@test
def an_entry_of_a_tab_that_was_closed_is_sent_by_another(world):
    with world.hub() as hub, world.browser(hub) as browser:
        phone = Device(hub)
        phone.type("Coffee")
        pair(browser, hub)
        browser.shows("Live", "#sync")
        browser.wait(lambda: browser.later("return Boolean((await navigator.serviceWorker.ready).active && (await caches.keys()).length)"), "the page is kept")
        second, first = browser.tab()
        browser.go("/")
        browser.find(".tile")
        hub.kill()
        browser.press(".tile .press")
        browser.shows("1 entry waits here.", ".sync")
        # The first knows of it, although it never asked.
        browser.turn_to(first)
        browser.wait(lambda: browser.text(".tile .count") == "1", "it counts in the first tab")
        browser.turn_to(second)
        browser.close_tab(then=first)
        hub.start()
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "it went out", seconds=60)
        browser.shows("Everything is on the hub", "#sync")
        same(browser.text(".tile .count"), "1", "it counts once")
