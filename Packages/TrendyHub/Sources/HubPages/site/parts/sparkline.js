import { h } from './dom.js';

/**
 * Draws small bars, one per day, with today last. They repeat the information in the text beside them.
 * If space is short, the earliest bars are omitted.
 * @param {number[]} values
 */
export function spark(values, height = 26) {
  const most = Math.max(1, ...values);
  const tall = (/** @type {number} */ value) => (value ? Math.max(4, (value / most) * height) : 2);
  // Bars are laid out from today backwards. Bars that do not fit wrap into a hidden line.
  return h(
    'span.spark',
    { 'aria-hidden': 'true' },
    [...values]
      .reverse()
      .map((value, i) => h(`i${value ? (i ? '' : '.now') : '.none'}`, { set: { '--tall': `${tall(value)}px` } })),
  );
}
