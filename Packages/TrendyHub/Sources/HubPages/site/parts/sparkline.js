import { h } from './dom.js';

/**
 * Small bars, one per day, today last. Decorative: the text is beside it. Without room the earliest bars are omitted.
 * @param {number[]} values
 */
export function spark(values, height = 26) {
  const most = Math.max(1, ...values);
  const tall = (/** @type {number} */ value) => (value ? Math.max(4, (value / most) * height) : 2);
  // Bars are laid out from today backwards; those without room wrap into a hidden line.
  return h(
    'span.spark',
    { 'aria-hidden': 'true' },
    [...values]
      .reverse()
      .map((value, i) => h(`i${value ? (i ? '' : '.now') : '.none'}`, { set: { '--tall': `${tall(value)}px` } })),
  );
}
