"""Storage of the browser: several users, refused storage, and edits that meet other edits."""

import contextlib

from browser import Browser
from harness import check, pair, quiet, same, test
from hub import Device, Hub
import life

QUEUE = """
  const names = (await indexedDB.databases()).map((one) => one.name).filter((name) => name.startsWith('trendy-'));
  const found = [];
  for (const name of names) {
    const open = indexedDB.open(name);
    // Do not recreate a database that was deleted after it was listed.
    open.onupgradeneeded = () => open.transaction.abort();
    if (!await new Promise((done) => { open.onsuccess = () => done(true); open.onerror = () => done(false);
      })) continue;
    const all = open.result.transaction('queue').objectStore('queue').getAll();
    await new Promise((done) => { all.onsuccess = done; });
    found.push(...all.result);
    open.result.close();
  }
  return found;"""

# Deletes the stored data, as the user or the browser may do.
EVICT = """
  for (const { name } of await indexedDB.databases()) {
    const deletion = indexedDB.deleteDatabase(name);
    await new Promise((done, fail) => { deletion.onsuccess = done; deletion.onerror = fail; });
  }"""

REFUSE_WRITES = """
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (...args) {
    if (this.name === 'queue') throw new DOMException('no room', 'QuotaExceededError');
    return put.apply(this, args);
  };"""


def two_people(world):
    return Hub(world.program, people=("Ada", "Bea"))


def notes(device):
    return sorted(event.get("notes") or "" for event in device.ask("GET", "/events?limit=1000"))


def remove_browser(device):
    mine = next(one for one in device.ask("GET", "/me/devices") if one["name"].startswith("Chrome"))
    device.ask("DELETE", f"/me/devices/{mine['id']}")


def log(browser, type, note):
    """Logs an entry with the form."""
    browser.press("main .log")
    browser.press("dialog .pick button", type)
    browser.type("dialog textarea", note)
    browser.press("dialog button[type=submit]")
    browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")


@contextlib.contextmanager
def cut_off(browser):
    """Cuts this browser off from the hub."""
    browser.devtools("Network.enable")
    browser.devtools("Network.setBlockedURLs", urls=["*/api/v1/*"])
    # Closes the open stream.
    browser.script("window.dispatchEvent(new Event('pagehide'))")
    yield
    browser.devtools("Network.setBlockedURLs", urls=[])
    browser.go("/")


@test
def entries_of_one_user_never_go_to_another_who_pairs_the_browser(world):
    with two_people(world) as hub, Browser(world.driver, hub.address) as browser:
        ada, bea = (Device(hub, "phone", hub.run("pair", "--name", name)["code"]) for name in ("Ada", "Bea"))
        ada.type("Secret")
        bea.type("Coffee")
        browser.go("/")
        browser.type(".code", hub.run("pair", "--name", "Ada")["code"])
        browser.press("button[type=submit]")
        browser.find(".tile", "Secret")
        remove_browser(ada)
        browser.press(".tile .press")
        browser.shows("This browser was removed from the hub.", "#sync")
        browser.press("#sync button", "Pair again")
        browser.shows("1 entry is still stored here.", "main")
        # Collects all text drawn from now on, which must not contain Ada's text.
        browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            source="""
          new MutationObserver(() => { window.drawn = (window.drawn ?? '') + (document.body?.innerText ?? ''); })
            .observe(document, { childList: true, subtree: true, characterData: true });""",
        )
        browser.type(".code", hub.run("pair", "--name", "Bea")["code"])
        browser.press("button[type=submit]")
        browser.shows("1 change by Ada was never sent", "dialog")
        browser.find(".tile", "Coffee")
        check("Secret" not in browser.script("return window.drawn"), "a name of the other user's record was shown")
        browser.press("dialog .button", "Save to file")
        browser.press("dialog .button", "Keep")
        browser.press(".tile .press")
        world.wait(lambda: len(bea.ask("GET", "/events")) == 1, "Bea's own entry is on the hub")
        same(bea.ask("GET", "/event-types")[0]["name"], "Coffee", "Bea's types")
        same([write["path"] for write in browser.later(QUEUE)], ["/events"], "Ada's entry is still stored")
        # Ada pairs the browser again and gets her entries.
        remove_browser(bea)
        browser.go("/")
        browser.type(".code", hub.run("pair", "--name", "Ada")["code"])
        browser.press("button[type=submit]")
        world.wait(lambda: len(ada.ask("GET", "/events")) == 1, "Ada's entry is on the hub", seconds=40)
        same(len(bea.ask("GET", "/events")), 1, "Bea's entries")


@test
def pending_entries_of_another_user_are_discarded_when_that_is_chosen(world):
    with two_people(world) as hub, Browser(world.driver, hub.address) as browser:
        ada = Device(hub, "phone", hub.run("pair", "--name", "Ada")["code"])
        ada.type("Coffee")
        browser.go("/")
        browser.type(".code", hub.run("pair", "--name", "Ada")["code"])
        browser.press("button[type=submit]")
        browser.find(".tile", "Coffee")
        browser.script("localStorage.setItem(JSON.parse(localStorage.session).person.id + '/theme', 'dark')")
        remove_browser(ada)
        browser.press(".tile .press")
        browser.press("#sync button", "Pair again")
        browser.type(".code", hub.run("pair", "--name", "Bea")["code"])
        browser.press("button[type=submit]")
        browser.press("dialog .button", "Discard")
        browser.wait(lambda: browser.count("dialog") == 0, "the offer is closed")
        same(browser.later(QUEUE), [], "what is stored")
        same(browser.script("return document.documentElement.dataset.theme ?? ''"), "", "the theme of another user")
        same(
            browser.script("return Object.keys(localStorage).filter((key) => key.endsWith('/theme'))"),
            [],
            "their settings",
        )
        browser.go("/")
        browser.find("main")
        browser.settle()
        same(browser.count("dialog"), 0, "offers")


@test
def a_tab_of_one_user_writes_nothing_to_another_who_pairs_in_a_second_tab(world):
    with two_people(world) as hub, Browser(world.driver, hub.address) as browser:
        ada, bea = (Device(hub, "phone", hub.run("pair", "--name", name)["code"]) for name in ("Ada", "Bea"))
        ada.type("Secret")
        bea.type("Coffee")
        # The first tab does not notice the second, so the hub must reject its write.
        browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            source="addEventListener('storage', (event) => event.stopImmediatePropagation(), true)",
        )
        browser.go("/")
        browser.type(".code", hub.run("pair", "--name", "Ada")["code"])
        browser.press("button[type=submit]")
        browser.find(".tile", "Secret")
        remove_browser(ada)
        two, one = browser.tab()
        browser.go("/")
        browser.type(".code", hub.run("pair", "--name", "Bea")["code"])
        browser.press("button[type=submit]")
        browser.find(".tile", "Coffee")
        browser.turn_to(one)
        # The hub may already have closed the first tab's stream.
        browser.script(
            "const tile = document.querySelector('.tile .press'); "
            "if (document.body.innerText.includes('Secret')) tile?.click()"
        )
        browser.wait(lambda: "Coffee" in browser.text("main"), "the first tab shows Bea's record")
        same(bea.ask("GET", "/events"), [], "events of Bea")


@test
def an_entry_is_sent_at_once_where_the_browser_refuses_to_store_it(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        browser.devtools("Page.addScriptToEvaluateOnNewDocument", source=REFUSE_WRITES)
        pair(browser, hub)
        browser.press(".tile .press")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "it is on the hub")
        browser.shows("This browser cannot store entries.", "#sync")
        # If the hub is down as well, the entry cannot be recorded. The form shows the error and keeps its values.
        hub.stop()
        browser.press("main .log")
        browser.press("dialog .pick button", "Coffee")
        browser.type("dialog textarea", "kept in the form")
        browser.press("dialog button[type=submit]")
        browser.shows("Nothing was recorded", "dialog")
        same(browser.script("return document.querySelector('dialog textarea').value"), "kept in the form", "the form")
        check("Synced with hub" not in browser.text("#sync"), browser.text("#sync"))
        hub.start()
        browser.press("dialog button[type=submit]")
        world.wait(lambda: notes(phone) == ["", "kept in the form"], "it is saved by a second press")
        browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")
        # A press on a tile shows the error as well.
        hub.stop()
        browser.press(".tile .press")
        browser.shows("Nothing was recorded", ".toast")


@test
def entries_that_wait_survive_a_browser_that_deletes_its_storage_in_between(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        hub.stop()
        for _ in range(2):
            browser.press(".tile .press")
        browser.shows("2 entries pending.", ".sync")
        browser.later(EVICT)
        browser.wait(lambda: len(browser.later(QUEUE)) == 2, "they are stored again")
        browser.press(".tile .press")
        browser.shows("3 entries pending.", ".sync")
        hub.start()
        world.wait(lambda: len(phone.ask("GET", "/events")) == 3, "all three are on the hub", seconds=40)
        browser.shows("Synced with hub", ".sync")


@test
def an_edit_without_the_hub_meets_one_of_another_device_as_a_devices_would(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        first, second = (phone.event(coffee, life.iso(life.now()), notes=f"{name}") for name in ("first", "second"))
        pair(browser, hub)
        browser.go("/")
        browser.find("main .row", "first")
        hub.stop()

        def edit(old, new):
            browser.press("main .row", old)
            browser.type("dialog textarea", new)
            browser.press("dialog button[type=submit]")
            browser.wait(lambda: browser.count("dialog") == 0, "the form is closed")

        # The browser's edit is earlier although it arrives later.
        edit("first", "browser, earlier")
        with cut_off(browser):
            hub.start()
            phone.ask("PATCH", f"/events/{first}", {"notes": "phone, later"})
        browser.shows("Synced with hub", ".sync")
        same(phone.ask("GET", f"/events/{first}")["notes"], "phone, later", "the later value")
        same(
            [conflict["value"] for conflict in phone.ask("GET", "/conflicts")],
            ["browser, earlier"],
            "the value that lost",
        )
        # The reverse: the browser's edit is the later one.
        with cut_off(browser):
            phone.ask("PATCH", f"/events/{second}", {"notes": "phone, earlier"})
            edit("second", "browser, later")
        browser.shows("Synced with hub", ".sync")
        same(phone.ask("GET", f"/events/{second}")["notes"], "browser, later", "the later value")
        same(
            sorted(conflict["value"] for conflict in phone.ask("GET", "/conflicts")),
            ["browser, earlier", "phone, earlier"],
            "the values that lost",
        )


@test
def an_edit_of_an_entry_that_was_deleted_keeps_its_text_and_offers_a_way(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        ids = [phone.event(coffee, life.iso(life.now()), notes=name) for name in ("one", "two")]
        pair(browser, hub)
        ways = [("one", "Restore it and apply this change"), ("two", "Log as a new entry")]
        for index, (old, act) in enumerate(ways):
            browser.go("/")
            browser.find("main .row", old)
            # Without the stream, the page has not seen the deletion before the edit.
            browser.script("window.EventSource = class { addEventListener() {} close() {} }")
            browser.press("main .row", old)
            browser.type("dialog textarea", f"typed {old}")
            phone.ask("DELETE", f"/events/{ids[index]}")
            browser.press("dialog button[type=submit]")
            browser.shows("It was deleted on another device.", "#sync")
            browser.press("#sync a", "Review")
            browser.find("main h2", "Rejected by the hub")
            browser.shows(f"typed {old}", "main")
            check(ids[index] not in browser.text("body"), "an id is shown")
            browser.press("main .button", act)
            world.wait(lambda: f"typed {old}" in notes(phone), "the text is on the hub")
            browser.hides("Rejected by the hub", "main")
        events = {event["notes"]: event["id"] for event in phone.ask("GET", "/events")}
        same(sorted(events), ["typed one", "typed two"], "the entries")
        same(events["typed one"], ids[0], "the first was restored")
        check(events["typed two"] != ids[1], "the second is a new one")


@test
def a_second_stop_does_not_move_an_end(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        event = phone.event(coffee, life.iso(life.now()))
        phone.ask("POST", "/settings", {"id": "mark", "key": "running", "value": event})
        pair(browser, hub)
        browser.find(".live .button", "Stop")
        hub.stop()
        browser.press(".live .button", "Stop")
        browser.shows("2 entries pending.", ".sync")
        with cut_off(browser):
            hub.start()
            phone.ask("POST", f"/events/{event}/stop", {"end_date": life.iso(life.now())})
            before = phone.ask("GET", f"/events/{event}")["end_date"]
        browser.shows("Synced with hub", ".sync")
        same(phone.ask("GET", f"/events/{event}")["end_date"], before, "the end")


@test
def both_times_of_a_repeated_hour_can_be_entered_edited_and_told_apart(world):
    with world.hub() as hub, Browser(world.driver, hub.address, zone="Europe/Berlin") as browser:
        phone = Device(hub)
        coffee = phone.type("Coffee")
        # 25 October 2026, 3:00 summer time: clocks go back to 2:00.
        summer = phone.event(coffee, "2026-10-25T00:30:00Z", notes="summer", time_zone="Europe/Berlin")
        winter = phone.event(coffee, "2026-10-25T01:30:00Z", notes="winter", time_zone="Europe/Berlin")
        pair(browser, hub)
        browser.go("/timeline/2026-10-25")
        browser.find("main .row", "summer")
        same(
            [
                row.split()[0:2]
                for row in browser.script(
                    "return [...document.querySelectorAll('main .row .time')].map((e) => e.textContent)"
                )
            ],
            [["02:30", "+02:00"], ["02:30", "+01:00"]],
            "the rows",
        )
        for name, id, offset in (("summer", summer, "+02:00"), ("winter", winter, "+01:00")):
            browser.press("main .row", name)
            same(
                browser.script("return document.querySelector('dialog .offset select').value"),
                offset,
                f"{name}: the offset",
            )
            browser.type("dialog textarea", f"{name} edited")
            browser.press("dialog button[type=submit]")
            world.wait(lambda: phone.ask("GET", f"/events/{id}")["notes"] == f"{name} edited", "it is saved")
        same(
            [phone.ask("GET", f"/events/{id}")["timestamp"] for id in (summer, winter)],
            ["2026-10-25T00:30:00.000Z", "2026-10-25T01:30:00.000Z"],
            "the moments after an edit of the text",
        )
        # Chooses the other occurrence.
        browser.find("main .row", "winter edited")
        browser.press("main .row", "winter edited")
        browser.script(
            "const s = document.querySelector('dialog .offset select'); s.value = '+02:00'; "
            "s.dispatchEvent(new Event('change', { bubbles: true }))"
        )
        browser.press("dialog button[type=submit]")
        world.wait(
            lambda: phone.ask("GET", f"/events/{winter}")["timestamp"] == "2026-10-25T00:30:00.000Z",
            "the first occurrence",
        )
        for offset, moment in (("+02:00", "2026-10-25T00:45:00.000Z"), ("+01:00", "2026-10-25T01:45:00.000Z")):
            browser.press("main .log")
            browser.press("dialog .pick button", "Coffee")
            browser.find("dialog textarea")
            browser.script(
                "const i = document.querySelector('dialog input[type=datetime-local]'); "
                "i.value = '2026-10-25T02:45'; i.dispatchEvent(new Event('input', { bubbles: true }))"
            )
            browser.find("dialog .offset select")
            browser.script(
                "const s = document.querySelector('dialog .offset select'); s.value = arguments[0]; "
                "s.dispatchEvent(new Event('change', { bubbles: true }))",
                offset,
            )
            browser.press("dialog button[type=submit]")
            world.wait(
                lambda: any(event["timestamp"] == moment for event in phone.ask("GET", "/events?limit=100")),
                f"an entry at {moment}",
            )
        quiet(browser, "a repeated hour")
