// What was done, so that it can be taken back and done again: kept with the tab, as a reload is no reason to lose it.

import { setTabSetting, tabSetting } from './preferences.js';
import { enqueue } from './queue.js';

/**
 * @typedef {Pick<import('./queue.js').Write, 'method' | 'path' | 'kind' | 'id'> & Partial<import('./queue.js').Write>}
 *   Act a write that is to be made
 */
/**
 * @typedef {{label: string, back: Act[], again: Act[]}} Step what takes it back, and what does it again; each in its
 *   order
 */

const NAME = 'done';
/** So many steps can be taken back, and so many letters are kept of them: a browser keeps few millions. */
const MOST = 50;
const ROOM = 1_000_000;

/** Whose steps they are. */
let person = '';
/**
 * The last at the end.
 * @type {Step[]}
 */
let done = [];
/** @type {Step[]} */
let takenBack = [];

/**
 * Takes up what this tab did before it was loaded anew.
 * @param {string} of the person's id
 */
export function resumeSteps(of) {
  person = of;
  try {
    const kept = JSON.parse(tabSetting(NAME) ?? '{}');
    if (kept.person === person) [done, takenBack] = [kept.done, kept.takenBack];
  } catch {
    /* Something else is stored: there is nothing to undo. */
  }
}

export function forgetSteps() {
  [done, takenBack] = [[], []];
  keep();
}

function keep() {
  done = done.slice(-MOST);
  let text = JSON.stringify({ person, done, takenBack });
  // The oldest go first, such as that of an import that was taken in by hand.
  for (let first = 1; text.length > ROOM && first <= done.length; first++)
    text = JSON.stringify({ person, done: done.slice(first), takenBack: [] });
  // Where they cannot be stored they are lost at a reload.
  setTabSetting(NAME, text);
}

/** @param {Step} step */
function note(step) {
  done.push(step);
  takenBack = [];
  keep();
}

const send = async (/** @type {Act[]} */ acts) => {
  for (const act of acts) await enqueue(act);
};

/**
 * Steps of one act, while it is done.
 * @type {Step[] | null}
 */
let group = null;

/**
 * Makes writes, and notes how they are taken back.
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
 * Several writes that are taken back together.
 * @param {string} label
 * @param {() => Promise<unknown>} body
 */
export async function together(label, body) {
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
 * Notes what was done without these pages' queue.
 * @param {string} label
 * @param {Act[]} back
 * @param {Act[]} again
 */
export const noteDone = (label, back, again) => note({ label, back, again });

/**
 * Takes back what was done last.
 * @returns {Promise<string | null>} what that was
 */
export async function undo() {
  const step = done.at(-1);
  if (!step) return null;
  await send(step.back);
  done = done.filter((other) => other !== step);
  takenBack.push(step);
  keep();
  return step.label;
}

/**
 * Does again what was taken back last.
 * @returns {Promise<string | null>}
 */
export async function redo() {
  const step = takenBack.at(-1);
  if (!step) return null;
  await send(step.again);
  takenBack = takenBack.filter((other) => other !== step);
  done.push(step);
  keep();
  return step.label;
}
