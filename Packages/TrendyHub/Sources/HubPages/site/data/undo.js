// This tab's undo history, which survives a reload.

import { setTabPreference, tabPreference } from './preferences.js';
import { enqueue } from './queue.js';

/**
 * @typedef {Pick<import('./queue.js').Write, 'method' | 'path' | 'kind' | 'id'> & Partial<import('./queue.js').Write>}
 *   Act a write to enqueue
 */
/**
 * @typedef {{label: string, back: Act[], again: Act[]}} Step the writes that undo an action and those that redo it,
 *   each in order
 */

const NAME = 'done';
/** Limits of the history: number of steps, and number of characters in the tab's storage. */
const MOST = 50;
const ROOM = 1_000_000;

/** Id of the user who owns the history. */
let person = '';
/**
 * Steps that can be undone, the latest of which is last.
 * @type {Step[]}
 */
let done = [];
/** @type {Step[]} */
let undone = [];

/**
 * @param {string} of id of the user
 */
export function loadHistory(of) {
  person = of;
  try {
    const kept = JSON.parse(tabPreference(NAME) ?? '{}');
    if (kept.person === person) [done, undone] = [kept.done, kept.undone];
  } catch {
    /* The stored text is not a valid history, so there is nothing to undo. */
  }
}

export function clearHistory() {
  [done, undone] = [[], []];
  keep();
}

function keep() {
  done = done.slice(-MOST);
  let text = JSON.stringify({ person, done, undone });
  // Drop the oldest steps first.
  for (let first = 1; text.length > ROOM && first <= done.length; first++)
    text = JSON.stringify({ person, done: done.slice(first), undone: [] });
  // If storage is full, a reload loses the history.
  setTabPreference(NAME, text);
}

/** @param {Step} step */
function note(step) {
  done.push(step);
  undone = [];
  keep();
}

const send = async (/** @type {Act[]} */ acts) => {
  for (const act of acts) await enqueue(act);
};

/**
 * Steps of the group being recorded, or `null` outside a group.
 * @type {Step[] | null}
 */
let group = null;

/**
 * Enqueues writes and records how to undo them.
 * @param {string} label
 * @param {Act[]} acts
 * @param {Act[]} back
 * @param {Act[]} [again]
 */
export async function perform(label, acts, back, again = acts) {
  await send(acts);
  if (group) group.push({ label, back, again });
  else note({ label, back, again });
}

/**
 * Combines several writes into one undo step.
 * @param {string} label
 * @param {() => Promise<unknown>} body
 */
export async function asOneStep(label, body) {
  if (group) return body();
  group = [];
  const steps = group;
  try {
    return await body();
  } finally {
    group = null;
    const back = [...steps].reverse().flatMap((step) => step.back);
    if (steps.length) note({ label, back, again: steps.flatMap((step) => step.again) });
  }
}

/**
 * Records an action that was performed without the queue.
 * @param {string} label
 * @param {Act[]} back
 * @param {Act[]} again
 */
export const recordStep = (label, back, again) => note({ label, back, again });

/**
 * @returns {Promise<string | null>} label of the step
 */
export async function undo() {
  const step = done.at(-1);
  if (!step) return null;
  await send(step.back);
  done = done.filter((other) => other !== step);
  undone.push(step);
  keep();
  return step.label;
}

/**
 * @returns {Promise<string | null>}
 */
export async function redo() {
  const step = undone.at(-1);
  if (!step) return null;
  await send(step.again);
  undone = undone.filter((other) => other !== step);
  done.push(step);
  keep();
  return step.label;
}
