// Chart over time, with bars, the mean as a line, and the middle half of the values as a band. The hub computes all
// numbers.

import { h, svg } from './dom.js';
import { tint } from './colour.js';
import { count, decimal } from '../locale.js';
import { texts } from '../texts.js';

/**
 * @typedef {{label: string, axis: string, value: number, isNow: boolean, isSkipped: boolean, mean: number | null,
 *   lower: number | null, upper: number | null}} Step
 */

/** Maximum width of a bar in pixels. */
const MOST_WIDE = 32;

/**
 * Returns one or two round values below a maximum, for grid lines.
 * @param {number} most
 * @returns {number[]}
 */
function gridValues(most) {
  const step =
    [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000].find((value) => value * 2 >= most) ??
    10 ** Math.ceil(Math.log10(most / 2));
  return [step, step * 2].filter((value) => value === step || value <= most * 1.34);
}

/**
 * Returns the ranges of consecutive steps that satisfy a condition, as first and last index.
 * @param {Step[]} steps
 * @param {(step: Step) => boolean} has
 * @returns {[number, number][]}
 */
function stretches(steps, has) {
  /** @type {[number, number][]} */
  const found = [];
  steps.forEach((step, i) => {
    if (!has(step)) return;
    const last = found[found.length - 1];
    if (last && last[1] === i - 1) last[1] = i;
    else found.push([i, i]);
  });
  return found;
}

/**
 * Draws the chart, whose last step is the current one. The user can read values by pointing or with the arrow keys.
 * @param {{steps: Step[], color: string, label: string, width: number, meanWords: string, middleWords: string}} of
 *   `meanWords` and `middleWords` label line and band
 */
export function trendChart({ steps, color, label, width, meanWords, middleWords }) {
  const height = 200;
  const [left, bottom] = [34, 22];
  const most = Math.max(1, ...steps.map((step) => Math.max(step.value, step.upper ?? 0)));
  const grid = gridValues(most);
  const top = Math.max(most, grid[grid.length - 1]) * 1.06;
  const pitch = (width - left) / steps.length;
  const y = (/** @type {number} */ value) => (height - bottom) * (1 - value / top);
  const middle = (/** @type {number} */ i) => left + (i + 0.5) * pitch;
  // Label only as many steps as there is space for. The current step is always labelled.
  const every = Math.max(1, Math.ceil(78 / pitch));
  const lines = stretches(steps, (step) => step.mean !== null);
  const points = (
    /** @type {number} */ from,
    /** @type {number} */ to,
    /** @type {'mean' | 'lower' | 'upper'} */ name,
  ) =>
    Array.from(
      { length: to - from + 1 },
      (_, i) => `${middle(from + i).toFixed(1)},${y(/** @type {number} */ (steps[from + i][name])).toFixed(1)}`,
    );
  const way = (/** @type {[number, number]} */ [from, to]) => `M${points(from, to, 'mean').join('L')}`;
  const end = lines[lines.length - 1];
  const { reading, tell, listen } = readings(steps, meanWords);
  const picture = svg(
    'svg.plot',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', tabindex: 0, 'aria-label': label, dataset: { key: 'bars' } },
    [0, ...grid].map((value) => [
      svg('line.grid', { x1: left, x2: width, y1: y(value), y2: y(value) }),
      svg('text', { x: left - 10, y: y(value) + 4, 'text-anchor': 'end' }, count(value)),
    ]),
    stretches(steps, (step) => step.isSkipped).map(([from, to]) => [
      svg('rect.skipped', { x: left + from * pitch, y: 0, width: (to - from + 1) * pitch, height: height - bottom }),
      (to - from + 1) * pitch > 56 &&
        svg(
          'text.skipped-text',
          { x: (middle(from) + middle(to)) / 2, y: 14, 'text-anchor': 'middle' },
          texts.calendar.skipped,
        ),
    ]),
    steps.map((step, i) => bar(step, left + i * pitch, pitch, y)),
    lines.map(
      ([from, to]) =>
        from < to &&
        svg('path.band-of', {
          d: `M${points(from, to, 'upper').join('L')}L${points(from, to, 'lower').reverse().join('L')}Z`,
        }),
    ),
    lines.map((line) => [svg('path.halo', { d: way(line) }), svg('path.line-of', { d: way(line) })]),
    end && svg('circle.end-of', { cx: middle(end[1]), cy: y(/** @type {number} */ (steps[end[1]].mean)), r: 4 }),
    steps.map((step, i) => {
      const fromEnd = steps.length - 1 - i;
      return step.isNow
        ? svg('text.now-text', { x: left + (i + 1) * pitch, y: height - 5, 'text-anchor': 'end' }, step.axis)
        : fromEnd % every === 0 &&
            fromEnd >= every &&
            i >= every / 3 &&
            svg('text', { x: middle(i), y: height - 5, 'text-anchor': 'middle' }, step.axis);
    }),
  );
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    tell(Math.floor((((event.clientX - box.left) / box.width) * width - left) / pitch));
  });
  listen(picture);
  return h(
    'div.bars',
    { set: tint(color) },
    lines.length > 0 &&
      h(
        'div.legend.of-line',
        null,
        h('span', null, h('i.line-mark'), meanWords),
        h('span', null, h('i.band-mark'), middleWords),
      ),
    picture,
    reading,
  );
}

/**
 * @param {Step} step
 * @param {number} x
 * @param {number} pitch
 * @param {(value: number) => number} y
 */
function bar(step, x, pitch, y) {
  if (!step.value) return null;
  const wide = Math.max(1.5, Math.min(MOST_WIDE, pitch - Math.min(2, pitch * 0.24)));
  const tall = Math.max(2, y(0) - y(step.value));
  return svg(step.isNow ? 'rect.now' : 'rect', {
    x: x + (pitch - wide) / 2,
    y: y(0) - tall,
    width: wide,
    height: tall,
    rx: Math.min(2, wide / 3),
  });
}

/**
 * Returns the line of text with one step's value.
 * @param {Step[]} steps
 * @param {string} meanWords
 */
function readings(steps, meanWords) {
  const reading = h('p.reading', { 'aria-live': 'polite' });
  let shown = steps.length - 1;
  const tell = (/** @type {number} */ i) => {
    shown = Math.min(steps.length - 1, Math.max(0, i));
    const { label, value, mean, isSkipped } = steps[shown];
    const told = `${label}: ${isSkipped && !value ? texts.calendar.skipped : count(value)}`;
    reading.textContent = mean === null ? told : `${told}, ${meanWords} ${decimal(mean, 1)}`;
  };
  const listen = (/** @type {SVGElement} */ picture) => {
    picture.addEventListener('keydown', (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[/** @type {KeyboardEvent} */ (event).key];
      if (!step) return;
      event.preventDefault();
      tell(shown + step);
    });
    picture.addEventListener('focus', () => tell(shown));
  };
  return { reading, tell, listen };
}
