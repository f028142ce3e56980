import { svg } from './dom.js';

/**
 * Small bars, one a day; the last is today. For the eye alone: its words stand beside it.
 * @param {number[]} values
 */
export function spark(values, pitch = 8, height = 26) {
  const most = Math.max(1, ...values);
  const width = values.length * pitch - 2;
  return svg('svg.bars.spark', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'xMaxYMax slice', 'aria-hidden': 'true' },
    values.map((value, i) => {
      const tall = value ? Math.max(4, (value / most) * height) : 2;
      return svg(`rect${value ? (i === values.length - 1 ? '.now' : '') : '.none'}`, { x: i * pitch, y: height - tall, width: pitch - 2, height: tall, rx: value ? 1.5 : 0 });
    }));
}
