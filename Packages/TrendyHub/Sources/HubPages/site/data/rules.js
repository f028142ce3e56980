// Rules for entries, types and properties that are pending in this browser. The hub applies the same rules to all other
// entries, types and properties. Both implementations are tested with `Rules/cases.json` in TrendyTesting.

import { addDays, dayOfEvent, daysBetween, lastDayOf, startOf, zoneOf } from './days.js';

/** @typedef {import('../parts/goal.js').Goal} Goal */

/**
 * Returns properties in display order.
 * @param {Api.PropertyDefinition[]} definitions of one type
 */
export const inOrder = (definitions) =>
  [...definitions].sort((a, b) => (a.display_order ?? 0) - (b.display_order ?? 0) || (a.id < b.id ? -1 : 1));

/**
 * Returns the action that records an event of a type.
 * @param {Api.EventType} type
 * @param {Api.PropertyDefinition[]} definitions of the type, in display order
 * @param {boolean} isRunning whether an event of the type is running
 * @returns {'log' | 'ask' | 'start' | 'stop'}
 */
export function actionOf(type, definitions, isRunning) {
  const isOpen = (/** @type {Api.PropertyDefinition} */ { default_value: value }) =>
    value === null || value === undefined;
  if (isRunning) return 'stop';
  if (
    type.goal?.measure === 'duration' ||
    definitions.some((definition) => definition.property_type === 'duration' && isOpen(definition))
  )
    return 'start';
  const [first] = definitions;
  const isAsked =
    first &&
    isOpen(first) &&
    (first.property_type === 'number' ? first.key !== 'count' : first.property_type === 'select');
  return isAsked ? 'ask' : 'log';
}

/**
 * Returns an event's contribution to a goal of its type.
 * @param {Api.Event} event
 * @param {Goal} goal
 * @param {Api.PropertyDefinition[]} definitions of the type, in display order
 * @param {number} now end of a running event, in milliseconds since 1970
 * @param {boolean} isRunning
 */
export function amountOf(event, goal, definitions, now, isRunning) {
  const number = (/** @type {string} */ key, /** @type {string} */ kind) => {
    const property = event.properties?.[key];
    return property?.type === kind && Number.isFinite(property.value) ? Math.max(0, property.value) : null;
  };
  if (goal.measure === 'count') return number('count', 'number') ?? 1;
  const key = definitions.find((definition) => definition.property_type === 'duration')?.key;
  const said = key === undefined ? null : number(key, 'duration');
  if (said !== null) return said;
  if (event.is_all_day || !(event.end_date || isRunning)) return 0;
  const end = event.end_date ? Date.parse(event.end_date) : now;
  return Math.max(0, (end - Date.parse(event.timestamp)) / 1000);
}

/** Maximum number of days after the first one over which an entry's duration is split. */
export const REACH = 2;

/**
 * Returns each day's contribution of an event to its type's goal. A duration is split where a day begins. The
 * parameters are those of `amountOf`.
 * @param {Api.Event} event
 * @param {Goal} goal
 * @param {Api.PropertyDefinition[]} definitions
 * @param {number} now
 * @param {boolean} isRunning
 * @returns {[string, number][]}
 */
export function amountsOf(event, goal, definitions, now, isRunning) {
  const amount = amountOf(event, goal, definitions, now, isRunning);
  const first = dayOfEvent(event);
  const start = Date.parse(event.timestamp);
  const end = event.end_date ? Date.parse(event.end_date) : isRunning ? now : start;
  const more = daysBetween(first, lastDayOf(event, end));
  if (goal.measure !== 'duration' || event.is_all_day || more < 1 || more > REACH) return [[first, amount]];
  const bounds = Array.from({ length: more }, (_, i) => startOf(addDays(first, i + 1), zoneOf(event)).getTime());
  return [start, ...bounds].map((begin, i) => [
    addDays(first, i),
    (amount * ((bounds[i] ?? end) - begin)) / (end - start),
  ]);
}

/**
 * @param {Api.Skip[]} skips of one type
 * @param {string} date
 */
export const isSkipped = (skips, date) => skips.some(({ from, to }) => from <= date && date <= to);
