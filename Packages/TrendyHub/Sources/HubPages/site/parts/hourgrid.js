// A type's pattern by hour and weekday, as a drawing, a table and sentences. The hub computes all numbers.

import { h, svg } from './dom.js';
import { tint } from './colour.js';
import { minuteText, weekdayName, weekStart } from '../data/days.js';
import { fixed } from '../locale.js';
import { texts } from '../texts.js';

/** @typedef {Api.Insights['types'][number]['pattern']} Pattern */

/** Returns the weekdays in the user's order, where 0 is Sunday. */
const order = () => Array.from({ length: 7 }, (_, i) => (weekStart() + i) % 7);
const hourText = (/** @type {number} */ hour) => minuteText((hour % 24) * 60);
const dayName = (/** @type {number} */ weekday, /** @type {'short' | 'long'} */ length = 'long') =>
  weekdayName(`2023-01-0${1 + weekday}`, length);

export const HOUR_COLUMNS = ['weekday', ...Array.from({ length: 24 }, (_, i) => String(i))];
/**
 * @param {Pattern} pattern
 * @returns {(string | number)[][]}
 */
export const hourRows = (pattern) => order().map((day) => [dayName(day, 'short'), ...pattern.grid[day]]);

/**
 * @param {Pattern} pattern
 * @returns {string[]}
 */
export function patternWords(pattern) {
  const { hour, weekday, usual, needs_events: needs, events } = pattern;
  if (needs) return [texts.insights.needsEntries(needs)];
  const said = [];
  if (usual) said.push(texts.insights.usually(minuteText(usual.from), minuteText(usual.through)));
  if (hour) said.push(texts.insights.peak(hourText(hour.peak), hourText(hour.peak + 1), Math.round(hour.share * 100)));
  if (weekday) said.push(texts.insights.bestDay(dayName(weekday.peak), Math.round(weekday.share * 100)));
  const best = hour && (!weekday || hour.consistency >= weekday.consistency) ? hour : weekday;
  said.push(
    best
      ? texts.insights.consistency(
          fixed(best.consistency, 2),
          texts.insights.confidence[/** @type {'low'} */ (best.confidence)],
          events,
        )
      : texts.insights.noPattern(events),
  );
  return said;
}

/**
 * Draws a pattern. Sentences beside the drawing describe it.
 * @param {Pattern} pattern
 * @param {string} color of the type
 */
export function hourGrid(pattern, color) {
  const most = Math.max(1, ...pattern.grid.flat());
  const level = (/** @type {number} */ n) => (n ? Math.ceil((n / most) * 4) : 0);
  return h(
    'div.heat.hours',
    { set: tint(color) },
    svg(
      'svg',
      { viewBox: '0 0 266 86', 'aria-hidden': 'true' },
      order().map((day, row) => [
        row % 2 === 0 && svg('text', { x: 0, y: row * 10 + 8 }, dayName(day, 'short')),
        pattern.grid[day].map((/** @type {number} */ n, /** @type {number} */ hour) =>
          svg(`rect.c${n ? `.l${level(n)}` : ''}`, { x: 28 + hour * 10, y: row * 10, width: 8, height: 8, rx: 2 }),
        ),
      ]),
      [0, 6, 12, 18].map((hour) => svg('text', { x: 28 + hour * 10, y: 82 }, hourText(hour))),
    ),
  );
}

/**
 * Draws the bars of a pattern by hour, with the peak in full colour. Sentences beside the bars describe the pattern.
 * @param {Pattern} pattern
 * @param {string} color of the type
 */
export function hourBars(pattern, color) {
  const sums = Array.from({ length: 24 }, (_, hour) => pattern.grid.reduce((sum, day) => sum + day[hour], 0));
  const most = Math.max(1, ...sums);
  return h(
    'div.bars.by-hour',
    { set: tint(color) },
    svg(
      'svg',
      { viewBox: '0 0 214 52', 'aria-hidden': 'true' },
      sums.map((n, hour) => {
        const height = Math.max(1.5, (34 * n) / most);
        return svg(`rect${hour === pattern.hour?.peak ? '.now' : ''}`, {
          x: hour * 9,
          y: 36 - height,
          width: 7,
          height,
          rx: 1,
        });
      }),
      [0, 6, 12, 18].map((hour) => svg('text', { x: hour * 9, y: 50 }, hourText(hour))),
    ),
  );
}
