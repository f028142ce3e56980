import { h, say } from '../parts/dom.js';
import { disc, glyph } from '../parts/glyph.js';
import { definePage, head, logButton } from '../parts/pagehead.js';
import { tile } from '../parts/typetile.js';
import { progress } from '../parts/goal.js';
import { eventRow } from '../parts/eventrow.js';
import { openEvent, openLog, openNew, recordNow, recordText, stop } from '../parts/eventform.js';
import { deviceBlock } from '../parts/devicelist.js';
import { routeSketch } from '../parts/routesketch.js';
import { decodeRoute, distance, runningText, whenText } from '../parts/eventtext.js';
import { begins, drawFirst, firstStep } from './firstrun.js';
import { habitOf, readHabits } from '../data/habits.js';
import { moveType, orderedTypes } from '../data/tileorder.js';
import { unseenEvents } from '../data/queue.js';
import { actionFor, countsOf, eventsOf, isOwnType, read, runningIds, typeOf, types } from '../data/record.js';
import {
  addDays,
  dayOfEvent,
  length,
  longDate,
  minuteText,
  nearDate,
  startOfWeek,
  time,
  today as day,
  touches,
  weekStart,
  withDays,
} from '../data/days.js';
import { PALETTE, tint } from '../parts/colour.js';
import { texts } from '../texts.js';

/**
 * Page with tiles, running events, and the goals left for today.
 * @returns {import('../app.js').Page}
 */
export function today() {
  return definePage({
    title: texts.nav.today,
    wants: () => runningIds().length > 0,
    async load() {
      const date = day();
      const from = addDays(date, -13) < startOfWeek(date) ? addDays(date, -13) : startOfWeek(date);
      const step = firstStep(types().some((type) => !isOwnType(type)));
      const [events, counts, standings, live, devices, imports] = await Promise.all([
        eventsOf(date, date),
        countsOf(from, date),
        read(withDays('/insights/goals', { week_start: weekStart() })).catch(() => ({
          answer: { goals: [] },
          askedAt: Infinity,
        })),
        readLive(),
        read('/me/devices').catch(() => ({ answer: [] })),
        step === 3 ? read('/imports') : { answer: [] },
      ]);
      // Running events may have started before today.
      const ids = runningIds().map((running) => running.id);
      const held = new Set(events().map((event) => event.id));
      const older = await Promise.all(
        ids
          .filter((id) => !held.has(id))
          .map((id) =>
            read(`/events/${encodeURIComponent(id)}`)
              .then((r) => r.answer)
              .catch(() => null),
          ),
      );
      return {
        date,
        events,
        counts,
        standings: new Map(standings.answer.goals.map((goal) => [goal.event_type_id, goal])),
        saidAt: standings.askedAt,
        live,
        devices: devices.answer,
        imports: imports.answer,
        older: older.flatMap((event) => event ?? []),
      };
    },
    /** Polls live trips, which are not part of the record. */
    async follow(loaded) {
      const before = loaded.live;
      loaded.live = await readLive();
      return before.length + loaded.live.length > 0;
    },
    // Draw the page without waiting for scores, which the hub computes from the whole record.
    more: readHabits,
    draw({ date, events, counts, standings, saidAt, live, devices, imports, older }) {
      const all = orderedTypes().filter((type) => !isOwnType(type));
      const present = events().filter((event) => touches(event, date));
      const list = present.filter((event) => dayOfEvent(event) === date);
      const ids = new Set(runningIds().map((running) => running.id));
      const running = [...events(), ...older].filter(
        (event, i, every) =>
          ids.has(event.id) && !event.end_date && every.findIndex((other) => other.id === event.id) === i,
      );
      const unseen = unseenEvents(saidAt);
      /** @type {Map<Api.EventType, import('../parts/goal.js').Progress>} */
      const goals = new Map();
      for (const type of all) {
        const goal = progress(type, standings.get(type.id), unseen);
        if (goal) goals.set(type, goal);
      }
      const sums = counts.counts();
      const shown = mostUsed(all, sums, [...goals.keys(), ...running.map((event) => typeOf(event.event_type_id))]);
      const pressed = [
        tiles(all, shown, list, running, sums, date, goals, standings),
        shown.length < all.length && moreTypes(all.length - shown.length),
      ];
      const step = firstStep(all.length > 0);
      begins(step);
      if (step && !(step === 1 && list.length)) return drawFirst(step, all, pressed, list, imports);
      const left = [...goals].filter(([, goal]) => goal.left > 0 && !goal.isWeekly);
      const aside = [left.length > 0 && leftToday(left, running), deviceBlock(devices)].filter(Boolean);
      return h(
        'div.page',
        null,
        head(
          longDate(date),
          [list.length ? texts.today.entries(list.length) : texts.today.none, ' ', doneWords(goals)],
          [searchButton(), logButton()],
        ),
        liveThings(live, running),
        all.length
          ? pressed
          : h(
              'div.empty',
              null,
              h('p', null, texts.today.noTypes),
              h('a.button', { href: '/types' }, texts.today.choose),
            ),
        h(
          `div${aside.length ? '.columns' : ''}`,
          null,
          h(
            'section',
            null,
            h(
              'div.section-head',
              null,
              h('h2', null, texts.today.soFar),
              h('a', { href: '/timeline' }, texts.nav.timeline),
            ),
            present.length
              ? h(
                  'ul.rows',
                  null,
                  present.map((/** @type {Api.Event} */ event) =>
                    h('li', null, eventRow(event, { day: date, isRunning: ids.has(event.id) && !event.end_date })),
                  ),
                )
              : h('div.empty', null, h('p', null, texts.today.none)),
          ),
          aside.length > 0 && h('div', null, aside),
        ),
      );
    },
  });
}

/**
 * @typedef {Api.LiveTrips['trips'][number] & {route: number[][], start_place?: Api.TripSummary['start_place']}}
 *   LiveTrip
 * @returns {Promise<LiveTrip[]>}
 */
async function readLive() {
  const { answer } = await read('/me/live').catch(() => ({ answer: { trips: [] } }));
  return Promise.all(
    answer.trips.map(async (trip) => ({
      ...trip,
      ...(await routeOf(trip.id)),
    })),
  );
}

/** @param {string} id of a live trip */
const routeOf = (id) =>
  read(`/me/live/${encodeURIComponent(id)}/route`).then(
    ({ answer }) => ({ route: decodeRoute(answer.route), start_place: answer.start_place }),
    () => ({ route: [] }),
  );

/**
 * Returns a live trip's title, such as `Driving from Home` or `Driving since 08:08`.
 * @param {LiveTrip} trip
 */
function liveTitle(trip) {
  const from = trip.start_place?.name;
  return from ? texts.today.drivingFrom(from) : texts.today.driving(time(new Date(trip.start)));
}

const searchButton = () =>
  h(
    'a.button.square',
    { href: '/timeline?find=', 'aria-label': texts.act.search, title: texts.act.search },
    glyph('search', '.s16'),
  );

/** @param {Map<Api.EventType, import('../parts/goal.js').Progress>} goals */
function doneWords(goals) {
  const names = [...goals].filter(([, goal]) => goal.isMet && !goal.isWeekly).map(([type]) => type.name);
  return names.length ? texts.goal.done(names) : '';
}

/**
 * Returns the daily goals that have not been met yet.
 * @param {[Api.EventType, import('../parts/goal.js').Progress][]} left
 * @param {Api.Event[]} running
 */
const leftToday = (left, running) =>
  h(
    'section',
    null,
    h('div.section-head', null, h('h2', null, texts.goal.leftToday)),
    h(
      'ul.rows',
      null,
      left.map(([type, goal]) => {
        const now = running.find((event) => event.event_type_id === type.id);
        const action = actionFor(type, Boolean(now));
        return h(
          'li',
          null,
          h(
            'div.plain-row',
            null,
            disc(type, 28),
            h('span.what', null, h('b', null, type.name), ' ', h('span.quiet.small', null, leftWords(type, goal))),
            h(
              'button.button',
              {
                type: 'button',
                'aria-label': recordText(type, now),
                dataset: { key: `left-${type.id}` },
                on: { click: () => recordNow(type, now) },
              },
              texts.act[action === 'ask' ? 'log' : action],
            ),
          ),
        );
      }),
    ),
  );

/**
 * Returns a goal's remaining amount and usual time.
 * @param {Api.EventType} type
 * @param {import('../parts/goal.js').Progress} goal
 */
function leftWords(type, goal) {
  const usual = habitOf(type.id)?.usual;
  return [texts.goal.left(goal.leftText, goal.ofText), usual ? texts.today.usually(minuteText(usual.from)) : '']
    .filter(Boolean)
    .join(', ');
}

/**
 * @param {LiveTrip[]} trips
 * @param {Api.Event[]} running
 */
function liveThings(trips, running) {
  if (!trips.length && !running.length) return null;
  return h(
    'aside.lives',
    { 'aria-label': texts.today.now },
    trips.map((trip) =>
      h(
        'div.live',
        { set: tint(PALETTE[4].mark) },
        trip.route.length > 1 ? routeSketch(trip.route) : disc({ name: '', color: PALETTE[4].mark, icon: 'car' }, 32),
        h(
          'div.what',
          null,
          h('b', null, liveTitle(trip)),
          h(
            'span.small.quiet',
            null,
            trip.paused
              ? texts.today.paused
              : [texts.today.since(time(new Date(trip.start))), trip.device_name].filter(Boolean).join(', '),
          ),
        ),
        h(
          'div.num',
          null,
          h('div.figure', null, distance(trip.distance_m)),
          h('div.small.quiet', null, length((Date.now() - Date.parse(trip.start)) / 1000)),
        ),
      ),
    ),
    running.map((event) => {
      const type = typeOf(event.event_type_id);
      return h(
        'div.live',
        { set: tint(type.color) },
        h(
          'button.what',
          { type: 'button', on: { click: () => openEvent(event) } },
          h('b', null, h('span.dot'), type.name),
          h('span.small.quiet', null, texts.today.since(whenText(event))),
        ),
        h('span.figure', null, runningText(event)),
        h(
          'button.button',
          { type: 'button', dataset: { key: `stop-${event.id}` }, on: { click: () => stop(event) } },
          glyph('stop', '.s16'),
          texts.act.stop,
        ),
      );
    }),
  );
}

/** Maximum number of tiles. Other types are found by search. */
const TILES = 24;

/**
 * Returns the types to show as tiles, in tile order: those with goals or running events, then those used most.
 * @param {Api.EventType[]} all in the order of the tiles
 * @param {Map<string, Record<string, number>>} counts daily counts for recent days
 * @param {Api.EventType[]} needed
 */
function mostUsed(all, counts, needed) {
  if (all.length <= TILES) return all;
  /** @type {Map<string, number>} */
  const uses = new Map();
  for (const day of counts.values()) for (const [id, n] of Object.entries(day)) uses.set(id, (uses.get(id) ?? 0) + n);
  for (const type of needed) uses.set(type.id, Infinity);
  const rank = new Map(
    [...all].sort((a, b) => compare(uses.get(b.id) ?? 0, uses.get(a.id) ?? 0)).map((type, i) => [type.id, i]),
  );
  return all.filter((type) => (rank.get(type.id) ?? 0) < TILES);
}

const compare = (/** @type {number} */ a, /** @type {number} */ b) => (a === b ? 0 : a < b ? -1 : 1);

/** @param {number} n types without a tile */
const moreTypes = (n) =>
  h(
    'p',
    null,
    h(
      'button.button',
      { type: 'button', dataset: { key: 'more-types' }, on: { click: () => openLog() } },
      glyph('search', '.s16'),
      texts.today.moreTypes(n),
    ),
  );

/**
 * @param {Api.EventType[]} all in the order of the tiles
 * @param {Api.EventType[]} shown
 * @param {Api.Event[]} list
 * @param {Api.Event[]} running
 * @param {Map<string, Record<string, number>>} counts
 * @param {string} date
 * @param {Map<Api.EventType, import('../parts/goal.js').Progress>} goals
 * @param {Map<string, import('../parts/goal.js').Standing>} standings
 */
function tiles(all, shown, list, running, counts, date, goals, standings) {
  const days = Array.from({ length: 14 }, (_, i) => addDays(date, i - 13));
  const monday = startOfWeek(date);
  const ids = all.map((type) => type.id);
  const move = async (/** @type {Api.EventType} */ type, /** @type {number} */ to) => {
    if (to < 0 || to >= ids.length || to === ids.indexOf(type.id)) return;
    await moveType(ids, type.id, to);
    say(texts.today.moved(type.name, to + 1, ids.length));
  };
  return h(
    'div.tiles',
    { role: 'group', 'aria-label': texts.today.tiles },
    shown.map((type, i) => {
      const of = list.filter((event) => event.event_type_id === type.id);
      const numbers = days.map((each) => counts.get(each)?.[type.id] ?? 0);
      const week = [...counts].reduce(
        (sum, [each, each_counts]) => sum + (each >= monday ? (each_counts[type.id] ?? 0) : 0),
        0,
      );
      const now = running.find((event) => event.event_type_id === type.id);
      const lastDay = days.findLast((each) => Boolean(counts.get(each)?.[type.id]));
      const last = now
        ? texts.today.since(whenText(now))
        : of.length
          ? of.slice(0, 2).map(whenText).reverse().join(', ')
          : lastDay
            ? nearDate(lastDay)
            : habitOf(type.id)
              ? texts.today.notRecently
              : texts.today.notYet;
      return tile({
        type,
        today: of.length,
        days: numbers,
        week,
        last,
        waits: of.some((event) => event.waits),
        running: now,
        key: i + 1,
        goal: goals.get(type) ?? null,
        streak: standings.get(type.id)?.streak ?? 0,
        score: habitOf(type.id)?.score ?? null,
        move: (step) => shown[i + step] && move(type, ids.indexOf(shown[i + step].id)),
        drop: (id) => {
          const moved = all.find((other) => other.id === id);
          if (moved) move(moved, ids.indexOf(type.id));
        },
        log: () => recordNow(type, now),
        open: () => openNew(type),
      });
    }),
  );
}
