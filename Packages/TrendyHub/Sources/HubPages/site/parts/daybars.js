import { h, svg } from './dom.js';
import { tint } from './colour.js';
import { count } from '../words.js';

/** @param {number} most @returns {number[]} two round values above 0 that fit below it, or one */
function gridValues(most) {
  const step = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000].find((value) => value * 2 >= most) ?? 10 ** Math.ceil(Math.log10(most / 2));
  return [step, step * 2].filter((value) => value === step || value <= most * 1.34);
}

/**
 * Bars over time; the last is the present. A value is read by pointing at it, or with the arrow keys.
 * @param {{values: {label: string, axis: string, value: number, isNow: boolean}[], color: string, label: string, width: number}} of
 */
export function dayBars({ values, color, label, width }) {
  const height = 190;
  const [left, bottom] = [34, 22];
  const most = Math.max(1, ...values.map((value) => value.value));
  const grid = gridValues(most);
  const top = Math.max(most, grid[grid.length - 1]) * 1.06;
  const pitch = (width - left) / values.length;
  const y = (/** @type {number} */ value) => (height - bottom) * (1 - value / top);
  const reading = h('p.reading', { 'aria-live': 'polite' });
  let shown = values.length - 1;
  const tell = (/** @type {number} */ i) => {
    shown = Math.min(values.length - 1, Math.max(0, i));
    reading.textContent = `${values[shown].label}: ${count(values[shown].value)}`;
  };
  // Names stand where there is room for them; the present always has one.
  const every = Math.max(1, Math.ceil(78 / pitch));
  const picture = svg('svg.plot', { viewBox: `0 0 ${width} ${height}`, role: 'img', tabindex: 0, 'aria-label': label, dataset: { key: 'bars' } },
    [0, ...grid].map((value) => [svg('line.grid', { x1: left, x2: width, y1: y(value), y2: y(value) }), svg('text', { x: left - 10, y: y(value) + 4, 'text-anchor': 'end' }, count(value))]),
    values.map((value, i) => {
      const x = left + i * pitch + Math.min(1, pitch * 0.12);
      const wide = Math.max(1.5, pitch - Math.min(2, pitch * 0.24));
      const tall = value.value ? Math.max(2, y(0) - y(value.value)) : 0;
      const fromEnd = values.length - 1 - i;
      return [
        tall > 0 && svg(value.isNow ? 'rect.now' : 'rect', { x, y: y(0) - tall, width: wide, height: tall, rx: Math.min(2, wide / 3) }),
        value.isNow ? svg('text.now-text', { x: x + wide, y: height - 5, 'text-anchor': 'end' }, value.axis)
          : fromEnd % every === 0 && fromEnd >= every && i >= every / 3 && svg('text', { x: x + wide / 2, y: height - 5, 'text-anchor': 'middle' }, value.axis),
      ];
    }));
  picture.addEventListener('pointermove', (event) => {
    const box = picture.getBoundingClientRect();
    tell(Math.floor(((/** @type {PointerEvent} */ (event).clientX - box.left) / box.width * width - left) / pitch));
  });
  picture.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[/** @type {KeyboardEvent} */ (event).key];
    if (!step) return;
    event.preventDefault();
    tell(shown + step);
  });
  picture.addEventListener('focus', () => tell(shown));
  return h('div.bars', { set: tint(color) }, picture, reading);
}
