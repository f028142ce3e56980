// Streaks, scores and usual hours that the hub computes from the whole record. They change slowly and are kept between
// pages.

import { read } from './record.js';
import { localText, weekStart, withDays } from './days.js';

/**
 * @typedef {{event_type_id: string, streak: {period: 'day' | 'week', current: number, longest: number} |
 *   null, score: number | null, usual:
 *   {from: number, through: number} | null}} Habit
 */

/** @type {Map<string, Habit>} */
let known = new Map();

/**
 * @param {string} typeId
 * @returns {Habit | undefined}
 */
export const habitOf = (typeId) => known.get(typeId);

/**
 * Whether a type is usually logged at this time of day, give or take an hour.
 * @param {string} typeId
 */
export function isUsualNow(typeId) {
  const usual = known.get(typeId)?.usual;
  if (!usual) return false;
  const [hours, minutes] = localText(new Date()).slice(11).split(':').map(Number);
  const now = hours * 60 + minutes;
  return now >= usual.from - 60 && now <= usual.through + 60;
}

/** Requests the current values from the hub. */
export async function readHabits() {
  const { answer } = await read(withDays('/insights/habits', { week_start: weekStart() }));
  known = new Map(answer.habits.map((/** @type {Habit} */ habit) => [habit.event_type_id, habit]));
}
