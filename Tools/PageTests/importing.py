"""Importing files: preview, import, undo."""

import datetime

from harness import CSV, check, choose, pair, quiet, same, test
import life


@test
def a_file_is_shown_before_it_is_brought_in_and_taken_back(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee", id="coffee")
        pair(browser, hub)
        browser.go("/data")
        choose(browser, "<i>cups.csv", CSV)
        browser.shows("4 new, 0 duplicates, 1 unrecognised.", ".bring-in")
        browser.shows("Nothing imported yet.", ".bring-in")
        same(phone.ask("GET", "/events"), [], "nothing is written")
        same(len(phone.ask("GET", "/event-types")), 1, "no type is made")
        browser.shows("<b>Tea</b>", ".type-list")
        browser.shows('<img src=x onerror="window.stung=1">', ".bring-in")
        browser.shows("<i>cups.csv", ".bring-in")
        same(browser.count("main img, main i, .bring-in .type-list b b"), 0, "text is text")
        check(browser.script("return window.stung") is None, "a script ran")
        browser.press(".bring-in summary")
        browser.find(".bring-in details .plain-row")
        # Exclude one type from the import.
        browser.press(".type-list label", "Run")
        browser.press(".bring-in .button", "Import 3")
        browser.shows("3 entries imported.", ".bring-in")
        events = phone.ask("GET", "/events")
        same(len(events), 3, "they are on the hub")
        check({event["event_type_id"] for event in events} > {"coffee"}, "the type that was there is theirs")
        same(
            sorted(event["timestamp"] for event in events)[0],
            life.iso(datetime.datetime(2026, 3, 1, 8, tzinfo=life.ZONE)),
            "in the zone of the browser",
        )
        browser.shows("today, 3 entries", "main")
        # Import the file again with one new entry.
        browser.press(".bring-in .button", "Another file")
        choose(browser, "again.csv", CSV)
        browser.shows("1 new, 3 duplicates, 1 unrecognised.", ".bring-in")
        browser.press(".bring-in .button", "Import 1")
        browser.shows("1 entry imported, 3 duplicates skipped.", ".bring-in")
        # Undoing the first import keeps the edited entry.
        edited = next(event for event in events if event.get("notes") == "oat")
        phone.ask("PATCH", f"/events/{edited['id']}", {"notes": "mine"})
        browser.press("main .plain-row .button", "Undo: <i>cups.csv")
        browser.shows("1 was kept: edited since, or in use.", ".bring-in")
        world.wait(
            lambda: sorted((event.get("notes") or "") for event in phone.ask("GET", "/events")) == ["", "mine"],
            "the rest is gone",
        )
        browser.shows("3 entries, undone", "main")
        quiet(browser, "bringing in")


@test
def types_of_a_file_are_brought_in_as_types_that_are_there(world):
    with world.person() as (hub, phone, browser):
        phone.type("Infusion", id="infusion")
        pair(browser, hub)
        browser.go("/data")
        choose(browser, "cups.csv", CSV)
        browser.shows("Nothing imported yet.", ".bring-in")
        # While the preview is being redrawn, the menu may be missing for a moment.
        script = """const select = [...document.querySelectorAll('.type-list select')].find((each) =>
            each.getAttribute('aria-label').includes('Tea'));
          if (!select) return false;
          select.value = arguments[0];
          select.dispatchEvent(new Event('change'));
          return true"""
        pick = lambda value: browser.wait(lambda: browser.script(script, value), f"a choice for '{value}'")
        pick("Infusion")
        browser.shows("as Infusion", ".type-list")
        browser.wait(
            lambda: browser.count(".bring-in .example")
            and "Infusion" in browser.text(".bring-in ul.rows:not(.type-list)"),
            "the examples are shown as they would be",
        )
        same(phone.ask("GET", "/events"), [], "nothing is written")
        # Reset the choice before anything is imported, then choose again.
        pick("")
        browser.wait(
            lambda: browser.count(".bring-in .example")
            and "Infusion" not in browser.text(".bring-in ul.rows:not(.type-list)"),
            "under this name",
        )
        pick("Infusion")
        browser.wait(
            lambda: browser.count(".bring-in .example")
            and "Infusion" in browser.text(".bring-in ul.rows:not(.type-list)"),
            "as the other once more",
        )
        for dark in (False, True):
            browser.theme(dark, still=True)
            if world.axe.source:
                same(world.axe.run(browser), [], "a file with types")
        browser.press(".bring-in .button.primary")
        browser.shows("entries imported", ".bring-in")
        check(
            "infusion" in {event["event_type_id"] for event in phone.ask("GET", "/events")},
            "it is of the type that was chosen",
        )
        check(not [type for type in phone.ask("GET", "/event-types") if "Tea" in type["name"]], "and no other was made")
        quiet(browser, "types of a file")


@test
def a_file_that_was_imported_with_another_zone_is_asked_for(world):
    with world.person() as (hub, phone, browser):
        content = CSV.encode()
        phone.ask("POST", "/imports", {"id": "tokyo", "name": "cups.csv", "size": len(content)})
        phone.ask("PUT", "/imports/tokyo/content?offset=0", content)
        phone.ask("POST", "/imports/tokyo/commit", {"zone": "Asia/Tokyo"})
        world.wait(lambda: phone.ask("GET", "/imports/tokyo")["state"] == "done", "the first import")
        pair(browser, hub)
        browser.go("/data")
        choose(browser, "cups.csv", CSV)
        browser.shows("This file was imported before with the time zone Asia/Tokyo.", ".bring-in")
        check(
            browser.script("return document.querySelector('.bring-in .button.primary').disabled"),
            "it is not imported unasked",
        )
        browser.press(".bring-in label", "Import anyway")
        browser.press(".bring-in .button.primary")
        browser.shows("4 entries imported", ".bring-in")
        same(len(phone.ask("GET", "/events")), 8, "with both zones")
        quiet(browser, "another zone")


@test
def a_file_that_cannot_be_read_says_why_and_dates_are_asked_for(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then=".templates")
        browser.go("/data")
        choose(browser, "letter.txt", "Dear reader,")
        browser.find(".bring-in .problem")
        browser.press(".bring-in .button", "Another file")
        choose(browser, "days.csv", "date,type\n3/4/2026 08:00,Coffee\n3/5/2026 08:00,Coffee\n")
        browser.shows("may be 2026-04-03 or 2026-03-04", ".bring-in")
        browser.press(".bring-in .button", "Day first")
        browser.shows("2 new, 0 duplicates.", ".bring-in")
        # Choosing another time zone shifts the times that specify none.
        browser.script(
            "const s = document.querySelector('.zone select'); s.value = 'Asia/Tokyo'; "
            "s.dispatchEvent(new Event('change', { bubbles: true }))"
        )
        browser.wait(
            lambda: browser.script("return document.querySelector('.zone select')?.value") == "Asia/Tokyo", "the zone"
        )
        browser.press(".bring-in .button", "Import 2")
        browser.shows("2 entries imported.", ".bring-in")
        same(
            sorted(event["timestamp"] for event in phone.ask("GET", "/events")),
            ["2026-04-02T23:00:00.000Z", "2026-05-02T23:00:00.000Z"],
            "the moments",
        )
        quiet(browser, "files that cannot be read")


@test
def a_file_waits_for_a_hub_that_is_away_and_a_preview_outlives_the_page(world):
    with world.person() as (hub, phone, browser):
        pair(browser, hub, then=".templates")
        browser.go("/data")
        rows = "".join(
            f"2026-{1 + n // 28 % 12:02}-{1 + n % 28:02} {n % 24:02}:{n % 60:02},Type {n % 40},{'x' * 400} {n}\n"
            for n in range(3000)
        )
        choose(browser, "many.csv", "date,type,note\n" + rows)
        browser.wait(lambda: phone.ask("GET", "/imports"), "it is on its way")
        browser.shows("new, 0 duplicates.", ".bring-in")
        check(browser.count(".type-list li") == 40, "types of the file")
        browser.go("/")
        browser.go("/data")
        browser.shows("new, 0 duplicates.", ".bring-in")
        hub.stop()
        hub.start()
        browser.press(".bring-in .button", "Import")
        # The restarted hub no longer has the uploaded file.
        browser.shows("send the file again", ".bring-in")
        browser.press(".bring-in .button", "Another file")
        choose(browser, "many.csv", "date,type,note\n" + rows)
        browser.press(".bring-in .button.primary", "Import")
        browser.shows("entries imported.", ".bring-in")
        quiet(browser, "a hub that was away", allowed=["404", "ERR_", "Failed to fetch"])
