import { h, svg } from './dom.js';
import { glyphAt } from './glyph.js';
import { tint } from './colour.js';
import { isTrip, isVisit, titleOf, distance } from './eventtext.js';
import { typeOf } from '../data/record.js';
import { startOf, addDays, time, today } from '../data/days.js';
import { texts } from '../texts.js';

/**
 * @typedef {{start: string, step_s: number, counts: number[], gaps: {from: string, to: string}[]}} Fixes of a day, as
 *   the hub returns them
 */

/**
 * @param {Api.Event} event
 */
const placeColour = (event) => typeOf(event.event_type_id).color;

/**
 * Draws a day as lanes along its hours. The list below has the same information as text.
 * @param {string} date
 * @param {Api.Event[]} events
 * @param {number} width
 * @param {Fixes | null} fixes positions of the day and the gaps between them, or `null` if unknown
 */
export function dayBand(date, events, width, fixes) {
  const begin = startOf(date).getTime();
  const end = startOf(addDays(date, 1)).getTime();
  const isNarrow = width < 600;
  const left = isNarrow ? 0 : 76;
  const x = (/** @type {number} */ moment) =>
    left + ((Math.min(end, Math.max(begin, moment)) - begin) / (end - begin)) * (width - left);
  const visits = events.filter((event) => isVisit(event) && (event.end_date || date === today()));
  const trips = events.filter(isTrip).sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const others = events
    .filter((event) => !visits.includes(event) && !isTrip(event) && !event.is_all_day)
    .sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const lanes = [];
  let y = 24;
  const row = { places: 0, trips: 0, events: 0 };
  if (visits.length) {
    row.places = y;
    y += isNarrow ? 36 : 52;
    lanes.push([row.places + 24, texts.timeline.places]);
  }
  if (trips.length) {
    row.trips = y;
    y += isNarrow ? 18 : 40;
    lanes.push([row.trips + 16, texts.timeline.trips]);
  }
  row.events = y;
  y += isNarrow ? 22 : 46;
  lanes.push([row.events + 25, texts.timeline.events]);
  const hasFixes = Boolean(fixes?.counts.length);
  const ticksAt = y;
  if (hasFixes) {
    y += isNarrow ? 14 : 26;
    lanes.push([ticksAt + 13, texts.timeline.positions]);
  }
  /** @type {Child[]} */
  const hours = [];
  for (let hour = 0; hour <= 24; hour++) {
    const moment = begin + ((end - begin) * hour) / 24;
    const isNamed = hour % (isNarrow ? 6 : 3) === 0;
    hours.push(
      svg('line.grid', { x1: x(moment), x2: x(moment), y1: isNamed ? 18 : 24, y2: y }),
      isNamed &&
        svg(
          'text',
          { x: x(moment), y: 11, 'text-anchor': hour === 0 ? 'start' : hour === 24 ? 'end' : 'middle' },
          hour === 24 ? time(new Date(end)).replace(/^00:00$/, '24:00') : time(new Date(moment)),
        ),
    );
  }
  let right = -Infinity;
  const now = Date.now();
  return h(
    'div.band',
    null,
    svg(
      'svg',
      { viewBox: `0 0 ${width} ${y}`, role: 'img', 'aria-label': texts.timeline.band },
      hours,
      !isNarrow && lanes.map(([at, text]) => svg('text.lane', { x: 0, y: Number(at) }, text)),
      visits.map((event) => {
        const [a, b] = [x(Date.parse(event.timestamp)), x(event.end_date ? Date.parse(event.end_date) : now)];
        const wide = Math.max(3, b - a);
        const name = titleOf(event);
        const tall = isNarrow ? 26 : 40;
        return svg(
          'g.lane-item',
          { set: tint(placeColour(event)) },
          svg('rect.wash', { x: a, y: row.places, width: wide, height: tall, rx: 2 }),
          svg('rect.edge', { x: a, y: row.places + tall - 3, width: wide, height: 3, rx: 1.5 }),
          name.length * 7 + 14 < wide && svg('text.in', { x: a + 8, y: row.places + tall / 2 + 2 }, name),
        );
      }),
      trips.map((event, i) => {
        const [a, b] = [x(Date.parse(event.timestamp)), x(Date.parse(event.end_date))];
        const next = trips[i + 1] ? x(Date.parse(trips[i + 1].timestamp)) : width;
        const text = distance(event.properties?.distance?.value ?? 0);
        return svg(
          'g',
          null,
          svg('rect.trip', {
            x: a,
            y: row.trips + (isNarrow ? 2 : 0),
            width: Math.max(6, b - a),
            height: isNarrow ? 10 : 24,
            rx: 4,
          }),
          !isNarrow &&
            text.length * 6.5 + 12 < next - b &&
            svg('text', { x: Math.max(b, a + 6) + 7, y: row.trips + 16 }, text),
        );
      }),
      others.map((event) => {
        const type = typeOf(event.event_type_id);
        const at = x(Date.parse(event.timestamp));
        if (isNarrow)
          return svg(
            'g.lane-item',
            { set: tint(type.color) },
            svg('circle.solid', { cx: Math.max(5, at), cy: row.events + 12, r: 5 }),
          );
        const centre = Math.min(width - 13, Math.max(at, right + 30, left + 13));
        const stem = svg('line.stem', { x1: at, x2: at, y1: row.events, y2: row.events + 8 });
        // An event without room for a glyph keeps only its stem.
        if (centre - at > 60 || centre < right + 26) return svg('g.lane-item', { set: tint(type.color) }, stem);
        right = centre;
        return svg(
          'g.lane-item',
          { set: tint(type.color) },
          stem,
          svg('circle.wash', { cx: centre, cy: row.events + 23, r: 13 }),
          glyphAt(type, centre, row.events + 23),
        );
      }),
      hasFixes &&
        fixes && [
          ticks(fixes, x, ticksAt + 4),
          fixes.gaps.map((gap) =>
            svg('rect.gap', {
              x: x(Date.parse(gap.from)),
              y: 24,
              width: Math.max(3, x(Date.parse(gap.to)) - x(Date.parse(gap.from))),
              height: y - 24,
              rx: 4,
            }),
          ),
        ],
      date === today() && svg('line.now', { x1: x(now), x2: x(now), y1: 18, y2: y }),
    ),
  );
}

/**
 * Draws ticks for positions, darker where there are many.
 * @param {Fixes} fixes
 * @param {(moment: number) => number} x
 * @param {number} y
 */
function ticks(fixes, x, y) {
  const [start, step] = [Date.parse(fixes.start), fixes.step_s * 1000];
  return fixes.counts.map(
    (n, i) =>
      n > 0 &&
      svg(n > 5 ? 'rect.tick.many' : 'rect.tick', {
        x: x(start + i * step),
        y,
        width: Math.max(0.8, x(start + (i + 1) * step) - x(start + i * step) - 0.8),
        height: 10,
      }),
  );
}
