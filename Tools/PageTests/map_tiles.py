"""Map tiles."""

import http.server
import os
import ssl
import struct
import subprocess
import tempfile
import threading
import zlib

from browser import RIGHT, Browser
from harness import check, drive, pair, quiet, same, test
from hub import Device, Hub


def drawn_tile():
    """A PNG of 256 × 256 that resembles streets: green background, white lines, a grey frame."""
    rows = [
        b"\0"
        + b"".join(
            b"\x8f\x97\xa0" if 0 in (x, y) else b"\xff\xff\xff" if (x + y) % 64 < 8 or x % 90 < 5 else b"\x9c\xc8\x8d"
            for x in range(256)
        )
        for y in range(256)
    ]
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(b"".join(rows)))
        + chunk(b"IEND", b"")
    )


TILE = drawn_tile()


@test
def a_map_has_the_tiles_of_a_folder_where_they_are_and_blank_ground_elsewhere(world):
    with tempfile.TemporaryDirectory() as folder:
        # All tiles at zoom 12, except one column along the trip, which runs north at 5 degrees east.
        for column in range(2090, 2120):
            os.makedirs(f"{folder}/12/{column}")
            for row in range(1330, 1370):
                if column != 2105:
                    with open(f"{folder}/12/{column}/{row}.png", "wb") as file:
                        file.write(TILE)
        with (
            Hub(world.program, told=("--tiles", folder, "--tiles-credit", "© The street next door")) as hub,
            world.browser(hub) as browser,
        ):
            drive(Device(hub))
            pair(browser, hub, then="main.framed")
            browser.go("/trips")
            browser.find(".map .way")
            browser.wait(lambda: browser.count(".map .tiles image") > 3, "tiles")
            same(browser.text(".map .credit"), "© The street next door", "who made them")
            got = lambda status: browser.script(
                "return performance.getEntriesByType('resource').filter((e) => e.name."
                "includes('/api/v1/tiles/12/') && e.responseStatus === arguments[0]).length",
                status,
            )
            browser.wait(lambda: got(200) > 3 and got(404) > 0, "those that are there, and those that are not")
            missing = lambda: browser.script(
                "return [...document.querySelectorAll('.map image')].filter((e) => e.getAttribute('href')."
                "includes('/2105/')).length"
            )
            browser.wait(lambda: missing() == 0, "no picture is left where none came")
            # The tiles are below everything else and match the graticule.
            same(
                browser.script("return document.querySelector('.map svg').firstElementChild.getAttribute('class')"),
                "tiles",
                "what lies lowest",
            )
            place = lambda: browser.script("""
              const image = document.querySelector('.map image'), [z, x,
                y] = image.getAttribute('href').match(/\\d+(?=[/.])/g).slice(-3).map(Number), n = 2 ** z;
              const d = document.querySelector('.map .start'), size = Number(image.getAttribute('width')) - 0.5;
              const column = (5 + 180) / 360 * n,
                row = (1 - Math.asinh(Math.tan(52 * Math.PI / 180)) / Math.PI) / 2 * n;
              return [Number(image.getAttribute('x')) + (column - x) * size - Number(d.getAttribute('cx')),
                Number(image.getAttribute('y')) + (row - y) * size - Number(d.getAttribute('cy'))]""")
            check(all(abs(off) < 0.01 for off in place()), f"tile and route fit: {place()}")
            browser.script("document.querySelector('.map svg').focus()")
            browser.keys("-", "+", "+", RIGHT)
            check(all(abs(off) < 0.01 for off in place()), f"also when it was moved: {place()}")
            browser.keys("0")
            light = {}
            for dark in (False, True):
                browser.theme(dark, still=True)
                light[dark] = browser.lightness(".map .tiles")
                if world.axe.source:
                    same(world.axe.run(browser), [], "a map with tiles")
            # Tiles for a light background are darkened in the dark theme.
            check(light[False] > 0.7 and light[True] < 0.35, f"how light the map is, by theme: {light}")
            browser.script("document.documentElement.dataset.theme = 'light'")
            check(
                abs(browser.lightness(".map .tiles") - light[False]) < 0.02,
                "a choice of theme counts, not what the system says",
            )
            browser.script("delete document.documentElement.dataset.theme")
            quiet(browser, "a map with tiles", allowed=("404",))
            # Without the folder the background is blank.
            hub.stop()
            os.rename(f"{folder}/12", f"{folder}/away")
            hub.start()
            browser.go("/trips")
            browser.find(".map .way")
            same(browser.count(".map .tiles"), 0, "tiles of a folder that is empty")
            os.rename(f"{folder}/away", f"{folder}/12")


class MapServer:
    """A map server with TLS that records its requests."""

    def __init__(self, folder):
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=127.0.0.1",
                "-keyout",
                f"{folder}/key.pem",
                "-out",
                f"{folder}/certificate.pem",
            ],
            check=True,
            capture_output=True,
        )
        asked = self.asked = []

        class Answer(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, dict(self.headers)))
                self.send_response(200)
                self.send_header("Content-Type", "image/png")
                self.send_header("Content-Length", str(len(TILE)))
                self.end_headers()
                self.wfile.write(TILE)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(f"{folder}/certificate.pem", f"{folder}/key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.origin = f"https://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@test
def a_map_server_that_is_named_is_asked_for_tiles_and_nobody_for_anything_else(world):
    with (
        tempfile.TemporaryDirectory() as folder,
        MapServer(folder) as maps,
        MapServer(folder) as other,
        Hub(
            world.program,
            told=("--tiles", maps.origin + "/map/{z}/{x}/{y}.png?style=plain", "--tiles-credit", "© Somebody"),
        ) as hub,
        Browser(world.driver, hub.address, more=("--ignore-certificate-errors",)) as browser,
    ):
        drive(Device(hub))
        pair(browser, hub, then="main.framed")
        same(maps.asked, [], "before a map is shown")
        browser.go("/trips")
        browser.find(".map .way")
        browser.wait(lambda: len(maps.asked) > 3, "the map server is asked")
        browser.wait(
            lambda: browser.script(
                "return performance.getEntriesByType('resource').filter((e) => e.name.startsWith(arguments[0])).length",
                maps.origin,
            )
            > 3,
            "tiles are there",
        )
        same(browser.text(".map .credit"), "© Somebody", "who made them")
        for path, headers in maps.asked:
            check(
                path.startswith("/map/") and path.endswith(".png?style=plain") and "{" not in path, f"asked for {path}"
            )
            same(
                [name for name in headers if name.lower() in ("cookie", "referer", "authorization", "origin")],
                [],
                f"what is told of the person with {path}",
            )
        complaints = browser.complaints()
        same(complaints, [], "complaints")
        for address in browser.requests():
            check(
                address.startswith((browser.address, maps.origin + "/map/", "data:", "blob:", "chrome:", "about:")),
                f"asked for {address}",
            )
        # The policy allows images from this address only.
        refused = browser.later(
            """
          const said = [];
          document.addEventListener('securitypolicyviolation', (event) => said.push(event.effectiveDirective));
          const picture = (address) => new Promise((done) => { const image = new Image();
            image.onload = () => done(true); image.onerror = () => done(false); image.src = address; });
          const asked = (address) => fetch(address, { mode: 'no-cors' }).then(() => true, () => false);
          const results = [await picture(args[0] + '/map/1/1/1.png'), await picture(args[1] + '/map/1/1/1.png'),
            await asked(args[0] + '/map/1/1/1.png')];
          while (said.length < 2) await new Promise(requestAnimationFrame);
          return [results, said.sort()];""",
            maps.origin,
            other.origin,
        )
        same(
            refused,
            [[True, False, False], ["connect-src", "img-src"]],
            "a picture of it, a picture of another, a request to it",
        )
        same(other.asked, [], "another server")
