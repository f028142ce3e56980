// A device of the person, as a row.

import { h } from './dom.js';
import { glyph } from './glyph.js';
import { clockAhead } from '../data/api.js';
import { waiting } from '../data/queue.js';
import { dayOf, length, nearDate, time } from '../data/days.js';
import { words } from '../words.js';

/** @param {any} device */
export const deviceGlyph = (device) => glyph(/phone|pixel|galaxy|android|ipad/i.test(device.name) ? 'phone' : 'laptop');

/** `17:46`, `yesterday 22:10`. @param {string} moment */
function momentText(moment) {
  const day = nearDate(dayOf(new Date(moment)));
  return day === 'today' ? time(new Date(moment)) : `${day} ${time(new Date(moment))}`;
}

/** When it was last here; of this browser what waits in it, and its clock. @param {any} device @returns {string[]} */
export function deviceState(device) {
  if (!device.current) return [device.seen_at ? words.devices.seen(momentText(device.seen_at)) : words.devices.never];
  const [n, ahead] = [waiting().length, clockAhead()];
  return [n ? words.devices.waitingHere(n) : words.devices.nothingWaits, ahead ? words.devices.clockOff(length(Math.abs(ahead)), ahead > 0) : words.devices.clockRight];
}

/** The others, and this one: is everything here? Nothing where there is one device. @param {any[]} list */
export function deviceBlock(list) {
  if (list.length < 2) return null;
  // Of many, the last that were here.
  const others = list.filter((device) => !device.current).sort((a, b) => (b.seen_at ?? '').localeCompare(a.seen_at ?? '')).slice(0, 3);
  return h('section.devices-now', null, h('div.section-head', null, h('h2', null, words.today.devices), h('a', { href: '/devices' }, words.today.allDevices(list.length))), h('ul.rows', null, [...others, ...list.filter((device) => device.current)].map((device) =>
    h('li', null, h('div.plain-row', null, deviceGlyph(device), h('span.what.cut', null, device.current ? words.today.thisBrowser : device.name), h('span.quiet.small', null, deviceState(device)[0]))))));
}
