"""Several browsers and devices, and an unreachable hub."""

import signal
import socket
import threading
import time

from browser import ESCAPE, Browser
from harness import check, pair, quiet, same, test
from hub import Device, Hub
import life


@test
def what_one_browser_logs_another_shows_without_being_asked(world):
    with world.hub() as hub, world.browser(hub) as one, world.browser(hub) as other:
        phone = Device(hub)
        coffee = phone.type("Coffee")
        pair(one, hub)
        pair(other, hub)
        other.shows("Live updates on", "#sync")
        one.press(".tile .press")
        other.wait(lambda: other.text(".tile .count") == "1", "it is there")
        # Measure the time from the device's write to its display.
        other.script(
            "window.seen = 0; new MutationObserver(() => { if (document.querySelector('.tile .count')."
            "textContent === '2') window.seen ||= Date.now(); })"
            ".observe(document.getElementById('main'), { childList: true, subtree: true });"
        )
        sent = time.time() * 1000
        phone.event(coffee, life.iso(life.now()))
        seen = other.wait(lambda: other.script("return window.seen"), "the phone's entry is there")
        world.notes.append(f"from a device's request to another browser's screen: {seen - sent:.0f} ms")
        check(seen - sent < 1000, f"it took {seen - sent:.0f} ms")
        one.wait(lambda: one.text(".tile .count") == "2", "and in the first browser")
        quiet(one, "one")
        quiet(other, "other")


@test
def a_removed_browser_is_told_and_keeps_what_waits(world):
    with world.hub() as hub, world.browser(hub) as one, world.browser(hub) as other:
        phone = Device(hub)
        phone.type("Coffee")
        pair(one, hub)
        pair(other, hub)
        one.go("/devices")
        one.press("main .button", "Remove")
        one.press("dialog .button", "Remove")
        one.shows("removed", ".toast")
        names = [device["name"] for device in Device(hub, "second").ask("GET", "/me/devices")]
        check(len(names) < 4, f"one of {names} is gone")
        quiet(one, "removing", allowed=["401"])


@test
def a_device_is_paired_from_the_page(world):
    with world.hub() as hub, world.browser(hub) as browser:
        Device(hub).type("Coffee")
        pair(browser, hub)
        browser.go("/devices")
        browser.press("main .button", "Pair a device")
        code = browser.find(".big-code") and browser.text(".big-code")
        # Without a public address there is no QR code.
        browser.shows("set the hub’s address", "dialog")
        same(browser.count("dialog .qr"), 0, "a picture")
        Device(hub, "Watch", code=code)
        browser.shows("Watch is paired.", "dialog")
        browser.keys(ESCAPE)
        browser.find("main li", "Watch")
        quiet(browser, "pairing another")


@test
def a_hub_that_knows_its_address_shows_the_code_to_a_camera(world):
    with Hub(world.program, told=("--host", "hub.example")) as hub, world.browser(hub) as browser:
        pair(browser, hub, then="main.framed")
        browser.go("/devices")
        browser.press("main .button", "Pair a device")
        code = browser.find(".big-code") and browser.text(".big-code")
        same(
            browser.text(".qr figcaption"),
            f"trendy://connect?hub=http://hub.example:{hub.port}&code={code}",
            "what is in the picture",
        )
        box = browser.script(
            "const b = document.querySelector('.qr path').getBBox(); "
            "return [b.x, b.y, b.width, b.height, ...document.querySelector('.qr svg').getAttribute('viewBox')."
            "split(' ').map(Number)]"
        )
        side = box[2]
        # Finder patterns in three corners and a quiet zone of four modules.
        same(box, [0, 0, side, side, -4, -4, side + 8, side + 8], "the picture and its quiet zone")
        check(side in range(21, 58, 4), f"a side of {side} modules")
        for dark in (False, True):
            browser.theme(dark, still=True)
            same(
                browser.script(
                    "return [getComputedStyle(document.querySelector('.qr svg')).backgroundColor, "
                    "getComputedStyle(document.querySelector('.qr path')).fill]"
                ),
                ["rgb(255, 255, 255)", "rgb(0, 0, 0)"],
                "dark on light in both themes",
            )
            if world.axe.source:
                same(world.axe.run(browser), [], "pairing by a picture")
        quiet(browser, "pairing by a picture")


@test
def without_the_hub_the_page_stays_and_what_is_logged_goes_out_once(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.press(".tile .press")
        world.wait(lambda: len(phone.ask("GET", "/events")) == 1, "the first is on the hub")
        browser.wait(
            lambda: browser.later("""
          const open = indexedDB.open('trendy-' + JSON.parse(localStorage.session).person.id);
            await new Promise((done) => { open.onsuccess = done; });
          const keys = open.result.transaction('answers').objectStore('answers').getAllKeys();
            await new Promise((done) => { keys.onsuccess = done; });
          return keys.result.filter((key) => key.startsWith('/events/days')).length >= 3;"""),
            "the main pages are kept",
        )
        browser.wait(
            lambda: browser.later(
                "return Boolean((await navigator.serviceWorker.ready).active && (await caches.keys()).length)"
            ),
            "the page is kept",
        )
        hub.kill()
        browser.press(".tile .press")
        browser.shows("Offline since", ".sync")
        browser.wait(lambda: browser.text(".tile .count") == "2", "it counts although it waits")
        browser.press(".tile .press")
        browser.shows("2 entries pending.", ".sync")
        browser.go("/")
        browser.wait(lambda: browser.text(".tile .count") == "3", "all three are shown")
        browser.shows("2 entries pending.", ".sync")
        browser.go("/timeline")
        browser.wait(lambda: browser.count("main .row") == 3, "on another page too")
        browser.go("/")
        browser.find(".tile")
        # The strip shows its message for four seconds only, so an observer collects the text.
        browser.script(
            "new MutationObserver(() => { window.said = (window.said ?? '') + document.querySelector('.strip')."
            "innerText; }).observe(document.querySelector('.strip'), { childList: true, attributes: true })"
        )
        hub.start()
        world.wait(lambda: len(phone.ask("GET", "/events")) == 3, "they went out", seconds=40)
        browser.shows("Synced with hub", ".sync")
        browser.wait(lambda: "All synced" in browser.script("return window.said"), "that all of them are sent")
        browser.wait(lambda: browser.script("return document.querySelector('.strip').hidden"), "the strip goes")
        same(len({event["id"] for event in phone.ask("GET", "/events")}), 3, "events")
        browser.go("/")
        browser.wait(lambda: browser.text(".tile .count") == "3", "the same three")


@test
def an_entry_is_said_to_be_on_the_hub_when_it_is_there_and_not_before(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.shows("Synced with hub", "#sync")
        hub.process.send_signal(signal.SIGSTOP)
        try:
            browser.press(".tile .press")
            browser.wait(lambda: browser.text(".tile .count") == "1", "it is shown")
            browser.wait(
                lambda: browser.text("#sync").startswith(("Syncing 1 of 1", "1 pending")),
                "that it is on its way",
                seconds=10,
            )
        finally:
            hub.process.send_signal(signal.SIGCONT)
        browser.shows("Synced with hub", "#sync")
        same(len(phone.ask("GET", "/events")), 1, "events")


@test
def a_suspended_hub_counts_as_away_and_its_last_responses_are_shown(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        phone.event(coffee, life.iso(life.now()))
        pair(browser, hub)
        browser.later("return Boolean((await navigator.serviceWorker.ready).active)")
        for path, content in (("/calendar", "main .heat svg"), ("/", ".tile")):
            browser.go(path)
            browser.find(content)
            browser.settle()
        hub.process.send_signal(signal.SIGSTOP)
        try:
            # Within the page each request times out after 5 seconds.
            browser.press(".rail a[href='/calendar']")
            browser.find("main .heat svg")
            browser.shows("Offline since", ".sync")
            # After a reload the worker falls back to the cache after 3 seconds.
            browser.go("/")
            browser.find(".tile")
            browser.shows("Offline since", ".sync")
            browser.press(".tile .press")
            browser.wait(lambda: browser.text(".tile .count") == "2", "the entry is shown")
        finally:
            hub.process.send_signal(signal.SIGCONT)
        browser.shows("Synced with hub", "#sync")
        same(len(phone.ask("GET", "/events")), 2, "events")


class Eater(threading.Thread):
    """A proxy that drops the response to the first created event."""

    def __init__(self, hub):
        super().__init__(daemon=True)
        self.hub, self.eaten = hub, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.hub.port))
            threading.Thread(target=self.upwards, args=(client, server), daemon=True).start()

    def upwards(self, client, server):
        state = {"eat": False}
        threading.Thread(target=self.downwards, args=(server, client, state), daemon=True).start()
        try:
            while data := client.recv(65536):
                if data.startswith(b"POST /api/v1/events ") and not self.eaten:
                    self.eaten, state["eat"] = 1, True
                server.sendall(data)
        except OSError:
            pass
        for one in (client, server):
            one.close()

    def downwards(self, server, client, state):
        try:
            while data := server.recv(65536):
                if state["eat"]:
                    # The hub has created the event, but its response is lost.
                    break
                client.sendall(data)
        except OSError:
            pass
        for one in (client, server):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


@test
def a_hub_that_is_back_is_told_of_in_every_tab_also_where_nothing_waits(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        two, one = browser.tab()
        browser.go("/")
        browser.find(".tile")
        strip = lambda: browser.script(
            "const strip = document.querySelector('.strip'); return !strip || strip.hidden ? '' : strip.innerText"
        )
        for writes in (0, 3):
            hub.kill()
            for tab in (one, two):
                browser.turn_to(tab)
                browser.go("/timeline")
                browser.wait(lambda: "Offline" in strip(), "the hub is away")
                browser.go("/")
                browser.find(".tile")
            for _ in range(writes):
                browser.press(".tile .press")
            hub.start()
            for tab in (two, one):
                browser.turn_to(tab)
                browser.wait(
                    lambda: strip() == "" and browser.text("#sync").startswith("Synced with hub"),
                    f"the hub is back, with {writes} that waited",
                    seconds=12,
                )
            same(len(phone.ask("GET", "/events")), writes, "entries on the hub")


@test
def an_answer_that_is_lost_on_its_way_doubles_nothing(world):
    with world.hub() as hub:
        eater = Eater(hub)
        phone = Device(hub)
        phone.type("Coffee")
        with Browser(world.driver, eater.address) as browser:
            pair(browser, hub)
            browser.press(".tile .press")
            world.wait(lambda: eater.eaten and len(phone.ask("GET", "/events")) == 1, "the hub has it")
            browser.wait(
                lambda: browser.later("""
              const open = indexedDB.open('trendy-' + JSON.parse(localStorage.session).person.id);
                await new Promise((done) => { open.onsuccess = done; });
              const all = open.result.transaction('queue').objectStore('queue').getAll();
                await new Promise((done) => { all.onsuccess = done; });
              return all.result.length === 0;"""),
                "the queue is empty",
                seconds=40,
            )
            same(len(phone.ask("GET", "/events")), 1, "events")
            browser.wait(lambda: browser.text(".tile .count") == "1", "the tile counts one")
        eater.listener.close()


@test
def an_entry_that_the_hub_refuses_is_shown_with_the_reason(world):
    with world.person() as (hub, phone, browser):
        coffee = phone.type("Coffee")
        pair(browser, hub)
        hub.stop()
        browser.press(".tile .press")
        browser.shows("Offline since", ".sync")
        hub.start()
        # The entry's type is deleted in the meantime, so the hub rejects the entry. An entry that has already arrived
        # is deleted with its type.
        phone.ask("DELETE", f"/event-types/{coffee}")
        is_rejected = lambda: "rejected" in browser.text(".sync")
        is_sent = lambda: "Synced with hub" in browser.text(".sync") and not browser.script(
            "return document.querySelector('.tile .press')"
        )
        browser.wait(lambda: is_rejected() or is_sent(), "an end", seconds=40)
        if is_rejected():
            browser.go("/devices")
            browser.find("main h2", "Rejected by the hub")
            browser.press("main .button", "Discard")
            browser.hides("Rejected by the hub", "main")
            browser.shows("Synced with hub", ".sync")


@test
def a_browser_that_is_paired_again_replaces_its_row(world):
    with world.person("Pixel") as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        names = lambda: sorted(device["name"] for device in phone.ask("GET", "/me/devices"))
        before = names()
        same(len(before), 2, "devices")
        browser.devtools("Network.clearBrowserCookies")
        pair(browser, hub)
        same(names(), before, "devices after another pairing")
        browser.go("/devices")
        browser.find("main .rows li")
        rows = browser.script("return [...document.querySelectorAll('main .rows li')].map((row) => row.innerText)")
        check(len(rows) == 2 and "this browser" in rows[0], f"this browser is first: {rows}")
        quiet(browser, "paired again", allowed=("401",))
