"""A browser in another time zone than the record."""

import datetime
import urllib.parse
import zoneinfo

from browser import Browser
from harness import check, pair, quiet, same, test
from hub import Device
import life

# Zones without daylight saving time, sixteen hours apart: a morning in Tokyo is the previous afternoon in Phoenix.
HOME, AWAY = "Asia/Tokyo", "America/Phoenix"


def at_home(ago, hour, minute=0):
    """A time of an earlier day in Tokyo."""
    return datetime.datetime.now(zoneinfo.ZoneInfo(HOME)).replace(
        hour=hour, minute=minute, second=0, microsecond=0
    ) - datetime.timedelta(days=ago)


def zones_asked(browser):
    queries = [urllib.parse.parse_qs(urllib.parse.urlsplit(address).query) for address in browser.requests()]
    return {zone for query in queries for zone in query.get("zone", [])}


@test
def days_and_times_are_of_the_zone_that_is_chosen(world):
    with (
        world.hub() as hub,
        Browser(world.driver, hub.address, zone=AWAY) as browser,
        Browser(world.driver, hub.address, zone=AWAY) as other,
    ):
        phone = Device(hub)
        coffee = phone.type("Coffee")
        morning = at_home(5, 8, 5)
        event = phone.event(coffee, life.iso(morning), time_zone=HOME)
        day = morning.date().isoformat()
        pair(browser, hub)
        pair(other, hub)
        # The day and time shown by the phone's clock.
        browser.go(f"/timeline/{day}")
        browser.shows("08:05", "main .row .time")
        browser.shows("08:05 in Tokyo", "main .row")
        browser.go("/settings")
        browser.shows("From this browser (America/Phoenix)", "main")
        browser.script(
            "const menu = document.querySelector('[data-key=time-zone]'); menu.value = arguments[0]; "
            "menu.dispatchEvent(new Event('change'));",
            HOME,
        )
        browser.shows("Saved", ".toast")
        world.wait(
            lambda: any(
                setting["id"] == "setting-time_zone" and setting.get("value") == HOME
                for setting in phone.ask("GET", "/settings")
            ),
            "the zone is the person's",
        )
        browser.requests()
        # From now on all pages show Tokyo time.
        browser.go(f"/timeline/{day}")
        browser.shows("08:05", "main .row .time")
        check("Tokyo" not in browser.text("main .row"), "of the zone itself nothing is said")
        browser.go(f"/calendar?view=month&month={day[:7]}")
        browser.find("main .month")
        for path in ("/", "/insights", f"/types/{coffee}", "/mileage", "/places", "/trips"):
            browser.go(path)
            browser.find("main h1")
            browser.settle()
        browser.go("/")
        browser.find(".tile")
        same(zones_asked(browser), {HOME}, "zones that the hub was asked in")
        # Entered times are Tokyo times, in this browser as well.
        other.go(f"/timeline/{day}")
        other.press("main .row", "Coffee")
        other.find("dialog input[type=datetime-local]")
        same(
            other.script("return document.querySelector('dialog input[type=datetime-local]').value"),
            f"{day}T08:05",
            "the time in the form",
        )
        other.script(
            "const input = document.querySelector('dialog input[type=datetime-local]'); "
            "input.value = arguments[0]; input.dispatchEvent(new Event('input', { bubbles: true }));",
            f"{day}T23:50",
        )
        other.press("dialog button[type=submit]")
        wanted = life.iso(morning.replace(hour=23, minute=50))
        world.wait(
            lambda: datetime.datetime.fromisoformat(
                phone.ask("GET", f"/events/{event}")["timestamp"].replace("Z", "+00:00")
            )
            == datetime.datetime.fromisoformat(wanted.replace("Z", "+00:00")),
            "the moment that was meant",
        )
        browser.go(f"/timeline/{day}")
        browser.shows("23:50", "main .row .time")
        other.go("/")
        other.press(".tile .press", "Coffee")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 2, "logged")
        same({each["time_zone"] for each in phone.ask("GET", "/events")}, {HOME}, "where it was recorded")
        quiet(browser, "a chosen zone")
        quiet(other, "a chosen zone, elsewhere")


@test
def an_all_day_entry_keeps_its_date_in_every_zone(world):
    with world.hub() as hub, Browser(world.driver, hub.address, zone=AWAY) as browser:
        phone = Device(hub)
        holiday = phone.type("Holiday")
        midnight = at_home(5, 0)
        event = phone.event(holiday, life.iso(midnight), time_zone=HOME, is_all_day=True)
        day, moved = midnight.date().isoformat(), (midnight + datetime.timedelta(days=2)).date().isoformat()
        pair(browser, hub)
        browser.go(f"/timeline/{day}")
        browser.press("main .row", "Holiday")
        browser.find("dialog input[type=date]")
        same(
            browser.script("return document.querySelector('dialog input[type=date]').value"),
            day,
            "the date in the form",
        )
        browser.script(
            "const input = document.querySelector('dialog input[type=date]'); input.value = arguments[0]; "
            "input.dispatchEvent(new Event('input', { bubbles: true }));",
            moved,
        )
        browser.press("dialog button[type=submit]")
        browser.shows("Saved", ".toast")
        browser.go(f"/timeline/{moved}")
        browser.find("main .row", "Holiday")
        world.wait(
            lambda: phone.ask("GET", f"/events/{event}")["timestamp"][:10]
            == (midnight + datetime.timedelta(days=2)).astimezone(life.UTC).date().isoformat(),
            "midnight there",
        )
        quiet(browser, "an all-day entry of elsewhere")


@test
def clocks_that_change_are_followed_in_a_zone_that_the_browser_is_not_in(world):
    with world.hub() as hub, Browser(world.driver, hub.address, zone=AWAY) as browser:
        pair(browser, hub, then="main.framed")
        told = browser.later("""
          const days = await import(new URL('data/days.js', document.querySelector('script[type=module]').src).href);
          days.useSettings({ time_zone: 'Europe/Amsterdam', day_starts_at: '00:00' });
          const iso = (text) => days.momentOf(text).toISOString();
          return {
            moments: ['2026-03-29T01:59', '2026-03-29T02:30', '2026-03-29T03:00', '2026-10-25T01:59',
              '2026-10-25T02:30', '2026-10-25T03:00'].map(iso),
            starts: ['2026-03-29', '2026-03-30', '2026-10-25',
              '2026-10-26'].map((date) => days.startOf(date).toISOString()),
            days: ['2026-03-28T22:59:59Z', '2026-03-28T23:00:00Z', '2026-10-25T22:59:59Z',
              '2026-10-25T23:00:00Z'].map((text) => days.dayOf(new Date(text))),
            midnights: ['2026-03-29', '2026-03-30'].map(days.midnightText),
            unknown: (days.useSettings({ time_zone: 'Mars/Olympus' }), days.zone()),
          };""")
        # A skipped hour moves forward; a repeated hour means its first occurrence.
        same(
            told["moments"],
            [
                "2026-03-29T00:59:00.000Z",
                "2026-03-29T01:30:00.000Z",
                "2026-03-29T01:00:00.000Z",
                "2026-10-24T23:59:00.000Z",
                "2026-10-25T00:30:00.000Z",
                "2026-10-25T02:00:00.000Z",
            ],
            "moments",
        )
        same(
            told["starts"],
            [
                "2026-03-28T23:00:00.000Z",
                "2026-03-29T22:00:00.000Z",
                "2026-10-24T22:00:00.000Z",
                "2026-10-25T23:00:00.000Z",
            ],
            "beginnings of days",
        )
        same(told["days"], ["2026-03-28", "2026-03-29", "2026-10-25", "2026-10-26"], "days of moments")
        same(told["midnights"], ["2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"], "dates with their offset")
        same(told["unknown"], AWAY, "a zone that is none")
