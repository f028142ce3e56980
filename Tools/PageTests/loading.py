"""First load of a page: its modules and responses."""

from harness import check, pair, quiet, same, test

LOADED = (
    "return performance.getEntriesByType('resource').map((one) => one.name).filter((name) => name.endsWith('.js'))"
)


@test
def a_page_loads_only_the_modules_that_its_document_preloads(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        # Excludes the delayed loading of the other pages.
        browser.devtools(
            "Page.addScriptToEvaluateOnNewDocument",
            source="const later = setTimeout; setTimeout = (act, ms) => (ms === 1500 ? 0 : later(act, ms));",
        )
        for path in ("/", "/timeline", "/calendar", "/types", "/insights", "/trips", "/places", "/data"):
            browser.go(path)
            browser.find("main h1")
            browser.settle()
            preloaded = browser.script(
                "return [...document.querySelectorAll('link[rel=modulepreload]')].map((link) => link.href)"
            )
            more = [name for name in browser.script(LOADED) if name not in preloaded and "/theme.js" not in name]
            same(more, [], f"{path}: modules that were not preloaded")
            check(len(preloaded) < 50, f"{path}: {len(preloaded)} modules")
        quiet(browser, "first loads")


@test
def pages_that_were_not_visited_open_while_the_hub_is_away(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        browser.wait(
            lambda: any(name.endswith("/pages/mileage.js") for name in browser.script(LOADED)), "all pages are loaded"
        )
        browser.wait(lambda: browser.script("return Object.keys(localStorage).some((k) => k.endsWith('kept'))"), "kept")
        hub.stop()
        browser.press("nav a[href='/mileage']")
        browser.find("main h1", "Mileage")
        browser.press("nav a[href='/trips']")
        browser.find("main h1")
        browser.wait(lambda: "/trips" in browser.script("return location.pathname"), "trips")
        same(browser.count("main .empty a[href='/']"), 0, "errors")
