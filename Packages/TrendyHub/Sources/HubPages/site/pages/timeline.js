import { h } from '../parts/dom.js';
import { glyph } from '../parts/glyph.js';
import { tint } from '../parts/colour.js';
import { definePage, head, logButton, stepButton } from '../parts/pagehead.js';
import { dayBand } from '../parts/dayband.js';
import { hatch } from '../parts/heatmap.js';
import { eventRow } from '../parts/eventrow.js';
import { endSelection, selectionOf } from '../parts/selection.js';
import { disc } from '../parts/glyph.js';
import { openLog } from '../parts/eventform.js';
import { distance, isTrip, isVisit, stayText, titleOf } from '../parts/eventtext.js';
import { go, withQuery } from '../data/navigation.js';
import { countsOf, eventsOf, read, search, typeOf } from '../data/record.js';
import {
  addDays,
  dayOfEvent,
  isDate,
  lastDayOf,
  length,
  longDate,
  shortDate,
  shortDateOfYear,
  startOf,
  startOfWeek,
  time,
  today,
  touches,
  weekdayName,
  withDays,
} from '../data/days.js';
import { texts } from '../texts.js';

/**
 * Page with a day's entries in order, or with search results.
 * @param {string} asked a date
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function timeline(asked, query) {
  const date = isDate(asked) ? asked : today();
  const text = query.get('q') ?? '';
  const only = query.get('type') ?? '';
  const address = (/** @type {string} */ day) => (day === today() ? '/timeline' : `/timeline/${day}`);
  const move = (/** @type {number} */ step) => () => go(step === 0 ? '/timeline' : address(addDays(date, step)));
  const shown = Math.min(2000, Math.max(50, Number(query.get('n')) || 50));
  const add = () => openLog(date);
  /** Whether the page was opened to search. */
  let isSearch = query.has('find');
  /**
   * Events whose rows are displayed.
   * @type {Api.Event[]}
   */
  let shownList = [];
  return definePage({
    title: texts.nav.timelineOf(longDate(date)),
    keys: { l: add, Escape: endSelection },
    async load() {
      const monday = startOfWeek(date);
      const [events, counts, found, fixes] = await Promise.all([
        eventsOf(date, date),
        countsOf(monday, addDays(monday, 6)),
        text ? search({ text, limit: shown }) : null,
        text ? null : fixesOf(date),
      ]);
      return { events, counts, found, fixes };
    },
    draw({ events, counts, found, fixes }) {
      const all = events().filter((event) => touches(event, date));
      const present = [...new Set(all.map((event) => event.event_type_id))];
      const list = (only ? all.filter((event) => event.event_type_id === only) : all).sort(
        (a, b) => order(a) - order(b),
      );
      // As on every other page, an entry counts towards the day on which it starts.
      const begun = all.filter((event) => dayOfEvent(event) === date);
      const trips = begun.filter(isTrip);
      const metres = trips.reduce((sum, trip) => sum + (trip.properties?.distance?.value ?? 0), 0);
      const gaps = only || !fixes ? [] : fixes.gaps;
      // Focus the search field after the heading has received the focus.
      if (isSearch)
        setTimeout(() =>
          /** @type {HTMLElement | null} */ (document.querySelector('main input[type=search]'))?.focus(),
        );
      isSearch = false;
      const selection = selectionOf(`${date} ${text}`, found ? found.events() : list);
      return h(
        'div.page',
        null,
        hatch(),
        head(
          found ? texts.act.search : innerWidth < 768 ? shortDate(date) : longDate(date),
          found
            ? null
            : all.length
              ? `${texts.timeline.summary(begun.length, trips.length, distance(metres))}${gapWords(fixes)}`
              : texts.timeline.empty,
          !found && [
            stepButton(texts.act.earlier, -1, move(-1)),
            stepButton(texts.act.later, 1, move(1)),
            h(
              'button.button',
              {
                type: 'button',
                hidden: date === today() && innerWidth < 768,
                dataset: { step: '0', key: 'step0' },
                on: { click: move(0) },
              },
              texts.nav.today,
            ),
            innerWidth >= 768 && logButton(add),
          ],
        ),
        !found && week(date, counts.counts(), address),
        h(
          'div.tools-row',
          null,
          searchField(date, text),
          !text && present.length > 1 && chips(present, only, address(date)),
          !selection.isOn && selection.bar,
        ),
        selection.isOn && selection.bar,
        found
          ? results(found, text, date, shown, selection)
          : [
              all.length > 0 && dayBand(date, list, innerWidth < 768 ? Math.max(288, innerWidth - 32) : 984, fixes),
              list.length
                ? h(
                    'ul.rows.spined',
                    null,
                    withGaps(list, gaps).map((row) =>
                      row.gap ? gapRow(row.gap) : row.event && eventItem(row.event, row.i, selection),
                    ),
                  )
                : h(
                    'div.empty',
                    null,
                    all.length > 0 && h('p', null, texts.timeline.empty),
                    h('button.button', { type: 'button', on: { click: add } }, texts.act.addEntry),
                  ),
              // On phones the header has no space for this button.
              list.length > 0 &&
                innerWidth < 768 &&
                h(
                  'p',
                  { class: 'empty' },
                  h(
                    'button.button',
                    { type: 'button', dataset: { key: 'add' }, on: { click: add } },
                    texts.act.addEntry,
                  ),
                ),
            ],
      );
    },
  });
  /**
   * Returns an event's row. A trip's row also links to its explanation.
   * @param {Api.Event} event
   * @param {number} i
   * @param {ReturnType<typeof selectionOf>} selection
   */
  function eventItem(event, i, selection) {
    const isDrive = isTrip(event);
    const row = eventRow(event, {
      day: date,
      before: spine(shownList, i),
      end: stayText(event),
      hasSource: !isDrive,
      choice: selection.row(event),
    });
    return h(
      `li${isDrive ? '.explained' : ''}`,
      null,
      row,
      isDrive &&
        h(
          'a.link',
          { href: `/trips/${encodeURIComponent(event.id)}`, 'aria-label': texts.timeline.whyTrip(titleOf(event)) },
          texts.timeline.why,
        ),
    );
  }
  /**
   * Inserts rows for gaps between the rows of events.
   * @param {Api.Event[]} list
   * @param {Gap[]} gaps
   */
  function withGaps(list, gaps) {
    shownList = list;
    /** @type {{at: number, event?: Api.Event, i: number, gap?: Gap}[]} */
    const rows = list.map((event, i) => ({ at: order(event), event, i }));
    for (const gap of gaps) {
      const at = Math.max(Date.parse(gap.from), startOf(date).getTime());
      const place = rows.findIndex((row) => row.at > at);
      rows.splice(place < 0 ? rows.length : place, 0, { at, i: -1, gap });
    }
    return rows;
  }
  /** @param {Gap} gap */
  function gapRow(gap) {
    const seconds = (Date.parse(gap.to) - Date.parse(gap.from)) / 1000;
    return h(
      'li.gap',
      null,
      h(
        'div.row',
        null,
        h('span.time', null, time(new Date(gap.from))),
        h('span.spine.missing'),
        h('span'),
        h(
          'span.what',
          null,
          h('b', null, texts.timeline.noPosition(time(new Date(gap.to)))),
          h('span.note', null, texts.timeline.missing(length(seconds), distance(gap.distance_m))),
        ),
        h(
          'span.end',
          null,
          h(
            'button.link',
            { type: 'button', dataset: { key: `gap-${gap.from}` }, on: { click: () => openLog(date, gap) } },
            texts.timeline.fillIn,
          ),
        ),
      ),
    );
  }
  /** @param {Api.Event} event */
  function order(event) {
    if (event.is_all_day) return 0;
    const [start, begin] = [Date.parse(event.timestamp), startOf(date).getTime()];
    if (isVisit(event)) return Math.max(begin, start) - 1;
    // An event that started on the previous day and ends on this day is sorted by its end. A night's sleep, for
    // example, is sorted by the time of waking.
    return start >= begin ? start : lastDayOf(event) > date ? begin : Date.parse(event.end_date ?? '');
  }
}

/**
 * Reads a day's positions. Resolves to `null` if the hub is unreachable.
 * @param {string} date
 */
const fixesOf = (date) =>
  read(withDays('/fixes', { date })).then(
    ({ answer }) => answer,
    () => null,
  );

/** @typedef {Api.FixedDay['gaps'][number]} Gap */

/** @param {Api.FixedDay | null} fixes */
function gapWords(fixes) {
  if (!fixes?.counts.length) return '';
  const seconds = fixes.gaps.reduce((sum, gap) => sum + (Date.parse(gap.to) - Date.parse(gap.from)) / 1000, 0);
  return ` ${texts.timeline.gaps(fixes.gaps.length, length(seconds))}`;
}

/**
 * Draws the line that joins the rows of one visit.
 * @param {Api.Event[]} list
 * @param {number} i
 */
function spine(list, i) {
  const around = (/** @type {number} */ at) => {
    const event = list[at];
    if (!event || event.is_all_day) return null;
    if (isTrip(event)) return event;
    if (isVisit(event)) return event;
    const start = Date.parse(event.timestamp);
    return (
      list.findLast(
        (other, j) =>
          j < at &&
          isVisit(other) &&
          Date.parse(other.timestamp) <= start &&
          (!other.end_date || Date.parse(other.end_date) > start),
      ) ?? null
    );
  };
  const own = around(i);
  if (!own) return h('span.spine.none');
  if (isTrip(own)) return h('span.spine.trip');
  const [first, last] = [around(i - 1) !== own, around(i + 1) !== own];
  return h(`span.spine${first ? '.first' : ''}${last ? '.last' : ''}`, { set: tint(typeOf(own.event_type_id).color) });
}

/**
 * @param {string} date
 * @param {Map<string, Record<string, number>>} counts
 * @param {(day: string) => string} address
 */
function week(date, counts, address) {
  const monday = startOfWeek(date);
  const days = Array.from({ length: 7 }, (_, i) => addDays(monday, i));
  const sums = days.map((day) => Object.values(counts.get(day) ?? {}).reduce((a, b) => a + b, 0));
  const most = Math.max(1, ...sums);
  return h(
    'nav.days',
    { 'aria-label': texts.timeline.week },
    days.map((day, i) => {
      const bar = h('i');
      bar.style.setProperty('width', `${Math.round((sums[i] / most) * 100)}%`);
      return h(
        `a${day > today() ? '.future' : ''}`,
        {
          href: address(day),
          'aria-current': day === date ? 'date' : null,
          'aria-label': texts.calendar.cell(longDate(day), sums[i]),
          dataset: { key: `week-${day}` },
        },
        h('span.wd', null, `${weekdayName(day)} `),
        h('b', null, Number(day.slice(8))),
        h('span.count-bar', { 'aria-hidden': 'true' }, bar),
      );
    }),
  );
}

/**
 * @param {string} date
 * @param {string} text
 */
function searchField(date, text) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const input = /** @type {HTMLInputElement} */ (
    h('input.input', {
      type: 'search',
      value: text,
      placeholder: texts.timeline.search,
      'aria-label': texts.timeline.search,
      dataset: { key: 'search' },
    })
  );
  const submit = () => {
    const wanted = input.value.trim();
    const query = wanted && `?q=${encodeURIComponent(wanted)}`;
    go((date === today() ? '/timeline' : `/timeline/${date}`) + query, true);
  };
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(submit, 250);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      clearTimeout(timer);
      submit();
    }
  });
  return h('div.search', null, glyph('search'), input);
}

/**
 * @param {string[]} ids
 * @param {string} only
 * @param {string} address
 */
function chips(ids, only, address) {
  const chip = (
    /** @type {string} */ id,
    /** @type {Node | null} */ picture,
    /** @type {string} */ text,
    /** @type {Record<string, string>} */ set,
  ) =>
    h(
      `button.chip${id ? '' : '.plain'}`,
      {
        type: 'button',
        set,
        'aria-pressed': String(only === id),
        dataset: { key: `chip-${id}` },
        on: { click: () => go(id && only !== id ? `${address}?type=${encodeURIComponent(id)}` : address, true) },
      },
      picture,
      h('span.cut', null, text),
    );
  return h(
    'div.chips',
    { role: 'group', 'aria-label': texts.calendar.types },
    chip('', null, texts.timeline.all, {}),
    ids.slice(0, 8).map((id) => {
      const type = typeOf(id);
      return chip(id, disc(type, 22), type.name, tint(type.color));
    }),
  );
}

/**
 * Returns search results by day, newest first.
 * @param {Awaited<ReturnType<typeof search>>} found
 * @param {string} text
 * @param {string} date
 * @param {number} shown
 * @param {ReturnType<typeof selectionOf>} selection
 */
function results(found, text, date, shown, selection) {
  const events = found.events();
  if (!events.length)
    return h(
      'div.empty',
      null,
      h('p', null, texts.timeline.noResults(text)),
      h(
        'button.button',
        { type: 'button', on: { click: () => go(date === today() ? '/timeline' : `/timeline/${date}`, true) } },
        texts.act.clear,
      ),
    );
  /** @type {Map<string, Api.Event[]>} */
  const days = new Map();
  for (const event of events) days.set(dayOfEvent(event), [...(days.get(dayOfEvent(event)) ?? []), event]);
  return [
    h(
      'p.quiet',
      { role: 'status' },
      found.next ? texts.timeline.firstResults(events.length, text) : texts.timeline.results(events.length, text),
    ),
    [...days].map(([day, list]) =>
      h(
        'section',
        null,
        h(
          'div.section-head',
          null,
          h('h2', null, h('time', { datetime: day }, shortDateOfYear(day))),
          h('a', { href: `/timeline/${day}` }, texts.timeline.show),
        ),
        h(
          'ul.rows',
          null,
          list.map((event) => h('li', null, eventRow(event, { mark: text, choice: selection.row(event) }))),
        ),
      ),
    ),
    found.next &&
      shown < 2000 &&
      h(
        'p',
        { class: 'empty' },
        h(
          'button.button',
          {
            type: 'button',
            dataset: { key: 'more' },
            on: { click: () => go(withQuery({ n: String(Math.min(2000, shown * 3)) }), true) },
          },
          texts.act.showMore(Math.min(2000, shown * 3) - shown),
        ),
      ),
  ];
}
