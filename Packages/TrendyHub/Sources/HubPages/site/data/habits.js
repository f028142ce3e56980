// Streaks, scores and usual hours, computed by the hub from the whole record. They change slowly, so they are kept when
// the user moves to another page.

import { read } from './record.js';
import { weekStart, withDays } from './days.js';

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

/** Requests the current values. */
export async function readHabits() {
  const { answer } = await read(withDays('/insights/habits', { week_start: weekStart() }));
  known = new Map(answer.habits.map((/** @type {Habit} */ habit) => [habit.event_type_id, habit]));
}
