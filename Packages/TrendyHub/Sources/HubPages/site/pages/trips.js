import { h } from '../parts/dom.js';
import { head, segments, stepButton } from '../parts/head.js';
import { routeMap } from '../parts/routemap.js';
import { openEvent } from '../parts/eventform.js';
import { toast } from '../parts/toast.js';
import { decodeRoute, distance, endsOf, isTrip, speed, titleOf } from '../parts/values.js';
import { go } from '../data/address.js';
import { change, eventsOf, places, read, vehicles } from '../data/record.js';
import { addDays, dateHere, dayOfEvent, length, longDate, monthName, time, today } from '../data/days.js';
import { words } from '../words.js';

/** @type {[string, string][]} */
const KINDS = [['business', words.trips.business], ['private', words.trips.private], ['mixed', words.trips.mixed]];

/** Was it detected right? @param {string} id @param {URLSearchParams} query @returns {import('../app.js').Page} */
export function trips(id, query) {
  const asked = query.get('month') ?? '';
  return {
    title: words.nav.trips,
    async load() {
      let month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : '';
      if (!month) month = id ? dateHere(new Date((await read(`/events/${encodeURIComponent(id)}`)).answer.timestamp)).slice(0, 7) : today().slice(0, 7);
      const first = `${month}-01`;
      return { month, events: await eventsOf(first, addDays(nextMonth(month, 1), -1)) };
    },
    draw({ month, events }) {
      const all = events().filter((/** @type {any} */ event) => isTrip(event) && dayOfEvent(event).slice(0, 7) === month);
      const chosen = all.find((/** @type {any} */ trip) => trip.id === id) ?? (innerWidth >= 1000 ? all[0] : null);
      const metres = all.reduce((/** @type {number} */ sum, /** @type {any} */ trip) => sum + metresOf(trip), 0);
      const open = all.filter((/** @type {any} */ trip) => !trip.properties?.category?.value).length;
      const move = (/** @type {number} */ step) => () => go(`/trips?month=${nextMonth(month, step).slice(0, 7)}`, true);
      const sentence = all.length ? `${words.trips.summary(all.length, distance(metres))}${open ? ` ${words.trips.decide(open)}` : ''}` : words.trips.none;
      return h('div.page', null, head(`${monthName(`${month}-01`, 'long')} ${month.slice(0, 4)}`, sentence, [stepButton(words.act.earlier, -1, move(-1)), stepButton(words.act.later, 1, move(1))]),
        all.length ? h('div.split', null, innerWidth >= 1000 ? [list(all, chosen, month), chosen && detail(chosen, all)] : [chosen && detail(chosen, all), list(all, chosen, month)]) : h('div.empty', null, h('p', null, words.trips.never)));
    },
  };
}

/** The first of the month some months away. @param {string} month @param {number} step */
function nextMonth(month, step) {
  const [y, m] = month.split('-').map(Number);
  return new Date(Date.UTC(y, m - 1 + step, 1)).toISOString().slice(0, 10);
}

/** @param {any} trip @returns {number} */
const metresOf = (trip) => Number(trip.properties?.distance?.value ?? 0);
/** @param {any} trip */
const secondsOf = (trip) => (Date.parse(trip.end_date) - Date.parse(trip.timestamp)) / 1000;

/** @param {any[]} all @param {any} chosen @param {string} month */
function list(all, chosen, month) {
  /** @type {Map<string, any[]>} */
  const days = new Map();
  for (const trip of all) days.set(dayOfEvent(trip), [...(days.get(dayOfEvent(trip)) ?? []), trip]);
  return h('nav.trip-list', { 'aria-label': words.trips.list }, [...days].map(([day, trips]) => h('div', null,
    h('h2', null, h('span', null, longDate(day)), h('span', null, distance(trips.reduce((sum, trip) => sum + metresOf(trip), 0)))),
    h('ul', null, [...trips].reverse().map((trip) => h('li', null, h('a', { href: `/trips/${encodeURIComponent(trip.id)}?month=${month}`, 'aria-current': trip === chosen ? 'true' : null, dataset: { key: trip.id } },
      h('span.quiet', null, time(new Date(trip.timestamp))), h('span', null, h('b', null, titleOf(trip)), h('span.sub', null, `${length(secondsOf(trip))} · `, kindText(trip))), h('b.num', null, distance(metresOf(trip))))))))));
}

/** @param {any} trip */
function kindText(trip) {
  const kind = trip.properties?.category?.value;
  return kind ? KINDS.find(([name]) => name === kind)?.[1].toLowerCase() ?? kind : h('b.link', null, words.trips.toDecide);
}

/** @param {any} trip @param {any[]} all */
function detail(trip, all) {
  const route = decodeRoute(trip.properties?.route?.value);
  const [from, to] = endsOf(trip);
  const kind = trip.properties?.category?.value ?? '';
  const choose = async (/** @type {string} */ value) => {
    await change('events', trip, { properties: { category: { type: 'select', value }, rule: null } }, words.toast.saved);
    toast(words.toast.saved);
  };
  const car = vehicles().find((vehicle) => vehicle.id === trip.properties?.vehicle?.value)?.name ?? trip.properties?.car?.value;
  const rule = trip.properties?.rule?.value;
  return h('div', null,
    route.length > 1 ? routeMap({ label: words.trips.map, places: places(), route, roads: all.filter((other) => other !== trip).map((other) => decodeRoute(other.properties?.route?.value)), start: from ? '' : time(new Date(trip.timestamp)), end: to ? '' : time(new Date(trip.end_date)) })
      : h('p.empty', null, words.trips.noRoute),
    h('section', null, h('div.head', null, h('div.words', null, h('h2', null, titleOf(trip)),
      h('p.small.quiet', null, [`${longDate(dayOfEvent(trip))}, ${time(new Date(trip.timestamp))} – ${time(new Date(trip.end_date))}`, car, kind && (rule ? words.trips.rule(rule) : '')].filter(Boolean).join(', '))),
    h('div.actions', null, h('button.button', { type: 'button', dataset: { key: 'edit' }, on: { click: () => openEvent(trip) } }, words.act.edit))),
    h('div.tools-row', null, segments(words.trips.kind, KINDS, kind, choose)),
    h('dl.figures', null, figures(trip).map(([value, label]) => h('div', null, h('dt', null, label), h('dd', null, value))))));
}

/** @param {any} trip @returns {[string, string][]} */
function figures(trip) {
  const { average_speed: average, top_speed: top } = trip.properties ?? {};
  return /** @type {[string, string][]} */ ([[distance(metresOf(trip)), words.trips.distance], [length(secondsOf(trip)), words.trips.length],
    average && [speed(average.value), words.trips.average], top && [speed(top.value), words.trips.top]].filter(Boolean));
}
