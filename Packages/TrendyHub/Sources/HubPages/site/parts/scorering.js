import { h, svg } from './dom.js';
import { tint } from './colour.js';
import { texts } from '../texts.js';

/**
 * Draws a goal's score as a ring.
 * @param {number | null} score 0 to 1, or `null` to reserve the space
 * @param {string} [color] colour of the type
 */
export function ring(score, color) {
  if (score === null) return h('span.ring');
  const [whole, value] = [2 * Math.PI * 12, Math.round(score * 100)];
  return h(
    'span.ring.t',
    { title: texts.insights.score(value), set: color ? tint(color) : {} },
    h('span.spoken', null, texts.insights.score(value)),
    svg(
      'svg',
      { viewBox: '0 0 30 30', 'aria-hidden': 'true' },
      svg('circle.track', { cx: 15, cy: 15, r: 12 }),
      value > 0 &&
        svg('circle.value', {
          cx: 15,
          cy: 15,
          r: 12,
          'stroke-dasharray': `${whole * score} ${whole}`,
          transform: 'rotate(-90 15 15)',
        }),
      svg('text', { x: 15, y: 18.5, 'text-anchor': 'middle' }, value),
    ),
  );
}
