"""Every text comes from one table, and dates and digits follow its language."""

import contextlib
import datetime
import http.client
import http.server
import threading

from browser import Browser
from harness import PAGES, check, pair, same, test
from hub import Device
import life

# A translation that puts every text in brackets.
PSEUDO = """
const bracket = (value) =>
  typeof value === 'string' ? `⟦${value}⟧`
  : typeof value === 'function' ? (...of) => bracket(value(...of))
  : Array.isArray(value) ? value.map(bracket)
  : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, bracket(one)]));
export const texts = bracket(table);
"""

# Text on the page that is outside brackets and is neither a date nor part of the record.
OUTSIDE = """
const [data] = arguments;
const names = [];
for (const style of ['long', 'short'])
  for (let i = 0; i < 12; i++) {
    names.push(new Date(Date.UTC(2024, i, 1)).toLocaleDateString('en-GB', { month: style, timeZone: 'UTC' }));
    names.push(new Date(Date.UTC(2024, 0, 1 + i)).toLocaleDateString('en-GB', { weekday: style, timeZone: 'UTC' }));
  }
const known = [...new Set([...data, ...names, 'Trendy', 'UTC'])].map((one) => one.toLowerCase())
  .filter((one) => one.length > 1).sort((a, b) => b.length - a.length);
const outside = (text) => {
  let rest = text;
  for (let before = ''; before !== rest; ) { before = rest; rest = rest.replace(/⟦[^⟦⟧]*⟧/g, ' '); }
  rest = rest.toLowerCase();
  for (const one of known) rest = rest.replaceAll(one, ' ');
  return /\\p{L}{2}/u.test(rest);
};
// Sentences of the hub, commands, addresses, names of keys and time zones are not texts of the page.
const FOREIGN = '.row:has(mark), .command, .qr, kbd, .told-week, .why li span, .relations p, .big-code, .zone, dd, '
  + 'noscript';
const found = new Set();
const add = (text, where) => { if (outside(text)) found.add(`${where}: ${text.trim().slice(0, 80)}`); };
const root = document.querySelector('dialog[open]') ?? document.body;
const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
for (let node; (node = walker.nextNode()); ) {
  const element = node.parentElement;
  if (element.closest(FOREIGN) || !element.getClientRects().length) continue;
  add(node.data, element.tagName.toLowerCase());
}
for (const element of root.querySelectorAll('[aria-label], [title], [placeholder]'))
  for (const name of ['aria-label', 'title', 'placeholder'])
    if (!element.closest(FOREIGN)) add(element.getAttribute(name) ?? '', `${element.tagName.toLowerCase()} ${name}`);
add(document.title, 'title');
return [...found];
"""


class Translation:
    """Passes requests on to a hub, and puts every text of the pages in brackets."""

    def __init__(self, hub):
        port = hub.port

        class Answer(http.server.BaseHTTPRequestHandler):
            def handle_any(self):
                # The pages work without the stream, which does not end.
                if self.path.endswith("/changes/stream"):
                    return self.send_error(503)
                own = f"127.0.0.1:{self.server.server_port}"
                headers = {
                    name: value.replace(own, f"127.0.0.1:{port}")
                    for name, value in self.headers.items()
                    if name.lower() not in ("accept-encoding", "connection")
                }
                length = int(self.headers.get("Content-Length") or 0)
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                connection.request(self.command, self.path, self.rfile.read(length) if length else None, headers)
                answer = connection.getresponse()
                body = answer.read()
                if self.path.endswith("/texts.js"):
                    body = body.replace(b"export const texts = {", b"const table = {") + PSEUDO.encode()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection", "etag"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                connection.close()
                # The browser may have left the page.
                with contextlib.suppress(ConnectionError):
                    self.wfile.write(body)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def strings(value):
    """All strings within a document."""
    if isinstance(value, str):
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*(strings(part) for part in parts)) if parts else set()


def data_of(phone):
    """Text of the record: whatever a user named or wrote."""
    lists = ["/event-types", "/property-definitions", "/geofences", "/vehicles", "/me/devices", "/session"]
    found = set().union(*(strings(phone.ask("GET", path)) for path in [*lists, "/events?limit=1000", "/skips"]))
    # The page shows the singular form of a label next to the value 1.
    labels = {definition["label"] for definition in phone.ask("GET", "/property-definitions")}
    found |= {label[:-n] for label in labels if label.endswith("s") for n in (1, 2)}
    return sorted({text for text in found if len(text) < 200} | {"127.0.0.1", "OwnTracks"})


@contextlib.contextmanager
def translated(world):
    with Translation(world.many) as proxy, Browser(world.driver, proxy.address) as browser:
        browser.go("/")
        browser.find(".code")
        same(browser.script(OUTSIDE, []), [], "text that is not from the table, pairing")
        pair(browser, world.many)
        yield browser, data_of(world.phone)


@test
def every_text_of_every_page_is_from_the_table(world):
    yesterday = life.day(1).date().isoformat()
    with translated(world) as (browser, data):
        pages = [
            *PAGES,
            "/calendar?view=quarter",
            f"/types/{world.types['coffee']}",
            f"/types/{world.types['coffee']}?range=all",
            f"/timeline/{yesterday}",
            "/timeline?q=soup",
            "/timeline?q=nowhere",
            "/mileage?year=1999",
            "/trips?month=1999-01",
            "/nowhere",
            "/trips/none",
        ]
        for width in (1280, 390):
            browser.size(width)
            for page in pages:
                browser.go(page)
                browser.wait(
                    lambda: browser.script(
                        "return document.querySelector('main h1') && "
                        "!document.querySelector('main').textContent.slice(0, 40).includes('…')"
                    ),
                    f"{page} is drawn",
                )
                browser.settle()
                found = browser.script(OUTSIDE, [*data, "nowhere"])
                same(found, [], f"text that is not from the table, {page}, {width}")


@test
def every_text_of_every_sheet_is_from_the_table(world):
    with translated(world) as (browser, data):

        def sheet(page, selector, name):
            browser.go(page)
            browser.find("main h1")
            browser.press(selector)
            browser.find("dialog h2")
            browser.settle()
            same(browser.script(OUTSIDE, data), [], f"text that is not from the table, {name}")

        sheet("/", ".log", "log")
        for number in range(1, 1 + browser.script("return document.querySelectorAll('dialog .pick button').length")):
            sheet("/", ".log", "log")
            browser.press(f"dialog .pick button:nth-child({number})")
            browser.wait(lambda: browser.count("dialog form") == 1, "its form")
            same(browser.script(OUTSIDE, data), [], f"text that is not from the table, form {number}")
        sheet("/", "main .row", "an entry")
        sheet("/types", "main [data-key=new]", "new type")
        sheet(f"/types/{world.types['coffee']}", "main [data-key=edit]", "type")
        sheet("/calendar", "main [data-key=days-off]", "skip days")
        sheet("/places", "main [data-key=add]", "new place")
        sheet("/places", "main [data-key=edit]", "place")
        sheet("/trips", "main [data-key=add-trip]", "new trip")
        sheet("/trips", "main [data-key=merge]", "merge")
        sheet("/mileage", "main [data-key=odometer]", "odometer")
        sheet("/devices", "main [data-key=token]", "token")
        sheet("/devices", "main [data-key=pair]", "pairing")
        browser.go("/")
        browser.find(".tile")
        browser.keys("?")
        browser.find("dialog .keys")
        same(browser.script(OUTSIDE, data), [], "text that is not from the table, keys")


@test
def dates_digits_and_words_follow_one_locale(world):
    for language in ("ar-EG", "fa-IR", "th-TH", "de-DE"):
        with world.hub() as hub, Browser(world.driver, hub.address, width=390, language=language) as browser:
            phone = Device(hub)
            coffee = phone.type("Coffee", properties=[("cups", "Cups", "number", None)])
            for n in range(6):
                phone.event(
                    coffee,
                    life.iso(datetime.datetime(2025, 11, 19, 8 + n, 30, tzinfo=life.now().tzinfo)),
                    time_zone=life.ZONE_NAME,
                    properties={"cups": {"type": "number", "value": 1234.5}},
                )
            pair(browser, hub)
            browser.go("/timeline/2025-11-19")
            browser.shows("Wed 19 Nov", "main h1")
            browser.shows("6 entries.", "main")
            text = browser.text("main")
            check("1,234.5 cups" in text and "Wed" in text, f"{language}: {text}")
            check(all(ord(sign) < 0x0590 or ord(sign) > 0x0EFF for sign in text), f"{language}: {text}")
