import { h } from './dom.js';
import { disc, glyph } from './glyph.js';
import { isTrip, isVisit, runningText, summary, timeText, titleOf, tripParts } from './eventtext.js';
import { deleteEvent, openEvent } from './eventform.js';
import { go } from '../data/navigation.js';
import { typeOf } from '../data/record.js';
import { dayOfEvent, lastDayOf, otherZone, time, weekdayName, zoneOf } from '../data/days.js';
import { texts } from '../texts.js';

const SOURCES = { imported: 'file', geofence: 'pin', healthkit: 'heart', trip: 'car', manual: '' };

/**
 * Returns an event's row. Pressing the row opens the event, or the page of a trip.
 * @param {Api.Event} event
 * @param {{day?: string, before?: Node | null, when?: string, title?: string, mark?: string, end?: string, isRunning?:
 *   boolean, hasSource?: boolean, choice?: {isOn: boolean, toggle: () => void, erase: () => void} | null}} [options]
 *   `when` replaces the time. `title` is a time that replaces the name of the event. With `choice`, pressing the row
 *   selects it
 */
export function eventRow(event, options = {}) {
  const {
    day,
    before = null,
    when,
    title = '',
    mark = '',
    end = '',
    isRunning = false,
    hasSource = true,
    choice = null,
  } = options;
  const type = typeOf(event.event_type_id);
  const source = hasSource ? (SOURCES[/** @type {keyof typeof SOURCES} */ (event.source_type)] ?? '') : '';
  const from = day ? reachText(event, day) : '';
  // On narrow screens, show only the distance of a trip.
  const [value, ...rest] = isRunning
    ? [texts.today.running(runningText(event))]
    : isTrip(event)
      ? tripParts(event)
      : [
          isVisit(event) && event.end_date
            ? title || from
              ? ''
              : texts.timeline.until(time(new Date(event.end_date)))
            : summary(event),
        ];
  const zone = otherZone(event);
  const there = zone ? texts.timeline.there(time(new Date(event.timestamp), zone), zone) : '';
  const note = (event.notes ?? '').replace(/\s+/g, ' ');
  return h(
    'button.row',
    {
      type: 'button',
      'aria-pressed': choice && String(choice.isOn),
      dataset: { key: event.id, event: event.id },
      on: {
        click: () =>
          choice ? choice.toggle() : isTrip(event) ? go(`/trips/${encodeURIComponent(event.id)}`) : openEvent(event),
        edit: () => openEvent(event),
        delete: () => (choice ? choice.erase() : deleteEvent(event)),
      },
    },
    h('span.time', null, (when ?? timeText(event, day)).replace(/ (?=[+-]\d\d:\d\d$)/, '\n')),
    before,
    choice ? h('span.tick', null, choice.isOn && glyph('check', '.s16')) : disc(type, 28),
    h(
      'span.what',
      null,
      h(title ? 'b.when' : 'b', null, marked(title || titleOf(event), mark)),
      value && h('span.value', null, marked(value, mark)),
      rest.length > 0 && h('span.value.rest', null, marked(`, ${rest.join(', ')}`, mark)),
      from && h('span.note.from', null, from),
      there && h('span.note.there', null, there),
      note && h('span.note', null, marked(note, mark)),
    ),
    h(
      'span.end',
      null,
      end && h('span.length', null, end),
      event.waits && h('span', null, h('span.spoken', null, texts.timeline.pending), glyph('clock', '.s16')),
      source && !event.waits && glyph(source, '.s16'),
    ),
  );
}

/**
 * Returns when an event from another day began, or when an event that continues beyond the day ends: `since Wed 23:00`.
 * @param {Api.Event} event
 * @param {string} day
 */
function reachText(event, day) {
  if (event.is_all_day || !event.end_date) return '';
  const at = (/** @type {string} */ date, /** @type {string} */ moment) =>
    texts.dates.at(weekdayName(date), time(new Date(moment), zoneOf(event)));
  const [first, last] = [dayOfEvent(event), lastDayOf(event)];
  if (first < day) return texts.timeline.since(at(first, event.timestamp));
  return last > day ? texts.timeline.until(at(last, event.end_date)) : '';
}

/**
 * Highlights the first occurrence of a search text.
 * @param {string} text
 * @param {string} mark
 */
function marked(text, mark) {
  const at = mark ? text.toLowerCase().indexOf(mark.toLowerCase()) : -1;
  if (at < 0) return text;
  return [text.slice(0, at), h('mark', null, text.slice(at, at + mark.length)), text.slice(at + mark.length)];
}
