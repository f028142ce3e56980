"""Rules for pending entries, against the cases that the devices and the hub are tested against."""

import json
import os

from harness import check, pair, quiet, same, test
import life

CASES = os.path.join(
    os.path.dirname(os.path.abspath(__file__)),
    "../../Packages/TrendyTesting/Sources/TrendyTesting/Rules/cases.json",
)
RULES = """
  const [one] = args;
  const days = await import(new URL('data/days.js', document.querySelector('script[type=module]').src).href);
  const rules = await import(new URL('data/rules.js', document.querySelector('script[type=module]').src).href);
  const part = (seconds, length) => String(Math.floor(seconds / length)).padStart(2, '0');
  days.useSettings({
    time_zone: one.zone, day_starts_at: `${part(one.day_start, 3600)}:${part(one.day_start % 3600, 60)}`,
  });
  const events = one.events ?? [];
  const now = Date.parse(one.now);
  const marked = new Set((one.settings ?? []).filter(({ key }) => key === 'running').map(({ value }) => value));
  const isRunning = (event) => marked.has(event.id) && !event.end_date;
  const own = (type) => rules.inOrder((one.definitions ?? []).filter((each) => each.event_type_id === type));
  const goalOf = (event) => one.types.find((type) => type.id === event.event_type_id).goal;
  const goals = events.filter(goalOf);
  const values = (list, value) => Object.fromEntries(list.map((each) => [each.id, value(each)]));
  return {
    actions: values(one.types, (type) =>
      rules.actionOf(type, own(type.id), events.some((event) => event.event_type_id === type.id && isRunning(event)))),
    order: values(one.types, (type) => own(type.id).map(({ key }) => key)),
    days: values(events, days.dayOfEvent),
    amounts: values(goals, (event) =>
      rules.amountOf(event, goalOf(event), own(event.event_type_id), now, isRunning(event))),
    day_amounts: values(goals, (event) =>
      Object.fromEntries(rules.amountsOf(event, goalOf(event), own(event.event_type_id), now, isRunning(event)))),
    skipped: values(one.types, (type) => {
      const skips = (one.skips ?? []).filter((skip) => skip.event_type_id === type.id);
      const around = skips.flatMap(({ from, to }) => [days.addDays(from, -1), from, to, days.addDays(to, 1)]).sort();
      const list = [];
      for (let day = around[0]; day <= around.at(-1); day = days.addDays(day, 1))
        if (rules.isSkipped(skips, day)) list.push(day);
      return list;
    }),
  };
"""


@test
def the_rules_for_pending_entries_give_the_results_of_the_table(world):
    with world.person() as (hub, phone, browser):
        phone.type("Coffee")
        pair(browser, hub)
        with open(CASES, encoding="utf-8") as file:
            cases = json.load(file)
        checked = 0
        for case in cases:
            found = browser.later(RULES, case)
            for kind in found:
                for key, value in case["expected"].get(kind, {}).items():
                    same(found[kind][key], value, f"{case['name']}: {kind} of {key}")
                    checked += 1
        check(checked >= 50, f"{checked} results")


@test
def a_press_does_what_the_type_asks_for(world):
    with world.person() as (hub, phone, browser):
        weight = phone.type("Weight", properties=[("kg", "Weight (kg)", "number", None)])
        read = phone.type("Reading")
        phone.ask(
            "PATCH",
            f"/event-types/{read}",
            {"goal": {"amount": 1200, "bound": "at_least", "measure": "duration", "period": "day"}},
        )
        coffee = phone.type("Coffee", properties=[("count", "Cups", "number", None)])
        events = lambda type: [event for event in phone.ask("GET", "/events") if event["event_type_id"] == type]
        pair(browser, hub)
        press = lambda type: browser.press(f"[data-key='tile-{type}']")
        press(coffee)
        world.wait(lambda: len(events(coffee)) == 1, "coffee is logged at once")
        press(weight)
        browser.shows("Weight (kg)", "dialog")
        same(events(weight), [], "nothing is logged before the value is known")
        browser.press("dialog [aria-label='Close']")
        browser.press(f"[data-key='left-{read}']", "Start")
        browser.find(".tile.running")
        browser.shows("Stop", f"[data-key='left-{read}']")
        world.wait(lambda: len(events(read)) == 1 and not events(read)[0].get("end_date"), "it runs")
        press(read)
        world.wait(lambda: events(read)[0].get("end_date"), "the tile stops it")
        browser.wait(lambda: browser.count(".tile.running") == 0, "no tile runs")
        quiet(browser, "actions of tiles")


@test
def an_entry_over_midnight_is_on_both_days(world):
    with world.person() as (hub, phone, browser):
        sleep = phone.type("Sleep", icon="moon")
        start, end = life.day(1, 23), life.day(0, 0).replace(minute=1)
        phone.event(sleep, life.iso(start), end_date=life.iso(end), time_zone=life.ZONE_NAME)
        pair(browser, hub)
        weekday = start.strftime("%a")
        browser.shows(f"since {weekday} 23:00", "main .row")
        browser.shows("Nothing logged yet today", "main")
        browser.go(f"/timeline/{start.date().isoformat()}")
        browser.shows(f"until {end.strftime('%a')} 00:01", "main .row")
        browser.go(f"/timeline/{end.date().isoformat()}")
        browser.shows(f"since {weekday} 23:00", "main .row")
        quiet(browser, "an entry over midnight")
