// Map tiles from the source configured by the hub's operator. Where tiles are missing, the background stays blank.

import { svg } from './dom.js';
import { session } from '../data/record.js';

const { PI } = Math;
const SIDE = 256;

/**
 * @returns {{group: SVGElement, credit: string, show: (view: {x: number, y: number, scale: number}, width: number,
 *   height: number) => void} | null}
 */
export function tileLayer() {
  const { tiles } = session;
  if (!tiles) return null;
  const group = svg('g.tiles', { 'aria-hidden': 'true' });
  /** @type {Map<string, SVGElement>} */
  const shown = new Map();
  const missing = new Set();
  return {
    group,
    credit: tiles.credit,
    show({ x, y, scale }, width, height) {
      const zoom = Math.max(0, Math.min(tiles.deepest, Math.round(Math.log2((2 * PI * scale) / SIDE))));
      const across = 2 ** zoom;
      const size = (2 * PI * scale) / across;
      const [left, top] = [width / 2 - (PI + x) * scale, height / 2 - (PI - y) * scale];
      const wanted = new Set();
      for (let row = Math.max(0, Math.floor(-top / size)); row < across && top + row * size < height; row++) {
        for (let column = Math.floor(-left / size); left + column * size < width; column++) {
          const key = `${zoom}/${column}/${row}`;
          if (missing.has(key)) continue;
          wanted.add(key);
          const image =
            shown.get(key) ??
            svg('image', {
              href: tiles.address
                .replace('{z}', String(zoom))
                .replace('{x}', String(((column % across) + across) % across))
                .replace('{y}', String(row)),
              preserveAspectRatio: 'none',
              on: {
                error: () => {
                  missing.add(key);
                  shown.get(key)?.remove();
                  shown.delete(key);
                },
              },
            });
          for (const [name, value] of Object.entries({
            x: left + column * size,
            y: top + row * size,
            width: size + 0.5,
            height: size + 0.5,
          }))
            image.setAttribute(name, String(value));
          if (!shown.has(key)) group.append(image);
          shown.set(key, image);
        }
      }
      for (const [key, image] of shown)
        if (!wanted.has(key)) {
          image.remove();
          shown.delete(key);
        }
    },
  };
}
