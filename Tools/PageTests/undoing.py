"""Undo and keyboard shortcuts."""

from browser import DELETE, SHIFT
from harness import pair, quiet, test


@test
def what_was_done_is_taken_back_after_a_reload(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        count = lambda: len(phone.ask("GET", "/events"))
        browser.keys("1")
        world.wait(lambda: count() == 1, "logged")
        browser.keys("1")
        world.wait(lambda: count() == 2, "logged again")
        browser.go("/")
        browser.find(".tile")
        browser.keys("u")
        world.wait(lambda: count() == 1, "the last is taken back")
        browser.go("/timeline")
        browser.find("main .row")
        browser.keys("u")
        world.wait(lambda: count() == 0, "and the one before")
        browser.go("/")
        browser.find(".tile")
        browser.keys(SHIFT + "u")
        world.wait(lambda: count() == 1, "done again")
        browser.find("main .row")
        browser.script("document.querySelector('main .row').focus()")
        browser.keys(DELETE)
        world.wait(lambda: count() == 0, "deleted")
        browser.shows("Coffee deleted")
        browser.go("/")
        browser.find(".tile")
        browser.keys("u")
        world.wait(lambda: count() == 1, "back after a reload")
        quiet(browser, "undo")
