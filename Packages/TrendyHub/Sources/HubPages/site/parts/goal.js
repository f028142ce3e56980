// Goal progress: sums from the hub plus pending entries.

import { length } from '../data/days.js';
import { definitions, runningIds } from '../data/record.js';
import { amountsOf } from '../data/rules.js';
import { count, shortCount } from '../locale.js';
import { texts } from '../texts.js';

/**
 * @typedef {{amount: number, bound: 'at_least' | 'at_most', measure: 'count' | 'duration', period: 'day' | 'week'}}
 *   Goal
 * @typedef {{event_type_id: string, from: string, through: string, amount: number, target: number, is_excused: boolean,
 *   streak: number | null}} Standing state of a goal as computed by the hub; the streak is a number of the goal's
 *   periods
 * @typedef {{value: string, unit: string, words: string, short: string, isMet: boolean, isWeekly: boolean, left:
 *   number, leftText: string, ofText: string}} Progress `unit` is shown after today's value of a daily goal; `left` is
 *   the remaining amount of a minimum goal
 */

/**
 * Returns a type's goal, or `null` if the type has no goal or a goal of an unknown kind.
 * @param {Api.EventType} type
 * @returns {Goal | null}
 */
export function goalOf(type) {
  const goal = type.goal;
  const isKnown =
    goal &&
    Number.isInteger(goal.amount) &&
    goal.amount >= 0 &&
    ['at_least', 'at_most'].includes(goal.bound) &&
    ['count', 'duration'].includes(goal.measure) &&
    ['day', 'week'].includes(goal.period);
  return isKnown ? goal : null;
}

/**
 * Returns whether a goal can have a streak, as only minimum goals can.
 * @param {Goal} goal
 */
export const hasStreak = (goal) => goal.bound === 'at_least';

/**
 * @param {Api.EventType} type
 * @param {Standing | undefined} standing
 * @param {{event: Api.Event, count: number}[]} unseen pending events missing from the hub's sums
 * @returns {Progress | null} `null` if there is no goal or the hub's sums are not known yet
 */
export function progress(type, standing, unseen) {
  const goal = goalOf(type);
  if (!goal || !standing) return null;
  const own = definitions(type.id);
  const more = unseen.reduce((sum, { event, count: sign }) => {
    if (event.event_type_id !== type.id) return sum;
    const isRunning = runningIds().some((running) => running.id === event.id);
    return amountsOf(event, goal, own, Date.now(), isRunning).reduce(
      (part, [day, amount]) => (standing.from <= day && day <= standing.through ? part + sign * amount : part),
      sum,
    );
  }, 0);
  const amount = Math.max(0, standing.amount + more);
  const isLength = goal.measure === 'duration';
  const text = isLength ? (/** @type {number} */ seconds) => (seconds ? length(seconds) : count(0)) : count;
  const isWeekly = goal.period === 'week';
  const isMost = goal.bound === 'at_most';
  const left = isMost ? 0 : Math.max(0, standing.target - amount);
  return {
    value: text(amount),
    unit: isWeekly ? '' : texts.goal.ofTarget(isLength ? length(standing.target) : shortCount(standing.target)),
    isWeekly,
    words: standing.is_excused
      ? texts.goal.skipped
      : isWeekly
        ? texts.goal.week(text(amount), text(standing.target))
        : isMost
          ? texts.goal.most(text(standing.target))
          : texts.goal.least(text(standing.target)),
    short: texts.goal.weekShort(text(amount), text(standing.target)),
    isMet: !isMost && amount >= standing.target,
    left,
    leftText: text(left),
    ofText: text(standing.target),
  };
}
