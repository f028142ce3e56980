import { h, svg } from './dom.js';
import { tint } from './colour.js';
import { addDays, daysBetween, longDate, monthName, startOfWeek, today, weekdayName } from '../data/days.js';
import { count } from '../locale.js';
import { texts } from '../texts.js';

/**
 * Position of the first cell, and half the height of a label. Phones scale the drawing down, so their labels are
 * larger.
 */
const WIDE = { left: 30, top: 20, half: 4 };
const NARROW = { left: 46, top: 26, half: 6 };

/** Returns the hatch pattern for skipped days, needed only once per page. */
export const hatch = () =>
  svg(
    'svg.defs',
    { 'aria-hidden': 'true' },
    svg(
      'defs',
      null,
      svg(
        'pattern',
        { id: 'hatch', width: 4.4, height: 4.4, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' },
        svg('line', { x1: 0, y1: 0, x2: 0, y2: 4.4, stroke: 'var(--edge)', 'stroke-width': 2.2 }),
      ),
    ),
  );

/**
 * Returns a function that maps a day's count to a level by the hub's bounds. Types unknown to the hub have one level.
 * @param {number[]} [bounds]
 * @returns {(value: number) => number} 0 to 4
 */
const levels =
  (bounds = [0, 0, 1]) =>
  (value) =>
    value <= 0 ? 0 : 1 + bounds.filter((bound) => value > bound).length;

/**
 * Returns each level's range of counts as text. Levels that no count can have are omitted.
 * @param {number[]} bounds
 * @returns {[number, string][]}
 */
function levelWords(bounds) {
  const ends = [...bounds.map(Math.floor), Infinity];
  return ends.flatMap((end, i) => {
    const start = i ? ends[i - 1] + 1 : 1;
    return end < start
      ? []
      : [
          /** @type {[number, string]} */ ([
            i + 1,
            end === Infinity ? `${count(start)}+` : start === end ? count(start) : `${count(start)}–${count(end)}`,
          ]),
        ];
  });
}

/** @param {number[] | undefined} bounds */
function legend(bounds) {
  // A type with a single level needs no legend.
  const words = bounds?.[0] ? levelWords(bounds) : [];
  if (words.length < 2) return null;
  return h(
    'p.levels',
    { 'aria-hidden': 'true' },
    words.map(([level, text]) => h('span', null, h(`i.l${level}`), text)),
  );
}

/**
 * Draws a heat map of days in one or more ranges. The arrow keys move between days, and Enter opens a day.
 * @param {{type: Api.EventType, stretches: [string, string][], counts: Map<string, number>, bounds: number[] |
 *   undefined, first: string | null, isSkipped: (date: string) => boolean, isSparse: boolean, pitch: number, open:
 *   (date: string) => void, about: Node, say: HTMLElement}} of `stretches` are ranges of dates; `isSparse` labels fewer
 *   weekdays
 */
export function heatmap({ type, stretches, counts, bounds, first, isSkipped, isSparse, pitch, open, about, say }) {
  const cell = pitch - 3.2;
  const { left, top, half } = isSparse ? NARROW : WIDE;
  const level = levels(bounds);
  const now = today();
  /** @type {SVGElement[]} */
  const cells = [];
  /** @type {string[]} */
  const dates = [];
  const pictures = stretches.map(([from, to]) => {
    const monday = startOfWeek(from);
    const weeks = Math.floor(daysBetween(monday, to) / 7) + 1;
    const children = [];
    /** @type {SVGElement[][]} */
    const rows = [];
    for (const row of isSparse ? [0, 3, 6] : [0, 2, 4, 6])
      children.push(svg('text', { x: 0, y: top + row * pitch + cell / 2 + half }, weekdayName(addDays(monday, row))));
    let month = '';
    for (let date = from; date <= to; date = addDays(date, 1)) {
      const n = daysBetween(monday, date);
      const [column, row] = [Math.floor(n / 7), n % 7];
      const [x, y] = [left + column * pitch, top + row * pitch];
      if (date.slice(5, 7) !== month && (row === 0 || month === '')) {
        // Place a month's label at the month's first whole week, because the label needs the space.
        month = date.slice(5, 7);
        children.push(svg('text', { x, y: top - 9 }, monthName(date)));
      }
      const value = counts.get(date) ?? 0;
      const skipped = isSkipped(date) && !value;
      const isBefore = !value && !skipped && (!first || date < first);
      const text =
        date > now
          ? texts.calendar.day(longDate(date), texts.calendar.future)
          : skipped
            ? texts.calendar.day(longDate(date), texts.calendar.skipped)
            : isBefore
              ? texts.calendar.day(longDate(date), texts.calendar.before)
              : texts.calendar.cell(longDate(date), value);
      const name = date > now ? '.future' : skipped ? '.skip' : `.c.l${level(value)}`;
      const shape =
        isBefore && date <= now
          ? svg('rect.before', { x: x + cell / 2 - 1.1, y: y + cell / 2 - 1.1, width: 2.2, height: 2.2, rx: 1.1 })
          : svg(`rect${name}${date === now ? '.today' : ''}`, {
              x: x + (name === '.future' ? 0.5 : 0),
              y: y + (name === '.future' ? 0.5 : 0),
              width: cell - (name === '.future' ? 1 : 0),
              height: cell - (name === '.future' ? 1 : 0),
              rx: 3,
            });
      shape.setAttribute('role', 'gridcell');
      shape.setAttribute('aria-label', text);
      shape.setAttribute('tabindex', '-1');
      // Key for restoring the focus after a redraw.
      shape.dataset.key = `day-${type.id}-${date}`;
      cells.push(shape);
      dates.push(date);
      (rows[row] ??= []).push(shape);
    }
    return svg(
      'svg',
      { viewBox: `0 0 ${left + weeks * pitch} ${top + 7 * pitch}`, role: 'grid', 'aria-label': type.name },
      children,
      rows.map((row) => svg('g', { role: 'row' }, row)),
    );
  });
  const start = Math.max(0, dates.indexOf(now));
  cells[start].setAttribute('tabindex', '0');
  const tell = (/** @type {number} */ i) => {
    say.textContent = cells[i].getAttribute('aria-label');
  };
  const box = h('div', null, pictures);
  const indexOf = (/** @type {EventTarget | null} */ target) => cells.indexOf(/** @type {SVGElement} */ (target));
  box.addEventListener('click', (event) => {
    const i = indexOf(event.target);
    if (i >= 0) open(dates[i]);
  });
  box.addEventListener('pointerover', (event) => {
    const i = indexOf(event.target);
    if (i >= 0) tell(i);
  });
  box.addEventListener('focusin', (event) => {
    const i = indexOf(event.target);
    if (i < 0) return;
    tell(i);
    for (const cell of cells) if (cell.getAttribute('tabindex') === '0') cell.setAttribute('tabindex', '-1');
    cells[i].setAttribute('tabindex', '0');
  });
  box.addEventListener('keydown', (event) => {
    const i = indexOf(event.target);
    const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1, Home: -i, End: cells.length - 1 - i }[
      event.key
    ];
    if (i < 0 || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step === undefined) return open(dates[i]);
    const next = cells[i + step];
    if (!next) return;
    /** @type {SVGElement} */ (next).focus();
  });
  return h(
    `div.heat${isSparse ? '.halves' : ''}`,
    { set: tint(type.color) },
    about,
    box,
    h('div.under', null, say, legend(bounds)),
  );
}
