// How far a type's goal is reached: a count of what was recorded, held against what the person set out to do.

import { length } from '../data/days.js';
import { count, shortCount, words } from '../words.js';

/**
 * @typedef {{amount: number, bound: 'at_least' | 'at_most', measure: 'count' | 'duration', period: 'day' | 'week'}} Goal
 * @typedef {{value: string, unit: string, words: string, isMet: boolean, isWeekly: boolean, left: number}} Progress
 *   `unit` stands behind today's value, of a daily goal alone; `left` is what a goal of at least something lacks
 */

/** A goal as these pages know it; `null` for none, and for one of a newer kind. @param {any} type @returns {Goal | null} */
export function goalOf(type) {
  const goal = type.goal;
  const isKnown = goal && Number.isInteger(goal.amount) && goal.amount >= 0 && ['at_least', 'at_most'].includes(goal.bound)
    && ['count', 'duration'].includes(goal.measure) && ['day', 'week'].includes(goal.period);
  return isKnown ? goal : null;
}

/** Seconds that an event took: what was said of it, else from its start to its end. @param {any} event */
export function secondsOf(event) {
  const said = Object.values(event.properties ?? {}).find((property) => property?.type === 'duration' && typeof property.value === 'number');
  if (said) return said.value;
  return event.end_date && !event.is_all_day ? Math.max(0, (Date.parse(event.end_date) - Date.parse(event.timestamp)) / 1000) : 0;
}

/**
 * @param {any} type @param {any[]} today its events of today @param {number} week how many this week
 * @returns {Progress | null} `null` where there is no goal, or one that takes the lengths of a whole week
 */
export function progress(type, today, week) {
  const goal = goalOf(type);
  if (!goal || (goal.measure === 'duration' && goal.period === 'week')) return null;
  const isLength = goal.measure === 'duration';
  const value = isLength ? today.reduce((sum, event) => sum + secondsOf(event), 0) : goal.period === 'day' ? today.length : week;
  const text = isLength ? length : count;
  const isWeekly = goal.period === 'week';
  return {
    value: text(value), unit: isWeekly ? '' : `/ ${isLength ? length(goal.amount) : shortCount(goal.amount)}`, isWeekly,
    words: isWeekly ? words.goal.week(text(value), text(goal.amount)) : goal.bound === 'at_most' ? words.goal.most(text(goal.amount)) : words.goal.least(text(goal.amount)),
    isMet: goal.bound === 'at_least' ? value >= goal.amount : false,
    left: goal.bound === 'at_least' ? Math.max(0, goal.amount - value) : 0,
  };
}
