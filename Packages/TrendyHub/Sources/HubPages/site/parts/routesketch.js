import { svg } from './dom.js';

const [WIDE, TALL, EDGE] = [104, 52, 8];

/**
 * Draws a small sketch of a live route without a map. The text beside it has the same information.
 * @param {number[][]} route latitudes and longitudes
 */
export function routeSketch(route) {
  const narrow = Math.cos((route[0][0] * Math.PI) / 180);
  const xs = route.map((point) => point[1] * narrow);
  const ys = route.map((point) => -point[0]);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top];
  // The same scale on both axes preserves angles. A route without movement is drawn as a point.
  const scale = Math.min((WIDE - 2 * EDGE) / Math.max(width, 1e-6), (TALL - 2 * EDGE) / Math.max(height, 1e-6));
  const points = xs.map((x, i) =>
    [WIDE / 2 + (x - left - width / 2) * scale, TALL / 2 + (ys[i] - top - height / 2) * scale].map((value) =>
      value.toFixed(1),
    ),
  );
  const [first, last] = [points[0], points[points.length - 1]];
  return svg(
    'svg.sketch',
    { viewBox: `0 0 ${WIDE} ${TALL}`, width: WIDE, height: TALL, 'aria-hidden': 'true' },
    svg('polyline', { points: points.map((point) => point.join(',')).join(' ') }),
    svg('circle.from', { cx: first[0], cy: first[1], r: 3.5 }),
    svg('circle.now', { cx: last[0], cy: last[1], r: 4.5 }),
  );
}
