import { h } from './dom.js';

/**
 * Small bars, one a day; the last is today. For the eye alone: its words stand beside it. Where room is short the
 * earliest are left out, each as a whole.
 * @param {number[]} values
 */
export function spark(values, height = 26) {
  const most = Math.max(1, ...values);
  const tall = (/** @type {number} */ value) => (value ? Math.max(4, (value / most) * height) : 2);
  // From today back: what finds no room in the line is in a second one, which is not seen.
  return h(
    'span.spark',
    { 'aria-hidden': 'true' },
    [...values]
      .reverse()
      .map((value, i) => h(`i${value ? (i ? '' : '.now') : '.none'}`, { set: { '--tall': `${tall(value)}px` } })),
  );
}
