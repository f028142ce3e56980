import { h } from './dom.js';
import { glyph } from './glyph.js';
import { clockAhead } from '../data/api.js';
import { waiting } from '../data/queue.js';
import { length, nearTime } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * Returns the devices with this browser first.
 * @param {Api.Device[]} list
 */
export const thisFirst = (list) => [...list].sort((a, b) => Number(b.current) - Number(a.current));

/** @param {Api.Device} device */
export const deviceGlyph = (device) => glyph(/phone|pixel|galaxy|android|ipad/i.test(device.name) ? 'phone' : 'laptop');

/** Clock differences up to this many seconds count as correct, because a request takes time. */
const CLOSE = 5;

/** @param {number} ahead seconds */
const clockText = (ahead) =>
  Math.abs(ahead) > CLOSE ? texts.devices.clockOff(length(Math.abs(ahead)), ahead > 0) : texts.devices.clockCorrect;

/**
 * Returns the number of pending entries and the age of the oldest as text.
 * @param {number} n
 * @param {string | null} [oldest] timestamp of the oldest entry
 */
const waitText = (n, oldest) =>
  n && oldest ? texts.sync.pendingSince(n, length((Date.now() - Date.parse(oldest)) / 1000)) : texts.sync.pending(n);

/**
 * Returns the state that a device has reported: last contact, pending entries, and clock.
 * @param {Api.Device} device
 * @returns {string[]}
 */
export function deviceState(device) {
  if (device.current) return [waitText(waiting().length), clockText(clockAhead())];
  if (!device.seen_at) return [texts.devices.never];
  const { report } = device;
  /** @type {(string | null | false | undefined)[]} */
  const parts = [
    texts.devices.seen(nearTime(new Date(device.seen_at))),
    report && report.waiting !== null && waitText(report.waiting, report.oldest_at),
    report && report.clock_ahead_s !== null && clockText(report.clock_ahead_s),
    report?.version,
  ];
  return parts.flatMap((part) => part || []);
}

/**
 * Returns the devices for the Today page, or `null` if there is only one device.
 * @param {Api.Device[]} list
 */
export function deviceBlock(list) {
  if (list.length < 2) return null;
  // Show the devices seen most recently.
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
      h('h2', null, texts.nav.devices),
      h('a', { href: '/devices' }, texts.today.allDevices(list.length)),
    ),
    h(
      'ul.rows',
      null,
      thisFirst([...others, ...list.filter((device) => device.current)]).map((device) =>
        h(
          'li',
          null,
          h(
            'div.plain-row',
            null,
            deviceGlyph(device),
            h('span.what.cut', null, device.current ? texts.today.thisBrowser : device.name),
            h('span.quiet.small', null, shortState(device)),
          ),
        ),
      ),
    ),
  );
}

/**
 * Returns a device's state in short form, such as `17:46, 0 pending`.
 * @param {Api.Device} device
 */
function shortState(device) {
  if (device.current) return waitText(waiting().length);
  if (!device.seen_at) return texts.devices.never;
  return [
    nearTime(new Date(device.seen_at)),
    device.report && device.report.waiting !== null && waitText(device.report.waiting),
  ]
    .filter(Boolean)
    .join(', ');
}
