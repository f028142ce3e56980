import { h } from '../parts/dom.js';
import { glyph } from '../parts/glyph.js';
import { definePage, head, segments, stepButton } from '../parts/pagehead.js';
import { parseNumber, textField } from '../parts/field.js';
import { openPlace } from '../parts/placesheet.js';
import { routeMap } from '../parts/routemap.js';
import { openEvent } from '../parts/eventform.js';
import { toast } from '../parts/toast.js';
import { gapsOf, speedStrip, spot, stopsOf } from '../parts/speedstrip.js';
import { openAddTrip } from '../parts/tripsheet.js';
import { vehicleFilter } from '../parts/vehiclefilter.js';
import { beginSplit, cutter, openMerge, splitSlot } from '../parts/tripactions.js';
import { decodeRoute, distance, endsOf, isTrip, lengthUnit, placesAtEnds, speed, titleOf } from '../parts/eventtext.js';
import { go } from '../data/navigation.js';
import { Refused } from '../data/api.js';
import { changeTrip, eventsOf, keepSummaries, places, read, summaryOf, vehicles } from '../data/record.js';
import {
  addDays,
  dateHere,
  dayOfEvent,
  length,
  longDate,
  monthAndYear,
  time,
  timeToSecond,
  today,
  addMonths,
} from '../data/days.js';
import { fixed } from '../locale.js';
import { texts } from '../texts.js';

/** @type {[string, string][]} */
const KINDS = [...Object.entries(texts.trips.kinds)];

/**
 * Page with a month's trips.
 * @param {string} id
 * @param {URLSearchParams} query
 * @returns {import('../app.js').Page}
 */
export function trips(id, query) {
  const asked = query.get('month') ?? '';
  const vehicle = query.get('vehicle') ?? '';
  /**
   * Trips on the page, for keyboard shortcuts.
   * @type {{all: Api.Trip[], chosen: Api.Trip | null, month: string, counted: Map<string, string>}}
   */
  let shown = { all: [], chosen: null, month: '', counted: new Map() };
  /** Id of the counted trip for each trip that does not count, because another trip recorded the same drive. */
  const witnessed = (/** @type {Api.GetWitnesses} */ { witnesses }) =>
    new Map(witnesses.map((witness) => [witness.id, witness.counted_id]));
  const inMonth = (/** @type {Api.Event[]} */ events, /** @type {string} */ month) =>
    byDay(
      events.filter(isTrip).filter((trip) => !vehicle || trip.properties?.vehicle?.value === vehicle),
      month,
    );
  const pick = (/** @type {Map<string, Api.Trip[]>} */ days) =>
    inOrder(days).find((trip) => trip.id === id) ??
    (innerWidth >= 1000 ? ([...days.values()][0]?.at(-1) ?? null) : null);
  const decide = (/** @type {string} */ kind) => async () => {
    const { chosen, all, month, counted } = shown;
    if (!chosen) return;
    const at = all.indexOf(chosen);
    const next = [...all.slice(at + 1), ...all.slice(0, at)].find((trip) => !kindOf(trip) && !counted.has(trip.id));
    await classify(chosen, kind);
    if (next) go(addressOf(next, month, vehicle), true);
  };
  return definePage({
    title: texts.nav.trips,
    keys: { b: decide('business'), p: decide('private') },
    async load() {
      let month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : '';
      if (!month)
        month = id
          ? dateHere(new Date((await read(`/events/${encodeURIComponent(id)}`)).answer.timestamp)).slice(0, 7)
          : today().slice(0, 7);
      const events = await eventsOf(`${month}-01`, addDays(`${addMonths(month, 1)}-01`, -1), 'trip');
      const days = inMonth(events(), month);
      const chosen = pick(days);
      // If the month has no trips, show the latest trip in the whole record.
      const latest = days.size ? null : ((await read('/events?source_type=trip&limit=1')).answer[0] ?? null);
      const counted = witnessed((await read('/mileage/witnesses')).answer);
      const around = chosen
        ? await read(`/trips/${encodeURIComponent(chosen.id)}`).then(({ answer }) => answer, absent)
        : null;
      if (around) keepSummaries(around.summaries);
      return { month, events, around, latest, counted };
    },
    draw({ month, events, around, latest, counted }) {
      const days = inMonth(events(), month);
      const [all, chosen] = [inOrder(days), pick(days)];
      shown = { all, chosen, month, counted };
      const drives = all.filter((trip) => !counted.has(trip.id));
      const metres = drives.reduce((sum, trip) => sum + metresOf(trip), 0);
      const open = drives.filter((trip) => !kindOf(trip)).length;
      const move = (/** @type {number} */ step) => () =>
        go(`/trips?month=${addMonths(month, step)}${vehicle && `&vehicle=${encodeURIComponent(vehicle)}`}`, true);
      const sentence = all.length
        ? `${texts.trips.summary(drives.length, distance(metres))}${open ? ` ${texts.trips.unclassified(open)}` : ''}`
        : vehicle
          ? texts.trips.noneOf
          : latest
            ? texts.trips.none
            : null;
      const parts = [
        list(days, chosen, month, vehicle, counted),
        chosen && detail(chosen, all, around?.trip.id === chosen.id ? around : null, counted.get(chosen.id)),
      ];
      return h(
        'div.page.of-trips',
        null,
        head(monthAndYear(`${month}-01`), sentence, [
          stepButton(texts.act.earlier, -1, move(-1)),
          stepButton(texts.act.later, 1, move(1)),
          addButton(month, vehicle),
        ]),
        vehicleFilter(vehicle),
        all.length ? h('div.split', null, innerWidth >= 1000 ? parts : parts.reverse()) : nothing(latest),
      );
    },
  });
}

/**
 * @param {string} month
 * @param {string} vehicle
 */
const addButton = (month, vehicle) =>
  h(
    'button.button.primary.log',
    {
      type: 'button',
      'aria-label': texts.trips.add,
      dataset: { key: 'add-trip' },
      on: { click: () => openAddTrip(month, vehicle) },
    },
    glyph('plus', '.s16'),
    h('span.text', null, texts.trips.add),
  );

/**
 * @param {Api.Trip} trip
 * @param {string} month
 * @param {string} vehicle
 */
const addressOf = (trip, month, vehicle) =>
  `/trips/${encodeURIComponent(trip.id)}?month=${month}${vehicle && `&vehicle=${encodeURIComponent(vehicle)}`}`;

/** @param {Api.Event | null} latest trip in the record */
function nothing(latest) {
  if (!latest)
    return h(
      'div.empty',
      null,
      h('p', null, texts.trips.never),
      h('a.button', { href: '/devices' }, texts.trips.connect),
    );
  const day = dayOfEvent(latest);
  return h(
    'div.empty',
    null,
    h('p', null, texts.trips.latest(longDate(day))),
    h('a.button', { href: `/trips?month=${day.slice(0, 7)}` }, texts.timeline.show),
  );
}

/**
 * Returns `null` if the hub does not have the trip. Rethrows any other error.
 * @param {unknown} error
 */
function absent(error) {
  if (error instanceof Refused && error.status === 404) return null;
  throw error;
}

/**
 * @param {Api.Trip} trip
 * @returns {number}
 */
const metresOf = (trip) => Number(trip.properties?.distance?.value ?? 0);
/** @param {Api.Trip} trip */
const secondsOf = (trip) => (Date.parse(trip.end_date) - Date.parse(trip.timestamp)) / 1000;
/**
 * @param {Api.Trip} trip
 * @returns {string}
 */
const kindOf = (trip) => trip.properties?.category?.value ?? '';

/**
 * @param {Api.Trip} trip
 * @param {string} kind
 */
async function classify(trip, kind) {
  await changeTrip(trip, { properties: { category: { type: 'select', value: kind } } });
  toast(texts.toast.saved);
}

/**
 * Groups a month's trips by day, latest day first, with each day's trips in chronological order.
 * @param {Api.Trip[]} trips latest first
 * @param {string} month
 * @returns {Map<string, Api.Trip[]>}
 */
function byDay(trips, month) {
  /** @type {Map<string, Api.Trip[]>} */
  const days = new Map();
  for (const trip of trips) {
    const day = dayOfEvent(trip);
    if (day.slice(0, 7) === month) days.set(day, [trip, ...(days.get(day) ?? [])]);
  }
  return days;
}

/** @param {Map<string, Api.Trip[]>} days */
const inOrder = (days) => [...days.values()].flat();

/**
 * @param {Map<string, Api.Trip[]>} days
 * @param {Api.Trip | null} chosen
 * @param {string} month
 * @param {string} vehicle
 * @param {Map<string, string>} counted id of the counted trip for each trip that does not count
 */
function list(days, chosen, month, vehicle, counted) {
  return h(
    'nav.trip-list',
    { 'aria-label': texts.trips.list },
    [...days].map(([day, trips]) =>
      h(
        'div',
        null,
        h(
          'h2',
          null,
          h('span', null, longDate(day)),
          h('span', null, distance(trips.reduce((sum, trip) => sum + (counted.has(trip.id) ? 0 : metresOf(trip)), 0))),
        ),
        h(
          'ul',
          null,
          trips.map((trip) =>
            h(
              'li',
              null,
              h(
                'a',
                {
                  href: addressOf(trip, month, vehicle),
                  'aria-current': trip === chosen ? 'true' : null,
                  dataset: { key: trip.id },
                },
                h('span.quiet', null, time(new Date(trip.timestamp))),
                h(
                  'span',
                  null,
                  h('b', null, titleOf(trip)),
                  h(
                    'span.sub',
                    null,
                    `${length(secondsOf(trip))} · `,
                    counted.has(trip.id) ? texts.trips.witness : kindText(trip),
                  ),
                ),
                h('b.num', null, distance(metresOf(trip))),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

/** @param {Api.Trip} trip */
function kindText(trip) {
  const kind = kindOf(trip);
  return kind
    ? (texts.trips.kindsInLine[/** @type {'mixed'} */ (kind)] ?? kind)
    : h('b.link', null, texts.trips.classify);
}

/**
 * @param {Api.Trip} trip
 * @param {Api.Trip[]} all
 * @param {Api.GetTrip | null} around the hub's details of the trip and its neighbours, or `null` if unknown
 * @param {string | undefined} countedId id of the trip that counts instead
 */
function detail(trip, all, around, countedId) {
  const route = decodeRoute(trip.properties?.route?.value);
  const [from, to] = endsOf(trip);
  const kind = kindOf(trip);
  const car =
    vehicles().find((vehicle) => vehicle.id === trip.properties?.vehicle?.value)?.name ?? trip.properties?.car?.value;
  const rule = !trip.waits && trip.properties?.rule?.value;
  const slot = splitSlot(trip);
  const dot = spot();
  const act = (/** @type {string} */ key, /** @type {string} */ text, /** @type {() => void} */ click, isOn = true) =>
    isOn && h('button.button', { type: 'button', dataset: { key }, on: { click } }, text);
  return h(
    'div',
    null,
    route.length > 1
      ? routeMap({
          label: texts.trips.map,
          places: places(),
          route,
          roads: all.filter((other) => other !== trip).map((other) => decodeRoute(other.properties?.route?.value)),
          start: from ? '' : time(new Date(trip.timestamp)),
          end: to ? '' : time(new Date(trip.end_date)),
          cutter: cutter(trip),
          stops: stopsOf(around?.speed),
          gaps: gapsOf(around?.speed),
          spot: dot,
        })
      : h('p.empty', null, texts.trips.noRoute),
    h(
      'section',
      null,
      h(
        'div.head.trip-head',
        null,
        h(
          'div.words',
          null,
          h('h2', null, titleOf(trip)),
          h(
            'p.small.quiet',
            null,
            [
              longDate(dayOfEvent(trip)),
              texts.dates.span(time(new Date(trip.timestamp)), time(new Date(trip.end_date))),
              car,
              kind && (rule ? texts.trips.rule(rule) : ''),
            ]
              .filter(Boolean)
              .join(', '),
          ),
          countedId &&
            h(
              'p.small.quiet',
              null,
              `${texts.trips.witnessHint} `,
              h('a.link', { href: `/trips/${encodeURIComponent(countedId)}` }, texts.trips.counted),
            ),
        ),
      ),
      h(
        'div.tools-row',
        null,
        segments(texts.trips.category, KINDS, kind, (value) => classify(trip, value)),
        kind === 'mixed' && businessPart(trip),
        h(
          'div.actions',
          null,
          act('split', texts.trips.split, () => beginSplit(trip, slot), secondsOf(trip) > 3),
          around &&
            act('merge', texts.trips.merge, () => openMerge(trip, around), Boolean(around.previous || around.next)),
          act('edit', texts.act.edit, () => openEvent(trip)),
        ),
      ),
      slot,
      h(
        'dl.figures',
        null,
        figures(trip, around).map(([value, label]) => h('div', null, h('dt', null, label), h('dd', null, value))),
      ),
    ),
    around?.speed && speedStrip(trip, around.speed, dot),
    why(around),
    ends(trip),
  );
}

/**
 * Returns the field for a mixed trip's business distance.
 * @param {Api.Trip} trip
 */
function businessPart(trip) {
  const [unit, metres] = lengthUnit();
  const known = trip.properties?.business_distance?.value;
  const of = textField(
    texts.trips.businessPart(unit),
    known === undefined ? '' : String(Math.round((known / metres) * 10) / 10),
    { inputmode: 'decimal', size: 6, dataset: { key: 'business' } },
  );
  of.input.addEventListener('change', async () => {
    const text = of.read();
    const value = text ? parseNumber(text) * metres : null;
    if (value !== null && !(value >= 0 && value <= metresOf(trip) + 50))
      return of.wrong(texts.trips.badPart(distance(metresOf(trip))));
    of.wrong(null);
    await changeTrip(trip, {
      properties: {
        business_distance: value === null ? null : { type: 'number', value: Math.min(value, metresOf(trip)) },
      },
    });
    toast(texts.toast.saved);
  });
  return h('div.part', null, of.element);
}

/**
 * @param {Api.Trip} trip
 * @param {Api.GetTrip | null} around
 * @returns {[string, string][]}
 */
function figures(trip, around) {
  const top = trip.properties?.top_speed;
  // While an edit is pending, the average speed is unknown because the hub has yet to recompute it.
  const average = trip.waits ? null : summaryOf(trip)?.speed_mps;
  return /** @type {[string, string][]} */ (
    [
      [distance(metresOf(trip)), texts.trips.distance],
      [length(secondsOf(trip)), texts.trips.duration],
      average && [speed(average), texts.trips.average],
      top && [speed(top.value), texts.trips.top],
      around?.detour && [fixed(around.detour, 2), texts.trips.detour],
    ].filter(Boolean)
  );
}

/**
 * Returns a trip's start and end, with buttons to name them.
 * @param {Api.Trip} trip
 */
function ends(trip) {
  const known = placesAtEnds(trip)
    .map((end, i) => ({ ...end, word: i ? texts.trips.to : texts.trips.from }))
    .filter((end) => end.position);
  if (!known.length) return null;
  return h(
    'section',
    null,
    h('div.section-head', null, h('h2', null, texts.trips.ends)),
    h(
      'ul.rows',
      null,
      known.map(({ position, place, word }) => {
        const act = place ? texts.trips.rename : texts.trips.name;
        return h(
          'li',
          null,
          h(
            'div.plain-row',
            null,
            h('span.quiet.end-word', null, word),
            h('b.what', null, place?.name ?? texts.timeline.unknownPlace),
            h(
              'button.link.small',
              {
                type: 'button',
                'aria-label': texts.act.on(act, `${word} ${place?.name ?? texts.timeline.unknownPlace}`),
                dataset: { key: `name-${word}` },
                on: { click: () => openPlace(place, { position }) },
              },
              act,
            ),
          ),
        );
      }),
    ),
  );
}

/**
 * Returns the decisions made by trip detection, in chronological order.
 * @param {Api.GetTrip | null} around
 */
function why(around) {
  if (!around) return null;
  const found = around.explanation;
  const notes = !found
    ? [texts.why.unknown]
    : [
        texts.why.from(found.readings, found.device_name),
        !found.decisions.length && texts.why.device,
        !found.settled && texts.why.open,
        found.personal && texts.why.edited,
      ];
  return h(
    'section',
    null,
    h('div.section-head', null, h('h2', null, texts.why.title)),
    h('p.small.quiet.why-note', null, notes.filter(Boolean).join(' ')),
    found &&
      found.decisions.length > 0 &&
      h(
        'ol.why',
        null,
        found.decisions.map((decision) =>
          h(
            'li',
            null,
            h('time', { datetime: decision.time }, timeToSecond(new Date(decision.time))),
            h('span', null, decision.words ?? decision.rule),
          ),
        ),
      ),
  );
}
