#!/usr/bin/env python3
"""Seeded scenarios of a browser as a device: offline, reloaded, killed, in two tabs, with lost responses, deleted
storage and another user. In the end, no entry may be lost, duplicated or restored, and no user's entry may be in the
record of another.
usage: stories.py TRENDYD [FIRST..LAST]"""

import json
import os
import random
import signal
import socket
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid

from browser import Browser, Driver, Failed
from harness import TESTS, check, same
from hub import Device, Hub
from storage import EVICT, QUEUE
import life

ACTIONS = [
    ("log", 8),
    ("edit", 5),
    ("delete", 2),
    ("delete_and_undo", 1),
    ("phone_logs", 2),
    ("phone_edits", 4),
    ("phone_deletes", 2),
    ("network_fails", 4),
    ("network_returns", 4),
    ("responses_are_lost", 3),
    ("reload", 3),
    ("other_tab", 3),
    ("kill", 1),
    ("evict", 2),
    ("other_user", 2),
    ("hub_restarts", 1),
]


class Proxy:
    """A proxy that passes requests on, rejects them, or loses responses of writes that the hub has executed."""

    def __init__(self, hub):
        self.hub, self.is_up, self.losses, self.open = hub, True, 0, set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        self.listener.close()
        self.cut()

    def cut(self):
        for one in list(self.open):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def fail(self):
        self.is_up = False
        self.cut()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        if not self.is_up:
            # The proxy accepts and closes connections while the hub is down, like a gateway; browsers retry a closed
            # connection automatically.
            client.close()
            return
        try:
            server = socket.create_connection(("127.0.0.1", self.hub.port), timeout=60)
        except OSError:
            client.close()
            return
        self.open |= {client, server}
        state = {"lose": False}
        back = threading.Thread(target=self.downwards, args=(server, client, state), daemon=True)
        back.start()
        try:
            while data := client.recv(65536):
                if (
                    self.losses
                    and data.split(b" ", 1)[0] in (b"POST", b"PATCH", b"DELETE")
                    and b" /api/v1/session" not in data[:40]
                ):
                    self.losses -= 1
                    state["lose"] = True
                server.sendall(data)
        except OSError:
            pass
        self.end(client, server)

    def downwards(self, server, client, state):
        try:
            while data := server.recv(65536):
                if state["lose"]:
                    break
                client.sendall(data)
        except OSError:
            pass
        self.end(client, server)

    def end(self, *both):
        for one in both:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            self.open.discard(one)


class Phone(Device):
    """Another device of the user. Its edits name the record version that it has seen."""

    def see(self, path):
        request = self.request("GET", path)
        with request as answer:
            self.version = answer.headers["Trendy-Version"]
            return json.loads(answer.read())

    def request(self, method, path, body=None, headers=None):
        return urllib.request.urlopen(
            urllib.request.Request(
                f"{self.hub.address}/api/v1{path}",
                method=method,
                data=None if body is None else json.dumps(body).encode(),
                headers={
                    "Content-Type": "application/json",
                    "Authorization": f"Bearer {self.token}",
                    **(headers or {}),
                },
            ),
            timeout=30,
        )

    def edit(self, method, path, body=None):
        headers = {
            "Idempotency-Key": str(uuid.uuid4()),
            "Trendy-Version": self.version,
            "Trendy-Time": str(int(time.time() * 1000)),
        }
        try:
            self.request(method, path, body, headers).close()
            return True
        except urllib.error.HTTPError as error:
            check(error.code in (404, 409), f"{method} {path}: {error.code} {error.read()}")
            return False


class User:
    def __init__(self, hub, name):
        hub.run("user", "add", name)
        self.name = name
        self.phone = Phone(hub, "phone", hub.run("pair", "--name", name)["code"])
        self.type = self.phone.type(f"Type of {name}")
        # Acknowledged texts, texts replaced by an edit that had seen them, and deleted entries.
        self.texts, self.replaced, self.deleted = set(), set(), set()
        # Entries that were deleted and restored. If another device deleted them too, either operation may be the last.
        self.restored = set()

    def entry(self, text):
        return text.split(".")[0]


class KillableBrowser(Browser):
    """A browser that can be killed and restarted with its profile."""

    def processes(self):
        found = []
        for name in os.listdir("/proc"):
            try:
                words = open(f"/proc/{name}/cmdline", "rb").read().split(b"\0") if name.isdigit() else []
            except OSError:
                continue
            if f"--user-data-dir={self.profile}".encode() in words and not any(
                word.startswith(b"--type=") for word in words
            ):
                found.append(int(name))
        return found

    def kill(self):
        for process in self.processes():
            os.kill(process, signal.SIGKILL)
        try:
            self.driver.send("DELETE", self.session)
        except (Failed, OSError):
            pass
        end = time.monotonic() + 10
        while self.processes() and time.monotonic() < end:
            time.sleep(0.02)
        for name in ("SingletonLock", "SingletonSocket", "SingletonCookie"):
            path = os.path.join(self.profile, name)
            if os.path.islink(path):
                os.unlink(path)
        self.open(self.profile)


class Story:
    def __init__(self, seed, hub, browser):
        self.random, self.seed, self.hub, self.browser = random.Random(seed), seed, hub, browser
        self.proxy, self.count, self.log_lines = Proxy(hub), 0, []
        browser.address = self.proxy.address
        self.users = [User(hub, f"{name} {seed} {uuid.uuid4().hex[:6]}") for name in ("Ada", "Bea")]
        self.user = self.users[0]
        self.tabs = []

    def note(self, *words):
        self.log_lines.append(" ".join(str(word) for word in words))

    # The screen

    def main_page(self):
        """Opens the page. A killed browser may have lost its session, so the hub must be running."""
        there = lambda: self.browser.count(".tile") or self.browser.count(".code")
        try:
            self.browser.go("/")
            self.browser.wait(there, "the page is there", seconds=6)
        except Failed:
            self.note("the network must return")
            self.proxy.is_up = True
            self.browser.go("/")
            self.browser.wait(there, "a page is there", seconds=60)

    def pair(self, user):
        self.proxy.is_up = True
        if not self.browser.count(".code"):
            self.main_page()
        if self.browser.count(".code"):
            code = self.hub.run("pair", "--name", user.name)["code"]
            self.browser.type(".code", code)
            self.browser.press("button[type=submit]")
        self.user = user
        self.browser.wait(
            lambda: f"Type of {user.name}" in self.browser.text("body"), f"the record of {user.name}", seconds=60
        )
        self.decline_offer()

    def decline_offer(self):
        """Keeps the unsent entries of other users when the sheet appears."""
        if any(other is not self.user and other.texts for other in self.users):
            self.browser.later("await new Promise((done) => setTimeout(done, 600))")
        if self.browser.count("dialog"):
            self.browser.press("dialog .button", "Keep")
            self.browser.wait(lambda: self.browser.count("dialog") == 0, "the offer is closed")

    def ready(self):
        """Waits for the user's record and pairs the browser again if a kill has removed its cookie."""
        if self.browser.count(".code") or not self.browser.count("main.framed"):
            self.note("paired again")
            self.pair(self.user)
        if self.browser.script("return location.pathname") != "/":
            self.main_page()
        self.decline_offer()

    def rows(self):
        """Texts of the visible entries."""
        notes = self.browser.script(
            "return [...document.querySelectorAll('main .row')].map((row) => row.querySelector('.note')?."
            "textContent ?? '')"
        )
        return [text for text in notes if text.startswith("e")]

    def text(self, entry=None):
        self.count += 1
        return f"{entry or f'e{self.count}'}.{self.count};"

    def close_form(self, button="dialog button[type=submit]", words=None):
        self.browser.press(button, words)
        self.browser.wait(lambda: self.browser.count("dialog") == 0, "the form is closed")

    def open_row(self, text):
        self.browser.press("main .row", text)
        self.browser.find("dialog textarea")
        # The text at the time of the edit.
        return self.browser.script("return document.querySelector('dialog textarea').value")

    # Actions

    def log(self):
        self.ready()
        text = self.text()
        self.browser.press("main .log")
        self.browser.press("dialog .pick button", "Type of")
        self.browser.type("dialog textarea", text)
        self.close_form()
        self.user.texts.add(text)
        self.note("logged", text)

    def choose_row(self):
        self.ready()
        rows = self.rows()
        return self.random.choice(rows) if rows else None

    def edit(self):
        row = self.choose_row()
        if row is None:
            return self.log()
        seen = self.open_row(row)
        text = self.text(self.user.entry(seen))
        self.browser.type("dialog textarea", text)
        self.close_form()
        self.user.texts.add(text)
        self.user.replaced.add(seen)
        self.note("edited", seen, "to", text)

    def delete(self):
        row = self.choose_row()
        if row is None:
            return
        seen = self.open_row(row)
        self.close_form("dialog .button.red", "Delete")
        self.user.replaced.add(seen)
        self.user.deleted.add(self.user.entry(seen))
        self.note("deleted", seen)

    def delete_and_undo(self):
        row = self.choose_row()
        if row is None:
            return
        seen = self.open_row(row)
        self.close_form("dialog .button.red", "Delete")
        self.browser.press(".toast button", "Undo")
        self.browser.shows("Undone", ".toast")
        self.user.restored.add(self.user.entry(seen))
        self.note("deleted and restored", seen)

    def phone_logs(self):
        text = self.text()
        self.user.phone.event(self.user.type, life.iso(life.now()), notes=text)
        self.user.texts.add(text)
        self.note("phone logged", text)

    def phone_chooses(self):
        events = self.user.phone.see("/events?limit=100")
        return self.random.choice(events) if events else None

    def phone_edits(self):
        event = self.phone_chooses()
        if not event:
            return self.phone_logs()
        text = self.text(self.user.entry(event["notes"]))
        if self.user.phone.edit("PATCH", f"/events/{event['id']}", {"notes": text}):
            self.user.texts.add(text)
            self.user.replaced.add(event["notes"])
            self.note("phone edited", event["notes"], "to", text)

    def phone_deletes(self):
        event = self.phone_chooses()
        if event and self.user.phone.edit("DELETE", f"/events/{event['id']}"):
            self.user.deleted.add(self.user.entry(event["notes"]))
            self.user.replaced.add(event["notes"])
            self.note("phone deleted", event["notes"])

    def network_fails(self):
        self.proxy.fail()
        self.note("network fails")

    def network_returns(self):
        self.proxy.is_up = True
        self.note("network returns")

    def responses_are_lost(self):
        self.proxy.losses = self.random.randint(1, 3)
        self.note("the next", self.proxy.losses, "responses are lost")

    def reload(self):
        self.main_page()
        self.note("reloaded")

    def other_tab(self):
        if len(self.tabs) < 2:
            new, old = self.browser.tab()
            self.tabs = [old, new]
            self.main_page()
        else:
            self.tabs.reverse()
            self.browser.turn_to(self.tabs[1])
        self.note("other tab")

    def kill(self):
        self.browser.kill()
        self.tabs = []
        self.note("killed")
        self.main_page()

    def evict(self):
        before = sorted(write["key"] for write in self.browser.later(QUEUE))
        if not self.browser.count("main.framed"):
            return
        self.browser.later(EVICT)
        self.note("storage deleted with", len(before), "waiting")
        # While online, some writes may have been sent already.
        if not self.proxy.is_up:
            own = lambda: sorted(write["key"] for write in self.browser.later(QUEUE))
            self.browser.wait(lambda: set(before) <= set(own()), "what waits is stored again")

    def other_user(self):
        self.ready()
        # Entries of another user are lost when all databases are deleted.
        self.proxy.is_up = True
        for device in self.user.phone.ask("GET", "/me/devices"):
            if device["name"].startswith("Chrome"):
                self.user.phone.ask("DELETE", f"/me/devices/{device['id']}")
        if self.random.random() < 0.7:
            self.log()
        self.main_page()
        self.browser.find(".code")
        self.pair(self.users[1 - self.users.index(self.user)])
        self.note("now", self.user.name)

    def hub_restarts(self):
        self.hub.stop(signal.SIGKILL)
        self.hub.start()
        self.note("hub restarted")

    # The story

    def run(self, length=14):
        self.pair(self.user)
        worker = "return Boolean((await navigator.serviceWorker.ready).active && (await caches.keys()).length)"
        self.browser.wait(lambda: self.browser.later(worker), "the page is stored")
        names, weights = zip(*ACTIONS)
        for _ in range(length):
            name = self.random.choices(names, weights)[0]
            if name == "evict" and any(user is not self.user and user.texts for user in self.users):
                # No tab of another user is open, so nothing would store that user's entries again.
                continue
            getattr(self, name)()
        self.finish()

    def finish(self):
        self.proxy.is_up, self.proxy.losses = True, 0
        for user in (self.user, self.users[1 - self.users.index(self.user)]):
            if user is not self.user:
                for device in self.user.phone.ask("GET", "/me/devices"):
                    if device["name"].startswith("Chrome"):
                        self.user.phone.ask("DELETE", f"/me/devices/{device['id']}")
                self.main_page()
            self.pair(user)
            self.main_page()
            waiting = lambda: [write for write in self.browser.later(QUEUE) if write["state"] != "refused"]
            self.browser.wait(
                lambda: self.browser.text("#sync").startswith(("Synced with hub", "The hub rejected")),
                "all of it is sent",
                seconds=60,
            )
            refused = [write for write in self.browser.later(QUEUE) if write["state"] == "refused"]
            self.check(user, refused)
        same([write["path"] for write in waiting()], [], "writes that still wait")

    def check(self, user, refused):
        events = user.phone.ask("GET", "/events?limit=1000")
        texts = [event["notes"] for event in events]
        entries = [user.entry(text) for text in texts]
        same(sorted(set(entries)), sorted(entries), "entries that are there twice")
        made = {user.entry(text) for text in user.texts}
        check(set(entries) <= made, f"entries of nobody or of another user: {set(entries) - made}")
        back = set(entries) & user.deleted - user.restored
        check(not back, f"deleted entries that are back: {back}")
        check(made - user.deleted <= set(entries), f"lost entries: {made - user.deleted - set(entries)}")
        conflicts = {
            conflict["value"] for conflict in user.phone.ask("GET", "/conflicts") if isinstance(conflict["value"], str)
        }
        kept = {(write.get("body") or {}).get("notes") for write in refused}
        lost = user.texts - user.replaced - set(texts) - conflicts - kept
        check(not lost, f"lost texts: {lost}")
        self.browser.wait(
            lambda: sorted(set(self.rows()) - kept) == sorted(set(texts)),
            f"the page shows what the hub has: {sorted(texts)}",
            seconds=30,
        )


def tell(seeds, program, driver, say):
    """Runs the stories of some seeds and returns the failed seeds."""
    failed = []
    with Hub(program, people=()) as hub, KillableBrowser(driver, "http://127.0.0.1", zone="UTC") as browser:
        for seed in seeds:
            start = time.monotonic()
            story = Story(seed, hub, browser)
            try:
                story.run()
                say(f"ok    {time.monotonic() - start:5.1f} s  story {seed}")
            except Exception as error:
                failed.append(seed)
                say(
                    f"FAIL  {time.monotonic() - start:5.1f} s  story {seed}: {error}\n      "
                    + "\n      ".join(story.log_lines)
                )
                if not isinstance(error, Failed):
                    traceback.print_exc()
                browser.kill()
            finally:
                story.proxy.close()
                if len(browser.send("GET", "/window/handles")) > 1:
                    browser.kill()
    return failed


def stories_of_a_browser_as_a_device(world):
    told = []
    failed = tell(range(1, 6), world.program, world.driver, told.append)
    check(not failed, "\n".join(told))


TESTS.append(stories_of_a_browser_as_a_device)


def main():
    first, last = (int(number) for number in (sys.argv[2] if len(sys.argv) > 2 else "1..20").split(".."))
    driver = Driver()
    try:
        failed = tell(
            range(first, last + 1), os.path.abspath(sys.argv[1]), driver, lambda line: print(line, flush=True)
        )
    finally:
        driver.stop()
    print(f"{last - first + 1} stories, {len(failed)} failed{': ' if failed else ''}{', '.join(map(str, failed))}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
