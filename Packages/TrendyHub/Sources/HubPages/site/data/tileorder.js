// Order of the tiles, which is a setting and therefore the same on all devices.

import { set, settings, types } from './record.js';

const KEY = 'tiles.order';

/** Returns types in the user's order. Types that were never moved follow in order of creation. */
export function orderedTypes() {
  const order = settings()[KEY];
  const place = new Map((Array.isArray(order) ? order : []).map((id, i) => [id, i]));
  const all = types();
  const at = new Map(all.map(({ id }, i) => [id, place.get(id) ?? all.length + i]));
  return all.sort((a, b) => (at.get(a.id) ?? 0) - (at.get(b.id) ?? 0));
}

/**
 * Moves a type to another position among the visible types.
 * @param {string[]} shown ids of the visible types in order
 * @param {string} id
 * @param {number} to
 */
export function moveType(shown, id, to) {
  const rest = shown.filter((other) => other !== id);
  rest.splice(Math.max(0, Math.min(rest.length, to)), 0, id);
  return set(KEY, rest);
}
