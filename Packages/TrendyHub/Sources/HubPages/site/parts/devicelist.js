// A device of the person, as a row.

import { h } from './dom.js';
import { glyph } from './glyph.js';
import { clockAhead } from '../data/api.js';
import { waiting } from '../data/queue.js';
import { dayOf, length, nearDate, time } from '../data/days.js';
import { words } from '../texts.js';

/** @param {Api.Device} device */
export const deviceGlyph = (device) => glyph(/phone|pixel|galaxy|android|ipad/i.test(device.name) ? 'phone' : 'laptop');

/**
 * `17:46`, `yesterday 22:10`.
 * @param {string} moment
 */
function momentText(moment) {
  const day = nearDate(dayOf(new Date(moment)));
  return day === 'today' ? time(new Date(moment)) : `${day} ${time(new Date(moment))}`;
}

/** Clocks that are this close are right: a request is on its way for as long. */
const CLOSE = 5;

/** @param {number} ahead seconds */
const clockText = (ahead) =>
  Math.abs(ahead) > CLOSE ? words.devices.clockOff(length(Math.abs(ahead)), ahead > 0) : words.devices.clockRight;

/**
 * How much waits on a device, and for how long the oldest of it.
 * @param {number} n
 * @param {string | null} [oldest] a moment
 */
const waitText = (n, oldest) =>
  n === 0
    ? words.devices.nothingWaits
    : oldest
      ? words.sync.waiting(n, length((Date.now() - Date.parse(oldest)) / 1000))
      : words.devices.waitingHere(n);

/**
 * When it was last here, what waits on it and how its clock is: of others as they said then, or nothing where they do
 * not say.
 * @param {Api.Device} device
 * @returns {string[]}
 */
export function deviceState(device) {
  if (device.current) return [waitText(waiting().length), clockText(clockAhead())];
  if (!device.seen_at) return [words.devices.never];
  const { report } = device;
  /** @type {(string | null | false | undefined)[]} */
  const parts = [
    words.devices.seen(momentText(device.seen_at)),
    report && report.waiting !== null && waitText(report.waiting, report.oldest_at),
    report && report.clock_ahead_s !== null && clockText(report.clock_ahead_s),
    report?.version,
  ];
  return parts.flatMap((part) => part || []);
}

/**
 * The others, and this one: is everything here? Nothing where there is one device.
 * @param {Api.Device[]} list
 */
export function deviceBlock(list) {
  if (list.length < 2) return null;
  // Of many, the last that were here.
  const others = list
    .filter((device) => !device.current)
    .sort((a, b) => (b.seen_at ?? '').localeCompare(a.seen_at ?? ''))
    .slice(0, 3);
  return h(
    'section.devices-now',
    null,
    h(
      'div.section-head',
      null,
      h('h2', null, words.today.devices),
      h('a', { href: '/devices' }, words.today.allDevices(list.length)),
    ),
    h(
      'ul.rows',
      null,
      [...others, ...list.filter((device) => device.current)].map((device) =>
        h(
          'li',
          null,
          h(
            'div.plain-row',
            null,
            deviceGlyph(device),
            h('span.what.cut', null, device.current ? words.today.thisBrowser : device.name),
            h('span.quiet.small', null, shortState(device)),
          ),
        ),
      ),
    ),
  );
}

/**
 * `17:46, nothing waits`.
 * @param {Api.Device} device
 */
function shortState(device) {
  if (device.current) return waitText(waiting().length);
  if (!device.seen_at) return words.devices.never;
  return [
    momentText(device.seen_at),
    device.report && device.report.waiting !== null && waitText(device.report.waiting),
  ]
    .filter(Boolean)
    .join(', ');
}
